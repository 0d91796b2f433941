//! The result of a tuning run, as `--json` prints it, and its path.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::MatchSummary;
use super::tuned::Dependence;
use super::tuned::{Effect, Gain, Recommendation};

/// The result of a tuning run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TuneSummary {
    /// Name of the method.
    pub method: String,
    /// Name of the engine.
    pub engine: String,
    /// What ended a search.
    pub limit: String,
    /// Nodes a second of the linked engine on one core that the workers' time limits were scaled
    /// to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_nps: Option<f64>,
    /// Games played.
    pub games: u64,
    /// Pairs not counted: an engine crashed or hung.
    pub void_pairs: u64,
    /// Share of drawn pairs.
    pub draw_ratio: Option<f64>,
    /// The values before, as UCI options.
    pub start: BTreeMap<String, String>,
    /// The values found, as UCI options.
    pub best: BTreeMap<String, String>,
    /// Their expected gain.
    pub gain: Option<Gain>,
    /// Expected Elo that the best values in the ranges are above them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    /// Elo of these that as many games again are expected to gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_of_twice: Option<f64>,
    /// Parameters that were found not to matter during the run, and keep their start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frozen: Vec<String>,
    /// A line a parameter.
    pub parameters: Vec<ParameterSummary>,
    /// Effects of the parameters around the start; of a screening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<Effect>>,
    /// Games played at each point of the parameters' paths.
    pub steps: Vec<u64>,
    /// The match of the result against the start.
    pub validation: Option<MatchSummary>,
    /// Wall time of playing, without the validation.
    pub seconds: f64,
    /// The run's id.
    pub run: String,
}

/// Result of a parameter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ParameterSummary {
    /// Its name.
    pub name: String,
    /// Value before.
    pub start: f64,
    /// Value found.
    pub best: f64,
    /// The same, not rounded.
    pub estimate: f64,
    /// Standard error of the estimate.
    pub error: Option<f64>,
    /// Gradient at the start in standard errors.
    pub z: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Whether it was fixed.
    pub fixed: bool,
    /// The estimate after each batch.
    pub path: Vec<f64>,
}

/// A tuning run with all that its page shows.
#[derive(Clone, Debug)]
pub struct TuneReport {
    /// The result so far.
    pub summary: TuneSummary,
    /// Games requested.
    pub games_asked: u64,
    /// Pairs played at the same time.
    pub jobs: usize,
    /// Seed of the tuner and of the openings.
    pub seed: u64,
    /// The command that starts the run again, if known.
    pub command_line: Option<String>,
    /// Recommendations over games, from before the first game on.
    pub path: Vec<PathPoint>,
    /// Partial dependence, if the results suffice.
    pub dependence: Option<Dependence>,
    /// Warnings about the result.
    pub warnings: Vec<String>,
}

/// A recommendation of the tuner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PathPoint {
    /// Games played by then.
    pub games: u64,
    /// The recommendation, with an estimate for each parameter of the summary.
    pub found: Recommendation,
}
