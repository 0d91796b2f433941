//! What can be wrong with a file of training data.

use std::fmt;
use std::io;

use miette::Diagnostic;
use thiserror::Error;

/// Where in a file; written behind its name, a line as editors understand it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Offset in bytes, from 0; of what a compressed file holds.
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

/// A file that cannot be read or written as what it is said to be.
#[derive(Debug, Error, Diagnostic)]
pub enum FormatError {
    /// It cannot be opened.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the operating system said.
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
    /// Nobody knows what is in it.
    #[error("{path}: what format is that?")]
    #[diagnostic(help("{}", super::KNOWN))]
    Unknown {
        /// The file.
        path: String,
    },
    /// The format does not do what is asked.
    #[error("{path}: {reason}")]
    #[diagnostic(help("{}", super::KNOWN))]
    Unfit {
        /// The file.
        path: String,
        /// What it cannot do.
        reason: &'static str,
    },
    /// It ends within a record or a game.
    #[error("{path}: byte {offset}: the file ends too soon")]
    #[diagnostic(help("what stands before it is sound; was it cut off?"))]
    Short {
        /// The file.
        path: String,
        /// How far it could be read.
        offset: u64,
    },
    /// Something in it is no training data.
    #[error("{path}{place}: {reason}")]
    #[diagnostic(help("what stands before it is sound; is the file cut off, or another format?"))]
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
    /// With games counted on from so many.
    pub fn counted_from(self, before: u64) -> FormatError {
        match self {
            FormatError::Bad { path, place: Place::Game(game), reason } => {
                FormatError::Bad { path, place: Place::Game(before + game), reason }
            }
            other => other,
        }
    }
}
