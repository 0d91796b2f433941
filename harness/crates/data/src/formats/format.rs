//! The description of a format: its name, how it is read and how it is written.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use super::error::FormatError;
use crate::flaws::Flaws;
use crate::game::Game;
use crate::record::Record;

/// Source of a reader.
pub type Source<'a> = Box<dyn Read + Send + 'a>;

/// Sink of a writer.
pub type Sink<'a> = Box<dyn Write + Send + 'a>;

/// Iterator over what a file holds; an error ends it.
pub type Items<'a, T> = Box<dyn Iterator<Item = Result<T, FormatError>> + Send + 'a>;

/// Iterator over positions; an error ends it.
pub type Records<'a> = Items<'a, Record>;

/// Iterator over games; an error ends it.
pub type Games<'a> = Items<'a, Game>;

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
    /// Positions.
    Records {
        /// Writes the header.
        head: fn(&mut Sink<'_>) -> io::Result<()>,
        /// Writes a position.
        record: fn(&Record, &mut Sink<'_>) -> io::Result<()>,
        /// Completes the file once the number of records is known; such a format needs a file.
        finish: Option<fn(u64, File) -> io::Result<()>>,
    },
    /// Games.
    Games {
        /// Writes the header.
        head: fn(&mut Sink<'_>) -> io::Result<()>,
        /// Writes a game.
        game: fn(&Game, &mut Sink<'_>) -> io::Result<()>,
    },
    /// Games, in blocks of about a mebibyte.
    Blocks {
        /// Appends a game to a block.
        game: fn(&Game, &mut Vec<u8>) -> io::Result<()>,
        /// Writes a block.
        block: fn(&[u8], &mut Sink<'_>) -> io::Result<()>,
    },
}

impl Writes {
    /// Positions without a header.
    pub const fn records(record: fn(&Record, &mut Sink<'_>) -> io::Result<()>) -> Writes {
        Writes::Records { head: |_| Ok(()), record, finish: None }
    }
}

/// The description of a format, in the file that reads and writes it.
pub struct Spec {
    /// Its name, unique among the formats.
    pub name: &'static str,
    /// Extensions of its files, in lower case; the usual one first.
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
    /// Whether a path names a compressed file of this format that its reader decompresses itself.
    pub decompresses: Option<fn(&Path) -> bool>,
}

impl Spec {
    /// A format that keeps the side to move, with or without labels.
    pub const fn new(
        name: &'static str,
        endings: &'static [&'static str],
        reads: Reads,
        writes: Writes,
    ) -> Spec {
        Spec {
            name,
            endings,
            reads,
            writes,
            needs_label: false,
            keeps_side_to_move: true,
            decompresses: None,
        }
    }
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

    /// Whether a file of this name is a compressed one that the format's reader decompresses.
    pub(super) fn decompresses(&self, path: &Path) -> bool {
        self.0.decompresses.is_some_and(|decompresses| decompresses(path))
    }
}

/// Ends after the first error.
pub fn fused<'a, T>(
    mut inner: impl Iterator<Item = Result<T, FormatError>> + Send + 'a,
) -> Items<'a, T> {
    let mut failed = false;
    Box::new(std::iter::from_fn(move || {
        let next = if failed { None } else { inner.next() };
        failed = matches!(next, Some(Err(_)));
        next
    }))
}
