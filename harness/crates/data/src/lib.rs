//! Training data: positions with the scores that engines gave them in games.
//!
//! Whole games are stored (in the ledger, in PGN with scores in its comments, or in one of the
//! [`formats`] for games); a training set is a [`view`] of them, selected by a [`filter`]. Start
//! reading at [`record`], a labelled position, and [`sources`]. Knows the ledger, whose games it
//! reads, and the players, which [`generate`] games and [`analyse`] positions.

pub mod analyse;
pub mod book;
pub mod bulk;
pub mod chunks;
pub mod config;
pub mod convert;
pub mod dataset;
mod error;
pub mod filter;
pub mod flaws;
pub mod formats;
pub mod game;
pub mod generate;
pub mod head_to_head;
pub mod numbering;
pub mod pgn;
pub mod ratings;
pub mod record;
pub mod results;
pub mod shape;
pub mod sources;
pub mod split;
pub mod td_lambda;
pub mod validate;
pub mod view;

pub use error::{DataError, StateError};
