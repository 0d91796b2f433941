//! The slots of games between engines from the position on the board.

use std::ops::Range;

use super::Filler;
use crate::numbers;
use crate::tags::Tagged;

/// Words between an engine and its side, at most.
const FARTHEST: usize = 4;

impl Filler<'_> {
    /// The engines, the games, and whether one of them has White in all of them.
    pub(super) fn play_out(&mut self) {
        let white = self.engine_with_white();
        let mut engines = self.first_players(2);
        if let Some(white) = white {
            // The engine that is named first has White in all games.
            self.set("no_swap", Some(true));
            if engines.get(1) == Some(&white) {
                engines.swap(0, 1);
            }
        }
        let itself = engines.len() == 1
            && (self.has(&["itself", "himself", "themselves"]) || self.names_twice());
        let against = engines.get(1).or(engines.first().filter(|_| itself));
        self.set("engine", engines.first().cloned());
        self.set("against", against.cloned());
        self.number_of_sides();
        let jobs = self.games_at_once();
        self.set("jobs", jobs);
        let pairs = self.number(&["pair", "pairs"]);
        let games = pairs.and_then(|pairs| pairs.checked_mul(2));
        self.mark_swapped_sides();
        let games = games.or_else(|| self.written_times());
        let games =
            games.or_else(|| self.number(&["game", "games", "time", "times", "rounds", ""]));
        let games = games.or_else(|| self.played_once());
        // "Have two engines finish this game".
        let said = ["finish this game", "finish the game", "to the end", "finish it"];
        let is_one = games.is_none() && said.iter().any(|said| self.place_of(said).is_some());
        self.set("games", games.or(is_one.then_some(1)));
        let limit = self.limit();
        self.set("limit", limit);
    }

    /// "Two engines" of which both are named, or both are the same, says nothing new.
    fn number_of_sides(&mut self) {
        self.number_if(&["engine", "engines", "player", "players"], 2);
        self.phrase("both sides");
    }

    /// "Weiss with White, glaurung with Black", "weiss with White in every one": the engine that has White, by the words
    /// beside the sides.
    fn engine_with_white(&mut self) -> Option<String> {
        let engines = self.named_engines();
        let (_, first) = engines.first()?;
        let second = engines.iter().map(|(_, name)| name).find(|name| *name != first)?;
        if engines.iter().any(|(_, name)| name != first && name != second) {
            return None;
        }
        let is_side = |word: &str| matches!(word, "white" | "black" | "whites" | "blacks");
        let sides: Vec<usize> = (0..self.sentence.words.len())
            // "White to move" gives no engine a side.
            .filter(|at| is_side(self.word(*at)) && self.word(at + 1) != "to")
            .collect();
        let at = *sides.first()?;
        // "With white weiss", "weiss plays white".
        let is_before = |words: &Range<usize>| words.end <= at && at - words.end <= FARTHEST;
        let near = engines.iter().rfind(|(words, _)| is_before(words));
        let owner = near.map_or(first, |(_, name)| name);
        let is_white = self.word(at).starts_with("white");
        let other = if owner == first { second } else { first };
        let name = if is_white { owner.clone() } else { other.clone() };
        // "Weiss and toga2, weiss with White".
        let again =
            near.filter(|(words, _)| engines[..].iter().take(2).all(|(first, _)| first != words));
        if let Some((words, _)) = again {
            self.mark(words.clone());
        }
        for at in sides {
            self.mark(at..at + 1);
        }
        self.has(&["pieces", "take", "takes", "taking"]);
        let all =
            ["in every one", "in each one", "in every game", "in all games", "in all of them"];
        if !all.iter().any(|said| self.phrase(said)) {
            self.has(&["always", "every", "throughout"]);
        }
        Some(name)
    }

    /// The engines as they are named, and their words; "my engine" is one of them.
    fn named_engines(&self) -> Vec<(Range<usize>, String)> {
        let tokens = self.sentence.tagged.iter().enumerate();
        let named = tokens.filter_map(|(index, token)| match token.text.as_str() {
            "{engine}" => Some((token.from..token.to, self.engine_of(token)?)),
            "{rev}" => Some((token.from..token.to, self.revision(token))),
            _ => self.own_work(index).map(|(words, name)| (words, name.to_owned())),
        });
        named.collect()
    }

    /// "Two stockfishes": an engine that plays itself.
    fn names_twice(&mut self) -> bool {
        let is_engine = |at: usize| {
            self.sentence.tagged.iter().any(|token| token.from == at && token.text == "{engine}")
        };
        let number = self.unused("{n}").into_iter().find(|number| is_engine(number.to));
        let is_two = |number: &Tagged| {
            numbers::at(self.sentence.words, number.from).is_some_and(|number| number.value == 2.0)
        };
        let number = number.filter(is_two);
        number.is_some_and(|number| {
            self.mark(number.from..number.to);
            true
        })
    }

    /// "Let it be finished once": one game. "Once more" is another wish.
    fn played_once(&mut self) -> Option<u32> {
        let at = self.sentence.words.iter().position(|word| word == "once")?;
        let before = at.checked_sub(1).map_or("", |at| self.word(at));
        let is_alone =
            before != "at" && !matches!(self.word(at + 1), "more" | "again" | "it" | "the");
        is_alone.then(|| {
            self.mark(at..at + 1);
            1
        })
    }

    /// `x20`, `20x`: this number of games.
    fn written_times(&mut self) -> Option<u32> {
        let found = self.sentence.words.iter().enumerate().find_map(|(at, word)| {
            let digits = word.strip_prefix('x').or_else(|| word.strip_suffix('x'))?;
            digits.parse().ok().filter(|count| *count > 0).map(|count| (at, count))
        });
        let (at, count) = found?;
        self.mark(at..at + 1);
        Some(count)
    }
}
