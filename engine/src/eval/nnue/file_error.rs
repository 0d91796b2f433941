//! Files that hold no network.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::arch::ARCHITECTURES;
use super::error::NetworkError;

/// The version of the binary format.
pub(super) const VERSION: u32 = 1;

/// The value of the member `format` of a network in JSON.
pub(super) const FORMAT: &str = "tench-network-1";

/// A file that holds no network.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// It begins otherwise.
    #[error("it is no network of ours: it does not begin with TENCHNET, and is no JSON")]
    Foreign,
    /// Another version of the format.
    #[error("its format has version {0}; this engine reads version {VERSION}")]
    Version(u32),
    /// An architecture that this engine does not have.
    #[error("its architecture is `{0}`; this engine has {known}", known = known_architectures())]
    Architecture(String),
    /// It ends too early, or is too long.
    #[error("it has {found} bytes and should have {wanted}")]
    Size {
        /// Bytes in the file.
        found: usize,
        /// Bytes that it should have.
        wanted: usize,
    },
    /// Its content is not what was written.
    #[error("it is damaged: its checksum is {found:016x} and should be {wanted:016x}")]
    Checksum {
        /// Of the content.
        found: u64,
        /// The file's own.
        wanted: u64,
    },
    /// It is JSON, but no network.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Its note is not text.
    #[error("its note is no text")]
    Note,
    /// Its weights make no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// JSON that is no network.
#[derive(Debug, Error)]
pub enum JsonError {
    /// It is no JSON, or has other members.
    #[error("it is no network in JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// Another kind of document.
    #[error("its format is `{0}`; this engine reads `{FORMAT}`")]
    Format(String),
    /// A size or scale that the architecture needs is not there, or is no whole number.
    #[error("its shape has no whole number `{0}`")]
    NoSize(&'static str),
    /// A size or scale that the architecture does not have.
    #[error("its architecture has no size `{0}`")]
    UnknownSize(String),
    /// A layer that the architecture needs is not there.
    #[error("it has no layer `{0}`")]
    Missing(&'static str),
    /// A layer that the architecture does not have.
    #[error("its architecture has no layer `{0}`")]
    Unknown(String),
    /// A layer of another size.
    #[error("layer `{layer}`: {what} is {found} and should be {wanted}")]
    Size {
        /// Its name.
        layer: &'static str,
        /// Which size.
        what: String,
        /// Its size.
        found: usize,
        /// The length that the sizes of the network require.
        wanted: usize,
    },
    /// A number that its layer cannot hold.
    #[error("layer `{layer}`: {number} is too large")]
    Number {
        /// The layer's name.
        layer: &'static str,
        /// The number.
        number: i64,
    },
}

/// The names of all architectures.
fn known_architectures() -> String {
    ARCHITECTURES.iter().map(|it| it.name).collect::<Vec<_>>().join(", ")
}
