//! What ends a search, and where it starts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pondering::Pondering;
use crate::board::{Move, Position};

/// What ends a search. The default ends only when it is told to stop.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The last iteration, in plies.
    pub depth: Option<u32>,
    /// Nodes to visit at most.
    pub nodes: Option<u64>,
    /// Stop when a mate in so many moves is found.
    pub mate: Option<u32>,
    /// When the search was asked for, from which on time counts; `None`: when it begins.
    pub asked: Option<Instant>,
    /// Wall time to use.
    pub move_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Whose clock runs, where that may change while the search is under way.
    pub pondering: Option<Arc<Pondering>>,
    /// What to allow for the way between the engine and the clock.
    pub overhead: Duration,
    /// Lines to find, each with another first move; 0 is 1 (`MultiPV`).
    pub lines: u32,
    /// Root moves to look at; empty: all.
    pub search_moves: Vec<Move>,
}

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left; zero also when the clock says less.
    pub remaining: Duration,
    /// Added after the move.
    pub increment: Duration,
    /// Moves until more time is added.
    pub moves_to_go: Option<u32>,
}

/// Where a search starts: a position, and the keys of those before it, for repetitions.
#[derive(Clone, Debug)]
pub struct Root {
    position: Position,
    /// Keys of earlier positions, oldest first.
    earlier: Vec<u64>,
}

impl Root {
    /// A game that starts here.
    pub fn new(position: Position) -> Root {
        Root { position, earlier: Vec::new() }
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.earlier.push(self.position.key());
        self.position.play(m);
    }

    /// The position to search.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of earlier positions, oldest first.
    pub(super) fn earlier(&self) -> &[u64] {
        &self.earlier
    }
}
