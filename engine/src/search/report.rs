//! The reports of a search: progress after each iteration, and the result.

use std::ops::ControlFlow;
use std::time::Duration;

use super::score::Score;
use crate::board::Move;

/// How a reported score relates to the true value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreBound {
    /// The value of a completed iteration.
    #[default]
    Exact,
    /// A lower bound: the iteration was stopped after a move was found that is worth this much, or the
    /// line of a mate could not be shown to its end.
    Lower,
    /// An upper bound: the line by which the side to move is mated could not be shown to its end.
    Upper,
}

/// The result of an iteration.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Number of the line among those of a MultiPV search, from 1.
    pub multipv: u32,
    /// Depth of the iteration in plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Score for the side to move.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: ScoreBound,
    /// Nodes of all threads since the search began; those of other threads as last published.
    pub nodes: u64,
    /// Successful tablebase probes since the search began.
    pub tb_hits: u64,
    /// Time since the search began.
    pub time: Duration,
    /// Share of the transposition table filled by this search, in thousandths.
    pub hashfull: u32,
    /// The principal variation.
    pub pv: Vec<Move>,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// `None` only when there is no legal move.
    pub best_move: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The last report of the best line.
    pub last: Progress,
    /// The result of each thread.
    pub threads: Vec<ThreadSummary>,
    /// The thread whose line is the best one.
    pub best_thread: usize,
}

/// The result of one thread.
#[derive(Clone, Copy, Debug)]
pub struct ThreadSummary {
    /// Nodes of the thread.
    pub nodes: u64,
    /// Its last completed iteration, in plies.
    pub depth: u32,
    /// Its score for the side to move.
    pub score: Score,
    /// Its best move.
    pub best_move: Option<Move>,
}

/// A report callback that ignores all progress.
pub fn no_report(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
