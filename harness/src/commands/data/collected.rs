//! What became of a run's games as training data.

use std::fmt;
use std::path::{Path, PathBuf};

use super::DataError;
use super::sources::of_run;
use crate::data::collect::Counts;
use crate::data::filter::Filters;
use crate::data::flaws::Flaws;
use crate::data::formats::Writer;
use crate::ledger::{Ledger, Run};
use crate::report::text::grouped;

/// Training data of a run's games, and where it stands.
pub struct Collected {
    counts: Counts,
    path: PathBuf,
}

impl Collected {
    /// Writes the positions that the filters keep, if there are any, to `positions.csv` in the
    /// run's folder; a game that is in the ledger was played, so the same run gives the same file
    /// whenever it is asked for.
    ///
    /// # Errors
    /// When the ledger cannot be read or the file not be written.
    pub fn of_run(
        ledger: &Ledger,
        run: &Run,
        filters: Option<&Filters>,
    ) -> Result<Option<Collected>, DataError> {
        let Some(filters) = filters else { return Ok(None) };
        let path = run.folder().join("positions.csv");
        let counts = write_run(ledger, run.id(), filters, &path)?;
        Ok(Some(Collected { counts, path }))
    }
}

impl fmt::Display for Collected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kept, path) = (grouped(self.counts.kept), self.path.display());
        writeln!(f, "Training data: {kept} positions in {path}")
    }
}

fn write_run(
    ledger: &Ledger,
    run: &str,
    filters: &Filters,
    path: &Path,
) -> Result<Counts, DataError> {
    let mut writer = Writer::create(path)?;
    let mut counts = Counts::default();
    let mut games = 0;
    let flaws = Flaws::default();
    of_run(ledger, run, &mut games, &flaws, &mut |record| {
        if counts.sift(&record, filters) {
            writer.record(&record)?;
        }
        Ok(())
    })?;
    counts.games = games;
    counts.note(&flaws);
    writer.finish()?;
    Ok(counts)
}
