//! A search, and what is told of it.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::output::Output;
use super::{Tunable, show};
use crate::board::Move;
use crate::search::{
    Budget, Compared, Limits, Outcome, Pondering, Progress, Root, Searcher, Strength,
};

/// A search to do.
pub(super) struct Job {
    pub root: Root,
    pub limits: Limits,
    /// Hold the answer back until `stop`.
    pub infinite: bool,
    pub style: Style,
}

/// How to search and to tell of it, as options have it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    /// Castling is written as the king taking his rook.
    pub chess960: bool,
    /// Chances to win, draw and lose are told with each score.
    pub wdl: bool,
    /// What else there is to tell is told.
    pub debug: bool,
    /// Below the full strength.
    pub strength: Option<Strength>,
}

impl Job {
    /// Searches, waits as long as the answer is to be held back, and tells the line to play.
    pub fn run<P: Tunable>(
        mut self,
        searcher: &mut Searcher<P>,
        stop: &AtomicBool,
        output: &Output,
        answer: &mut dyn FnMut(&[Move]),
    ) {
        let (asked, style) = (self.limits.lines.max(1), self.style);
        if let Some(strength) = style.strength {
            strength.limit(&mut self.limits);
        }
        if style.debug {
            let budget = Budget::new(&self.limits, searcher.params());
            output.info(&show::plan(&self.limits, budget, searcher.threads()));
        }
        let position = self.root.position();
        let compared = RefCell::new(Compared::default());
        let mut report = |progress: &Progress| {
            if progress.line <= asked {
                output.line(&show::progress(position, progress, style));
            }
            if style.strength.is_some() {
                compared.borrow_mut().note(progress);
            }
            ControlFlow::Continue(())
        };
        let mut conclude = |outcome: &Outcome| {
            self.hold_back(stop);
            if style.debug {
                for account in show::accounts(position, outcome, style.chess960) {
                    output.info(&account);
                }
            }
            let compared = compared.borrow();
            let chosen =
                style.strength.and_then(|strength| strength.choose(&self.root, compared.lines()));
            answer(chosen.map_or(&outcome.last.pv, |line| &line.pv));
        };
        searcher.search_and_answer(&self.root, &self.limits, stop, &mut report, &mut conclude);
        if let Some(damage) = searcher.table_damage() {
            output.info(&format!("an endgame table is damaged: {damage}"));
        }
    }

    fn hold_back(&self, stop: &AtomicBool) {
        let pondering = self.limits.pondering.as_deref();
        let early =
            || self.infinite || pondering.is_some_and(|pondering| !Pondering::is_hit(pondering));
        while early() && !stop.load(Ordering::Acquire) {
            thread::park();
        }
    }
}
