//! Phrases of the thesaurus, and what takes their place in a sentence.

use std::collections::HashMap;

use super::thesaurus;
use crate::manner::OPENERS;
use crate::words::{self, Word};

/// Words of a phrase that stand for some of the sentence: "call * off".
const GAP: &str = "*";

/// Words that a gap stands for, at most.
const LONGEST_GAP: usize = 5;

/// Where the phrases of a line are replaced.
#[derive(Clone, Debug, Default)]
pub struct Condition {
    /// Of each of these groups a word is elsewhere in the sentence.
    with: Vec<Vec<&'static str>>,
    /// No word of these groups is.
    without: Vec<Vec<&'static str>>,
    /// The phrase is at the beginning of the sentence.
    begins: bool,
    /// The phrase is at the end of the sentence.
    ends: bool,
}

impl Condition {
    /// The words before the colon of a line: what is put in the place of its phrases, and the conditions.
    pub fn read<'a>(
        head: &'a str,
        groups: &HashMap<&str, Vec<&'static str>>,
    ) -> Option<(&'a str, Condition)> {
        let start = head.find(['@', '!', '^', '$']).unwrap_or(head.len());
        let (to, conditions) = head.split_at(start);
        let mut read = Condition::default();
        for condition in conditions.split_ascii_whitespace() {
            match condition {
                "^" => read.begins = true,
                "$" => read.ends = true,
                _ => match condition.strip_prefix("!@") {
                    Some(group) => read.without.push(groups.get(group)?.clone()),
                    None => read.with.push(groups.get(condition.strip_prefix('@')?)?.clone()),
                },
            }
        }
        Some((to.trim(), read))
    }

    /// Whether it holds for a phrase at these words.
    fn holds(&self, split: &[Word], from: usize, to: usize) -> bool {
        // `.yaml` is the end of a word.
        let is_of = |group: &Vec<&str>, word: &str| {
            let is_end = |end: &&&str| end.starts_with('.') && word.ends_with(**end);
            group.contains(&word) || group.iter().any(|end| is_end(&end))
        };
        let has = |group: &Vec<&str>| split.iter().any(|word| is_of(group, &word.text));
        let opens = |word: &Word| OPENERS.contains(&word.text.as_str());
        (!self.begins || split[..from].iter().all(opens))
            && (!self.ends || to == split.len())
            && self.with.iter().all(has)
            && !self.without.iter().any(has)
    }
}

/// A phrase and the words that take its place.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// The words before the gap.
    before: Vec<String>,
    /// The words behind it; `None` without a gap.
    behind: Option<Vec<String>>,
    /// What is put before the words of the gap.
    to: Vec<String>,
    /// What is put behind them.
    to_behind: Vec<String>,
    condition: Condition,
}

impl Phrase {
    /// Reads a phrase; `None` of one that begins with its gap or has several.
    pub fn read(phrase: &str, to: &str, condition: &Condition) -> Option<Phrase> {
        let (before, behind) = match phrase.split_once(GAP) {
            Some((before, behind)) => (before, Some(words::texts(behind))),
            None => (phrase, None),
        };
        let is_empty = behind.as_ref().is_some_and(Vec::is_empty);
        let before = words::texts(before);
        let (to, to_behind) = to.split_once(GAP).unwrap_or((to, ""));
        let (to, to_behind) = (words::texts(to), words::texts(to_behind));
        let is_one = !before.is_empty() && !is_empty;
        is_one.then_some(Phrase { before, behind, to, to_behind, condition: condition.clone() })
    }

    /// Its first word.
    pub fn first(&self) -> &str {
        &self.before[0]
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.before.len() + self.behind.as_ref().map_or(0, Vec::len)
    }

    /// The words that stand in its gap and the word behind it, if it is at a place.
    fn found(&self, text: &str, split: &[Word], at: usize) -> Option<Found> {
        let is_at = |words: &[String], at: usize| {
            let part = split.get(at..at + words.len());
            part.is_some_and(|part| part.iter().zip(words).all(|(word, said)| word.text == *said))
        };
        if !is_at(&self.before, at) {
            return None;
        }
        let begin = at + self.before.len();
        let (end, to) = match &self.behind {
            None => (begin, begin),
            Some(behind) => {
                let end = (begin + 1..=begin + LONGEST_GAP).find(|end| is_at(behind, *end))?;
                (end, end + behind.len())
            }
        };
        let is_cut = (at + 1..to).any(|at| words::has_sign(text, split, at));
        let holds = !is_cut && self.condition.holds(split, at, to);
        holds.then_some(Found { gap: begin..end, to })
    }
}

/// A phrase in a sentence.
struct Found {
    /// The words of its gap.
    gap: std::ops::Range<usize>,
    /// The word behind it.
    to: usize,
}

/// The words of a sentence with plain words in the place of phrases.
pub fn rewritten(text: &str, split: Vec<Word>) -> Vec<Word> {
    let known = thesaurus();
    let mut written: Vec<Word> = Vec::with_capacity(split.len());
    let mut at = 0;
    while at < split.len() {
        let phrases = known.phrases.get(split[at].text.as_str());
        let found = phrases.into_iter().flatten().find_map(|phrase| {
            let found = phrase.found(text, &split, at)?;
            // Nothing but politeness is no wish at all.
            let is_all = phrase.to.is_empty() && written.is_empty() && found.to == split.len();
            (!is_all).then_some((phrase, found))
        });
        let Some((phrase, Found { gap, to })) = found else {
            written.push(split[at].clone());
            at += 1;
            continue;
        };
        let last = if gap.is_empty() { to } else { gap.start };
        let chunk = (split[at].chunk.0, split[last - 1].chunk.1);
        let plain = |words: &[String]| -> Vec<Word> {
            words.iter().map(|text| Word { text: text.clone(), chunk }).collect()
        };
        written.extend(plain(&phrase.to));
        written.extend(split[gap].iter().cloned());
        written.extend(plain(&phrase.to_behind));
        at = to;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_plain_words_where_their_conditions_hold() {
        for (text, expected) in [
            ("get rid of the last run", "delete the last run"),
            ("pull the plug on run 5", "stop run 5"),
            ("call the match off", "stop the match"),
            ("get the queen off d8", "get the queen off d8"),
            ("what I need is a hint", "a hint"),
            ("what I need is", "what i need is"),
        ] {
            let found: Vec<String> =
                rewritten(text, words::split(text)).into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
