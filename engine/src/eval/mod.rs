//! What a position is worth.
//!
//! The hand-crafted evaluation adds up terms, each with a weight for the middlegame and one for
//! the endgame, and tapers between the two by the material on the board. A network, the one in the
//! program or one read from a file, can take its place.

mod attacks;
mod breakdown;
mod endgame;
mod eval_file;
mod evaluation;
mod handcrafted;
mod king;
mod masks;
pub mod nnue;
mod passed;
mod pawns;
mod pieces;
mod placement;
mod score;
mod tally;
mod threats;
mod trace;
mod weights;

use crate::board::{Color, Position};

pub use breakdown::Breakdown;
pub use endgame::FULL_SCALE;
pub use eval_file::{EvalFile, Loaded, embedded};
pub use evaluation::Evaluation;
pub use handcrafted::{Handcrafted, PHASE_START, phase, taper};
pub use score::Score;
pub use trace::{Coefficients, NoTrace, Trace};
pub use weights::{KING_DANGER, KingDanger, Term, WEIGHTS, Weights};

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
}

/// Kinds of terms, for showing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Pieces on the board, the bishop pair.
    Material,
    /// The squares they stand on.
    Placement,
    /// Squares they can go to.
    Mobility,
    /// Outposts, open files and the like.
    Pieces,
    /// Pawns among themselves.
    Pawns,
    /// Passed pawns.
    Passed,
    /// Shelter of the kings, and what threatens them.
    King,
    /// Attacked pieces.
    Threats,
    /// Advice for won endgames.
    Endgame,
    /// The right to move.
    Tempo,
}

impl Group {
    /// All groups, in the order in which they are shown.
    pub const ALL: [Group; 10] = [
        Group::Material,
        Group::Placement,
        Group::Mobility,
        Group::Pieces,
        Group::Pawns,
        Group::Passed,
        Group::King,
        Group::Threats,
        Group::Endgame,
        Group::Tempo,
    ];

    /// The name to show.
    pub fn name(self) -> &'static str {
        match self {
            Group::Material => "material",
            Group::Placement => "placement",
            Group::Mobility => "mobility",
            Group::Pieces => "pieces",
            Group::Pawns => "pawns",
            Group::Passed => "passed",
            Group::King => "king",
            Group::Threats => "threats",
            Group::Endgame => "endgame",
            Group::Tempo => "tempo",
        }
    }
}
