//! The slots of games between engines from the position on the board.

use super::Filler;
use crate::tags::Tagged;

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
        let itself = engines.len() == 1 && self.has(&["itself", "himself", "themselves"]);
        let against = engines.get(1).or(engines.first().filter(|_| itself));
        self.set("engine", engines.first().cloned());
        self.set("against", against.cloned());
        self.number_of_sides();
        let jobs = self.games_at_once();
        self.set("jobs", jobs);
        let pairs = self.number(&["pair", "pairs"]);
        let games = pairs.and_then(|pairs| pairs.checked_mul(2));
        if games.is_some() {
            let swapped = ["colours reversed", "colours swapped", "colours alternating"];
            swapped.iter().any(|said| self.phrase(said));
        }
        let games = games.or_else(|| self.written_times());
        let games =
            games.or_else(|| self.number(&["game", "games", "time", "times", "rounds", ""]));
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

    /// "Weiss with White, glaurung with Black": the engine that has White, by the words beside them.
    fn engine_with_white(&mut self) -> Option<String> {
        let is_engine = |token: &&Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}");
        let engines: Vec<&Tagged> = self.sentence.tagged.iter().filter(is_engine).collect();
        let [first, second] = engines[..] else { return None };
        let sides: Vec<usize> = (0..self.sentence.words.len())
            // "White to move" gives no engine a side.
            .filter(|at| matches!(self.word(*at), "white" | "black") && self.word(at + 1) != "to")
            .collect();
        let at = *sides.first()?;
        // "With white weiss", "weiss plays white".
        let is_behind = first.to <= at;
        let is_of_second = is_behind && second.from <= at && at.abs_diff(second.to) <= 4;
        let is_white = self.word(at) == "white";
        let white = if is_of_second == is_white { second } else { first };
        let name = match white.text.as_str() {
            "{rev}" => Some(self.revision(white)),
            _ => self.engine_of(white),
        }?;
        for at in sides {
            self.mark(at..at + 1);
        }
        self.has(&["pieces", "take", "takes", "taking"]);
        Some(name)
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
