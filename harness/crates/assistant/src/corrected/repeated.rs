//! What is said again in other words, as text: "stockfish against weiss, correction, stockfish against ethereal", "128
//! games, no, 256", "at stc, no, vltc".

use super::super::context::Context;
use super::super::slots::COUNTED;
use super::super::tags::{self, Tagged};
use super::super::words::Word;
use super::super::{coverage, nearest};
use super::{aside, is_filler, kind, marked};

/// The sentence with the later words in the place of those that are taken back.
pub fn said_again(text: &str, split: &[Word], context: &Context) -> Option<String> {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let found = |at: usize| Some((at, marked(text, split, &words, at)?.0));
    let (marker, end) = (1..words.len()).find_map(found)?;
    let tagged = tags::tag(text, split, &words, context);
    let end = aside::behind(text, split, &tagged, end);
    let meant = (end..words.len()).find(|at| !is_filler(&words, *at))?;
    let again = Again { text, split, words: &words, tagged: &tagged, marker, meant };
    again.pair().or_else(|| again.number()).or_else(|| again.unknown())
}

/// A sentence, where something is taken back in it, and where what is meant begins.
struct Again<'a> {
    text: &'a str,
    split: &'a [Word],
    words: &'a [String],
    tagged: &'a [Tagged],
    marker: usize,
    meant: usize,
}

impl Again<'_> {
    fn token(&self, from: usize) -> Option<&Tagged> {
        self.tagged.iter().find(|token| token.from == from)
    }

    fn is_player(&self, token: &Tagged) -> bool {
        matches!(token.text.as_str(), "{engine}" | "{rev}")
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// The bytes of words.
    fn typed(&self, from: usize, to: usize) -> &str {
        &self.text[self.split[from].chunk.0..self.split[to - 1].chunk.1]
    }

    /// The sentence from its beginning to a word, and from another word on.
    fn without(&self, from: usize, to: usize) -> String {
        let (before, behind) = (self.split[from].chunk.0, self.split[to].chunk.0);
        format!("{}{}", &self.text[..before], &self.text[behind..])
    }

    /// Two players of which the first is said again.
    fn pair(&self) -> Option<String> {
        let links = |token: &Tagged| matches!(self.word(token.to), "against" | "and");
        let is_first = |token: &&Tagged| {
            let second = self.token(token.to + 1);
            self.is_player(token)
                && links(token)
                && second.is_some_and(|second| self.is_player(second))
        };
        let later = self.token(self.meant).filter(is_first)?;
        let mut before = self.tagged.iter().filter(|token| token.to <= self.marker);
        let first = before.rfind(is_first)?;
        Some(self.without(first.from, later.from))
    }

    /// A number whose noun is not said again.
    fn number(&self) -> Option<String> {
        let later = self.token(self.meant).filter(|token| token.text == "{n}")?;
        let is_bare = |token: &Tagged| {
            let next = token.to;
            next == self.words.len() || super::has_sign(self.text, self.split, next)
        };
        let noun = |token: &Tagged| COUNTED.contains(&self.word(token.to));
        let mut before = self.tagged.iter().filter(|token| token.to < self.marker);
        let first = before.rfind(|token| token.text == "{n}" && noun(token))?;
        // "Two lines of glaurung, no, five".
        let is_plain = |token: &Tagged| {
            !(first.to..self.marker).contains(&token.from)
                || !token.text.starts_with('{')
                || self.is_player(token)
        };
        if !is_bare(later) || !self.tagged.iter().all(is_plain) {
            return None;
        }
        let behind = self.split[later.to - 1].chunk.1;
        Some(format!(
            "{}{} {}{}",
            &self.text[..self.split[first.from].chunk.0],
            self.typed(later.from, later.to),
            self.typed(first.to, self.marker),
            &self.text[behind..],
        ))
    }

    /// A word that is no known value in the place of one: that one is not meant, and the word is named.
    fn unknown(&self) -> Option<String> {
        let later = self.token(self.meant)?;
        let word = later.text.as_str();
        let is_one = !word.starts_with('{')
            && kind(later).is_none()
            && !nearest::is_known(word)
            && !coverage::is_empty(word)
            && !coverage::TIMES.contains(&word);
        let is_whole =
            later.to == self.words.len() || super::has_sign(self.text, self.split, later.to);
        let mut before = self.tagged.iter().filter(|token| token.to == self.marker);
        let first = before.next()?;
        let is_value = matches!(first.text.as_str(), "{limit}" | "{engine}" | "{rev}" | "{suite}");
        (is_one && is_whole && is_value).then(|| self.without(first.from, later.from))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::words;
    use super::*;

    #[test]
    fn what_is_said_again_replaces_what_was_said() {
        for (text, expected) in [
            (
                "match, stockfish against weiss, correction, stockfish against ethereal, 40 games",
                Some("match, stockfish against ethereal, 40 games"),
            ),
            ("sprt dev vs main, sorry, HEAD vs main at stc", Some("sprt HEAD vs main at stc")),
            (
                "weiss vs toga2, 128 games, no, 256, 8+0.08",
                Some("weiss vs toga2, 256 games, 8+0.08"),
            ),
            (
                "three lines of the engine, or rather two, please",
                Some("two lines of the engine, please"),
            ),
            ("sprt head vs main at stc, no, vltc", Some("sprt head vs main at vltc")),
            ("sprt head vs main, no, stc", None),
            ("match weiss toga2, 100 games, no book", None),
        ] {
            let found = said_again(text, &words::split(text), &Context::default());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
