//! External shuffle and deduplication: files to parts on disk, parts to one file.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use miette::Diagnostic;
use rand_pcg::Pcg64Mcg;
use thiserror::Error;

use super::dedup::unique;
use super::rows::{Kind, Packer};
use super::spill::{Rows, Spill};
use crate::data::flaws::Flaws;
use crate::data::formats::bullet::{self, Packed};
use crate::data::formats::{self, Format, FormatError, Writer};
use crate::data::record::Record;
use crate::random::order::{below, random, shuffled_by};

/// Rows between two calls of [`Progress`].
const STRIDE: u64 = 4_096;

/// Smallest size of a position in a compressed or text file, in bytes.
const LEAST_BYTES: u64 = 4;

/// Receives the number of rows read or written; may stop the work.
pub type Progress<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// Operation on the rows.
pub enum Rule {
    /// All in a random order, which the seed decides.
    Shuffle(u64),
    /// Each position once.
    Unique,
}

/// Failure of a bulk operation.
#[derive(Debug, Error, Diagnostic)]
pub enum BulkError {
    /// A file cannot be read or written in its format.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Format(#[from] FormatError),
    /// The parts cannot be kept.
    #[error("cannot keep parts on disk: {0}")]
    #[diagnostic(help("they take as much space as the positions; --folder names another place"))]
    Disk(#[from] io::Error),
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
}

/// Row counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Positions read.
    pub read: u64,
    /// Dropped: without the score or result that the output format needs.
    pub unlabelled: u64,
    /// Written.
    pub written: u64,
}

/// A shuffle or deduplication in progress.
pub struct Bulk {
    kind: Kind,
    /// The output format needs a score and a result.
    needs_label: bool,
    packer: Packer,
    rule: Rule,
    random: Pcg64Mcg,
    spill: Spill,
    tally: Tally,
}

/// Memory budget and temporary folder.
#[derive(Clone, Copy, Debug)]
pub struct Workspace<'a> {
    /// Bytes of memory, about.
    pub memory: u64,
    /// Temporary folder for parts that do not fit in memory.
    pub folder: &'a Path,
}

impl Bulk {
    /// For an output format; the inputs' sizes decide the number of parts.
    ///
    /// # Errors
    /// When the parts cannot be made.
    pub fn new(
        rule: Rule,
        output: Format,
        inputs: &[&Path],
        room: Workspace<'_>,
    ) -> Result<Bulk, BulkError> {
        let kind = if output == bullet::FORMAT { Kind::Bullet } else { Kind::Full };
        let size = |path: &&Path| path.metadata().map_or(0, |file| file.len());
        let is_raw = |path: &&Path| is_raw(path, Kind::Bullet);
        let total: u64 = inputs.iter().map(size).sum();
        let rows = total / if inputs.iter().all(is_raw) { 32 } else { LEAST_BYTES };
        let spill = Spill::new(kind.size(), rows * kind.size() as u64, room.memory, room.folder)?;
        let seed = if let Rule::Shuffle(seed) = rule { seed } else { 0 };
        let random = random(seed, 0);
        Ok(Bulk {
            kind,
            needs_label: output.needs_label(),
            packer: Packer::default(),
            rule,
            random,
            spill,
            tally: Tally::default(),
        })
    }

    /// Reads a whole file; `flaws` counts games of PGN that are dropped or corrected.
    ///
    /// # Errors
    /// When it cannot be read, the disk is full, or `progress` stops it.
    pub fn read(
        &mut self,
        path: &Path,
        flaws: &Flaws,
        progress: &mut Progress<'_>,
    ) -> Result<(), BulkError> {
        if is_raw(path, self.kind) {
            for packed in formats::packed(path)? {
                self.row(&packed?.0)?;
                self.pause(self.tally.read, progress)?;
            }
            return Ok(());
        }
        for record in formats::records(path, flaws)? {
            self.push(&record?)?;
            self.pause(self.tally.read, progress)?;
        }
        Ok(())
    }

    /// Adds a position.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn push(&mut self, record: &Record) -> Result<(), BulkError> {
        if self.needs_label && (record.score.is_none() || record.result.is_none()) {
            self.tally.read += 1;
            self.tally.unlabelled += 1;
            return Ok(());
        }
        match self.kind {
            Kind::Full => {
                let row = self.packer.pack(record);
                self.row(&row)
            }
            Kind::Bullet => {
                // Packing fails only without a label.
                let packed = bullet::pack(record).map_err(io::Error::other)?;
                self.row(&packed.0)
            }
        }
    }

    fn row(&mut self, row: &[u8]) -> Result<(), BulkError> {
        self.tally.read += 1;
        let parts = self.spill.parts();
        let part = match self.rule {
            Rule::Shuffle(_) => below(&mut self.random, parts),
            // The highest bits, which leaves the others to order the rows of a part.
            Rule::Unique => ((u128::from(self.kind.key(row)) * parts as u128) >> 64) as usize,
        };
        Ok(self.spill.push(part, row)?)
    }

    fn pause(&self, rows: u64, progress: &mut Progress<'_>) -> Result<(), BulkError> {
        let stop = rows.is_multiple_of(STRIDE) && progress(rows).is_break();
        if stop { Err(BulkError::Stopped) } else { Ok(()) }
    }

    /// Writes the output.
    ///
    /// # Errors
    /// When the parts cannot be read back, the file cannot be written, or `progress` stops it.
    pub fn write(
        self,
        writer: &mut Writer<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Tally, BulkError> {
        let Bulk { kind, packer, rule, mut random, spill, mut tally, .. } = self;
        spill.each(|mut rows| {
            let order = match rule {
                Rule::Unique => unique(kind, &mut rows),
                Rule::Shuffle(_) => shuffled_by(rows.count(), &mut random),
            };
            for at in order {
                write_row(kind, &packer, &rows, at as usize, writer)?;
                tally.written += 1;
                if tally.written.is_multiple_of(STRIDE) && progress(tally.written).is_break() {
                    return Err(BulkError::Stopped);
                }
            }
            Ok(())
        })?;
        Ok(tally)
    }
}

/// Whether rows are copied without decoding.
fn is_raw(path: &Path, kind: Kind) -> bool {
    kind == Kind::Bullet && Format::of(path).is_ok_and(|format| format == bullet::FORMAT)
}

fn write_row(
    kind: Kind,
    packer: &Packer,
    rows: &Rows,
    at: usize,
    writer: &mut Writer<'_>,
) -> Result<(), BulkError> {
    let row = rows.row(at);
    if let (Kind::Bullet, Ok(bytes)) = (kind, row.try_into()) {
        return Ok(writer.packed(&Packed(bytes))?);
    }
    // Unpacking fails only if the disk returns other bytes than were written.
    let record = packer.unpack(kind, row).map_err(io::Error::other)?;
    Ok(writer.record(&record)?)
}
