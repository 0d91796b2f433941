//! The slots of what is asked of the test bench.

use serde_json::json;

use super::{Filler, listed};
use crate::intent::Intent;
use crate::limits::{self, Meant};
use crate::tags::{REVISION_NOUNS, Tagged};

/// Words between "against" and a player, beside [`REVISION_NOUNS`].
const BEFORE_PLAYER: [&str; 11] =
    ["the", "our", "my", "last", "old", "older", "earlier", "stable", "one", "previous", "latest"];

fn is_before_player(word: &str) -> bool {
    BEFORE_PLAYER.contains(&word) || REVISION_NOUNS.contains(&word)
}

/// Words for a file from which games begin.
const BOOKS: [&str; 4] = ["book", "books", "openings", "from"];

/// Tuning methods, as they are said and as the harness names them.
const METHODS: [(&str, &str); 13] = [
    ("spsa", "spsa"),
    ("cmaes", "cmaes"),
    ("cma es", "cmaes"),
    ("bayesian", "bayes"),
    ("bayes", "bayes"),
    ("gaussian process", "bayes"),
    ("particle swarm", "pso"),
    ("pso", "pso"),
    ("nelder mead", "nelder-mead"),
    ("screened", "screened"),
    ("simulated annealing", "annealing"),
    ("annealing", "annealing"),
    ("nelder-mead", "nelder-mead"),
];

/// The method that is chosen by the test bench.
const CHOSEN: [(&str, &str); 17] = [
    ("choose the method", "auto"),
    ("pick the method", "auto"),
    ("select the method", "auto"),
    ("choose a method", "auto"),
    ("pick a method", "auto"),
    ("method of your choice", "auto"),
    ("automatic method", "auto"),
    ("whatever method you think is best", "auto"),
    ("whatever method you like", "auto"),
    ("whatever method", "auto"),
    ("whichever method", "auto"),
    ("any method", "auto"),
    ("whatever works best", "auto"),
    ("the best method", "auto"),
    ("method is best", "auto"),
    ("method you like", "auto"),
    ("auto", "auto"),
];

impl Filler<'_> {
    /// The slots of what is asked of the test bench.
    pub fn fill_for_bench(&mut self) {
        match self.intent {
            Intent::Sprt => self.sprt(),
            Intent::Match => self.match_of_engines(),
            Intent::Suite => self.suite_of_positions(),
            Intent::Tune => self.tune(),
            Intent::StopRun | Intent::ResumeRun | Intent::RunStatus | Intent::DeleteRun => {
                let run = self.run();
                if run.is_none() {
                    self.has(&["newest", "latest", "recent"]);
                }
                self.set("run", Some(run.unwrap_or_else(|| "last".to_owned())));
                self.kinds();
            }
            Intent::WhyLost | Intent::OpenGame => self.one_game(),
            Intent::ListGames => self.list_games(),
            Intent::CompareRuns => {
                let runs = self.runs();
                self.set("runs", Some(runs));
                self.mark_refused_kinds();
            }
            Intent::OpenPage => self.open_page(),
            // The explorer has the games of its own list.
            Intent::Explorer => {
                let own = ["my own games", "my games", "own games"];
                let place = own.iter().find_map(|said| self.place_of(said));
                self.filled.named.extend(place);
            }
            _ => {}
        }
    }

    fn sprt(&mut self) {
        let bounds = self.bounds();
        let said =
            ["non regression", "nonregression", "no regression", "not a regression", "no worse"];
        let is_non_regression = said.iter().any(|said| self.phrase(said));
        // Those of the form for a new run.
        let non_regression = is_non_regression.then(|| json!([-5, 0]));
        self.set("bounds", bounds.or(non_regression));
        // It has a greatest number of games, and no least one.
        let least = [
            "at least",
            "no fewer than",
            "no less than",
            "not less than",
            "not fewer than",
            "minimum",
        ];
        let has_least = least.iter().any(|said| self.place_of(said).is_some());
        let rounds = self.games_of_flags();
        let games = if has_least { None } else { rounds.or_else(|| self.number_of_games()) };
        let games = games.or_else(|| self.assigned_count(&["games", "max-games"]));
        if games.is_some() {
            self.has(&["stop", "after", "maximum", "max", "most"]);
        }
        self.set("games", games);
        self.error_rates();
        let seed = self.seed();
        self.set("seed", seed);
        self.options();
        let book = self.book();
        self.set("book", book);
        let limit = self.limit();
        self.without_increment(limit.as_deref());
        self.set("limit", limit);
        self.pondering();
        self.mark_refused_kinds();
        self.mark_valued();
        // It has two: a third one is named.
        let mut players = self.first_players(2);
        if let [only] = players.as_slice()
            && only.as_str() != "HEAD"
            && ["its parent", "its predecessor", "the commit before it"]
                .iter()
                .any(|said| self.phrase(said))
        {
            let parent = format!("{only}~1");
            players.push(parent);
        }
        // "Main~1 -> main" is the old one and the new one.
        let has_arrow =
            ["->", "=>", "\u{2192}"].iter().any(|sign| self.sentence.text.contains(sign));
        if players.len() > 1 && (has_arrow || self.is_reversed() || self.opponent_is_first()) {
            players.swap(0, 1);
        }
        let place =
            |names: &[&str]| self.sentence.words.iter().position(|word| names.contains(&&**word));
        if let (Some(old), Some(new)) =
            (place(&["old", "base", "baseline"]), place(&["new", "candidate"]))
            && old < new
            && players.len() > 1
        {
            players.swap(0, 1);
        } else if let [first, second, ..] = players.as_slice()
            && (self.is_called(second, &["new", "newer", "candidate", "patched"])
                || self.is_called(first, &["old", "older", "base", "baseline", "reference"]))
        {
            players.swap(0, 1);
        }
        if players.len() > 1 {
            self.has(&["candidate", "challenger", "baseline", "base", "reference"]);
        }
        let only_old = players.len() == 1 && self.names_old();
        let mut players = players.into_iter();
        let new = if only_old { None } else { players.next() };
        self.set("new", new);
        self.set("old", players.next());
    }

    /// Whether a player is said to be one of these: "dev is the new one", "with main as the base".
    fn is_called(&self, player: &str, names: &[&str]) -> bool {
        let words = self.sentence.words;
        (2..words.len()).filter(|&at| names.contains(&words[at].as_str())).any(|at| {
            let filled = matches!(words[at - 1].as_str(), "the" | "our" | "my" | "a");
            let verb = at - 1 - usize::from(filled);
            matches!(words[verb].as_str(), "is" | "being" | "as" | "=")
                && verb > 0
                && words[verb - 1].eq_ignore_ascii_case(player)
        })
    }

    /// Whether an older version is named: "test against v1.2".
    pub(super) fn names_old(&self) -> bool {
        let is_old = |at: usize| matches!(self.word(at), "against" | "than" | "over");
        (1..self.sentence.words.len()).any(|at| is_old(at - 1) && self.is_player(at))
    }

    /// "Against v1.2 I want my tree in an SPRT": the opponent is named before the player.
    fn opponent_is_first(&self) -> bool {
        let is_player = |index: &usize| {
            let token = &self.sentence.tagged[*index];
            matches!(token.text.as_str(), "{rev}" | "{engine}") || self.own_work(*index).is_some()
        };
        let mut players = (0..self.sentence.tagged.len()).filter(is_player);
        let before = |index: usize| {
            let from = self.sentence.tagged[index].from;
            let mut before = (0..from).rev().map(|at| self.word(at));
            before.find(|word| !is_before_player(word)).unwrap_or_default()
        };
        let first = players.next().is_some_and(|index| before(index) == "against");
        first
            && players
                .next()
                .is_some_and(|index| !matches!(before(index), "and" | "against" | "or"))
    }

    /// Whether a player is named from this word on, with "the last release" before it.
    fn is_player(&self, at: usize) -> bool {
        let at = (at..).find(|at| !is_before_player(self.word(*at))).unwrap_or(at);
        let mut tokens = self.sentence.tagged.iter();
        tokens.any(|token| token.from == at && matches!(token.text.as_str(), "{rev}" | "{engine}"))
    }

    fn match_of_engines(&mut self) {
        self.phrase("head to head");
        let seed = self.seed();
        self.set("seed", seed);
        let is_swiss = !self.places(&["swiss"]).is_empty();
        let rounds = (!is_swiss).then(|| self.games_of_rounds()).flatten();
        let games = rounds.map(|(games, _)| games).or_else(|| self.games_of_flags());
        let games = games.or_else(|| self.number_of_games());
        let games = games.or_else(|| self.assigned_count(&["games"]));
        self.mark_swapped_sides();
        self.options();
        let book = self.book();
        self.set("book", book);
        let limit = self.limit();
        self.without_increment(limit.as_deref());
        self.set("limit", limit);
        self.pondering();
        self.mark_refused_kinds();
        self.mark_valued();
        let games = games.or_else(|| self.games_of_double());
        let format = self.format();
        let is_swiss = format == Some("swiss");
        let rounds =
            if is_swiss || games.is_none() { self.number(&["round", "rounds"]) } else { None };
        self.set("rounds", rounds.filter(|_| is_swiss));
        let mut players = self.players();
        self.name_other_players();
        if self.is_reversed() && players.len() > 1 {
            players.swap(0, 1);
        }
        if let [only] = players.as_slice()
            && self.has(&["itself", "himself", "oneself", "themselves"])
        {
            let only = only.clone();
            players.push(only);
            self.phrase("self play");
        }
        self.count_of(players.len());
        let plain = if games.is_none() { self.number(&["time", "times", ""]) } else { None };
        let games = games.or(plain);
        self.set("games", games);
        self.set("first", players.first().cloned());
        self.set("second", players.get(1).cloned());
        let others = players.get(2..).unwrap_or_default();
        self.set("others", listed(others));
        if players.len() > 2 {
            // People mean by a tournament that all play all.
            self.set("format", Some(format.unwrap_or("round-robin")));
        } else {
            self.set("format", format.filter(|format| *format != "round-robin"));
        }
        match (rounds, plain) {
            // A round may be a game of each two engines, or a pair of games as elsewhere.
            (Some(rounds), _) if !is_swiss && games.is_none() => {
                self.set("games", rounds.checked_mul(2));
                self.or("games", "games", rounds);
            }
            (None, Some(count)) if is_swiss => self.or("games", "rounds", count),
            _ => {}
        }
    }

    /// "Stockfish, toga2 and the others": players that are not named.
    fn name_other_players(&mut self) {
        let is_article = |at: usize| matches!(self.word(at), "the" | "all");
        let others = (2..self.sentence.words.len()).find(|at| {
            matches!(self.word(*at), "others" | "rest")
                && is_article(at - 1)
                && matches!(self.word(at - 2), "and" | "against" | "the" | "all")
                && !matches!(self.word(at + 1), "is" | "of" | "as" | "default")
        });
        if let Some(at) = others {
            self.mark(at - 1..at + 1);
            self.filled.named.push(at - 1..at + 1);
        }
    }

    /// "Without increment" beside a clock that has none.
    fn without_increment(&mut self, limit: Option<&str>) {
        let has_none = |limit: &str| !limit.contains(['+', '=']) || limit.ends_with("+0");
        if limit.is_some_and(has_none) {
            let none = ["no increment", "without increment", "without an increment", "no inc"];
            none.iter().any(|said| self.phrase(said));
        }
    }

    /// A number of games; none at all stay unread.
    fn number_of_games(&mut self) -> Option<u32> {
        self.attempt(|filler| filler.number(&["game", "games"]).filter(|games| *games > 0))
    }

    fn format(&mut self) -> Option<&'static str> {
        let phrases = [
            ("not play each other", "gauntlet"),
            ("each in turn", "gauntlet"),
            ("in turn", "gauntlet"),
            ("one after the other", "gauntlet"),
            ("round robin", "round-robin"),
            ("each against each", "round-robin"),
            ("everybody plays everybody", "round-robin"),
            ("everyone plays everyone", "round-robin"),
            ("everybody against everybody", "round-robin"),
            ("everyone against everyone", "round-robin"),
            ("all against all", "round-robin"),
            ("all play all", "round-robin"),
            ("gauntlet", "gauntlet"),
            ("knockout", "knockout"),
            ("knock out", "knockout"),
            ("swiss", "swiss"),
            ("pyramid", "pyramid"),
        ];
        // "One after the other" of two players is no format.
        let is_free = |filler: &Self, phrase: &str| {
            filler.place_of(phrase).is_some_and(|place| !filler.filled.used[place.start])
        };
        let mut phrases = phrases
            .iter()
            .filter(|(phrase, _)| !phrase.starts_with("one after") || is_free(self, phrase));
        let (phrase, format) = *phrases.find(|(phrase, _)| self.place_of(phrase).is_some())?;
        self.phrase(phrase);
        Some(format)
    }

    fn suite_of_positions(&mut self) {
        let suite = self.suite();
        self.set("suite", suite);
        self.several_suites();
        self.options();
        self.name_positions();
        let lines =
            self.number(&["line", "lines", "variation", "variations", "pv", "pvs", "multipv"]);
        self.set("lines", lines);
        // A position has no clock: "a minute each" is for each.
        let limit = self.limit_as(|meant| match meant {
            Meant::Minutes { base, increment: 0.0 } => {
                Some(Meant::MoveSeconds(base * 60.0).limit())
            }
            Meant::GameSeconds { base, increment: 0.0 } => Some(Meant::MoveSeconds(*base).limit()),
            meant => Some(meant.limit()).filter(|limit| limits::flag(limit).0 != "tc"),
        });
        self.set("limit", limit);
        self.mark_refused_kinds();
        let players = self.players();
        self.name_other_players();
        self.count_of(players.len());
        self.set("engine", players.first().cloned());
        self.set("others", listed(players.get(1..).unwrap_or_default()));
    }

    /// "The first 50 lines", "lines 10 to 40", "only line 17": a run has all positions of its suite, and which ones are
    /// wanted is named; "with 3 lines" is a number of variations.
    fn name_positions(&mut self) {
        let is_noun = |word: &str| matches!(word, "line" | "lines" | "position" | "positions");
        let range = |filler: &Self, number: &Tagged| {
            let before = |by: usize| number.from.checked_sub(by).map_or("", |at| filler.word(at));
            let is_first = matches!(before(1), "first" | "last");
            // "First 50 only".
            let noun = usize::from(is_noun(filler.word(number.to)));
            if is_first {
                return Some(number.from - 1..number.to + noun);
            }
            let is_numbered =
                is_noun(before(1)) || matches!((before(2), before(1)), ("lines", "from"));
            if !is_numbered || filler.is_apart(number.from) {
                return None;
            }
            let link = usize::from(matches!(filler.word(number.to), "to" | "until" | "and"));
            let last = filler.sentence.tagged.iter();
            let mut last = last.filter(|token| token.text == "{n}");
            let last = last.find(|token| link > 0 && token.from == number.to + link);
            let from = number.from - 1 - usize::from(before(1) == "from");
            Some(from..last.map_or(number.to, |last| last.to))
        };
        let ranges = self.unused("{n}").into_iter().find_map(|number| range(self, &number));
        if let Some(mut words) = ranges {
            let before = words.start.checked_sub(1).map_or("", |at| self.word(at));
            words.start -= usize::from(before == "only");
            words.end += usize::from(self.word(words.end) == "only");
            self.mark(words.clone());
            self.filled.named.push(words);
        }
    }

    /// "All suites": a run has one, and the others are named.
    fn several_suites(&mut self) {
        let is_all = |at: &usize| matches!(self.word(*at), "all" | "every" | "each" | "both");
        let all = (0..self.sentence.words.len()).find(is_all);
        let noun = all.and_then(|all| {
            (all + 1..all + 4)
                .find(|at| matches!(self.word(*at), "suite" | "suites"))
                .map(|at| all..at + 1)
        });
        self.filled.named.extend(noun);
    }

    fn tune(&mut self) {
        let file = self.configuration().or_else(|| self.written("{file}"));
        self.set("file", file);
        let jobs = self.games_at_once();
        self.set("jobs", jobs);
        // "My engine's parameters": which engine that is, the file says.
        let index = (0..self.sentence.tagged.len()).find(|index| self.own_work(*index).is_some());
        if let Some((words, _)) = index.and_then(|index| self.own_work(index)) {
            self.mark(words);
            self.set("engine_of_file", Some(true));
        } else if self.phrase("my engines") || self.phrase("our engines") {
            self.set("engine_of_file", Some(true));
        }
        let method = self.method();
        self.set("method", method);
        let seed = self.seed();
        self.set("seed", seed);
        // Of "50 iterations of 64 games" all games are set; how many an iteration has, the file says.
        let games = self.games_of_rounds().map(|(games, words)| {
            self.filled.named.push(words);
            games
        });
        let games = games.or_else(|| self.number(&["game", "games", ""]));
        if games.is_some() {
            self.has(&["stop", "after"]);
        }
        self.set("games", games);
    }

    /// The method; of "cma-es instead of spsa" the first.
    fn method(&mut self) -> Option<&'static str> {
        let methods = METHODS.iter().chain(&CHOSEN);
        let said = methods.filter_map(|(said, method)| Some((self.place_of(said)?, *method)));
        let (refused, wanted): (Vec<_>, Vec<_>) =
            said.partition(|(place, _)| self.refusal(place.start).is_some());
        let mut wanted = wanted.into_iter();
        let (place, method) = wanted.next()?;
        self.mark(place);
        // "PSO, using Nelder-Mead": a tuning has one.
        if let Some((other, _)) = wanted.find(|(_, other)| *other != method && *other != "auto") {
            self.mark(other.clone());
            self.filled.named.push(other);
        }
        for (place, _) in refused {
            self.mark(self.refusal(place.start).unwrap_or(place.start)..place.end);
        }
        Some(method)
    }

    /// The file that games begin from.
    fn book(&mut self) -> Option<String> {
        let file = self.written("{suite}").or_else(|| {
            // "PGN to out.pgn" is written.
            let token =
                self.unused("{file}").into_iter().find(|token| !self.is_written_to(token))?;
            self.mark(token.from..token.to);
            Some(self.typed(token.from))
        })?;
        self.has(&BOOKS);
        self.phrase("opening book");
        Some(file)
    }
}
