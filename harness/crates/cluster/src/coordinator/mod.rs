//! The coordinator of a run: gives out its tasks, and takes their results.

mod assignments;
mod compare;
mod dropped;
mod give_out;
mod lanes;
mod receive;
mod recover;
mod replays;
mod returned;
mod settle;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use self::assignments::Assignments;
use self::dropped::Dropped;
use self::lanes::Lanes;
pub use self::replays::FINAL_REPLAYS;
use self::replays::Replays;
use self::returned::{Suspect, Unable};
use super::keys::Keyring;
use super::link::Link;
use super::message::{PROTOCOL, Reference, RunStatus, Shared, Start};
use super::presence::Presence;
use super::reservoir::Reservoir;
use super::results::{self, Results};
use super::second_play::{Play, SecondPlays};
use super::sharing::Sharing;
use super::speed::linked_signature;
use super::subjects;
use super::work::{Done, RemoteWork, Work};
use super::{ClusterError, artifacts, benches};
use harness_base::session::{Interrupt, Remote};
use harness_outcome::name_and_key;
use harness_player::{EngineSpec, Program, StartSettings};

/// Tasks in the order in which they are begun, with rising numbers.
type Tasks<'a, W> = dyn Iterator<Item = <W as Work>::Task> + 'a;

/// Takes tasks that are done; breaks when no more are wanted.
type KeepDone<'a, W> = dyn FnMut(Vec<Done<<W as Work>::Answer>>) -> ControlFlow<()> + 'a;

/// How often workers are counted.
const COUNT_INTERVAL: Duration = Duration::from_millis(500);

/// How often it is looked whether jobs were lost.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// How often it is looked whether a server that is away is back.
const RECONNECT_INTERVAL: Duration = Duration::from_millis(100);

/// Wait before a request that failed is made again.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Results that are taken together at most.
const MAX_RESULTS: usize = 2_000;

/// A run ends when for so long there were workers, and none of them could play it.
const UNABLE_TIMEOUT: Duration = Duration::from_secs(6);

/// Shared configuration of the tasks of a run.
pub struct Common<'a, W: RemoteWork> {
    /// The run's name on the server: letters, digits and dashes.
    pub run: String,
    /// The engines of all tasks.
    pub engines: &'a [EngineSpec],
    /// The kind of work, and the rules of its tasks.
    pub rules: &'a W,
    /// How engines are started.
    pub settings: &'a StartSettings,
    /// Cores that a task needs.
    pub threads: usize,
    /// Nodes a second of the linked engine that time limits are scaled to; `None`: to nothing.
    pub reference: Option<f64>,
    /// Public keys of workers with results of the run already.
    pub contributors: BTreeSet<String>,
}

/// An answer of a worker that an earlier process of the run has counted.
pub struct EarlierAnswer<W: RemoteWork> {
    /// The task.
    pub task: W::Task,
    /// Name, token and key of the worker.
    pub worker: String,
    /// The repeatable part of the answer, as [`RemoteWork::fingerprint`] has it.
    pub moves: Vec<String>,
}

/// Why not all tasks were done. Those that were are kept.
#[derive(Debug)]
pub enum Unfinished {
    /// The user interrupted it.
    Interrupted,
    /// Workers could not do them.
    Failed(ClusterError),
}

impl From<ClusterError> for Unfinished {
    fn from(error: ClusterError) -> Unfinished {
        Unfinished::Failed(error)
    }
}

/// Gives tasks to workers on other machines.
pub struct Coordinator<W: RemoteWork> {
    link: Link,
    run: String,
    shared: Shared<W>,
    presence: Presence,
    /// The workers by token, when they were last counted.
    lanes: Lanes,
    sharing: Sharing,
    /// When; `None`: the count does not hold any more.
    counted: Option<Instant>,
    results: Results,
    /// To publish them again.
    engines: Vec<EngineSpec>,
    interrupt: Interrupt,
    assignments: Assignments<W>,
    /// Workers that cannot play the run, by public key.
    unable: BTreeMap<String, Unable>,
    /// Since when no worker that is there can play the run.
    unable_since: Option<Instant>,
    /// It was said that the run waits for workers that can play it.
    waits_for_able: bool,
    /// Tasks of batches that several workers took without sending a result.
    suspects: BTreeMap<u64, Suspect>,
    /// Tokens that a task is not given out to again while there are others.
    avoided: BTreeMap<u64, String>,
    dropped: Dropped,
    /// Public keys of workers whose results count.
    contributors: BTreeSet<String>,
    /// Quarantined workers: names by key; and tokens all of whose workers are.
    quarantined: BTreeMap<String, String>,
    /// Public keys of workers of which this process has counted a result.
    heard: BTreeSet<String>,
    /// Public keys of the workers of each token that played what they said, and of those that did not.
    checked: BTreeMap<String, [BTreeSet<String>; 2]>,
    second_plays: SecondPlays<W>,
    /// Tasks that are done again here; `None` where nothing repeats, or nothing is to be verified.
    replays: Option<Replays<W>>,
    /// Warnings for the end, beside those of dropped messages.
    noted: Vec<String>,
    /// The server has not answered in the end.
    is_alone: bool,
    keys: Keyring,
}

impl<W: RemoteWork> Coordinator<W> {
    /// Connects, and publishes the engines of a run.
    ///
    /// # Errors
    /// When the server cannot be reached, or the run needs what only this machine has.
    pub fn new(
        remote: &Remote,
        common: &Common<'_, W>,
        interrupt: &Interrupt,
    ) -> Result<Coordinator<W>, ClusterError> {
        let Common { run, engines, rules, settings, threads, reference, contributors } = common;
        let link = Link::of_coordinator(&remote.address, &format!("harness, run {run}"))?;
        link.make_streams()?;
        let linked = engines.iter().any(|engine| engine.program == Program::Builtin);
        let shared = Shared {
            rules: W::clone(rules),
            start: Start::from(*settings),
            threads: *threads,
            builtin: linked.then(linked_signature),
            reference: reference.map(|nps| Reference { nps, signature: linked_signature() }),
            artifacts: {
                let benches = match remote.starts_here {
                    true => benches::of_revisions(engines, interrupt),
                    false => BTreeMap::new(),
                };
                let mut rules = W::clone(rules);
                let tables = rules.tablebases().map(|folders| &**folders);
                artifacts::publish(&link, engines, tables, remote.sources, benches, interrupt)?
            },
        };
        let presence = Presence::listen(&link)?;
        let status = RunStatus { run: run.clone(), priority: remote.priority, is_over: false };
        let sharing = Sharing::join(&link, status)?;
        // What kept workers from playing may be over.
        for token in results::tokens(&link)? {
            results::remove(&link, &token, &subjects::all_returned(&token, run), None);
        }
        let results = Results::listen(&link, run)?;
        let assignments = Assignments::new(link.lease_key(run));
        Ok(Coordinator {
            link,
            run: run.clone(),
            shared,
            presence,
            lanes: Lanes::default(),
            sharing,
            counted: None,
            results,
            engines: engines.to_vec(),
            interrupt: interrupt.clone(),
            assignments,
            unable: BTreeMap::new(),
            unable_since: None,
            waits_for_able: false,
            suspects: BTreeMap::new(),
            avoided: BTreeMap::new(),
            dropped: Dropped::default(),
            contributors: contributors.clone(),
            quarantined: BTreeMap::new(),
            heard: BTreeSet::new(),
            checked: BTreeMap::new(),
            second_plays: SecondPlays::default(),
            replays: (remote.verify > 0.0 && remote.starts_here && *threads <= 1)
                .then(|| Replays::start(W::clone(rules), (*settings).clone(), remote.verify))
                .transpose()
                .map_err(|error| ClusterError::request("be checked: no pipe can be made", error))?,
            noted: Vec::new(),
            is_alone: false,
            keys: Keyring::default(),
        })
    }

    /// Counts the workers, if the last count is old; makes what those of a new token need.
    fn count_workers(&mut self) -> Result<(), Unfinished> {
        let is_fresh = self.counted.is_some_and(|counted| counted.elapsed() <= COUNT_INTERVAL);
        if is_fresh && self.lanes.workers() > 0 {
            return Ok(());
        }
        self.counted = Some(Instant::now());
        let mut workers = self.presence.workers();
        workers.retain(|worker| !self.quarantined.contains_key(&worker.token));
        let is_out =
            |key: &str| self.unable.contains_key(key) || self.quarantined.contains_key(key);
        for token in self.lanes.count(&workers, &is_out) {
            self.make_lane(&token)?;
            self.results.add(&self.link, &token)?;
        }
        self.look_for_able(workers.iter().any(|worker| worker.protocol == PROTOCOL))
    }

    /// Looks whether for a while no worker that is there could play the run: an error of a run that none
    /// has played yet, as it will not go by itself. Else it waits: those that have played it may come back.
    fn look_for_able(&mut self, is_one_there: bool) -> Result<(), Unfinished> {
        if self.lanes.workers() > 0 || !is_one_there || self.unable.is_empty() {
            self.unable_since = None;
            return Ok(());
        }
        let since = *self.unable_since.get_or_insert_with(Instant::now);
        let Some(unable) = self.unable.values().next_back() else { return Ok(()) };
        if since.elapsed() <= UNABLE_TIMEOUT {
            return Ok(());
        }
        let (worker, reason) = (unable.name.clone(), unable.reason.clone());
        if self.contributors.is_empty() {
            return Err(ClusterError::CannotPlay { worker, reason }.into());
        }
        if !self.waits_for_able {
            self.waits_for_able = true;
            tracing::warn!(
                "no worker that is there can play the run, which waits for those that have played it: \
                 {worker} cannot play: {reason}"
            );
        }
        Ok(())
    }

    /// Warnings for the end of the run: messages that did not count among them.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.dropped.warnings();
        warnings.extend(self.noted.iter().cloned());
        warnings
    }

    /// Notes answers of a token that an earlier process of the run has counted, before any task is given out.
    /// Before the result stands some of them are done again.
    pub fn note_earlier(&mut self, token: &str, answers: Reservoir<EarlierAnswer<W>>) {
        let (threads, rules) = (self.shared.threads, &self.shared.rules);
        let Some(replays) = self.replays.as_mut().filter(|_| threads <= 1) else { return };
        let play = |answer: EarlierAnswer<W>| {
            let EarlierAnswer { task, worker, moves } = answer;
            let key = name_and_key(&worker).1.to_owned();
            rules.repeats(&task).then_some((task, Play { worker, key, moves }))
        };
        replays.note_earlier(token, answers.filter_map(play));
    }

    /// Why the results do not stand: a worker that played other moves than this machine, where no other
    /// agrees with this machine.
    pub fn doubt(&self) -> Option<String> {
        let dispute = self.replays.as_ref()?.disputes().first()?;
        let (worker, number) = (&dispute.play.worker, W::number(&dispute.task));
        Some(format!(
            "{worker} played other moves in pair {number} than this machine does, and no other worker agrees \
             with this machine: the engine plays differently from machine to machine, or the worker has \
             another one, or lies; `--verify 0` believes the workers"
        ))
    }

    /// Has the tasks done, which are given out in their order; `keep` gets what is done in the order
    /// in which it arrives, each once. When it breaks, tasks under way are abandoned.
    ///
    /// # Errors
    /// [`Unfinished`] says why not all of them were done.
    pub fn run(
        &mut self,
        tasks: &mut Tasks<'_, W>,
        keep: &mut KeepDone<'_, W>,
    ) -> Result<(), Unfinished> {
        let ended = self.run_all(tasks, keep);
        if !self.assignments.is_empty() || ended.is_err() {
            self.withdraw();
        }
        ended
    }

    fn run_all(
        &mut self,
        tasks: &mut Tasks<'_, W>,
        keep: &mut KeepDone<'_, W>,
    ) -> Result<(), Unfinished> {
        let (mut more, mut looked, mut alone) = (true, Instant::now(), false);
        self.look_for_quarantine()?;
        let mut connections = self.link.connections();
        loop {
            if self.interrupt.is_set() {
                return Err(Unfinished::Interrupted);
            }
            if !self.link.is_connected() {
                // What is asked of the server now would wait for its answer, deaf to an interrupt.
                thread::sleep(RECONNECT_INTERVAL);
                continue;
            }
            if connections != self.link.connections() {
                // It would take a minute until the reader finds that the server was away.
                match self.restore() {
                    Ok(()) => connections = self.link.connections(),
                    Err(error) => tracing::debug!("{error}"),
                }
            }
            self.count_workers()?;
            let mut done = Vec::new();
            if self.interrupt.is_finishing() {
                self.fill(tasks, &mut false, &mut done)?;
            } else {
                self.fill(tasks, &mut more, &mut done)?;
            }
            if self.assignments.is_empty() && done.is_empty() {
                if !more {
                    return Ok(());
                }
                if self.interrupt.is_finishing() {
                    return Err(Unfinished::Interrupted);
                }
            }
            done.extend(self.receive()?);
            self.take_findings()?;
            if !done.is_empty() && keep(done).is_break() {
                return Ok(());
            }
            self.remove_kept(false);
            if looked.elapsed() <= CHECK_INTERVAL {
                continue;
            }
            looked = Instant::now();
            // A disk of the server that is full takes no more results until then.
            self.remove_kept(true);
            self.look_for_quarantine()?;
            let there = self.presence.count();
            if there == 0 && !alone {
                tracing::warn!("no worker is there; `harness work` on any machine joins");
            }
            alone = there == 0;
            self.recover()?;
        }
    }
}

impl<W: RemoteWork> Drop for Coordinator<W> {
    fn drop(&mut self) {
        if !self.is_alone {
            self.withdraw();
        }
        if self.is_alone || !self.link.is_connected() {
            return;
        }
        self.sharing.leave(&self.link);
        artifacts::remove(&self.link, &self.shared.artifacts);
        if !self.interrupt.is_set() {
            // The ledger has them.
            for token in results::tokens(&self.link).unwrap_or_default() {
                results::remove(&self.link, &token, &subjects::results(&token, &self.run), None);
            }
        }
    }
}
