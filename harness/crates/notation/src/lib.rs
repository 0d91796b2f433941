//! The readers of games and positions: PGN and EPD.
//!
//! [`pgn`] is the lexer and the moves of games, [`epd`] lines of positions with their operations.

pub mod epd;
pub mod pgn;
