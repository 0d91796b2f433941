//! A game, move by move, as the viewer of the pages needs it.

use serde::Serialize;

/// A game as the viewer shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewedGame {
    /// Its place in the run, both from 1: `12.1` is the first game of pair 12.
    pub key: String,
    /// Name of the white player.
    pub white: String,
    /// Name of the black player.
    pub black: String,
    /// The result as PGN writes it.
    pub result: &'static str,
    /// How it ended: `checkmate`, `time forfeit`, ...
    pub ending: String,
    /// The same in words, from the last comment; empty where it says nothing.
    pub reason: String,
    /// Name of its variant, as in its tag; none of usual chess.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<&'static str>,
    /// FEN of the first position.
    pub start: String,
    /// Index of the move before the largest fall of the loser's score.
    pub swing: Option<usize>,
    /// Its moves.
    pub plies: Vec<ViewedPly>,
}

/// A move of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewedPly {
    /// The move in SAN.
    pub san: String,
    /// The move in UCI; in Chess960 castling is the king taking its rook.
    pub uci: String,
    /// FEN of the position after it.
    pub fen: String,
    /// White's score in centipawns; a mate in `n` plies is 30000 - `n`.
    pub cp: Option<i32>,
    /// White's score as text: `+0.31`, `-M5`.
    pub score: Option<String>,
    /// Depth of the search, in plies.
    pub depth: Option<u32>,
    /// Time of the search, in milliseconds.
    pub ms: Option<u64>,
    /// Nodes of the search.
    pub nodes: Option<u64>,
    /// Milliseconds left on the mover's clock.
    pub clock: Option<u64>,
    /// Whether it is of the book.
    pub book: bool,
}
