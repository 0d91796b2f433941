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
        if let Some(place) = past::before_last(verbs::of_first_wish(self.sentence.words)) {
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
        }
    }

    pub(super) fn list_games(&mut self) {
        let result = self.result();
        self.set("result", self.seen_by_player(result));
        let run = self.run_of_games();
        self.set("run", run);
        let player = self.first_players(1).into_iter().next();
        let opening = self.opening();
        self.set("opening", opening);
        self.set("player", player);
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
        let results = [
            ("lost", ["lost", "losses", "losing", "lose", "loses"]),
            ("won", ["won", "wins", "winning", "victories", "win"]),
            ("drawn", ["drawn", "draws", "drew", "draw", "tied"]),
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
            self.has(&words);
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
        if list.len() > 1 || list.iter().any(is_id) {
            for at in &list {
                self.mark(*at..at + 1);
                let chunk = self.sentence.split[*at].chunk;
                let same = self.sentence.split.iter().filter(|word| word.chunk == chunk).count();
                self.mark(*at..at + same);
            }
            let mut typed: Vec<String> = list.iter().map(|at| self.typed(*at)).collect();
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

    /// "The last SPRT and the one before": the last two of a kind.
    fn one_before(&mut self) -> Option<Value> {
        let before = ["one before it", "one before that", "one before", "previous one"];
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
