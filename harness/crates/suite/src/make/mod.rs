//! Making a suite: positions of games in which exactly one move is much better than the rest.
//!
//! Candidates are searched and taken in an order that the seed fixes: the suite does not depend on
//! the number of players.

mod candidates;
mod contrast;
mod epd;
mod position;

use std::convert::Infallible;
use std::ops::ControlFlow;

use miette::Diagnostic;
use thiserror::Error;

pub use candidates::{Candidate, Candidates};
pub use contrast::Contrast;
pub use epd::{Naming, to_epd};
pub use position::SuitePosition;

use contrast::{SearchResult, Way, search};
use harness_base::session::Interrupt;
use harness_outcome::made_suite::MakeTally;
use harness_player::pool::{Ended, GivenUp, InOrder, Pool, Seats, Start};
use harness_player::{EngineSpec, Fault, FaultKind, Player};

/// Searches and sizes of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Nodes of the first search.
    pub nodes: u64,
    /// Nodes of the verification search.
    pub verify_nodes: u64,
    /// Least margin of the best move over the second best, in centipawns.
    pub margin: i32,
    /// Positions wanted.
    pub positions: usize,
}

/// Why no suite can be made with an engine.
#[derive(Debug, Error, Diagnostic)]
pub enum MakeError {
    /// It fails.
    #[error("{0}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    Engine(Fault),
    /// It failed several positions in a row.
    #[error(transparent)]
    #[diagnostic(transparent)]
    GivenUp(#[from] GivenUp),
    /// It cannot score the second best move.
    #[error("{engine} has no option `MultiPV` and does not respect `go searchmoves`")]
    #[diagnostic(help(
        "what the second best move is worth can be asked in these two ways only: choose another \
         engine, such as `builtin` or `stockfish`"
    ))]
    NoSecondBest {
        /// The engine.
        engine: String,
    },
}

/// Stage that a candidate reached.
enum Stage {
    Unclear,
    /// Clear in the first search, not in the second.
    ClearOnce,
    Verified(Contrast),
    Failed(String),
}

/// Searches candidates in their order until there are enough positions, `jobs` at the same time.
///
/// `show` is called after each candidate. An interrupt ends it early; what was found until then is
/// returned.
///
/// # Errors
/// [`MakeError`].
pub fn make(
    recipe: &Recipe,
    candidates: &[&Candidate],
    jobs: usize,
    engine: &EngineSpec,
    start: &Start<'_>,
    interrupt: &Interrupt,
    show: &mut dyn FnMut(&MakeTally),
) -> Result<(Vec<SuitePosition>, MakeTally), MakeError> {
    let jobs = jobs.min(candidates.len());
    let worker = |interrupt: &Interrupt| {
        let seats = Seats::new(start, interrupt);
        Worker { recipe, engine, seats, way: None }
    };
    let mut pool = Pool::new(jobs, interrupt, worker).map_err(MakeError::Engine)?;
    let work = |worker: &mut Worker<'_>, (number, candidate): (u64, &&Candidate)| {
        worker.verify(candidate).map(|stage| (number, stage))
    };
    let mut collector = Collector::default();
    let ended = pool.run((0..).zip(candidates), work, &mut |(number, stage)| {
        collector.take(number, stage, candidates, recipe.positions);
        show(&collector.tally);
        let enough = collector.found.len() >= recipe.positions;
        let flow = if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        Ok::<_, Infallible>(flow)
    });
    match ended {
        Ok(()) | Err(Ended::Interrupted) => {}
        Err(Ended::Worker(reason)) => return Err(reason),
        Err(Ended::Keeper(never)) => match never {},
    }
    collector.found.sort_by_key(|found| (found.candidate.game, found.candidate.ply));
    Ok((collector.found, collector.tally))
}

/// Takes results in the order of the candidates.
struct Collector {
    stages: InOrder<Stage>,
    tally: MakeTally,
    found: Vec<SuitePosition>,
}

impl Default for Collector {
    fn default() -> Collector {
        Collector { stages: InOrder::from(0), tally: MakeTally::default(), found: Vec::new() }
    }
}

impl Collector {
    fn take(&mut self, number: u64, stage: Stage, candidates: &[&Candidate], wanted: usize) {
        self.stages.put(number, stage);
        while self.found.len() < wanted
            && let Some((number, stage)) = self.stages.take()
        {
            self.tally.searched += 1;
            match stage {
                Stage::Unclear => {}
                Stage::Failed(_) => self.tally.failed += 1,
                Stage::ClearOnce => self.tally.kept += 1,
                Stage::Verified(contrast) => {
                    self.tally.kept += 1;
                    self.tally.verified += 1;
                    let candidate = candidates[number as usize].clone();
                    self.found.push(SuitePosition { candidate, contrast });
                }
            }
        }
    }
}

/// Searches one candidate after the other.
struct Worker<'a> {
    recipe: &'a Recipe,
    engine: &'a EngineSpec,
    seats: Seats<'a>,
    /// How the current player is searched for two moves.
    way: Option<Way>,
}

impl Worker<'_> {
    fn verify(&mut self, candidate: &Candidate) -> Result<Stage, MakeError> {
        let known = self.way.filter(|_| self.seats.has(0));
        let player = self.seats.one(0, self.engine).map_err(MakeError::Engine)?;
        let way = known.map_or_else(|| Way::prepare(player), Ok).map_err(MakeError::Engine)?;
        self.way = Some(way);
        let engine = player.name().to_owned();
        let stage = search_twice(self.recipe, player, way, candidate)?;
        match &stage {
            Stage::Failed(last) => self.seats.failed(0, &engine, last)?,
            _ => self.seats.answered(),
        }
        Ok(stage)
    }
}

/// Searches a candidate, and again with more nodes if it was clear.
fn search_twice(
    recipe: &Recipe,
    player: &mut dyn Player,
    way: Way,
    candidate: &Candidate,
) -> Result<Stage, MakeError> {
    let mut before: Option<Contrast> = None;
    for nodes in [recipe.nodes, recipe.verify_nodes] {
        let contrast = match search(player, way, candidate, nodes) {
            Ok(SearchResult::Contrast(contrast)) if contrast.is_clear(candidate, recipe.margin) => {
                contrast
            }
            Ok(SearchResult::Contrast(_) | SearchResult::Unclear) => {
                return Ok(if before.is_some() { Stage::ClearOnce } else { Stage::Unclear });
            }
            Ok(SearchResult::Useless(why)) => return Ok(Stage::Failed(why.to_owned())),
            Ok(SearchResult::IgnoresSearchMoves) => {
                return Err(MakeError::NoSecondBest { engine: player.name().to_owned() });
            }
            Err(fault)
                if matches!(
                    fault.kind,
                    FaultKind::Start
                        | FaultKind::Setting
                        | FaultKind::Changed
                        | FaultKind::Interrupted
                ) =>
            {
                return Err(MakeError::Engine(fault));
            }
            Err(fault) => return Ok(Stage::Failed(fault.to_string())),
        };
        if before.is_some_and(|before| before.best != contrast.best) {
            return Ok(Stage::ClearOnce);
        }
        before = Some(contrast);
    }
    Ok(before.map_or(Stage::Unclear, Stage::Verified))
}

#[cfg(test)]
mod tests;
