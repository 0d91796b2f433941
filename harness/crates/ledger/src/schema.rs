//! Opening the database, and its schema.
//!
//! | table | a row is | key |
//! |---|---|---|
//! | `runs` | one execution of a command: plan at the start, summary at the end | `number`; `id` for people |
//! | `games` | one finished game of a run | run, pair, game |
//! | `solutions` | one searched suite position of a run | run, engine, position |
//! | `checks` | one finished check of a gate | run, number |
//!
//! `user_version` is the number of migrations applied; `application_id` marks an SQLite file as a
//! ledger. A change of the schema is a new entry at the end of [`MIGRATIONS`], never
//! an edit of an old one.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, TransactionBehavior,
};

use super::LedgerError;
use harness_base::text::percent;

/// "Tnch" in ASCII.
const APPLICATION_ID: i64 = 0x546e_6368;

/// How long a write waits for another harness that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Page cache of a run. Its games are appended, so that a larger cache fills with pages that are not used
/// again.
const RUN_CACHE_KIB: u32 = 256;

/// Page cache of one who reads: SQLite's default.
const READER_CACHE_KIB: u32 = 2_000;

const MIGRATIONS: [&str; 6] = [
    "
    CREATE TABLE runs (
        number   INTEGER PRIMARY KEY,  -- in the order of starting
        id       TEXT NOT NULL UNIQUE, -- 20261121-143015-sprt
        command  TEXT NOT NULL,        -- match, sprt, suite, ...
        started  TEXT NOT NULL,        -- RFC 3339, UTC
        finished TEXT,                 -- the same; NULL until the run came to its end
        plan     TEXT NOT NULL,        -- JSON: all that is needed to resume
        summary  TEXT,                 -- JSON: the result, as in summary.json
        harness  TEXT NOT NULL,        -- version of the program that started it
        CHECK ((finished IS NULL) = (summary IS NULL))
    ) STRICT;

    CREATE TABLE games (
        run               INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
        pair              INTEGER NOT NULL,
        game              INTEGER NOT NULL CHECK (game IN (0, 1)),
        white             TEXT NOT NULL,
        black             TEXT NOT NULL,
        first_is_white    INTEGER NOT NULL CHECK (first_is_white IN (0, 1)),
        first_half_points INTEGER NOT NULL CHECK (first_half_points IN (0, 1, 2)),
        termination       TEXT NOT NULL,
        plies             INTEGER NOT NULL,
        milliseconds      INTEGER NOT NULL,
        pgn               TEXT NOT NULL,
        PRIMARY KEY (run, pair, game)
    ) STRICT;
    -- Ends in the rowid, and so gives the games of a run in the order of recording.
    CREATE INDEX games_as_recorded ON games (run);

    CREATE TABLE solutions (
        run      INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
        engine   INTEGER NOT NULL,
        position INTEGER NOT NULL,
        payload  TEXT NOT NULL,        -- JSON
        PRIMARY KEY (run, engine, position)
    ) STRICT, WITHOUT ROWID;
",
    "
    CREATE TABLE checks (
        run     INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
        number  INTEGER NOT NULL,      -- in the order of the gate
        payload TEXT NOT NULL,         -- JSON
        PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
",
    "
    -- Name and public key of the worker that played the game; NULL: the run's own process.
    ALTER TABLE games ADD COLUMN worker TEXT;
",
    "
    -- What people call the run, and what they say of it.
    ALTER TABLE runs ADD COLUMN name TEXT;
    ALTER TABLE runs ADD COLUMN note TEXT;
",
    "
    -- Who started it: user@host, a page, a service; NULL: unknown.
    ALTER TABLE runs ADD COLUMN started_by TEXT;
    -- The command line of the process that started it; NULL: unknown.
    ALTER TABLE runs ADD COLUMN command_line TEXT;
",
    "
    -- The run that started it as a part of itself, as a bisection its matches; NULL: none, or unknown.
    ALTER TABLE runs ADD COLUMN part_of INTEGER REFERENCES runs (number) ON DELETE SET NULL;
",
];

/// The embedded store. One a thread; any number of processes may share the file.
#[derive(Debug)]
pub struct Ledger {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) reports: PathBuf,
}

/// The .gitignore of a folder that the harness made: all but baselines, which are committed.
const IGNORED: &str =
    "# Results of the harness; baselines are there to be committed.\n/*\n!/baseline/\n";

impl Ledger {
    /// Opens `ledger.db` in the folder `reports`; makes both if they are missing.
    ///
    /// # Errors
    /// When the folder cannot be written, the file is not a ledger, or a newer harness wrote it.
    pub fn open(reports: &Path) -> Result<Ledger, LedgerError> {
        let is_new = !reports.exists();
        fs::create_dir_all(reports).map_err(|error| LedgerError::write(reports, error))?;
        if is_new {
            // Without it git shows the folder as untracked, which harms nothing.
            let _ = fs::write(reports.join(".gitignore"), IGNORED);
        }
        let path = reports.join("ledger.db");
        let connection =
            Connection::open(&path).map_err(|error| LedgerError::sqlite(&path, error))?;
        let ledger = Ledger { connection, path, reports: reports.to_owned() };
        ledger.prepare()?;
        Ok(ledger)
    }

    /// A ledger in memory with the content of a ledger's file; an empty one without content. What
    /// is written to it is lost with it. `reports` is the folder where its runs' files are.
    ///
    /// # Errors
    /// When the content is no ledger, or a newer harness wrote it.
    pub fn in_memory(content: &[u8], reports: &Path) -> Result<Ledger, LedgerError> {
        let path = reports.join("ledger.db");
        let mut content = content.to_vec();
        // A database in memory has no write-ahead log; with these versions of the format it needs none.
        if let Some(versions @ [2, 2]) = content.get_mut(18..20) {
            versions.fill(1);
        }
        let connection = Connection::open_in_memory()
            .and_then(|mut connection| {
                if !content.is_empty() {
                    let length = content.len();
                    let read_only = false;
                    connection.deserialize_read_exact("main", &*content, length, read_only)?;
                }
                Ok(connection)
            })
            .map_err(|error| LedgerError::sqlite(&path, error))?;
        let ledger = Ledger { connection, path, reports: reports.to_owned() };
        ledger.prepare()?;
        Ok(ledger)
    }

    /// Opens the ledger in the folder `reports` if there is one; makes nothing.
    ///
    /// # Errors
    /// [`LedgerError::NoRuns`] when there is none; otherwise as [`Ledger::open`].
    pub fn open_existing(reports: &Path) -> Result<Ledger, LedgerError> {
        let path = reports.join("ledger.db");
        match File::open(&path) {
            Ok(_) => {
                let ledger = Ledger::open(reports)?;
                ledger.set_cache(READER_CACHE_KIB)?;
                Ok(ledger)
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Err(LedgerError::NoRuns { reports: reports.to_owned() })
            }
            Err(reason) => Err(LedgerError::Unreadable(path, reason)),
        }
    }

    /// Opens the ledger in the folder `reports` if there is one, for reading alone: also where
    /// nothing may be written, in the folder of another user or on a disk that is read-only.
    ///
    /// # Errors
    /// As [`Ledger::open_existing`]; and when it cannot be written and has to be: to bring its
    /// schema up to date, or to take over what a killed harness left in the log.
    pub fn open_to_read(reports: &Path) -> Result<Ledger, LedgerError> {
        match Ledger::open_existing(reports) {
            Err(LedgerError::Unwritable(path, reason)) => {
                let log = reports.join("ledger.db-wal");
                if fs::metadata(log).is_ok_and(|log| log.len() > 0) {
                    return Err(LedgerError::Unwritable(path, reason));
                }
                Ledger::open_unchanging(reports, path)
            }
            opened => opened,
        }
    }

    /// Opens a ledger that no process can write, as immutable: without a log and without locks.
    fn open_unchanging(reports: &Path, path: PathBuf) -> Result<Ledger, LedgerError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(unchanging(&path), flags)
            .map_err(|error| LedgerError::sqlite(&path, error))?;
        let ledger = Ledger { connection, path, reports: reports.to_owned() };
        ledger.check_application()?;
        let found = ledger.number("PRAGMA user_version")?;
        let supported = MIGRATIONS.len() as i64;
        match found.cmp(&supported) {
            Ordering::Equal => ledger.check_ids().map(|()| ledger),
            Ordering::Less => {
                let reason =
                    "an older harness wrote it, and its schema has to be brought up to date";
                let reason = io::Error::new(ErrorKind::ReadOnlyFilesystem, reason);
                Err(LedgerError::Unwritable(ledger.path, reason))
            }
            Ordering::Greater => {
                Err(LedgerError::NewerSchema { path: ledger.path, found, supported })
            }
        }
    }

    /// The reports folder.
    pub fn reports(&self) -> &Path {
        &self.reports
    }

    pub(super) fn failed(&self, error: rusqlite::Error) -> LedgerError {
        LedgerError::sqlite(&self.path, error)
    }

    /// Begins an immediate transaction: upgrading a read lock later fails at once if another process
    /// writes.
    pub(super) fn begin(&self) -> Result<Transaction<'_>, LedgerError> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
            .map_err(|error| self.failed(error))
    }

    fn prepare(&self) -> Result<(), LedgerError> {
        self.connection.busy_timeout(LOCK_TIMEOUT).map_err(|error| self.failed(error))?;
        self.check_application()?;
        self.use_write_ahead_log()?;
        self.connection
            .execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")
            .map_err(|error| self.failed(error))?;
        self.set_cache(RUN_CACHE_KIB)?;
        self.migrate()?;
        self.check_ids()
    }

    /// Refuses a ledger in which a run's id is not one that we make: it is the name of the run's folder,
    /// and one such as `../..` would lead elsewhere.
    fn check_ids(&self) -> Result<(), LedgerError> {
        let select = "SELECT id FROM runs
             WHERE id = '' OR id GLOB '*[^0-9A-Za-z_-]*' LIMIT 1";
        let wrong: Option<String> = self
            .connection
            .query_row(select, [], |row| row.get(0))
            .optional()
            .map_err(|error| self.failed(error))?;
        wrong.map_or(Ok(()), |id| {
            Err(LedgerError::Damaged {
                path: self.path.clone(),
                what: format!("the id of a run, {id:?},"),
                reason: "ids are letters, digits, `-` and `_`".to_owned(),
            })
        })
    }

    fn set_cache(&self, kib: u32) -> Result<(), LedgerError> {
        self.connection
            .execute_batch(&format!("PRAGMA cache_size = -{kib};"))
            .map_err(|error| self.failed(error))
    }

    fn number(&self, sql: &str) -> Result<i64, LedgerError> {
        self.connection.query_row(sql, [], |row| row.get(0)).map_err(|error| self.failed(error))
    }

    /// Refuses a database that is not a ledger, before any change.
    ///
    /// The tables are counted first: another harness may make them at this instant, and with
    /// them, in one transaction, the number that is read next.
    fn check_application(&self) -> Result<(), LedgerError> {
        let tables = self.number("SELECT count(*) FROM sqlite_schema")?;
        let application = self.number("PRAGMA application_id")?;
        if application == APPLICATION_ID || (application == 0 && tables == 0) {
            return Ok(());
        }
        let reason = "it is a database of another program".to_owned();
        Err(LedgerError::NotALedger(self.path.clone(), reason))
    }

    /// Readers do not wait for writers, and a commit is one append.
    ///
    /// The switch needs the file alone and does not always wait for it, so that two harnesses
    /// that make the ledger at the same instant have to try again.
    fn use_write_ahead_log(&self) -> Result<(), LedgerError> {
        let start = Instant::now();
        loop {
            let switched =
                self.connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0));
            match switched.map(|_mode: String| ()) {
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && start.elapsed() < LOCK_TIMEOUT =>
                {
                    thread::sleep(Duration::from_millis(20));
                }
                switched => return switched.map_err(|error| self.failed(error)),
            }
        }
    }

    fn migrate(&self) -> Result<(), LedgerError> {
        let supported = MIGRATIONS.len();
        let version = |ledger: &Ledger| ledger.number("PRAGMA user_version");
        if version(self)? == supported as i64 {
            return Ok(());
        }
        // Read again under the lock: another harness may have migrated meanwhile.
        let transaction = self.begin()?;
        let found = version(self)?;
        let applied = usize::try_from(found).ok().filter(|&applied| applied <= supported);
        let Some(applied) = applied else {
            return Err(LedgerError::NewerSchema {
                path: self.path.clone(),
                found,
                supported: supported as i64,
            });
        };
        for migration in &MIGRATIONS[applied..] {
            transaction.execute_batch(migration).map_err(|error| self.failed(error))?;
        }
        transaction
            .execute_batch(&format!(
                "PRAGMA user_version = {supported}; PRAGMA application_id = {APPLICATION_ID};"
            ))
            .map_err(|error| self.failed(error))?;
        transaction.commit().map_err(|error| self.failed(error))
    }
}

/// The name by which SQLite opens a file that does not change meanwhile.
fn unchanging(path: &Path) -> String {
    // What is encoded begins no parameters and no fragment, and separates no folders.
    let is_plain = |byte| percent::is_unreserved(byte) || byte == b'/' || byte == b':';
    let name = percent::encode(path.as_os_str().as_encoded_bytes(), is_plain);
    format!("file:{name}?immutable=1")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::StoredGame;
    use super::*;

    #[test]
    fn an_id_that_leads_to_another_folder_is_refused() {
        let ids = ["'../../..'", "'/tmp'", "'a/b'", "'..'", "''", "'a b'", "'a\nb'"];
        for id in ids {
            let folder = tempfile::tempdir().expect("temporary folder");
            let ledger = Ledger::open(folder.path()).expect("new");
            let insert = format!(
                "INSERT INTO runs (id, command, started, plan, harness)
                 VALUES ({id}, 'match', '2026-01-01T00:00:00Z', '{{}}', '1')"
            );
            ledger.connection.execute(&insert, []).expect("inserted");
            for opened in [Ledger::open(folder.path()), Ledger::open_to_read(folder.path())] {
                let error = opened.err().unwrap_or_else(|| panic!("{id} is taken"));
                assert!(matches!(error, LedgerError::Damaged { .. }), "{id}: {error}");
            }
        }
    }

    #[test]
    fn opening_twice_finds_the_same_ledger() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let reports = folder.path().join("deep/reports");
        for _ in 0..2 {
            let ledger = Ledger::open(&reports).expect("opens");
            assert_eq!(
                ledger.number("PRAGMA user_version").expect("number"),
                MIGRATIONS.len() as i64
            );
        }
    }

    #[test]
    fn a_file_that_is_no_database_is_refused_and_kept() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("ledger.db");
        let text = "not a database, but longer than a header of one ".repeat(50);
        fs::write(&path, &text).expect("written");
        let error = Ledger::open(folder.path()).expect_err("refused");
        assert!(matches!(error, LedgerError::NotALedger(..)), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("readable"), text);
    }

    #[test]
    fn a_database_of_another_program_is_refused_and_kept() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("ledger.db");
        let other = Connection::open(&path).expect("opens");
        other.execute_batch("CREATE TABLE bookmarks (url TEXT)").expect("made");
        let error = Ledger::open(folder.path()).expect_err("refused");
        assert!(matches!(error, LedgerError::NotALedger(..)), "{error}");
        let tables: i64 = other
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .expect("number");
        assert_eq!(tables, 1);
    }

    #[test]
    fn a_ledger_of_a_newer_harness_is_refused() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        ledger.connection.execute_batch("PRAGMA user_version = 99").expect("set");
        let error = Ledger::open(folder.path()).expect_err("refused");
        assert!(matches!(error, LedgerError::NewerSchema { found: 99, .. }), "{error}");
    }

    #[test]
    fn a_name_for_sqlite_says_the_same_path() {
        let name = unchanging(Path::new("/a b/50%/what?#1/ledger.db"));
        assert_eq!(name, "file:/a%20b/50%25/what%3F%231/ledger.db?immutable=1");
        let folder = tempfile::tempdir().expect("temporary folder");
        let reports = folder.path().join("50%41 what?#1");
        let run = Ledger::open(&reports).expect("opens").start_run("match", &Value::Null);
        let path = reports.join("ledger.db");
        let read = Ledger::open_unchanging(&reports, path).expect("opens");
        assert_eq!(read.runs().expect("readable")[0].run, run.expect("starts").id());
    }

    fn game(pair: u64, pgn: String) -> StoredGame {
        StoredGame {
            pair,
            game: 0,
            white: "a".to_owned(),
            black: "b".to_owned(),
            first_is_white: true,
            first_half_points: 1,
            termination: "stalemate".to_owned(),
            plies: 80,
            milliseconds: 1_000,
            pgn,
            worker: None,
        }
    }

    #[test]
    fn a_full_disk_loses_nothing_that_was_recorded() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let run = ledger.start_run("match", &Value::Null).expect("starts");
        ledger.record_games(&run, &[game(0, "*".to_owned())]).expect("there is space");
        let pages = ledger.number("PRAGMA page_count").expect("number");
        let limit: i64 = ledger.number(&format!("PRAGMA max_page_count = {pages}")).expect("set");
        assert_eq!(limit, pages);
        let big = [game(1, "*".to_owned()), game(2, "x".repeat(1 << 20))];
        let error = ledger.record_games(&run, &big).expect_err("no space");
        assert!(matches!(error, LedgerError::Full(..)), "{error}");
        let kept = ledger.games(run.id()).expect("readable");
        assert_eq!(kept, [game(0, "*".to_owned())], "all of a call or nothing of it");
    }

    #[test]
    fn a_ledger_that_stays_locked_is_said_to_be() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let run = ledger.start_run("match", &Value::Null).expect("starts");
        let other = Ledger::open(folder.path()).expect("opens");
        let _held = other.begin().expect("no other writer");
        ledger.connection.busy_timeout(Duration::from_millis(30)).expect("set");
        let error = ledger.record_games(&run, &[game(0, String::new())]).expect_err("locked");
        assert!(matches!(error, LedgerError::Locked(..)), "{error}");
    }

    #[test]
    fn games_come_in_the_order_of_recording_without_sorting() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let plan: String = ledger
            .connection
            .query_row(
                "EXPLAIN QUERY PLAN SELECT pgn FROM games WHERE run = 1 ORDER BY rowid",
                [],
                |row| row.get(3),
            )
            .expect("a plan of one step");
        assert!(plan.contains("games_as_recorded"), "{plan}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("written");
        let error = Ledger::open(&file.join("reports")).expect_err("refused");
        assert!(matches!(error, LedgerError::Unwritable(..)), "{error}");
        assert!(error.to_string().contains("file/reports"), "{error}");
    }

    #[test]
    fn a_ledger_is_not_made_by_looking_for_one() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let reports = folder.path().join("reports");
        let error = Ledger::open_existing(&reports).expect_err("none");
        assert!(matches!(error, LedgerError::NoRuns { .. }), "{error}");
        assert!(!reports.exists());
    }
}
