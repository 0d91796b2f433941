//! Why no game can be played from an opening.

use thiserror::Error;

/// An opening from which no game can be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// Not a FEN.
    #[error("`{fen}` is not a FEN: {reason}")]
    NotFen {
        /// As given.
        fen: String,
        /// Description of the fault.
        reason: String,
    },
    /// A FEN of an illegal position.
    #[error("`{fen}` is not a legal position: {reason}")]
    Illegal {
        /// As given.
        fen: String,
        /// Description of the fault.
        reason: String,
    },
    /// An illegal book move.
    #[error("book move {number}, `{text}`, is illegal")]
    Move {
        /// Which, from 1.
        number: usize,
        /// The move.
        text: String,
    },
    /// A game of another variant.
    #[error("the Variant tag names `{0}`, whose openings are not those of chess")]
    OtherVariant(String),
    /// There is none.
    #[error("there is no game")]
    NoGame,
    /// The text behind its beginning may belong to another game.
    #[error("a comment or a variation of the game is not closed")]
    Unclosed,
    /// The text cannot be read.
    #[error("the game cannot be read: {0}")]
    NotRead(String),
    /// The game is over.
    #[error("the game is over at the end of the opening ({0})")]
    Over(&'static str),
}
