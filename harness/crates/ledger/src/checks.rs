//! Recording and reading the finished checks of a gate.

use rusqlite::params;
use serde_json::Value;

use super::{Ledger, LedgerError, Run};

impl Ledger {
    /// Records a finished check. When it returns, the check survives `kill -9`.
    ///
    /// # Errors
    /// When the disk is full or the ledger cannot be written; nothing is stored then.
    pub fn record_check(&self, run: &Run, number: u32, payload: &Value) -> Result<(), LedgerError> {
        self.connection
            .prepare_cached(
                "INSERT INTO checks (run, number, payload) VALUES (?1, ?2, ?3)
                 ON CONFLICT (run, number) DO NOTHING",
            )
            .and_then(|mut insert| {
                insert.execute(params![run.number(), number, payload.to_string()])
            })
            .map_err(|error| self.failed(error))?;
        Ok(())
    }

    /// The finished checks of a run with their numbers, in order.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn checks(&self, run: &str) -> Result<Vec<(u32, Value)>, LedgerError> {
        let number = self.find(run)?.number;
        let mut select = self
            .connection
            .prepare_cached("SELECT number, payload FROM checks WHERE run = ?1 ORDER BY number")
            .map_err(|error| self.failed(error))?;
        let rows = select
            .query_map([number], |row| Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?)))
            .map_err(|error| self.failed(error))?;
        rows.map(|row| {
            let (number, payload) = row.map_err(|error| self.failed(error))?;
            let payload = self.json(&payload, &format!("check {number} of run `{run}`"))?;
            Ok((number, payload))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_check_is_kept_once_in_its_place() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opened");
        let run = ledger.start_run("gate", &json!({})).expect("started");
        for (number, payload) in [(2, json!("c")), (0, json!("a")), (0, json!("again"))] {
            ledger.record_check(&run, number, &payload).expect("recorded");
        }
        let checks = ledger.checks(run.id()).expect("read");
        assert_eq!(checks, [(0, json!("a")), (2, json!("c"))]);
        assert_eq!(ledger.listed_run(run.id()).expect("listed").checks, 2);
    }
}
