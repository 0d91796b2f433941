//! One core of a worker: pulls batches and plays them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use tokio::task::JoinHandle;

use super::play::{Hands, NotDone};
use super::publish::Outbox;
use super::{Waits, Worker};
use crate::ClusterError;
use crate::link::Link;
use crate::message::{Batch, Outcome, PROTOCOL, Returned, Shared, TaskResult, WhyReturned, unpack};
use crate::scores::PlainAnswer;
use crate::subjects::{self, JOBS, WORKERS};
use harness_base::session::Interrupt;
use harness_player::{self as player, EngineSpec, StartSettings};

/// A batch that this many workers took without an end is not played again with others.
const MOST_DELIVERIES: i64 = 4;

/// Wait of one pull for a batch.
const PULL: Duration = Duration::from_secs(30);

/// Wait of a worker that has given a batch back; it doubles with each further one.
const WAIT: Duration = Duration::from_millis(500);

/// How often it is looked whether a wait is over.
const LOOK: Duration = Duration::from_millis(100);

/// How often the speed is looked at while time limits are played.
const SAMPLE: Duration = Duration::from_secs(60);

/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(16);

/// The consumer of jobs that all workers share.
///
/// # Errors
/// When the server does not have it: no coordinator was there yet, and it is no `harness serve`.
pub fn consumer(link: &Link) -> Result<Consumer<pull::Config>, ClusterError> {
    let consumer = link.jetstream.get_consumer_from_stream(WORKERS, JOBS);
    link.wait(consumer).map_err(|error| ClusterError::request("give out jobs", error))
}

/// A batch that this slot holds.
struct Held {
    batch: Batch,
    message: Arc<Message>,
    deliveries: i64,
}

impl Worker<'_> {
    /// Plays batches until the worker ends.
    pub(super) fn slot(
        &self,
        number: usize,
        consumer: &Consumer<pull::Config>,
    ) -> Result<(), ClusterError> {
        let mut held: Option<Held> = None;
        while !self.interrupt.is_set() {
            let waits = self.waits().until.is_some_and(|until| Instant::now() < until);
            if held.is_none() && waits {
                std::thread::sleep(LOOK);
                continue;
            }
            let Some(batch) = held.take().map_or_else(|| self.pull(consumer), |it| Ok(Some(it)))?
            else {
                continue;
            };
            held = self.play_run(number, batch, consumer)?;
        }
        if let Some(Held { message, .. }) = held {
            self.acknowledge(&message, AckKind::Nak(None));
        }
        Ok(())
    }

    /// The next batch; `None` if there was none for a while.
    fn pull(&self, consumer: &Consumer<pull::Config>) -> Result<Option<Held>, ClusterError> {
        let message = self.link.wait(async {
            let pulled = async {
                let batch = consumer.batch().max_messages(1).expires(PULL).messages();
                let mut messages = batch.await.map_err(|error| error.to_string())?;
                messages.next().await.transpose().map_err(|error| error.to_string())
            };
            tokio::select! {
                message = pulled => message,
                () = self.wake.notified() => Ok(None),
                () = self.link.reconnected.notified() => Ok(None),
            }
        });
        let message = match message {
            Ok(Some(message)) => Arc::new(message),
            Ok(None) => return Ok(None),
            Err(reason) => {
                tracing::debug!("no jobs: {reason}");
                std::thread::sleep(Duration::from_millis(300));
                return Ok(None);
            }
        };
        let deliveries = message.info().map_or(1, |info| info.delivered);
        match unpack::<Batch>(&message.payload) {
            Some(batch) if batch.protocol == PROTOCOL => {
                Ok(Some(Held { batch, message, deliveries }))
            }
            _ => {
                self.acknowledge(&message, AckKind::Nak(None));
                Err(ClusterError::OtherVersion)
            }
        }
    }

    /// As [`pull`](Self::pull), again and again until there is one or `over`.
    fn next(
        &self,
        consumer: &Consumer<pull::Config>,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<Held>, ClusterError> {
        while !over() {
            if let Some(next) = self.pull(consumer)? {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    fn acknowledge(&self, message: &Message, kind: AckKind) {
        if let Err(error) = self.link.wait(message.ack_with(kind)) {
            tracing::debug!("cannot acknowledge a batch: {error}");
        }
    }

    /// Plays a batch, and those after it that are of the same run; returns the first of another.
    fn play_run(
        &self,
        number: usize,
        first: Held,
        consumer: &Consumer<pull::Config>,
    ) -> Result<Option<Held>, ClusterError> {
        let (run, shared) = (first.batch.run.clone(), first.batch.common.clone());
        if let Some(why) = self.cannot_play(&first) {
            self.give_back(&first, why);
            return Ok(None);
        }
        let made = Interrupt::manual();
        let (interrupt, setter) =
            made.map_err(|error| ClusterError::request("play: no pipe can be made", error))?;
        self.playing().insert(number, (run.clone(), setter));
        let next = self.play_batches(first, &run, &shared, &interrupt, consumer);
        self.playing().remove(&number);
        next
    }

    fn play_batches(
        &self,
        first: Held,
        run: &str,
        shared: &Shared,
        interrupt: &Interrupt,
        consumer: &Consumer<pull::Config>,
    ) -> Result<Option<Held>, ClusterError> {
        let settings = shared.start.settings();
        let memory = [settings.memory, self.offer.memory].into_iter().flatten().min();
        let settings = StartSettings { memory, ..settings };
        let start = |engine: &EngineSpec, interrupt: &Interrupt| {
            player::start(
                &self.offer.sandbox.around(engine, &self.offer.cache, self.offer.syzygy.as_deref()),
                &settings,
                interrupt,
            )
        };
        let lease = consumer.cached_info().config.ack_wait;
        // An engine may have to be built.
        let held = self.hold(&first.message, lease);
        let localised = self.localised_rules(shared, interrupt);
        held.abort();
        let hands = match &localised {
            Ok(shared) => Hands::new(shared, &start, interrupt).map_err(NotDone::Failed),
            Err(error) => Err(error.clone()),
        };
        let mut hands = match hands {
            Ok(hands) => hands,
            Err(why) => {
                self.leave(&first, why);
                return Ok(None);
            }
        };
        let mut held = first;
        let mut sampled: Option<Instant> = None;
        loop {
            let over = || interrupt.is_set() || self.interrupt.is_set();
            if held.batch.is_timed() && sampled.is_none_or(|at| at.elapsed() > SAMPLE) {
                self.speed.sample_again();
                sampled = Some(Instant::now());
                if let Some(why) = self.is_too_noisy() {
                    self.give_back(&held, why);
                    return Ok(None);
                }
            }
            let holder = self.hold(&held.message, lease);
            let done = self.do_batch(&mut hands, &held.batch, interrupt);
            holder.abort();
            match done {
                Ok(()) => {
                    self.acknowledge(&held.message, AckKind::Ack);
                    *self.waits() = Waits::default();
                }
                Err(why) => {
                    self.leave(&held, why);
                    return Ok(None);
                }
            }
            let Some(next) = self.next(consumer, &over)? else { return Ok(None) };
            let is_same = next.batch.run == run && next.batch.common == *shared;
            if !is_same || next.deliveries > MOST_DELIVERIES {
                return Ok(Some(next));
            }
            held = next;
        }
    }

    /// Leaves a batch that is not done.
    fn leave(&self, held: &Held, why: NotDone) {
        match why {
            // The run is over: nobody wants the rest.
            NotDone::Interrupted if !self.interrupt.is_set() => {
                self.acknowledge(&held.message, AckKind::Ack);
            }
            NotDone::Interrupted => self.acknowledge(&held.message, AckKind::Nak(None)),
            NotDone::Failed(reason) => self.give_back(held, WhyReturned::CannotPlay(reason)),
            NotDone::WrongBench(wrong) => {
                tracing::warn!("plays nothing of {}: {wrong}", held.batch.run);
                self.give_back(held, WhyReturned::WrongBench(wrong));
            }
        }
    }

    /// Why a batch is not played by this worker.
    fn cannot_play(&self, held: &Held) -> Option<WhyReturned> {
        let shared = &held.batch.common;
        if held.deliveries > MOST_DELIVERIES {
            return Some(WhyReturned::Silent(held.deliveries - 1));
        }
        let reason = if !self.cores.has(shared.threads) {
            format!("a game needs {} cores", shared.threads)
        } else if shared.builtin.is_some_and(|signature| signature != self.signature) {
            "its linked engine is of another version of the harness".to_owned()
        } else if !self.cache.has_tablebases(&shared.artifacts) {
            "it does not have the tablebases of the run (`harness work --syzygy`)".to_owned()
        } else if shared.reference.is_some_and(|it| it.signature != self.signature) {
            "its speed is that of another version of the linked engine, by which time limits cannot \
             be scaled (`--no-scale`)"
                .to_owned()
        } else {
            return None;
        };
        Some(WhyReturned::CannotPlay(reason))
    }

    /// Gives a batch back to the coordinator, which gives it out anew: a worker that left it to the
    /// others on the queue would count as one that fell silent.
    fn give_back(&self, held: &Held, why: WhyReturned) {
        tracing::debug!("gives back a batch of {}: {why:?}", held.batch.run);
        let cannot = !matches!(why, WhyReturned::Silent(_));
        let tasks = held.batch.tasks.iter().map(|assignment| assignment.task.number()).collect();
        let worker = self.offer.name.clone();
        let returned = Returned { protocol: PROTOCOL, worker, tasks, why };
        let number = held.message.info().map_or(0, |info| info.stream_sequence);
        let mut outbox = Outbox::new(self.link, self.key);
        outbox.send(subjects::returned(&held.batch.run, &self.key.public(), number), &returned);
        outbox.flush(&|| self.interrupt.is_set());
        self.acknowledge(&held.message, AckKind::Ack);
        if cannot {
            let mut waits = self.waits();
            waits.length = (2 * waits.length).clamp(WAIT, LONGEST_WAIT);
            waits.until = Some(Instant::now() + waits.length);
        }
    }

    /// Keeps the lease of a batch until it is aborted.
    fn hold(&self, message: &Arc<Message>, lease: Duration) -> JoinHandle<()> {
        let message = Arc::clone(message);
        self.link.spawn(async move {
            loop {
                tokio::time::sleep(lease / 3).await;
                if let Err(error) = message.ack_with(AckKind::Progress).await {
                    tracing::debug!("cannot hold a batch: {error}");
                }
            }
        })
    }

    /// Does the tasks of a batch, and waits until the server has their results.
    fn do_batch(
        &self,
        hands: &mut Hands<'_>,
        batch: &Batch,
        interrupt: &Interrupt,
    ) -> Result<(), NotDone> {
        let over = || interrupt.is_set() || self.interrupt.is_set();
        let cores = self.cores.take(batch.common.threads.max(1), &over);
        let _cores = cores.ok_or(NotDone::Interrupted)?;
        let mut outbox = Outbox::new(self.link, self.key);
        for assignment in &batch.tasks {
            let task = self.localised(&batch.common, &assignment.task, interrupt)?;
            let begun = Instant::now();
            let outcome = hands.work(&task).inspect_err(|_| outbox.flush(&|| true))?;
            self.count(&outcome);
            let (run, number) = (batch.run.clone(), task.number());
            let (attempt, worker) = (assignment.attempt, self.offer.name.clone());
            let subject = subjects::result(&run, number, attempt);
            let took = begun.elapsed();
            let protocol = PROTOCOL;
            let result = TaskResult { protocol, run, number, attempt, worker, took, outcome };
            outbox.send(subject, &result);
        }
        outbox.flush(&over);
        Ok(())
    }

    /// Counts what is finished for the status.
    fn count(&self, outcome: &Outcome) {
        let (finished, faults) = match outcome {
            Outcome::Games(games) => {
                (games.len(), games.iter().filter(|game| game.termination.is_fault()).count())
            }
            Outcome::Position(result) => (1, usize::from(result.fault.is_some())),
            Outcome::Game(_) => (1, 0),
            Outcome::Scores(scores) => {
                let is_fault =
                    |(_, one): &&(u64, PlainAnswer)| matches!(one, PlainAnswer::Failed(_));
                (scores.len(), scores.iter().filter(is_fault).count())
            }
        };
        self.games.fetch_add(finished as u64, Ordering::Relaxed);
        self.faults.fetch_add(faults as u64, Ordering::Relaxed);
    }
}
