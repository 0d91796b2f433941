//! Words that are alike, by spelling and by sound.

use std::collections::HashMap;

use rapidfuzz::distance::osa;

use super::sound;

/// Words that can be found by words like them.
#[derive(Debug, Default)]
pub struct Lexicon {
    words: Vec<Entry>,
    by_text: HashMap<String, u32>,
}

#[derive(Debug)]
struct Entry {
    text: String,
    code: String,
}

/// A word of a lexicon that is like another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Its number.
    pub id: u32,
    /// 1 for the same word, 0 for one that has nothing of it.
    pub similarity: f32,
}

impl Lexicon {
    /// Number of a word, which is added if it is new.
    pub fn add(&mut self, word: &str) -> u32 {
        if let Some(id) = self.by_text.get(word) {
            return *id;
        }
        let id = self.words.len() as u32;
        let code = sound::code(word).unwrap_or_default();
        self.words.push(Entry { text: word.to_owned(), code });
        self.by_text.insert(word.to_owned(), id);
        id
    }

    /// Number of a word.
    pub fn id(&self, word: &str) -> Option<u32> {
        self.by_text.get(word).copied()
    }

    /// The word of a number; empty where there is none.
    pub fn text(&self, id: u32) -> &str {
        self.words.get(id as usize).map_or("", |entry| &entry.text)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Words at least so similar to a word, the most similar first, no more than `count`.
    pub fn near(&self, word: &str, floor: f32, count: usize) -> Vec<Near> {
        let query = Query::new(word);
        let mut found: Vec<Near> = (0..)
            .zip(&self.words)
            .filter_map(|(id, entry)| {
                let similarity = query.similarity(&entry.text, &entry.code);
                (similarity >= floor).then_some(Near { id, similarity })
            })
            .collect();
        found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        found.truncate(count);
        found
    }
}

/// How alike two folded words are, from 0 to 1.
pub fn similarity(one: &str, other: &str) -> f32 {
    Query::new(one).similarity(other, &sound::code(other).unwrap_or_default())
}

/// A word that is compared with many.
pub struct Query<'a> {
    text: &'a str,
    code: String,
    letters: osa::BatchComparator<u8>,
    sounds: osa::BatchComparator<u8>,
}

impl<'a> Query<'a> {
    /// A folded word.
    pub fn new(text: &'a str) -> Query<'a> {
        let code = sound::code(text).unwrap_or_default();
        Query {
            letters: osa::BatchComparator::new(text.bytes()),
            sounds: osa::BatchComparator::new(code.bytes()),
            text,
            code,
        }
    }

    /// How like it another word with its code is, from 0 to 1.
    pub fn similarity(&self, other: &str, code: &str) -> f32 {
        if self.text == other {
            return 1.0;
        }
        // Placeholders, numbers and squares are like none but themselves.
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
        let shorter = self.text.len().min(other.len());
        let longer = self.text.len().max(other.len());
        if shorter < 2 || longer > 2 * shorter + 2 || !plain(self.text) || !plain(other) {
            return 0.0;
        }
        let edits = self.letters.distance(other.bytes()) as f32;
        let length = longer as f32;
        // One wrong letter of three leaves 0.73, of six 0.87.
        let mut spelled = 1.0 - 0.8 * edits / length;
        if self.text.as_bytes()[0] != other.as_bytes()[0] {
            spelled -= 0.06;
        }
        let mut similarity = spelled;
        if !self.code.is_empty() && !code.is_empty() {
            let longest = self.code.len().max(code.len());
            // Codes of one letter say little.
            let sounds = self.sounds.distance(code.bytes()) as f32 / longest as f32;
            let trust = if longest < 2 { 0.3 } else { 0.5 };
            let sounded = trust * (1.0 - sounds) + (1.0 - trust) * spelled;
            similarity = similarity.max(sounded);
        }
        if is_inflected(self.text, other) {
            similarity = similarity.max(0.85);
        }
        similarity.clamp(0.0, 0.98)
    }
}

/// Whether two words are forms of one: `analyse` and `analysing`, `game` and `games`.
fn is_inflected(one: &str, other: &str) -> bool {
    const ENDINGS: [&str; 9] = ["", "s", "es", "ed", "d", "ing", "er", "e", "ers"];
    let common = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    common >= 3 && ENDINGS.contains(&&one[common..]) && ENDINGS.contains(&&other[common..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_and_spelling_by_sound_leave_words_alike() {
        for (one, other, least) in [
            ("teh", "the", 0.7),
            ("opnening", "opening", 0.85),
            ("sissilian", "sicilian", 0.8),
            ("karo", "caro", 0.8),
            ("analysing", "analyse", 0.8),
            ("games", "game", 0.85),
        ] {
            let found = similarity(one, other);
            assert!((least..1.0).contains(&found), "{one} {other} {found}");
        }
        for (one, other) in [("rook", "bishop"), ("e4", "e5"), ("{n}", "{move}"), ("a", "an")] {
            assert!(similarity(one, other) < 0.5, "{one} {other}");
        }
    }

    #[test]
    fn the_most_similar_words_come_first() {
        let mut words = Lexicon::default();
        for word in ["knight", "king", "night", "rook"] {
            words.add(word);
        }
        let near = words.near("knigt", 0.5, 1);
        assert_eq!(near.iter().map(|near| near.id).collect::<Vec<_>>(), [0]);
        assert_eq!(words.add("rook"), 3);
        assert_eq!(words.len(), 4);
    }
}
