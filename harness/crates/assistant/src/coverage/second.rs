//! A second wish in a sentence, of which the first alone is done: "copy the FEN and then turn on the engine".

use std::ops::Range;

use super::super::kinds;
use super::super::manner::STATES;
use super::super::slots::Sentence;
use super::super::tags::Tagged;
use super::super::verbs;

/// Words that link a second wish with the first, or its words with each other.
pub const LINKING: [&str; 40] = [
    "and",
    "then",
    "but",
    "also",
    "afterwards",
    "after",
    "that",
    "please",
    "with",
    "at",
    "as",
    "for",
    "the",
    "a",
    "an",
    "to",
    "me",
    "of",
    "in",
    "on",
    "from",
    "by",
    "using",
    "my",
    "i",
    "we",
    "you",
    "it",
    "just",
    "now",
    "this",
    "is",
    "only",
    "them",
    "want",
    "would",
    "like",
    "let",
    "us",
    "not",
];

/// Whether a word only links others.
pub fn links(word: &str) -> bool {
    LINKING.contains(&word)
}

/// Words behind "but" that narrow the wish before it: "but without a book".
pub const NARROWED: [&str; 7] = ["not", "without", "no", "at", "in", "on", "from"];

/// The words of a second wish: "copy the FEN and then turn on the engine", "delete run 7 but keep its games". What of
/// them is in no slot of the first is dropped otherwise, as examples of the first have most of its words.
pub fn second_wish(sentence: &Sentence<'_>, used: &[bool]) -> Range<usize> {
    let words = sentence.words;
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let begins = |at: usize| match word(at) {
        // "A hint, do not tell me the move".
        "do" => matches!(word(at + 1), "not" | "never") && !STATES.contains(&word(at + 2)),
        // "HEAD first, then weiss and toga2" is a list.
        "then" | "afterwards" => {
            let is_player =
                |token: &Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}" | "{side}");
            let next = sentence.tagged.iter().find(|token| token.from == at + 1);
            !next.is_some_and(is_player)
        }
        "but" => !NARROWED.contains(&word(at + 1)) && word(at - 1) != "last",
        "and" => {
            matches!(word(at + 1), "then" | "also" | "afterwards")
                || (word(at + 1) == "who" && word(0) != "who")
                || (verbs::ends_it(words, at)
                    && words[..at].iter().any(|word| kinds::is_of_run(word)))
        }
        "also" => begins_another(sentence, at),
        "after" => word(at + 1) == "that",
        _ => false,
    };
    let first = (1..words.len()).find(|at| begins(*at));
    match first {
        // "So then", "but then": nothing stands before.
        Some(at) if used.iter().take(at).any(|used| *used) || at > 1 => at..words.len(),
        _ => 0..0,
    }
}

/// "150 games of A and B; also one between B and C": another run behind a sign.
pub fn begins_another(sentence: &Sentence<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).map_or(0, |at| sentence.split[at].chunk.1);
    let between = sentence.text.get(before..sentence.split[at].chunk.0).unwrap_or_default();
    let next = sentence.words.get(at + 1).map_or("", String::as_str);
    sentence.words[at] == "also"
        && between.contains([',', ';', '.'])
        && matches!(next, "one" | "a" | "an" | "another")
}
