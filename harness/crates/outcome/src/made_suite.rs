//! A suite that was made from games.

use serde::Serialize;

/// Candidates by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MakeTally {
    /// Searched.
    pub searched: u64,
    /// Clear after the first search.
    pub kept: u64,
    /// Clear after the second one, too.
    pub verified: u64,
    /// Failed searches.
    pub failed: u64,
}

/// Counts of a suite that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeSuite {
    /// The file.
    pub file: String,
    /// Games.
    pub games: u64,
    /// Games of other variants or with an illegal move.
    pub faulty: u64,
    /// Candidates of these games.
    pub candidates: u64,
    /// Candidates by stage.
    pub tally: MakeTally,
    /// Positions of the suite.
    pub positions: usize,
}
