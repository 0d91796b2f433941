//! Flags of output while games are played.

use clap::Args;
use serde::{Deserialize, Serialize};

/// What is shown while games are played; kept with the run.
#[derive(Clone, Copy, Debug, Default, Args, Serialize, Deserialize)]
#[serde(default)]
#[command(next_help_heading = "Output")]
pub struct Showing {
    /// Print events to standard output as they happen: a JSON object a line.
    #[arg(long, long_help = STREAM_HELP)]
    pub json_stream: bool,
    /// Print the results so far after every GAMES games, above the progress line.
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_every: Option<u64>,
    /// The match is a calibration, and the levels' ratings are its result.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationShowing>,
}

/// The pass criterion of a calibration.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CalibrationShowing {
    /// Largest distance of a level's rating from its statement, in Elo; `None`: any.
    pub within: Option<f64>,
}

const STREAM_HELP: &str = "\
Print events to standard output as they happen: a JSON object a line.

Each has `event`: run_started, game_started, move, game_ended, statistics or run_finished, whose \
`summary` is what --json prints, which is not needed beside it. `harness docs json-stream` lists \
the keys. Keys may be added, none is taken away.";
