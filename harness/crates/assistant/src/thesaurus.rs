//! Other words for what is asked of a board or of the test bench: `data/thesaurus.txt`.
//!
//! Words of a class are alike in part for both classifiers and account for each other; phrases are replaced by plain words
//! before a sentence is read, where their conditions hold; and some frames and remarks are left out.

mod phrases;

use std::collections::HashMap;
use std::sync::OnceLock;

pub use self::phrases::rewritten;
use self::phrases::{Condition, Phrase};
use super::coverage;

/// The file.
const TEXT: &str = include_str!("data/thesaurus.txt");

/// The words and phrases of the file.
#[derive(Default)]
struct Thesaurus {
    /// Classes of a word, by their numbers.
    classes_of: HashMap<&'static str, Vec<usize>>,
    /// The words of each class, the one that names it first.
    classes: Vec<Vec<&'static str>>,
    /// Phrases by their first word, the longest first.
    phrases: HashMap<String, Vec<Phrase>>,
}

fn thesaurus() -> &'static Thesaurus {
    static THESAURUS: OnceLock<Thesaurus> = OnceLock::new();
    THESAURUS
        .get_or_init(|| Thesaurus::read(TEXT).unwrap_or_else(|line| panic!("thesaurus: {line}")))
}

impl Thesaurus {
    /// Reads the lines of the file; the first one that is none is the error.
    fn read(text: &'static str) -> Result<Thesaurus, &'static str> {
        let mut read = Thesaurus::default();
        let mut groups: HashMap<&str, Vec<&'static str>> = HashMap::new();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        for line in lines.filter(|line| !line.starts_with('#')) {
            if let Some((name, words)) = line.split_once(" = ") {
                let words = words.split_ascii_whitespace();
                match name.strip_prefix('@') {
                    Some(group) => groups.entry(group).or_default().extend(words),
                    None => read.add_class(name, words),
                }
                continue;
            }
            let (head, phrases) = line.split_once(':').ok_or(line)?;
            let (to, condition) = Condition::read(head, &groups).ok_or(line)?;
            for phrase in phrases.split(',') {
                let phrase = Phrase::read(phrase, to, &condition).ok_or(line)?;
                read.phrases.entry(phrase.first().to_owned()).or_default().push(phrase);
            }
        }
        for phrases in read.phrases.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        }
        Ok(read)
    }

    fn add_class(&mut self, name: &'static str, words: impl Iterator<Item = &'static str>) {
        let words: Vec<&'static str> = std::iter::once(name).chain(words).collect();
        for word in &words {
            self.classes_of.entry(word).or_default().push(self.classes.len());
        }
        self.classes.push(words);
    }

    /// The classes of a word or of one of its stems.
    fn classes_of(&self, word: &str) -> &[usize] {
        coverage::stems(word)
            .find_map(|stem| self.classes_of.get(stem))
            .or_else(|| {
                let stem = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"))?;
                self.classes_of.get(format!("{stem}e").as_str())
            })
            .map_or(&[], Vec::as_slice)
    }
}

/// Numbers of the classes of a word.
pub fn classes(word: &str) -> &'static [usize] {
    thesaurus().classes_of(word)
}

/// Words that mean the same as a word in part.
pub fn alike(word: &str) -> impl Iterator<Item = &'static str> {
    let known = thesaurus();
    let classes = known.classes_of(word);
    classes.iter().flat_map(|class| known.classes[*class].iter().copied())
}

/// Whether a word means the same as the name of a class, and nothing else.
pub fn means(word: &str, name: &str) -> bool {
    let known = thesaurus();
    matches!(known.classes_of(word), [only] if known.classes[*only][0] == name)
}

/// Whether a word is in a class.
pub fn has(word: &str) -> bool {
    thesaurus().classes_of.contains_key(word)
}

#[cfg(test)]
mod tests {
    use super::super::coverage::{TIMES, TURNING};
    use super::super::{numbers, words};
    use super::*;

    #[test]
    fn the_file_has_words_of_one_spelling_and_no_details() {
        let known = thesaurus();
        for class in &known.classes {
            for word in class {
                assert_eq!(words::texts(word), [*word], "{class:?}");
                let is_number = numbers::at(&[(*word).to_owned()], 0).is_some();
                let turns = TURNING.contains(word) || TIMES.contains(word);
                assert!(!is_number && !turns, "{word} of {class:?}");
                let same = class.iter().filter(|other| other == &word).count();
                assert_eq!(same, 1, "{word} twice in {class:?}");
            }
        }
    }

    #[test]
    fn words_of_a_class_are_alike_in_all_their_forms() {
        assert!(alike("erase").any(|word| word == "delete"));
        assert!(alike("erased").any(|word| word == "delete"));
        assert!(alike("erasing").any(|word| word == "delete"));
        assert!(means("scrapping", "delete"));
        assert!(alike("sicilian").next().is_none());
    }
}
