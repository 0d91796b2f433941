//! The runs that are meant by a sentence about games, and the kinds that it names.

use std::ops::Range;

use super::Filler;
use crate::{kinds, past, verbs};

impl Filler<'_> {
    /// "Stop the SPRT and the match": one run is meant, and the second kind is named.
    pub(super) fn kinds(&mut self) {
        let kinds = (0..self.sentence.words.len())
            .filter_map(|at| Some((at, kinds::command(self.word(at))?)))
            .collect::<Vec<_>>();
        let Some((at, first)) = kinds.first().copied() else { return };
        self.mark(at..at + 1);
        if !self.intent.changes_runs() {
            return;
        }
        if let Some((at, _)) = kinds.into_iter().find(|(_, kind)| *kind != first) {
            let article = usize::from(matches!(self.word(at - 1), "the" | "last" | "my"));
            self.mark(at - article..at + 1);
            self.filled.named.push(at - article..at + 1);
        }
    }

    /// The run whose games are meant, by its id or number.
    pub(super) fn run_of_games(&mut self) -> Option<String> {
        let before_last = past::before_last(verbs::of_first_wish(self.sentence.words));
        if let Some(place) = before_last.filter(|place| !self.filled.used[place.start]) {
            self.mark(place);
            self.kinds();
            return Some(past::PREVIOUS.to_owned());
        }
        let named = self.written_run();
        let named = named.or_else(|| Some(self.number(&["run", "test"])?.to_string()));
        named.or_else(|| {
            let (words, _) = self.last_run(0)?;
            self.mark(words);
            Some("last".to_owned())
        })
    }

    /// "The last match", "this SPRT", "of the match", from a word on: a run by its kind; its words and its noun.
    pub(super) fn last_run(&self, from: usize) -> Option<(Range<usize>, usize)> {
        let is_last = |word: &str| {
            matches!(word, "last" | "latest" | "newest" | "current" | "running" | "recent")
        };
        let is_noun = |at: &usize| kinds::is_of_run(self.word(*at));
        (from..self.sentence.words.len()).filter(is_noun).find_map(|noun| {
            let before = |by: usize| noun.checked_sub(by).map_or("", |at| self.word(at));
            let is_in = |word: &str| matches!(word, "in" | "of" | "from" | "during");
            let words = match before(1) {
                last if is_last(last) => noun - 1..noun + 1,
                "the" | "this" | "that" | "our" | "my" if is_in(before(2)) => noun..noun + 1,
                _ => return None,
            };
            (words.start >= from).then_some((words, noun))
        })
    }
}
