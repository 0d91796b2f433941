//! External shuffle and deduplication: files to parts on disk, parts to one file.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use super::dedup::unique;
use super::rows::{Kind, Packer};
use super::spill::Spill;
use crate::error::DataError;
use crate::flaws::Flaws;
use crate::formats::bullet::{self, Packed};
use crate::formats::{self, Format, Writer};
use crate::numbering::Numbering;
use crate::record::Record;
use crate::sources::{STRIDE, check_stopped};
use harness_stats::random::order::{below, random, shuffled_by};

/// Smallest size of a position in a compressed or text file, in bytes.
const MIN_BYTES: u64 = 4;

/// Direction of the rows that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// From the inputs to the parts.
    Read,
    /// From the parts to the output.
    Written,
}

/// Receives the number of rows read or written from time to time; may stop the work.
pub type Progress<'a> = dyn FnMut(Stage, u64) -> ControlFlow<()> + 'a;

/// Operation on the rows.
pub enum Rule {
    /// All in a random order, which the seed decides.
    Shuffle(u64),
    /// Each position once.
    Unique,
}

/// Row counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Positions read.
    pub read: u64,
    /// Dropped: without the score or result that the output format needs.
    pub unlabelled: u64,
    /// Dropped: duplicates.
    pub repeated: u64,
    /// Written, or passed on.
    pub written: u64,
}

/// Applies a rule to files, and writes one. Games of PGN that are dropped or corrected are counted
/// by `flaws`.
///
/// # Errors
/// When a file cannot be read or written, the disk is full, or `progress` stops it.
pub fn apply(
    rule: Rule,
    inputs: &[PathBuf],
    writer: Writer<'_>,
    workspace: Workspace<'_>,
    flaws: &Flaws,
    progress: &mut Progress<'_>,
) -> Result<Tally, DataError> {
    let paths: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let mut bulk = Bulk::new(rule, Some(writer.format()), &paths, workspace)?;
    paths.iter().try_for_each(|path| bulk.read(path, flaws, progress))?;
    bulk.write(writer, progress)
}

/// A shuffle or deduplication in progress.
pub struct Bulk {
    kind: Kind,
    /// The output format needs a score and a result.
    needs_label: bool,
    packer: Packer,
    numbering: Numbering,
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

/// Receives a row that stays, and what unpacks it.
type TakeRow<'a> = dyn FnMut(&Packer, &[u8]) -> Result<(), DataError> + 'a;

impl Bulk {
    /// For an output format, or for records in memory; the inputs' sizes decide the number of
    /// parts.
    ///
    /// # Errors
    /// When the parts cannot be made.
    pub fn new(
        rule: Rule,
        output: Option<Format>,
        inputs: &[&Path],
        workspace: Workspace<'_>,
    ) -> Result<Bulk, DataError> {
        let kind = if output == Some(bullet::FORMAT) { Kind::Bullet } else { Kind::Full };
        let size = |path: &&Path| path.metadata().map_or(0, |file| file.len());
        let is_raw = |path: &&Path| is_raw(path, Kind::Bullet);
        let total: u64 = inputs.iter().map(size).sum();
        let rows = total / if inputs.iter().all(is_raw) { 32 } else { MIN_BYTES };
        let bytes = rows * kind.size() as u64;
        let spill = Spill::new(kind.size(), bytes, workspace.memory, workspace.folder)?;
        let seed = if let Rule::Shuffle(seed) = rule { seed } else { 0 };
        let random = random(seed, 0);
        Ok(Bulk {
            kind,
            needs_label: output.is_some_and(Format::needs_label),
            packer: Packer::default(),
            numbering: Numbering::default(),
            rule,
            random,
            spill,
            tally: Tally::default(),
        })
    }

    /// Reads a file to its end; `flaws` counts games of PGN that are dropped or corrected.
    ///
    /// # Errors
    /// When it cannot be read, the disk is full, or `progress` stops it.
    fn read(
        &mut self,
        path: &Path,
        flaws: &Flaws,
        progress: &mut Progress<'_>,
    ) -> Result<(), DataError> {
        if is_raw(path, self.kind) {
            for packed in formats::packed(path)? {
                self.row(&packed?.0)?;
                pause(Stage::Read, self.tally.read, progress)?;
            }
            return Ok(());
        }
        let mut numbering = std::mem::take(&mut self.numbering);
        for record in numbering.records(path, flaws)? {
            self.push(&record?)?;
            pause(Stage::Read, self.tally.read, progress)?;
        }
        self.numbering = numbering;
        Ok(())
    }

    /// Adds a position.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn push(&mut self, record: &Record) -> Result<(), DataError> {
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
                let packed = bullet::pack(record).map_err(io::Error::from)?;
                self.row(&packed.0)
            }
        }
    }

    fn row(&mut self, row: &[u8]) -> Result<(), DataError> {
        self.tally.read += 1;
        let parts = self.spill.parts();
        let part = match self.rule {
            Rule::Shuffle(_) => below(&mut self.random, parts),
            // The highest bits, which leaves the others to order the rows of a part.
            Rule::Unique => ((u128::from(self.kind.key(row)) * parts as u128) >> 64) as usize,
        };
        self.spill.push(part, row)
    }

    /// Writes the output, and finishes its file.
    ///
    /// # Errors
    /// When the parts cannot be read back, the file cannot be written, or `progress` stops it.
    pub fn write(
        self,
        mut writer: Writer<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Tally, DataError> {
        let kind = self.kind;
        let tally =
            self.each_row(&mut |packer, row| write_row(kind, packer, row, &mut writer), progress)?;
        writer.finish()?;
        Ok(tally)
    }

    /// Passes each record that stays to `take`.
    ///
    /// # Errors
    /// When the parts cannot be read back, or `take` fails, or `progress` stops it.
    pub fn each(
        self,
        take: &mut dyn FnMut(&Record) -> Result<(), DataError>,
        progress: &mut Progress<'_>,
    ) -> Result<Tally, DataError> {
        let kind = self.kind;
        self.each_row(&mut |packer, row| take(&unpacked(kind, packer, row)?), progress)
    }

    /// Passes each row that stays to `take`.
    fn each_row(
        self,
        take: &mut TakeRow<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Tally, DataError> {
        let Bulk { kind, packer, rule, mut random, spill, mut tally, .. } = self;
        spill.each(|mut rows| {
            let order = match rule {
                Rule::Unique => unique(kind, &mut rows),
                Rule::Shuffle(_) => shuffled_by(rows.count(), &mut random),
            };
            for at in order {
                take(&packer, rows.row(at as usize))?;
                tally.written += 1;
                pause(Stage::Written, tally.written, progress)?;
            }
            Ok(())
        })?;
        tally.repeated = tally.read - tally.unlabelled - tally.written;
        Ok(tally)
    }
}

fn pause(stage: Stage, rows: u64, progress: &mut Progress<'_>) -> Result<(), DataError> {
    if rows.is_multiple_of(STRIDE) { check_stopped(progress(stage, rows)) } else { Ok(()) }
}

/// Whether rows are copied without decoding.
fn is_raw(path: &Path, kind: Kind) -> bool {
    kind == Kind::Bullet && Format::from_path(path).is_ok_and(|format| format == bullet::FORMAT)
}

fn write_row(
    kind: Kind,
    packer: &Packer,
    row: &[u8],
    writer: &mut Writer<'_>,
) -> Result<(), DataError> {
    if let (Kind::Bullet, Ok(bytes)) = (kind, row.try_into()) {
        return Ok(writer.packed(&Packed(bytes))?);
    }
    Ok(writer.record(&unpacked(kind, packer, row)?)?)
}

/// The record of a row. Fails only if the disk returns other bytes than were written.
fn unpacked(kind: Kind, packer: &Packer, row: &[u8]) -> Result<Record, DataError> {
    Ok(packer.unpack(kind, row).map_err(io::Error::from)?)
}
