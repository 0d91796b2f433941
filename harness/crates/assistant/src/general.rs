//! Questions about something in general, which no board and no run answers: "how many games does an SPRT need".

use super::intent::Intent;
use super::kinds;
use super::manner::Manner;
use super::slots::Sentence;
use super::tags::Tagged;

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
    let is_about_worth = has_move
        && !intent.is_of_runs()
        && !matches!(intent, Intent::GoTo | Intent::PlayOpening | Intent::CommentMove)
        && sentence.words.iter().any(|word| WORTH.contains(&word.as_str()));
    asks && !marks && (intent == Intent::MarkMove || is_about_worth)
}

/// "The text next to move 17 can go": a comment is removed, and no move is looked for.
pub fn lets_a_comment_go(words: &[String]) -> bool {
    let is_text = |word: &String| matches!(&**word, "comment" | "text" | "note" | "remark");
    let goes =
        |pair: &[String]| matches!(&*pair[0], "can" | "should" | "must" | "may") && pair[1] == "go";
    words.iter().any(is_text) && words.windows(2).any(goes)
}

/// "Clear the note of run 23": the text of a run is changed, and not taken away.
pub fn clears_text_of_run(sentence: &Sentence<'_>) -> bool {
    const REMOVING: [&str; 7] = ["clear", "remove", "delete", "erase", "wipe", "rid", "drop"];
    const TEXTS: [&str; 8] =
        ["note", "notes", "comment", "remark", "description", "name", "title", "label"];
    let words = sentence.words;
    let verb = words.iter().position(|word| REMOVING.contains(&word.as_str()));
    let text = words.iter().position(|word| TEXTS.contains(&word.as_str()));
    let run = words.iter().rposition(|word| kinds::is_of_run(word));
    let has_move = words.iter().any(|word| word == "move");
    let order = verb.zip(text).zip(run);
    order.is_some_and(|((verb, text), run)| verb < text && text < run && text < verb + 4)
        && !has_move
        && !sentence.tagged.iter().any(|token| token.text == "{text}")
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

/// The engine that goes on where another one is to be stopped: "kill weiss, but leave ethereal's lines up".
pub fn kept_engine<'a>(sentence: &'a Sentence<'_>) -> Option<&'a Tagged> {
    let keeps =
        |word: &String| matches!(&**word, "keep" | "leave" | "retain" | "keeping" | "leaving");
    let at = sentence.words.iter().position(keeps)?;
    let engines = || sentence.tagged.iter().filter(|token| token.text == "{engine}");
    let kept = engines().find(|token| token.from > at && token.from < at + 6)?;
    let words = |token: &Tagged| &sentence.words[token.from..token.to];
    engines().any(|token| words(token) != words(kept)).then_some(kept)
}
