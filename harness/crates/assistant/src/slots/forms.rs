//! The slots of runs that are described by a file, or have their engine in a flag: the gate, the generation of training
//! data, trainings, and the loop of both. What has no flag stays unread, and so is named.

use super::Filler;
use crate::intent::Intent;
use crate::limits::Meant;
use crate::numbers;
use crate::tags::Tagged;
use crate::words::file_extension;

/// Extensions of the files that describe a run.
const CONFIGURATIONS: [Option<&str>; 4] = [Some("yaml"), Some("yml"), Some("toml"), Some("json")];

/// Extensions of files of training data.
const DATA: [Option<&str>; 4] = [Some("vf"), Some("games"), Some("binpack"), Some("plain")];

/// A number alone is one of games from this on.
const FEWEST_GAMES: u32 = 100;

impl Filler<'_> {
    /// The slots of these runs.
    pub fn fill_forms(&mut self) {
        match self.intent {
            Intent::Gate => self.gate(),
            Intent::Generate => self.generate(),
            Intent::Train | Intent::Loop => {
                let file = self.configuration();
                self.set("file", file);
                self.mark_refused_kinds();
            }
            _ => {}
        }
    }

    /// A revision, and what it is compared with.
    fn gate(&mut self) {
        let file = self.configuration();
        self.set("file", file);
        let mut players = self.first_players(2);
        if self.is_reversed() && players.len() > 1 {
            players.swap(0, 1);
        }
        let is_base_alone = players.len() == 1 && self.names_old();
        let mut players = players.into_iter();
        let engine = if is_base_alone { None } else { players.next() };
        self.set("engine", engine);
        self.set("base", players.next());
    }

    fn generate(&mut self) {
        let output = self.output();
        self.set("output", output);
        let plies = self.random_plies();
        self.set("plies", plies);
        let seed = self.seed();
        self.set("seed", seed);
        let games = self.number(&["game", "games"]).or_else(|| self.games_of_data());
        let games = games.or_else(|| self.assigned_count(&["games"]));
        self.options();
        let games = games.or_else(|| self.games_alone());
        self.set("games", games);
        let engine = self.first_players(1).into_iter().next();
        self.set("engine", engine);
        // Its searches are limited by nodes alone.
        let nodes = |meant: &Meant| matches!(meant, Meant::Nodes(_)).then(|| meant.limit());
        let limit = self.limit_as(nodes);
        self.set("limit", limit);
    }

    /// "Ten thousand data games".
    fn games_of_data(&mut self) -> Option<u32> {
        let is_kind = |word: &str| matches!(word, "data" | "training" | "selfplay" | "self-play");
        let number = self.unused("{n}").into_iter().find(|number| {
            is_kind(self.word(number.to)) && matches!(self.word(number.to + 1), "games" | "game")
        })?;
        self.mark(number.from..number.to + 2);
        numbers::at(self.sentence.words, number.from)?.count()
    }

    /// The file of a configuration.
    pub(super) fn configuration(&mut self) -> Option<String> {
        let is_one =
            |token: &Tagged| CONFIGURATIONS.contains(&file_extension(self.word(token.from)));
        let token = self.unused("{file}").into_iter().find(is_one)?;
        self.mark(token.from..token.to);
        self.has(&["file", "configuration", "config", "settings", "described", "defined"]);
        Some(self.typed(token.from))
    }

    /// "Training games, 50,000 of them": a number of as many as are played, which counts nothing else.
    fn games_alone(&mut self) -> Option<u32> {
        let is_alone = |number: &Tagged| {
            let next = self.word(number.to);
            let of_them = next == "of" && matches!(self.word(number.to + 1), "them" | "those");
            let is_last = next.is_empty() || self.is_apart(number.to);
            let is_first = number.from == 0 || self.is_apart(number.from);
            of_them || (is_last && is_first)
        };
        let number = self.unused("{n}").into_iter().find(is_alone)?;
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        if count < FEWEST_GAMES {
            return None;
        }
        let of_them = if self.word(number.to) == "of" { 2 } else { 0 };
        self.mark(number.from..number.to + of_them);
        Some(count)
    }

    /// The file that is written: the one that is said to be, or the only file of data.
    fn output(&mut self) -> Option<String> {
        let files: Vec<Tagged> = self.unused("{file}");
        let written = files.iter().find(|token| self.is_written_to(token)).cloned();
        // "Not into old.vf but new.vf": another one is refused.
        let is_data = |token: &&Tagged| DATA.contains(&file_extension(self.word(token.from)));
        let mut data = files.iter().filter(is_data);
        let only = data.next().filter(|_| data.next().is_none()).cloned();
        let is_read = |token: &Tagged| {
            let before = token.from.checked_sub(1).map_or("", |at| self.word(at));
            matches!(before, "from" | "of" | "with" | "using" | "by" | "out")
        };
        let mut others = files.iter().filter(|token| {
            !CONFIGURATIONS.contains(&file_extension(self.word(token.from))) && !is_read(token)
        });
        let alone = others.next().filter(|_| others.next().is_none()).cloned();
        let token = written.or(only).or(alone)?;
        self.mark_refused_files();
        self.mark(token.from - usize::from(self.is_written_to(&token))..token.to);
        let is_behind = matches!((self.word(token.to), self.word(token.to + 1)), ("is", "the"));
        let before = token.from.checked_sub(1).map_or("", |at| self.word(at));
        if is_behind || before == "file" {
            self.has(&["file"]);
        }
        self.has(&["save", "saved", "write", "written", "output", "store", "stored"]);
        Some(self.typed(token.from))
    }

    /// The files that are refused beside the one that is written.
    fn mark_refused_files(&mut self) {
        let files = self.sentence.tagged.iter().filter(|token| token.text == "{file}");
        let refused = files.filter_map(|token| Some(self.refusal(token.from)?..token.to));
        let refused: Vec<_> = refused.collect();
        for words in refused {
            let end = words.end + usize::from(self.word(words.end) == "but");
            self.mark(words.start..end);
        }
    }

    /// Whether a file is written: "to out.pgn", "output games.vf".
    pub(super) fn is_written_to(&self, file: &Tagged) -> bool {
        let before = file.from.checked_sub(1).map_or("", |at| self.word(at));
        let is_file = before == "file" && self.intent == Intent::Generate;
        is_file
            || matches!(before, "to" | "into" | "as" | "output" | "out" | "named" | "called" | "o")
    }

    /// "8 random opening plies", "random plies 10", "the first 8 plies random".
    fn random_plies(&mut self) -> Option<u32> {
        let words = self.sentence.words;
        let first = (0..words.len()).find_map(|at| {
            let plies = numbers::at(words, at + 1).filter(|_| words[at] == "first")?;
            let noun = at + 1 + plies.words;
            let link = usize::from(matches!(self.word(noun + 1), "are" | "at" | "being"));
            let is_random = self.word(noun + 1 + link) == "random"
                && matches!(self.word(noun), "plies" | "moves" | "halfmoves");
            is_random.then_some((at..noun + 2 + link, plies.count()?))
        });
        if let Some((place, plies)) = first {
            self.mark(place);
            return Some(plies);
        }
        let is_random = |at: &usize| words[*at] == "random";
        let random = (0..words.len()).find(is_random)?;
        let noun = (random + 1..words.len()).find(|at| words[*at] != "opening")?;
        if !matches!(words[noun].as_str(), "plies" | "ply" | "moves" | "halfmoves") {
            return None;
        }
        let number = numbers::at(words, random.checked_sub(1)?).filter(|number| number.words == 1);
        let (number, from, to) = match number {
            Some(number) => (number, random - 1, noun + 1),
            None => {
                let number = numbers::at(words, noun + 1)?;
                (number, random, noun + 1 + number.words)
            }
        };
        self.mark(from..to);
        number.count()
    }
}
