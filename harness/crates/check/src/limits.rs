//! Which limits end a search at all.
//!
//! An engine that never ends by a depth is found out once: its other checks search by a limit that
//! works, so that one fault is one finding and costs no patience again and again.

use std::time::Duration;

use super::checkup::{Checkup, Finding, FindingResult};
use super::ender::{Ender, STAND_INS, words};
use super::search::{MIDDLE_GAME, Violation};
use harness_player::probe::{Pair, find_ignored_limit};
use harness_player::search::{RawSearch, raw_search};
use harness_player::{Go, Limit, start};

/// Patience for a search that an engine ends in milliseconds.
const MAX_PATIENCE: Duration = Duration::from_secs(3);

impl Checkup<'_> {
    /// Finds what ends a search, after a search to depth 1 did not end.
    pub(super) fn find_ender(&mut self) {
        let found = STAND_INS.into_iter().find(|&ender| self.ends(ender));
        // The first search of a process may be a slow one.
        if let Some(ender) = found.filter(|_| !self.ends(Ender::Depth)) {
            self.ender = ender;
            self.expect_hangs();
        }
    }

    fn ends(&mut self, ender: Ender) -> bool {
        let patience = self.patience().min(MAX_PATIENCE);
        let go = ender.go(1);
        let commands = format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo {}\n", words(&go));
        let ended = self.with(|checkup| {
            checkup.start()?;
            raw_search(checkup.process()?, &commands, patience).map(drop)
        });
        ended.is_ok()
    }

    /// Whether a limit before the one that works is known not to end a search.
    pub(super) fn never_ends_by(&self, limit: Ender) -> bool {
        limit < self.ender
    }

    /// The limit of a search to this depth, or what stands in for it.
    pub(super) fn go(&self, depth: u8) -> Go {
        self.ender.go(depth)
    }

    /// The same as the words behind `go`.
    pub(super) fn go_words(&self, depth: u8) -> String {
        words(&self.go(depth))
    }

    /// A warning if another value of a limit gives the same search, each in a fresh process; `found`
    /// is the search with this one.
    pub(super) fn heeds(
        &mut self,
        limit: Limit,
        found: &RawSearch,
    ) -> Result<Option<Finding>, Violation> {
        let found = found.result();
        let pair = self.with(|checkup| {
            let again = || start(checkup.spec(), checkup.settings(), checkup.interrupt());
            find_ignored_limit(limit, found, false, &again)
        })?;
        Ok(pair.as_ref().map(ignored))
    }

    /// `go depth` ends no search; what does.
    pub(super) fn does_not_end_by_depth(&mut self) -> FindingResult {
        let patience = self.patience().min(MAX_PATIENCE);
        let commands = format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo depth 1\n");
        let searched = self.with(|checkup| raw_search(checkup.process()?, &commands, patience));
        let why =
            searched.map_or_else(|error| error.to_string(), |search| search.best_move.to_string());
        let plays = match self.ender {
            Ender::Nodes => "a number of nodes ends its searches (`--nodes 5000`)",
            Ender::MoveTime => "a time a move ends its searches (`--movetime 100ms`)",
            Ender::Depth | Ender::Clock => {
                "it plays by the clock only, neither `go nodes` nor `go movetime` ends a search: use \
                 `--tc 8+0.08`"
            }
        };
        Err(format!("{why}; {plays}, as the checks that follow do").into())
    }
}

/// Warning about two values of a limit that were compared.
fn ignored(pair: &Pair) -> Finding {
    let [small, large] = pair.limits;
    let [of_small, of_large] = pair.seen;
    Finding::Warned(format!(
        "it does not heed the limit: {of_small} at {small}, {of_large} at {large}"
    ))
}
