//! Recording and reading games.

use std::collections::BTreeSet;

use rusqlite::{OptionalExtension, Row, ToSql, params};
use serde::{Deserialize, Serialize};

use super::{Ledger, LedgerError, Run};
use harness_stats::GameScore;

/// Games of a run after a rowid. The index by run ends in the rowid: nothing is sorted or passed over.
const AFTER: &str = "
    SELECT pair, game, white, black, first_is_white, first_half_points,
           termination, plies, milliseconds, pgn, worker, rowid
    FROM games WHERE run = ?1 AND rowid > ?2 ORDER BY rowid LIMIT ?3";

/// Whether a game is of a worker, by its public key, or of a worker of a token: `NAME@TOKEN KEY`.
const IS_OF: &str = "(worker LIKE '% ' || ?2 OR worker LIKE '%@' || ?2 || ' %')";

/// One finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredGame {
    /// Which pair of the run, from 0.
    pub pair: u64,
    /// Which game of the pair: 0 or 1.
    pub game: u8,
    /// Name of the white player.
    pub white: String,
    /// Name of the black player.
    pub black: String,
    /// Whether the first player of the pair had white. (Names do not decide
    /// it: an engine may play against itself.)
    pub first_is_white: bool,
    /// Result for the first player, in half points: 0, 1 or 2.
    pub first_half_points: u8,
    /// How the game ended: `checkmate`, `time_forfeit`, `crash`, ...
    pub termination: String,
    /// Moves played, in plies, those of the opening not counted.
    pub plies: u32,
    /// How long the game took, in milliseconds.
    pub milliseconds: u64,
    /// The game in PGN, with its tags.
    pub pgn: String,
    /// The worker that played it, as `NAME@TOKEN KEY`; `None`: the run's own process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

impl StoredGame {
    /// Name of the first player of the pair.
    pub fn first(&self) -> &str {
        if self.first_is_white { &self.white } else { &self.black }
    }

    /// Name of the second player of the pair.
    pub fn second(&self) -> &str {
        if self.first_is_white { &self.black } else { &self.white }
    }

    /// Score of the first player of the pair; the schema refuses more than 2 half points.
    pub fn score(&self) -> Option<GameScore> {
        GameScore::from_half_points(self.first_half_points)
    }

    /// Calls `execute` with the columns of the game, in the order of `games`: ?1 is the run, ?12 the worker.
    fn with_columns<T>(&self, run: &Run, execute: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
        execute(params![
            run.number(),
            self.pair.cast_signed(),
            self.game,
            self.white,
            self.black,
            self.first_is_white,
            self.first_half_points,
            self.termination,
            self.plies,
            self.milliseconds.cast_signed(),
            self.pgn,
            self.worker,
        ])
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<StoredGame> {
        Ok(StoredGame {
            pair: row.get::<_, i64>(0)?.cast_unsigned(),
            game: row.get(1)?,
            white: row.get(2)?,
            black: row.get(3)?,
            first_is_white: row.get(4)?,
            first_half_points: row.get(5)?,
            termination: row.get(6)?,
            plies: row.get(7)?,
            milliseconds: row.get::<_, i64>(8)?.cast_unsigned(),
            pgn: row.get(9)?,
            worker: row.get(10)?,
        })
    }
}

impl Ledger {
    /// Records games, all or none. When it returns, they survive `kill -9`.
    ///
    /// A game recorded before (same run, pair and game) stays as it is: a pair repeated after a
    /// crash counts once. Returns the number of games newly stored.
    ///
    /// # Errors
    /// When the disk is full or the ledger cannot be written; nothing is stored then.
    pub fn record_games(&self, run: &Run, games: &[StoredGame]) -> Result<usize, LedgerError> {
        let transaction = self.begin()?;
        let stored = {
            let mut insert = transaction
                .prepare_cached(
                    "INSERT INTO games (run, pair, game, white, black, first_is_white,
                         first_half_points, termination, plies, milliseconds, pgn, worker)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                     ON CONFLICT (run, pair, game) DO NOTHING",
                )
                .map_err(|error| self.failed(error))?;
            let mut stored = 0;
            for game in games {
                let inserted = game.with_columns(run, |columns| insert.execute(columns));
                stored += inserted.map_err(|error| self.failed(error))?;
            }
            stored
        };
        transaction.commit().map_err(|error| self.failed(error))?;
        Ok(stored)
    }

    /// Puts another game in the place of one (same pair and game), as the newest of the ledger: who has read
    /// the games before notices. `false` where there is no such game.
    ///
    /// # Errors
    /// When the ledger cannot be written; the game stays as it was.
    pub fn replace_game(&self, run: &Run, game: &StoredGame) -> Result<bool, LedgerError> {
        let update = "UPDATE games SET rowid = (SELECT max(rowid) + 1 FROM games), white = ?4,
                          black = ?5, first_is_white = ?6, first_half_points = ?7,
                          termination = ?8, plies = ?9, milliseconds = ?10, pgn = ?11, worker = ?12
                      WHERE run = ?1 AND pair = ?2 AND game = ?3";
        let replaced = game.with_columns(run, |columns| self.connection.execute(update, columns));
        replaced.map(|count| count > 0).map_err(|error| self.failed(error))
    }

    /// Removes the games of the pairs from `pair` on: those beyond the end of a test. Returns their
    /// number.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn remove_games_from(&self, run: &Run, pair: u64) -> Result<usize, LedgerError> {
        self.connection
            .execute(
                "DELETE FROM games WHERE run = ?1 AND pair >= ?2",
                params![run.number(), pair.cast_signed()],
            )
            .map_err(|error| self.failed(error))
    }

    /// Removes the games of a worker, by its public key, or of all workers of a token. Returns their number.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn remove_games_of(&self, run: &Run, who: &str) -> Result<usize, LedgerError> {
        // Both games of a pair, so that none is half of one worker and half of another.
        let pairs = format!("SELECT pair FROM games WHERE run = ?1 AND {IS_OF}");
        self.connection
            .execute(
                &format!("DELETE FROM games WHERE run = ?1 AND pair IN ({pairs})"),
                params![run.number(), who],
            )
            .map_err(|error| self.failed(error))
    }

    /// Public keys and tokens of the workers that played games of a run.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn worker_keys(&self, run: &Run) -> Result<BTreeSet<String>, LedgerError> {
        let select = "SELECT DISTINCT worker FROM games WHERE run = ?1 AND worker IS NOT NULL";
        let mut statement = self.connection.prepare(select).map_err(|error| self.failed(error))?;
        let workers = statement.query_map([run.number()], |row| row.get::<_, String>(0));
        let workers = workers.and_then(Iterator::collect::<Result<Vec<String>, _>>);
        let workers = workers.map_err(|error| self.failed(error))?;
        Ok(workers
            .iter()
            .flat_map(|worker| {
                let (name, key) = worker.rsplit_once(' ').unwrap_or(("", worker));
                [Some(key), name.rsplit_once('@').map(|(_, token)| token)]
            })
            .flatten()
            .map(String::from)
            .collect())
    }

    /// The first pair of which a worker played a game, by its public key, or one of a token.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn first_pair_of(&self, run: &Run, who: &str) -> Result<Option<u64>, LedgerError> {
        let select = format!("SELECT MIN(pair) FROM games WHERE run = ?1 AND {IS_OF}");
        let first = self
            .connection
            .query_row(&select, params![run.number(), who], |row| row.get::<_, Option<i64>>(0));
        Ok(first.map_err(|error| self.failed(error))?.map(i64::cast_unsigned))
    }

    /// As [`each_result`](Self::each_result), with the workers.
    ///
    /// # Errors
    /// An error of `visit`, no such run, or an unreadable ledger.
    pub fn each_result_of_workers<E: From<LedgerError>>(
        &self,
        run: &str,
        visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_row(run, "'', worker", visit)
    }

    /// Up to `limit` games of a run that were recorded after the one of this rowid, in the order of
    /// recording, each with its rowid; from the first one with 0.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn games_after(
        &self,
        run: &str,
        rowid: i64,
        limit: usize,
    ) -> Result<Vec<(i64, StoredGame)>, LedgerError> {
        let number = self.find(run)?.number;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let read = || {
            let mut select = self.connection.prepare_cached(AFTER)?;
            let rows = select.query_map([number, rowid, limit], |row| {
                Ok((row.get(11)?, StoredGame::from_row(row)?))
            })?;
            rows.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Games of a run up to the one of this rowid, in the order of recording.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn count_games_to(&self, run: &str, rowid: i64) -> Result<u64, LedgerError> {
        let number = self.find(run)?.number;
        let count = "SELECT count(*) FROM games WHERE run = ?1 AND rowid <= ?2";
        self.connection
            .prepare_cached(count)
            .and_then(|mut count| count.query_row([number, rowid], |row| row.get::<_, i64>(0)))
            .map(i64::cast_unsigned)
            .map_err(|error| self.failed(error))
    }

    /// A game of a run.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn game(&self, run: &str, pair: u64, game: u8) -> Result<Option<StoredGame>, LedgerError> {
        let number = self.find(run)?.number;
        let select = "SELECT pair, game, white, black, first_is_white, first_half_points,
                             termination, plies, milliseconds, pgn, worker
                      FROM games WHERE run = ?1 AND pair = ?2 AND game = ?3";
        let key = params![number, pair.cast_signed(), game];
        let row = self.connection.query_row(select, key, StoredGame::from_row).optional();
        row.map_err(|error| self.failed(error))
    }

    /// Pair and game of the one before and the one after a game, by these numbers.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn neighbours(
        &self,
        run: &str,
        pair: u64,
        game: u8,
    ) -> Result<[Option<(u64, u8)>; 2], LedgerError> {
        let number = self.find(run)?.number;
        let place = |compare: &str, order: &str| {
            let select = format!(
                "SELECT pair, game FROM games WHERE run = ?1 AND (pair, game) {compare} (?2, ?3)
                 ORDER BY pair {order}, game {order} LIMIT 1"
            );
            let key = params![number, pair.cast_signed(), game];
            let row = self.connection.query_row(&select, key, |row| {
                Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?))
            });
            row.optional().map_err(|error| self.failed(error))
        };
        Ok([place("<", "DESC")?, place(">", "ASC")?])
    }

    /// The games of a run, in the order of recording.
    ///
    /// # Errors
    /// When there is no such run or the ledger cannot be read.
    pub fn games(&self, run: &str) -> Result<Vec<StoredGame>, LedgerError> {
        let mut games = Vec::new();
        self.each_game(run, |game| {
            games.push(game);
            Ok::<_, LedgerError>(())
        })?;
        Ok(games)
    }

    /// Shows the results of the games of a run, in the order of recording: games without PGN and
    /// worker, which are most of what a game takes on disk.
    ///
    /// # Errors
    /// An error of `visit`, no such run, or an unreadable ledger.
    pub fn each_result<E: From<LedgerError>>(
        &self,
        run: &str,
        visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_row(run, "'', NULL", visit)
    }

    /// Shows the games of a run one by one, in the order of recording; for runs too big to be
    /// held in memory. Ends at the first error of `visit`.
    ///
    /// # Errors
    /// An error of `visit`, no such run, or an unreadable ledger.
    pub fn each_game<E: From<LedgerError>>(
        &self,
        run: &str,
        visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_row(run, "pgn, worker", visit)
    }

    /// Shows the games of a run, with their PGN and worker as `columns` select them.
    fn each_row<E: From<LedgerError>>(
        &self,
        run: &str,
        columns: &str,
        mut visit: impl FnMut(StoredGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let number = self.find(run)?.number;
        let mut select = self
            .connection
            .prepare_cached(&format!(
                "SELECT pair, game, white, black, first_is_white, first_half_points,
                        termination, plies, milliseconds, {columns}
                 FROM games WHERE run = ?1 ORDER BY rowid",
            ))
            .map_err(|error| self.failed(error))?;
        let mut rows = select.query([number]).map_err(|error| self.failed(error))?;
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            visit(StoredGame::from_row(row).map_err(|error| self.failed(error))?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn games_after_another_come_in_the_order_of_recording_without_a_scan() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let game = |pair| StoredGame {
            pair,
            game: 0,
            white: "a".to_owned(),
            black: "b".to_owned(),
            first_is_white: true,
            first_half_points: 1,
            termination: "stalemate".to_owned(),
            plies: 80,
            milliseconds: 1_000,
            pgn: "*".to_owned(),
            worker: None,
        };
        let runs: Vec<Run> =
            (0..2).map(|_| ledger.start_run("match", &Value::Null).expect("starts")).collect();
        for pair in (0..10).rev() {
            for run in &runs {
                ledger.record_games(run, &[game(pair)]).expect("recorded");
            }
        }
        let id = runs[1].id();
        let first = ledger.games_after(id, 0, 3).expect("readable");
        let last = first[2].0;
        assert_eq!(ledger.count_games_to(id, last).expect("readable"), 3);
        let next = ledger.games_after(id, last, usize::MAX).expect("readable");
        let pairs: Vec<u64> = first.iter().chain(&next).map(|(_, game)| game.pair).collect();
        assert_eq!(pairs, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
        assert!(ledger.games_after("none", 0, 1).is_err());

        let explain = format!("EXPLAIN QUERY PLAN {AFTER}");
        let plan: String = ledger
            .connection
            .query_row(&explain, [1, 1, 1], |row| row.get(3))
            .expect("a plan of one step");
        assert!(plan.contains("games_as_recorded (run=? AND rowid>?)"), "{plan}");
    }
}
