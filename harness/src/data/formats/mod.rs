//! Files of training data, read and written in streams. The extension of a file decides its format.
//!
//! Each format is a file here that ends with its [`Spec`](format::Spec); [`FORMATS`] is the registry. To add
//! one: its file, and its line in the registry.

pub mod binpack;
pub mod board;
pub mod bullet;
mod bytes;
pub mod csv;
pub mod epd;
mod error;
pub mod format;
pub mod hdf5;
mod lines;
pub mod marlin;
mod reader;
#[cfg(test)]
mod tests;
pub mod text;
pub mod viri;
mod writer;

pub use error::{FormatError, Place};
pub use format::{Format, Supported};
pub(crate) use reader::fused;
pub use reader::{Games, Records, games, games_from, open, packed, records, records_from};
pub use writer::Writer;

use crate::data::pgn;

/// The formats.
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
];

/// The list of formats, for help texts.
pub const SUPPORTED: Supported = Supported;
