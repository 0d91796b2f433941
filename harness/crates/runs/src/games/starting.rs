//! How engines are started and supervised.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use harness_player::{StartSettings, UciLogs};

/// The folder of the logs in that of the run.
const LOGS: &str = "uci";

/// How engines are started and supervised; kept with the run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Starting {
    /// Time to answer `uci` and `isready`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<Duration>,
    /// Memory of each engine, in MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<u32>,
    /// Each concurrent game has a processor of its own.
    pub affinity: bool,
    /// Engines are started again for every game.
    pub restart: bool,
    /// Size in MiB of a log of what is sent to and received from each engine; `None`: no log.
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
