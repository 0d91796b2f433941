//! Flags of the display while games are played.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use harness_outcome::rating::RatedReference;

/// Flags of the display while games are played; stored with the run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Showing {
    /// Events are printed to standard output as they happen.
    pub json_stream: bool,
    /// The results so far are printed after this many games, again and again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_every: Option<u64>,
    /// A file that has the games in progress while they are played.
    #[serde(with = "harness_base::text::path", skip_serializing_if = "Option::is_none")]
    pub live_pgn: Option<PathBuf>,
    /// The match is a calibration, and the levels' ratings are its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationShowing>,
    /// The match rates its first engine, and the rating is its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingShowing>,
}

impl Showing {
    /// That of a stored plan.
    pub(crate) fn of_plan(plan: &Value) -> Showing {
        let showing = plan.get("showing").cloned();
        showing.and_then(|showing| serde_json::from_value(showing).ok()).unwrap_or_default()
    }
}

/// The references of a rating, and the error that is wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RatingShowing {
    /// The other engines, in their order.
    pub references: Vec<RatedReference>,
    /// Half of the 95 % interval that is narrow enough.
    pub error95: f64,
}

/// The pass criterion of a calibration.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CalibrationShowing {
    /// Largest distance of a level's rating from its statement, in Elo; `None`: any.
    pub within: Option<f64>,
}
