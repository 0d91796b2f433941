//! Training data: positions with the scores that engines gave them in games.
//!
//! What is stored is the games (in the ledger, or any PGN with scores in its comments); what trains
//! is a view over them: [`filter`] says which positions, [`collect`] finds them.

pub mod book;
pub mod collect;
pub mod filter;
pub mod games;
pub mod record;
pub mod validate;
