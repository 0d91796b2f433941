//! Static evaluation: an NNUE network (embedded or from a file), or the hand-crafted evaluation.
//!
//! It knows the [`board`](crate::board) only. Start reading at [`Evaluator`], then [`nnue`] for the
//! networks or `handcrafted` for the terms: each has a middlegame and an endgame weight, and the sum
//! is tapered by the game phase.
//!
//! | file | subject |
//! |---|---|
//! | [`evaluation`], [`eval_file`] | the evaluation in use and the option that chooses it |
//! | [`nnue`] | networks |
//! | [`handcrafted`], [`tally`], [`weights`] | the sum of the hand-crafted terms, and their weights |
//! | [`pawns`], [`passed`], [`pieces`], [`king`], [`threats`], [`endgame`] | the terms |
//! | [`attacks`], [`masks`], [`psqt`], [`score`] | what the terms share |
//! | [`trace`], [`breakdown`] | coefficients for tuning, the table of the `eval` command |

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
mod psqt;
mod score;
mod tally;
mod threats;
mod trace;
mod weights;

use crate::board::{Color, Move, Position};

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

    /// Reports that a move (`None`: a null move) leads from a position to another, at `ply`. No
    /// value depends on it: an evaluator with incremental state is faster for what is reported.
    #[inline]
    fn played(&mut self, _before: &Position, _m: Option<Move>, _after: &Position, _ply: usize) {}
}

/// Groups of terms, for display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Pieces on the board, the bishop pair.
    Material,
    /// Piece-square tables.
    Placement,
    /// Mobility.
    Mobility,
    /// Outposts, open files and the like.
    Pieces,
    /// Pawn structure.
    Pawns,
    /// Passed pawns.
    Passed,
    /// King shelter and king danger.
    King,
    /// Attacked pieces.
    Threats,
    /// Mop-up evaluation of won endgames.
    Endgame,
    /// The side to move.
    Tempo,
}

impl Group {
    /// All groups, in the order of display.
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

    /// The displayed name.
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
