//! Flags of the display while games are played.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

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
}

/// The pass criterion of a calibration.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CalibrationShowing {
    /// Largest distance of a level's rating from its statement, in Elo; `None`: any.
    pub within: Option<f64>,
}
