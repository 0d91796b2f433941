//! Training data: positions with the scores that engines gave them in games.
//!
//! What is stored is whole games (in the ledger, in any PGN with scores in its comments, or in one
//! of the [`formats`] for games); what trains is a view over them: [`filter`] says which positions.

pub mod analyse;
pub mod book;
pub mod bulk;
pub mod chunks;
pub mod collect;
pub mod config;
pub mod dataset;
pub mod filter;
pub mod flaws;
pub mod formats;
pub mod game;
pub mod generate;
pub mod pgn;
pub mod ratings;
pub mod record;
mod san;
pub mod shape;
pub mod validate;
