//! Details of a test or match beside its engines and limit: the error rates of an SPRT, pondering, "double round
//! robin", "the other way round", and kinds of runs that it is not to be.

use std::ops::Range;

use serde_json::json;

use super::Filler;
use crate::kinds;
use crate::numbers;

/// Phrases with which two engines change places.
const REVERSED: [&str; 6] = [
    "the other way round",
    "the other way around",
    "other way round",
    "other way around",
    "vice versa",
    "viceversa",
];

impl Filler<'_> {
    /// The error rates of an SPRT: "alpha 0.05, beta 0.1", "alpha = beta = 0.1", "alpha and beta 5 percent".
    pub(super) fn error_rates(&mut self) {
        let both = ["alpha and beta", "alpha beta", "alpha and beta of", "alpha and beta both"];
        let places = both.iter().filter_map(|said| self.place_of(said));
        let both = places.max_by_key(Range::len);
        if let Some((rate, words)) = both.and_then(|place| self.rate_behind(place)) {
            // "Alpha and beta 0.05 and 0.1".
            let second = self.rate_behind(words.end..words.end);
            let (beta, to) = second.map_or((rate, words.end), |(beta, next)| (beta, next.end));
            self.mark(words.start..to);
            self.set("alpha", Some(json!(rate)));
            self.set("beta", Some(json!(beta)));
            return;
        }
        if let Some(both) = self.rates_in_short() {
            for (name, (rate, words)) in ["alpha", "beta"].into_iter().zip(both) {
                self.mark(words);
                self.set(name, Some(json!(rate)));
            }
            return;
        }
        for name in ["alpha", "beta"] {
            let place = self.place_of(name);
            let found = place.and_then(|place| self.rate_behind(place));
            let assigned = || self.written_rate(name);
            if let Some((rate, words)) = found.or_else(assigned) {
                self.mark(words);
                self.set(name, Some(json!(rate)));
            }
        }
    }

    /// The rate behind words, "alpha of 0.05", "alpha 5 percent", and all of its words.
    fn rate_behind(&self, words: Range<usize>) -> Option<(f64, Range<usize>)> {
        let is_link = |at: &usize| matches!(self.word(*at), "of" | "is" | "at" | "both" | "and");
        let links = (words.end..words.end + 2).take_while(is_link).count();
        let at = words.end + links;
        if self.filled.used.get(at).copied().unwrap_or(true) {
            return None;
        }
        // "Alpha one tenth".
        let number = numbers::amount_at(self.sentence.words, at)?;
        let end = at + number.words;
        let percent = usize::from(matches!(self.word(end), "percent" | "%"));
        let rate = if percent > 0 { number.value / 100.0 } else { number.value };
        (rate > 0.0 && rate < 0.5).then_some((rate, words.start..end + percent))
    }

    /// "A .05 b .1": both rates, each behind the first letter of its name.
    fn rates_in_short(&self) -> Option<[(f64, Range<usize>); 2]> {
        let rate = |name: &str| {
            let names = (0..self.sentence.words.len()).filter(|at| self.word(*at) == name);
            let mut rates = names.filter_map(|at| self.rate_behind(at..at + 1));
            rates.find(|(_, words)| self.word(words.start + 1).starts_with("0."))
        };
        Some([rate("a")?, rate("b")?])
    }

    /// `alpha=0.05`.
    fn written_rate(&self, name: &str) -> Option<(f64, Range<usize>)> {
        let words = self.sentence.words.iter().enumerate();
        let mut rates = words.filter_map(|(at, word)| {
            let value = word.strip_prefix(name)?.strip_prefix('=')?.parse::<f64>().ok()?;
            Some((value, at..at + 1))
        });
        rates.find(|(rate, _)| *rate > 0.0 && *rate < 0.5)
    }

    /// The seed of what is drawn by chance: "seed 42", "seeded with 7".
    pub(super) fn seed(&mut self) -> Option<u32> {
        if let Some(seed) = self.assigned_count(&["seed"]) {
            return Some(seed);
        }
        let said = ["seeded with", "seeded by", "seed with"];
        let place = said.iter().find_map(|said| self.place_of(said))?;
        let number = numbers::at(self.sentence.words, place.end)?;
        self.mark(place.start..place.end + number.words);
        number.count()
    }

    /// Whether engines think in the time of their opponents: "ponder on". Without the word they do not.
    pub(super) fn pondering(&mut self) {
        let Some(at) = self.places(&["ponder", "pondering"]).into_iter().next() else { return };
        let before = at.checked_sub(1).map_or("", |at| self.word(at));
        // "But not with pondering".
        if let Some(not) = self.refusal(at) {
            let but = usize::from(not > 0 && self.word(not - 1) == "but");
            self.mark(not - but..at + 1);
            return;
        }
        let turned = usize::from(matches!(self.word(at + 1), "switched" | "turned" | "is"));
        let state = at + 1 + turned;
        match (before, self.word(state)) {
            ("no" | "without" | "not", _) => self.mark(at - 1..at + 1),
            (_, "off") => self.mark(at..state + 1),
            (_, "on") => {
                self.mark(at..state + 1);
                self.set("ponder", Some(true));
            }
            ("with", _) => {
                self.mark(at..at + 1);
                self.set("ponder", Some(true));
            }
            _ => {}
        }
    }

    /// The games of each two engines in a "double round robin".
    pub(super) fn games_of_double(&mut self) -> Option<u32> {
        let doubled = [("double", 2), ("triple", 3), ("quadruple", 4), ("single", 1)];
        let found = doubled.iter().find_map(|(word, games)| {
            ["round robin", "gauntlet", "all play all"]
                .iter()
                .find_map(|format| Some((self.place_of(&format!("{word} {format}"))?, *games)))
        });
        if let Some((place, games)) = found {
            self.mark(place.start..place.start + 1);
            return Some(games);
        }
        // "Everybody plays everybody twice".
        let met = ["everybody", "everyone", "each other", "one another"];
        let place = met.iter().find_map(|others| self.place_of(&format!("{others} twice")))?;
        let before = place.start.checked_sub(1).map_or("", |at| self.word(at));
        if !matches!(before, "plays" | "play" | "meets" | "meet" | "against") {
            return None;
        }
        let subject = place.start.checked_sub(2).filter(|at| self.word(*at).starts_with("every"));
        self.mark(subject.unwrap_or(place.start)..place.end);
        Some(2)
    }

    /// "Main against dev, the other way round": whether the players change places.
    pub(super) fn is_reversed(&mut self) -> bool {
        REVERSED.iter().any(|said| self.phrase(said))
    }

    /// "No SPRT, just a match", "a match and not a gauntlet": a kind of run that this one is not to be says nothing more.
    pub(super) fn mark_refused_kinds(&mut self) {
        let words = self.sentence.words;
        let is_article = |word: &str| matches!(word, "a" | "an" | "any" | "the");
        for at in 1..words.len() {
            let Some(kind) = kinds::command(self.word(at)) else { continue };
            let article = usize::from(is_article(self.word(at - 1)));
            let Some(not) = at.checked_sub(1 + article) else { continue };
            // "The whole loop, not only the training".
            let only = usize::from(self.word(not) == "only");
            let Some(not) = not.checked_sub(only) else { continue };
            let is_refused = matches!(self.word(not), "no" | "not");
            let is_other = kinds::command_of(self.intent) != Some(kind);
            if is_refused && is_other {
                self.mark(not..at + 1);
            }
        }
    }
}
