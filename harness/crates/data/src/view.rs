//! Selecting the positions of a training set: filtered, each once if wanted.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub use super::bulk::NO_SCORE;
use super::bulk::{Bulk, Rule, Workspace, packed};
use super::error::DataError;
use super::filter::Filters;
use super::flaws::Flaws;
use super::formats::Writer;
use super::record::Record;
use super::sources::{STRIDE, Source, Take, check_stopped, of_run};
use harness_base::text::grouped;
use harness_ledger::{Ledger, Run};
use harness_outcome::positions::Counts;

/// Receives the counts from time to time; may stop the work.
pub type Progress<'a> = dyn FnMut(&Counts) -> ControlFlow<()> + 'a;

/// Writes the positions of sources that the filters keep; with a workspace, each position once.
///
/// # Errors
/// When a source cannot be read, the file cannot be written, or `progress` stops it.
pub fn view(
    sources: &[Source],
    filters: &Filters,
    mut writer: Writer<'_>,
    unique: Option<Workspace<'_>>,
    progress: &mut Progress<'_>,
) -> Result<Counts, DataError> {
    let Some(room) = unique else {
        let write = &mut |record: &Record| Ok(writer.record(record)?);
        let counts = each_kept(sources, filters, write, progress)?;
        writer.finish()?;
        return Ok(counts);
    };
    let mut bulk = Bulk::new(Rule::Unique, Some(writer.format()), &paths(sources), room)?;
    let mut counts = each_kept(sources, filters, &mut |record| bulk.push(record), progress)?;
    let tally = bulk.write(writer, &mut |_, _| progress(&counts))?;
    counts.take_back(tally.repeated, tally.unlabelled);
    Ok(counts)
}

/// The same in memory, as rows of 32 bytes: those of a `.marlin` file, with [`NO_SCORE`] where there
/// is none.
///
/// # Errors
/// When a source cannot be read, or `progress` stops it.
pub fn rows(
    sources: &[Source],
    filters: &Filters,
    unique: Option<Workspace<'_>>,
    progress: &mut Progress<'_>,
) -> Result<(Vec<u8>, Counts), DataError> {
    let mut rows = Vec::new();
    let mut add = |record: &Record| {
        rows.extend_from_slice(&packed(record));
        Ok(())
    };
    let Some(room) = unique else {
        let counts = each_kept(sources, filters, &mut add, progress)?;
        return Ok((rows, counts));
    };
    let mut bulk = Bulk::new(Rule::Unique, None, &paths(sources), room)?;
    let mut counts = each_kept(sources, filters, &mut |record| bulk.push(record), progress)?;
    let tally = bulk.each(&mut add, &mut |_, _| progress(&counts))?;
    counts.take_back(tally.repeated, tally.unlabelled);
    Ok((rows, counts))
}

/// The files among sources.
fn paths(sources: &[Source]) -> Vec<&Path> {
    sources.iter().filter_map(Source::path).collect()
}

/// Passes the positions of sources that the filters keep to `take`, and counts them.
fn each_kept(
    sources: &[Source],
    filters: &Filters,
    take: &mut Keep<'_>,
    progress: &mut Progress<'_>,
) -> Result<Counts, DataError> {
    let read = &mut |games: &mut u64, flaws: &Flaws, take: &mut Take<'_>| {
        sources.iter().try_for_each(|source| source.each(games, flaws, take))
    };
    sift(read, filters, take, progress)
}

/// Receives a position that the filters keep.
type Keep<'a> = dyn FnMut(&Record) -> Result<(), DataError> + 'a;

/// Passes positions on, and counts their games.
type Read<'a> = dyn FnMut(&mut u64, &Flaws, &mut Take<'_>) -> Result<(), DataError> + 'a;

/// Passes the positions that `read` gives and the filters keep to `take`, and counts them.
fn sift(
    read: &mut Read<'_>,
    filters: &Filters,
    take: &mut Keep<'_>,
    progress: &mut Progress<'_>,
) -> Result<Counts, DataError> {
    let mut counts = Counts::default();
    let mut games = 0;
    let flaws = Flaws::default();
    read(&mut games, &flaws, &mut |record| {
        counts.games = record.game;
        if counts.sift(filters.refuse(&record)) {
            take(&record)?;
        }
        if counts.positions.is_multiple_of(STRIDE) {
            check_stopped(progress(&counts))
        } else {
            Ok(())
        }
    })?;
    counts.games = games;
    counts.note(flaws.dropped(), flaws.corrected());
    Ok(counts)
}

/// The file in a run's folder with the training data of its games.
pub const COLLECTED: &str = "positions.csv";

/// Training data of a run's games, and its file.
pub struct Collected {
    counts: Counts,
    path: PathBuf,
}

impl Collected {
    /// Writes the positions that the filters keep, if there are any filters, to [`COLLECTED`] in
    /// the run's folder. The games are read from the ledger: the same run gives the same file.
    ///
    /// # Errors
    /// When the ledger cannot be read or the file cannot be written.
    pub fn of_run(
        ledger: &Ledger,
        run: &Run,
        filters: Option<&Filters>,
    ) -> Result<Option<Collected>, DataError> {
        let Some(filters) = filters else { return Ok(None) };
        let path = run.folder().join(COLLECTED);
        let mut writer = Writer::create(&path)?;
        let read = &mut |games: &mut u64, flaws: &Flaws, take: &mut Take<'_>| {
            of_run(ledger, run.id(), games, flaws, take)
        };
        let write = &mut |record: &Record| Ok(writer.record(record)?);
        let counts = sift(read, filters, write, &mut |_| ControlFlow::Continue(()))?;
        writer.finish()?;
        Ok(Some(Collected { counts, path }))
    }
}

impl fmt::Display for Collected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = grouped(self.counts.kept);
        let path = self.path.display();
        writeln!(f, "Training data: {kept} positions in {path}")
    }
}
