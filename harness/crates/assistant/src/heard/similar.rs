//! Words that only sound like the one that is meant: "read the moves allowed", "ether real", "run the sweet". Where a sentence
//! has words that are not read, it is read once more with words that sound alike, and kept where more of it is read.

use rapidfuzz::distance::osa;

use crate::context::Context;
use crate::intent::Intent;
use crate::tags::{ENGINES, REVISIONS, SUITES};
use crate::words::{self, Word};
use crate::{
    Confirm, LIKELY, Understood, coverage, kinds, nearest, sound, spelling, understand_part,
};

/// Words of the examples that a word may be taken for, at most.
const MEANT: usize = 2;

/// Readings of a sentence, at most.
const READINGS: usize = 6;

/// Words that are replaced, one after the other.
const REPLACED: usize = 2;

/// Letters of the shortest word that is taken for another by its sound.
const SHORTEST: usize = 4;

/// Sounds of the shortest code that says enough.
const SOUNDS: usize = 3;

/// A sentence that has an answer of its own has to be so like an example with another word.
const EXACT: f32 = 0.95;

/// Words that sound like common ones, and have another code or are short.
const HOMOPHONES: [(&str, &str); 13] = [
    ("mane", "main"),
    ("maine", "main"),
    ("hear", "here"),
    ("bored", "board"),
    ("allowed", "aloud"),
    ("peace", "piece"),
    ("dept", "depth"),
    ("epics", "epochs"),
    ("gone let", "gauntlet"),
    ("gaunt let", "gauntlet"),
    ("spar", "sprt"),
    ("sweet", "suite"),
    ("night off", "najdorf"),
];

/// Words of the longest sentence that is read again: each reading takes the time of one.
const MOST_WORDS: usize = 40;

/// The same sentence with words that sound alike, where more of it is read then.
pub fn better(text: &str, context: &Context, found: Understood) -> Understood {
    let mut best = (text.to_owned(), found);
    for _ in 0..REPLACED {
        let Some(next) = once(&best.0, context, &best.1) else { break };
        best = next;
    }
    best.1
}

fn once(text: &str, context: &Context, found: &Understood) -> Option<(String, Understood)> {
    let is_open = found.intent == Intent::Unknown || !found.unread.is_empty();
    let is_move = found.intent == Intent::Move;
    if !is_open || is_move || text.contains(['"', '<', '{']) {
        return None;
    }
    let split = words::split(text);
    if split.len() > MOST_WORDS {
        return None;
    }
    let candidates = (0..split.len()).flat_map(|at| candidates(text, &split, at, found, context));
    let candidates: Vec<(usize, usize, String)> = candidates.take(READINGS).collect();
    let readings = candidates.into_iter().map(|(from, to, meant)| {
        let text = format!("{}{meant}{}", &text[..from], &text[to..]);
        let other = understand_part(&text, context, true);
        (text, other)
    });
    readings.into_iter().find(|(_, other)| is_better(other, found))
}

/// Whether more is read of a sentence.
fn is_better(other: &Understood, found: &Understood) -> bool {
    if matches!(other.intent, Intent::Unknown | Intent::Move) || !other.others.is_empty() {
        return false;
    }
    // A reason not to do it is an answer.
    let is_answered = found.intent == Intent::Unknown && !found.shown.starts_with("not understood");
    match found.intent {
        Intent::Unknown if is_answered => other.confidence > EXACT && other.unread.is_empty(),
        Intent::Unknown => {
            other.confidence >= LIKELY
                && (other.unread.is_empty() || other.unread.len() < found.unread.len())
        }
        intent => {
            other.unread.len() < found.unread.len()
                && (other.intent == intent
                    || (found.confirm == Confirm::Always && other.confidence >= LIKELY))
        }
    }
}

/// Words that may be meant by the words at a place, with the bytes that they replace.
fn candidates(
    text: &str,
    split: &[Word],
    at: usize,
    found: &Understood,
    context: &Context,
) -> Vec<(usize, usize, String)> {
    let word = &split[at];
    let typed = &text[word.chunk.0..word.chunk.1];
    let is_whole = typed.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_unread = |word: &Word| {
        let typed = &text[word.chunk.0..word.chunk.1];
        found.unread.is_empty() || found.unread.iter().any(|part| part.contains(typed))
    };
    let next = split.get(at + 1).filter(|next| next.chunk != word.chunk);
    let is_one = is_whole && is_unread(word);
    let mut meant = Vec::new();
    // "Ether real".
    if let Some(next) = next.filter(|next| is_whole && (is_one || is_unread(next))) {
        let both = format!("{} {}", word.text, next.text);
        let known = HOMOPHONES.iter().find(|(said, _)| *said == both).map(|(_, known)| *known);
        let name = || name_of(&format!("{}{}", word.text, next.text), context);
        let known = known.map(str::to_owned).or_else(name);
        meant.extend(known.map(|known| (word.chunk.0, next.chunk.1, known)));
    }
    if is_one {
        let of_one = alike(&word.text, context).into_iter();
        meant.extend(of_one.map(|known| (word.chunk.0, word.chunk.1, known)));
    }
    meant
}

/// The engine, suite or kind of run that letters sound like.
fn name_of(letters: &str, context: &Context) -> Option<String> {
    let own = context.engines.iter().map(String::as_str);
    let names = ENGINES.iter().copied().chain(SUITES).chain(own);
    let kinds = ["gauntlet", "tournament", "ethereal", "bratko", "kaufman"];
    let code = sound::code(letters)?;
    let is_alike = |name: &&str| {
        let plain = name.to_lowercase();
        let plain = plain.trim_end_matches(|sign: char| sign.is_ascii_digit());
        plain.len() > 4
            && plain.as_bytes().first() == letters.as_bytes().first()
            && plain.len().abs_diff(letters.len()) < 3
            && (sound::code(plain).is_some_and(|known| known == code)
                || osa::distance(plain.bytes(), letters.bytes()) < 2)
    };
    names.chain(kinds).find(is_alike).map(str::to_owned)
}

/// Words that sound like a word, the commonest first.
fn alike(word: &str, context: &Context) -> Vec<String> {
    let known = HOMOPHONES.iter().filter(|(said, _)| *said == word);
    let mut found: Vec<String> = known.map(|(_, known)| (*known).to_owned()).collect();
    let is_name = |word: &str| {
        REVISIONS.contains(&word)
            || ENGINES.contains(&word)
            || context.engines.iter().any(|name| name == word)
    };
    // A number, a unit or a word that narrows a sentence is no other one.
    let is_ordinary = coverage::is_empty(word)
        || is_name(word)
        || kinds::is_of_run(word)
        || nearest::is_known(word)
        || coverage::stems(word).any(spelling::is_right);
    if is_ordinary || word.len() < SHORTEST || !found.is_empty() {
        return found;
    }
    let Some(code) = sound::code(word).filter(|code| code.len() >= SOUNDS) else { return found };
    let is_alike = |known: &str| {
        known != word
            && known.len() >= SHORTEST
            && known.len().abs_diff(word.len()) < 3
            && known.as_bytes().first() == word.as_bytes().first()
            && !is_name(known)
            && osa::distance(known.bytes(), word.bytes()) < known.len() - 1
            && sound::code(known).is_some_and(|known| known == code)
    };
    let mut words: Vec<(&str, u32)> =
        nearest::words().filter(|(known, count)| *count > 1 && is_alike(known)).collect();
    words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    found.extend(words.into_iter().take(MEANT).map(|(known, _)| known.to_owned()));
    found
}

#[cfg(test)]
mod tests {
    use super::super::super::{Context, Intent, understand};

    #[test]
    fn a_word_that_sounds_like_one_that_is_meant_is_that_one() {
        for (text, intent) in [
            ("read the moves allowed", Intent::SpeechOn),
            ("match ether real against weiss, 100 games", Intent::Match),
            ("run the sweet wac with weiss", Intent::Suite),
            ("gate my last commit against mane", Intent::Gate),
            ("stop the gone let please", Intent::StopRun),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, intent, "{text}: {found:?}");
            assert!(found.unread.is_empty(), "{text}: {found:?}");
        }
        for text in ["whether or weather", "sprt dave against main", "buy a sale boat"] {
            let found = understand(text, &Context::default());
            let is_named = found.intent == Intent::Unknown || !found.unread.is_empty();
            assert!(is_named, "{text}: {found:?}");
        }
    }
}
