//! Tench, a UCI chess engine.
//!
//! | room | subject |
//! |---|---|
//! | [`board`] | positions, moves, legal move generation, hashing, static exchange, perft |

pub mod board;
