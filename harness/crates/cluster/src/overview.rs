//! The workers and runs of a server, at one moment.

use serde::Serialize;

use super::link::Link;
use super::message::{RunStatus, Status};
use super::presence::Presence;
use super::sharing::Runs;
use super::{ClusterError, quarantine};
use harness_base::session::ClusterAddress;

/// The workers and runs of a server.
#[derive(Clone, Debug, Serialize)]
pub struct Overview {
    /// The workers that answer.
    pub workers: Vec<Status>,
    /// Names and keys of those in quarantine.
    pub quarantined: Vec<String>,
    /// The runs that share the workers.
    pub runs: Vec<RunStatus>,
}

impl Overview {
    /// Asks a server, once: one that does not answer is not waited for.
    ///
    /// # Errors
    /// When no server answers, or it refuses the token.
    pub fn ask(address: &ClusterAddress, name: &str) -> Result<Overview, ClusterError> {
        Overview::of(&Link::of_coordinator_once(address, name)?)
    }

    /// Asks the server of a connection.
    ///
    /// # Errors
    /// When the server does not let this process listen.
    pub fn of(link: &Link) -> Result<Overview, ClusterError> {
        let (runs, _heard) = Runs::listen(link)?;
        let workers = Presence::listen(link)?.answered();
        let quarantined = quarantine::list(link).unwrap_or_default();
        let quarantined = quarantined.iter().map(|(key, name)| format!("{name} {key}")).collect();
        Ok(Overview { workers, quarantined, runs: runs.there() })
    }
}

impl Status {
    /// Its runs, and why it takes no more.
    pub fn plays(&self) -> String {
        let runs = self.runs.join(", ");
        match (self.state.as_str(), runs.is_empty()) {
            ("", _) => runs,
            (state, true) => state.to_owned(),
            (state, false) => format!("{runs} ({state})"),
        }
    }

    /// The beginning of its key, for people.
    pub fn short_key(&self) -> &str {
        self.key.get(1..9).unwrap_or(&self.key)
    }

    /// Games an hour since it joined.
    pub fn games_per_hour(&self) -> f64 {
        self.games as f64 / (self.seconds / 3600.0).max(1e-9)
    }
}
