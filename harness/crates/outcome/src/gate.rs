//! Result of a gate: checks, verdicts, measurements.

use serde::{Deserialize, Serialize};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Well.
    Passed,
    /// Not well.
    Failed,
    /// Neither within its budget.
    Undecided,
}

/// A check and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub verdict: Verdict,
    /// Verdict that an undecided check counts as, by the configuration; `None`: its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts_as: Option<Verdict>,
    /// Observation, and the expected value.
    pub detail: String,
    /// Measurement, for its history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// The run of the ledger that played or solved for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// Measurement of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// Nodes of the bench.
    Bench {
        /// Nodes.
        nodes: u64,
    },
    /// Nodes a second over the base's.
    Speed {
        /// The ratio.
        ratio: f64,
        /// Ends of its 95 % interval.
        ci95: [f64; 2],
    },
    /// Positions of a suite.
    Suite {
        /// Its name.
        suite: String,
        /// Nodes a position; 0 where another limit ends the searches.
        nodes: u64,
        /// Limit of each search: `nodes=20000`; empty in results of older harnesses.
        #[serde(default)]
        limit: String,
        /// Solved.
        solved: u64,
        /// Positions of the suite.
        positions: u64,
    },
    /// Strength beside the base; 0 without an error where both play the same games.
    Elo {
        /// Elo; `None` where it is not defined.
        value: Option<f64>,
        /// Half its 95 % interval.
        error95: Option<f64>,
        /// Games played.
        games: u64,
    },
}

/// All checks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GateReport {
    /// The run in the ledger, once it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The commit that was checked; `None` for a working tree or a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How it all ended: the worst of what the checks count as.
    pub verdict: Verdict,
    /// The revision that was checked.
    pub revision: String,
    /// Base of the comparison.
    pub base: String,
    /// The checks in their order.
    pub checks: Vec<CheckResult>,
}

impl CheckResult {
    /// Verdict that the check counts as for the whole.
    pub fn counted(&self) -> Verdict {
        self.counts_as.unwrap_or(self.verdict)
    }
}

/// The worst of what the checks count as.
pub fn overall(checks: &[CheckResult]) -> Verdict {
    let any = |verdict| checks.iter().any(|check| check.counted() == verdict);
    if any(Verdict::Failed) {
        Verdict::Failed
    } else if any(Verdict::Undecided) {
        Verdict::Undecided
    } else {
        Verdict::Passed
    }
}
