//! Moves played in a position.

use serde_json::{Value, json};

/// A move and the results of its games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveCount {
    /// As engines write it.
    pub uci: String,
    /// As people write it.
    pub san: String,
    /// Games that White won, drawn ones, games that Black won.
    pub results: [u64; 3],
}

impl MoveCount {
    /// Games in which it was played.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    /// For a page.
    pub fn view(&self) -> Value {
        let uci = &self.uci;
        let san = &self.san;
        let results = self.results;
        json!({ "uci": uci, "san": san, "games": self.games(), "results": results })
    }
}

/// The moves of a position.
#[derive(Clone, Debug, Default)]
pub struct ExploredPosition {
    /// The most played first.
    pub moves: Vec<MoveCount>,
    /// Games that had the position.
    pub games: u64,
    /// Games that were looked through.
    pub of: u64,
    /// The numbers of some of the games.
    pub named: Vec<u32>,
}

impl ExploredPosition {
    /// The most played moves first.
    pub fn sort(&mut self) {
        self.moves.sort_by(|a, b| b.games().cmp(&a.games()).then(a.san.cmp(&b.san)));
    }
}
