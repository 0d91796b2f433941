//! Errors of files of training data.

use std::fmt;
use std::io;

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
    /// The extension of its name is unknown.
    #[error("{path}: unknown format")]
    #[diagnostic(help("{}", super::SUPPORTED))]
    Unknown {
        /// The file.
        path: String,
    },
    /// The format does not support the operation.
    #[error("{path}: {reason}")]
    #[diagnostic(help("{}", super::SUPPORTED))]
    Unfit {
        /// The file.
        path: String,
        /// What it cannot do.
        reason: &'static str,
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
    #[diagnostic(help(
        "the records before it are valid; is the file truncated, or in another format?"
    ))]
    Bad {
        /// The file.
        path: String,
        /// Where.
        place: Place,
        /// What is wrong there.
        reason: String,
    },
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
