//! Flags of starting and supervising engines.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use harness_player::{StartSettings, UciLogs, parse_movetime};

/// The folder of the logs in that of the run.
const LOGS: &str = "uci";

/// How engines are started and supervised; kept with the run.
#[derive(Clone, Copy, Debug, Default, Args, Serialize, Deserialize)]
#[serde(default)]
#[command(next_help_heading = "Engines")]
pub struct Starting {
    /// Count an engine as hung that does not answer `uci` or `isready` for TIME [default: 10s].
    #[arg(long, value_name = "TIME", value_parser = parse_movetime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    patience: Option<Duration>,
    /// Limit the memory of each engine; a larger allocation fails, and mostly crashes it. Files
    /// that it maps (tablebases) do not count.
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_limit: Option<u32>,
    /// Pin each concurrent game to a processor of its own, physical cores first.
    #[arg(long)]
    pub affinity: bool,
    /// Start the engines anew for every game.
    #[arg(long)]
    pub restart: bool,
    /// Log what is sent to and received from each engine, with time stamps, to uci/ENGINE.log in
    /// the run's folder. A file of MIB [default: 64] is rotated; four older ones are kept.
    #[arg(long, value_name = "MIB", num_args = 0..=1, require_equals = true, default_missing_value = "64", value_parser = clap::value_parser!(u32).range(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_uci: Option<u32>,
}

impl Starting {
    /// As settings of a player.
    pub fn settings(self) -> StartSettings {
        let default = StartSettings::default();
        StartSettings {
            handshake: self.patience.unwrap_or(default.handshake),
            ready: self.patience.unwrap_or(default.ready),
            memory: self.memory_limit.map(|mebibytes| u64::from(mebibytes) << 20),
            ..default
        }
    }

    /// The same for the games of a run, in whose folder logs are.
    pub fn settings_in(self, run: &Path) -> StartSettings {
        let logs = |mebibytes| UciLogs::new(run.join(LOGS), u64::from(mebibytes) << 20);
        StartSettings { logs: self.log_uci.map(logs).map(Arc::new), ..self.settings() }
    }
}
