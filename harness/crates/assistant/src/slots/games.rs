//! The slots of games of runs: a list of them, or a single one.

use super::Filler;
use super::listed::CHOOSING;
use crate::intent::Intent;
use crate::numbers;
use crate::tags::Tagged;

impl Filler<'_> {
    pub(super) fn list_games(&mut self) {
        self.game_before_last();
        self.name_left_out();
        let run = self.run_of_games();
        self.set("run", run);
        let result = self.result();
        self.set("result", self.seen_by_player(result));
        self.chosen_games();
        self.most_games();
        self.bare_run();
        let player = self.first_players(1).into_iter().next();
        let opening = self.opening();
        self.set("opening", opening);
        self.set("player", player);
    }

    /// A game by its number, or the first one of a list: "the shortest loss of run 12".
    pub(super) fn one_game(&mut self) {
        self.game_before_last();
        self.name_left_out();
        if let Some((run, game)) = self.run_with_game() {
            self.set("run", Some(run));
            self.set("game", Some(game));
        } else {
            let neighbour = self.neighbour_of_game();
            let run = self.run_of_games();
            self.set("run", run);
            let counts = self.counts_games_of_clause();
            let ordinal = if counts { None } else { self.ordinal("game") };
            let game = neighbour.or(ordinal).or_else(|| self.number(&["game"]));
            self.set("game", game);
        }
        if !self.filled.slots.contains_key("game") && !self.first_of_list() {
            let game = self.number(&["games", ""]);
            self.set("game", game);
        }
        if self.filled.slots.contains_key("game") {
            self.bare_run();
            self.loser();
            self.place_in_game();
        }
    }

    /// What says which game of a list is meant, if anything does.
    fn first_of_list(&mut self) -> bool {
        let (slots, used) = (self.filled.slots.clone(), self.filled.used.clone());
        let result = self.result();
        let asks_why = self.intent == Intent::WhyLost;
        self.set("result", self.seen_by_player(result));
        self.chosen_games();
        // "Why did we lose" says no more than what is asked.
        let is_chosen = CHOOSING
            .iter()
            .any(|slot| self.filled.slots.contains_key(*slot) && (*slot != "result" || !asks_why));
        if !is_chosen {
            (self.filled.slots, self.filled.used) = (slots, used);
            return false;
        }
        if asks_why {
            self.set("result", Some("lost"));
        }
        self.bare_run();
        // The verb is no Open Variation.
        self.has(&["open"]);
        let opening = self.opening();
        self.set("opening", opening);
        let player = self.first_players(1).into_iter().next();
        self.set("player", player);
        true
    }

    /// "19/204", "8#3": game 204 of run 19.
    fn run_with_game(&mut self) -> Option<(String, u32)> {
        let found = self.sentence.split.iter().enumerate().find_map(|(at, word)| {
            let typed = &self.sentence.text[word.chunk.0..word.chunk.1];
            let (run, game) = typed.split_once(['/', '#'])?;
            let is_number = |text: &str| text.len() < 8 && text.bytes().all(|c| c.is_ascii_digit());
            let is_pair = !run.is_empty() && is_number(run) && is_number(game);
            let words = self.sentence.split[at..].iter().take_while(|one| one.chunk == word.chunk);
            is_pair.then(|| (at..at + words.count(), run.to_owned(), game.parse().ok()))
        });
        let (words, run, game) = found?;
        let game = game?;
        self.mark(words);
        Some((run, game))
    }

    /// "The losses in 23": the number of a run behind a word that says where, if no run is named otherwise.
    fn bare_run(&mut self) {
        if self.filled.slots.contains_key("run") {
            return;
        }
        let number = self.unused("{n}").into_iter().find(|number| {
            let before = number.from.checked_sub(1).map_or("", |at| self.word(at));
            let links = ["in", "of", "from", "for", "during"];
            let is_of_games =
                |noun: usize| noun < number.from && matches!(self.word(noun), "game" | "games");
            links.contains(&before) && self.counted(number).is_none_or(is_of_games)
        });
        let Some(number) = number else { return };
        let run = numbers::at(self.sentence.words, number.from).and_then(|number| number.count());
        self.mark(number.from..number.to);
        self.set("run", run.map(|run| run.to_string()));
    }

    /// "The second game": the number of a noun that is counted in words before it.
    pub(super) fn ordinal(&mut self, noun: &str) -> Option<u32> {
        let ordinals = ["first", "second", "third"];
        let at = (1..self.sentence.words.len()).find(|at| self.word(*at) == noun)?;
        let number = ordinals.iter().position(|ordinal| *ordinal == self.word(at - 1))?;
        self.mark(at - 1..at + 1);
        Some(number as u32 + 1)
    }

    /// "Why did dev lose game 5": the player who lost it, which the game says.
    pub(super) fn loser(&mut self) {
        let is_player = |token: &&Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}");
        let loses = |token: &&Tagged| {
            let before = |by: usize| token.from.checked_sub(by).map_or("", |at| self.word(at));
            // "Weiss managed to lose", "HEAD was beaten".
            let is_filler = |at: &usize| {
                matches!(
                    self.word(*at),
                    "managed"
                        | "manage"
                        | "manages"
                        | "to"
                        | "came"
                        | "come"
                        | "was"
                        | "got"
                        | "has"
                        | "had"
                        | "have"
                        | "could"
                        | "went"
                        | "ended"
                        | "up"
                        | "and"
                )
            };
            let verb = (token.to..token.to + 3).find(|at| !is_filler(at)).unwrap_or(token.to);
            matches!(
                self.word(verb),
                "losing" | "lose" | "loses" | "lost" | "crushed" | "beaten" | "mated"
            ) || (before(1) == "by" && before(2) == "lost")
        };
        let mut players = self.sentence.tagged.iter().filter(is_player);
        // "Why Black lost in game 9".
        let side = (0..self.sentence.words.len()).find(|at| {
            let of_side = matches!(self.word(*at), "whites" | "blacks")
                && matches!(self.word(at + 1), "defeat" | "loss" | "collapse");
            of_side
                || matches!(self.word(*at), "white" | "black")
                    && matches!(self.word(at + 1), "lose" | "loses" | "lost" | "collapsed")
        });
        if let Some(at) = side.filter(|_| self.intent == Intent::WhyLost) {
            let side = self.word(at).trim_end_matches('s').to_owned();
            self.mark(at..at + 1);
            self.set("player", Some(side));
            return;
        }
        if self.intent == Intent::WhyLost
            && self.filled.slots.contains_key("game")
            && let Some(loser) = players.find(loses).cloned()
        {
            self.mark(loser.from..loser.to);
            self.has(&["beaten", "crushed", "mated"]);
            let name = match loser.text.as_str() {
                "{rev}" => Some(self.revision(&loser)),
                _ => self.engine_of(&loser),
            };
            self.set("player", name);
            return;
        }
        let own = (0..self.sentence.tagged.len()).find_map(|index| self.own_work(index));
        if let Some((words, _)) = own.filter(|_| self.intent == Intent::WhyLost) {
            self.mark(words);
            self.set("player", Some("my engine"));
        }
    }

    /// The result for the player who is named: "wins against weiss" are games that weiss lost.
    fn seen_by_player(&self, result: Option<&'static str>) -> Option<&'static str> {
        let is_player = |token: &&Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}");
        let player = self.sentence.tagged.iter().find(is_player);
        let is_opponent = player.is_some_and(|player| {
            player.from.checked_sub(1).is_some_and(|at| self.word(at) == "against")
        });
        match result {
            Some("won") if is_opponent => Some("lost"),
            Some("lost") if is_opponent => Some("won"),
            result => result,
        }
    }

    fn result(&mut self) -> Option<&'static str> {
        let results: [(&str, &[&str]); 3] = [
            (
                "lost",
                &[
                    "lost", "losses", "losing", "lose", "loses", "loss", "defeat", "defeats",
                    "drop", "drops", "dropped",
                ],
            ),
            ("won", &["won", "wins", "winning", "victories", "win", "victory", "gained"]),
            ("drawn", &["drawn", "draws", "drew", "draw", "tied"]),
        ];
        if self.name_winner_by_colour() {
            return None;
        }
        let is_free = |at: &usize| !self.filled.used[*at];
        let exact = |words: &[&str]| {
            let mut said = (0..self.sentence.words.len()).filter(is_free);
            said.any(|at| words.contains(&self.word(at)))
        };
        // "All games except the draws".
        let all = results.iter().flat_map(|(_, words)| self.places(words)).filter(is_free);
        let refused: Vec<_> = all.filter_map(|at| Some(self.refusal(at)?..at + 1)).collect();
        if !refused.is_empty() {
            refused.iter().for_each(|words| self.mark(words.clone()));
            self.filled.named.extend(refused);
            return None;
        }
        let found = results.iter().find(|(_, words)| exact(words)).copied();
        if let Some((result, words)) = found {
            self.has(words);
            return Some(result);
        }
        let is_said = |filler: &Self, words: &[&str]| {
            filler.places(words).into_iter().any(|at| !filler.filled.used[at])
        };
        let (result, words) = results.iter().find(|(_, words)| is_said(self, words))?;
        self.has(words);
        Some(result)
    }
}
