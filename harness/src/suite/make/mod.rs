//! Making a suite: positions of games in which exactly one move is much better than the rest.
//!
//! Candidates are judged in an order that the seed fixes and are taken in that order, so that the
//! suite does not depend on how many of them are searched at the same time.

mod candidates;
mod contrast;
mod epd;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

pub use candidates::{Candidate, Candidates};
pub use contrast::Contrast;
pub use epd::{Naming, to_epd};

use crate::context::Interrupt;
use crate::player::{Fault, FaultKind, Player};
use contrast::{Seen, Way, search};

/// What a suite is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Nodes of the first search.
    pub nodes: u64,
    /// Nodes of the search that verifies.
    pub verify_nodes: u64,
    /// Best less second best at least, in centipawns.
    pub margin: i32,
    /// Positions wanted.
    pub positions: usize,
}

/// A position of a new suite.
#[derive(Clone, Debug)]
pub struct Found {
    /// The position and where it is from.
    pub candidate: Candidate,
    /// As the verification saw it.
    pub contrast: Contrast,
}

/// How many candidates came how far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Searched.
    pub searched: u64,
    /// Clear after the first search.
    pub kept: u64,
    /// Clear after the second one, too.
    pub verified: u64,
    /// Searches that the engine failed in.
    pub failed: u64,
}

/// Why no suite can be made with an engine.
#[derive(Debug, Error, Diagnostic)]
pub enum MakeError {
    /// It fails.
    #[error("{0}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    Engine(Fault),
    /// It fails again and again.
    #[error("{engine} failed at {times} positions in a row; the last time: {last}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    Useless {
        /// The engine.
        engine: String,
        /// How often.
        times: u32,
        /// What happened the last time.
        last: String,
    },
    /// It cannot tell what the second best move is worth.
    #[error("{engine} has no option `MultiPV` and does not heed `go searchmoves`")]
    #[diagnostic(help(
        "what the second best move is worth can be asked in these two ways only: choose another \
         engine, such as `builtin` or `stockfish`"
    ))]
    NoSecondBest {
        /// The engine.
        engine: String,
    },
}

/// Failures in a row after which an engine is given up.
const MOST_FAILURES: u32 = 5;

/// Starts another player of the engine.
pub type Start<'a> = dyn Fn() -> Result<Box<dyn Player + Send>, Fault> + Sync + 'a;

/// How far a candidate came.
enum Judged {
    Unclear,
    /// Clear at first, but not when looked at again.
    Kept,
    Verified(Contrast),
    Failed(String),
}

/// Judges candidates in their order until there are enough positions, `jobs` at the same time.
///
/// `show` is told how far it is whenever a candidate was judged. An interrupt ends it early, and
/// what was found until then is given.
///
/// # Errors
/// [`MakeError`].
pub fn make(
    recipe: &Recipe,
    candidates: &[&Candidate],
    jobs: usize,
    start: &Start<'_>,
    interrupt: &Interrupt,
    show: &mut dyn FnMut(&Tally),
) -> Result<(Vec<Found>, Tally), MakeError> {
    let queue = Mutex::new(candidates.iter().enumerate());
    let next = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
    let stop = AtomicBool::new(false);
    let (sender, results) = mpsc::sync_channel(0);
    let mut taking = Taking::default();
    let outcome = thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, candidates.len().max(1)) {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            scope.spawn(move || {
                let mut worker = Worker { recipe, start, player: None, failures: 0 };
                while !stop.load(Ordering::Relaxed)
                    && !interrupt.is_set()
                    && let Some((index, candidate)) = next()
                {
                    let judged = worker.judge(candidate);
                    let failed = judged.is_err();
                    // A receiver that is gone has all it wants.
                    if sender.send((index, judged)).is_err() || failed {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (index, judged) in results {
            let judged = judged.inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            taking.take(index, judged, candidates, recipe.positions);
            show(&taking.tally);
            if taking.found.len() >= recipe.positions {
                stop.store(true, Ordering::Relaxed);
                break;
            }
        }
        Ok(())
    });
    match outcome {
        Err(MakeError::Engine(fault)) if fault.kind == FaultKind::Interrupted => {}
        outcome => outcome?,
    }
    taking.found.sort_by_key(|found| (found.candidate.game, found.candidate.ply));
    Ok((taking.found, taking.tally))
}

/// Takes what was judged in the order of the candidates.
#[derive(Default)]
struct Taking {
    /// Judged before an earlier candidate was.
    ahead: BTreeMap<usize, Judged>,
    next: usize,
    tally: Tally,
    found: Vec<Found>,
}

impl Taking {
    fn take(&mut self, index: usize, judged: Judged, candidates: &[&Candidate], wanted: usize) {
        self.ahead.insert(index, judged);
        while self.found.len() < wanted
            && let Some(judged) = self.ahead.remove(&self.next)
        {
            self.tally.searched += 1;
            match judged {
                Judged::Unclear => {}
                Judged::Failed(_) => self.tally.failed += 1,
                Judged::Kept => self.tally.kept += 1,
                Judged::Verified(contrast) => {
                    self.tally.kept += 1;
                    self.tally.verified += 1;
                    let candidate = candidates[self.next].clone();
                    self.found.push(Found { candidate, contrast });
                }
            }
            self.next += 1;
        }
    }
}

/// Judges one candidate after the other.
struct Worker<'a> {
    recipe: &'a Recipe,
    start: &'a Start<'a>,
    player: Option<(Box<dyn Player + Send>, Way)>,
    failures: u32,
}

impl Worker<'_> {
    fn judge(&mut self, candidate: &Candidate) -> Result<Judged, MakeError> {
        let (player, way) = match self.player.take() {
            Some(player) => self.player.insert(player),
            None => {
                let mut player = (self.start)().map_err(MakeError::Engine)?;
                let way = Way::prepare(player.as_mut()).map_err(MakeError::Engine)?;
                self.player.insert((player, way))
            }
        };
        let engine = player.name().to_owned();
        let judged = judge(self.recipe, player.as_mut(), *way, candidate)?;
        match &judged {
            Judged::Failed(last) => {
                // Whatever state it is in: the next candidate gets a fresh one.
                self.player = None;
                self.failures += 1;
                if self.failures >= MOST_FAILURES {
                    let (times, last) = (self.failures, last.clone());
                    return Err(MakeError::Useless { engine, times, last });
                }
            }
            _ => self.failures = 0,
        }
        Ok(judged)
    }
}

/// Searches a candidate, and again with more nodes if it was clear.
fn judge(
    recipe: &Recipe,
    player: &mut dyn Player,
    way: Way,
    candidate: &Candidate,
) -> Result<Judged, MakeError> {
    let mut before: Option<Contrast> = None;
    for nodes in [recipe.nodes, recipe.verify_nodes] {
        let contrast = match search(player, way, candidate, nodes) {
            Ok(Seen::Contrast(contrast)) if contrast.is_clear(candidate, recipe.margin) => contrast,
            Ok(Seen::Contrast(_) | Seen::Unclear) => {
                return Ok(if before.is_some() { Judged::Kept } else { Judged::Unclear });
            }
            Ok(Seen::Useless(why)) => return Ok(Judged::Failed(why.to_owned())),
            Ok(Seen::IgnoresSearchMoves) => {
                return Err(MakeError::NoSecondBest { engine: player.name().to_owned() });
            }
            Err(fault)
                if matches!(
                    fault.kind,
                    FaultKind::Start | FaultKind::Setting | FaultKind::Interrupted
                ) =>
            {
                return Err(MakeError::Engine(fault));
            }
            Err(fault) => return Ok(Judged::Failed(fault.to_string())),
        };
        if before.is_some_and(|before| before.best != contrast.best) {
            return Ok(Judged::Kept);
        }
        before = Some(contrast);
    }
    Ok(before.map_or(Judged::Unclear, Judged::Verified))
}

#[cfg(test)]
mod tests;
