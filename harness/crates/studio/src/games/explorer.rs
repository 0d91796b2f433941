//! Opening explorer: moves played in a position, in the games of the ledger or of a PGN file.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use shakmaty::Chess;

use super::explored::ExploredPosition;
use super::positions::{NumberedGame, Positions};
use harness_base::sync::lock;
use harness_ledger::{Ledger, LedgerError};

/// Games of the ledger that are looked through, the newest runs first.
const MAX_GAMES: usize = 20_000;

/// Plies of a game of the ledger that are looked through.
const PLIES: usize = 60;

/// Games that are read at a time.
const BATCH: usize = 500;

/// While games are added all the time, they are read again no earlier than after this.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);

/// Where a game of the ledger is: its run, and its key in the run.
pub type LedgerGame = (Arc<str>, String);

/// The positions of the newest games of the ledger.
#[derive(Default)]
pub struct LedgerPositions {
    positions: Positions,
    games: Vec<LedgerGame>,
}

/// The version of the ledger that was read, when, and what was found.
type CachedPositions = ([i64; 4], Instant, Arc<LedgerPositions>);

/// The positions of the ledger, kept until it has other games.
#[derive(Default)]
pub struct Explorer {
    known: Mutex<Option<CachedPositions>>,
}

impl Explorer {
    /// The positions of the newest games. Whoever asks at the same time waits for the same reading.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn ledger(&self, ledger: &Ledger) -> Result<Arc<LedgerPositions>, LedgerError> {
        let mut known = lock(&self.known);
        let version = ledger.version()?;
        if let Some((of, read, positions)) = &*known
            && (*of == version || read.elapsed() < REFRESH_INTERVAL)
        {
            return Ok(Arc::clone(positions));
        }
        let positions = Arc::new(LedgerPositions::read(ledger)?);
        *known = Some((version, Instant::now(), Arc::clone(&positions)));
        Ok(positions)
    }
}

impl LedgerPositions {
    /// Reads the newest games.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn read(ledger: &Ledger) -> Result<LedgerPositions, LedgerError> {
        let mut all = LedgerPositions::default();
        let mut batch: Vec<(u32, String)> = Vec::new();
        for run in ledger.with_games()? {
            if all.games.len() >= MAX_GAMES {
                break;
            }
            let run: Arc<str> = run.as_str().into();
            ledger.each_game(&run, |game| {
                if all.games.len() < MAX_GAMES {
                    batch.push((all.games.len() as u32, game.pgn));
                    let key = format!("{}.{}", game.pair + 1, game.game + 1);
                    all.games.push((Arc::clone(&run), key));
                }
                if batch.len() >= BATCH {
                    all.add(&mut batch);
                }
                Ok::<(), LedgerError>(())
            })?;
        }
        all.add(&mut batch);
        all.positions = all.positions.sorted();
        Ok(all)
    }

    fn add(&mut self, batch: &mut Vec<(u32, String)>) {
        let games: Vec<NumberedGame<'_>> =
            batch.iter().map(|(number, pgn)| (*number, pgn.as_bytes())).collect();
        self.positions.add(&games, PLIES);
        batch.clear();
    }

    /// Moves played in a position, and some of the games.
    pub fn explore(
        &self,
        position: &Chess,
        chess960: bool,
    ) -> (ExploredPosition, Vec<&LedgerGame>) {
        let explored = self.positions.explore(position, chess960);
        let games = explored.named.iter().filter_map(|game| self.games.get(*game as usize));
        let games = games.collect();
        (explored, games)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use harness_ledger::StoredGame;

    #[test]
    fn games_of_the_ledger_are_counted_and_new_ones_are_noticed() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let run = ledger.start_run("match", &json!({})).expect("starts");
        let game = |pair, text: &str, result: &str| StoredGame {
            pair,
            game: 0,
            white: "a".to_owned(),
            black: "b".to_owned(),
            first_is_white: true,
            first_half_points: 1,
            termination: "checkmate".to_owned(),
            plies: 2,
            milliseconds: 1,
            pgn: format!("[White \"a\"]\n[Result \"{result}\"]\n\n{text} {result}\n\n"),
            worker: None,
        };
        ledger.record_games(&run, &[game(0, "1. e4 e5", "1-0")]).expect("recorded");
        let explorer = Explorer::default();
        let first = |explorer: &Explorer| {
            let positions = explorer.ledger(&ledger).expect("read");
            let (explored, games) = positions.explore(&Chess::default(), false);
            (explored.games, games.first().map(|(_, key)| key.clone()))
        };
        assert_eq!(first(&explorer), (1, Some("1.1".to_owned())));
        ledger.record_games(&run, &[game(1, "1. e4 c5", "0-1")]).expect("recorded");
        // Games that come all the time are not read again at once.
        assert_eq!(first(&explorer).0, 1);
        assert_eq!(first(&Explorer::default()).0, 2);
        let positions = LedgerPositions::read(&ledger).expect("read");
        let (explored, _) = positions.explore(&Chess::default(), false);
        assert_eq!(explored.moves[0].results, [1, 0, 1]);
    }
}
