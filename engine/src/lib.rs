//! Tench, a UCI chess engine.
//!
//! | room | subject |
//! |---|---|
//! | [`board`] | positions, moves, legal move generation, hashing, static exchange, perft |
//! | [`eval`] | what a position is worth |

pub mod board;
pub mod eval;
