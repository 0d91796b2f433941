//! The comparison of a suite's result with an earlier one.

use serde::{Deserialize, Serialize};

/// How a result differs from an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteComparison {
    /// The engine of the earlier result.
    pub engine: String,
    /// Positions that it had solved.
    pub solved: u64,
    /// Its points.
    pub score: f64,
    /// Ids of positions with more points than before.
    pub gained: Vec<String>,
    /// Ids of positions with fewer points than before.
    pub lost: Vec<String>,
    /// Exact two-sided p-value of McNemar's test.
    pub p_value: f64,
    /// Whether more was lost than gained, and the p-value is below 5 %: an engine that is as good
    /// is called worse in at most 2.5 % of comparisons.
    pub worse: bool,
    /// How soon the solutions were found; `None` with fewer than two positions to compare.
    #[serde(default)]
    pub effort: Option<EffortRatio>,
}

/// How much more the engine needs for the positions that it solved now and before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EffortRatio {
    /// Unit of the effort to the solution that was kept: `nodes`, or `ms` where the
    /// limit is a time.
    pub unit: String,
    /// Positions solved both times.
    pub positions: usize,
    /// Geometric mean of now over before.
    pub ratio: f64,
    /// Ends of its 95 % interval.
    pub ci95: [f64; 2],
    /// Two-sided p-value of Wilcoxon's signed-rank test on the logarithms: robust to
    /// outliers.
    pub p_value: f64,
}
