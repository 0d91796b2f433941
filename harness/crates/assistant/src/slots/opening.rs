//! The opening that is named, and its line where that is said apart from it.

use std::ops::Range;

use super::Filler;
use crate::templates::OPENING;
use crate::{coverage, names, nearest, spelling, words};

/// A name of an opening beside a sentence that is understood without it has to be so like it.
const SURE_OPENING: f32 = 0.95;

/// A line that is said apart from its opening has to be so like its name.
const SURE_LINE: f32 = 0.9;

impl Filler<'_> {
    /// The opening that is named; also beside a sentence that is understood without it, if it is sure.
    pub(super) fn opening(&mut self) -> Option<String> {
        if let Some(named) = self.sentence.tagged.iter().find(|tagged| tagged.text == OPENING) {
            self.mark(named.from..named.to);
            let name = self.sentence.opening.clone()?;
            let name = self.line_of(&name).or_else(|| self.of_family(&name)).unwrap_or(name);
            let name = self.line_in_family(&name).unwrap_or(name);
            let name = self.without_answer(named.from..named.to, name);
            self.mark_name(&name);
            self.mark_other_opening(&name);
            return Some(name);
        }
        let is_free = |mention: &names::Mention| {
            let mut words = mention.from..mention.to;
            mention.found.similarity > SURE_OPENING
                && words.clone().all(|at| !self.filled.used[at])
                && words.any(|at| names::is_of_opening(self.word(at)))
        };
        let mention = names::mentions(self.sentence.words).into_iter().find(is_free)?;
        self.mark(mention.from..mention.to);
        Some(mention.found.name)
    }

    /// "The Budapest" is the gambit, whether it is accepted or not; "the QGD" says that it is not.
    fn without_answer(&self, said: Range<usize>, name: String) -> String {
        const ANSWERS: [&str; 3] = ["accepted", "declined", "deferred"];
        let is_answer = |word: &str| {
            ANSWERS.iter().any(|answer| *answer == word || spelling::slip(word, answer).is_some())
        };
        let Some((gambit, answer)) = name.rsplit_once(' ') else { return name };
        let parts = words::texts(gambit);
        let is_part = |at: usize| {
            names::is_of_opening(self.word(at)) && parts.iter().any(|part| part == self.word(at))
        };
        let names_gambit =
            said.clone().any(is_part) && !said.clone().any(|at| is_answer(self.word(at)));
        let is_known =
            || names::opening(gambit, 1).first().is_some_and(|found| found.name == gambit);
        match is_answer(&answer.to_lowercase()) && names_gambit && is_known() {
            true => gambit.to_owned(),
            false => name,
        }
    }

    /// "The Caro-Kann on the board, advance variation": the line that is said apart from its opening.
    fn line_of(&mut self, opening: &str) -> Option<String> {
        const NOUNS: [&str; 6] = ["variation", "attack", "gambit", "line", "system", "defence"];
        if opening.contains(':') {
            return None;
        }
        let is_free = |at: usize| {
            !self.filled.used[at] && !coverage::links(self.word(at)) && self.refusal(at).is_none()
        };
        let nouns = (1..self.sentence.words.len()).filter(|at| NOUNS.contains(&self.word(*at)));
        let found =
            nouns.flat_map(|at| (1..=3).rev().map(move |by| (at, by))).find_map(|(at, by)| {
                let from = at.checked_sub(by).filter(|from| (*from..=at).all(is_free))?;
                let said = self.sentence.words[from..=at].join(" ");
                let likest = names::opening(&format!("{opening} {said}"), 1).into_iter().next()?;
                let is_line = likest.name.starts_with(&format!("{opening}:"));
                (is_line && likest.similarity > SURE_LINE).then_some((from..at + 1, likest.name))
            });
        let (words, name) = found.or_else(|| self.line_by_word(opening))?;
        self.mark(words);
        Some(name)
    }

    /// "The Nimzo-Indian, the Rubinstein": the line with the word that no example has.
    fn line_by_word(&self, opening: &str) -> Option<(Range<usize>, String)> {
        let is_free = |at: &usize| {
            let word = self.word(*at);
            !self.filled.used[*at]
                && word.len() > 4
                && names::is_of_opening(word)
                && !nearest::is_known(word)
                && self.refusal(*at).is_none()
        };
        let mut places = (0..self.sentence.words.len()).filter(is_free);
        places.find_map(|at| {
            let said = format!("{opening}: {}", self.word(at));
            let likest = names::opening(&said, 3).into_iter().find(|found| {
                found.name.starts_with(&format!("{opening}:"))
                    && words::texts(&found.name).iter().any(|part| part == self.word(at))
            })?;
            Some((at..at + 1, likest.name))
        })
    }

    /// "Not the King's Gambit" beside another opening; a line of the same one is named.
    fn mark_other_opening(&mut self, name: &str) {
        let words = self.sentence.words;
        let begins = |at: &usize| {
            words[*at] == "not"
                || matches!(
                    (self.word(at - 1), self.word(*at)),
                    ("rather", "than") | ("instead", "of")
                )
        };
        let Some(not) = (1..words.len()).find(begins) else { return };
        let is_name = |at: &usize| {
            names::is_of_opening(self.word(*at))
                || matches!(
                    self.word(*at),
                    "the" | "gambit" | "defence" | "attack" | "system" | "opening"
                )
        };
        let end = (not + 1..words.len()).take_while(is_name).last();
        let Some(end) = end.filter(|end| *end > not + 1) else { return };
        let first = not + 1 + usize::from(words[not + 1] == "the");
        let refused = names::opening(&words[first..=end].join(" "), 1).into_iter().next();
        let family = |name: &str| name.split([':', ',']).next().unwrap_or_default().to_owned();
        if refused.is_some_and(|refused| {
            refused.similarity > SURE_LINE && family(&refused.name) != family(name)
        }) {
            self.mark(not - usize::from(words[not] != "not")..end + 1);
        }
    }

    /// "The Caro-Kann on the board, advance variation": the line with this name of the opening that is said apart from it.
    fn of_family(&mut self, name: &str) -> Option<String> {
        let line = name.split_once(": ")?.1;
        let is_free = |at: usize| !self.filled.used[at] && names::is_of_opening(self.word(at));
        let words = self.sentence.words;
        let places = (0..words.len()).flat_map(|from| (1..=3).rev().map(move |by| from..from + by));
        let mut free =
            places.filter(|place| place.end <= words.len() && place.clone().all(is_free));
        let (place, name) = free.find_map(|place| {
            let family = names::opening(&words[place.clone()].join(" "), 1).into_iter().next()?;
            let is_family = !family.name.contains(':') && family.similarity > SURE_LINE;
            let wanted = format!("{}: {line}", family.name);
            let likest = names::opening(&wanted, 1).into_iter().next().filter(|_| is_family)?;
            let is_line = likest.name.starts_with(&format!("{}:", family.name));
            (is_line && likest.similarity > SURE_LINE).then_some((place, likest.name))
        })?;
        self.mark(place);
        Some(name)
    }

    /// "The Marshall Gambit of the Ruy Lopez": the line of this opening with a word of the name, where that belongs to another.
    fn line_in_family(&mut self, name: &str) -> Option<String> {
        let words = self.sentence.words;
        let of = self.place_of("of the").or_else(|| self.place_of("in the"))?.end;
        let is_name = |at: &usize| {
            // "Ruy Lopez".
            let is_short = self.word(*at).len() == 3 && names::is_of_opening(self.word(*at + 1));
            (is_short || names::is_of_opening(self.word(*at)))
                && !self.filled.used[*at]
                && !self.is_apart(*at)
        };
        let end = (of..words.len().min(of + 3)).take_while(is_name).last()? + 1;
        let family = names::opening(&words[of..end].join(" "), 1).into_iter().next()?;
        if family.name.contains(':')
            || family.similarity < SURE_LINE
            || name.starts_with(&family.name)
        {
            return None;
        }
        let parts = words::texts(name.split_once(": ").map_or(name, |(_, line)| line));
        let is_own = |word: &&String| {
            let is_noun = matches!(
                word.as_str(),
                "gambit" | "variation" | "defence" | "defense" | "attack" | "system" | "opening"
            );
            word.len() > 4 && names::is_of_opening(word) && !is_noun
        };
        let word = parts.iter().find(is_own)?;
        let begin = format!("{}:", family.name);
        let line = names::opening(&format!("{begin} {word}"), 5).into_iter().find(|found| {
            found.name.starts_with(&begin) && words::texts(&found.name).contains(word)
        })?;
        self.mark(of..end);
        Some(line.name)
    }

    /// Words of the name of an opening that are said apart from it.
    fn mark_name(&mut self, name: &str) {
        let parts = words::texts(name);
        for at in 0..self.sentence.words.len() {
            let word = self.word(at);
            if word.len() > 3 && names::is_of_opening(word) && parts.iter().any(|part| part == word)
            {
                self.mark(at..at + 1);
            }
        }
    }
}
