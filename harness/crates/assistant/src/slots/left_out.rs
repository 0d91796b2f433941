//! The slots of lists of games: games that are left out, how many are wanted, one by its neighbour or place.

use std::ops::Range;

use super::Filler;
use super::listed::GAMES;
use crate::intent::Intent;
use crate::{coverage, kinds, numbers};

/// How it is said that something is left out, the longer ones first.
const LEAVING_OUT: [&str; 17] = [
    "leaving out",
    "leave out",
    "not counting",
    "not including",
    "apart from",
    "aside from",
    "other than",
    "save for",
    "but not",
    "without",
    "except",
    "excepted",
    "excluding",
    "omitting",
    "ignoring",
    "skipping",
    "minus",
];

/// How a greatest number of games is said before it.
const AT_MOST: [&str; 8] = [
    "at most",
    "no more than",
    "not more than",
    "up to",
    "maximum",
    "max",
    "limit to",
    "limited to",
];

/// Words behind a side that say where it is on the board: "with black at the bottom".
const PLACES: [&str; 9] = [
    "at the bottom",
    "on the bottom",
    "at the top",
    "on top",
    "below",
    "in low",
    "in front",
    "underneath",
    "down below",
];

impl Filler<'_> {
    /// "Leaving out losses on time", "without those by resignation": a list has no such filter, and it is named.
    pub(super) fn name_left_out(&mut self) {
        let said = LEAVING_OUT.iter().filter_map(|said| self.place_of(said));
        let Some(said) = said.min_by_key(|place| place.start).filter(|place| place.start > 0)
        else {
            return;
        };
        let is_of_run = |at: usize| {
            matches!(self.word(at), "in" | "of" | "from" | "during")
                && (at + 1..at + 4).any(|noun| kinds::is_of_run(self.word(noun)))
        };
        // "Except those of run 5".
        let has_noun = |at: usize| {
            let is_pronoun = |word: &str| matches!(word, "those" | "the" | "ones" | "any" | "all");
            (said.end..at).any(|at| !is_pronoun(self.word(at)))
        };
        let ends = |at: &usize| {
            self.is_apart(*at)
                || (is_of_run(*at) && has_noun(*at))
                || matches!(self.word(*at), "please" | "but")
        };
        let end = (said.end + 1..self.sentence.words.len()).find(ends);
        let end = end.unwrap_or(self.sentence.words.len());
        if said.end < end {
            self.name(said.start..end);
        }
    }

    /// Words that are named as not understood, and of which nothing else is read.
    pub(super) fn name(&mut self, words: Range<usize>) {
        self.mark(words.clone());
        self.filled.named.push(words);
    }

    /// "At most ten", "max 20 games": how many of a list are wanted.
    pub(super) fn most_games(&mut self) {
        if self.intent != Intent::ListGames || self.filled.slots.contains_key("most") {
            return;
        }
        let found = self.unused("{n}").into_iter().find_map(|number| {
            let said = AT_MOST.iter().find(|said| self.ends_with(number.from, said))?;
            let noun = self.word(number.to);
            let is_of_games = noun.is_empty()
                || self.is_apart(number.to)
                || matches!(noun, "game" | "games" | "please" | "of" | "results" | "in" | "from");
            let count = numbers::at(self.sentence.words, number.from)?.count()?;
            let games = usize::from(matches!(noun, "game" | "games" | "results"));
            let words = number.from - said.split(' ').count()..number.to + games;
            is_of_games.then_some((words, count))
        });
        if let Some((words, count)) = found {
            self.mark(words);
            self.set("most", Some(count));
        }
    }

    /// "The game that followed number 9", "the game right before game 12": the one next to it.
    pub(super) fn neighbour_of_game(&mut self) -> Option<u32> {
        let links = [
            ("followed", true),
            ("after", true),
            ("following", true),
            ("succeeded", true),
            ("before", false),
            ("preceding", false),
            ("preceded", false),
        ];
        let (words, game) = self.unused("{n}").into_iter().find_map(|number| {
            let is_silent = |at: &usize| {
                matches!(self.word(*at), "the" | "game" | "number" | "nr" | "no" | "one")
            };
            let link = (0..number.from).rev().take(4).find(|at| !is_silent(at))?;
            let (_, is_after) = links.iter().find(|(said, _)| *said == self.word(link))?;
            let is_game = |at: usize| matches!(self.word(at), "game" | "one");
            let has_noun = (link.saturating_sub(7)..link).any(is_game)
                && !(link.saturating_sub(7)..link)
                    .any(|at| is_game(at) && numbers::at(self.sentence.words, at + 1).is_some());
            let counts = coverage::stems(self.word(number.to))
                .any(|noun| matches!(noun, "move" | "game" | "ply" | "plie" | "minute" | "second"));
            let count = numbers::at(self.sentence.words, number.from)?.count()?;
            let game = if *is_after { count + 1 } else { count.checked_sub(1)? };
            let silent = (0..link).rev().take_while(|at| {
                matches!(
                    self.word(*at),
                    "that" | "right" | "immediately" | "directly" | "just" | "which"
                )
            });
            let from = silent.last().unwrap_or(link);
            (has_noun && !counts && game > 0).then_some((from..number.to, game))
        })?;
        self.mark(words);
        Some(game)
    }

    /// Whether an ordinal before "game" counts those that a clause behind it says: "the first game that it lost".
    pub(super) fn counts_games_of_clause(&self) -> bool {
        (1..self.sentence.words.len()).any(|at| {
            self.word(at) == "game"
                && numbers::ordinal(self.word(at - 1)).is_some()
                && matches!(
                    self.word(at + 1),
                    "that" | "which" | "it" | "he" | "she" | "we" | "where"
                )
                && (at + 2..at + 6).any(|at| {
                    matches!(self.word(at), "lost" | "won" | "drew" | "lose" | "loses" | "dropped")
                })
        })
    }

    /// The move or half-move at which a game is opened. "Was it before move 40?" asks for none, and is named.
    pub(super) fn place_in_game(&mut self) {
        let ply = (0..self.sentence.words.len()).find_map(|at| {
            let number = numbers::at(self.sentence.words, at + 1)?;
            (self.word(at) == "ply").then_some((at..at + 1 + number.words, number.count()?))
        });
        if let Some((words, ply)) = ply.filter(|_| self.intent == Intent::OpenGame) {
            self.mark(words);
            self.set("ply", Some(ply));
            return;
        }
        let bounded = self.unused("{n}").into_iter().find_map(|number| {
            let noun = self.numbered(&number).filter(|at| self.word(*at) == "move")?;
            let link = noun.checked_sub(1)?;
            let link = if self.word(link) == "the" { link.checked_sub(1)? } else { link };
            let is_bound = match self.word(link) {
                "before" | "until" | "till" => true,
                "after" | "from" | "behind" => self.intent == Intent::WhyLost,
                _ => false,
            };
            is_bound.then_some(link..number.to)
        });
        if let Some(words) = bounded {
            self.name(words);
            return;
        }
        let at = self.number(&["move"]);
        self.set("at", at);
    }

    /// "With black at the bottom": how the board is shown, and no filter.
    pub(super) fn is_place_of_side(&self, end: usize) -> Option<usize> {
        let is_said = |said: &&&str| {
            said.split(' ').enumerate().all(|(by, word)| self.word(end + by) == word)
        };
        PLACES.iter().find(is_said).map(|said| end + said.split(' ').count())
    }

    /// "Won by Black": a list has results by player, and not by colour alone.
    pub(super) fn name_winner_by_colour(&mut self) -> bool {
        let found = (0..self.sentence.words.len()).find(|at| {
            GAMES.contains(&self.word(*at))
                && matches!(self.word(at + 1), "by" | "for")
                && matches!(self.word(at + 2), "white" | "black" | "whites" | "blacks")
        });
        if let Some(at) = found {
            self.name(at..at + 3);
        }
        found.is_some()
    }

    /// "Weiss flagged", "when toga2 crashed": the player before a verb that ends the game lost it.
    pub(super) fn loses_by(&self, ending: &Range<usize>) -> bool {
        let is_active = matches!(
            self.word(ending.start),
            "flagged" | "crashed" | "stalled" | "hung" | "disconnected" | "forfeited"
        );
        let is_player = |token: &crate::tags::Tagged| {
            matches!(token.text.as_str(), "{engine}" | "{rev}") && token.to == ending.start
        };
        is_active && self.sentence.tagged.iter().any(is_player)
    }

    /// "Was it time forfeit or a bad position?": of a question about reasons no ending is a filter.
    pub(super) fn asks_for_ending(&self, ending: &Range<usize>) -> bool {
        let near = ending.start.saturating_sub(4)..ending.end + 4;
        self.intent == Intent::WhyLost && near.into_iter().any(|at| self.word(at) == "or")
    }
}
