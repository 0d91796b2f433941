//! The slots of what is asked of runs and games that there are, and of pages.

use std::ops::Range;

use serde_json::{Value, json};

use super::Filler;
use crate::intent::Intent;
use crate::tags::Tagged;
use crate::{kinds, numbers, past, verbs};

/// States of runs.
const STATES: [&str; 9] = [
    "running",
    "active",
    "failed",
    "crashed",
    "interrupted",
    "aborted",
    "stopped",
    "finished",
    "completed",
];

impl Filler<'_> {
    /// A page, and of the list of runs those that are wanted.
    pub(super) fn open_page(&mut self) {
        if let Some(run) = self.page_of_run() {
            self.set("run", Some(run));
            return;
        }
        let states: [(&str, &[&str]); 4] = [
            ("running", &["running", "active", "progress", "ongoing", "underway"]),
            (
                "failed",
                &[
                    "failed", "crashed", "failing", "errors", "broke", "broken", "break", "fail",
                    "crash", "died", "dead", "fails", "failures", "failure",
                ],
            ),
            ("interrupted", &["interrupted", "aborted", "stopped", "unfinished"]),
            ("finished", &["finished", "completed", "done"]),
        ];
        let state = states.iter().find(|(_, words)| self.has_state(words)).map(|(state, _)| *state);
        let ended = [
            ("failed", "went wrong"),
            ("failed", "gone wrong"),
            ("failed", "went badly"),
            ("failed", "went south"),
            ("failed", "went down"),
            ("failed", "ended badly"),
            ("finished", "ended well"),
            ("finished", "went well"),
            ("finished", "went through"),
            ("finished", "gone through"),
            ("finished", "come through"),
            ("finished", "came through"),
        ];
        let state = state
            .or_else(|| ended.iter().find(|(_, said)| self.phrase(said)).map(|(state, _)| *state));
        let goes_on = [
            "still going",
            "going on",
            "going right now",
            "under way",
            "cooking",
            "baking",
            "brewing",
            "in the oven",
            "in the works",
            "busy",
        ];
        let state =
            state.or_else(|| goes_on.iter().any(|said| self.phrase(said)).then_some("running"));
        let page = self.page().or(state.map(|_| "runs"));
        let kind = match page {
            None | Some("runs") => self.listed_kind(),
            Some(_) => None,
        };
        let page = page.or(kind.map(|_| "runs"));
        self.set("page", page);
        self.set("status", state.filter(|_| page == Some("runs")));
        self.set("kind", kind);
        self.name_verdicts();
    }

    /// "The page of run 23", "run 7's page", "the page of the last SPRT".
    fn page_of_run(&mut self) -> Option<String> {
        let is_number = |at: usize| self.word(at).starts_with(|sign: char| sign.is_ascii_digit());
        let words = 0..self.sentence.words.len();
        let numbered = words.clone().any(|at| self.word(at) == "run" && is_number(at + 1));
        let said = ["page of the", "page for the", "page of my", "page of our"];
        let of_kind =
            said.iter().any(|said| self.place_of(said).is_some()) && self.last_run(0).is_some();
        let written = self.sentence.tagged.iter().any(|token| token.text == "{run}");
        if !numbered && !of_kind && !written {
            return None;
        }
        self.has(&["page"]);
        self.run_of_games()
    }

    /// "Which SPRTs accepted H1": a list has runs by their state, and not by their result, which is named.
    fn name_verdicts(&mut self) {
        const VERDICTS: [&str; 12] = [
            "passed",
            "pass",
            "accepted",
            "rejected",
            "positive",
            "negative",
            "successful",
            "succeeded",
            "h0",
            "h1",
            "green",
            "red",
        ];
        let said = self.places(&VERDICTS);
        let words =
            said.iter().map(|at| *at..at + 1).filter(|words| !self.filled.used[words.start]);
        let words: Vec<_> = words.collect();
        for place in words {
            self.mark(place.clone());
            self.filled.named.push(place);
        }
    }

    /// The kind of the runs of a list: of "which SPRTs are stopped" `sprt`.
    fn listed_kind(&mut self) -> Option<&'static str> {
        let kind = kinds::command;
        let is_list = |at: usize| {
            let before = at.checked_sub(1).map_or("", |at| self.word(at));
            let is_each = matches!(before, "every" | "each" | "any" | "all" | "no");
            is_each
                || self.word(at).ends_with('s')
                || matches!(self.word(at + 1), "run" | "runs" | "tests")
        };
        let listed = (0..self.sentence.words.len())
            .find(|at| is_list(*at) && kind(self.word(*at)).is_some());
        let at = listed?;
        // "All runs except the SPRTs".
        if let Some(from) = self.refusal(at) {
            self.mark(from..at + 1);
            self.filled.named.push(from..at + 1);
            return None;
        }
        let found = kind(self.word(at));
        self.mark(at..at + 1);
        found
    }

    /// "Stop the SPRT and the match": one run is meant, and the second kind is named.
    pub(super) fn kinds(&mut self) {
        let kinds = (0..self.sentence.words.len())
            .filter_map(|at| Some((at, kinds::command(self.word(at))?)))
            .collect::<Vec<_>>();
        let Some((at, first)) = kinds.first().copied() else { return };
        self.mark(at..at + 1);
        if !self.intent.changes_runs() {
            return;
        }
        if let Some((at, _)) = kinds.into_iter().find(|(_, kind)| *kind != first) {
            let article = usize::from(matches!(self.word(at - 1), "the" | "last" | "my"));
            self.mark(at - article..at + 1);
            self.filled.named.push(at - article..at + 1);
        }
    }

    /// Whether one of these words is said. "All runs but the failed ones" has none of them, which is named.
    fn has_state(&mut self, wanted: &[&str]) -> bool {
        let refused = self.places(wanted).into_iter().find_map(|at| {
            let first =
                (0..at).rev().find(|at| !matches!(self.word(*at), "the" | "all" | "any"))?;
            let is_refusal = matches!(self.word(first), "but" | "except" | "not" | "without");
            is_refusal.then_some(first..at + 1)
        });
        let Some(words) = refused else { return self.has(wanted) };
        self.mark(words.clone());
        // "The failed ones, not the running ones" has a state that is wanted.
        let is_first = (0..words.start).all(|at| !STATES.contains(&self.word(at)));
        if is_first || self.word(words.start) != "not" {
            self.filled.named.push(words);
        }
        false
    }

    /// "The second game": the number of a noun that is counted in words before it.
    pub(super) fn ordinal(&mut self, noun: &str) -> Option<u32> {
        let ordinals = ["first", "second", "third"];
        let at = (1..self.sentence.words.len()).find(|at| self.word(*at) == noun)?;
        let number = ordinals.iter().position(|ordinal| *ordinal == self.word(at - 1))?;
        self.mark(at - 1..at + 1);
        Some(number as u32 + 1)
    }

    /// The run whose games are meant, by its id or number.
    pub(super) fn run_of_games(&mut self) -> Option<String> {
        let before_last = past::before_last(verbs::of_first_wish(self.sentence.words));
        if let Some(place) = before_last.filter(|place| !self.filled.used[place.start]) {
            self.mark(place);
            self.kinds();
            return Some(past::PREVIOUS.to_owned());
        }
        let named = self.written_run();
        let named = named.or_else(|| Some(self.number(&["run", "test"])?.to_string()));
        named.or_else(|| {
            let (words, _) = self.last_run(0)?;
            self.mark(words);
            Some("last".to_owned())
        })
    }

    /// "The last match", "this SPRT", "of the match", from a word on: a run by its kind; its words and its noun.
    fn last_run(&self, from: usize) -> Option<(Range<usize>, usize)> {
        let is_last = |word: &str| {
            matches!(word, "last" | "latest" | "newest" | "current" | "running" | "recent")
        };
        let is_noun = |at: &usize| kinds::is_of_run(self.word(*at));
        (from..self.sentence.words.len()).filter(is_noun).find_map(|noun| {
            let before = |by: usize| noun.checked_sub(by).map_or("", |at| self.word(at));
            let is_in = |word: &str| matches!(word, "in" | "of" | "from" | "during");
            let words = match before(1) {
                last if is_last(last) => noun - 1..noun + 1,
                "the" | "this" | "that" | "our" | "my" if is_in(before(2)) => noun..noun + 1,
                _ => return None,
            };
            (words.start >= from).then_some((words, noun))
        })
    }

    /// "Why did dev lose game 5": the player who lost it, which the game says.
    pub(super) fn loser(&mut self) {
        let is_player = |token: &&Tagged| matches!(token.text.as_str(), "{engine}" | "{rev}");
        let loses = |token: &&Tagged| {
            let before = |by: usize| token.from.checked_sub(by).map_or("", |at| self.word(at));
            matches!(
                self.word(token.to),
                "lose" | "loses" | "lost" | "crushed" | "beaten" | "mated"
            ) || (before(1) == "by" && before(2) == "lost")
        };
        let mut players = self.sentence.tagged.iter().filter(is_player);
        // "Why Black lost in game 9".
        let side = (0..self.sentence.words.len()).find(|at| {
            matches!(self.word(*at), "white" | "black")
                && matches!(self.word(at + 1), "lose" | "loses" | "lost" | "collapsed")
        });
        if let Some(at) = side.filter(|_| self.intent == Intent::WhyLost) {
            let side = self.word(at).to_owned();
            self.mark(at..at + 1);
            self.set("player", Some(side));
            return;
        }
        if self.intent == Intent::WhyLost
            && self.filled.slots.contains_key("game")
            && let Some(loser) = players.find(loses).cloned()
        {
            self.mark(loser.from..loser.to);
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

    pub(super) fn list_games(&mut self) {
        self.game_before_last();
        let run = self.run_of_games();
        self.set("run", run);
        let result = self.result();
        self.set("result", self.seen_by_player(result));
        self.chosen_games();
        self.bare_run();
        let player = self.first_players(1).into_iter().next();
        let opening = self.opening();
        self.set("opening", opening);
        self.set("player", player);
    }

    /// A game by its number, or the first one of a list: "the shortest loss of run 12".
    pub(super) fn one_game(&mut self) {
        self.game_before_last();
        if let Some((run, game)) = self.run_with_game() {
            self.set("run", Some(run));
            self.set("game", Some(game));
        } else {
            let run = self.run_of_games();
            self.set("run", run);
            let game = self.ordinal("game").or_else(|| self.number(&["game"]));
            self.set("game", game);
        }
        if !self.filled.slots.contains_key("game") && !self.first_of_list() {
            let game = self.number(&["games", ""]);
            self.set("game", game);
        }
        if self.filled.slots.contains_key("game") {
            self.bare_run();
            self.loser();
            let at = self.number(&["move"]);
            self.set("at", at);
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
        let mut choosing = ["sort", "nth", "ending", "min_plies", "max_plies", "result"].iter();
        let is_chosen = choosing
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
            ("lost", &["lost", "losses", "losing", "lose", "loses", "loss", "defeat", "defeats"]),
            ("won", &["won", "wins", "winning", "victories", "win", "victory"]),
            ("drawn", &["drawn", "draws", "drew", "draw", "tied"]),
        ];
        let exact =
            |words: &[&str]| self.sentence.words.iter().any(|word| words.contains(&word.as_str()));
        // "All games except the draws".
        let all = results.iter().flat_map(|(_, words)| self.places(words));
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
        results.iter().find(|(_, words)| self.has(words)).map(|(result, _)| *result)
    }

    pub(super) fn runs(&mut self) -> Value {
        if let Some(runs) = self.runs_by_kind() {
            return runs;
        }
        if let Some(runs) = self.one_before() {
            return runs;
        }
        let named = ["{run}", "{n}"];
        let tokens = self.sentence.tagged.iter();
        let list: Vec<usize> = tokens
            .filter(|tagged| named.contains(&tagged.text.as_str()))
            .filter(|tagged| {
                let behind = self.counted(tagged) != self.numbered(tagged);
                tagged.text == "{run}" || !behind
            })
            .map(|tagged| tagged.from)
            .collect();
        let is_id = |at: &usize| {
            let mut tokens = self.sentence.tagged.iter();
            tokens.any(|token| token.from == *at && token.text == "{run}")
        };
        if list.len() > 1 || list.iter().any(is_id) || self.names_run(&list) {
            for at in &list {
                self.mark(*at..at + 1);
                let chunk = self.sentence.split[*at].chunk;
                let same = self.sentence.split.iter().filter(|word| word.chunk == chunk).count();
                self.mark(*at..at + same);
            }
            let named = |at: &usize| match numbers::at(self.sentence.words, *at) {
                Some(number) if !is_id(at) => numbers::short(number.value),
                _ => self.typed(*at),
            };
            let mut typed: Vec<String> = list.iter().map(named).collect();
            if let [first, last] = list[..]
                && let Some(range) = self.range_of_runs(first, last)
            {
                typed = range;
            }
            if let ([_], Some((words, _))) = (list.as_slice(), self.last_run(0)) {
                self.mark(words);
                typed.push("last".to_owned());
            }
            return json!(typed);
        }
        if let Some(unknown) = self.unknown_run() {
            return json!([unknown]);
        }
        // Another number of runs cannot be compared, and "twice" counts none.
        let is_times = self.sentence.words.iter().any(|word| word == "twice");
        let count = self.attempt(|filler| {
            if is_times {
                return None;
            }
            let count = filler.number(&["run", "runs", "test", "tests", ""])?;
            (2..=6).contains(&count).then_some(count)
        });
        let count = count.or_else(|| self.count_of_kind());
        match count {
            Some(count @ 3..) => json!(format!("last {count}")),
            _ => json!("last two"),
        }
    }

    /// "Compare the last match with run 11".
    fn names_run(&self, list: &[usize]) -> bool {
        let [only] = list else { return false };
        only.checked_sub(1).is_some_and(|at| matches!(self.word(at), "run" | "runs"))
    }

    /// "Runs 20 to 23": all of them, up to six.
    fn range_of_runs(&mut self, first: usize, last: usize) -> Option<Vec<String>> {
        let number = |at: usize| numbers::at(self.sentence.words, at)?.count();
        let (from, to) = (number(first)?, number(last)?);
        let link = last.checked_sub(1).filter(|at| *at > first)?;
        let is_range = matches!(self.word(link), "to" | "through" | "until" | "till");
        if !is_range || to <= from || to - from > 5 {
            return None;
        }
        self.mark(link..link + 1);
        Some((from..=to).map(|run| run.to_string()).collect())
    }

    /// "The last SPRT and the one before": the last two of a kind.
    fn one_before(&mut self) -> Option<Value> {
        let before = [
            "one before it",
            "one before that",
            "one before",
            "previous one",
            "run before it",
            "run before that",
            "run before",
        ];
        let before = before.iter().find_map(|said| self.place_of(said))?;
        // "Run 4 and the one before": the other one is named.
        let number = self
            .unused("{n}")
            .into_iter()
            .find(|number| self.numbered(number).is_some_and(|at| self.word(at) == "run"));
        if let Some(number) = number {
            self.mark(number.from - 1..number.to);
            self.filled.named.push(before);
            return Some(json!([self.typed(number.from)]));
        }
        let (last, noun) = self.last_run(0)?;
        if last.len() < 2 || before.start < last.end {
            return None;
        }
        let kind = kinds::command(self.word(noun));
        self.mark(last);
        self.mark(before);
        self.set("kind", kind);
        Some(json!("last two"))
    }

    /// "The last three SPRTs": how many runs, and their kind.
    fn count_of_kind(&mut self) -> Option<u32> {
        let number = self.unused("{n}").into_iter().find(|number| {
            let noun = self.word(number.to);
            kinds::command(noun).is_some()
        })?;
        let count = numbers::at(self.sentence.words, number.from)?.count()?;
        if !(2..=6).contains(&count) {
            return None;
        }
        self.mark(number.from..number.to + 1);
        let noun = self.word(number.to);
        let kind = kinds::command(noun);
        self.set("kind", kind);
        Some(count)
    }

    /// "The last match with the last SPRT": runs by their kinds.
    fn runs_by_kind(&mut self) -> Option<Value> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some((words, noun)) = self.last_run(at) {
            at = words.end;
            if words.len() > 1 {
                found.push((words, kinds::command(self.word(noun))?));
            }
        }
        if found.len() < 2 {
            return None;
        }
        found.iter().for_each(|(words, _)| self.mark(words.clone()));
        let runs = found.iter().map(|(_, kind)| format!("last {kind}"));
        Some(json!(runs.collect::<Vec<_>>()))
    }

    /// Whether a page is said, and not refused: "the data page, not the suites".
    fn has_page(&mut self, words: &[&str]) -> bool {
        let places = self.places(words);
        let wanted: Vec<usize> =
            places.into_iter().filter(|at| self.refusal(*at).is_none()).collect();
        wanted.iter().for_each(|at| self.mark(*at..at + 1));
        !wanted.is_empty()
    }

    fn page(&mut self) -> Option<&'static str> {
        let pages = [
            ("compare", ["compare", "comparison"]),
            ("history", ["history", "commits"]),
            ("workers", ["workers", "worker"]),
            ("workers", ["machines", "computers"]),
            ("data", ["data", "datasets"]),
            ("practice", ["practise", "puzzles"]),
            ("board", ["board", "boards"]),
            ("games", ["games", "game"]),
            ("pgn", ["pgn", "files"]),
            ("suite", ["suite", "suites"]),
            ("start", ["start", "new"]),
            ("start", ["home", "homepage"]),
            ("runs", ["runs", "run"]),
            ("runs", ["tests", "experiments"]),
            ("runs", ["tournaments", "matches"]),
            ("runs", ["sprts", "tunings"]),
            ("runs", ["results", "result"]),
        ];
        let found = pages.iter().find(|(_, words)| self.has_page(words)).map(|(page, _)| *page);
        if found.is_some() {
            let refused = pages.iter().flat_map(|(_, words)| self.places(words));
            let refused = refused.filter_map(|at| Some(self.refusal(at)?..at + 1));
            let refused: Vec<_> = refused.collect();
            refused.into_iter().for_each(|words| self.mark(words));
        }
        let start = found != Some("start") && self.has(&["starting"]);
        if start { Some("start") } else { found }
    }
}
