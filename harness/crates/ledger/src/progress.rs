//! Progress of runs, and whether the ledger has changed since.

use super::{Ledger, LedgerError, Status};

/// Progress of a run, its name and its note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunProgress {
    /// Its state.
    pub status: Status,
    /// The row of its newest game; 0 without one.
    pub newest_game: i64,
    /// Positions of a suite that were searched.
    pub positions: i64,
    /// Its name.
    pub name: Option<String>,
    /// Its note.
    pub note: Option<String>,
}

impl Ledger {
    /// A number that is another one once the ledger has changed: runs, games, and positions of runs that are not
    /// finished, as those of the others stay. Nothing is scanned but the runs.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn version(&self) -> Result<[i64; 4], LedgerError> {
        let select = "SELECT (SELECT max(rowid) FROM games), (SELECT count(*) FROM runs),
                             (SELECT count(*) FROM runs WHERE finished IS NOT NULL),
                             (SELECT count(*) FROM solutions
                              WHERE run IN (SELECT number FROM runs WHERE finished IS NULL))";
        self.connection
            .query_row(select, [], |row| {
                let newest: Option<i64> = row.get(0)?;
                Ok([newest.unwrap_or(0), row.get(1)?, row.get(2)?, row.get(3)?])
            })
            .map_err(|error| self.failed(error))
    }

    /// The ids of the runs with games, newest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn with_games(&self) -> Result<Vec<String>, LedgerError> {
        let select = "SELECT id FROM runs
                      WHERE EXISTS (SELECT 1 FROM games WHERE run = number) ORDER BY number DESC";
        self.connection
            .prepare_cached(select)
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
            .map_err(|error| self.failed(error))
    }

    /// Games of a run.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn count_games(&self, run: &str) -> Result<u64, LedgerError> {
        let number = self.find(run)?.number;
        self.connection
            .query_row("SELECT count(*) FROM games WHERE run = ?1", [number], |row| {
                Ok(row.get::<_, i64>(0)?.cast_unsigned())
            })
            .map_err(|error| self.failed(error))
    }

    /// Whether a run has more games than a number, without counting all of them.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn has_more_games(&self, run: &str, than: u64) -> Result<bool, LedgerError> {
        let number = self.find(run)?.number;
        let select = "SELECT count(*) FROM (SELECT 1 FROM games WHERE run = ?1 LIMIT ?2)";
        let limit = i64::try_from(than).unwrap_or(i64::MAX).saturating_add(1);
        self.connection
            .query_row(select, [number, limit], |row| Ok(row.get::<_, i64>(0)? == limit))
            .map_err(|error| self.failed(error))
    }

    /// State, newest game, number of positions, name and note of a run, which all may change.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn progress_of(&self, run: &str) -> Result<RunProgress, LedgerError> {
        let found = self.find(run)?;
        let select = "SELECT finished IS NOT NULL,
                             (SELECT max(rowid) FROM games WHERE run = number),
                             (SELECT count(*) FROM solutions WHERE run = number), name, note
                      FROM runs WHERE number = ?1";
        let row = self.connection.query_row(select, [found.number], |row| {
            let progress = RunProgress {
                status: Status::Finished,
                newest_game: row.get::<_, Option<i64>>(1)?.unwrap_or(0),
                positions: row.get(2)?,
                name: row.get(3)?,
                note: row.get(4)?,
            };
            Ok((row.get(0)?, progress))
        });
        let (finished, progress) = row.map_err(|error| self.failed(error))?;
        Ok(RunProgress { status: self.status(&found.id, finished), ..progress })
    }
}
