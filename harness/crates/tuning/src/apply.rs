//! Tuned values in the engine's table of parameters.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use harness_base::files::write_atomically;

/// Values that cannot be written.
#[derive(Debug, Error, Diagnostic)]
pub enum ApplyError {
    /// The table cannot be read or written.
    #[error("cannot {} {}: {}", .0, .1.display(), .2)]
    #[diagnostic(help(
        "stand in the engine's repository or name the file with --table; `--format uci` prints \
         the values instead"
    ))]
    File(&'static str, PathBuf, #[source] std::io::Error),
    /// The table has no line of a parameter.
    #[error("{} has no line `{}: DEFAULT, ...`", .0.display(), .1)]
    #[diagnostic(help("name the file with the table with --table; nothing was changed"))]
    NoLine(PathBuf, String),
}

/// Writes values as the defaults of a table with lines `name: DEFAULT, ...`; gives how many
/// changed.
///
/// # Errors
/// When the table cannot be read or written, or a name has no line; then nothing changes.
pub fn apply(path: &Path, values: &BTreeMap<String, String>) -> Result<usize, ApplyError> {
    let file = |doing| move |source| ApplyError::File(doing, path.to_owned(), source);
    let text = std::fs::read_to_string(path).map_err(file("read"))?;
    let (text, changed) = replaced(&text, values)
        .map_err(|name| ApplyError::NoLine(path.to_owned(), name.to_owned()))?;
    write_atomically(path, text.as_bytes()).map_err(file("write"))?;
    Ok(changed)
}

/// The table with new defaults, and the number of changes; a name without a line is the error.
fn replaced<'a>(
    text: &str,
    values: &'a BTreeMap<String, String>,
) -> Result<(String, usize), &'a str> {
    let mut text = text.to_owned();
    let mut changed = 0;
    for (name, value) in values {
        let parts = text.lines().find_map(|line| {
            let rest = line.trim_start().strip_prefix(name.as_str())?.strip_prefix(": ")?;
            let (old, tail) = rest.split_once(',')?;
            Some((line, &line[..line.len() - rest.len()], old, tail))
        });
        let (line, head, old, tail) = parts.ok_or(name.as_str())?;
        if old.trim() != value {
            changed += 1;
            text = text.replacen(line, &format!("{head}{value},{tail}"), 1);
        }
    }
    Ok((text, changed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_defaults_change_and_all_or_none_of_them() {
        let table =
            "    /// About a: one.\n    a: 75, 0..=200, step 10;\n    aa: -3, -9..=9, step 1;\n";
        let values = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        let (text, changed) =
            replaced(table, &values(&[("a", "80"), ("aa", "-3")])).expect("both are there");
        assert_eq!(changed, 1);
        assert_eq!(text, table.replace("a: 75,", "a: 80,"));
        assert_eq!(replaced(table, &values(&[("a", "80"), ("b", "1")])), Err("b"));
    }

    #[test]
    fn every_parameter_of_our_own_engine_is_found() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../engine/src/params.rs");
        let text = std::fs::read_to_string(path).expect("the engine's table");
        let values: BTreeMap<String, String> = engine::params::PARAMETERS
            .iter()
            .map(|parameter| (parameter.name.to_owned(), (parameter.default + 1).to_string()))
            .collect();
        let (_, changed) = replaced(&text, &values).expect("all are there");
        assert_eq!(changed, values.len());
    }
}
