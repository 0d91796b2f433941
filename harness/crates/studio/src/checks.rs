//! Moves of games that an engine checks, while it does and afterwards.

use std::sync::{Arc, Mutex};

use harness_base::sync::lock;
use harness_outcome::ViewedGame;
use harness_player::Score;

/// Checks whose results are kept.
const MAX_CHECKS: usize = 64;

/// Checks that were asked for.
#[derive(Default)]
pub struct Checks {
    all: Mutex<Vec<Arc<Check>>>,
}

/// A check of the moves of a game.
pub struct Check {
    /// The run of the game.
    pub run: String,
    /// The game.
    pub game: ViewedGame,
    /// The engine that checks.
    pub engine: String,
    /// Its limit.
    pub limit: String,
    /// Moves to check.
    pub count: usize,
    /// How far it is.
    pub progress: Mutex<Progress>,
}

/// How far a check is.
#[derive(Default)]
pub struct Progress {
    /// The moves that are checked.
    pub checked: Vec<CheckedMove>,
    /// The end, and why the engine failed, if it did.
    pub ended: Option<Result<(), String>>,
}

/// An engine's verdict on a move.
pub struct CheckedMove {
    /// Index of the move.
    pub ply: usize,
    /// The best move, for people.
    pub best: String,
    /// The best move, as engines write it.
    pub best_uci: String,
    /// Of the best move and of the one that was played, from the mover's view.
    pub scores: [Option<Score>; 2],
}

impl Checks {
    /// Keeps a check; its number, from 1.
    pub fn add(&self, check: &Arc<Check>) -> usize {
        let mut all = lock(&self.all);
        all.push(Arc::clone(check));
        // Numbers stay; what an old one found is given up.
        if let Some(old) = all.len().checked_sub(MAX_CHECKS + 1) {
            lock(&all[old].progress).checked = Vec::new();
        }
        all.len()
    }

    /// The check of a number.
    pub fn get(&self, number: usize) -> Option<Arc<Check>> {
        lock(&self.all).get(number.checked_sub(1)?).cloned()
    }
}
