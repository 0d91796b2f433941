//! A worker: takes batches of tasks, does them, and publishes their results.
//!
//! Each core has a thread of its own ([`slot`]) that pulls a batch, does its tasks with the
//! code of one process ([`batches`]), and pulls the next; its engines stay between batches of a run. A batch is
//! acknowledged once the server has the results of all its pairs; until then, a task in the
//! background keeps its lease alive.

mod batches;
mod cores;
mod duty;
mod lease;
mod not_done;
mod publish;
mod slot;
mod state;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;

use self::duty::Pauses;
use self::state::Worker;
use super::ClusterError;
use super::drain::DRAIN;
use super::keys::WorkerKey;
use super::link::{DEFAULT_LEASE, Link};
use super::message::{PROTOCOL, Status};
use super::presence::STATUS_INTERVAL;
use super::subjects::{self, PING};
use harness_base::session::Interrupt;

pub use super::offer::Offer;
pub use state::Progress;

/// How often it is asked whether there are jobs of this version.
const JOBS_INTERVAL: Duration = Duration::from_millis(500);

/// How often the progress is reported.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// How long a message is awaited before it is looked whether the worker ends.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// At once, by an interrupt.
    Interrupted,
    /// After the batches that it had, as it was asked to.
    Drained,
}

/// Works until the user interrupts, or it is asked to leave: on this machine by `is_asked`, from elsewhere by a
/// message. `report` is called ten times a second.
///
/// # Errors
/// When the server does not let it work.
pub fn work(
    link: &Link,
    key: &WorkerKey,
    offer: &Offer,
    interrupt: &Interrupt,
    is_asked: &dyn Fn() -> bool,
    report: &dyn Fn(&Progress),
) -> Result<Left, ClusterError> {
    let made = Interrupt::manual();
    let (own, end) =
        made.map_err(|error| ClusterError::request("play: no pipe can be made", error))?;
    let worker = Worker::new(link, key, offer, own);
    let failed = |error: String| ClusterError::request("let this worker listen", error);
    let subscribed = link.wait(async {
        let token = link.token_name();
        let pings = link.client.subscribe(PING).await?;
        let stops = link.client.subscribe(subjects::stop(token, "*")).await?;
        let orders = link.client.subscribe(subjects::end(token, &key.public())).await?;
        Ok::<_, async_nats::SubscribeError>((pings, stops, orders))
    });
    let (pings, stops, mut orders) = subscribed.map_err(|error| failed(error.to_string()))?;
    let over = AtomicBool::new(false);
    let mut quarantined = false;
    thread::scope(|scope| {
        let worker = &worker;
        let over = &over;
        scope.spawn(move || worker.answer(pings, over));
        scope.spawn(move || worker.end_runs(stops, over));
        let is_over = || interrupt.is_set() || is_asked();
        let lease = wait_for_jobs(link, &is_over).inspect_err(|_| {
            over.store(true, Ordering::Relaxed);
        })?;
        let slots: Vec<_> = (0..offer.cores)
            .map(|number| scope.spawn(move || worker.slot(number, lease)))
            .collect();
        let supervision = Supervision { worker, slots: &slots, interrupt, is_asked, report };
        quarantined = supervision.follow(&mut orders);
        end.set();
        // Players hear of the interrupt by themselves; slots that wait do not.
        for (_, setter) in worker.playing().values() {
            setter.set();
        }
        slots.into_iter().for_each(|slot| worker.join(slot));
        over.store(true, Ordering::Relaxed);
        Ok::<_, ClusterError>(())
    })?;
    if quarantined {
        let worker = format!("{} {}", offer.name, key.public());
        return Err(ClusterError::Quarantined { worker });
    }
    let was_drained = worker.duty.is_draining() && !interrupt.is_set();
    Ok(if was_drained { Left::Drained } else { Left::Interrupted })
}

/// Duties of a worker while its slots play.
struct Supervision<'a, 'b> {
    worker: &'a Worker<'b>,
    slots: &'a [thread::ScopedJoinHandle<'a, ()>],
    interrupt: &'a Interrupt,
    is_asked: &'a dyn Fn() -> bool,
    report: &'a dyn Fn(&Progress),
}

impl Supervision<'_, '_> {
    /// Reports, and follows orders, until the worker is to end; whether it is quarantined.
    fn follow(&self, orders: &mut async_nats::Subscriber) -> bool {
        let Supervision { worker, interrupt, is_asked, report, .. } = self;
        let mut pauses = worker.offer.pause_above.map(Pauses::new);
        while !interrupt.is_set() && !self.is_over() {
            thread::sleep(REPORT_INTERVAL);
            report(&worker.progress());
            let order = worker.link.wait_for(Duration::ZERO, orders.next()).flatten();
            let is_drain = order.as_ref().is_some_and(|order| &order.payload[..] == DRAIN);
            if order.is_some() && !is_drain {
                return true;
            }
            if is_drain || is_asked() {
                worker.duty.drain();
            }
            if let Some(pauses) = &mut pauses {
                worker.duty.set_pause(pauses.now());
            }
            if !worker.duty.takes_batches() {
                worker.wake.notify_waiters();
            }
        }
        false
    }

    /// Whether all slots of a worker that drains have ended. Else one that ends by itself has panicked.
    fn is_over(&self) -> bool {
        let mut ended = self.slots.iter().map(thread::ScopedJoinHandle::is_finished);
        match self.worker.duty.is_draining() {
            true => ended.all(|ended| ended),
            false => ended.any(|ended| ended),
        }
    }
}

/// Waits until the server has jobs of this version of the harness for this worker's token; gives the time
/// for which a batch is held.
fn wait_for_jobs(link: &Link, is_over: &dyn Fn() -> bool) -> Result<Duration, ClusterError> {
    let mut is_said = false;
    loop {
        if let Some(lease) = lease::lease_time(link)? {
            return Ok(lease);
        }
        if is_over() {
            return Ok(DEFAULT_LEASE);
        }
        if !is_said {
            tracing::warn!(
                "the server has no jobs of this version of the harness: waiting for a coordinator of it"
            );
            is_said = true;
        }
        thread::sleep(JOBS_INTERVAL);
    }
}

impl Worker<'_> {
    /// Waits for a slot that is to end; its panic is passed on.
    fn join(&self, slot: thread::ScopedJoinHandle<'_, ()>) {
        while !slot.is_finished() {
            self.wake.notify_waiters();
            thread::sleep(Duration::from_millis(20));
        }
        slot.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
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
                state: self.duty.text().unwrap_or_default(),
                token: self.link.token_name().to_owned(),
            };
            let text = serde_json::to_vec(&status).expect("a status is plain data");
            let subject = subjects::status(&status.token, &key);
            let headers = self.key.headers(&text);
            self.link.wait(async {
                // While the connection is down, there is no one to answer.
                let sent = self.link.client.publish_with_headers(subject, headers, text.into());
                let _ = sent.await;
            });
            let until = Instant::now() + STATUS_INTERVAL;
            while !over.load(Ordering::Relaxed) && Instant::now() < until {
                if self.link.wait_for(POLL_INTERVAL, pings.next()).flatten().is_some() {
                    break;
                }
            }
        }
    }

    /// Interrupts the players of a run that is over.
    fn end_runs(&self, mut stops: async_nats::Subscriber, over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            let Some(stop) = self.link.wait_for(POLL_INTERVAL, stops.next()).flatten() else {
                continue;
            };
            let run = stop.subject.as_str().rsplit('.').next().unwrap_or_default();
            for (_, setter) in self.playing().values().filter(|(playing, _)| playing == run) {
                setter.set();
            }
            self.wake.notify_waiters();
        }
    }
}
