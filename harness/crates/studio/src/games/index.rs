//! An index of the games of runs: pages of them, filtered and sorted, a million without a pause.

mod facets;
mod query;
mod row;
mod scan;
mod store;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::Diagnostic;
use rusqlite::ErrorCode;
use sha2::{Digest, Sha256};
use thiserror::Error;

use harness_games::eco::openings;
use harness_ledger::{Ledger, LedgerError, StoredGame};

pub use facets::{Facet, Facets, OpeningFacet};
pub use query::{GamePage, GameQuery, GameResult, GameRow, Sort, SortKey};

use facets::Counts;
use query::{Filter, Order, slice};
use row::Packed;
use store::{IndexedRun, Store};

/// Rows that are kept in memory between two queries, at 40 bytes each.
const CACHED_ROWS: usize = 8_000_000;

/// An error of the index.
#[derive(Debug, Error, Diagnostic)]
pub enum IndexError {
    /// The ledger cannot be read, or has no such run.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
    /// The index cannot be read or written.
    #[error("the index of games{} failed: {source}", place(path.as_deref()))]
    #[diagnostic(help("it is made again from the ledger: remove studio.db and start again"))]
    Store {
        /// Its file; `None`: it is in memory.
        path: Option<PathBuf>,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
}

fn place(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!(", {},", path.display()))
}

/// The index of the games of a ledger, in `studio.db` beside it.
///
/// It holds nothing that the ledger does not have: the file may be removed at any time. Where it
/// cannot be written, the index is in memory. Several indices, in one process or more, may share the
/// file: one can show pages while another takes over games.
///
/// The rows of a run are in memory from the first query on, 40 bytes a game, and each query looks at
/// all of them: it takes the same time whatever the filter, the order and the page. The first query
/// of a million games takes a tenth of a second, the next ones 5 to 15 ms.
#[derive(Debug)]
pub struct GameIndex {
    store: Store,
    cache: RefCell<Cache>,
}

/// Rows of runs by the number of the run, those of each in the order of pairs and games.
#[derive(Debug, Default)]
struct Cache {
    runs: HashMap<i64, Cached>,
    queries: u64,
}

#[derive(Debug, Default)]
struct Cached {
    rows: Arc<Vec<Packed>>,
    /// When it was used last, counted in queries.
    used: u64,
}

/// A run and its rows, while a query runs.
struct Loaded {
    id: String,
    rows: Arc<Vec<Packed>>,
}

impl GameIndex {
    /// Opens the index in the folder of a ledger, or makes it.
    ///
    /// # Errors
    /// When not even memory can hold it.
    pub fn open(reports: &Path) -> Result<GameIndex, IndexError> {
        let store = Store::open(reports).map_err(|source| IndexError::Store {
            path: Some(reports.join("studio.db")),
            source,
        })?;
        Ok(GameIndex { store, cache: RefCell::default() })
    }

    /// Whether the index is lost with the value.
    pub fn is_in_memory(&self) -> bool {
        self.store.path().is_none()
    }

    /// Takes over up to `limit` games of a run (its whole id) that are not indexed yet, in the order
    /// of recording; returns how many (0: complete). A thousand take some 20 ms; to see that none of
    /// a million is missing takes 40 ms.
    ///
    /// When games were removed from the run, it is taken over again from its first game.
    ///
    /// # Errors
    /// When there is no such run, the ledger cannot be read, or the index not be written.
    pub fn update(
        &mut self,
        ledger: &Ledger,
        run: &str,
        limit: usize,
    ) -> Result<usize, IndexError> {
        match self.take_over(ledger, run, limit) {
            Err(IndexError::Store { source, .. })
                if is_unwritable(&source) && !self.is_in_memory() =>
            {
                self.store = Store::in_memory().map_err(|source| self.failed(source))?;
                self.cache.take();
                self.take_over(ledger, run, limit)
            }
            taken => taken,
        }
    }

    fn take_over(&self, ledger: &Ledger, run: &str, limit: usize) -> Result<usize, IndexError> {
        let failed = |source| self.failed(source);
        let transaction = self.store.begin().map_err(failed)?;
        let games = match self.store.run(run).map_err(failed)? {
            None => ledger.games_after(run, 0, limit)?,
            Some(indexed) => match following(ledger, &indexed, limit)? {
                Some(games) => games,
                None => {
                    self.store.forget(run).map_err(failed)?;
                    ledger.games_after(run, 0, limit)?
                }
            },
        };
        if let Some((last, game)) = games.last() {
            let last = *last;
            let mark = mark(game);
            let mut numbers = HashMap::new();
            let rows = games.iter().map(|(_, game)| self.pack(game, &mut numbers));
            let rows: Vec<Packed> = rows.collect::<rusqlite::Result<_>>().map_err(failed)?;
            self.store.append(run, &rows, last, &mark).map_err(failed)?;
        }
        transaction.commit().map_err(failed)?;
        Ok(games.len())
    }

    fn pack<'a>(
        &self,
        game: &'a StoredGame,
        numbers: &mut HashMap<&'a str, u32>,
    ) -> rusqlite::Result<Packed> {
        let mut number = |name: &'a str| match numbers.get(name) {
            Some(&number) => Ok(number),
            None => {
                let number = self.store.number_for(name)?;
                numbers.insert(name, number);
                Ok::<_, rusqlite::Error>(number)
            }
        };
        let scanned = scan::scan(game);
        // A ply beyond the range is not found in the viewer either.
        let swing = scanned
            .swing
            .and_then(|fall| Some((u16::try_from(fall.size).ok()?, u16::try_from(fall.ply).ok()?)));
        let (swing, swing_ply) = swing.unwrap_or_default();
        Ok(Packed {
            pair: game.pair,
            white: number(&game.white)?,
            black: number(&game.black)?,
            worker: game.worker.as_deref().map_or(Ok(0), &mut number)?,
            ending: number(&game.termination)?,
            milliseconds: u32::try_from(game.milliseconds).unwrap_or(u32::MAX),
            plies: u16::try_from(game.plies).unwrap_or(u16::MAX),
            opening: scanned.opening.map_or(0, |number| number + 1),
            swing,
            swing_ply,
            game: game.game,
            first_half_points: game.first_half_points,
            first_is_white: game.first_is_white,
        })
    }

    /// Games of a run that are indexed.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count(&self, run: &str) -> Result<u64, IndexError> {
        let run = self.store.run(run).map_err(|source| self.failed(source))?;
        Ok(run.map_or(0, |run| run.games))
    }

    /// Forgets a run: it was deleted, or is to be taken over again.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn forget(&mut self, run: &str) -> Result<(), IndexError> {
        let forget = || {
            let transaction = self.store.begin()?;
            self.store.forget(run)?;
            transaction.commit()
        };
        forget().map_err(|source| self.failed(source))
    }

    /// A page of games.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn page(&self, query: &GameQuery) -> Result<GamePage, IndexError> {
        let page = || {
            let runs = self.load(query.run.as_deref())?;
            let filter = Filter::new(query, |name| {
                Ok::<_, rusqlite::Error>(self.store.number_of(name)?.unwrap_or(u32::MAX))
            })?;
            let order = query.sort.order(|| self.store.names())?;
            let places = places(&runs, &filter, &order);
            let total = places.len() as u64;
            let rows = slice(places, query.offset, query.limit).into_iter();
            let rows = rows.filter_map(|place| at(&runs, order.position(place)));
            let rows =
                rows.map(|(run, row)| self.unpack(run, row)).collect::<rusqlite::Result<_>>();
            Ok(GamePage { rows: rows?, total })
        };
        page().map_err(|source| self.failed(source))
    }

    /// Facets of the games of a run, or of all indexed games.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn facets(&self, run: Option<&str>) -> Result<Facets, IndexError> {
        let facets = || {
            let mut counts = Counts::default();
            self.load(run)?.iter().for_each(|run| counts.add(&run.rows));
            counts.facets(|number| self.store.name(number))
        };
        facets().map_err(|source| self.failed(source))
    }

    /// The rows of a run, or of all, up to date.
    fn load(&self, run: Option<&str>) -> rusqlite::Result<Vec<Loaded>> {
        let runs = match run {
            Some(id) => self.store.run(id)?.into_iter().collect(),
            None => self.store.runs()?,
        };
        let mut cache = self.cache.borrow_mut();
        cache.queries += 1;
        let now = cache.queries;
        let mut loaded = Vec::with_capacity(runs.len());
        for run in runs {
            let cached = cache.runs.entry(run.number).or_default();
            cached.used = now;
            if cached.rows.len() as u64 != run.games {
                let rows = Arc::make_mut(&mut cached.rows);
                self.store.read_rows(&run, rows)?;
                // The order of recording is nearly that of the numbers already.
                rows.sort_by_key(|row| (row.pair, row.game));
            }
            loaded.push(Loaded { id: run.id, rows: Arc::clone(&cached.rows) });
        }
        cache.trim();
        Ok(loaded)
    }

    fn unpack(&self, run: &str, row: &Packed) -> rusqlite::Result<GameRow> {
        let worker = (row.worker > 0).then(|| self.store.name(row.worker)).transpose()?;
        let has_swing = row.swing > 0;
        Ok(GameRow {
            run: run.to_owned(),
            pair: row.pair,
            game: row.game,
            white: self.store.name(row.white)?,
            black: self.store.name(row.black)?,
            first_is_white: row.first_is_white,
            result: row.white_half_points(),
            first_half_points: row.first_half_points,
            ending: self.store.name(row.ending)?,
            plies: u32::from(row.plies),
            milliseconds: u64::from(row.milliseconds),
            opening: row.opening.checked_sub(1).and_then(|number| openings().get(number)),
            swing: has_swing.then_some(u32::from(row.swing)),
            swing_ply: has_swing.then_some(u32::from(row.swing_ply)),
            worker,
        })
    }

    fn failed(&self, source: rusqlite::Error) -> IndexError {
        IndexError::Store { path: self.store.path().map(Path::to_owned), source }
    }
}

impl Cache {
    /// Drops the rows that were not used for the longest time, where there are too many.
    fn trim(&mut self) {
        let mut rows: usize = self.runs.values().map(|run| run.rows.len()).sum();
        while rows > CACHED_ROWS && self.runs.len() > 1 {
            let oldest = self.runs.iter().min_by_key(|(_, run)| run.used);
            let Some((&number, _)) = oldest else { return };
            rows -= self.runs.remove(&number).map_or(0, |run| run.rows.len());
        }
    }
}

/// The games of a run after those that are indexed; `None` when some of those are not there any more.
fn following(
    ledger: &Ledger,
    run: &IndexedRun,
    limit: usize,
) -> Result<Option<Vec<(i64, StoredGame)>>, LedgerError> {
    let mut games = ledger.games_after(&run.id, run.last - 1, limit.saturating_add(1))?.into_iter();
    // A game recorded after others were removed may have the rowid of one of them.
    let is_there =
        games.next().is_some_and(|(row, last)| row == run.last && mark(&last) == run.mark);
    if !is_there {
        return Ok(None);
    }
    // As the last one is there, every later game has a larger rowid, and a removed one is missing
    // from the count. It takes some milliseconds and waits for the end.
    let is_complete =
        games.len() == limit || ledger.count_games_to(&run.id, run.last)? == run.games;
    Ok(is_complete.then(|| games.collect()))
}

/// Identity of a game within its pair: its text has the time of its start.
fn mark(game: &StoredGame) -> Vec<u8> {
    Sha256::digest(&game.pgn)[..16].to_vec()
}

/// The places of the games of a query.
fn places(runs: &[Loaded], filter: &Filter, order: &Order) -> Vec<u64> {
    let mut places = Vec::new();
    let mut position = 0;
    for (number, run) in (0..).zip(runs) {
        for row in &*run.rows {
            if filter.matches(row) {
                places.push(order.place(row, number, position));
            }
            position += 1;
        }
    }
    places
}

/// The game at a position among all of the runs.
fn at(runs: &[Loaded], position: u32) -> Option<(&str, &Packed)> {
    let mut position = position as usize;
    for run in runs {
        match run.rows.get(position) {
            Some(row) => return Some((&run.id, row)),
            None => position -= run.rows.len(),
        }
    }
    None
}

/// Whether the file of the index can no longer be used.
fn is_unwritable(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
        )
    )
}

#[cfg(test)]
mod tests;
