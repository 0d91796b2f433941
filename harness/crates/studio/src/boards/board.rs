//! The state of a board, its changes, and the pages that are notified.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::engines::Cancel;
use super::game::{Game, Seat};
use harness_base::files::write_atomically;
use harness_base::sync::lock;
use harness_games::tree::{GameTree, read_game};

/// Changes that may wait for a slow page before it is sent the newest state alone.
const QUEUE_LENGTH: usize = 16;

/// State of a board.
#[derive(Debug, Default)]
pub struct State {
    /// Counts changes since it was read.
    pub version: u64,
    /// When it was read, in milliseconds: the versions of another reading are not compared with these.
    pub since: u64,
    /// Moves and annotations.
    pub tree: GameTree,
    /// The game that is played, or was.
    pub game: Option<Game>,
    /// Work in progress: "builtin reviews the game: 12 of 60".
    pub busy: Option<String>,
    /// It was deleted: nothing writes its file again.
    pub gone: bool,
}

/// A board, shared by its pages and by the engines that play on it.
pub struct Board {
    /// Its name in addresses.
    pub id: String,
    file: PathBuf,
    state: Mutex<State>,
    pages: broadcast::Sender<Arc<str>>,
    /// The search of the engine that is to move, and the review.
    searches: Mutex<[Arc<Cancel>; 2]>,
}

/// Which search of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Of the engine that is to move.
    Move = 0,
    /// Of a review.
    Review = 1,
}

/// A board as its file holds it.
#[derive(Serialize, Deserialize)]
struct StoredBoard {
    pgn: String,
    game: Option<Game>,
}

impl Board {
    /// A new board.
    pub fn new(id: String, file: PathBuf, tree: GameTree, game: Option<Game>) -> Board {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let state = State { since: now.as_millis() as u64, tree, game, ..State::default() };
        let state = Mutex::new(state);
        let (pages, _) = broadcast::channel(QUEUE_LENGTH);
        Board { id, file, state, pages, searches: Mutex::default() }
    }

    /// A board from its file. A game whose clocks ran continues with the time of its last move.
    ///
    /// # Errors
    /// When it cannot be read; in words for people.
    pub fn read(id: &str, file: PathBuf) -> Result<Board, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(&file).map_err(|error| wrong(&error))?;
        let kept: StoredBoard = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
        let tree = read_game(kept.pgn.as_bytes()).map_err(|error| wrong(&error))?;
        Ok(Board::new(id.to_owned(), file.clone(), tree, kept.game))
    }

    /// The state, to be read.
    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Whether a request was made of this reading of the board; in another one nodes had other numbers. A request that
    /// names none is taken.
    pub fn is_reading(&self, since: &str) -> bool {
        since.is_empty() || since == self.state().since.to_string()
    }

    /// Changes the state; pages and the file follow. Gives the new state for pages.
    ///
    /// # Errors
    /// As `change`; the state stays as it was.
    pub fn change<E>(&self, change: impl FnOnce(&mut State) -> Result<(), E>) -> Result<Value, E> {
        let mut state = self.state();
        change(&mut state)?;
        state.version += 1;
        let view = view(&self.id, &state);
        // Without a page there is no subscriber.
        let _ = self.pages.send(view.to_string().into());
        let kept = StoredBoard { pgn: state.tree.to_pgn(), game: state.game.clone() };
        let text = serde_json::to_vec(&kept).expect("plain data");
        // Under the lock, so that an older state never replaces a newer one.
        if !state.gone
            && let Err(error) = write_atomically(&self.file, &text)
        {
            tracing::warn!("{}: {error}", self.file.display());
        }
        Ok(view)
    }

    /// Ends its searches and removes its file; its pages are notified.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn remove(&self) -> std::io::Result<()> {
        let mut state = self.state();
        std::fs::remove_file(&self.file)?;
        for search in [Search::Move, Search::Review] {
            self.supersede(search).set();
        }
        state.gone = true;
        state.version += 1;
        let _ = self.pages.send(view(&self.id, &state).to_string().into());
        Ok(())
    }

    /// Tells the pages what is at work; the file does not hold it.
    pub fn tell_busy(&self, busy: Option<String>) {
        let mut state = self.state();
        state.busy = busy;
        state.version += 1;
        let _ = self.pages.send(view(&self.id, &state).to_string().into());
    }

    /// The state for a page that has just come, and all later ones.
    pub fn listen(&self) -> (String, broadcast::Receiver<Arc<str>>) {
        let state = self.state();
        (view(&self.id, &state).to_string(), self.pages.subscribe())
    }

    /// The state for pages.
    pub fn view(&self) -> Value {
        view(&self.id, &self.state())
    }

    /// Ends a search, and gives what ends the next one.
    pub fn supersede(&self, search: Search) -> Arc<Cancel> {
        let mut searches = lock(&self.searches);
        let next = Arc::<Cancel>::default();
        std::mem::replace(&mut searches[search as usize], Arc::clone(&next)).set();
        next
    }
}

fn view(id: &str, state: &State) -> Value {
    let tip = Game::tip(&state.tree);
    let game = state.game.as_ref().map(|game| {
        let seats = game.seats.each_ref().map(|seat| {
            let (engine, level) = match seat {
                Seat::Human => (None, None),
                Seat::Engine { name, level } => (Some(name), *level),
            };
            json!({ "title": seat.title(), "engine": engine, "level": level })
        });
        let [white, black] = seats;
        json!({
            "white": white, "black": black, "tip": tip.0, "over": game.over,
            "clocks": game.clocks(&state.tree),
            "running": game.clock.as_ref().is_some_and(|clock| clock.since.is_some()),
            "draw_offered": game.draw_offered,
            "thinking": game.engine_to_move(&state.tree),
        })
    });
    json!({
        "id": id, "version": state.version, "since": state.since, "tree": state.tree.view(), "game": game,
        "busy": state.busy, "gone": state.gone,
    })
}

impl State {
    /// A game that is not over.
    pub fn running(&mut self) -> Option<(&mut Game, &mut GameTree)> {
        let game = self.game.as_mut().filter(|game| game.over.is_none())?;
        Some((game, &mut self.tree))
    }
}
