//! The slots of a page that is opened.

use super::Filler;
use crate::kinds;

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
        let page = self.new_run().or_else(|| self.page()).or(state.map(|_| "runs"));
        let kind = match page {
            None | Some("runs") => self.listed_kind(),
            Some("start") => self.begun_kind(),
            Some(_) => None,
        };
        let page = page.or(kind.map(|_| "runs"));
        self.set("page", page);
        self.set("status", state.filter(|_| page == Some("runs")));
        self.set("kind", kind);
        self.name_verdicts();
    }

    /// "The form for a fresh run", "where I set up a run": the page of a new run, whatever else is said.
    fn new_run(&mut self) -> Option<&'static str> {
        const SAID: [&str; 12] = [
            "new run",
            "fresh run",
            "another run",
            "new test",
            "fresh test",
            "form for a",
            "form of a",
            "form where",
            "set up a run",
            "set up a test",
            "runs are started",
            "runs are begun",
        ];
        let place = SAID.iter().find_map(|said| self.place_of(said))?;
        if self.refusal(place.start).is_some() || self.refusal(place.end - 1).is_some() {
            return None;
        }
        self.mark(place);
        self.has(&["new", "fresh", "form", "set", "run"]);
        Some("start")
    }

    /// The kind of run that the form of a new one is to have: "the form for a fresh tuning".
    fn begun_kind(&mut self) -> Option<&'static str> {
        let words = 0..self.sentence.words.len();
        let at = words
            .into_iter()
            .find(|at| kinds::command(self.word(*at)).is_some() && self.refusal(*at).is_none())?;
        let kind = kinds::command(self.word(at));
        self.mark(at..at + 1);
        kind
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

    /// Whether a page is said, and not refused: "the data page, not the suites".
    fn has_page(&mut self, words: &[&str]) -> bool {
        let places = self.places(words);
        let wanted: Vec<usize> = places
            .into_iter()
            .filter(|at| self.refusal(*at).is_none() && !self.is_left(*at))
            .collect();
        wanted.iter().for_each(|at| self.mark(*at..at + 1));
        !wanted.is_empty()
    }

    /// "Get me out of this board and over to the list of runs": a page from which one goes away.
    fn is_left(&self, page: usize) -> bool {
        let before = |by: usize| page.checked_sub(by).map_or("", |at| self.word(at));
        let article = usize::from(matches!(before(1), "this" | "the" | "that" | "these"));
        let (link, verb) = (before(1 + article), before(2 + article));
        matches!(link, "leave" | "leaving" | "quit" | "exit")
            || (matches!(link, "of" | "from") && matches!(verb, "out" | "away" | "back"))
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
