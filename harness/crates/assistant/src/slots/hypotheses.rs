//! The hypotheses of an SPRT, and nouns of details whose values are said elsewhere.

use serde_json::{Value, json};

use super::Filler;
use crate::numbers;
use crate::tags::Tagged;

/// Bounds beyond this are none.
const MOST_ELO: f64 = 20.0;

/// Slots, and nouns that say nothing more where they are filled.
const VALUED: [(&str, &[&str]); 6] = [
    ("bounds", &["bounds", "hypotheses"]),
    ("book", &["book", "books", "openings"]),
    ("threads", &["thread", "threads"]),
    ("hash", &["hash"]),
    ("seed", &["seed"]),
    ("variant", &["variant"]),
];

impl Filler<'_> {
    /// "Nonregression bounds, elo0 -3 elo1 1": the noun of a detail that has its value.
    pub(super) fn mark_valued(&mut self) {
        for (slot, nouns) in VALUED {
            let is_refused = self.places(nouns).into_iter().any(|at| self.refusal(at).is_some());
            if self.filled.slots.contains_key(slot) && !is_refused {
                self.has(nouns);
            }
        }
    }

    /// The hypotheses of an SPRT: "bounds 0 and 5", "[-1.75, 0.25]", "elo0=0 elo1=5".
    pub(super) fn bounds(&mut self) -> Option<Value> {
        // One of them alone stays unread.
        let both = self.attempt(|filler| {
            let mut bound = |name| filler.assigned(&[name])?.parse::<f64>().ok();
            Some([bound("elo0")?, bound("elo1")?])
        });
        if let Some(both) = both {
            return Some(json!(both.map(plain)));
        }
        if let Some(bounds) = self.written_bounds().or_else(|| self.named_hypotheses()) {
            return Some(json!(bounds.map(plain)));
        }
        // "Elo1 5": from nothing to it.
        if let Some(high) = self.attempt(|filler| filler.assigned(&["elo1"])?.parse::<f64>().ok()) {
            return Some(json!([plain(0.0), plain(high)]));
        }
        let words = &self.sentence.words;
        let named = words.iter().position(|word| matches!(word.as_str(), "bounds" | "hypotheses"));
        let numbers = self.unused("{n}");
        let begin = match named {
            Some(at) => numbers.iter().position(|number| number.from > at)?,
            None => numbers
                .iter()
                .position(|number| self.is_behind(number.from, '['))
                .or_else(|| numbers.windows(2).position(|pair| self.is_range_of_elo(pair)))
                .or_else(|| numbers.windows(2).position(|pair| self.is_signed_range(pair)))
                .or_else(|| numbers.windows(2).position(|pair| self.is_small_range(pair)))?,
        };
        let [low, high] = numbers.get(begin..begin + 2)? else { return None };
        let values = [low, high].map(|number| {
            let value = numbers::at(words, number.from).map_or(0.0, |found| found.value);
            let before = number.from.checked_sub(1).map_or("", |at| self.word(at));
            let is_negative = before == "minus" || self.is_behind(number.from, '-');
            plain(if is_negative { -value } else { value })
        });
        for number in [low.clone(), high.clone()] {
            self.mark(number.from..number.to);
        }
        self.has(&["bounds", "hypotheses", "elo", "minus"]);
        Some(json!(values))
    }

    /// `0..5`, `-5/0`, `(0;3)`: both in one word.
    fn written_bounds(&mut self) -> Option<[f64; 2]> {
        let is_limit = |at: usize| {
            let mut tokens = self.sentence.tagged.iter();
            tokens.any(|token| token.text == "{limit}" && (token.from..token.to).contains(&at))
        };
        let found = self.sentence.split.iter().enumerate().find_map(|(at, word)| {
            let (from, to) = self.full_chunk(word.chunk);
            let typed =
                self.sentence.text[from..to].trim_matches(['(', ')', '[', ']', '<', '>', ',', '.']);
            let link = ["..", "/", ";", ":"].into_iter().find(|link| typed.contains(link))?;
            let (low, high) = typed.split_once(link)?;
            let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
            let is_range = low < high && high.abs() <= MOST_ELO && low.abs() <= MOST_ELO;
            // "-5/0" is no time control.
            (is_range && (low < 0.0 || !is_limit(at))).then_some((word.chunk, [low, high]))
        });
        let (chunk, bounds) = found?;
        for at in 0..self.sentence.split.len() {
            if self.sentence.split[at].chunk == chunk {
                self.mark(at..at + 1);
            }
        }
        self.has(&["bounds", "hypotheses", "elo"]);
        Some(bounds)
    }

    /// A chunk with the signs around it, which words do not have.
    fn full_chunk(&self, (from, to): (usize, usize)) -> (usize, usize) {
        let text = self.sentence.text;
        let begin = text[..from].rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let end = text[to..].find(char::is_whitespace).map_or(text.len(), |at| to + at);
        (begin, end)
    }

    /// "H0 0 and H1 5", "null hypothesis 0 Elo, alternative 2.5".
    fn named_hypotheses(&mut self) -> Option<[f64; 2]> {
        let value = |names: &[&str]| {
            let name = (0..self.sentence.words.len()).find(|at| names.contains(&self.word(*at)))?;
            let is_link = |at: &usize| {
                matches!(
                    self.word(*at),
                    "hypothesis" | "elo" | "is" | "of" | "at" | "=" | "being" | "minus" | "the"
                )
            };
            let at = (name + 1..).find(|at| !is_link(at))?;
            let number = numbers::at(self.sentence.words, at)?;
            let is_negative = self.word(at - 1) == "minus" || self.is_behind(at, '-');
            let value = if is_negative { -number.value } else { number.value };
            Some((name..at + number.words, value))
        };
        let low = value(&["h0", "null"])?;
        let high = value(&["h1", "alternative"]).or_else(|| self.least_gain())?;
        self.mark(low.0);
        self.mark(high.0);
        self.has(&["bounds", "hypotheses", "hypothesis", "elo"]);
        Some([low.1, high.1])
    }

    /// "At least five points over main": the gain that a change is to have.
    fn least_gain(&self) -> Option<(std::ops::Range<usize>, f64)> {
        let place = self.place_of("at least")?;
        let number = numbers::at(self.sentence.words, place.end)?;
        let noun = place.end + number.words;
        matches!(self.word(noun), "points" | "elo").then(|| (place.start..noun + 1, number.value))
    }

    /// "Dev against main 0 3", "from minus five to zero": two small numbers of a test that count nothing.
    fn is_small_range(&self, pair: &[Tagged]) -> bool {
        let [low, high] = pair else { return false };
        let value = |number: &Tagged| {
            let found = numbers::at(self.sentence.words, number.from).map(|found| found.value);
            let is_negative = number.from > 0 && self.word(number.from - 1) == "minus";
            found.map(|value| if is_negative { -value } else { value })
        };
        let links: Vec<&str> = (low.to..high.from).map(|at| self.word(at)).collect();
        let is_linked = matches!(links.as_slice(), [] | ["to"] | ["to", "minus"]);
        let counts = |number: &Tagged| {
            let noun = self.word(number.to);
            self.counted(number).is_some() || (noun.len() > 4 && noun.ends_with('s'))
        };
        let is_apart = self.is_apart(high.to) || high.to == self.sentence.words.len();
        let is_whole = is_apart || !counts(high);
        let small = |value: f64| value.abs() <= MOST_ELO;
        is_linked
            && is_whole
            && (links.is_empty() || !counts(low))
            && !self.is_apart(high.from)
            && value(low)
                .zip(value(high))
                .is_some_and(|(low, high)| low < high && small(low) && small(high))
    }

    /// "Elo 0 to 5", "0.5 to 2.5 elo", "between 0 and 5 elo".
    fn is_range_of_elo(&self, pair: &[Tagged]) -> bool {
        let [low, high] = pair else { return false };
        let links: Vec<&str> = (low.to..high.from).map(|at| self.word(at)).collect();
        let is_linked =
            matches!(links.as_slice(), [] | ["to" | "and"] | ["minus"] | ["to", "minus"]);
        let is_elo = |at: Option<usize>| {
            at.is_some_and(|at| matches!(self.word(at), "elo" | "nelo" | "normalised"))
        };
        let before = low.from.checked_sub(1);
        let before = before.filter(|at| self.word(*at) != "between" && self.word(*at) != "minus");
        let before = before.or(low.from.checked_sub(2));
        is_linked && (is_elo(before) || is_elo(Some(high.to)))
    }

    /// "-1.75 to 0.25", "from -3 to 1 of my engine": two numbers that count nothing, the first of them below zero.
    fn is_signed_range(&self, pair: &[Tagged]) -> bool {
        const LINKS: [&str; 9] =
            ["of", "for", "with", "on", "in", "at", "between", "using", "against"];
        let [low, high] = pair else { return false };
        let is_linked = high.from == low.to + 1 && matches!(self.word(low.to), "to" | "and");
        let is_player = |token: &Tagged| {
            token.from == high.to && matches!(token.text.as_str(), "{engine}" | "{rev}")
        };
        let is_apart = self.is_apart(high.to)
            || high.to == self.sentence.words.len()
            || LINKS.contains(&self.word(high.to))
            || self.sentence.tagged.iter().any(is_player);
        self.is_behind(low.from, '-')
            && (is_linked || high.from == low.to)
            && is_apart
            && self.counted(high).is_none()
    }

    /// Whether a sign stands directly before a word.
    pub(super) fn is_behind(&self, at: usize, sign: char) -> bool {
        let (from, to) = self.sentence.split[at].chunk;
        let is_first = at == 0 || self.sentence.split[at - 1].chunk != (from, to);
        if is_first {
            let before = &self.sentence.text[..from];
            // The first number of `[-3, 1]`.
            let before = if sign == '[' { before.trim_end_matches('-') } else { before };
            return before.ends_with(sign);
        }
        // The second number of `0,-5`.
        let typed = &self.sentence.text[from..to];
        let word = self.word(at);
        typed.rfind(word).is_some_and(|place| typed[..place].ends_with(sign))
    }
}

/// A number as JSON: 5 rather than 5.0.
fn plain(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}
