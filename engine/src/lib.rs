//! Tench, a UCI chess engine.
//!
//! | room | subject |
//! |---|---|
//! | [`board`] | positions, moves, legal move generation, hashing, static exchange, perft |
//! | [`eval`] | what a position is worth |
//! | [`search`] | one tree search, three drivers |
//! | [`params`] | every tunable number of the search |
//! | [`tablebase`] | Syzygy endgame tables |
//! | [`uci`] | commands in, info out, options |
//! | [`book`] | Polyglot opening books |
//! | [`bench`] | the signature of the search |

pub mod bench;
pub mod board;
pub mod book;
pub mod eval;
pub mod params;
pub mod search;
pub mod tablebase;
pub mod uci;
