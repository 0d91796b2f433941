//! Recording and reading searched suite positions.

use rusqlite::params;
use serde_json::Value;

use super::{Ledger, LedgerError, Run};

/// One searched position of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSolution {
    /// Which engine of the run, from 0.
    pub engine: u32,
    /// Which position of the suite, from 0.
    pub position: u32,
    /// The result, as JSON of the `suite` module.
    pub payload: Value,
}

impl Ledger {
    /// Records searched positions, all or none. When it returns, they survive `kill -9`.
    ///
    /// A position recorded before (same run, engine and position) stays as it is. Returns
    /// the number of positions newly stored.
    ///
    /// # Errors
    /// When the disk is full or the ledger cannot be written; nothing is stored then.
    pub fn record_solutions(
        &self,
        run: &Run,
        solutions: &[StoredSolution],
    ) -> Result<usize, LedgerError> {
        let transaction = self.begin()?;
        let mut stored = 0;
        for solution in solutions {
            stored += transaction
                .prepare_cached(
                    "INSERT INTO solutions (run, engine, position, payload)
                     VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (run, engine, position) DO NOTHING",
                )
                .and_then(|mut insert| {
                    insert.execute(params![
                        run.number(),
                        solution.engine,
                        solution.position,
                        solution.payload.to_string(),
                    ])
                })
                .map_err(|error| self.failed(error))?;
        }
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(stored)
    }

    /// Removes a searched position, so that it is searched again.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn remove_solution(
        &self,
        run: &Run,
        engine: u32,
        position: u32,
    ) -> Result<(), LedgerError> {
        self.connection
            .execute(
                "DELETE FROM solutions WHERE run = ?1 AND engine = ?2 AND position = ?3",
                params![run.number(), engine, position],
            )
            .map(drop)
            .map_err(|error| self.failed(error))
    }

    /// The searched positions of a run, by engine and position.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn solutions(&self, run: &str) -> Result<Vec<StoredSolution>, LedgerError> {
        let number = self.find(run)?.number;
        let mut select = self
            .connection
            .prepare_cached(
                "SELECT engine, position, payload FROM solutions WHERE run = ?1
                 ORDER BY engine, position",
            )
            .map_err(|error| self.failed(error))?;
        let rows = select
            .query_map([number], |row| {
                Ok((row.get::<_, u32>(0)?, row.get::<_, u32>(1)?, row.get::<_, String>(2)?))
            })
            .map_err(|error| self.failed(error))?;
        rows.map(|row| {
            let (engine, position, payload) = row.map_err(|error| self.failed(error))?;
            let what = format!("position {position} of engine {engine} in run `{run}`");
            let payload = self.json(&payload, &what)?;
            Ok(StoredSolution { engine, position, payload })
        })
        .collect()
    }
}
