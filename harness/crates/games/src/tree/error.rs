//! Errors of trees and their PGN.

use miette::Diagnostic;
use thiserror::Error;

/// A change that cannot be made, or a game that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
pub enum TreeError {
    /// No node has this number.
    #[error("there is no move number {0} in this game; it may have been deleted")]
    NoNode(u32),
    /// A start position that cannot be played from.
    #[error("`{fen}` is no position to play from: {reason}")]
    Position {
        /// As given.
        fen: String,
        /// Description of the fault.
        reason: String,
    },
    /// A FEN without all of a position; the numbers of moves may be missing.
    #[error("`{fen}` is no whole position: {missing}")]
    Cut {
        /// As given.
        fen: String,
        /// Description of what is missing, and what would say it.
        missing: &'static str,
    },
    /// A move that the rules do not allow.
    #[error("`{text}` is not a legal move in `{fen}`")]
    Illegal {
        /// As given.
        text: String,
        /// Where.
        fen: String,
    },
    /// A change of the start position that only moves can have.
    #[error("the start position has no move to change")]
    Root,
    /// A result that is none.
    #[error("`{0}` is no result; a game ends 1-0, 0-1, 1/2-1/2 or *")]
    Result(String),
    /// A tag that PGN cannot hold.
    #[error("`{0}` is no name of a tag: letters, digits and `_+#=:-` only")]
    Tag(String),
    /// A square or colour that is none.
    #[error(
        "`{0}` is no arrow or square: a colour (G, R, Y, B) and one or two squares, as in `Ge2e4`"
    )]
    Mark(String),
    /// More than a tree may hold.
    #[error("the game has more than {0} moves with all its variations")]
    TooMany(usize),
    /// A game of a file that cannot be read.
    #[error("game {game} of the PGN: {reason}")]
    Game {
        /// Which, from 1.
        game: usize,
        /// Description of the fault, and its place.
        reason: String,
    },
    /// No game where one is needed.
    #[error("the text holds no game in PGN")]
    NoGame,
}

impl From<TreeError> for String {
    fn from(error: TreeError) -> String {
        error.to_string()
    }
}
