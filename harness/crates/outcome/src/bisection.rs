//! The result of a bisection.

use serde::{Deserialize, Serialize};

use super::Commit;
use harness_stats::Pentanomial;

/// The JSON object of `harness bisect --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectReport {
    /// The id of the run.
    pub run: String,
    /// The good commit.
    pub good: Commit,
    /// The answer.
    pub verdict: Verdict,
    /// The commits that brought the loss: one, or several that could not be distinguished because those
    /// between them were skipped; empty without an answer.
    pub found: Vec<Commit>,
    /// How probable the answer is.
    pub probability: f64,
    /// The loss in Elo with its 95 % interval; of games only.
    pub loss: Option<Loss>,
    /// Games played.
    pub games: u64,
    /// Commits whose tests contradict each other: the test has no answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<Commit>,
    /// The tests of the good commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_tests: Option<Tests>,
    /// Tested commits, oldest first.
    pub tested: Vec<Tested>,
}

/// The answer of a bisection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The commit is found.
    Found,
    /// The last commit is as strong as the good one.
    NoLoss,
    /// The games ran out, or no commit is left that can be tested.
    Undecided,
}

/// A loss of strength, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// The median of its distribution.
    pub elo: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
    /// The largest loss that was looked at: a bound at it means as much or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<f64>,
}

impl Loss {
    /// Whether an end of the interval is the largest loss that was looked at.
    pub fn is_beyond(&self, end: f64) -> bool {
        self.largest.is_some_and(|largest| end >= largest)
    }
}

/// How often a commit was tested, and how often the test failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// Tests that ended with good or bad.
    pub run: usize,
    /// Those that said bad.
    pub failed: usize,
}

impl Tests {
    /// Counts the answers of tests: whether the commit is bad.
    pub fn from_answers(bad: &[bool]) -> Tests {
        Tests { run: bad.len(), failed: bad.iter().filter(|&&bad| bad).count() }
    }
}

/// Results of a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The commit.
    #[serde(flatten)]
    pub commit: Commit,
    /// Its pairs against the good commit.
    pub pentanomial: Pentanomial,
    /// The runs of its games, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
    /// The result of a test without noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad: Option<bool>,
    /// Its tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Probability that it is the first bad one.
    pub probability: f64,
}
