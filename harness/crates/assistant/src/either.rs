//! Readings of a sentence that are about as likely: "did you mean A or B?"
//!
//! It is asked where the likeliest reading would change something: a game, the board or a run. The others are other
//! intents; the sentence with the name of an opening in it, without, or with another one; another engine whose name is
//! as like the one that was typed; and another meaning of a number.

use serde_json::Value;

use super::context::Context;
use super::intent::Intent;
use super::manner::Manner;
use super::names::FoundName;
use super::reading::{Reading, reading};
use super::slots::{Sentence, Slots};
use super::words::Word;
use super::{
    ReadSentence, SURE, Said, Understood, choice, confirm, finish, names, opinion, shown, tags,
};

/// A reading whose value is less than this below that of the best is about as likely. Chosen on one half of the
/// sentences to work with, where 0.3 % of the right ones are asked about without need.
const ABOUT_AS_LIKELY: f32 = 0.25;

/// An engine whose name is less than this less like what was typed is about as likely.
const ALIKE: f32 = 0.06;

/// Readings that are offered beside the likeliest.
const OTHERS: usize = 2;

/// Reads a sentence, and what else it may mean.
pub fn read(
    text: &str,
    split: &[Word],
    words: &[String],
    manner: &Manner,
    context: &Context,
) -> Understood {
    let said = Said { text, split, words, context, has_reasons: false };
    let reading = reading(text, split, words, context);
    let read = super::read(said, &reading, manner);
    let mut found = finish(&read, manner);
    let mut others = Vec::new();
    if *manner == Manner::Wish && found.intent.changes() {
        others.extend(found.others.drain(..).map(|other| (0.0, other)));
        others.extend(of_other_engine(&read, &found));
        others.extend(of_other_intents(&read));
        others.extend(of_other_name(said, &reading, &read));
    }
    found.others.clear();
    opinion::second(&reading, &read, manner, asked(found, others))
}

/// A sentence as a position that is set up, if all of it says so: "lift the rook from a8" is no move where none is legal.
pub fn as_edit(
    text: &str,
    split: &[Word],
    words: &[String],
    context: &Context,
) -> Option<Understood> {
    let reading = reading(text, split, words, context);
    let sentence = Sentence { text, split, words, tagged: reading.tagged, opening: None, context };
    let read = ReadSentence {
        sentence,
        intent: Intent::EditPosition,
        topic: Intent::EditPosition,
        confidence: SURE,
        reason: String::new(),
        rivals: Vec::new(),
        other_wish: None,
    };
    let found = finish(&read, &Manner::Wish);
    (found.slots.contains_key("edits") && found.unread.is_empty()).then_some(found)
}

/// The sentence with the intents that are about as likely, and how much less each is.
fn of_other_intents(read: &ReadSentence<'_>) -> Vec<(f32, Understood)> {
    let as_read = |(intent, less): &(Intent, f32)| {
        let sentence = read.sentence.clone();
        let (intent, rivals, reason) = (*intent, Vec::new(), String::new());
        let confidence = read.confidence;
        let other_wish = read.other_wish.clone();
        let topic = intent;
        let other =
            ReadSentence { sentence, intent, topic, confidence, reason, rivals, other_wish };
        (*less, finish(&other, &Manner::Wish))
    };
    read.rivals.iter().map(as_read).collect()
}

/// The sentence without the name of an opening, with it, or with another one.
fn of_other_name(
    said: Said<'_>,
    reading: &Reading,
    read: &ReadSentence<'_>,
) -> Option<(f32, Understood)> {
    let rival = reading.rival()?;
    let other = super::read(said, rival, &Manner::Wish);
    // "The Slav" is no line of the Slav.
    if is_line_of_another(read.sentence.opening.as_deref(), other.sentence.opening.as_deref()) {
        return None;
    }
    if is_within(read.sentence.opening.as_deref(), other.sentence.opening.as_deref()) {
        return None;
    }
    let value = |score: f32, read: &ReadSentence<'_>| {
        score - choice::left_over(read.intent, &read.sentence)
    };
    let less = value(reading.score(), read) - value(rival.score(), &other);
    Some((less, finish(&other, &Manner::Wish)))
}

/// Whether one name is an opening and the other a line of another opening: "the Scandinavian" is no Scandinavian
/// Formation of the Sicilian.
fn is_line_of_another(one: Option<&str>, other: Option<&str>) -> bool {
    let is_line = |name: &str| name.contains([':', ',']);
    one.zip(other).is_some_and(|(one, other)| !is_line(one) && is_line(other))
}

/// Whether one of two names is a line of the other, or both of one opening.
fn is_within(one: Option<&str>, other: Option<&str>) -> bool {
    let family = |name: &str| name.split([':', ',']).next().unwrap_or_default().to_owned();
    one.is_some() && one.map(family) == other.map(family)
}

/// The sentence with another engine, where a name that was typed is about as like two of them.
fn of_other_engine(read: &ReadSentence<'_>, found: &Understood) -> Option<(f32, Understood)> {
    let sentence = &read.sentence;
    let known = tags::engines(sentence.context);
    let engines = sentence.tagged.iter().filter(|token| token.text == "{engine}");
    let mut pairs = engines.filter_map(|token| {
        let typed = sentence.words[token.from..token.to].join("");
        let chunk = tags::chunk(sentence.text, &sentence.split[token.from]);
        let is_exact = |name: &&str| {
            name.eq_ignore_ascii_case(chunk) || name.replace('-', "").eq_ignore_ascii_case(&typed)
        };
        let is_known =
            known.iter().any(is_exact) || tags::is_other_engine(&typed, sentence.context);
        if is_known { None } else { two_likest(&typed, &known) }
    });
    let (engine, other) = pairs.next()?;
    let mut slots = found.slots.clone();
    let replace = |value: &mut Value| {
        if value.as_str() == Some(&engine) {
            *value = other.clone().into();
        }
    };
    for value in slots.values_mut() {
        match value {
            Value::Array(values) => values.iter_mut().for_each(replace),
            value => replace(value),
        }
    }
    Some((0.0, with_slots(found, slots)))
}

/// The two engines whose names are most like a text, if they are about as like it.
fn two_likest(typed: &str, known: &[&str]) -> Option<(String, String)> {
    let mut names: Vec<FoundName> = names::likenesses(typed, known.iter().copied());
    let likest = names::among(typed, known.iter().copied())?;
    names.retain(|found| !found.name.eq_ignore_ascii_case(&likest.name));
    let next = names.into_iter().max_by(|a, b| a.similarity.total_cmp(&b.similarity))?;
    (likest.similarity - next.similarity < ALIKE).then_some((likest.name, next.name))
}

/// An understood sentence with other slots.
pub fn with_slots(found: &Understood, slots: Slots) -> Understood {
    let shown = shown::shown(found.intent, &slots);
    Understood { slots, shown, others: Vec::new(), ..found.clone() }
}

/// A sentence with the other readings that are about as likely, if there are any.
fn asked(mut found: Understood, mut others: Vec<(f32, Understood)>) -> Understood {
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (less, other) in others {
        let is_other =
            |known: &Understood| known.intent != other.intent || known.slots != other.slots;
        let is_new = is_other(&found) && found.others.iter().all(is_other);
        let is_as_full =
            other.intent != Intent::Unknown && other.unread.len() <= found.unread.len();
        if less < ABOUT_AS_LIKELY && is_as_full && is_new && found.others.len() < OTHERS {
            found.others.push(other);
        }
    }
    if !found.others.is_empty() {
        let mut others = std::mem::take(&mut found.others);
        others.iter_mut().for_each(offer);
        offer(&mut found);
        found.others = others;
    }
    found
}

/// Words for the button of a reading. Whoever has chosen it has no doubt that it was meant.
fn offer(read: &mut Understood) {
    read.choice = shown::choice(read.intent, &read.slots);
    read.others.clear();
    if read.unread.is_empty() {
        read.confirm = confirm(read.intent, &Manner::Wish, 1.0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::super::understand;
    use super::*;

    fn choices(text: &str) -> Vec<String> {
        let context = Context {
            engines: vec!["berserk12".to_owned(), "berserk13".to_owned()],
            ..Context::default()
        };
        let found = understand(text, &context);
        let others = found.others.iter().map(|other| other.choice.clone());
        std::iter::once(found.choice.clone())
            .chain(others)
            .filter(|text| !text.is_empty())
            .collect()
    }

    #[test]
    fn what_is_about_as_likely_is_asked_in_plain_words() {
        for (text, expected) in [
            (
                "round robin of stockfish, ethereal and toga2, 10 rounds",
                [
                    "Let stockfish play ethereal, toga2 (--format round-robin --games 20)",
                    "Let stockfish play ethereal, toga2 (--format round-robin --games 10)",
                ],
            ),
            (
                "swiss of stockfish, ethereal, weiss and toga2, 6",
                [
                    "Let stockfish play ethereal, weiss, toga2 (--format swiss --games 6)",
                    "Let stockfish play ethereal, weiss, toga2 (--format swiss --swiss-rounds 6)",
                ],
            ),
            (
                "match berserk against toga2",
                ["Let berserk13 play toga2", "Let berserk12 play toga2"],
            ),
        ] {
            assert_eq!(choices(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_clear_or_only_shown_is_not_asked() {
        for text in [
            "sprt head against main",
            "round robin of stockfish, ethereal and toga2, 10 games",
            "swiss of stockfish, ethereal, weiss and toga2, 6 rounds",
            "match berserk12 against toga2",
            "play the caro kann",
            "resign",
            "who is better?",
            "open the runs",
        ] {
            assert_eq!(choices(text), [""; 0], "{text}");
        }
    }
}
