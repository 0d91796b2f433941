//! How a sentence speaks: a wish, a question, or that something is not to be done.
//!
//! "Is this a draw?" asks, and offers none; "do not resign" is no resignation; and a text with signs that
//! plain English does not have (`<script>`) is none.

mod withdrawn;

use withdrawn::ends_in_command;
pub use withdrawn::{plays_on, refused_at_once, withdrawn};

use std::ops::Range;

use super::similar::similarity;
use super::terms;
use super::words::Word;

/// How a sentence speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Manner {
    /// A wish, or a command.
    Wish,
    /// A question about something, to which no action is an answer.
    Question,
    /// A question for what something is: "what is an sprt".
    Definition,
    /// Something is not to be done; the words that say "not".
    Negated {
        /// The first of them.
        from: usize,
        /// The word behind the last.
        to: usize,
    },
}

/// Signs of markup and of programs.
const MARKUP: [char; 9] = ['<', '>', '{', '}', '$', '|', '\\', '`', '\0'];

/// Words before the sentence itself.
pub const OPENERS: [&str; 17] = [
    "please", "ok", "okay", "so", "hey", "hi", "hello", "computer", "well", "now", "and", "but",
    "tench", "oh", "um", "actually", "kindly",
];

/// Verbs whose negation is no command: "I do not know".
pub const STATES: [&str; 17] = [
    "recognise",
    "know",
    "see",
    "understand",
    "get",
    "hear",
    "remember",
    "like",
    "think",
    "care",
    "find",
    "trust",
    "believe",
    "mean",
    "recall",
    "mind",
    "follow",
];

/// Nouns that may be refused: "no draw".
const REFUSED: [&str; 10] = [
    "draw",
    "draws",
    "resignation",
    "takeback",
    "takebacks",
    "sprt",
    "match",
    "undo",
    "resigning",
    "new",
];

/// The sign of a text that is no plain English, if it has one.
pub fn markup(text: &str) -> Option<char> {
    let has_tag = text.match_indices('<').any(|(at, _)| opens_tag(&text[at + 1..]));
    let is_plain = |at: usize, sign: char| {
        let behind = text[at + sign.len_utf8()..].chars().next();
        match sign {
            // "[<-1.75, 0.25>", "save it > game.pgn", "NAG $5".
            '<' | '>' => !has_tag,
            '$' => behind.is_some_and(|digit| digit.is_ascii_digit()),
            // A clock of `15|10`.
            '|' => {
                let before = text[..at].chars().next_back();
                [before, behind].iter().all(|sign| sign.is_some_and(|sign| sign.is_ascii_digit()))
            }
            _ => false,
        }
    };
    let is_foreign = |(at, sign): &(usize, char)| {
        (MARKUP.contains(sign) && !is_plain(*at, *sign))
            || (sign.is_control() && !sign.is_whitespace())
    };
    text.char_indices().find(is_foreign).map(|(_, sign)| sign)
}

/// Whether what stands behind a `<` makes it a tag: `script>`, `/b>`, `!--`.
fn opens_tag(behind: &str) -> bool {
    behind.starts_with(|sign: char| sign.is_alphabetic() || matches!(sign, '/' | '!' | '?' | '%'))
}

/// How many words at the beginning only greet: "good morning, resume the run".
pub fn greeting(split: &[Word]) -> usize {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let is_name = |at: usize| {
        matches!(
            word(at),
            "tench"
                | "computer"
                | "engine"
                | "there"
                | "all"
                | "everybody"
                | "mate"
                | "buddy"
                | "friend"
        )
    };
    let length = match (word(0), word(1)) {
        ("good", "morning" | "evening" | "day" | "afternoon" | "night") => {
            2 + usize::from(is_name(2))
        }
        ("dear" | "hello" | "hi" | "hey", _) if is_name(1) => 2,
        ("dear" | "hello" | "hi" | "hey" | "greetings", _) => 1,
        _ => 0,
    };
    if split.len() > length + 1 { length } else { 0 }
}

/// How a sentence of these words speaks.
pub fn of(text: &str, split: &[Word]) -> Manner {
    let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    // "No, no, do not take it back".
    let is_opener = |(at, word): &(usize, &&str)| {
        let behind = split.get(*at).map_or("", |word| &text[word.chunk.1..]);
        OPENERS.contains(*word)
            || (**word == "no" && (behind.starts_with(',') || words.get(at + 1) == Some(&"no")))
    };
    let begin = words.iter().enumerate().take_while(is_opener).count();
    if let Some((from, to)) = negation(text, split, &words, begin) {
        return Manner::Negated { from, to };
    }
    let rest = &words[begin..];
    if rest.first() == Some(&"if") && text.trim_end().ends_with('?') {
        return Manner::Question;
    }
    if is_definition(rest) {
        Manner::Definition
    } else if (is_question(rest) && !ends_in_command(text, split)) || asks_for_agreement(text, rest)
    {
        Manner::Question
    } else {
        Manner::Wish
    }
}

/// The words of "do not", "never", "I will not", "no" before what is not to be done.
fn negation(text: &str, split: &[Word], words: &[&str], begin: usize) -> Option<(usize, usize)> {
    if begin == split.len() {
        return None;
    }
    let rest = &words[begin..];
    // "I do not need run 19 any more, abort it".
    let says_more = text[split[begin].chunk.1..].contains([',', ';', '.']);
    let is_state = |at: usize| {
        rest.get(at).is_none_or(|word| STATES.contains(word) || (says_more && *word == "need"))
    };
    let length = match rest {
        ["no", "need" | "reason", "to", ..] => 3,
        ["there", "is", "no", "need" | "reason", "to", ..] => 5,
        ["no", next, ..] => {
            // "No, take it back" refuses something else.
            let is_apart = text[split[begin].chunk.1..].starts_with(',');
            let refused = if *next == "more" { rest.get(2) } else { Some(next) };
            let is_refused = refused.is_some_and(|word| REFUSED.contains(word));
            return (is_refused && !is_apart).then_some((begin, begin + 1));
        }
        ["never", "mind", ..]
        | ["not", "more" | "less" | "fewer", "than", ..]
        | [
            "not",
            "so" | "that" | "as" | "too",
            "strong" | "hard" | "difficult" | "weak" | "easy",
            ..,
        ] => {
            return None;
        }
        ["never", ..] | ["not", ..] => 1,
        ["do", "not" | "never", ..] => 2,
        ["i" | "we", "do" | "would", "not", "want", "you", "to", ..] => 6,
        // "I do not want to see it" refuses, whatever the verb.
        ["i" | "we", "do" | "would", "not", "want" | "like" | "wish", "to", _, ..] => {
            return Some((begin, begin + 5));
        }
        ["i" | "we", "do" | "would", "not", "want", ..] => 4,
        ["you" | "we", "must" | "should" | "need", "not", ..] => 3,
        ["you", "do", "not", "have", "to", ..] => 5,
        ["i" | "we" | "you", "will" | "do" | "would" | "shall", "not" | "never", ..] => 3,
        ["i" | "we", "am" | "are", "not", ..] => 3,
        ["i" | "we", "would", "rather", "not", ..] => 4,
        ["i" | "we", "refuse" | "decline" | "reject", ..] => 2,
        ["i", "never", ..] => 2,
        ["let", "us", "not", ..] => 3,
        _ => return None,
    };
    (!is_state(length)).then_some((begin, begin + length))
}

/// "What is an sprt", "what does resign mean", "what are bounds".
fn is_definition(words: &[&str]) -> bool {
    match words {
        ["what", "is", "a" | "an", rest @ ..] => !rest.contains(&"good"),
        ["what", "does" | "do", .., "mean"] | ["what", "does" | "do", .., "stand", "for"] => true,
        ["what", "is" | "are", "meant", ..]
        | ["define" | "explain", "the", "word" | "term", ..]
        | ["explain" | "describe" | "define", "what", "a" | "an", ..] => true,
        ["what", "is", "the", "meaning" | "definition", ..] => true,
        ["how", "does" | "do", "a" | "an" | "the", .., "work"] => true,
        ["how", "does" | "do", rest @ .., "work"] => terms::are_all(rest),
        ["what", "is" | "are", "the", "difference" | "differences", "between", rest @ ..]
        | ["explain", "the", "difference", "between", rest @ ..]
        | ["difference", "between", rest @ ..]
        | ["explain" | "define", rest @ ..]
        | ["what", "is" | "are", rest @ .., "good", "for"]
        | [rest @ .., "meaning"] => terms::are_all(rest),
        ["meaning" | "definition", "of", ..] | ["the", "meaning" | "definition", "of", ..] => true,
        // "What is the LLR" asks for its value.
        ["what", "is" | "are", first, ..] => terms::is_one(first) && terms::are_all(&words[2..]),
        _ => false,
    }
}

/// "Do you accept a draw" asks for one.
fn is_request(verb: &str) -> bool {
    ["mind", "want", "agree", "accept", "take"].iter().any(|known| similarity(verb, known) > 0.8)
}

/// Whether a sentence asks how the user does something: "how do I take back a move".
pub fn asks_how(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let begin = words.iter().take_while(|word| OPENERS.contains(word)).count();
    matches!(
        words[begin..],
        ["how", "do" | "can" | "could" | "would" | "should", "i" | "we" | "one" | "you", ..]
    ) || matches!(words[begin..], ["how", "to", ..] | ["how", "does", "one", ..])
}

/// "But do not delete it", "without taking it back": the words that say that a move stays.
pub fn refused_deletion(words: &[String]) -> Option<Range<usize>> {
    let is_deletion = |at: usize| {
        let back = |at: usize| words.iter().skip(at + 1).take(3).any(|word| word == "back");
        match words.get(at).map_or("", String::as_str) {
            "take" | "taking" => back(at),
            verb => matches!(
                verb,
                "delete"
                    | "deleting"
                    | "undo"
                    | "undoing"
                    | "remove"
                    | "removing"
                    | "lose"
                    | "losing"
                    | "change"
                    | "changing"
                    | "touch"
                    | "touching"
            ),
        }
    };
    let not = (0..words.len()).find(|at| {
        matches!(words[*at].as_str(), "not" | "without" | "never") && is_deletion(at + 1)
    })?;
    let is_lead = |at: &usize| matches!(words[*at].as_str(), "but" | "and" | "do");
    let from = (0..not).rev().take_while(is_lead).last().unwrap_or(not);
    let last = words.get(not + 3).is_some_and(|word| word == "back");
    Some(from..(not + 3 + usize::from(last)).min(words.len()))
}

/// "This is lost, is it?", "I am winning, right?", "I guess I should resign?": a statement that asks whether it is true.
fn asks_for_agreement(text: &str, words: &[&str]) -> bool {
    const STATING: [&str; 14] = [
        "i", "we", "it", "this", "that", "he", "she", "they", "white", "black", "my", "there",
        "you", "looks",
    ];
    if !words.first().is_some_and(|first| STATING.contains(first)) {
        return false;
    }
    let is_asked = text.trim_end().ends_with('?');
    let is_pronoun = |word: &str| {
        matches!(word, "it" | "i" | "he" | "she" | "they" | "we" | "this" | "that" | "there")
    };
    let is_verb = |word: &str| {
        matches!(
            word,
            "is" | "are"
                | "am"
                | "was"
                | "were"
                | "does"
                | "do"
                | "did"
                | "has"
                | "have"
                | "will"
                | "would"
                | "can"
                | "could"
        )
    };
    match words {
        [_, .., verb, "not", pronoun] if is_verb(verb) && is_pronoun(pronoun) => true,
        [_, _, .., verb, pronoun] if is_asked && is_verb(verb) && is_pronoun(pronoun) => true,
        [.., "right" | "correct" | "true" | "yes" | "no"] => is_asked,
        [.., "or", "not"] => true,
        // "I think neither side wins, a draw?" offers one.
        ["i" | "we", "think" | "guess" | "believe" | "feel" | "suppose", ..] => {
            is_asked && !text.contains([',', ';', '.'])
        }
        _ => false,
    }
}

/// Whether a verb like "can" is said of a method or of things in general, and of no one who could do it.
fn is_of_something(words: &[&str]) -> bool {
    let is_method = words.get(1).is_some_and(|word| {
        matches!(*word, "spsa" | "sprt" | "bayes" | "cmaes" | "tuning" | "training" | "threads")
    });
    let is_more =
        matches!(words, [_, "more" | "fewer" | "less" | "larger" | "bigger" | "longer", ..]);
    is_method || (is_more && words.first() == Some(&"do"))
}

/// Whether words ask rather than wish: "is it", "should I", but not "can you", "shall we", "how about".
fn is_question(words: &[&str]) -> bool {
    match words {
        ["how", "do", "you", "feel", "about", ..] => false,
        ["how" | "what", "about", ..] | ["why", "not", ..] | ["what", "if", ..] => false,
        ["why", "do", "not", "we" | "you", ..] | ["why", "do", "we" | "you", "not", ..] => false,
        ["do", "you", verb, ..] if is_request(verb) => false,
        ["any" | "anything" | "already" | "still", ..] => true,
        // "Can White still castle", "can an SPRT be done at fixed nodes".
        ["can" | "could" | "may" | "will" | "would" | "might", side, ..]
            if matches!(*side, "white" | "black")
                || (matches!(*side, "a" | "an") && words.contains(&"be")) =>
        {
            true
        }
        // "Can SPSA tune 20 parameters", "do more threads make it faster".
        ["can" | "could" | "do", ..] if is_of_something(words) => true,
        ["do" | "did", "i" | "we" | "you" | "they" | "he" | "she" | "it", ..] => true,
        ["shall" | "may", "i", verb, ..] => {
            matches!(*verb, "resign" | "offer" | "accept" | "still" | "castle")
        }
        ["can" | "could", "i", "still" | "castle", ..] => true,
        // "Would Nf3 be a blunder".
        ["would" | "could" | "can" | "might", who, rest @ ..]
            if !matches!(*who, "you" | "i" | "we") && rest.contains(&"be") =>
        {
            true
        }
        ["have", "i" | "we" | "you", ..]
        | ["will" | "would" | "can" | "could", "it" | "he" | "this" | "that" | "she", ..] => true,
        [first, ..] => matches!(
            *first,
            "is" | "are"
                | "am"
                | "was"
                | "were"
                | "does"
                | "did"
                | "has"
                | "should"
                | "must"
                | "what"
                | "why"
                | "how"
                | "when"
                | "which"
                | "who"
                | "whose"
                | "where"
        ),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn questions_and_negations_are_told_from_wishes() {
        let manner = |text: &str| of(text, &words::split(text));
        for text in [
            "offer a draw",
            "would you accept a draw?",
            "can you stop the run",
            "how about a draw",
            "shall we call it a draw?",
            "no, take it back",
            "never mind",
            "I do not know what to play",
            "why don't we play a game",
            "could I have my move back?",
            "I want to resign, can I do it",
            "you take white, ok?",
        ] {
            assert_eq!(manner(text), Manner::Wish, "{text}");
        }
        for text in [
            "is this a draw?",
            "should I resign",
            "what would you play",
            "has the test ended?",
            "will it be a draw",
            "so, am I lost",
            "did I lose?",
            "which move is best",
            "can white still castle?",
            "I think this is lost, is it?",
            "this looks drawn, doesn't it",
            "I am winning, right?",
            "I guess I should resign?",
            "can an sprt be done at fixed nodes",
            "can SPSA tune more than 20 parameters?",
            "do more threads make an sprt faster?",
        ] {
            assert_eq!(manner(text), Manner::Question, "{text}");
        }
        for text in ["what is an SPRT?", "what does resign mean", "how does an sprt work"] {
            assert_eq!(manner(text), Manner::Definition, "{text}");
        }
        for (text, from, to) in [
            ("do not resign", 0, 2),
            ("please don't stop the run", 1, 3),
            ("never offer a draw", 0, 1),
            ("no draw, keep playing", 0, 1),
            ("I will not resign", 0, 3),
            ("I don't want to resign", 0, 5),
            ("let's not start a game", 0, 3),
            ("I'm not resigning", 0, 3),
        ] {
            assert_eq!(manner(text), Manner::Negated { from, to }, "{text}");
        }
    }

    #[test]
    fn signs_of_markup_are_found() {
        for text in ["<script>alert(1)</script>", "$(rm -rf /)", "a | b", "`id`", "{engine}"] {
            assert!(markup(text).is_some(), "{text}");
        }
        for text in ["sprt HEAD~1 main at 8+0.08", "what's up?", "run ./a.epd; thanks", "Nf3+!?"] {
            assert_eq!(markup(text), None, "{text}");
        }
    }
}
