//! Files of training data, read and written in streams. The name of a file tells its format.

mod binpack;
pub mod board;
pub mod bullet;
mod bytes;
pub mod csv;
mod epd;
mod error;
mod hdf5;
mod lines;
pub mod marlin;
mod reader;
#[cfg(test)]
mod tests;
mod text;
pub mod viri;
mod writer;

use std::path::Path;

pub use error::{FormatError, Place};
pub use reader::{Games, Records, games, games_from, open, packed, records, records_from};
pub use writer::Writer;

use crate::input;

/// Which formats there are, for help texts.
pub const KNOWN: &str = "\
.bin (or .bullet, .data): bulletformat; .marlin: marlinformat; .txt: `FEN | score | result`; .epd; .csv; \
.h5 (or .hdf5): rows of 17 numbers; \
.vf (or .viri): games of viriformat; .games: the same with depths; .pgn, .binpack: games, read \
only; \
each read from .zst, .gz and .bz2, too";

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Positions of 32 bytes, seen from the side to move.
    Bullet,
    /// Positions of 32 bytes with the side to move, castling rights and en passant.
    Marlin,
    /// Lines of `FEN | score | result`.
    Text,
    /// Lines of EPD.
    Epd,
    /// Lines of CSV.
    Csv,
    /// Rows of HDF5.
    Hdf5,
    /// Games of viriformat, with depths or without.
    Viri(viri::Flavour),
    /// Games of PGN.
    Pgn,
    /// Chains of Stockfish's binpack, each a part of a game.
    Binpack,
}

impl Format {
    /// The format of a file by its name.
    ///
    /// # Errors
    /// When the ending is not known.
    pub fn of(path: &Path) -> Result<Format, FormatError> {
        Ok(match &*input::ending(path) {
            "bin" | "bullet" | "data" => Format::Bullet,
            "marlin" => Format::Marlin,
            "txt" => Format::Text,
            "epd" => Format::Epd,
            "csv" => Format::Csv,
            "h5" | "hdf5" => Format::Hdf5,
            "vf" | "viri" => Format::Viri(viri::Flavour::Plain),
            "games" => Format::Viri(viri::Flavour::WithDepths),
            "pgn" => Format::Pgn,
            "binpack" => Format::Binpack,
            _ => return Err(FormatError::Unknown { path: path.display().to_string() }),
        })
    }

    /// Whether whole games are stored.
    pub fn has_games(self) -> bool {
        matches!(self, Format::Viri(_) | Format::Pgn | Format::Binpack)
    }

    /// Whether every position needs a score and a result.
    pub fn needs_label(self) -> bool {
        matches!(self, Format::Bullet | Format::Marlin | Format::Hdf5)
    }

    /// Whether positions come back with the side that was to move; where not, the board is turned
    /// so that White is.
    pub fn keeps_side_to_move(self) -> bool {
        self != Format::Bullet
    }
}
