//! The result of a suite, as `--json` prints it.

use serde::{Deserialize, Serialize};

/// What one engine did on a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteSummary {
    /// The id of the run.
    pub run: String,
    /// Name of the suite: `wac`, or the file.
    pub suite: String,
    /// Its title for people, if it is in the catalogue.
    pub title: Option<String>,
    /// Where its positions are from.
    pub source: Option<String>,
    /// Name of the engine.
    pub engine: String,
    /// What ended each search: `movetime=1000ms`.
    pub limit: String,
    /// Positions searched.
    pub positions: u64,
    /// Positions solved.
    pub solved: u64,
    /// Points; the number of solved positions where each counts 1.
    pub score: f64,
    /// Points that could be had.
    pub max_score: f64,
    /// Wall time, in seconds.
    pub seconds: f64,
    /// What people should know before they trust the numbers.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// A row a position, in the order of the suite.
    pub results: Vec<SuiteResult>,
}

/// What one engine did on one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteResult {
    /// The position's id in the suite.
    pub id: String,
    /// Whether the move is one that was looked for.
    pub solved: bool,
    /// The move played, in UCI notation; `None` when the engine gave none.
    pub r#move: Option<String>,
    /// Time used, in milliseconds.
    pub time_ms: u64,
    /// Nodes, as the engine counted them.
    pub nodes: Option<u64>,
    /// Depth reached, in plies.
    pub depth: Option<u32>,
    /// Points for this move.
    pub score: f64,
    /// Points of the best move.
    pub max_score: f64,
    /// The position.
    pub fen: String,
    /// The move played, in SAN.
    pub san: Option<String>,
    /// Moves looked for, in SAN; empty where only moves to avoid are given.
    #[serde(default)]
    pub expected: Vec<String>,
    /// The same in UCI notation, for drawing.
    #[serde(default)]
    pub expected_uci: Vec<String>,
    /// Moves to avoid, in SAN.
    #[serde(default)]
    pub avoid: Vec<String>,
    /// What the position is about, where the suite says so.
    pub theme: Option<String>,
    /// What went wrong, if the engine gave no usable move.
    pub fault: Option<String>,
}

/// What several engines did on one suite; one JSON object with the keys of the first engine's
/// [`SuiteSummary`], and the others under `others`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteReport {
    /// The first engine.
    #[serde(flatten)]
    pub first: SuiteSummary,
    /// The other engines; not in JSON when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<SuiteSummary>,
}

impl SuiteReport {
    /// All engines, the first one first.
    pub fn engines(&self) -> impl Iterator<Item = &SuiteSummary> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

impl SuiteSummary {
    /// Positions that were not solved.
    pub fn missed(&self) -> impl Iterator<Item = &SuiteResult> {
        self.results.iter().filter(|result| !result.solved)
    }
}
