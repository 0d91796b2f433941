//! Tench, a UCI chess engine.
//!
//! Modules import only those above them in this list.
//!
//! | module | subject |
//! |---|---|
//! | [`board`] | positions, moves, legal move generation, hashing, static exchange, perft |
//! | [`params`] | the tunable parameters of the search |
//! | [`tablebase`] | Syzygy endgame tablebases |
//! | [`book`] | Polyglot opening books |
//! | [`eval`] | static evaluation: networks and the hand-crafted terms |
//! | [`search`] | the tree search, its drivers, its threads |
//! | [`bench`] | the signature of the search |
//! | [`uci`] | commands in, info out, options |

pub mod bench;
pub mod board;
pub mod book;
pub mod eval;
pub mod params;
pub mod search;
pub mod tablebase;
pub mod uci;
