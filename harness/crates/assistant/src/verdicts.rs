//! What is said of a move that was played: "White's ninth was a mistake", "11.g4 is interesting, sign it that way". It is a sign
//! at the move, which is asked about, and no review of the game.

use super::intent::Intent;
use super::numbers;
use super::tags::is_move;
use super::words::{Word, fold};

/// Words that say what a move is worth, as its sign has it.
const VERDICTS: [&str; 15] = [
    "blunder",
    "mistake",
    "error",
    "bad",
    "weak",
    "dubious",
    "doubtful",
    "inaccuracy",
    "inaccurate",
    "interesting",
    "good",
    "strong",
    "brilliant",
    "terrible",
    "brilliancy",
];

/// Words between the move and what is said of it.
const LINKS: [&str; 16] = [
    "was", "is", "looks", "deserves", "seems", "were", "a", "an", "very", "really", "just",
    "rather", "quite", "move", "only", "surely",
];

/// Whether an intent gives way to a sign at a move of which a sentence says what it is worth.
pub fn gives_way(intent: Intent) -> bool {
    matches!(
        intent,
        Intent::Unknown | Intent::GoTo | Intent::MarkMove | Intent::Move | Intent::WhyLost
    ) || (intent.advises() && intent != Intent::Explorer)
}

/// Whether a sentence says of a move that is named what it is worth.
pub fn is_said(text: &str, split: &[Word], words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let verb = |at: &usize| matches!(word(*at), "was" | "is" | "looks" | "deserves" | "seems");
    (1..words.len()).filter(verb).any(|verb| {
        let said = (verb..words.len()).find(|at| !LINKS.contains(&word(*at)));
        said.is_some_and(|said| said < verb + 5 && VERDICTS.contains(&word(said)))
            && is_named(text, split, words, verb)
    })
}

/// Whether the words before a place name a move: "23.Rxf7", "White's ninth", "my 15th move", "my last move", "move 9".
fn is_named(text: &str, split: &[Word], words: &[String], end: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let last = end - 1;
    let typed = &text[split[last].chunk.0..split[last].chunk.1];
    let san = typed.trim_start_matches(|sign: char| sign.is_ascii_digit());
    if is_move(&fold(san.trim_start_matches('.'))) {
        let is_apart = last > 0 && numbers::at(words, last - 1).is_some();
        return san.len() < typed.len() || is_apart;
    }
    let noun = word(last) == "move";
    let number = last - usize::from(noun && last > 0);
    if noun && matches!(word(number), "last" | "previous") {
        return true;
    }
    let before = (number.saturating_sub(3)..number).any(|at| {
        matches!(
            word(at),
            "my" | "his" | "her" | "whites" | "blacks" | "white" | "black" | "move" | "opponents"
        )
    });
    before
        && (number.saturating_sub(1)..=number)
            .any(|at| numbers::at(words, at).is_some_and(|found| at + found.words == number + 1))
}
