//! The interface of an evaluation.

use crate::board::{Move, Position};

/// Plies below the root of a search at which positions are evaluated, at most.
pub const MAX_PLY: usize = 128;

/// A static evaluation.
pub trait Evaluator {
    /// The value of the position in centipawns for the side to move, without lookahead: call it in
    /// quiet positions, not in check.
    fn evaluate(&mut self, position: &Position) -> i32;

    /// The same value. An evaluator with incremental state uses `ply`, the distance from the root
    /// (at most [`MAX_PLY`]), to find the state of the parent position.
    #[inline]
    fn evaluate_at(&mut self, position: &Position, _ply: usize) -> i32 {
        self.evaluate(position)
    }

    /// Reports that a move (`None`: a null move) leads from a position to another, at `ply`. No
    /// value depends on it: an evaluator with incremental state is faster for what is reported.
    #[inline]
    fn played(&mut self, _before: &Position, _m: Option<Move>, _after: &Position, _ply: usize) {}
}
