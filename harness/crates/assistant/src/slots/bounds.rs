//! Words beside a number that narrow it: "at most", "at least", "in total", "not 4 threads but 2".

use super::Filler;
use crate::tags::Tagged;

/// Whether two numbers stand in brackets, `[0, 3]` or `[-1.75,0.25]`.
pub fn has_bounds(text: &str) -> bool {
    let Some((inner, _)) = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')) else {
        return false;
    };
    let numbers: Vec<&str> = inner.split([',', ';']).collect();
    numbers.len() == 2 && numbers.iter().all(|number| number.trim().parse::<f64>().is_ok())
}

impl Filler<'_> {
    /// "Not 4 threads but 2 threads": where another number of the noun is set, the refused one is accounted for.
    pub(super) fn mark_refused_count(&mut self, noun: String) {
        let numbers = self.sentence.tagged.iter().filter(|token| token.text == "{n}");
        let refused = numbers.filter_map(|number| {
            let stem = |word: &str| word.trim_end_matches('s').to_owned();
            // "4 lines, not 2".
            let is_last = self.word(number.to).is_empty() || self.is_apart(number.to);
            let place = match self.counted(number) {
                Some(at) => Some(at).filter(|at| stem(self.word(*at)) == stem(&noun)),
                None => is_last.then_some(number.from),
            };
            Some(self.refusal(number.from)?..number.to.max(place? + 1))
        });
        let refused: Vec<_> = refused.collect();
        refused.into_iter().for_each(|words| self.mark(words));
    }

    /// "At least 100 games", "fewer than 50": a number that is set is no such bound, which is named.
    pub(super) fn name_other_bound(&mut self, from: usize) {
        const BOUNDS: [&str; 15] = [
            "no less than",
            "not less than",
            "no fewer than",
            "not fewer than",
            "minimum",
            "at the least",
            "at least",
            "more than",
            "less than",
            "fewer than",
            "minimum of",
            "at minimum",
            "under",
            "below",
            "above",
        ];
        let acts = self.intent.is_run() || self.intent.only_shows();
        if let Some(said) = BOUNDS.iter().find(|said| acts && self.ends_with(from, said)) {
            let words = from - said.split(' ').count()..from;
            if !self.filled.used[words.start] {
                self.mark(words.clone());
                self.filled.named.push(words);
            }
        }
    }

    /// Whether these words stand before a place.
    pub(super) fn ends_with(&self, to: usize, said: &str) -> bool {
        let words = to.checked_sub(said.split(' ').count()).map(|from| from..to);
        words.is_some_and(|words| self.sentence.words[words].iter().eq(said.split(' ')))
    }

    /// "No more than 5000 games", "at most 3 lines": a number that is set is a maximum in any case.
    pub(super) fn mark_maximum(&mut self, from: usize) {
        const MAXIMUM: [&str; 24] = [
            "without passing",
            "without exceeding",
            "until the",
            "without going over",
            "cap it at",
            "capped at",
            "cap of",
            "cap at",
            "a cap of",
            "limited to",
            "stop at",
            "do not play more than",
            "not play more than",
            "do not exceed",
            "but no more than",
            "no more than",
            "not more than",
            "at most",
            "at the most",
            "at maximum",
            "up to",
            "maximum of",
            "maximum",
            "max",
        ];
        if let Some(said) = MAXIMUM.iter().find(|said| self.ends_with(from, said)) {
            self.mark(from - said.split(' ').count()..from);
        }
    }

    /// "Depth 20 at most", "30 s max".
    pub(super) fn mark_maximum_behind(&mut self, to: usize) {
        let behind: Vec<&str> = (to..to + 3).map(|at| self.word(at)).collect();
        match behind.as_slice() {
            ["at", "the", "most" | "maximum"] => self.mark(to..to + 3),
            ["at", "most" | "maximum", _] => self.mark(to..to + 2),
            ["max" | "maximum" | "tops", ..] => self.mark(to..to + 1),
            _ => {}
        }
    }

    /// Marks words beside a number of games that say nothing more.
    pub(super) fn mark_beside_games(&mut self, from: usize, to: usize) {
        if let Some(before) = from.checked_sub(1)
            && self.word(before) == "until"
        {
            self.mark(before..from);
        }
        self.mark_maximum_behind(to);
        // Of two players all games are those of the pair.
        let is_player = |token: &&Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}");
        let is_pair = self.sentence.tagged.iter().filter(is_player).count() < 3;
        match [self.word(to), self.word(to + 1)] {
            ["in", "total" | "all"] if is_pair => self.mark(to..to + 2),
            ["altogether" | "overall", _] if is_pair => self.mark(to..to + 1),
            _ => {}
        }
        if matches!(
            [self.word(to), self.word(to + 1)],
            ["per" | "a" | "each", "pair" | "pairing" | "match" | "encounter" | "opponent"]
        ) {
            self.mark(to..to + 2);
        }
    }
}
