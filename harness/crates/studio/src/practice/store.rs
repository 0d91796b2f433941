//! Puzzles, attempts and due times, kept in `practice.db` of the reports folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::Diagnostic;
use rusqlite::{Connection, OptionalExtension, params};
use thiserror::Error;

use super::Puzzle;
use super::rating::Rating;
use super::schedule::Repetition;

/// The tables; a candidate that is no puzzle has none in `puzzle`.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS puzzles (id TEXT PRIMARY KEY, fen TEXT NOT NULL, puzzle TEXT);
    CREATE TABLE IF NOT EXISTS attempts (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT NULL, solved INTEGER NOT NULL,
        rating REAL NOT NULL, deviation REAL NOT NULL);
    CREATE TABLE IF NOT EXISTS known (
        id TEXT PRIMARY KEY, due INTEGER NOT NULL, repetitions INTEGER NOT NULL, days REAL NOT NULL,
        easiness REAL NOT NULL);
    PRAGMA user_version = 1;";

const SECONDS_A_DAY: f64 = 86_400.0;

/// A file of attempts that cannot be used.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot use {}: {source}", path.display())]
#[diagnostic(help("move the file away to start again"))]
pub struct StoreError {
    path: PathBuf,
    source: rusqlite::Error,
}

/// The file, open.
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens the file of a reports folder, or makes it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(reports: &Path) -> Result<Store, StoreError> {
        let path = reports.join("practice.db");
        let opened = Connection::open(&path).and_then(|connection| {
            connection.busy_timeout(Duration::from_secs(10))?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        });
        match opened {
            Ok(connection) => Ok(Store { path, connection }),
            Err(source) => Err(StoreError { path, source }),
        }
    }

    fn failed(&self, source: rusqlite::Error) -> StoreError {
        StoreError { path: self.path.clone(), source }
    }

    /// Stored verification of a candidate: a puzzle, or none; `None` before it is verified.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn checked(&self, id: &str, fen: &str) -> Result<Option<Option<Puzzle>>, StoreError> {
        let select = "SELECT puzzle FROM puzzles WHERE id = ?1 AND fen = ?2";
        let found = self.connection.query_row(select, [id, fen], |row| row.get(0)).optional();
        let text: Option<Option<String>> = found.map_err(|error| self.failed(error))?;
        // A puzzle that cannot be read is verified again.
        Ok(text.and_then(|text| match text {
            None => Some(None),
            Some(text) => serde_json::from_str(&text).ok().map(Some),
        }))
    }

    /// Keeps what an engine has said of a candidate.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep(&self, id: &str, fen: &str, puzzle: Option<&Puzzle>) -> Result<(), StoreError> {
        let text = puzzle.map(|puzzle| serde_json::to_string(puzzle).expect("plain data"));
        let insert = "INSERT OR REPLACE INTO puzzles (id, fen, puzzle) VALUES (?1, ?2, ?3)";
        let done = self.connection.execute(insert, params![id, fen, text]);
        done.map(drop).map_err(|error| self.failed(error))
    }

    /// The rating of the solver, and how many puzzles were tried.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn rating(&self) -> Result<(Rating, u64), StoreError> {
        let select = "SELECT rating, deviation, number FROM attempts ORDER BY number DESC LIMIT 1";
        let row = |row: &rusqlite::Row<'_>| {
            let rating = Rating { value: row.get(0)?, deviation: row.get(1)? };
            Ok((rating, row.get::<_, i64>(2)?.cast_unsigned()))
        };
        let found = self.connection.query_row(select, [], row).optional();
        Ok(found.map_err(|error| self.failed(error))?.unwrap_or_default())
    }

    /// Records an answer at a time in seconds. Rating and due time follow the first one, and those from when the puzzle is
    /// due: who has just seen the solution finds it. A mistake before that brings it back sooner.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn record(&self, puzzle: &Puzzle, solved: bool, now: i64) -> Result<Rating, StoreError> {
        let (rating, _) = self.rating()?;
        let is_due = self.due_time(&puzzle.id)?.is_none_or(|due| due <= now);
        let rating = if is_due { rating.after(puzzle.rating(), solved) } else { rating };
        self.record_with(puzzle, solved, rating, now, is_due || !solved)
    }

    /// Records that the solution was shown: the puzzle comes back, and the rating stays, since no move was
    /// tried.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn record_shown(&self, puzzle: &Puzzle, now: i64) -> Result<Rating, StoreError> {
        let (rating, _) = self.rating()?;
        self.record_with(puzzle, false, rating, now, true)
    }

    fn record_with(
        &self,
        puzzle: &Puzzle,
        solved: bool,
        rating: Rating,
        now: i64,
        moves_due_time: bool,
    ) -> Result<Rating, StoreError> {
        let known = self.repetition(&puzzle.id)?.unwrap_or_default().after(solved);
        let due = now + (known.days * SECONDS_A_DAY) as i64;
        let write = || {
            let transaction = self.connection.unchecked_transaction()?;
            transaction.execute(
                "INSERT INTO attempts (id, at, solved, rating, deviation) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![puzzle.id, now, solved, rating.value, rating.deviation],
            )?;
            if moves_due_time {
                transaction.execute(
                    "INSERT OR REPLACE INTO known (id, due, repetitions, days, easiness)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![puzzle.id, due, known.repetitions, known.days, known.easiness],
                )?;
            }
            transaction.commit()
        };
        write().map_err(|error| self.failed(error))?;
        Ok(rating)
    }

    /// When a puzzle that was tried is due, in seconds.
    fn due_time(&self, id: &str) -> Result<Option<i64>, StoreError> {
        let select = "SELECT due FROM known WHERE id = ?1";
        let found = self.connection.query_row(select, [id], |row| row.get(0)).optional();
        found.map_err(|error| self.failed(error))
    }

    fn repetition(&self, id: &str) -> Result<Option<Repetition>, StoreError> {
        let select = "SELECT repetitions, days, easiness FROM known WHERE id = ?1";
        let row = |row: &rusqlite::Row<'_>| {
            Ok(Repetition { repetitions: row.get(0)?, days: row.get(1)?, easiness: row.get(2)? })
        };
        let found = self.connection.query_row(select, [id], row).optional();
        found.map_err(|error| self.failed(error))
    }

    /// Ids of puzzles that are due, the longest due first; and of all that were tried.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn due(&self, now: i64) -> Result<(Vec<String>, Vec<String>), StoreError> {
        let list = |select: &str| {
            let mut select = self.connection.prepare_cached(select)?;
            let rows = select.query_map([now], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        };
        let due = list("SELECT id FROM known WHERE due <= ?1 ORDER BY due");
        let tried = list("SELECT id FROM known WHERE ?1 IS NOT NULL");
        Ok((due.map_err(|error| self.failed(error))?, tried.map_err(|error| self.failed(error))?))
    }

    /// Ids of puzzles whose last answer was wrong, the oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn mistakes(&self) -> Result<Vec<String>, StoreError> {
        let read = || {
            let mut select = self.connection.prepare_cached(
                "SELECT id FROM attempts GROUP BY id
                 HAVING max(number) AND solved = 0 ORDER BY max(number)",
            )?;
            let rows = select.query_map([], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        };
        read().map_err(|error| self.failed(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_survive_and_come_back_when_they_are_due() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let puzzle = |id: &str| Puzzle {
            id: id.to_owned(),
            fen: "8/8/8/8/8/8/8/8".to_owned(),
            best: "e2e4".to_owned(),
            mate_in: None,
            nodes: 64,
        };
        let store = Store::open(folder.path()).expect("opens");
        assert_eq!(store.checked("a", "x").expect("read"), None);
        store.keep("a", "x", Some(&puzzle("a"))).expect("kept");
        store.keep("b", "x", None).expect("kept");
        let before = store.rating().expect("read").0;
        let after = store.record(&puzzle("a"), true, 1_000).expect("recorded");
        assert!(after.value > before.value);
        store.record(&puzzle("b"), false, 1_000).expect("recorded");
        drop(store);
        let store = Store::open(folder.path()).expect("opens again");
        assert_eq!(store.checked("a", "x").expect("read"), Some(Some(puzzle("a"))));
        assert_eq!(store.checked("b", "x").expect("read"), Some(None));
        assert_eq!(store.rating().expect("read").1, 2);
        assert_eq!(store.mistakes().expect("read"), ["b"]);
        assert_eq!(store.due(1_000).expect("read").0, [""; 0]);
        assert_eq!(store.due(1_000 + 86_400).expect("read").0.len(), 2);
        // A solution that is shown takes nothing, and comes back.
        let before = store.rating().expect("read").0;
        assert_eq!(store.record_shown(&puzzle("c"), 1_500).expect("recorded"), before);
        assert_eq!(store.mistakes().expect("read"), ["b", "c"]);
        let (due, _) = store.due(1_500 + 86_400).expect("read");
        assert_eq!(store.record(&puzzle("c"), true, 1_600).expect("recorded"), before);
        assert_eq!(store.due(1_500 + 86_400).expect("read").0, due);
        // Solved at last.
        store.record(&puzzle("b"), true, 2_000).expect("recorded");
        assert_eq!(store.mistakes().expect("read"), [""; 0]);
        // The rating moves again when it is due.
        let day = 86_400;
        assert_eq!(store.rating().expect("read").0, before);
        assert!(
            store.record(&puzzle("c"), true, 1_500 + day).expect("recorded").value > before.value
        );
        let again = store.record(&puzzle("c"), false, 1_600 + day).expect("recorded");
        assert_eq!(again, store.rating().expect("read").0);
        assert!(store.due(1_600 + 2 * day).expect("read").0.contains(&"c".to_owned()));
    }
}
