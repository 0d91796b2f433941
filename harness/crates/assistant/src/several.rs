//! More runs than the one that is stopped, resumed or deleted at a time: "delete all runs but the newest", "del 4-6".
//! Of a list, "runs 4 and 5", the first one is meant, and the others are named.

use super::kinds;
use super::slots::Sentence;

/// Words behind "all" that leave some of them as they are.
const EXCEPTING: [&str; 5] = ["except", "excepted", "excluding", "but", "besides"];

/// Why nothing is done to several runs.
pub const REASON: &str = "one run at a time: “stop the last match”, or the id of the run";

/// Whether a sentence about what is done to a run means several.
pub fn are_meant(sentence: &Sentence<'_>) -> bool {
    are_all(sentence.words) || has_range(sentence)
}

/// "Delete all runs but the newest", "stop everything".
fn are_all(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_run = |word: &str| {
        kinds::command(word).is_some()
            || matches!(word, "run" | "runs" | "test" | "tests" | "jobs" | "experiments")
    };
    let excepts = |at: usize| words.iter().skip(at + 1).any(|word| EXCEPTING.contains(&&**word));
    (0..words.len()).any(|at| match word(at) {
        // "Only the higher of the two".
        "of" => {
            matches!(word(at + 1), "them" | "those" | "these")
                || (word(at + 1) == "the" && matches!(word(at + 2), "two" | "three" | "2" | "3"))
        }
        "everything" => {
            matches!(word(at + 1), "apart" | "running" | "that" | "still" | "going") || excepts(at)
        }
        "all" | "every" | "each" | "both" => {
            at + 1 == words.len()
                || (at + 1..at + 5).any(|at| is_run(word(at)))
                || (word(at) != "both" && excepts(at))
                || matches!((word(at), word(at + 1)), ("all", "that" | "what" | "which"))
        }
        _ => false,
    })
}

/// "R4-6", "runs 4-6": a range without spaces.
fn has_range(sentence: &Sentence<'_>) -> bool {
    let is_number = |text: &str| {
        !text.is_empty() && text.len() < 5 && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    sentence.split.iter().any(|word| {
        let typed = &sentence.text[word.chunk.0..word.chunk.1];
        let typed = typed.strip_prefix(['r', 'R', '#']).unwrap_or(typed);
        let ends = typed.split_once(['-', '\u{2013}']);
        ends.is_some_and(|(first, last)| is_number(first) && is_number(last))
    })
}
