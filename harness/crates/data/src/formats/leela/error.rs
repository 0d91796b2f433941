//! Errors in a record of Leela's training data.

use thiserror::Error;

use crate::formats::RecordError;

/// Why a record is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SampleError {
    /// Another version, with another layout.
    #[error(
        "version {0} of Leela's training data; version 6 is read (lc0's `rescorer` makes it of \
         versions 3 to 5)"
    )]
    Version(u32),
    /// No version of a record begins like that.
    #[error("not a chunk of Leela's training data")]
    NotLeela,
    /// Planes that are encoded in a way that is not known.
    #[error("input format {0}; 1 to 5, 132 and 133 are read")]
    InputFormat(u32),
    /// The planes are no legal position.
    #[error(transparent)]
    Position(#[from] RecordError),
    /// Castling rights without a rook.
    #[error("the castling rights {0:?} name no rook on its square")]
    Castling([u8; 4]),
    /// The record does not follow the one before.
    #[error("not the position after {played}: other {what}")]
    Unconnected {
        /// The move of the record before.
        played: String,
        /// The property that differs.
        what: &'static str,
    },
    /// The planes contradict each other or the rest of the record.
    #[error("the planes decode to a position with other {0}")]
    Planes(&'static str),
    /// A move that is not legal.
    #[error("`{field}` {index}{name} is no legal move in `{fen}`")]
    Move {
        /// Which move.
        field: &'static str,
        /// Its number in the policy.
        index: u16,
        /// The move that the number means.
        name: String,
        /// The position.
        fen: String,
    },
    /// A value out of its range.
    #[error("`{field}` is {value}, not from {least} to 1")]
    Value {
        /// Its name.
        field: &'static str,
        /// The value, as text: it may be no number.
        value: String,
        /// The smallest that it may be.
        least: i8,
    },
}

/// Versions that there are.
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=7;

impl SampleError {
    /// Of a record that begins with another number than that of version 6.
    pub fn version(found: u32) -> SampleError {
        if VERSIONS.contains(&found) { SampleError::Version(found) } else { SampleError::NotLeela }
    }
}
