//! Naming and deleting runs.

use std::fs;

use rusqlite::params;

use super::run::lock;
use super::{Ledger, LedgerError};

impl Ledger {
    /// Sets the name and the note of a run; an empty text is none.
    ///
    /// # Errors
    /// When there is no such run, or the ledger cannot be written.
    pub fn describe(&self, run: &str, name: &str, note: &str) -> Result<(), LedgerError> {
        let number = self.find(run)?.number;
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        self.connection
            .execute(
                "UPDATE runs SET name = ?2, note = ?3 WHERE number = ?1",
                params![number, text(name), text(note)],
            )
            .map(drop)
            .map_err(|error| self.failed(error))
    }

    /// Deletes a run with its games, results and files.
    ///
    /// # Errors
    /// When there is no such run, it is running, or the ledger or its folder cannot be written.
    pub fn delete(&self, run: &str) -> Result<(), LedgerError> {
        let found = self.find(run)?;
        let folder = self.folder(&found.id);
        let Some(_lock) = lock(&folder)? else {
            return Err(LedgerError::RunningNow(found.id));
        };
        self.connection
            .execute("DELETE FROM runs WHERE number = ?1", [found.number])
            .map_err(|error| self.failed(error))?;
        fs::remove_dir_all(&folder).map_err(|error| LedgerError::write(&folder, error))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::StoredGame;
    use super::*;

    #[test]
    fn a_deleted_run_leaves_nothing_and_a_running_one_stays() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let run = ledger.start_run("match", &json!({})).expect("started");
        let game = StoredGame {
            pair: 0,
            game: 0,
            white: "a".to_owned(),
            black: "b".to_owned(),
            first_is_white: true,
            first_half_points: 1,
            termination: "stalemate".to_owned(),
            plies: 1,
            milliseconds: 1,
            pgn: String::new(),
            worker: None,
        };
        ledger.record_games(&run, &[game]).expect("recorded");
        let id = run.id().to_owned();
        assert!(matches!(ledger.delete(&id), Err(LedgerError::RunningNow(_))));
        assert_eq!(ledger.games(&id).expect("there").len(), 1);
        drop(run);
        ledger.delete(&id).expect("deleted");
        assert!(ledger.facts(&id).is_err() && !folder.path().join("runs").join(&id).exists());
        assert_eq!(ledger.version().expect("readable"), [0; 4]);
    }
}
