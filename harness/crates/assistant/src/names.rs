//! Openings and engines by names that are misspelt, or spelt as they sound.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use rapidfuzz::distance::osa;

use super::fitting::Line;
use super::grams::Grams;
use super::words::letters;
use super::{sound, words};
use harness_games::eco;

/// Words that many names of openings share; they tell little about which one is meant.
const GENERIC: [&str; 14] = [
    "attack",
    "countergambit",
    "counterattack",
    "defence",
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

/// Ways to say a name that are compared with a text.
const CANDIDATES: usize = 60;

/// Of these, ways that are laid where they fit best in a sentence.
const ALIGNED: usize = 30;

/// Likeness from which a text is a way to say a name, but for its short forms.
const EXACT: f32 = 0.9;
/// Likeness from which a word may be a misspelt part of a name.
const LIKE_A_PART: f32 = 0.55;

/// A name that is found for a text.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundName {
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
    /// Whether the name is that of a gambit.
    is_gambit: bool,
}

fn alias(name: &'static str, text: &str, penalty: f32) -> Alias {
    let is_gambit = name.to_lowercase().contains("gambit");
    Alias { name, letters: letters(text), code: spoken(text), penalty, is_gambit }
}

/// How a name sounds: the codes of its words.
fn spoken(text: &str) -> String {
    let words = words::texts(text);
    words.iter().filter_map(|word| sound::code(word)).collect()
}

/// How many lines of the list have this name, or one that continues it.
fn names_with(all: &[&str], name: &str) -> usize {
    let continues = |other: &&&str| {
        other.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ',']))
    };
    all.iter().filter(continues).count()
}

fn without_generic(text: &str) -> String {
    let words = words::texts(text);
    let telling = words.into_iter().filter(|word| !GENERIC.contains(&word.as_str()));
    telling.collect::<Vec<_>>().join(" ")
}

/// The ways to say the names of openings, found by the pairs and triples of letters that they share
/// with a text.
struct Index {
    aliases: Vec<Alias>,
    by_gram: Grams,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let aliases = aliases();
        let by_gram = Grams::new(aliases.iter().map(|alias| (&*alias.letters, &*alias.code)));
        Index { aliases, by_gram }
    })
}

/// Names that the list does not have.
const ALSO_SAID: [(&str, &str); 9] = [
    ("petroff", "Petrov's Defense"),
    ("petroff defence", "Petrov's Defense"),
    ("russian defence", "Petrov's Defense"),
    ("spanish", "Ruy Lopez"),
    ("spanish opening", "Ruy Lopez"),
    ("caro", "Caro-Kann Defense"),
    ("nimzo", "Nimzo-Indian Defense"),
    ("qgd", "Queen's Gambit Declined"),
    ("qga", "Queen's Gambit Accepted"),
];

fn aliases() -> Vec<Alias> {
    let mut names: Vec<&'static str> =
        eco::openings().names().iter().map(|opening| opening.name).collect();
    let counted = names.clone();
    names.sort_unstable();
    names.dedup();
    let mut aliases: Vec<Alias> =
        ALSO_SAID.iter().map(|(said, name)| alias(name, said, 0.0)).collect();
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
        let short = without_generic(last);
        // "The main line" names none.
        if !short.is_empty() {
            // The Scotch Gambit is a line of the Scotch Game before it is one of another opening.
            let is_own = words::texts(family).iter().any(|word| short.contains(word.as_str()));
            aliases.push(alias(name, last, if is_own { 0.01 } else { 0.03 } + long));
        }
        if short.len() > 3 {
            let family = without_generic(family);
            aliases.push(alias(name, &short, 0.05 + long));
            aliases.push(alias(name, &format!("{family} {short}"), 0.02 + long));
            aliases.push(alias(name, &format!("{short} {family}"), 0.03 + long));
        }
    }
    aliases
}

/// A text that is compared with names.
struct Wanted {
    letters: String,
    /// Whether a gambit is said: the Scotch Game is none.
    is_gambit: bool,
    /// Its letters without the words that many names share.
    short: String,
    code: String,
    by_letters: osa::BatchComparator<u8>,
    by_short: osa::BatchComparator<u8>,
    by_code: osa::BatchComparator<u8>,
}

impl Wanted {
    fn new(text: &str) -> Wanted {
        let (letters, short) = (letters(text), letters(&without_generic(text)));
        let code = spoken(text);
        Wanted {
            is_gambit: words::texts(text).iter().any(|word| word.ends_with("gambit")),
            by_letters: osa::BatchComparator::new(letters.bytes()),
            by_short: osa::BatchComparator::new(short.bytes()),
            by_code: osa::BatchComparator::new(code.bytes()),
            letters,
            short,
            code,
        }
    }

    /// How like it an alias is, 1 for the same.
    fn similarity(&self, alias: &Alias) -> f32 {
        let likeness = |distance: usize, one: &str, other: &str| {
            1.0 - distance as f32 / one.len().max(other.len()).max(1) as f32
        };
        let distance = self.by_letters.distance(alias.letters.bytes());
        let mut similarity = likeness(distance, &self.letters, &alias.letters);
        if !self.short.is_empty() && self.short != self.letters {
            let distance = self.by_short.distance(alias.letters.bytes());
            let less = if self.is_gambit && !alias.is_gambit { 0.08 } else { 0.02 };
            similarity = similarity.max(likeness(distance, &self.short, &alias.letters) - less);
        }
        // What sounds alike but is spelt otherwise.
        if similarity > 0.35 && self.code.len() > 2 {
            let distance = self.by_code.distance(alias.code.bytes());
            let heard = likeness(distance, &self.code, &alias.code);
            similarity = similarity.max(0.45 * similarity + 0.55 * heard - 0.02);
        }
        similarity - alias.penalty
    }
}

/// The openings whose names are most like a text, the most alike first, at most `count`.
pub fn opening(text: &str, count: usize) -> Vec<FoundName> {
    let wanted = Wanted::new(text);
    if wanted.letters.is_empty() {
        return Vec::new();
    }
    let index = index();
    let candidates = index.by_gram.nearest(&wanted.letters, &wanted.code, CANDIDATES);
    let mut found: Vec<(f32, &'static str)> = candidates
        .into_iter()
        .map(|at| &index.aliases[at as usize])
        .map(|alias| (wanted.similarity(alias), alias.name))
        .filter(|(similarity, _)| *similarity > 0.4)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.len().cmp(&b.1.len())).then(a.1.cmp(b.1)));
    let mut seen = Vec::new();
    for (similarity, name) in found {
        if !seen.iter().any(|found: &FoundName| found.name == name) {
            seen.push(FoundName { name: name.to_owned(), similarity });
        }
        if seen.len() == count {
            break;
        }
    }
    seen
}

/// Words of a sentence that may be the name of an opening.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The first of the words.
    pub from: usize,
    /// The word behind the last.
    pub to: usize,
    /// The name that they are most like.
    pub found: FoundName,
}

/// The places of a sentence where an opening may be named, those most like a name first.
///
/// Each name that shares letters or sounds with the sentence is laid where it fits best (P. Sellers,
/// "The theory and computation of evolutionary distances", 1980); the words there are then compared
/// with all these names.
pub fn mentions(words: &[String]) -> Vec<Mention> {
    let index = index();
    let sentence = words.join(" ");
    let wanted = letters(&sentence);
    let candidates = index.by_gram.nearest(&wanted, &spoken(&sentence), CANDIDATES);
    let line = Line::new(words);
    let nearest = candidates.iter().take(ALIGNED).map(|at| &index.aliases[*at as usize]);
    let spans: BTreeSet<_> = nearest.filter_map(|alias| line.best(&alias.letters)).collect();
    let mut mentions = Vec::new();
    let best = |span: &[String]| {
        let wanted = Wanted::new(&span.join(" "));
        let similarities = candidates.iter().map(|at| {
            let alias = &index.aliases[*at as usize];
            (wanted.similarity(alias), alias.name)
        });
        similarities.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    for (mut from, mut to) in spans {
        let Some((mut similarity, mut name)) = best(&words[from..to]) else { continue };
        // "The Dutch rapid" is no Alapin: a name that is said exactly ends before a word that is in no longer one.
        for (shorter, word) in [(from..to - 1, to - 1), (from + 1..to, from)] {
            if shorter.is_empty() || is_like_a_part(&words[word], name) {
                continue;
            }
            if let Some(found) =
                best(&words[shorter.clone()]).filter(|(likeness, _)| *likeness > EXACT)
            {
                ((similarity, name), (from, to)) = (found, (shorter.start, shorter.end));
                break;
            }
        }
        mentions.push(Mention { from, to, found: FoundName { name: name.to_owned(), similarity } });
    }
    mentions.sort_by(|a, b| b.found.similarity.total_cmp(&a.found.similarity));
    mentions
}

/// Whether a word is written or sounds like a word of a name.
fn is_like_a_part(word: &str, name: &str) -> bool {
    let code = sound::code(word);
    words::texts(name).iter().any(|part| {
        let distance = osa::distance(word.chars(), part.chars());
        let likeness = 1.0 - distance as f32 / word.len().max(part.len()).max(1) as f32;
        likeness > LIKE_A_PART || (code.is_some() && code == sound::code(part))
    })
}

/// The name of a list that is most like a text.
pub fn among<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Option<FoundName> {
    // The last of those that are as like it.
    likenesses(text, names).into_iter().max_by(|a, b| a.similarity.total_cmp(&b.similarity))
}

/// How like a text each name of a list is.
pub fn likenesses<'a>(text: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<FoundName> {
    // The number of an engine (`toga2`) has no sound.
    let code = |text: &str| spoken(&text.replace(|c: char| c.is_ascii_digit(), ""));
    let wanted = letters(text);
    let wanted_code = code(text);
    let length = wanted.len();
    let by_letters = osa::BatchComparator::new(wanted.bytes());
    let scored = names.into_iter().map(|name| {
        let own = letters(name);
        let distance = by_letters.distance(own.bytes());
        let spelled = 1.0 - distance as f32 / length.max(own.len()).max(1) as f32;
        let heard = !wanted_code.is_empty() && wanted_code == code(name);
        let similarity = if heard { spelled.max(0.85) } else { spelled };
        FoundName { name: name.to_owned(), similarity }
    });
    scored.collect()
}

/// A word of a name of an opening that distinguishes names.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_before_a_word_that_is_no_part_of_one() {
        let said = |text: &str| -> Vec<(String, usize)> {
            let found = mentions(&words::texts(text));
            found.into_iter().map(|one| (one.found.name, one.to - one.from)).collect()
        };
        for (text, name) in [
            ("games with the dutch unrated", "Dutch Defense"),
            ("games with the dutch rapid", "Dutch Defense"),
            ("show the french seriously", "French Defense"),
        ] {
            assert_eq!(said(text)[0], (name.to_owned(), 1), "{text}");
        }
        for (text, name) in [
            ("show the dutch leningard", "Dutch Defense: Leningrad Variation"),
            ("show the sicilian dragn", "Sicilian Defense: Dragon Variation"),
        ] {
            assert!(said(text).contains(&(name.to_owned(), 2)), "{text}: {:?}", said(text));
        }
    }
}
