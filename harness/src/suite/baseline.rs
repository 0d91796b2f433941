//! Comparing with an earlier result.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::report::{SuiteReport, SuiteSummary};
use crate::stats::mcnemar;

/// A p-value below this is a difference.
const SIGNIFICANT: f64 = 0.05;

/// How a result differs from an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The engine of the earlier result.
    pub engine: String,
    /// What it had solved.
    pub solved: u64,
    /// Its points.
    pub score: f64,
    /// Ids of positions with more points than before.
    pub gained: Vec<String>,
    /// Ids of positions with fewer points than before.
    pub lost: Vec<String>,
    /// Exact two-sided p-value of McNemar's test.
    pub p_value: f64,
    /// Whether more was lost than gained, and the p-value is below 5 %.
    pub worse: bool,
}

/// A baseline that cannot be compared with.
#[derive(Debug, Error, Diagnostic)]
pub enum BaselineError {
    /// It cannot be read.
    #[error("cannot read the baseline {path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// It is no result of a suite.
    #[error("the baseline {path} is no result of a suite: {source}")]
    #[diagnostic(help("make one with `harness suite NAME ENGINE --json > baseline.json`"))]
    NoResult {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// It is another suite's, or another limit's.
    #[error("the baseline has {what} `{theirs}`, this run `{ours}`: they cannot be compared")]
    #[diagnostic(help("run the same suite with the same limit, or make a new baseline"))]
    Different {
        /// What differs.
        what: &'static str,
        /// In the baseline.
        theirs: String,
        /// In this run.
        ours: String,
    },
    /// One result against several.
    #[error("a baseline is compared with one engine, and {engines} were asked for")]
    SeveralEngines {
        /// How many.
        engines: usize,
    },
}

/// Reads a `--json` result; of several engines the first counts.
///
/// # Errors
/// When it cannot be read or is something else.
pub fn read_baseline(path: &Path) -> Result<SuiteSummary, BaselineError> {
    let shown = || path.display().to_string();
    let text =
        fs::read(path).map_err(|source| BaselineError::Unreadable { path: shown(), source })?;
    let report: SuiteReport = serde_json::from_slice(&text)
        .map_err(|source| BaselineError::NoResult { path: shown(), source })?;
    Ok(report.first)
}

/// Refuses a baseline of another suite or limit; to be asked before anything is searched.
///
/// # Errors
/// [`BaselineError::Different`] says what differs.
pub fn check_baseline<'a>(
    baseline: &SuiteSummary,
    suite: &str,
    limit: &str,
    ids: impl Iterator<Item = &'a str>,
) -> Result<(), BaselineError> {
    let mut theirs = baseline.results.iter().map(|result| result.id.as_str());
    let pairs = [("suite", baseline.suite.as_str(), suite), ("limit", &baseline.limit, limit)];
    for (what, theirs, ours) in pairs {
        if theirs != ours {
            let (theirs, ours) = (theirs.to_owned(), ours.to_owned());
            return Err(BaselineError::Different { what, theirs, ours });
        }
    }
    let mut ours = ids;
    loop {
        match (theirs.next(), ours.next()) {
            (None, None) => return Ok(()),
            (theirs, ours) if theirs == ours => {}
            (theirs, ours) => {
                let or_end = |id: Option<&str>| id.unwrap_or("(its end)").to_owned();
                return Err(BaselineError::Different {
                    what: "position",
                    theirs: or_end(theirs),
                    ours: or_end(ours),
                });
            }
        }
    }
}

/// Compares two results of the same suite and limit.
///
/// A position counts as gained or lost when its points differ; with one point a position that is
/// when it was solved by only one.
pub fn compare(baseline: &SuiteSummary, now: &SuiteSummary) -> Comparison {
    let before: HashMap<&str, f64> =
        baseline.results.iter().map(|result| (result.id.as_str(), result.score)).collect();
    let (mut gained, mut lost) = (Vec::new(), Vec::new());
    for result in &now.results {
        match before.get(result.id.as_str()) {
            Some(&score) if result.score > score => gained.push(result.id.clone()),
            Some(&score) if result.score < score => lost.push(result.id.clone()),
            _ => {}
        }
    }
    let p_value = mcnemar(gained.len() as u64, lost.len() as u64);
    let worse = lost.len() > gained.len() && p_value < SIGNIFICANT;
    Comparison {
        engine: baseline.engine.clone(),
        solved: baseline.solved,
        score: baseline.score,
        gained,
        lost,
        p_value,
        worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{SuiteFacts, SuiteResult};

    fn result(id: &str, score: f64) -> SuiteResult {
        let solved = score > 0.0;
        serde_json::from_value(serde_json::json!({
            "id": id, "solved": solved, "move": "e2e4", "time_ms": 1, "nodes": 1, "depth": 1,
            "score": score, "max_score": 1.0, "fen": "", "san": "e4", "theme": null, "fault": null
        }))
        .expect("a result")
    }

    fn summary(scores: &[f64]) -> SuiteSummary {
        let facts = SuiteFacts {
            suite: "wac".to_owned(),
            title: None,
            source: None,
            engines: vec!["builtin".to_owned()],
            limit: "nodes=1000".to_owned(),
            positions: scores.len() as u64,
            command_line: None,
        };
        let results = scores.iter().enumerate().map(|(i, &score)| result(&i.to_string(), score));
        facts.summary("run", 0, results.collect(), 1.0)
    }

    #[test]
    fn a_significant_loss_is_worse_and_a_gain_is_not() {
        let (none, all) = (summary(&[0.0; 8]), summary(&[1.0; 8]));
        let lost = compare(&all, &none);
        assert!(lost.worse && lost.lost.len() == 8 && lost.gained.is_empty(), "{lost:?}");
        assert!((lost.p_value - 2.0 / 256.0).abs() < 1e-9);
        assert!(!compare(&none, &all).worse);
        let few = compare(&all, &summary(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]));
        assert!(!few.worse && few.p_value > SIGNIFICANT, "{few:?}");
        assert_eq!(compare(&all, &all).p_value, 1.0);
    }

    #[test]
    fn another_suite_limit_or_position_is_refused() {
        let baseline = summary(&[1.0, 0.0]);
        let check = |suite: &str, limit: &str, ids: &[&str]| {
            check_baseline(&baseline, suite, limit, ids.iter().copied()).is_ok()
        };
        assert!(check("wac", "nodes=1000", &["0", "1"]));
        assert!(!check("bk", "nodes=1000", &["0", "1"]));
        assert!(!check("wac", "nodes=1001", &["0", "1"]));
        assert!(!check("wac", "nodes=1000", &["0"]));
        assert!(!check("wac", "nodes=1000", &["0", "1", "2"]));
        assert!(!check("wac", "nodes=1000", &["0", "2"]));
    }
}
