//! A search job of the UCI session: from `go` to `bestmove`.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::lag::Taken;
use super::options::{JobOptions, Tunable};
use super::output::Output;
use super::show;
use crate::board::Move;
use crate::search::{Budget, Limits, Pondering, Progress, Root, SearchResult, Searcher};

/// A search to run.
pub(super) struct Job {
    pub root: Root,
    pub limits: Limits,
    /// `bestmove` waits for `stop`.
    pub infinite: bool,
    pub options: JobOptions,
    /// Where it is noted how long the search took.
    pub taken: Taken,
}

/// Longest search whose lines are printed with its best move.
const SHORT: Duration = Duration::from_millis(10);

impl Job {
    /// Whether its clock lets it search for some milliseconds only.
    fn is_short(&self, budget: Budget) -> bool {
        let is_short = self.limits.clock.is_some() && budget.hard.is_some_and(|hard| hard < SHORT);
        is_short && !self.infinite && self.limits.pondering.is_none()
    }

    /// Searches, waits if the job is infinite or ponders, and calls `on_line` with the lines that are still to be
    /// printed, and the line to play.
    pub fn run<P: Tunable>(
        mut self,
        searcher: &mut Searcher<P>,
        stop: &AtomicBool,
        output: &Output,
        on_line: &mut dyn FnMut(&str, &[Move]),
    ) {
        let options = self.options;
        if let Some(strength) = options.strength {
            strength.limit(&self.root, &mut self.limits);
        }
        let number = self.root.position().fullmoves();
        let budget = Budget::new(&self.limits, number, searcher.params());
        if options.debug {
            output.info(&show::search_plan(&self.limits, budget, searcher.threads()));
        }
        let position = self.root.position();
        // Who reads a line takes a processor for it: those of a short search come together.
        let is_short = self.is_short(budget);
        let pending = RefCell::new(String::new());
        let mut report = |progress: &Progress| {
            let line = show::info_line(position, progress, options);
            if is_short {
                pending.borrow_mut().extend([&line, "\n"]);
            } else {
                output.line(&line);
            }
            ControlFlow::Continue(())
        };
        let mut on_outcome = |outcome: &SearchResult| {
            self.wait(stop);
            if options.debug {
                for summary in show::thread_summaries(position, outcome, options.chess960) {
                    output.info(&summary);
                }
            }
            if let Some(received) = self.limits.received {
                self.taken.set(received.elapsed());
            }
            on_line(&pending.take(), &outcome.last.pv);
        };
        searcher.search_with(&self.root, &self.limits, stop, &mut report, &mut on_outcome);
        if let Some(damage) = searcher.tablebase_damage() {
            output.info(&format!("a tablebase is damaged: {damage}"));
        }
    }

    /// Waits until `bestmove` may be printed: for `stop`, or for `ponderhit`.
    fn wait(&self, stop: &AtomicBool) {
        let pondering = self.limits.pondering.as_deref();
        let too_early =
            || self.infinite || pondering.is_some_and(|pondering| !Pondering::is_hit(pondering));
        while too_early() && !stop.load(Ordering::Acquire) {
            thread::park();
        }
    }
}
