//! Runs that are counted from the end: "the second to last run", "the match before last".

use std::ops::Range;

use super::kinds;

/// The slot of the run before the last one.
pub const PREVIOUS: &str = "previous";

/// The slot of the oldest run.
pub const OLDEST: &str = "oldest";

/// How the run before the last one is said.
const BEFORE_LAST: [&str; 13] = [
    "the one before the last one",
    "before the last one",
    "before the last",
    "before last",
    "the one before",
    "second to last",
    "second to the last",
    "second from last",
    "second last",
    "next to last",
    "last but one",
    "penultimate",
    "run before",
];

/// The words that say the run before the last one.
pub fn before_last(words: &[String]) -> Option<Range<usize>> {
    // "The last run but one".
    let is_but_one = |part: &[String]| {
        part[0] == "last" && kinds::is_of_run(&part[1]) && part[2] == "but" && part[3] == "one"
    };
    if let Some(at) = words.windows(4).position(is_but_one) {
        return Some(at..at + 4);
    }
    BEFORE_LAST.iter().find_map(|said| {
        let count = said.split(' ').count();
        let at = words.windows(count).position(|part| part.iter().eq(said.split(' ')))?;
        // "Third to last", "the last but two" are others.
        let is_other = words.get(at + count).is_some_and(|word| word == "but");
        (!is_other).then_some(at..at + count)
    })
}

/// The end of words behind a run that say which one it is: "before last", "that just finished".
pub fn behind(words: &[&str], at: usize) -> usize {
    let is_said = |said: &&str| {
        let part = words.get(at..at + said.split(' ').count());
        part.is_some_and(|part| part.iter().copied().eq(said.split(' ')))
    };
    const SAID: [&str; 14] = [
        "before the last one",
        "before the last",
        "before last",
        "that just finished",
        "that has just finished",
        "that just ended",
        "that finished last",
        "that finished",
        "that ended",
        "which just finished",
        "that i just ran",
        "i just ran",
        "that just ran",
        "just now",
    ];
    SAID.iter().find(|said| is_said(said)).map_or(at, |said| at + said.split(' ').count())
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn a_run_is_counted_from_the_end() {
        for (text, expected) in [
            ("the second to last run", Some(1..4)),
            ("the match before last", Some(2..4)),
            ("rename the last but one run", Some(2..5)),
            ("show the last run but one", Some(2..6)),
            ("the last run", None),
            ("the third to last run", None),
        ] {
            assert_eq!(before_last(&words::texts(text)), expected, "{text}");
        }
    }
}
