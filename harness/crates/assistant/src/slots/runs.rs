//! The runs that are meant by a sentence about games, and the kinds that it names.

use std::ops::Range;

use super::Filler;
use super::listed::GAMES;
use crate::tags::Tagged;
use crate::{kinds, numbers, past, verbs};

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

    /// The words of the run before the last one; "the second last defeat" is a game.
    pub(super) fn before_last_run(&self) -> Option<Range<usize>> {
        let place = past::before_last(verbs::of_first_wish(self.sentence.words))?;
        let is_game = GAMES.contains(&self.word(place.end)) && self.word(place.end) != "one";
        (!is_game && !self.filled.used[place.start]).then_some(place)
    }

    /// "The oldest suite", "the earliest run".
    pub(super) fn oldest_run(&mut self) -> Option<String> {
        let at = self.places(&["oldest", "earliest"]).into_iter().find(|at| {
            (at + 1..at + 4)
                .any(|noun| kinds::is_of_run(self.word(noun)) || self.word(noun) == "one")
        })?;
        self.mark(at..at + 1);
        Some(past::OLDEST.to_owned())
    }

    /// "17 died with the power cut, get it going again": the number of a run that the sentence begins with.
    pub(super) fn run_as_subject(&mut self) -> Option<String> {
        let number = self.unused("{n}").into_iter().find(|number| number.from == 0)?;
        let happened = matches!(
            self.word(number.to),
            "died"
                | "crashed"
                | "failed"
                | "stopped"
                | "broke"
                | "hung"
                | "ended"
                | "is"
                | "was"
                | "has"
                | "got"
                | "should"
                | "must"
                | "can"
                | "may"
                | "needs"
                | "deserves"
        );
        let count = numbers::at(self.sentence.words, number.from)?.count().filter(|_| happened)?;
        self.mark(number.from..number.to);
        Some(count.to_string())
    }

    /// "The training 22", "match 7": the number of a run behind its kind.
    pub(super) fn run_behind_kind(&mut self) -> Option<String> {
        let number = self.unused("{n}").into_iter().find(|number| {
            let before = number.from.checked_sub(1).map_or("", |at| self.word(at));
            kinds::command(before).is_some()
                && !self.is_apart(number.from)
                && self.counted(number).is_none()
                && !self.counts_something_else(number)
        })?;
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        self.mark(number.from..number.to);
        Some(count.to_string())
    }

    /// "The 2nd one", "the 3rd suite": a run is known by its number, and not by its place among others.
    pub(super) fn is_place_of_run(&self, number: &Tagged) -> bool {
        let is_ordinal = numbers::ordinal(&self.typed(number.from).to_lowercase()).is_some()
            || self.word(number.to - 1).ends_with("th");
        let noun = self.word(number.to);
        is_ordinal && (kinds::is_of_run(noun) || matches!(noun, "one" | "last" | "latest"))
    }

    /// The run whose games are meant, by its id or number.
    pub(super) fn run_of_games(&mut self) -> Option<String> {
        if let Some(place) = self.before_last_run() {
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
