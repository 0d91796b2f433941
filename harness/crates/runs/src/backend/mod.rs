//! The backend of a run: players of this process, or workers on other machines, as the session says.
//!
//! A [`Setup`] is everything that either needs to know of a run; [`Setup::backend`] is the one place that
//! chooses. Results of workers that are quarantined are taken out by [`quarantine`].

pub mod quarantine;
mod reference;

use std::collections::BTreeSet;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::games::{hold_cores, most_threads, take_share_note};
use harness_arena::{Unplayed, Watch};
use harness_base::session::Session;
use harness_base::{budget, platform};
use harness_cluster::work::{GamePairs, RemoteWork, Work};
use harness_cluster::{Backend, BackendError, Common, LocalPlayers};
use harness_ledger::{Ledger, Run};
use harness_player::pool::Start;
use harness_player::{EngineSpec, Limit, StartSettings};

pub use reference::kept_reference;

/// Facts of a run that a backend needs.
pub struct Setup<'a, W> {
    /// The kind of work, and what its tasks share.
    pub work: &'a W,
    /// The engines of all tasks.
    pub engines: &'a [EngineSpec],
    /// Limits of the searches.
    pub limits: &'a [Limit],
    /// Where the results of the run are kept.
    pub keeper: Keeper<'a>,
    /// Tasks at the same time, in this process.
    pub jobs: usize,
    /// Starts engines in this process.
    pub start: &'a Start<'a>,
    /// How engines are started, on other machines.
    pub settings: StartSettings,
    /// Gets the events of games in this process.
    pub watch: Option<&'a Watch<'a>>,
}

/// Where the results of a run are kept.
pub enum Keeper<'a> {
    /// In the ledger.
    Ledger {
        /// The run.
        run: &'a Run,
        /// Public keys of workers with results of it.
        contributors: BTreeSet<String>,
    },
    /// In a file.
    File {
        /// The kind of the run, as part of its name on the server.
        kind: &'static str,
        /// The file.
        path: &'a Path,
        /// The settings that its results depend on.
        settings: String,
    },
}

impl<'a, W: RemoteWork> Setup<'a, W> {
    /// The backend that the session asks for.
    ///
    /// # Errors
    /// When players cannot be started, or the workers not be reached.
    pub fn backend<E>(
        self,
        session: &Session,
    ) -> Result<Backend<'a, W>, BackendError<<W as Work>::Trouble, E>> {
        let Setup { work, engines, limits, keeper, jobs, start, settings, watch } = self;
        let Some(remote) = &session.on else {
            hold_cores(jobs.saturating_mul(most_threads(engines)));
            if let Some(note) = take_share_note() {
                tracing::warn!("{note}");
            }
            return Backend::local(work, LocalPlayers { jobs, start, watch }, &session.interrupt);
        };
        // Workers elsewhere have cores of their own.
        budget::give_back();
        let _ = take_share_note();
        let common = Common {
            run: keeper.name(),
            engines,
            rules: work,
            settings: &settings,
            threads: most_threads(engines),
            reference: match &keeper {
                Keeper::Ledger { run, .. } => reference::reference(run, remote.scaling, limits)?,
                Keeper::File { .. } => reference::measured_reference(remote.scaling, limits),
            },
            contributors: match keeper {
                Keeper::Ledger { contributors, .. } => contributors,
                Keeper::File { .. } => BTreeSet::new(),
            },
        };
        Ok(Backend::cluster(remote, &common, &session.interrupt)?)
    }
}

impl Keeper<'_> {
    /// The name of the run on the server. Ids are unique within a ledger only; and results of an earlier
    /// run that wrote a file with other settings do not count.
    fn name(&self) -> String {
        match self {
            Keeper::Ledger { run, .. } => {
                let folder = std::path::absolute(run.folder());
                let folder = folder.unwrap_or_else(|_| run.folder().to_owned());
                format!("{}-{}", run.id(), hash_here(&folder.display().to_string()))
            }
            Keeper::File { kind, path, settings } => {
                let file = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
                format!("{kind}-{}", hash_here(&format!("{}:{settings}", file.display())))
            }
        }
    }
}

/// A hash of a text and this machine, for names on the server.
fn hash_here(text: &str) -> String {
    let hash = format!("{:x}", Sha256::digest(format!("{}:{text}", platform::host_name())));
    hash[..12].to_owned()
}

/// The pairs of a run that the ledger keeps.
pub struct Games<'a> {
    /// The ledger with the games of the run.
    pub ledger: &'a Ledger,
    /// The run.
    pub run: &'a Run,
    /// Shared configuration of all pairs.
    pub pairs: &'a GamePairs,
    /// The engines of all pairs.
    pub engines: &'a [EngineSpec],
    /// Limits of the searches.
    pub limits: &'a [Limit],
    /// Pairs at the same time, in this process.
    pub jobs: usize,
    /// Starts engines in this process.
    pub start: &'a Start<'a>,
    /// How engines are started, on other machines.
    pub settings: StartSettings,
}

impl<'a> Games<'a> {
    /// The executor that the session asks for. `watch` hears of the games of this process.
    ///
    /// # Errors
    /// When the tablebases cannot be used, or the workers not be reached.
    pub fn executor(
        self,
        session: &Session,
        watch: Option<&'a Watch<'a>>,
    ) -> Result<Backend<'a, GamePairs>, Unplayed> {
        let Games { ledger, run, pairs, engines, limits, jobs, start, settings } = self;
        let contributors = match &session.on {
            Some(_) => ledger.worker_keys(run),
            None => Ok(BTreeSet::new()),
        };
        let contributors = contributors.map_err(|error| Unplayed::Elsewhere(Box::new(error)))?;
        let keeper = Keeper::Ledger { run, contributors };
        let work = pairs;
        let setup = Setup { work, engines, limits, keeper, jobs, start, settings, watch };
        Ok(setup.backend(session)?)
    }
}
