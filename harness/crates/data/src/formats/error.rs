//! Errors of files of training data.

use std::fmt;
use std::io;

use engine::board::FenError;
use miette::Diagnostic;
use thiserror::Error;

/// A place in a file; printed after its name, a line as `:LINE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Offset in bytes, from 0; after decompression.
    Byte(u64),
    /// Line, from 1.
    Line(u64),
    /// Game, from 1.
    Game(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Byte(offset) => write!(f, ": byte {offset}"),
            Place::Line(line) => write!(f, ":{line}"),
            Place::Game(game) => write!(f, ": game {game}"),
        }
    }
}

/// An error in a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// The position is not legal.
    #[error(transparent)]
    Position(#[from] FenError),
    /// More pieces than a board can have.
    #[error("{0} pieces")]
    Pieces(usize),
    /// Something that cannot stand on its square.
    #[error("{what} on {square}")]
    Misplaced { what: String, square: String },
    /// The square is not on the board.
    #[error("en-passant square {0}")]
    EnPassant(u8),
    /// A number out of its range.
    #[error("the {what} is {found}, not {wanted}")]
    OutOfRange { what: &'static str, found: u64, wanted: &'static str },
    /// Words or digits that cannot be read.
    #[error("`{text}` is no {what}")]
    Unreadable { text: String, what: &'static str },
    /// A score that is no whole number of centipawns.
    #[error(
        "the score `{0}` is no whole number of centipawns: multiply scores in pawns by 100, or round \
         them"
    )]
    Fraction(String),
    /// A score that no engine reports.
    #[error("{0} is no score")]
    Score(i64),
    /// An illegal move, as it is written, and where.
    #[error("{0}")]
    Move(String),
    /// A line that is no EPD.
    #[error("column {column}: {what}")]
    Line { column: usize, what: String },
    /// Not the fields of a line between bars.
    #[error("{0} fields between bars instead of `FEN | score | result` or `FEN | 0.5`")]
    Fields(usize),
    /// A header without the required columns.
    #[error("the columns `{0}` have no `fen` and `result`")]
    Header(String),
    /// A line that is too short.
    #[error("there is no column {number}, `{name}`")]
    NoColumn { number: usize, name: &'static str },
    /// A label that the format needs.
    #[error("a position without a {0}")]
    Unlabelled(&'static str),
    /// Parts of the record contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
}

impl From<RecordError> for io::Error {
    fn from(error: RecordError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidInput, error)
    }
}

/// A file that cannot be read or written in its format.
#[derive(Debug, Error, Diagnostic)]
pub enum FormatError {
    /// It cannot be opened.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {path}: {reason}")]
    Unwritable {
        /// The file.
        path: String,
        /// Why not.
        reason: io::Error,
    },
    /// The format is unknown, or does not support the operation.
    #[error("{path}: {reason}")]
    Unfit {
        /// The file.
        path: String,
        /// The operation that it does not support.
        reason: &'static str,
        /// The list of formats.
        #[help]
        supported: String,
    },
    /// It ends within a record or a game.
    #[error("{path}: byte {offset}: the file ends too soon")]
    #[diagnostic(help("the records before it are valid; was the file truncated?"))]
    Short {
        /// The file.
        path: String,
        /// How far it could be read.
        offset: u64,
    },
    /// A record is invalid.
    #[error("{path}{place}: {reason}")]
    #[diagnostic(help("{}", help_at(*place)))]
    Bad {
        /// The file.
        path: String,
        /// Where.
        place: Place,
        /// The error.
        reason: String,
    },
}

/// Advice on an invalid record: one at the beginning says more of the format than of the file.
fn help_at(place: Place) -> &'static str {
    match place {
        Place::Byte(0) | Place::Line(1) | Place::Game(1) => {
            "is it in another format than its ending says? `harness docs data` lists them"
        }
        _ => "the records before it are valid; is the file truncated, or in another format?",
    }
}

impl FormatError {
    /// With `before` added to the number of a game.
    pub fn counted_from(self, before: u64) -> FormatError {
        match self {
            FormatError::Bad { path, place: Place::Game(game), reason } => {
                FormatError::Bad { path, place: Place::Game(before + game), reason }
            }
            other => other,
        }
    }
}
