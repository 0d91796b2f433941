//! A condition before a wish, "when the current run is done, start a gate", which nothing here waits for: it is named.

use super::kinds;
use super::words::Word;

/// Words that begin a condition.
const BEGINNINGS: [&[&str]; 9] = [
    &["as", "soon", "as"],
    &["when"],
    &["once"],
    &["after"],
    &["if"],
    &["unless"],
    &["until"],
    &["provided"],
    &["whenever"],
];

/// Words of what is waited for.
const AWAITED: [&str; 16] = [
    "done",
    "finished",
    "finishes",
    "over",
    "ended",
    "ends",
    "passes",
    "passed",
    "fails",
    "failed",
    "runs",
    "tests",
    "free",
    "idle",
    "complete",
    "completed",
];

/// The words of a condition at the beginning of a sentence, and where its wish begins.
pub fn leading(text: &str, split: &[Word]) -> Option<usize> {
    let begins = BEGINNINGS.iter().find(|said| {
        let words = split.iter().map(|word| word.text.as_str()).take(said.len());
        words.eq(said.iter().copied())
    })?;
    let is_apart = |at: &usize| {
        let between = text.get(split[at - 1].chunk.1..split[*at].chunk.0);
        between.is_some_and(|between| between.contains([',', ';']))
    };
    let end = (begins.len() + 1..split.len()).find(is_apart)?;
    let is_awaited =
        |word: &Word| AWAITED.contains(&word.text.as_str()) || kinds::is_of_run(&word.text);
    let is_wish = split.len() > end + 1 && !text.trim_end().ends_with('?');
    (is_wish && split[..end].iter().any(is_awaited)).then_some(end)
}
