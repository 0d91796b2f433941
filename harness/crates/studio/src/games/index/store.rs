//! The file of the index, `studio.db`.
//!
//! | table | a row is |
//! |---|---|
//! | `runs` | a run, with how many of its games are taken over, and which was the last |
//! | `segments` | up to [`SEGMENT`] games of a run in the order of recording, as packed rows |
//! | `names` | the name of a player or worker, or the key of a termination |
//!
//! Games are packed because a query looks at all rows of its run: over a million rows, SQLite takes
//! 100 to 250 ms for a filter or an order without an index of its own, packed rows in memory take 5
//! to 15. No part of the file is worth keeping: it is made again from the ledger.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Row, Transaction, TransactionBehavior, params,
};
use sha2::{Digest, Sha256};

use super::row::Packed;
use harness_games::eco;

/// "TnSt" in ASCII.
const APPLICATION_ID: i32 = 0x546e_5374;

/// Grows with each change of the tables, the packed rows, or what is read from games.
const FORMAT: u32 = 2;

/// Games of a segment.
const SEGMENT: usize = 2048;

/// How long a write waits for another studio that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

const SCHEMA: &str = "
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY AUTOINCREMENT, -- a run that is taken over again has another
        id     TEXT NOT NULL UNIQUE,
        games  INTEGER NOT NULL, -- taken over
        last   INTEGER NOT NULL, -- rowid of the last one in the ledger
        mark   BLOB NOT NULL     -- hash of the last one
    ) STRICT;
    CREATE TABLE segments (
        run   INTEGER NOT NULL,
        first INTEGER NOT NULL, -- how many games of the run are before it
        rows  BLOB NOT NULL,
        PRIMARY KEY (run, first)
    ) STRICT;
    CREATE TABLE names (
        number INTEGER PRIMARY KEY,
        name   TEXT NOT NULL UNIQUE
    ) STRICT;
";

/// A run of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedRun {
    /// Its number here.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// Games taken over.
    pub games: u64,
    /// Rowid of the last one in the ledger.
    pub last: i64,
    /// Hash of the last one.
    pub mark: Vec<u8>,
}

/// The database.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: Option<PathBuf>,
}

/// Why a file is not used.
enum Unusable {
    /// It is of another version, or damaged: it is replaced.
    Stale,
    /// It cannot be used, and is kept.
    Kept,
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Unusable {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Unusable::Stale,
            _ => Unusable::Kept,
        }
    }
}

impl Store {
    /// Opens `studio.db` in the folder, makes it, or replaces it if it is of another version. One
    /// in memory where the file cannot be used.
    pub fn open(reports: &Path) -> rusqlite::Result<Store> {
        let path = reports.join("studio.db");
        match Store::at(&path) {
            Err(Unusable::Stale) => {
                for ending in ["", "-wal", "-shm"] {
                    // What cannot be removed is still stale below.
                    let _ = fs::remove_file(reports.join(format!("studio.db{ending}")));
                }
                Store::at(&path).or_else(|_| Store::in_memory())
            }
            Err(Unusable::Kept) => Store::in_memory(),
            Ok(store) => Ok(store),
        }
    }

    /// A store that is lost with the value.
    pub fn in_memory() -> rusqlite::Result<Store> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(SCHEMA)?;
        Ok(Store { connection, path: None })
    }

    fn at(path: &Path) -> Result<Store, Unusable> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // Of a new file: a segment takes a few pages only.
        connection.pragma_update(None, "page_size", 1 << 15)?;
        use_write_ahead_log(&connection)?;
        connection.execute_batch("PRAGMA synchronous = NORMAL")?;
        let store = Store { connection, path: Some(path.to_owned()) };
        if store.version()? != Some(version()) {
            // Read again under the lock: another studio may have made the tables meanwhile.
            let transaction = store.begin()?;
            match store.version()? {
                Some(found) if found == version() => {}
                Some(_) => return Err(Unusable::Stale),
                None => store.make()?,
            }
            transaction.commit()?;
        }
        Ok(store)
    }

    /// The version of the file, `None` of one without tables.
    fn version(&self) -> Result<Option<i32>, Unusable> {
        let number = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i32>(0));
        if number("SELECT count(*) FROM sqlite_schema")? == 0 {
            return Ok(None);
        }
        if number("PRAGMA application_id")? != APPLICATION_ID {
            return Err(Unusable::Kept);
        }
        Ok(Some(number("PRAGMA user_version")?))
    }

    fn make(&self) -> rusqlite::Result<()> {
        let version = version();
        self.connection.execute_batch(&format!(
            "{SCHEMA} PRAGMA user_version = {version}; PRAGMA application_id = {APPLICATION_ID};"
        ))
    }

    /// Lets the file grow no more, as if the disk were full.
    #[cfg(test)]
    pub fn limit_pages(&self) {
        let limit = "PRAGMA max_page_count = 1";
        let _: i64 = self.connection.query_row(limit, [], |row| row.get(0)).expect("set");
    }

    /// The file; `None` of a store in memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Begins a transaction that may write.
    pub fn begin(&self) -> rusqlite::Result<Transaction<'_>> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
    }

    /// A run, if any of its games is taken over.
    pub fn run(&self, id: &str) -> rusqlite::Result<Option<IndexedRun>> {
        let select = "SELECT number, id, games, last, mark FROM runs WHERE id = ?1";
        self.connection.prepare_cached(select)?.query_row([id], indexed_run).optional()
    }

    /// All runs. Their ids begin with the time of their start: they come in that order.
    pub fn runs(&self) -> rusqlite::Result<Vec<IndexedRun>> {
        let select = "SELECT number, id, games, last, mark FROM runs ORDER BY id";
        self.connection.prepare_cached(select)?.query_map([], indexed_run)?.collect()
    }

    /// Removes a run.
    pub fn forget(&self, id: &str) -> rusqlite::Result<()> {
        self.connection.execute(
            "DELETE FROM segments WHERE run = (SELECT number FROM runs WHERE id = ?1)",
            [id],
        )?;
        self.connection.execute("DELETE FROM runs WHERE id = ?1", [id])?;
        Ok(())
    }

    /// Adds games of a run; `last` and `mark` are those of the last one. Within a transaction.
    pub fn append(
        &self,
        id: &str,
        rows: &[Packed],
        last: i64,
        mark: &[u8],
    ) -> rusqlite::Result<()> {
        self.connection.execute(
            "INSERT INTO runs (id, games, last, mark) VALUES (?1, 0, 0, x'')
             ON CONFLICT (id) DO NOTHING",
            [id],
        )?;
        let Some(run) = self.run(id)? else { return Ok(()) };
        let count = usize::try_from(run.games).unwrap_or(usize::MAX);
        // The last segment, which may have room, is written again.
        let mut first = count / SEGMENT * SEGMENT;
        let mut bytes = self.segment(run.number, first)?;
        rows.iter().for_each(|row| row.write(&mut bytes));
        let mut insert = self.connection.prepare_cached(
            "INSERT OR REPLACE INTO segments (run, first, rows) VALUES (?1, ?2, ?3)",
        )?;
        for segment in bytes.chunks(SEGMENT * Packed::BYTES) {
            insert.execute(params![run.number, first as i64, segment])?;
            first += SEGMENT;
        }
        self.connection.execute(
            "UPDATE runs SET games = games + ?2, last = ?3, mark = ?4 WHERE number = ?1",
            params![run.number, rows.len() as i64, last, mark],
        )?;
        Ok(())
    }

    fn segment(&self, run: i64, first: usize) -> rusqlite::Result<Vec<u8>> {
        let select = "SELECT rows FROM segments WHERE run = ?1 AND first = ?2";
        let mut select = self.connection.prepare_cached(select)?;
        let found = select.query_row(params![run, first as i64], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or_default())
    }

    /// Adds the rows of a run that are not in `rows`, which has the first of them, in any order.
    pub fn read_rows(&self, run: &IndexedRun, rows: &mut Vec<Packed>) -> rusqlite::Result<()> {
        let first = rows.len() / SEGMENT * SEGMENT;
        let mut known = rows.len() - first;
        rows.reserve(usize::try_from(run.games).unwrap_or(0).saturating_sub(rows.len()));
        let mut select = self.connection.prepare_cached(
            "SELECT rows FROM segments WHERE run = ?1 AND first >= ?2 ORDER BY first",
        )?;
        let mut segments = select.query(params![run.number, first as i64])?;
        while let Some(segment) = segments.next()? {
            let (packed, _) = segment.get_ref(0)?.as_blob()?.as_chunks();
            rows.extend(packed.iter().skip(known).map(Packed::read));
            known = 0;
        }
        Ok(())
    }

    /// The number of a name; `None` of one that is in no game.
    pub fn number_of(&self, name: &str) -> rusqlite::Result<Option<u32>> {
        let select = "SELECT number FROM names WHERE name = ?1";
        self.connection.prepare_cached(select)?.query_row([name], |row| row.get(0)).optional()
    }

    /// The number of a name, a new one if it has none. Within a transaction.
    pub fn number_for(&self, name: &str) -> rusqlite::Result<u32> {
        match self.number_of(name)? {
            Some(number) => Ok(number),
            None => self
                .connection
                .prepare_cached("INSERT INTO names (name) VALUES (?1) RETURNING number")?
                .query_row([name], |row| row.get(0)),
        }
    }

    /// All names with their numbers.
    pub fn names(&self) -> rusqlite::Result<Vec<(u32, String)>> {
        let mut select = self.connection.prepare_cached("SELECT number, name FROM names")?;
        let names = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        names.collect()
    }

    /// The name of a number; empty for none.
    pub fn name(&self, number: u32) -> rusqlite::Result<String> {
        let select = "SELECT name FROM names WHERE number = ?1";
        let mut select = self.connection.prepare_cached(select)?;
        Ok(select.query_row([number], |row| row.get(0)).optional()?.unwrap_or_default())
    }
}

fn indexed_run(row: &Row<'_>) -> rusqlite::Result<IndexedRun> {
    Ok(IndexedRun {
        number: row.get(0)?,
        id: row.get(1)?,
        games: row.get::<_, i64>(2)?.cast_unsigned(),
        last: row.get(3)?,
        mark: row.get(4)?,
    })
}

/// The version of the file: rows hold numbers of openings, so that another list is another version.
fn version() -> i32 {
    let hash = Sha256::new().chain_update(FORMAT.to_le_bytes()).chain_update(eco::LIST).finalize();
    i32::from_le_bytes([hash[0], hash[1], hash[2], hash[3] & 0x7f])
}

/// The switch needs the file alone and does not always wait for it.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let mut tries = 0;
    loop {
        let switched =
            connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match switched {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && tries < 100 =>
            {
                tries += 1;
                thread::sleep(Duration::from_millis(20));
            }
            switched => return switched.map(|_| ()),
        }
    }
}
