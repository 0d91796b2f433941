//! The result of a suite, as `--json` prints it.

use serde::{Deserialize, Serialize};

/// Result of an engine on a suite.
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
    /// Limit of each search: `movetime=1000ms`.
    pub limit: String,
    /// SHA-256 of the positions and their solutions; a baseline must have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite_sha256: Option<String>,
    /// Machine speed: nodes a second of the linked engine's bench, with as many at a time as
    /// searches, before the first of them. Only with time limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_nps: Option<f64>,
    /// Positions searched.
    pub positions: u64,
    /// Positions solved.
    pub solved: u64,
    /// Points; the number of solved positions where each counts 1.
    pub score: f64,
    /// Maximum points.
    pub max_score: f64,
    /// Time of all searches, added up, in seconds.
    pub seconds: f64,
    /// Positions that the suite has; more than `positions` while the run is not finished.
    pub positions_asked: u64,
    /// The command line, so that it can be repeated; see [`harness_base::text::shell_words`].
    pub command_line: Option<String>,
    /// Warnings about the result.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// A row a position, in the order of the suite.
    pub results: Vec<SuiteResult>,
}

/// Facts known before the first search.
///
/// A command stores it under the key `facts` of its plan, and each searched position as a
/// [`SuiteResult`], so that a run which is not finished can be reported too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteFacts {
    /// Name of the suite: `wac`, or the file.
    pub suite: String,
    /// Its title for people, if it is in the catalogue.
    pub title: Option<String>,
    /// Where its positions are from.
    pub source: Option<String>,
    /// Names of the engines.
    pub engines: Vec<String>,
    /// Limit of each search: `movetime=1000ms`.
    pub limit: String,
    /// SHA-256 of the positions and their solutions.
    #[serde(default)]
    pub suite_sha256: Option<String>,
    /// Speed of the machine in nodes a second; see [`SuiteSummary::machine_nps`].
    #[serde(default)]
    pub machine_nps: Option<f64>,
    /// Positions of the suite.
    pub positions: u64,
    /// The command line; see [`harness_base::text::shell_words`].
    pub command_line: Option<String>,
}

/// Result of an engine on a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SuiteResult {
    /// The position's id in the suite.
    pub id: String,
    /// Whether the move solves the position.
    pub solved: bool,
    /// The move played, in UCI notation; `None` when the engine gave none.
    pub r#move: Option<String>,
    /// Time used, in milliseconds.
    pub time_ms: u64,
    /// Nodes, as the engine counted them.
    pub nodes: Option<u64>,
    /// Depth reached, in plies.
    pub depth: Option<u32>,
    /// When the solution was found that was kept to the end, in milliseconds.
    #[serde(default)]
    pub found_ms: Option<u64>,
    /// The depth at which it was found, in plies.
    #[serde(default)]
    pub found_depth: Option<u32>,
    /// The nodes searched by then.
    #[serde(default)]
    pub found_nodes: Option<u64>,
    /// Points for this move.
    pub score: f64,
    /// Points of the best move.
    pub max_score: f64,
    /// The position.
    pub fen: String,
    /// The move played, in SAN.
    pub san: Option<String>,
    /// Solutions in SAN; empty where only moves to avoid are given.
    #[serde(default)]
    pub expected: Vec<String>,
    /// The same in UCI notation, for drawing.
    #[serde(default)]
    pub expected_uci: Vec<String>,
    /// Moves to avoid, in SAN.
    #[serde(default)]
    pub avoid: Vec<String>,
    /// Name and public key of the worker that searched it; `None`: the run's own process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// The lines of a search with several, the best one first; empty with one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<SuiteLine>,
    /// Rank of a solution among several lines, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Theme, if the suite has themes.
    pub theme: Option<String>,
    /// The fault, if the engine gave no usable move.
    pub fault: Option<String>,
}

/// One of the lines of a search with several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteLine {
    /// Its first move, in UCI notation.
    pub r#move: String,
    /// The same in SAN.
    pub san: String,
    /// Its score in centipawns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Moves to mate; negative when being mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// Points that the suite gives for it.
    pub points: f64,
}

/// Results of several engines on one suite; one JSON object with the keys of the first engine's
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

impl SuiteFacts {
    /// The summary of the engine with this index (in [`SuiteFacts::engines`]); `results` in the order
    /// of the suite, `seconds` is the total time of its searches.
    pub fn summary(
        &self,
        run: &str,
        engine: usize,
        results: Vec<SuiteResult>,
        seconds: f64,
    ) -> SuiteSummary {
        let engine = self.engines.get(engine).map_or("?", String::as_str);
        SuiteSummary {
            run: run.to_owned(),
            suite: self.suite.clone(),
            title: self.title.clone(),
            source: self.source.clone(),
            engine: engine.to_owned(),
            limit: self.limit.clone(),
            suite_sha256: self.suite_sha256.clone(),
            machine_nps: self.machine_nps,
            positions: results.len() as u64,
            solved: results.iter().filter(|result| result.solved).count() as u64,
            score: results.iter().map(|result| result.score).sum(),
            max_score: results.iter().map(|result| result.max_score).sum(),
            seconds,
            positions_asked: self.positions,
            command_line: self.command_line.clone(),
            warnings: Vec::new(),
            results,
        }
    }
}

impl SuiteSummary {
    /// Positions that were not solved.
    pub fn missed(&self) -> impl Iterator<Item = &SuiteResult> {
        self.results.iter().filter(|result| !result.solved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_keys_stand_at_the_top_for_one_engine_and_for_more() {
        let facts = SuiteFacts {
            suite: "bk".to_owned(),
            title: None,
            source: None,
            engines: vec!["a".to_owned(), "b".to_owned()],
            limit: "depth=1".to_owned(),
            suite_sha256: None,
            machine_nps: None,
            positions: 24,
            command_line: None,
        };
        let first = facts.summary("id", 0, Vec::new(), 0.0);
        let mut report = SuiteReport { first, others: Vec::new() };
        let json = serde_json::to_value(&report).expect("plain data");
        for key in [
            "suite",
            "engine",
            "limit",
            "positions",
            "solved",
            "score",
            "max_score",
            "seconds",
            "results",
            "run",
        ] {
            assert!(json.get(key).is_some(), "{key}");
        }
        assert!(json.get("others").is_none());
        report.others.push(facts.summary("id", 1, Vec::new(), 0.0));
        let json = serde_json::to_value(&report).expect("plain data");
        assert_eq!((&json["engine"], &json["others"][0]["engine"]), (&"a".into(), &"b".into()));
        let read: SuiteReport = serde_json::from_value(json).expect("reads back");
        assert_eq!(read, report);
    }
}
