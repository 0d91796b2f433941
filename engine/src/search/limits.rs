//! The limits of a search, and its root.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pondering::Pondering;
use super::weakness::Weakness;
use crate::board::{Move, Position};

/// The limits of a search. With the default it ends at the stop signal only.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Depth of the last iteration, in plies.
    pub depth: Option<u32>,
    /// Node limit, for all threads together.
    pub nodes: Option<u64>,
    /// Stop when a mate in at most this many moves is found.
    pub mate: Option<u32>,
    /// When `go` was received: time counts from here. `None`: from the start of the search.
    pub received: Option<Instant>,
    /// Wall time for the move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<Clock>,
    /// Whether the search is pondering: no time limit counts before the ponder hit.
    pub pondering: Option<Arc<Pondering>>,
    /// Time reserved per move for communication (`Move Overhead`).
    pub overhead: Duration,
    /// Time that a move has taken from the clock so far beyond its search: each further one will, too.
    pub lag: Duration,
    /// Number of lines with different first moves; 0 means 1 (`MultiPV`).
    pub multipv: u32,
    /// Root moves to search; empty: all.
    pub search_moves: Vec<Move>,
    /// Mistakes of a limited strength.
    pub weakness: Option<Weakness>,
}

/// The clock of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Remaining time; zero also when the clock is below zero.
    pub remaining: Duration,
    /// Increment after the move.
    pub increment: Duration,
    /// Moves until the next time control.
    pub moves_to_go: Option<u32>,
}

/// The root of a search: a position, and the keys of the earlier ones for repetitions.
#[derive(Clone, Debug)]
pub struct Root {
    position: Position,
    /// Keys of the earlier positions, oldest first.
    earlier_keys: Vec<u64>,
}

impl Root {
    /// The start of a game.
    pub fn new(position: Position) -> Root {
        Root { position, earlier_keys: Vec::new() }
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.earlier_keys.push(self.position.key());
        self.position.play(m);
    }

    /// The position to search.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the earlier positions, oldest first.
    pub(super) fn earlier_keys(&self) -> &[u64] {
        &self.earlier_keys
    }
}
