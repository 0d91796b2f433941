//! Shared state of the threads of a worker.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::cores::{Cores, cores_in_memory};
use super::duty::Duty;
use crate::artifacts::Cache;
use crate::keys::WorkerKey;
use crate::link::Link;
use crate::offer::Offer;
use crate::speed::{Speed, linked_signature};
use harness_base::session::{Interrupt, InterruptSetter};
use harness_base::sync::lock;

/// Wait of a worker that has given a batch back; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest wait of such a worker.
const MAX_PAUSE: Duration = Duration::from_secs(16);

/// Progress of a worker.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Runs that it plays now.
    pub runs: Vec<String>,
    /// Games and positions that it has finished.
    pub games: u64,
    /// Its activity where it does not play: it pauses, or is about to leave.
    pub state: Option<String>,
    /// Games a hour, since it joined.
    pub games_per_hour: f64,
}

/// Shared state of the threads of a worker.
pub(super) struct Worker<'a> {
    pub link: &'a Link,
    pub key: &'a WorkerKey,
    pub offer: &'a Offer,
    pub cache: Cache,
    pub cores: Cores,
    /// Signature of the linked engine.
    pub signature: u64,
    pub speed: Speed,
    pub since: Instant,
    pub games: AtomicU64,
    pub faults: AtomicU64,
    /// By slot: the run that it plays, and the interrupt of its players.
    pub playing: Mutex<BTreeMap<usize, (String, InterruptSetter)>>,
    /// The pause of slots before they pull again.
    pub waits: Mutex<Waits>,
    /// It was said that memory is short.
    pub is_short_of_memory: AtomicBool,
    /// Whether it takes batches.
    pub duty: Duty,
    /// Wakes slots that wait for a batch.
    pub wake: Notify,
    /// The worker is to end.
    pub interrupt: Interrupt,
}

/// The wait of a worker that has given batches back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    pub until: Option<Instant>,
    pub length: Duration,
}

impl<'a> Worker<'a> {
    /// Before its first batch; it ends with `interrupt`.
    pub fn new(
        link: &'a Link,
        key: &'a WorkerKey,
        offer: &'a Offer,
        interrupt: Interrupt,
    ) -> Worker<'a> {
        Worker {
            link,
            key,
            offer,
            cache: Cache::new(offer),
            cores: Cores::new(offer.cores),
            signature: linked_signature(),
            speed: Speed::measured(offer.cores),
            since: Instant::now(),
            games: AtomicU64::new(0),
            faults: AtomicU64::new(0),
            playing: Mutex::default(),
            waits: Mutex::default(),
            is_short_of_memory: AtomicBool::new(false),
            duty: Duty::default(),
            wake: Notify::new(),
            interrupt,
        }
    }
}

impl Worker<'_> {
    pub fn playing(&self) -> MutexGuard<'_, BTreeMap<usize, (String, InterruptSetter)>> {
        lock(&self.playing)
    }

    pub fn waits(&self) -> MutexGuard<'_, Waits> {
        lock(&self.waits)
    }

    /// Whether this worker waits before it takes another batch, or takes none any more.
    pub fn has_to_wait(&self) -> bool {
        !self.duty.takes_batches() || self.waits().until.is_some_and(|until| Instant::now() < until)
    }

    /// Makes this worker wait before it takes another batch; each time for longer, until it has done one.
    pub fn pause(&self) -> Duration {
        let mut waits = self.waits();
        waits.length = (2 * waits.length).clamp(FIRST_PAUSE, MAX_PAUSE);
        waits.until = Some(Instant::now() + waits.length);
        waits.length
    }

    /// Cores that a task takes, which are more than its threads where memory is short; warns of that once.
    pub fn cores_of(&self, threads: usize, hash: u64, memory: Option<u64>) -> usize {
        let cores = cores_in_memory(threads, hash, memory, self.offer.cores);
        if cores > threads && !self.is_short_of_memory.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the hash tables of a game need {hash} MiB, more than the share of {threads} of {} cores: \
                 fewer games at a time are played",
                self.offer.cores
            );
        }
        cores
    }

    pub fn progress(&self) -> Progress {
        let games = self.games.load(Ordering::Relaxed);
        let hours = self.since.elapsed().as_secs_f64() / 3600.0;
        let games_per_hour = games as f64 / hours.max(1e-9);
        Progress { runs: self.runs(), games, state: self.duty.text(), games_per_hour }
    }

    /// Names of the runs that are played now.
    pub fn runs(&self) -> Vec<String> {
        let mut runs: Vec<String> = self.playing().values().map(|(run, _)| run.clone()).collect();
        runs.sort();
        runs.dedup();
        runs
    }
}
