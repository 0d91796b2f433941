//! The engine's table of weights as Rust text.

use thiserror::Error;

use super::config::numbered_terms;
use super::sparse::Pair;

/// A text that is not the linked engine's table.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TableError {
    /// A term is missing.
    #[error("there is no line `{0}: GROUP, [...]`")]
    NoTerm(&'static str),
    /// A term has another number of weights.
    #[error("`{name}` has {found} weights instead of {expected}")]
    Count {
        /// The term.
        name: &'static str,
        /// In the text.
        found: usize,
        /// In the linked engine.
        expected: usize,
    },
    /// A term has other weights than the linked engine.
    #[error("`{0}` differs from the engine in this harness")]
    Differs(&'static str),
}

/// The table with other weights (all of them, by number); comments and layout are kept.
///
/// # Errors
/// When the text is not the table that the linked engine was built with.
pub fn rewritten(text: &str, linked: &[Pair], weights: &[Pair]) -> Result<String, TableError> {
    let mut text = text.to_owned();
    for (term, numbers) in numbered_terms() {
        let (begin, end) = body(&text, term.name).ok_or(TableError::NoTerm(term.name))?;
        let places = places(&text[begin..end]);
        if places.len() != numbers.len() {
            let found = places.len();
            let expected = numbers.len();
            return Err(TableError::Count { name: term.name, found, expected });
        }
        let old: Vec<String> = numbers.clone().map(|number| format_pair(linked[number])).collect();
        let is_old =
            |(&(from, to), old): (&(usize, usize), &String)| text[begin..][from..to] == *old;
        if !places.iter().zip(&old).all(is_old) {
            return Err(TableError::Differs(term.name));
        }
        for (&(from, to), number) in places.iter().zip(numbers).rev() {
            text.replace_range(begin + from..begin + to, &format_pair(weights[number]));
        }
    }
    Ok(text)
}

/// A weight in the table's notation, in whole centipawns.
pub fn format_pair([mg, eg]: Pair) -> String {
    format!("s({}, {})", whole(mg), whole(eg))
}

/// In whole centipawns, clamped to a weight's range.
pub fn whole(centipawns: f64) -> i16 {
    centipawns.round().clamp(-9_999.0, 9_999.0) as i16
}

/// Byte range of a term's list of weights.
fn body(text: &str, name: &str) -> Option<(usize, usize)> {
    let begin = text.find(&format!("\n    {name}: "))?;
    let begin = begin + text[begin..].find('[')?;
    let end = begin + text[begin..].find("];")?;
    Some((begin, end))
}

/// Byte ranges of the `s(..)`.
fn places(body: &str) -> Vec<(usize, usize)> {
    let starts = body.match_indices("s(").map(|(from, _)| from);
    starts.filter_map(|from| Some((from, from + body[from..].find(')')? + 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sparse::linked_weights;
    use super::*;

    fn own_table() -> String {
        engine::eval::WEIGHTS_SOURCE.to_owned()
    }

    #[test]
    fn only_the_numbers_of_the_engines_own_table_change() {
        let table = own_table();
        let linked = linked_weights();
        assert_eq!(rewritten(&table, &linked, &linked).as_deref(), Ok(table.as_str()));
        let other: Vec<Pair> = linked.iter().map(|[mg, eg]| [mg + 1.2, eg - 1000.0]).collect();
        let changed = rewritten(&table, &linked, &other).expect("rewritten");
        let bare = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '-', "");
        assert_eq!(bare(&changed), bare(&table));
        let whole: Vec<Pair> =
            other.iter().map(|pair| pair.map(|one| f64::from(whole(one)))).collect();
        assert_eq!(rewritten(&changed, &whole, &linked).as_deref(), Ok(table.as_str()));
    }

    #[test]
    fn another_table_than_that_of_the_linked_engine_is_refused() {
        let table = own_table();
        let linked = linked_weights();
        for (from, to, error) in [
            ("    tempo: ", "    tmpo: ", TableError::NoTerm("tempo")),
            ("tempo: Tempo, [s(", "tempo: Tempo, [s(1", TableError::Differs("tempo")),
            (
                "tempo: Tempo, [",
                "tempo: Tempo, [s(1, 1), ",
                TableError::Count { name: "tempo", found: 2, expected: 1 },
            ),
        ] {
            let other = table.replacen(from, to, 1);
            assert_eq!(rewritten(&other, &linked, &linked), Err(error));
        }
    }
}
