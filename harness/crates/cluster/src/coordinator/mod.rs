//! The coordinator of a run: gives out its tasks, and takes their results.

mod assignments;
mod receive;
mod recover;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use self::assignments::Assignments;
use super::keys::Keyring;
use super::link::{DEFAULT_LEASE, Link};
use super::message::{Assignment, Batch, PROTOCOL, Reference, RunStatus, Shared, Start, pack};
use super::presence::Presence;
use super::results::{self, Results};
use super::second_play::SecondPlays;
use super::sharing::{Allotment, Sharing};
use super::speed::linked_signature;
use super::subjects;
use super::work::{Done, RemoteWork, Work};
use super::{ClusterError, artifacts, benches};
use harness_base::session::{Interrupt, Remote};
use harness_player::{EngineSpec, Program, StartSettings};

/// Tasks in the order in which they are begun, with rising numbers.
type Tasks<'a, W> = dyn Iterator<Item = <W as Work>::Task> + 'a;

/// Takes tasks that are done; breaks when no more are wanted.
type KeepDone<'a, W> = dyn FnMut(Vec<Done<<W as Work>::Answer>>) -> ControlFlow<()> + 'a;

/// Tasks that are given out at the same time at most: each takes about a kilobyte here.
const MAX_GIVEN_OUT: usize = 100_000;

/// Cores that are assumed before a worker was heard of.
const ASSUMED_CORES: usize = 4;

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
    /// Number of workers, and of their cores, when they were last counted.
    there: (usize, usize),
    sharing: Sharing,
    counted: Instant,
    results: Results,
    /// To publish them again.
    engines: Vec<EngineSpec>,
    interrupt: Interrupt,
    assignments: Assignments<W>,
    /// Results kept since the server was last asked to remove them, and the last one's number.
    kept: (usize, u64),
    /// Time and number of the tasks whose results are known.
    played: (Duration, u32),
    /// Public keys of workers that cannot play the run.
    unable: BTreeSet<String>,
    /// Benches that are not ours, by program and nodes, with key and name of the worker that found it
    /// first.
    wrong_benches: BTreeMap<(String, u64), (String, String)>,
    /// Tasks of batches that several workers took without sending a result.
    suspects: BTreeSet<u64>,
    /// Public keys of workers whose results count.
    contributors: BTreeSet<String>,
    /// Quarantined workers: names by key.
    quarantined: BTreeMap<String, String>,
    second_plays: SecondPlays<W>,
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
        link.make_streams(DEFAULT_LEASE)?;
        let linked = engines.iter().any(|engine| engine.program == Program::Builtin);
        let shared = Shared {
            rules: W::clone(rules),
            start: Start::from(*settings),
            threads: *threads,
            builtin: linked.then(linked_signature),
            reference: reference.map(|nps| Reference { nps, signature: linked_signature() }),
            artifacts: {
                let benches = benches::of_revisions(engines, interrupt);
                let mut rules = W::clone(rules);
                let tables = rules.tablebases().map(|folders| &**folders);
                artifacts::publish(&link, engines, tables, remote.sources, benches, interrupt)?
            },
        };
        let presence = Presence::listen(&link)?;
        let status = RunStatus { run: run.clone(), priority: remote.priority, is_over: false };
        let sharing = Sharing::join(&link, status)?;
        // What kept workers from playing may be over.
        results::remove(&link, &subjects::all_returned(run), None);
        let results = Results::listen(&link, run)?;
        Ok(Coordinator {
            link,
            run: run.clone(),
            shared,
            presence,
            there: (0, 0),
            sharing,
            counted: Instant::now(),
            results,
            engines: engines.to_vec(),
            interrupt: interrupt.clone(),
            assignments: Assignments::default(),
            kept: (0, 0),
            played: (Duration::ZERO, 0),
            unable: BTreeSet::new(),
            wrong_benches: BTreeMap::new(),
            suspects: BTreeSet::new(),
            contributors: contributors.clone(),
            quarantined: BTreeMap::new(),
            second_plays: SecondPlays::default(),
            is_alone: false,
            keys: Keyring::default(),
        })
    }

    /// Cores of all workers.
    fn cores(&self) -> usize {
        match self.there.1 {
            0 => ASSUMED_CORES,
            cores => cores,
        }
    }

    /// Counts the workers, if the last count is old.
    fn count_workers(&mut self) {
        if self.there == (0, 0) || self.counted.elapsed() > COUNT_INTERVAL {
            self.there = self.presence.count();
            self.counted = Instant::now();
        }
    }

    /// Tasks that the run may keep on the server.
    fn allotment(&self) -> Allotment {
        let at_once = self.cores() as f64 / self.shared.threads.max(1) as f64;
        let (time, tasks) = self.played;
        let one = (tasks > 0).then(|| time.as_secs_f64() / f64::from(tasks));
        Allotment::new(self.sharing.share() * at_once, one)
    }

    /// Gives out tasks until each core has enough; `false` once there is no further one. Results
    /// that are there already are added to `done`.
    fn fill(
        &mut self,
        tasks: &mut Tasks<'_, W>,
        done: &mut Vec<Done<W::Answer>>,
    ) -> Result<bool, Unfinished> {
        loop {
            let Allotment { size, batches } = self.allotment();
            // Small ones at the end, so that no core waits for long for the last of another.
            let left = tasks.size_hint().1.unwrap_or(usize::MAX);
            let size = size.min(left.div_ceil(batches)).max(1);
            let most = size.saturating_mul(batches).min(MAX_GIVEN_OUT).max(size);
            if self.assignments.len() + size > most {
                return Ok(true);
            }
            let mut batch = Vec::with_capacity(size);
            let mut is_last = true;
            for (count, task) in (1..).zip((&mut *tasks).take(size)) {
                is_last = count < size;
                match self.assignments.begin(task) {
                    (_, Some(early)) => done.extend(self.take(early)?),
                    (assignment, None) => batch.push(assignment),
                }
            }
            self.assignments.forget_late();
            self.publish(batch)?;
            if is_last {
                return Ok(false);
            }
        }
    }

    /// Publishes a batch; tries again until the server takes it or the user interrupts.
    fn publish(&self, tasks: Vec<Assignment<W>>) -> Result<(), Unfinished> {
        if tasks.is_empty() {
            return Ok(());
        }
        let run = self.run.clone();
        let common = self.shared.clone();
        let batch = Batch { protocol: PROTOCOL, run, common, tasks };
        let text = pack(&batch);
        loop {
            let sent = self.link.wait(async {
                let subject = subjects::jobs(&self.run);
                let sent = self.link.jetstream.publish(subject, text.clone().into()).await;
                sent.map_err(|error| error.to_string())?.await.map_err(|error| error.to_string())
            });
            let Err(reason) = sent else { return Ok(()) };
            if self.interrupt.is_set() {
                return Err(Unfinished::Interrupted);
            }
            tracing::warn!("the NATS server takes no jobs: {reason}; trying again");
            thread::sleep(RETRY_DELAY);
            // It may have lost its streams with its disk.
            if let Err(error) = self.link.make_streams(DEFAULT_LEASE) {
                tracing::debug!("{error}");
            }
        }
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
        let (mut more, mut heard, mut looked) = (true, Instant::now(), Instant::now());
        self.look_for_quarantine()?;
        let mut alone = false;
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
            self.count_workers();
            let mut done = Vec::new();
            if more && !self.interrupt.is_finishing() {
                more = self.fill(tasks, &mut done)?;
            }
            if self.assignments.is_empty() && done.is_empty() {
                return if more { Err(Unfinished::Interrupted) } else { Ok(()) };
            }
            if !self.assignments.is_empty() {
                done.extend(self.receive()?);
            }
            if !done.is_empty() {
                heard = Instant::now();
                if keep(done).is_break() {
                    return Ok(());
                }
                self.remove_kept(false);
            }
            if looked.elapsed() <= CHECK_INTERVAL {
                continue;
            }
            looked = Instant::now();
            // A disk of the server that is full takes no more results until then.
            self.remove_kept(true);
            self.look_for_quarantine()?;
            if heard.elapsed() > CHECK_INTERVAL {
                let there = self.there.0;
                if there == 0 && !alone {
                    tracing::warn!("no worker is there; `harness work` on any machine joins");
                }
                alone = there == 0;
                self.give_out_again()?;
            }
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
            results::remove(&self.link, &subjects::results(&self.run), None);
        }
    }
}
