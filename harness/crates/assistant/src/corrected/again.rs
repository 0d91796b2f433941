//! A value of the same name that is said again: "elo1 5, elo1 3 rather", "bounds 0 to 4, not 0 to 5".

use super::super::context::Context;
use super::super::numbers;
use super::super::tags::{self, Tagged};
use super::super::words::Word;
use super::{has_sign, kind};

/// Words at the end of a value that say that it is meant instead of an earlier one.
const INSTEAD: [&str; 3] = ["rather", "instead", "better"];

/// Names of values that stand before them.
const NAMES: [&str; 14] = [
    "elo0",
    "elo1",
    "alpha",
    "beta",
    "hash",
    "threads",
    "level",
    "depth",
    "seed",
    "game",
    "run",
    "move",
    "lines",
    "concurrency",
];

/// The sentence without the earlier value, or without the bounds that are refused.
pub fn replaced(text: &str, split: &[Word], context: &Context) -> Option<String> {
    let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let tagged = tags::tag(
        text,
        split,
        &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(),
        context,
    );
    let sentence = Sentence { text, split, words: &words, tagged: &tagged };
    sentence.said_rather().or_else(|| sentence.refused_bounds())
}

struct Sentence<'a> {
    text: &'a str,
    split: &'a [Word],
    words: &'a [&'a str],
    tagged: &'a [Tagged],
}

impl Sentence<'_> {
    fn is_end(&self, at: usize) -> bool {
        at == self.words.len() || has_sign(self.text, self.split, at)
    }

    fn token_to(&self, to: usize) -> Option<&Tagged> {
        self.tagged.iter().find(|token| token.to == to)
    }

    fn token_from(&self, from: usize) -> Option<&Tagged> {
        self.tagged.iter().find(|token| token.from == from)
    }

    /// The text without some words and the signs before them.
    fn without(&self, from: usize, to: usize) -> String {
        let before = self.text[..self.split[from].chunk.0].trim_end_matches([' ', ',', ';']);
        let behind = self.split.get(to - 1).map_or("", |last| &self.text[last.chunk.1..]);
        format!("{before}{behind}")
    }

    /// "Elo1 5, elo1 3 rather", "at stc, ltc rather".
    fn said_rather(&self) -> Option<String> {
        let is_one = |at: &usize| INSTEAD.contains(&self.words[*at]) && self.is_end(at + 1);
        let rather = (2..self.words.len()).find(is_one)?;
        let later = self.token_to(rather).filter(|token| kind(token).is_some())?;
        let name = |token: &Tagged| {
            let before = token.from.checked_sub(1)?;
            NAMES.contains(&self.words[before]).then_some(self.words[before])
        };
        let begin = later.from - usize::from(name(later).is_some());
        if begin == 0 || !self.is_end(begin) {
            return None;
        }
        let is_same = |token: &&Tagged| {
            token.to <= begin
                && kind(token) == kind(later)
                && name(token) == name(later)
                && (token.text != "{n}" || name(later).is_some())
        };
        let earlier = self.tagged.iter().rfind(is_same)?;
        let named = usize::from(name(earlier).is_some());
        // "Elo1 5" stands in the place of the earlier one.
        let meant = &self.text[self.split[begin].chunk.0..self.split[later.to - 1].chunk.1];
        let from = self.split[earlier.from - named].chunk.0;
        let (to, next) = (self.split[earlier.to - 1].chunk.1, self.split[begin - 1].chunk.1);
        let behind = &self.text[self.split[rather].chunk.1..];
        Some(format!("{}{meant}{}{behind}", &self.text[..from], &self.text[to..next]))
    }

    /// "Bounds from 0 to 4, not 0 to 5".
    fn refused_bounds(&self) -> Option<String> {
        let not = (3..self.words.len()).find(|at| self.words[*at] == "not")?;
        let end = self.bounds(not + 1)?;
        let has_others = (0..not).any(|at| self.bounds(at).is_some());
        (has_others && self.is_end(end)).then(|| self.without(not, end))
    }

    /// The end of two numbers with "to" or "and" between.
    fn bounds(&self, at: usize) -> Option<usize> {
        let low = self.token_from(at).filter(|token| token.text == "{n}")?;
        let link = matches!(self.words.get(low.to), Some(&("to" | "and")));
        let high = self.token_from(low.to + usize::from(link))?;
        let is_number =
            high.text == "{n}" && numbers::at(&[self.words[high.from].to_owned()], 0).is_some();
        (link && is_number).then_some(high.to)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::words;
    use super::*;

    #[test]
    fn a_value_that_is_said_again_takes_the_place_of_the_earlier_one() {
        for (text, expected) in [
            (
                "sprt dev vs main, elo0 0 elo1 5, elo1 3 rather",
                Some("sprt dev vs main, elo0 0 elo1 3"),
            ),
            ("sprt dev vs main at stc, ltc rather", Some("sprt dev vs main at ltc")),
            (
                "sprt HEAD v2.0 with bounds from 0 to 4, not 0 to 5",
                Some("sprt HEAD v2.0 with bounds from 0 to 4"),
            ),
            ("level 3 rather", None),
            ("4 games, 2 threads rather", None),
        ] {
            let found = replaced(text, &words::split(text), &Context::default());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
