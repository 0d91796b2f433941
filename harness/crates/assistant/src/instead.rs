//! "Do not resign, just offer a draw": what is to be done instead of what is not to be done. It is read as if it were
//! said alone; what is not to be done is not, and a refused detail ("don't use a book") is named.

use std::ops::Range;

use super::intent::Intent;
use super::manner::{self, Manner};
use super::reading::reading;
use super::words::Word;
use super::{
    COMPLETE, Confirm, LIKELY, MIN_CONFIDENCE, Said, Understood, coverage, finish, kinds,
    understand_part,
};

/// Words that say that what follows is wished instead.
const INSTEAD: [&str; 7] = ["but", "just", "rather", "sooner", "instead", "simply", "only"];

/// Words at the beginning of the other wish in which one of those may stand.
const BEGINNING: usize = 5;

/// Words that begin a reason, and no wish.
const REASONS: [&str; 19] = [
    "let", "keep", "leave", "i", "we", "it", "he", "she", "this", "that", "there", "because",
    "since", "as", "the", "my", "you", "so", "not",
];

/// A wish without a word like "just" has to be so like an example.
const CLEAR: f32 = 0.75;

/// What is to be done instead; `None` where nothing else is said.
pub fn read(said: Said<'_>, (from, to): (usize, usize)) -> Option<Understood> {
    let Said { text, split, words, context, .. } = said;
    let boundary = behind_reason(said, boundary(said, to)?);
    let marker = (boundary..(split.len() - 1).min(boundary + BEGINNING))
        .find(|at| INSTEAD.contains(&words[*at].as_str()));
    let is_marked = marker.is_some() || words.last().is_some_and(|word| word == "instead");
    let begin = marker.map_or(boundary, |at| at + 1);
    let begin = (begin..split.len()).find(|at| !INSTEAD.contains(&words[*at].as_str()))?;
    // "I only asked what happens".
    let is_reason = REASONS.contains(&words[boundary].as_str())
        && marker.is_some_and(|at| is_past(words.get(at + 1).map_or("", String::as_str)));
    if is_reason || (!is_marked && REASONS.contains(&words[begin].as_str())) {
        return None;
    }
    let end = match words.last().map(String::as_str) {
        Some("instead") => split[split.len() - 1].chunk.0,
        _ => text.len(),
    };
    let other = with_run_for_pronoun(said, to..boundary, text.get(split[begin].chunk.0..end)?);
    let other = other.as_str();
    let rest = super::words::split(other);
    if matches!(manner::of(other, &rest), Manner::Negated { .. }) {
        return None;
    }
    let mut found = understand_part(other, context, said.has_reasons);
    // "Just continue" goes on with the game.
    let is_of_board = found.intent == Intent::ResumeRun
        && !rest.iter().any(|word| kinds::is_of_run(&word.text) || word.text == "run");
    if is_of_board {
        return None;
    }
    // "Not an SPRT, a gauntlet of ...": what it is not.
    let is_run =
        words[from] == "no" && words[to..].first().is_some_and(|word| kinds::is_of_run(word));
    let is_noun = is_run
        || words[from] == "not"
            && to == from + 1
            && matches!(words[to].as_str(), "a" | "an" | "the")
            && boundary < to + 4;
    // "I do not want a draw but a win" asks nothing.
    let is_short = found.intent.answers() && rest.len() < 3;
    let least = match (is_marked, is_noun) {
        (true, _) if is_short => COMPLETE,
        (true, _) => 0.0,
        (false, true) => MIN_CONFIDENCE,
        (false, false) => CLEAR,
    };
    if found.intent == Intent::Unknown || found.confidence < least {
        return None;
    }
    // A refused detail of what is wished is named.
    let refused = &split[to..boundary];
    // "No takebacks, a new game at level 3" is one of the game.
    let is_of_game =
        words[from] == "no" && (found.intent.is_run() || found.intent == Intent::NewGame);
    let has_refused = is_of_game || is_detail(said, refused);
    let is_other_kind = is_run && found.intent.is_run();
    if has_refused && !is_other_kind {
        found.unread.insert(0, text[split[from].chunk.0..split[boundary - 1].chunk.1].to_owned());
    }
    // An answer, or a legal move, is what was said.
    let is_shown = found.intent.only_shows()
        || found.intent.answers()
        || (found.intent == Intent::Move && found.slots.contains_key("uci"));
    if is_noun && found.intent.is_run() {
        return Some(found);
    }
    let is_clear = is_marked || (is_shown && found.unread.is_empty());
    if has_refused || found.confidence < LIKELY || !is_clear {
        found.confirm = Confirm::Always;
    }
    Some(found)
}

/// Whether a word says what was: "asked", "wanted".
fn is_past(word: &str) -> bool {
    word.ends_with("ed")
        || matches!(word, "thinking" | "looking" | "asking" | "wondering" | "joking" | "trying")
        || matches!(word, "was" | "were" | "had" | "did" | "meant" | "said" | "thought")
}

/// "Do not delete run 19, only give it the name Reserve": the run that a pronoun stands for is put in its place.
fn with_run_for_pronoun(said: Said<'_>, refused: Range<usize>, other: &str) -> String {
    let Said { text, split, words, .. } = said;
    let is_noun = |at: &usize| kinds::is_of_run(&words[*at]);
    let run = refused.clone().find(is_noun).and_then(|noun| {
        let is_article = |at: usize| matches!(words[at].as_str(), "the" | "last" | "my" | "this");
        let from = (refused.start..noun).rev().take_while(|at| is_article(*at)).last();
        let is_number = |at: usize| words.get(at).is_some_and(|word| word.parse::<u32>().is_ok());
        let last = noun + usize::from(is_number(noun + 1));
        text.get(split[from.unwrap_or(noun)].chunk.0..split[last].chunk.1)
    });
    let rest = super::words::split(other);
    let is_pronoun = |word: &&Word| other.get(word.chunk.0..word.chunk.1) == Some("it");
    let names_run = rest.iter().any(|word| kinds::is_of_run(&word.text));
    match (run, rest.iter().find(is_pronoun)) {
        (Some(run), Some(pronoun)) if !names_run => {
            format!("{}{run}{}", &other[..pronoun.chunk.0], &other[pronoun.chunk.1..])
        }
        _ => other.to_owned(),
    }
}

/// Where the other wish begins: behind a sign, or with "but", "just" or "rather", which may stand without one.
fn boundary(said: Said<'_>, to: usize) -> Option<usize> {
    let Said { text, split, words, .. } = said;
    (to + 1..split.len()).find(|at| {
        let between = crate::words::between(text, split, *at);
        between.contains([',', ';', '.', ':'])
            || matches!(words[*at].as_str(), "but" | "rather")
            || (words[*at] == "just"
                && !words
                    .get(at + 1)
                    .is_some_and(|next| matches!(&**next, "yet" | "now" | "because")))
    })
}

/// "No SPRT please, they take for ever; a plain match": the other wish begins behind what only says why.
fn behind_reason(said: Said<'_>, boundary: usize) -> usize {
    let Said { text, split, words, .. } = said;
    let has_sign = |at: &usize| {
        let between = crate::words::between(text, split, *at);
        between.contains([';', '.', ':'])
    };
    let is_reason = matches!(words[boundary].as_str(), "they" | "it" | "that" | "those" | "this");
    let end = (boundary + 2..split.len()).find(has_sign);
    end.filter(|_| is_reason).unwrap_or(boundary)
}

/// Whether what is refused is no wish of its own, and so a detail of the other one.
fn is_detail(said: Said<'_>, refused: &[Word]) -> bool {
    let words: Vec<String> = refused.iter().map(|word| word.text.clone()).collect();
    let part = Said { split: refused, words: &words, ..said };
    let wish = super::read(part, &reading(said.text, refused, &words, said.context), &Manner::Wish);
    // "But not on Friday" is no wish.
    let is_time = words.iter().any(|word| coverage::TIMES.contains(&word.as_str()));
    is_time || wish.intent == Intent::Unknown
}

/// Words that switch off: "do not" before them leaves it on.
const OFF: [&str; 12] = [
    "off", "stop", "end", "quit", "mute", "silent", "quiet", "silence", "disable", "close", "halt",
    "pause",
];

/// A negated wish: "do not read the moves" switches that off, and anything else is left as it is.
pub fn negated(said: Said<'_>, (from, to): (usize, usize)) -> Understood {
    let Said { text, split, words, context, .. } = said;
    // What follows as a reason is not refused, and not wished.
    let is_reason = |at: &usize| REASONS.contains(&words[*at].as_str());
    let end = boundary(said, to).filter(is_reason).unwrap_or(split.len());
    let outside = |at: usize| at < from || (to..end).contains(&at);
    let rest: Vec<Word> = split
        .iter()
        .enumerate()
        .filter(|(at, _)| outside(*at))
        .map(|(_, word)| word.clone())
        .collect();
    let rest_words: Vec<String> = rest.iter().map(|word| word.text.clone()).collect();
    let said = Said { split: &rest, words: &rest_words, ..said };
    let mut wish = super::read(said, &reading(text, &rest, &rest_words, context), &Manner::Wish);
    wish.topic = wish.intent;
    wish.intent = match wish.intent {
        Intent::EngineOn => Intent::EngineOff,
        Intent::SpeechOn => Intent::SpeechOff,
        // "Do not analyse any longer", but "do not stop the analysis".
        off @ (Intent::EngineOff | Intent::SpeechOff)
            if !rest_words.iter().any(|word| OFF.contains(&word.as_str())) =>
        {
            off
        }
        _ => {
            let not = words[from..to].join(" ");
            return Understood::unknown(format!("“{not}”: nothing is done"), Vec::new());
        }
    };
    finish(&wish, &Manner::Wish)
}

#[cfg(test)]
mod tests {
    use super::super::{Context, understand};
    use super::*;

    #[test]
    fn what_is_wished_instead_is_read_as_if_it_were_said_alone() {
        let legal = [("e2e4", "e4"), ("d2d4", "d4")];
        let legal = legal.map(|(uci, san)| (uci.to_owned(), san.to_owned())).to_vec();
        let context = Context { legal, ..Context::default() };
        for (text, alone) in [
            ("don't play e4, I'd rather have d4", "d4"),
            ("don't resign, just offer a draw", "offer a draw"),
            ("do not turn the board but take my move back", "take my move back"),
            ("please don't delete anything, rather show me the runs", "show me the runs"),
            ("do not start a new game, turn the board instead", "turn the board"),
            ("don't stop run 7, pause run 8", "pause run 8"),
            ("don't start anything just open the compare page", "open the compare page"),
        ] {
            let (found, expected) = (understand(text, &context), understand(alone, &context));
            assert_eq!(
                (found.intent, &found.slots),
                (expected.intent, &expected.slots),
                "{text}: {found:?}"
            );
            assert!(found.unread.is_empty(), "{text}: {found:?}");
        }
        for (text, alone) in [
            (
                "don't delete run 19, only give it the name \"Reserve\"",
                "give run 19 the name \"Reserve\"",
            ),
            ("do not stop the last match, just show it", "show the last match"),
            (
                "not an sprt, a gauntlet: main vs weiss, toga2; 20k nodes",
                "a gauntlet: main vs weiss, toga2; 20k nodes",
            ),
        ] {
            let (found, expected) = (understand(text, &context), understand(alone, &context));
            let slots = (found.intent, &found.slots);
            assert_eq!(slots, (expected.intent, &expected.slots), "{text}: {found:?}");
        }
        let text = "don't use a book, just play weiss against toga2, 30 games";
        let found = understand(text, &context);
        assert_eq!((found.intent, found.confirm), (Intent::Match, Confirm::Always), "{found:?}");
        assert!(found.unread.iter().any(|part| part.contains("book")), "{found:?}");
        for text in [
            "don't resign, I can still win",
            "do not stop run 7, run 8 or run 9",
            "don't flip the board, and don't take anything back",
            "no draw, keep playing",
        ] {
            let found = understand(text, &context);
            assert!(
                found.intent == Intent::Unknown
                    || found.confirm == Confirm::Always
                    || found.intent.answers(),
                "{text}: {found:?}"
            );
        }
    }
}
