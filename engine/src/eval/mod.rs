//! Static evaluation: an NNUE network (embedded or from a file), or the hand-crafted evaluation.
//!
//! It knows the [`board`](crate::board) only. Start reading at [`Evaluator`], then [`nnue`] for the
//! networks or `handcrafted` for the terms: each has a middlegame and an endgame weight, and the sum
//! is tapered by the game phase.
//!
//! | file | subject |
//! |---|---|
//! | [`evaluator`], [`evaluation`], [`eval_file`] | what evaluates; the evaluation in use and the option that chooses it |
//! | [`nnue`] | networks |
//! | [`handcrafted`], [`tally`], [`weights`] | the sum of the hand-crafted terms, and their weights |
//! | [`pawns`], [`passed`], [`pieces`], [`king`], [`threats`], [`endgame`] | the terms |
//! | [`attacks`], [`masks`], [`psqt`], [`score`], [`group`] | what the terms share |
//! | [`trace`], [`breakdown`] | coefficients for tuning, the table of the `eval` command |

mod attacks;
mod breakdown;
mod endgame;
mod eval_file;
mod evaluation;
mod evaluator;
mod group;
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

pub use breakdown::Breakdown;
pub use eval_file::{EvalFile, Loaded, embedded};
pub use evaluation::Evaluation;
pub use evaluator::{Evaluator, MAX_PLY};
pub use group::Group;
pub use handcrafted::{Handcrafted, PHASE_START, phase, taper};
pub use score::{FULL_SCALE, Score};
pub use trace::{Coefficients, NoTrace, Trace};
pub use weights::{KING_DANGER, KingDanger, Term, WEIGHTS, Weights};

/// Source text of the table of hand-crafted weights, for a fit that writes new numbers into it.
pub const WEIGHTS_SOURCE: &str = include_str!("weights.rs");
