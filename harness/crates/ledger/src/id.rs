//! Run ids: `20261121-143015-sprt`, and finding one from what a user wrote.

use jiff::Timestamp;

use super::LedgerError;

/// The name of the newest run.
pub(super) const NEWEST: &str = "last";

/// The id of the `attempt`th run (from 1) of a command that started at this instant: short, in
/// the order of time, readable, and safe as a file name.
pub(super) fn new_id(command: &str, started: Timestamp, attempt: u32) -> String {
    let name: String = command
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    let base = format!("{}-{name}", started.strftime("%Y%m%d-%H%M%S"));
    if attempt == 1 { base } else { format!("{base}-{attempt}") }
}

/// Resolves a query against `ids` (oldest first): an id, a unique prefix, or `last`. `None` without
/// any ids.
pub(super) fn resolve<'a>(query: &str, ids: &'a [String]) -> Option<Result<&'a str, LedgerError>> {
    let newest = ids.last()?;
    if query == NEWEST {
        return Some(Ok(newest));
    }
    if let Some(id) = ids.iter().find(|id| *id == query) {
        return Some(Ok(id));
    }
    let matches: Vec<&String> =
        ids.iter().filter(|id| !query.is_empty() && id.starts_with(query)).collect();
    Some(match matches[..] {
        [only] => Ok(only),
        [] => Err(LedgerError::UnknownRun { query: query.to_owned(), near: near(query, ids) }),
        _ => {
            let matches = matches.into_iter().rev().take(5).cloned().collect();
            Err(LedgerError::AmbiguousRun { query: query.to_owned(), matches })
        }
    })
}

/// Up to three similar ids: containing `query`, else within a small edit distance, else the newest.
fn near(query: &str, ids: &[String]) -> Vec<String> {
    let newest_first = || ids.iter().rev();
    let containing: Vec<&String> =
        newest_first().filter(|id| !query.is_empty() && id.contains(query)).collect();
    let mut found = containing;
    if found.is_empty() {
        found = newest_first().filter(|id| edit_distance(query, id) <= 3).collect();
        found.sort_by_key(|id| edit_distance(query, id));
    }
    if found.is_empty() {
        found = newest_first().collect();
    }
    found.into_iter().take(3).cloned().collect()
}

/// Levenshtein distance.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, &other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Vec<String> {
        ["20261120-090000-match", "20261121-143015-sprt", "20261121-143015-sprt-2"]
            .map(str::to_owned)
            .to_vec()
    }

    fn resolved(query: &str) -> Result<String, String> {
        resolve(query, &ids())
            .expect("there are ids")
            .map(str::to_owned)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn an_id_is_readable_and_a_plain_file_name() {
        let started: Timestamp = "2026-11-21T14:30:15.9Z".parse().expect("valid");
        assert_eq!(new_id("sprt", started, 1), "20261121-143015-sprt");
        assert_eq!(new_id("tune spsa", started, 3), "20261121-143015-tune-spsa-3");
        assert_eq!(new_id("../x", started, 1), "20261121-143015----x");
    }

    #[test]
    fn a_run_is_named_by_id_beginning_or_last() {
        assert_eq!(resolved("last").as_deref(), Ok("20261121-143015-sprt-2"));
        assert_eq!(resolved("20261120").as_deref(), Ok("20261120-090000-match"));
        // A whole id takes precedence over a prefix.
        assert_eq!(resolved("20261121-143015-sprt").as_deref(), Ok("20261121-143015-sprt"));
    }

    #[test]
    fn a_beginning_of_several_runs_is_refused() {
        let error = resolved("20261121").expect_err("ambiguous");
        assert!(error.contains("20261121-143015-sprt-2"), "{error}");
    }

    #[test]
    fn an_unknown_run_comes_with_ids_that_look_alike() {
        let error = resolved("20261120-090000-macth").expect_err("unknown");
        assert!(error.contains("is it one of 20261120-090000-match?"), "{error}");
        let error = resolved("143015-sprt-2").expect_err("unknown");
        assert!(error.contains("20261121-143015-sprt-2"), "{error}");
        assert!(resolved("").is_err());
        assert!(resolve("last", &[]).is_none());
    }
}
