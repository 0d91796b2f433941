//! Selecting the positions of a training set: filtered, each once if wanted.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::bulk::{Bulk, Rule, Workspace};
use super::collect::Counts;
use super::error::DataError;
use super::filter::Filters;
use super::flaws::Flaws;
use super::formats::Writer;
use super::formats::board::{Label, pack};
use super::record::Record;
use super::sources::{STRIDE, Source, go_on, of_run};
use crate::ledger::{Ledger, Run};
use crate::stats::GameScore;
use crate::text::grouped;

/// Writes the positions of sources that the filters keep; with a workspace, each position once.
/// `progress` receives the counts from time to time, and may stop it.
///
/// # Errors
/// When a source cannot be read, the file cannot be written, or `progress` stops it.
pub fn view(
    sources: &[Source],
    filters: &Filters,
    mut writer: Writer<'_>,
    unique: Option<Workspace<'_>>,
    progress: &mut dyn FnMut(&Counts) -> ControlFlow<()>,
) -> Result<Counts, DataError> {
    let paths: Vec<&Path> = sources.iter().filter_map(Source::path).collect();
    let bulk = |room| Bulk::new(Rule::Unique, writer.format(), &paths, room);
    let mut bulk = unique.map(bulk).transpose()?;
    let (mut counts, flaws) = (Counts::default(), Flaws::default());
    for source in sources {
        let mut games = counts.games;
        let mut take = |record: Record| -> Result<(), DataError> {
            if counts.sift(&record, filters) {
                match &mut bulk {
                    Some(bulk) => bulk.push(&record)?,
                    None => writer.record(&record)?,
                }
            }
            if counts.positions.is_multiple_of(STRIDE) { go_on(progress(&counts)) } else { Ok(()) }
        };
        source.each(&mut games, &flaws, &mut take)?;
        counts.games = games;
    }
    counts.note(&flaws);
    match bulk {
        Some(bulk) => {
            let tally = bulk.write(writer, &mut |_, _| progress(&counts))?;
            counts.take_back(tally.repeated, tally.unlabelled);
        }
        None => writer.finish()?,
    }
    Ok(counts)
}

/// Score of a row of [`rows`] whose position has none.
pub const NO_SCORE: i16 = i16::MIN;

/// Collects the positions of sources that the filters keep in memory, as rows of 32 bytes: those of a
/// `.marlin` file. `progress` as in [`view`].
///
/// # Errors
/// When a source cannot be read, or `progress` stops it.
pub fn rows(
    sources: &[Source],
    filters: &Filters,
    progress: &mut dyn FnMut(&Counts) -> ControlFlow<()>,
) -> Result<(Vec<u8>, Counts), DataError> {
    let (mut counts, mut rows, flaws) = (Counts::default(), Vec::new(), Flaws::default());
    for source in sources {
        let mut games = counts.games;
        let mut take = |record: Record| -> Result<(), DataError> {
            if counts.sift(&record, filters) {
                let score = record.number().unwrap_or(NO_SCORE);
                // The filters keep only positions with a result.
                let result = record.result.map_or(GameScore::Draw as u8, |result| result as u8);
                let label = Label { score, result, extra: record.depth };
                rows.extend_from_slice(&pack(&record.position, label));
            }
            if counts.positions.is_multiple_of(STRIDE) { go_on(progress(&counts)) } else { Ok(()) }
        };
        source.each(&mut games, &flaws, &mut take)?;
        counts.games = games;
    }
    counts.note(&flaws);
    Ok((rows, counts))
}

/// Training data of a run's games, and its file.
pub struct Collected {
    counts: Counts,
    path: PathBuf,
}

impl Collected {
    /// Writes the positions that the filters keep, if there are any filters, to `positions.csv` in
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
        let path = run.folder().join("positions.csv");
        let mut writer = Writer::create(&path)?;
        let (mut counts, mut games, flaws) = (Counts::default(), 0, Flaws::default());
        of_run(ledger, run.id(), &mut games, &flaws, &mut |record| {
            let kept = counts.sift(&record, filters);
            if kept { Ok(writer.record(&record)?) } else { Ok(()) }
        })?;
        counts.games = games;
        counts.note(&flaws);
        writer.finish()?;
        Ok(Some(Collected { counts, path }))
    }
}

impl fmt::Display for Collected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kept, path) = (grouped(self.counts.kept), self.path.display());
        writeln!(f, "Training data: {kept} positions in {path}")
    }
}
