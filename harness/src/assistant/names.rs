//! Openings and engines by names that are misspelt, or spelt as they sound.

use std::sync::OnceLock;

use rapidfuzz::distance::osa;

use super::{sound, words};
use crate::data::eco;

/// Words that many names of openings share; they tell little about which one is meant.
pub const GENERIC: [&str; 15] = [
    "attack",
    "countergambit",
    "counterattack",
    "defence",
    "defense",
    "gambit",
    "game",
    "line",
    "main",
    "opening",
    "system",
    "variation",
    "accepted",
    "declined",
    "formation",
];

/// A name that is found for a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// As the list has it.
    pub name: String,
    /// 1 for the same text.
    pub similarity: f32,
}

/// A way to say a name.
struct Alias {
    name: &'static str,
    letters: String,
    code: String,
    /// Taken off for a short form, which may mean other names too.
    penalty: f32,
}

/// A text without spaces and signs, as names are compared.
fn letters(text: &str) -> String {
    words::texts(text).concat().replace("defence", "defense")
}

/// Code of all words together.
fn code(text: &str) -> String {
    let letters: String = letters(text).chars().filter(char::is_ascii_lowercase).collect();
    let chunks = letters.as_bytes().chunks(10);
    chunks.filter_map(|chunk| sound::code(std::str::from_utf8(chunk).ok()?)).collect()
}

fn alias(name: &'static str, text: &str, penalty: f32) -> Alias {
    Alias { name, letters: letters(text), code: spoken(text), penalty }
}

/// How a name sounds: the codes of its words.
fn spoken(text: &str) -> String {
    let words = words::texts(text);
    words.iter().filter_map(|word| sound::code(word)).collect()
}

/// How many lines of the list have this name, or one that goes on from it.
fn names_with(all: &[&str], name: &str) -> usize {
    let goes_on = |other: &&&str| {
        other.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ',']))
    };
    all.iter().filter(goes_on).count()
}

fn without_generic(text: &str) -> String {
    let words = words::texts(text);
    let telling = words.into_iter().filter(|word| !GENERIC.contains(&word.as_str()));
    telling.collect::<Vec<_>>().join(" ")
}

fn openings() -> &'static [Alias] {
    static ALIASES: OnceLock<Vec<Alias>> = OnceLock::new();
    ALIASES.get_or_init(|| {
        let mut names: Vec<&'static str> =
            eco::openings().names().iter().map(|opening| opening.name).collect();
        let counted = names.clone();
        names.sort_unstable();
        names.dedup();
        let mut aliases = Vec::new();
        for name in names {
            // Of names that are alike the one with more lines is meant: the King's Indian Defense.
            let lines = names_with(&counted, name);
            aliases.push(alias(name, name, 0.0));
            // Short names come before long ones of the same likeness.
            let long = 0.0005 * name.len() as f32 - 0.004 * (lines as f32).ln();
            let short = without_generic(name);
            if short != name && !short.is_empty() {
                aliases.push(alias(name, &short, 0.02 + long));
            }
            let Some((family, rest)) = name.split_once(": ") else { continue };
            let last = rest.rsplit(", ").next().unwrap_or(rest);
            aliases.push(alias(name, last, 0.03 + long));
            let short = without_generic(last);
            if short.len() > 3 {
                aliases.push(alias(name, &short, 0.05 + long));
                aliases.push(alias(
                    name,
                    &format!("{} {short}", without_generic(family)),
                    0.02 + long,
                ));
                aliases.push(alias(
                    name,
                    &format!("{short} {}", without_generic(family)),
                    0.03 + long,
                ));
            }
        }
        aliases
    })
}

/// The openings whose names are most like a text, the most alike first, at most `count`.
pub fn opening(text: &str, count: usize) -> Vec<Found> {
    let wanted = letters(text);
    let short = letters(&without_generic(text));
    if wanted.is_empty() {
        return Vec::new();
    }
    let sounds = spoken(text);
    let by_letters = osa::BatchComparator::new(wanted.bytes());
    let by_short = osa::BatchComparator::new(short.bytes());
    let by_sound = osa::BatchComparator::new(sounds.bytes());
    let mut found: Vec<(f32, &'static str)> = Vec::new();
    for alias in openings() {
        let likeness = |distance: usize, one: usize, other: usize| {
            1.0 - distance as f32 / one.max(other).max(1) as f32
        };
        let spelled =
            likeness(by_letters.distance(alias.letters.bytes()), wanted.len(), alias.letters.len());
        let mut similarity = spelled;
        if !short.is_empty() && short != wanted {
            let own = likeness(
                by_short.distance(alias.letters.bytes()),
                short.len(),
                alias.letters.len(),
            );
            similarity = similarity.max(own - 0.02);
        }
        // What sounds alike but is spelt otherwise.
        if similarity > 0.35 && sounds.len() > 2 {
            let heard =
                likeness(by_sound.distance(alias.code.bytes()), sounds.len(), alias.code.len());
            similarity = similarity.max(0.45 * similarity + 0.55 * heard - 0.02);
        }
        similarity -= alias.penalty;
        if similarity > 0.4 {
            found.push((similarity, alias.name));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.len().cmp(&b.1.len())).then(a.1.cmp(b.1)));
    let mut seen = Vec::new();
    for (similarity, name) in found {
        if !seen.iter().any(|found: &Found| found.name == name) {
            seen.push(Found { name: name.to_owned(), similarity });
        }
        if seen.len() == count {
            break;
        }
    }
    seen
}

/// The name of a list that is most like a text.
pub fn among<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<Found> {
    let wanted = letters(text);
    let (wanted_code, length) = (code(text), wanted.len());
    let by_letters = osa::BatchComparator::new(wanted.bytes());
    let scored = names.into_iter().map(|name| {
        let own = letters(name);
        let distance = by_letters.distance(own.bytes());
        let spelled = 1.0 - distance as f32 / length.max(own.len()).max(1) as f32;
        let heard = !wanted_code.is_empty() && wanted_code == code(name);
        (if heard { spelled.max(0.85) } else { spelled }, name)
    });
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Found { name: best.1.to_owned(), similarity: best.0 })
}

/// A word of a name of an opening that names are told apart by.
pub fn is_of_opening(word: &str) -> bool {
    static WORDS: OnceLock<super::similar::Lexicon> = OnceLock::new();
    let known = WORDS.get_or_init(|| {
        let mut lexicon = super::similar::Lexicon::default();
        for opening in eco::openings().names() {
            // `nimzoindian`, too.
            let joined = opening.name.split(' ').filter(|word| word.contains('-'));
            let joined = joined.map(|word| words::texts(word).concat());
            for word in words::texts(opening.name).into_iter().chain(joined) {
                let plain = word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
                if plain && !GENERIC.contains(&word.as_str()) {
                    lexicon.add(&word);
                }
            }
        }
        lexicon
    });
    known.id(word).is_some() || (word.len() > 4 && !known.near(word, 0.8, 1).is_empty())
}
