//! Comparing with an earlier result.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use miette::Diagnostic;
use thiserror::Error;

use super::machine::{TOLERANCE, are_alike};
use harness_base::input;
use harness_outcome::{
    EffortRatio, SuiteComparison, SuiteFacts, SuiteReport, SuiteResult, SuiteSummary,
};
use harness_stats::{log_ratios, mcnemar, paired_ratio, wilcoxon};

/// A p-value below this is a difference.
const SIGNIFICANT: f64 = 0.05;

/// A baseline that cannot be compared with.
#[derive(Debug, Error, Diagnostic)]
pub enum BaselineError {
    /// It cannot be read.
    #[error("cannot read the baseline {0}: {1}")]
    #[diagnostic(help("make one with `harness suite NAME ENGINE --json > baseline.json`"))]
    Unreadable(String, #[source] io::Error),
    /// It is no result of a suite.
    #[error("the baseline {0} is no result of a suite: {1}")]
    #[diagnostic(help("make one with `harness suite NAME ENGINE --json > baseline.json`"))]
    NoResult(String, #[source] serde_json::Error),
    /// It is another suite's, or another limit's.
    #[error("the baseline has {what} `{theirs}`, this run `{ours}`: they cannot be compared")]
    #[diagnostic(help("run the same suite with the same limit, or make a new baseline"))]
    Different {
        /// The property that differs.
        what: &'static str,
        /// In the baseline.
        theirs: String,
        /// In this run.
        ours: String,
    },
    /// Times of two machines.
    #[error(
        "the baseline's machine searched {theirs:.0} nodes a second and this one {ours:.0}: with \
         a limit in time they cannot be compared"
    )]
    #[diagnostic(help(
        "up to {:.0} % are let pass; compare at fixed nodes (--nodes), or make a new baseline here",
        100.0 * TOLERANCE
    ))]
    OtherMachine {
        /// The baseline's.
        theirs: f64,
        /// This one's.
        ours: f64,
    },
    /// A baseline with a time limit and without the machine's speed.
    #[error("the baseline does not store the speed of its machine, and its limit is a time")]
    #[diagnostic(help("compare at fixed nodes (--nodes), or make a new baseline"))]
    UnknownMachine,
    /// One result against several.
    #[error("a baseline is compared with one engine, and {0} are given")]
    SeveralEngines(usize),
}

/// Reads a `--json` result; of several engines the first counts.
///
/// # Errors
/// When it cannot be read or is something else.
pub fn read_baseline(path: &Path) -> Result<SuiteSummary, BaselineError> {
    let shown = || path.display().to_string();
    let text =
        input::read_text(path).map_err(|source| BaselineError::Unreadable(shown(), source))?;
    let report: SuiteReport =
        serde_json::from_str(&text).map_err(|source| BaselineError::NoResult(shown(), source))?;
    Ok(report.first)
}

/// Refuses a baseline of another suite, limit or (where the limit is a time) another machine;
/// called before the search.
///
/// # Errors
/// [`BaselineError::Different`] with the difference.
pub fn check_baseline<'a>(
    baseline: &SuiteSummary,
    facts: &SuiteFacts,
    ids: impl Iterator<Item = &'a str>,
) -> Result<(), BaselineError> {
    let mut theirs = baseline.results.iter().map(|result| result.id.as_str());
    let pairs =
        [("suite", &baseline.suite, &facts.suite), ("limit", &baseline.limit, &facts.limit)];
    for (what, theirs, ours) in pairs {
        if theirs != ours {
            let theirs = theirs.clone();
            let ours = ours.clone();
            return Err(BaselineError::Different { what, theirs, ours });
        }
    }
    match (baseline.machine_nps, facts.machine_nps) {
        (Some(theirs), Some(ours)) if !are_alike(theirs, ours) => {
            return Err(BaselineError::OtherMachine { theirs, ours });
        }
        (None, Some(_)) => return Err(BaselineError::UnknownMachine),
        _ => {}
    }
    let mut ours = ids;
    loop {
        match (theirs.next(), ours.next()) {
            (None, None) => break,
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
    match (&baseline.suite_sha256, &facts.suite_sha256) {
        (Some(theirs), Some(ours)) if theirs != ours => {
            let [theirs, ours] = [theirs, ours].map(|hash| hash.chars().take(12).collect());
            Err(BaselineError::Different { what: "positions with the hash", theirs, ours })
        }
        _ => Ok(()),
    }
}

/// Compares two results of the same suite and limit.
///
/// A position counts as gained or lost when its points differ; with one point a position that is
/// when it was solved by only one.
pub fn compare(baseline: &SuiteSummary, now: &SuiteSummary) -> SuiteComparison {
    let before: HashMap<&str, &SuiteResult> =
        baseline.results.iter().map(|result| (result.id.as_str(), result)).collect();
    let pairs: Vec<(&SuiteResult, &SuiteResult)> = (now.results.iter())
        .filter_map(|result| Some((*before.get(result.id.as_str())?, result)))
        .collect();
    let ids = |differs: fn(f64, f64) -> bool| -> Vec<String> {
        let differing = pairs.iter().filter(|(before, now)| differs(now.score, before.score));
        differing.map(|(_, now)| now.id.clone()).collect()
    };
    let (gained, lost) = (ids(|now, before| now > before), ids(|now, before| now < before));
    let p_value = mcnemar(gained.len() as u64, lost.len() as u64);
    let worse = lost.len() > gained.len() && p_value < SIGNIFICANT;
    SuiteComparison {
        engine: baseline.engine.clone(),
        solved: baseline.solved,
        score: baseline.score,
        gained,
        lost,
        p_value,
        worse,
        effort: effort(&pairs, now.limit.starts_with("movetime")),
    }
}

/// Compares how soon solutions were found.
fn effort(pairs: &[(&SuiteResult, &SuiteResult)], in_time: bool) -> Option<EffortRatio> {
    let found = |result: &SuiteResult| {
        let found = if in_time { result.found_ms } else { result.found_nodes };
        // What took no whole unit has no ratio.
        found.filter(|_| result.solved).map(|found| found.max(1) as f64)
    };
    let (before, now): (Vec<f64>, Vec<f64>) =
        pairs.iter().filter_map(|(before, now)| found(before).zip(found(now))).unzip();
    let ratio = paired_ratio(&before, &now).ok()?;
    let logarithms = log_ratios(&before, &now).ok()?;
    Some(EffortRatio {
        unit: if in_time { "ms" } else { "nodes" }.to_owned(),
        positions: ratio.pairs,
        ratio: ratio.value,
        ci95: ratio.ci95,
        p_value: wilcoxon(&logarithms).p_value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::{SuiteFacts, SuiteResult};

    fn result(id: &str, score: f64) -> SuiteResult {
        let solved = score > 0.0;
        serde_json::from_value(serde_json::json!({
            "id": id, "solved": solved, "move": "e2e4", "time_ms": 1, "nodes": 1, "depth": 1,
            "score": score, "max_score": 1.0, "fen": "", "san": "e4", "theme": null, "fault": null
        }))
        .expect("a result")
    }

    fn facts(suite: &str, limit: &str) -> SuiteFacts {
        SuiteFacts {
            suite: suite.to_owned(),
            title: None,
            source: None,
            engines: vec!["builtin".to_owned()],
            limit: limit.to_owned(),
            suite_sha256: None,
            machine_nps: None,
            positions: 2,
            command_line: None,
        }
    }

    fn summary(scores: &[f64]) -> SuiteSummary {
        let results = scores.iter().enumerate().map(|(i, &score)| result(&i.to_string(), score));
        facts("wac", "nodes=1000").summary("run", 0, results.collect(), 1.0)
    }

    #[test]
    fn a_significant_loss_is_worse_and_a_gain_is_not() {
        let none = summary(&[0.0; 8]);
        let all = summary(&[1.0; 8]);
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
            check_baseline(&baseline, &facts(suite, limit), ids.iter().copied()).is_ok()
        };
        assert!(check("wac", "nodes=1000", &["0", "1"]));
        assert!(!check("bk", "nodes=1000", &["0", "1"]));
        assert!(!check("wac", "nodes=1001", &["0", "1"]));
        assert!(!check("wac", "nodes=1000", &["0"]));
        assert!(!check("wac", "nodes=1000", &["0", "1", "2"]));
        assert!(!check("wac", "nodes=1000", &["0", "2"]));
    }

    #[test]
    fn changed_positions_and_other_machines_are_refused() {
        let mut baseline = summary(&[1.0, 0.0]);
        let mut now = facts("wac", "nodes=1000");
        let check = |baseline: &SuiteSummary, now: &SuiteFacts| {
            check_baseline(baseline, now, ["0", "1"].into_iter())
        };
        now.suite_sha256 = Some("ab".repeat(32));
        assert!(check(&baseline, &now).is_ok(), "older baselines have no hash");
        baseline.suite_sha256 = Some("cd".repeat(32));
        assert!(matches!(check(&baseline, &now), Err(BaselineError::Different { .. })));
        baseline.suite_sha256.clone_from(&now.suite_sha256);
        now.machine_nps = Some(1.0e6);
        assert!(matches!(check(&baseline, &now), Err(BaselineError::UnknownMachine)));
        baseline.machine_nps = Some(1.5e6);
        assert!(matches!(check(&baseline, &now), Err(BaselineError::OtherMachine { .. })));
        baseline.machine_nps = Some(1.05e6);
        assert!(check(&baseline, &now).is_ok());
    }

    #[test]
    fn solutions_found_later_are_told_from_solutions_lost() {
        let with_nodes = |factor: u64| {
            let mut summary = summary(&[1.0; 12]);
            for (index, result) in summary.results.iter_mut().enumerate() {
                result.found_nodes = Some(factor * (100 + 900 * index as u64));
            }
            summary.results[11].solved = false;
            summary
        };
        let same = compare(&with_nodes(1), &with_nodes(1)).effort.expect("pairs");
        assert_eq!((same.ratio, same.p_value), (1.0, 1.0));
        let later = compare(&with_nodes(1), &with_nodes(2));
        let effort = later.effort.expect("pairs");
        assert_eq!((effort.positions, &*effort.unit), (11, "nodes"));
        assert!((effort.ratio - 2.0).abs() < 1e-9 && effort.p_value < 0.01, "{effort:?}");
        assert!(!later.worse);
    }
}
