//! Who plays the pairs of a run: threads of this process, or workers on other machines.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use harness_arena::{Conduct, Executor, LocalExecutor, Unplayed, Watch};
use harness_base::failure::{Failure, OrFail};
use harness_base::files::write_atomically;
use harness_base::platform;
use harness_base::session::{Scaling, Session};
use harness_cluster::link::{LEASE, Link};
use harness_cluster::message::Rules;
use harness_cluster::speed::Speed;
use harness_cluster::{ClusterError, ClusterExecutor, Common, Coordinator, quarantine};
use harness_ledger::{Ledger, Run};
use harness_player::pool::Start;
use harness_player::{EngineSpec, Limit, StartSettings};

/// The pairs of a run.
pub struct Games<'a> {
    /// The ledger with the games of the run.
    pub ledger: &'a Ledger,
    /// The run.
    pub run: &'a Run,
    /// The engines of all pairs.
    pub engines: &'a [EngineSpec],
    /// Limits of the searches.
    pub limits: &'a [Limit],
    /// Rules of the games.
    pub conduct: &'a Conduct,
    /// The event of the PGN.
    pub event: &'a str,
    /// Pairs at the same time, in this process.
    pub jobs: usize,
    /// How engines are started, on other machines.
    pub settings: StartSettings,
    /// Starts engines in this process.
    pub start: &'a Start<'a>,
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
    ) -> Result<Box<dyn Executor + 'a>, Unplayed> {
        let Games { ledger, run, engines, limits, conduct, event, jobs, settings, start } = self;
        let Some(remote) = &session.on else {
            let local = LocalExecutor::new(conduct, event, jobs, start, &session.interrupt)?;
            return Ok(Box::new(match watch {
                Some(watch) => local.watched_by(watch),
                None => local,
            }));
        };
        let contributors = ledger.worker_keys(run);
        let common = Common {
            run: name_everywhere(run),
            engines,
            rules: Rules::Games { event: event.to_owned(), conduct: conduct.clone() },
            settings: &settings,
            threads: super::games::most_threads(engines),
            reference: reference(run, remote.scaling, limits).map_err(elsewhere)?,
            contributors: contributors.map_err(|error| Unplayed::Elsewhere(Box::new(error)))?,
        };
        let coordinator = Coordinator::new(remote, &common, &session.interrupt);
        let coordinator = coordinator.map_err(elsewhere)?;
        Ok(Box::new(ClusterExecutor(coordinator)))
    }
}

fn elsewhere(error: ClusterError) -> Unplayed {
    Unplayed::Elsewhere(Box::new(error))
}

/// File of a run's folder with the speed that its time limits are scaled to.
const REFERENCE: &str = "reference-speed";

/// The speed that the time limits of a run are scaled to; `None`: to nothing, or it has none. It is
/// decided when workers first play the run; a resumed one goes on with it.
///
/// # Errors
/// When it cannot be kept.
pub fn reference(
    run: &Run,
    scaling: Scaling,
    limits: &[Limit],
) -> Result<Option<f64>, ClusterError> {
    if limits.iter().all(|limit| limit.time().is_none()) {
        return Ok(None);
    }
    let path = run.folder().join(REFERENCE);
    if path.is_file() {
        return Ok(kept_reference(run.folder()));
    }
    let speed = measured_reference(scaling, limits);
    let text = speed.map_or_else(|| "off".to_owned(), |speed| speed.to_string());
    write_atomically(&path, text.as_bytes())
        .map_err(|source| ClusterError::file("write", &path, source))?;
    Ok(speed)
}

/// The speed that time limits are scaled to from now on; `None`: to nothing, or there are none.
pub fn measured_reference(scaling: Scaling, limits: &[Limit]) -> Option<f64> {
    match scaling {
        _ if limits.iter().all(|limit| limit.time().is_none()) => None,
        Scaling::Off => None,
        Scaling::Here => Some(Speed::measured(super::games::cores()).nodes_a_second().round()),
        Scaling::To(speed) => Some(speed),
    }
}

/// The speed that the time limits of a run with this folder are scaled to, if they are.
pub fn kept_reference(folder: &Path) -> Option<f64> {
    std::fs::read_to_string(folder.join(REFERENCE)).ok()?.trim().parse().ok()
}

/// Takes the games of quarantined workers out of a run, so that others play them again; gives a
/// warning for each such worker.
///
/// # Errors
/// When the server cannot be asked, or the ledger not be written.
pub fn take_out_quarantined(
    ledger: &Ledger,
    run: &Run,
    session: &Session,
) -> Result<Vec<String>, Failure> {
    let mut warnings = Vec::new();
    for (key, name) in quarantined(session)? {
        let games = ledger.remove_games_of(run, &key).or_failed()?;
        if games > 0 {
            warnings.push(format!("{games} games are played again: {name} is quarantined"));
        }
    }
    Ok(warnings)
}

/// As [`take_out_quarantined`], for a run whose later games depend on the earlier ones: takes out all
/// games from the first on that a quarantined worker played.
///
/// # Errors
/// As [`take_out_quarantined`].
pub fn take_out_from_quarantined(
    ledger: &Ledger,
    run: &Run,
    session: &Session,
) -> Result<Vec<String>, Failure> {
    let mut warnings = Vec::new();
    for (key, name) in quarantined(session)? {
        let Some(pair) = ledger.first_pair_of(run, &key).or_failed()? else { continue };
        let games = ledger.remove_games_from(run, pair).or_failed()?;
        warnings.push(format!(
            "{games} games are played again, all from pair {pair} on, whose results decided what \
             was played after them: {name} is quarantined"
        ));
    }
    Ok(warnings)
}

/// Names of the quarantined workers by public key; none without a server.
pub fn quarantined(session: &Session) -> Result<BTreeMap<String, String>, Failure> {
    let Some(remote) = &session.on else { return Ok(BTreeMap::new()) };
    let link = Link::of_coordinator(&remote.address, "harness, quarantine")?;
    link.make_streams(LEASE)?;
    Ok(quarantine::list(&link)?)
}

/// The id of a run with a hash of its place: ids are unique within a ledger only.
pub fn name_everywhere(run: &Run) -> String {
    let folder = std::path::absolute(run.folder()).unwrap_or_else(|_| run.folder().to_owned());
    format!("{}-{}", run.id(), hash_here(&folder.display().to_string()))
}

/// A hash of a text and this machine, for names on the server.
pub fn hash_here(text: &str) -> String {
    let hash = format!("{:x}", Sha256::digest(format!("{}:{text}", platform::host_name())));
    hash[..12].to_owned()
}
