//! What a format is: its name, how it is read and how it is written.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use super::FORMATS;
use super::error::FormatError;
use super::reader::{Games, Records};
use crate::data::flaws::Flaws;
use crate::data::game::Game;
use crate::data::record::Record;
use crate::input;

/// What is read.
pub type Source<'a> = Box<dyn Read + Send + 'a>;

/// What is written to.
pub type Sink<'a> = Box<dyn Write + Send + 'a>;

/// How a format is read; the name of the file is for errors.
pub enum Reads {
    /// It holds positions.
    Records(for<'a> fn(&str, Source<'a>) -> Records<'a>),
    /// It holds games; those of PGN that are dropped or corrected are counted.
    Games(for<'a> fn(&str, Source<'a>, &Flaws) -> Games<'a>),
}

/// How a format is written.
pub enum Writes {
    /// It is read only, for this reason.
    Nothing(&'static str),
    /// Positions: what stands before them, each of them.
    Records {
        /// Writes what stands before the first.
        head: fn(&mut Sink<'_>) -> io::Result<()>,
        /// Writes one.
        record: fn(&Record, &mut Sink<'_>) -> io::Result<()>,
        /// Completes the file once the number of records is known; such a format needs a file.
        finish: Option<fn(u64, File) -> io::Result<()>>,
    },
    /// Games.
    Games {
        /// Writes what stands before the first.
        head: fn(&mut Sink<'_>) -> io::Result<()>,
        /// Writes one.
        game: fn(&Game, &mut Sink<'_>) -> io::Result<()>,
    },
}

/// The description of a format, in the file that reads and writes it.
pub struct Spec {
    /// What it is called, unique among the formats.
    pub name: &'static str,
    /// What names of its files end with, in lower case; the usual one first.
    pub endings: &'static [&'static str],
    /// Reading.
    pub reads: Reads,
    /// Writing.
    pub writes: Writes,
    /// Whether every position needs a score and a result.
    pub needs_label: bool,
    /// Whether positions come back with the side to move; where not, the board is flipped so that
    /// it is White's move.
    pub keeps_side_to_move: bool,
}

/// A file format of training data.
#[derive(Clone, Copy)]
pub struct Format(pub &'static Spec);

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl Format {
    /// The format of a file by its name.
    ///
    /// # Errors
    /// When the ending is not known.
    pub fn of(path: &Path) -> Result<Format, FormatError> {
        let ending = input::ending(path);
        let named = |format: &&Format| format.0.endings.contains(&&*ending);
        let unknown = || FormatError::Unknown { path: path.display().to_string() };
        FORMATS.iter().find(named).copied().ok_or_else(unknown)
    }

    /// Whether whole games are stored.
    pub fn has_games(self) -> bool {
        matches!(self.0.reads, Reads::Games(_))
    }

    /// Whether every position needs a score and a result.
    pub fn needs_label(self) -> bool {
        self.0.needs_label
    }

    /// Whether positions come back with the side to move; where not, the board is flipped so that
    /// it is White's move.
    pub fn keeps_side_to_move(self) -> bool {
        self.0.keeps_side_to_move
    }
}

/// The list of formats, for help texts.
pub struct Supported;

impl fmt::Display for Supported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Format(spec) in FORMATS {
            let [first, others @ ..] = spec.endings else { continue };
            write!(f, ".{first}")?;
            if !others.is_empty() {
                write!(f, " (or .{})", others.join(", ."))?;
            }
            let read_only = matches!(spec.writes, Writes::Nothing(_));
            write!(f, ": {}{}; ", spec.name, if read_only { ", read only" } else { "" })?;
        }
        f.write_str("each is read from .zst, .gz and .bz2, too")
    }
}
