//! The state of a board, its changes, and the pages that are notified.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::engines::Cancel;
use super::file::{BoardFile, Found};
use super::game::{Game, Seat};
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
    /// Why the engine that is to move was not asked; until the next change.
    pub unasked: Option<String>,
    /// It was deleted: nothing writes its file again.
    pub gone: bool,
}

/// A board, shared by its pages and by the engines that play on it.
pub struct Board {
    /// Its name in addresses.
    pub id: String,
    /// Locked after the state.
    file: Mutex<BoardFile>,
    state: Mutex<State>,
    pages: broadcast::Sender<Arc<str>>,
    /// The search of the engine that is to move, and the review.
    searches: Mutex<[Arc<Cancel>; 2]>,
    /// Whether an engine was asked for its move since the board was made or read.
    is_awake: AtomicBool,
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
        Board::of(id, BoardFile::new(file), tree, game)
    }

    fn of(id: String, file: BoardFile, tree: GameTree, game: Option<Game>) -> Board {
        let state = Mutex::new(State { since: now(), tree, game, ..State::default() });
        let (pages, _) = broadcast::channel(QUEUE_LENGTH);
        let searches = Mutex::default();
        Board {
            id,
            file: Mutex::new(file),
            state,
            pages,
            searches,
            is_awake: AtomicBool::new(false),
        }
    }

    /// A board from its file. A game whose clocks ran continues with the time of its last move.
    ///
    /// # Errors
    /// When it cannot be read; in words for people.
    pub fn read(id: &str, file: PathBuf) -> Result<Board, String> {
        let mut file = BoardFile::new(file);
        let wrong =
            |reason: String, file: &BoardFile| format!("{}: {reason}", file.path().display());
        let content = file.read().map_err(|error| wrong(error.to_string(), &file))?;
        let (tree, game) = parse(&content).map_err(|reason| wrong(reason, &file))?;
        Ok(Board::of(id.to_owned(), file, tree, game))
    }

    /// The state, to be read.
    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Whether nothing was asked of its engines yet; the next call says no.
    pub fn is_asleep(&self) -> bool {
        !self.is_awake.swap(true, Ordering::Relaxed)
    }

    /// Follows what another studio of the folder has made of the board.
    pub fn refresh(&self) {
        self.follow(&mut self.state());
    }

    /// Changes the state, as the file has it now; pages and the file follow. Gives the new state for pages.
    ///
    /// # Errors
    /// As `change`; the state stays as it was.
    pub fn change<E>(&self, change: impl FnOnce(&mut State) -> Result<(), E>) -> Result<Value, E> {
        let mut state = self.state();
        // Where it cannot be locked one studio is better than none.
        let locked = lock(&self.file).lock();
        self.follow(&mut state);
        change(&mut state)?;
        state.unasked = None;
        let view = self.show(&mut state);
        let kept = StoredBoard { pgn: state.tree.to_pgn(), game: state.game.clone() };
        let text = serde_json::to_vec(&kept).expect("plain data");
        // Under the lock, so that an older state never replaces a newer one.
        let mut file = lock(&self.file);
        if !state.gone
            && let Err(error) = file.write(&text)
        {
            tracing::warn!("{}: {error}", file.path().display());
        }
        drop(locked);
        Ok(view)
    }

    /// Takes over what another studio has written: its nodes have other numbers, and what engines search is of
    /// another state.
    fn follow(&self, state: &mut State) {
        let mut file = lock(&self.file);
        let found = file.look();
        let content = match found {
            Ok(Found::Same) => return,
            Ok(Found::Gone) if state.gone => return,
            Ok(Found::Gone) => {
                state.gone = true;
                None
            }
            Ok(Found::Other(content)) => Some(content),
            Err(error) => {
                tracing::warn!("{}: {error}", file.path().display());
                return;
            }
        };
        if let Some(content) = content {
            match parse(&content) {
                Ok((tree, game)) => (state.tree, state.game) = (tree, game),
                Err(reason) => {
                    tracing::warn!("{}: {reason}", file.path().display());
                    return;
                }
            }
            state.since = now().max(state.since + 1);
            state.busy = None;
        }
        self.end_searches();
        self.show(state);
    }

    /// Sends the state to the pages, as a newer one.
    fn show(&self, state: &mut State) -> Value {
        state.version += 1;
        let view = view(&self.id, state);
        // Without a page there is no subscriber.
        let _ = self.pages.send(view.to_string().into());
        view
    }

    fn end_searches(&self) {
        for search in [Search::Move, Search::Review] {
            self.supersede(search).set();
        }
    }

    /// Ends its searches and removes its file; its pages are notified.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn remove(&self) -> std::io::Result<()> {
        let mut state = self.state();
        lock(&self.file).remove()?;
        self.end_searches();
        state.gone = true;
        self.show(&mut state);
        Ok(())
    }

    /// Tells the pages what is at work; the file does not hold it.
    pub fn tell_busy(&self, busy: Option<String>) {
        let mut state = self.state();
        state.busy = busy;
        self.show(&mut state);
    }

    /// Shows on the pages why the engine that is to move was not asked.
    pub fn tell_unasked(&self, reason: String) {
        let mut state = self.state();
        state.unasked = Some(reason);
        self.show(&mut state);
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

/// Milliseconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// The moves and the game of the content of a file.
///
/// # Errors
/// When it is no board; in words for people.
fn parse(content: &[u8]) -> Result<(GameTree, Option<Game>), String> {
    let kept: StoredBoard = serde_json::from_slice(content).map_err(|error| error.to_string())?;
    let tree = read_game(kept.pgn.as_bytes()).map_err(|error| error.to_string())?;
    Ok((tree, kept.game))
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
        "busy": state.busy.as_ref().or(state.unasked.as_ref()), "gone": state.gone,
    })
}

impl State {
    /// Whether a request was made of this reading of the board; in another one nodes had other numbers. A request that
    /// names none is taken.
    pub fn is_reading(&self, since: &str) -> bool {
        since.is_empty() || since == self.since.to_string()
    }

    /// A game that is not over.
    pub fn running(&mut self) -> Option<(&mut Game, &mut GameTree)> {
        let game = self.game.as_mut().filter(|game| game.over.is_none())?;
        Some((game, &mut self.tree))
    }
}
