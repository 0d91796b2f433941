//! What a position is worth.
//!
//! The hand-crafted evaluation adds up terms, each with a weight for the middlegame and one for
//! the endgame, and tapers between the two by the material on the board.

mod handcrafted;
mod placement;
mod score;
mod tally;
mod trace;
mod weights;

use crate::board::{Color, Position};

pub use handcrafted::{Handcrafted, PHASE_START, phase, taper};
pub use score::Score;
pub use trace::{Coefficients, NoTrace, Trace};
pub use weights::{Term, WEIGHTS, Weights};

/// Says what a position is worth.
pub trait Evaluator {
    /// The value of the position in centipawns for the side to move. It looks at nothing ahead:
    /// call it in quiet positions, not in check.
    fn evaluate(&mut self, position: &Position) -> i32;
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
    /// The right to move.
    Tempo,
}

impl Group {
    /// All groups, in the order in which they are shown.
    pub const ALL: [Group; 4] = [Group::Material, Group::Placement, Group::Mobility, Group::Tempo];

    /// The name to show.
    pub fn name(self) -> &'static str {
        match self {
            Group::Material => "material",
            Group::Placement => "placement",
            Group::Mobility => "mobility",
            Group::Tempo => "tempo",
        }
    }
}
