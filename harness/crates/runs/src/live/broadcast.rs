//! A PGN file of the games in progress, for broadcasts.
//!
//! Moves are noted as they are made; a thread of its own writes the file. A reader always finds whole
//! games: the file is replaced, never changed.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use shakmaty::ByColor;

use crate::games;
use harness_arena::pgn::{self, Tags};
use harness_arena::{Event, Leg, Opening, Plan, PlayedMove, Referee, Setup};
use harness_base::files::replace_often;
use harness_base::sync::{lock, unpoisoned};
use harness_ledger::{Ledger, LedgerError};

/// Most finished games in the file, the newest; `games.pgn` of the run has all.
const FINISHED_GAMES: usize = 100;

/// Shortest time between two versions of the file.
const INTERVAL: Duration = Duration::from_secs(1);

/// Writing takes at most this share of the time.
const SHARE: u32 = 20;

/// Writes the games of a match to a file while they are played. When it is dropped, the file has the last
/// state: games that were abandoned stay with their moves so far.
struct LivePgn {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The file of the match of a command, if it wants one.
pub struct LiveGames<'a> {
    reports: &'a Path,
    file: OnceLock<LivePgn>,
}

impl LiveGames<'_> {
    /// Of a match that is kept in this folder.
    pub fn new(reports: &Path) -> LiveGames<'_> {
        LiveGames { reports, file: OnceLock::new() }
    }

    /// Something happened in the match; by several threads at once.
    pub fn event(&self, event: &games::Event<'_>) {
        match event {
            games::Event::Started { run, plan, done, showing, .. } => {
                let Some(path) = &showing.live_pgn else { return };
                match LivePgn::start(path, plan, || self.finished_games(run, *done)) {
                    // A command has one match; a second one would be a part of another run.
                    Ok(file) => drop(self.file.set(file)),
                    Err(error) => tracing::warn!("{} is not written: {error}", path.display()),
                }
            }
            games::Event::Game(event) => {
                self.file.get().into_iter().for_each(|file| file.event(event))
            }
            _ => {}
        }
    }

    /// The newest games of a run that another process has played.
    fn finished_games(&self, run: &str, done: u64) -> Vec<String> {
        let mut newest = VecDeque::new();
        if done > 0
            && let Ok(ledger) = Ledger::open_to_read(self.reports)
        {
            // The file is for onlookers: what cannot be read is reported by the run itself.
            let _ = ledger.each_game(run, |game| {
                if newest.len() == FINISHED_GAMES {
                    newest.pop_front();
                }
                newest.push_back(game.pgn.clone());
                Ok::<_, LedgerError>(())
            });
        }
        newest.into()
    }
}

struct Shared {
    path: PathBuf,
    plan: Plan,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    current: BTreeMap<GameNumber, CurrentGame>,
    /// With their numbers, of those that this process has played.
    finished: VecDeque<(Option<GameNumber>, String)>,
    /// The file is older.
    has_news: bool,
    is_over: bool,
}

/// The pair, and the game in it.
type GameNumber = (u64, u8);

/// A game in progress.
struct CurrentGame {
    pair: u64,
    leg: Leg,
    engines: ByColor<usize>,
    opening: Opening,
    /// Those of the book first.
    moves: Vec<PlayedMove>,
    started: Timestamp,
}

impl LivePgn {
    /// Begins to write a match to a file; `finished` gives the games that were played before.
    ///
    /// # Errors
    /// When the file cannot be written, or the system has no thread for it.
    fn start(
        path: &Path,
        plan: &Plan,
        finished: impl FnOnce() -> Vec<String>,
    ) -> io::Result<LivePgn> {
        let finished = finished().into_iter().map(|game| (None, game)).collect();
        let state = State { finished, ..State::default() };
        let state = Mutex::new(state);
        let (path, plan) = (path.to_owned(), plan.clone());
        let shared = Arc::new(Shared { path, plan, state, changed: Condvar::new() });
        shared.write()?;
        let writer = Arc::clone(&shared);
        let thread = thread::Builder::new().name("live-pgn".to_owned());
        let thread = thread.spawn(move || writer.write_until_over())?;
        Ok(LivePgn { shared, thread: Some(thread) })
    }

    /// Something happened in a game; by several threads at once.
    fn event(&self, event: &Event<'_>) {
        let mut state = lock(&self.shared.state);
        match *event {
            Event::Started { pair, leg, engines, opening } => {
                let rules = self.shared.plan.conduct.rules;
                let book = Referee::after(opening, rules).map(|(_, made)| made).unwrap_or_default();
                let book = book.iter().map(|made| PlayedMove { san: made.san, thought: None });
                let game = CurrentGame {
                    pair,
                    leg,
                    engines,
                    opening: opening.clone(),
                    moves: book.collect(),
                    started: Timestamp::now(),
                };
                state.current.insert((pair, leg.number()), game);
            }
            Event::Moved { pair, leg, played, .. } => {
                if let Some(game) = state.current.get_mut(&(pair, leg.number())) {
                    game.moves.push(*played);
                }
            }
            // Of an engine's output.
            Event::Flawed { .. } => return,
            Event::Ended(game) => {
                let number = (game.pair, game.leg.number());
                state.current.remove(&number);
                // A pair is played again where its second game could not be.
                state.finished.retain(|(known, _)| *known != Some(number));
                if state.finished.len() == FINISHED_GAMES {
                    state.finished.pop_front();
                }
                state.finished.push_back((Some(number), game.pgn.clone()));
            }
        }
        if !std::mem::replace(&mut state.has_news, true) {
            self.shared.changed.notify_one();
        }
    }
}

impl Drop for LivePgn {
    fn drop(&mut self) {
        lock(&self.shared.state).is_over = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // Its panic is not passed on: this is `drop`.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn write_until_over(&self) {
        let mut has_warned = false;
        loop {
            let begun = Instant::now();
            if let Err(error) = self.write()
                && !std::mem::replace(&mut has_warned, true)
            {
                tracing::warn!("cannot write {}: {error}", self.path.display());
            }
            if !self.wait(INTERVAL.max(SHARE * begun.elapsed())) {
                return;
            }
        }
    }

    /// Waits at least this long, and until there is something to write; `false`: never again.
    fn wait(&self, at_least: Duration) -> bool {
        let until = Instant::now() + at_least;
        let mut state = lock(&self.state);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match (state.has_news, state.is_over) {
                (true, true) => return true,
                (false, true) => return false,
                (true, false) if left.is_zero() => return true,
                (true, false) => state = unpoisoned(self.changed.wait_timeout(state, left)).0,
                (false, false) => state = unpoisoned(self.changed.wait(state)),
            }
        }
    }

    fn write(&self) -> io::Result<()> {
        let text = self.text();
        replace_often(&self.path, text.as_bytes())
    }

    /// All games as they are now: finished ones as they ended, then those in progress by their number.
    fn text(&self) -> String {
        let mut state = lock(&self.state);
        state.has_news = false;
        let finished = state.finished.iter().map(|(_, game)| format!("{}\n\n", game.trim_end()));
        let current = state.current.values().map(|game| game.text(&self.plan));
        finished.chain(current).collect()
    }
}

impl CurrentGame {
    fn text(&self, plan: &Plan) -> String {
        let CurrentGame { pair, leg, engines, opening, moves, started } = self;
        let names = engines.map(|engine| plan.engines[engine].name.as_str());
        let tags = Tags { event: &plan.event, pair: *pair, leg: *leg, names };
        let limits = engines.map(|engine| plan.limits[engine]);
        let setup = Setup { opening, limits, conduct: &plan.conduct, tablebases: None };
        pgn::write_unfinished(&tags, &setup, *started, moves)
    }
}
