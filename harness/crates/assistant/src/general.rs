//! Questions about something in general, which no board and no run answers: "how many games does an SPRT need".

use super::intent::Intent;
use super::manner::Manner;
use super::slots::Sentence;
use super::tags::{Tagged, is_move, is_piece};

/// Whether a question is about something in general: it is not answered by what a board or a run has.
pub fn is_general(intent: Intent, topic: Intent, sentence: &Sentence<'_>, manner: &Manner) -> bool {
    let words = sentence.words;
    let is_named = |token: &Tagged| {
        matches!(token.text.as_str(), "{engine}" | "{rev}" | "{suite}" | "{file}" | "{run}")
    };
    let names_one = sentence.tagged.iter().any(is_named);
    // "How many puzzles did I solve" sets nothing.
    let counts = words.len() > 1 && words[0] == "how" && matches!(&*words[1], "many" | "much");
    match manner {
        Manner::Question if words.get(1).is_some_and(|word| word == "one") => true,
        Manner::Question if counts && !topic.answers() && !topic.is_of_runs() => true,
        Manner::Definition => sentence.opening.is_none() && !names_one && intent != Intent::Hint,
        Manner::Question if !topic.answers() && !intent.is_run() && asks_for_a_reason(words) => {
            true
        }
        Manner::Question => !names_one && (intent.is_run() || is_of_any_run(intent, words)),
        _ => false,
    }
}

/// "Nf6, blunder?", "is that a mistake?": a question about a move, and no sign at it.
pub fn asks_worth(intent: Intent, sentence: &Sentence<'_>) -> bool {
    const MARKING: [&str; 14] = [
        "mark", "put", "give", "add", "set", "annotate", "attach", "change", "write", "deserve",
        "deserves", "replace", "label", "sign",
    ];
    // "Move 9 ?" has a sign.
    let asks =
        sentence.split.last().is_some_and(|last| sentence.text[last.chunk.1..].trim_end() == "?");
    let marks = sentence.words.iter().any(|word| MARKING.contains(&word.as_str()));
    // "Would it be silly to take on b7 with my queen?"
    let has_move = sentence.tagged.iter().any(|token| token.text == "{move}");
    // "Is my horse on d4 any good": how a piece stands.
    let stands = sentence.words.windows(3).any(|words| {
        is_piece(&words[0]) && words[1] == "on" && is_move(&words[2]) && words[2].len() == 2
    });
    let is_of_piece = stands && intent.answers();
    let is_about_worth = has_move
        && !is_of_piece
        && !intent.is_of_runs()
        && !matches!(intent, Intent::GoTo | Intent::PlayOpening | Intent::CommentMove)
        && sentence.words.iter().any(|word| WORTH.contains(&word.as_str()));
    asks && !marks && (intent == Intent::MarkMove || is_about_worth)
}

/// Words that say what a move is worth.
const WORTH: [&str; 19] = [
    "weaken", "weakens", "help", "lose", "hang", "cost", "win", "work", "good", "blunder",
    "mistake", "silly", "stupid", "crazy", "foolish", "sound", "playable", "unwise", "wise",
];

/// "Why is the Sicilian named after an island" does not want it on the board.
fn asks_for_a_reason(words: &[String]) -> bool {
    words.iter().take(2).any(|word| matches!(word.as_str(), "why" | "who" | "whose" | "when"))
}

/// "How many games does an SPRT need" is no question of a run that is there.
fn is_of_any_run(intent: Intent, words: &[String]) -> bool {
    let is_any = |pair: &[String]| {
        matches!(pair[0].as_str(), "a" | "an")
            && matches!(pair[1].as_str(), "sprt" | "match" | "test" | "run" | "suite" | "tuning")
    };
    intent == Intent::RunStatus && words.windows(2).any(is_any)
}

/// Whether a definition is of one thing, "what is a skewer": no example says what it is about.
pub fn names_term(sentence: &Sentence<'_>) -> bool {
    sentence.words.len() < 6 && sentence.words.iter().any(|word| matches!(&**word, "a" | "an"))
}
