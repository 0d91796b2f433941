//! Files of training data, read and written in streams. The extension of a file decides its format.
//!
//! Each format is a file here with its [`Spec`](format::Spec); [`FORMATS`] is the registry. To add
//! one: its file, and here its module and its line in the registry.

pub mod binpack;
pub mod board;
pub mod bullet;
mod bytes;
pub mod csv;
pub mod epd;
mod error;
pub mod format;
pub mod hdf5;
pub mod leela;
mod lines;
pub mod marlin;
mod neighbours;
#[cfg(test)]
mod one_answer;
mod reader;
mod registry;
#[cfg(test)]
mod tests;
pub mod text;
pub mod viri;
mod writer;

pub use error::{FormatError, Place, RecordError};
pub use format::{Format, Games, Records};
pub use reader::{games, games_from, open, packed, records, records_from};
pub use registry::{endings_of, formats_help, supported};
pub use writer::Writer;

use crate::pgn;

/// The registry of formats; the extension of a file decides its format.
pub const FORMATS: &[Format] = &[
    bullet::FORMAT,
    marlin::FORMAT,
    text::FORMAT,
    epd::FORMAT,
    csv::FORMAT,
    hdf5::FORMAT,
    viri::PLAIN,
    viri::WITH_DEPTHS,
    pgn::FORMAT,
    binpack::FORMAT,
    leela::CHUNK,
    leela::TAR,
];
