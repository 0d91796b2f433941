//! Games that are counted by rounds, "500 rounds of 2 games", `-rounds 500 -games 2`, and those that are played one after
//! the other, or with the sides exchanged.

use std::ops::Range;

use super::Filler;
use crate::intent::Intent;
use crate::numbers;
use crate::tags::Tagged;

/// Nouns of what has several games.
const ROUNDS: [&str; 8] =
    ["round", "rounds", "iteration", "iterations", "encounters", "meetings", "matches", "steps"];

/// Words that say that no two games are played at once.
const IN_SEQUENCE: [&str; 5] = [
    "one after the other",
    "one after another",
    "one game after the other",
    "one game after another",
    "one by one",
];

/// Words that say that each engine has both sides in turn, as it is without them.
const SWAPPED: [&str; 16] = [
    "colours reversed",
    "colours swapped",
    "colours alternating",
    "colours alternate",
    "reversed colours",
    "swapped colours",
    "alternating colours",
    "alternate colours",
    "swapping colours",
    "sides swapped",
    "sides reversed",
    "sides alternating",
    "alternating sides",
    "swapped sides",
    "swapping sides",
    "alternate sides",
];

impl Filler<'_> {
    /// The games of all rounds, and the words that say them: "50 iterations of 64 games each".
    pub(super) fn games_of_rounds(&mut self) -> Option<(u32, Range<usize>)> {
        let words = self.sentence.words;
        let found = (0..words.len()).find_map(|at| {
            let rounds = numbers::at(words, at)?;
            let noun = at + rounds.words;
            let link = matches!(self.word(noun + 1), "of" | "with" | "at" | "by" | "a");
            let games = numbers::at(words, noun + 2)?;
            let end = noun + 2 + games.words;
            let is_said = ROUNDS.contains(&self.word(noun)) && link;
            let is_games =
                matches!(self.word(end), "game" | "games") && !self.is_of_games_at_once(end);
            let end = end + 1 + usize::from(matches!(self.word(end + 1), "each" | "apiece"));
            let all = rounds.count()?.checked_mul(games.count()?)?;
            (is_said && is_games && !self.filled.used[at]).then_some((all, at..end))
        })?;
        self.mark(found.1.clone());
        Some(found)
    }

    /// The games of `-rounds 500 -games 2`: as many in each round.
    pub(super) fn games_of_flags(&mut self) -> Option<u32> {
        let is_flag = |name: &str| {
            let mut words = self.sentence.words.iter().enumerate();
            words.any(|(at, word)| {
                (word == name && self.is_behind(at, '-'))
                    || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
            })
        };
        if !is_flag("rounds") || !is_flag("games") {
            return None;
        }
        self.attempt(|filler| {
            let rounds = filler.assigned_count(&["rounds"])?;
            rounds.checked_mul(filler.assigned_count(&["games"])?)
        })
    }

    /// Whether two players at most are named.
    fn names_two(&self) -> bool {
        let is_player = |token: &&Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}");
        let tagged = &self.sentence.tagged;
        let own = (0..tagged.len()).filter(|index| self.own_work(*index).is_some()).count();
        tagged.iter().filter(is_player).count() + own < 3
    }

    /// "Twelve games, one after the other": one at a time, where no more than two play.
    pub(super) fn in_sequence(&mut self) -> bool {
        let is_one = self.intent != Intent::Match || self.names_two();
        self.phrase("one at a time") || (is_one && IN_SEQUENCE.iter().any(|said| self.phrase(said)))
    }

    /// "Colours alternating": what is done in any case.
    pub(super) fn mark_swapped_sides(&mut self) {
        if SWAPPED.iter().any(|said| self.phrase(said)) {
            self.has(&["with"]);
        }
    }
}
