//! The result of a perft suite.

use serde::Serialize;

/// A count of the engine beside the known one.
#[derive(Clone, Debug, Serialize)]
pub struct PerftCount {
    /// The suite.
    pub suite: String,
    /// Its line, from 1.
    pub line: usize,
    /// The position.
    pub fen: String,
    /// Depth in plies.
    pub depth: u32,
    /// The known count.
    pub expected: u64,
    /// The engine's count; 0 before it is computed.
    pub found: u64,
}

/// The result of a run; as JSON, the object of `harness perft --json`.
#[derive(Debug, Serialize)]
pub struct PerftReport {
    /// The suites.
    pub suites: Vec<String>,
    /// Counts that were computed.
    pub counts: usize,
    /// Nodes of all counts.
    pub nodes: u64,
    /// Wall time.
    pub seconds: f64,
    /// Nodes a second.
    pub nodes_per_second: f64,
    /// Counts that differ.
    pub mismatches: Vec<PerftCount>,
}
