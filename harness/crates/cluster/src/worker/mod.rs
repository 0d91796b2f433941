//! A worker: takes batches of tasks, does them, and publishes their results.
//!
//! Each core has a thread of its own ([`slot`]) that pulls a batch, does its tasks with the
//! code of one process ([`play`]), and pulls the next; its engines stay between batches of a run. A batch is
//! acknowledged once the server has the results of all its pairs; until then, a task in the
//! background keeps its lease alive.

mod cores;
mod local;
mod play;
mod publish;
mod slot;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use engine::bench;
use engine::params::Values;
use futures_util::StreamExt;
use tokio::sync::Notify;

use self::cores::Cores;
use super::ClusterError;
use super::artifacts::Cache;
use super::keys::WorkerKey;
use super::link::Link;
use super::message::{PROTOCOL, Status};
use super::presence::INTERVAL;
use super::sandbox::Sandbox;
use super::speed::Speed;
use super::subjects::{self, ALL_STOPS, PING};
use harness_base::session::{Interrupt, InterruptSetter};
use harness_base::sync::lock;

/// Depth of the bench by which linked engines are compared.
const SIGNATURE_DEPTH: u32 = 7;

/// How long a message is awaited before it is looked whether the worker ends.
const LISTEN: Duration = Duration::from_millis(200);

/// A number that two programs have in common if their linked engines play the same moves.
pub fn linked_signature() -> u64 {
    bench::run(Values::default(), SIGNATURE_DEPTH).nodes
}

/// What a worker offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its name.
    pub name: String,
    /// Cores.
    pub cores: usize,
    /// Limit of an engine's memory in bytes; `None`: the run's.
    pub memory: Option<u64>,
    /// Dispersion of the speed above which time limits are not played here.
    pub most_noise: f64,
    /// What keeps engines from the machine.
    pub sandbox: Sandbox,
    /// Folder of engines and networks, by SHA-256.
    pub cache: PathBuf,
    /// Whether builds of engines may use the network.
    pub build_network: bool,
    /// Folders of tablebases, separated as in PATH.
    pub syzygy: Option<String>,
}

/// What a worker has done so far.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Runs that it plays now.
    pub runs: Vec<String>,
    /// Games and positions that it has finished.
    pub games: u64,
    /// Games a hour, since it joined.
    pub games_per_hour: f64,
}

/// What the threads of a worker share.
struct Worker<'a> {
    link: &'a Link,
    key: &'a WorkerKey,
    offer: &'a Offer,
    cache: Cache,
    cores: Cores,
    /// Signature of the linked engine.
    signature: u64,
    speed: Speed,
    since: Instant,
    games: AtomicU64,
    faults: AtomicU64,
    /// What interrupts the players of each slot, with the run that it plays.
    playing: Mutex<BTreeMap<usize, (String, InterruptSetter)>>,
    /// What keeps slots from pulling.
    waits: Mutex<Waits>,
    /// Wakes slots that wait for a batch.
    wake: Notify,
    /// The worker is to end.
    interrupt: Interrupt,
}

/// The wait of a worker that has given batches back.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    until: Option<Instant>,
    length: Duration,
}

/// Works until the user interrupts; `report` is called about every second.
///
/// # Errors
/// When the server does not let it work.
pub fn work(
    link: &Link,
    key: &WorkerKey,
    offer: &Offer,
    interrupt: &Interrupt,
    report: &dyn Fn(&Progress),
) -> Result<(), ClusterError> {
    let made = Interrupt::manual();
    let (own, end) =
        made.map_err(|error| ClusterError::request("play: no pipe can be made", error))?;
    let worker = Worker {
        link,
        key,
        offer,
        cache: Cache::of(offer),
        cores: Cores::new(offer.cores),
        signature: linked_signature(),
        speed: Speed::measured(offer.cores),
        since: Instant::now(),
        games: AtomicU64::new(0),
        faults: AtomicU64::new(0),
        playing: Mutex::default(),
        waits: Mutex::default(),
        wake: Notify::new(),
        interrupt: own,
    };
    let failed = |error: String| ClusterError::request("let this worker listen", error);
    let subscribed = link.wait(async {
        let pings = link.client.subscribe(PING).await?;
        let stops = link.client.subscribe(ALL_STOPS).await?;
        let quarantine = subjects::quarantine(&key.public());
        let quarantine = link.client.subscribe(quarantine).await?;
        Ok::<_, async_nats::SubscribeError>((pings, stops, quarantine))
    });
    let (pings, stops, mut quarantine) = subscribed.map_err(|error| failed(error.to_string()))?;
    let consumer = slot::consumer(link)?;
    let (over, mut quarantined) = (AtomicBool::new(false), false);
    thread::scope(|scope| {
        let (worker, over) = (&worker, &over);
        let slots: Vec<_> = (0..offer.cores)
            .map(|number| {
                let consumer = &consumer;
                scope.spawn(move || worker.slot(number, consumer))
            })
            .collect();
        scope.spawn(move || worker.answer(pings, over));
        scope.spawn(move || worker.end_runs(stops, over));
        while !interrupt.is_set()
            && !quarantined
            && !slots.iter().any(thread::ScopedJoinHandle::is_finished)
        {
            thread::sleep(Duration::from_millis(100));
            report(&worker.progress());
            quarantined = link.wait_for(Duration::ZERO, quarantine.next()).flatten().is_some();
        }
        end.set();
        // Players hear of the interrupt by themselves; slots that wait do not.
        for (_, setter) in worker.playing().values() {
            setter.set();
        }
        let mut ended = Ok(());
        for slot in slots {
            while !slot.is_finished() {
                worker.wake.notify_waiters();
                thread::sleep(Duration::from_millis(20));
            }
            let result = slot.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            ended = ended.and(result);
        }
        over.store(true, Ordering::Relaxed);
        ended
    })?;
    if quarantined {
        let worker = format!("{} {}", offer.name, key.public());
        return Err(ClusterError::Quarantined { worker });
    }
    Ok(())
}

impl Worker<'_> {
    fn playing(&self) -> MutexGuard<'_, BTreeMap<usize, (String, InterruptSetter)>> {
        lock(&self.playing)
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        lock(&self.waits)
    }

    fn progress(&self) -> Progress {
        let games = self.games.load(Ordering::Relaxed);
        let hours = self.since.elapsed().as_secs_f64() / 3600.0;
        Progress { runs: self.runs(), games, games_per_hour: games as f64 / hours.max(1e-9) }
    }

    fn runs(&self) -> Vec<String> {
        let mut runs: Vec<String> = self.playing().values().map(|(run, _)| run.clone()).collect();
        runs.sort();
        runs.dedup();
        runs
    }

    /// Sends the status every few seconds, and to those who ask.
    fn answer(&self, mut pings: async_nats::Subscriber, over: &AtomicBool) {
        let key = self.key.public();
        while !over.load(Ordering::Relaxed) {
            let status = Status {
                protocol: PROTOCOL,
                name: self.offer.name.clone(),
                key: key.clone(),
                cores: self.offer.cores,
                speed: self.speed.nodes_a_second(),
                noise: self.speed.dispersion(),
                sandbox: self.offer.sandbox.to_string(),
                runs: self.runs(),
                games: self.games.load(Ordering::Relaxed),
                faults: self.faults.load(Ordering::Relaxed),
                seconds: self.since.elapsed().as_secs_f64(),
            };
            let text = serde_json::to_vec(&status).expect("a status is plain data");
            self.link.wait(async {
                // While the connection is down, nobody asks.
                let _ = self.link.client.publish(subjects::status(&key), text.into()).await;
            });
            let until = Instant::now() + INTERVAL;
            while !over.load(Ordering::Relaxed) && Instant::now() < until {
                if self.link.wait_for(LISTEN, pings.next()).flatten().is_some() {
                    break;
                }
            }
        }
    }

    /// Interrupts the players of a run that is over.
    fn end_runs(&self, mut stops: async_nats::Subscriber, over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            let Some(stop) = self.link.wait_for(LISTEN, stops.next()).flatten() else { continue };
            let run = stop.subject.as_str().rsplit('.').next().unwrap_or_default();
            for (_, setter) in self.playing().values().filter(|(playing, _)| playing == run) {
                setter.set();
            }
            self.wake.notify_waiters();
        }
    }
}
