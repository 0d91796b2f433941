//! Why no game can be played from an opening.

use harness_base::text::brief;
use thiserror::Error;

/// Most characters of a line that are quoted.
const MAX_QUOTED: usize = 80;

/// An opening from which no game can be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// Not a FEN.
    #[error("`{}` is not a FEN: {}", brief(fen, MAX_QUOTED), brief(reason, 3 * MAX_QUOTED))]
    NotFen {
        /// As given.
        fen: String,
        /// Description of the fault.
        reason: String,
    },
    /// A line with bytes that no text has.
    #[error("this is no text: it begins with `{}`", brief(.0, MAX_QUOTED / 2))]
    NotText(String),
    /// A FEN of an illegal position.
    #[error("`{}` is not a legal position: {reason}", brief(fen, MAX_QUOTED))]
    Illegal {
        /// As given.
        fen: String,
        /// Description of the fault.
        reason: String,
    },
    /// An illegal book move.
    #[error("book move {number}, `{}`, is illegal", brief(text, MAX_QUOTED))]
    Move {
        /// Which, from 1.
        number: usize,
        /// The move.
        text: String,
    },
    /// A game of another variant.
    #[error("the Variant tag names `{}`, whose openings are not those of chess", brief(.0, MAX_QUOTED))]
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

impl OpeningError {
    /// Advice for the user of a book.
    pub fn advice(&self) -> &'static str {
        match self {
            OpeningError::Over(_) => {
                "leave the opening out, or end the openings of PGN games earlier with \
                 --opening-plies"
            }
            OpeningError::Move { .. }
            | OpeningError::Unclosed
            | OpeningError::NotRead(_)
            | OpeningError::NoGame => {
                "mend the game, leave it out, or end the openings before the fault with \
                 --opening-plies"
            }
            OpeningError::OtherVariant(_) => {
                "leave the game out, or play its variant with --variant"
            }
            OpeningError::NotFen { .. }
            | OpeningError::NotText(_)
            | OpeningError::Illegal { .. } => {
                "each line is a FEN or EPD (`#` begins a comment), or the file has games of PGN; \
                 Chess960 positions need --chess960"
            }
        }
    }
}
