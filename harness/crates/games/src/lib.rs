//! Games for viewers: annotated PGN as a [`tree`], texts that are [`pasted`], lists of large files,
//! names of openings, and the games of the ledger as they are [`viewed`].
//!
//! Knows the rules, and the games of the ledger; training data is made of games elsewhere.

pub mod eco;
pub mod list;
pub mod pasted;
mod score;
pub mod tree;
pub mod viewed;

pub use score::{MoveEval, chances, engine_eval, tagged_eval, tagged_for_mover, tcec_eval};
