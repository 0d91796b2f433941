//! Doing the batches of one run on one core, with players that stay from one to the next.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::jetstream::AckKind;

use super::lease::{AnyBatch, Lease};
use super::not_done::NotDone;
use super::publish::Outbox;
use super::state::{Waits, Worker};
use crate::backend::{Local, LocalPlayers};
use crate::machine::Machine;
use crate::message::{Assignment, Batch, PROTOCOL, Returned, Shared, TaskResult, WhyReturned};
use crate::subjects;
use crate::work::{Finished, RemoteWork};
use harness_base::platform::memory_mib;
use harness_base::session::Interrupt;
use harness_player::{self as player, EngineSpec, StartSettings};

/// A batch that this many workers took without an end is not played again with others.
const MAX_DELIVERIES: i64 = 4;

/// How often the speed is looked at while time limits are played.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(60);

/// One core of a worker.
#[derive(Clone, Copy)]
pub(super) struct Core<'a> {
    pub worker: &'a Worker<'a>,
    /// Its number.
    pub number: usize,
    /// How long a batch is held without a sign of life.
    pub lease: Duration,
}

impl Core<'_> {
    /// Does a batch, and those after it that are of the same run; returns the first of another.
    pub fn do_run<W: RemoteWork>(&self, first: Lease<Batch<W>>) -> Option<Lease<AnyBatch>> {
        let run = first.batch.run.clone();
        let worker = self.worker;
        if let Some(why) = self.cannot_play(&first) {
            self.give_back(&first, why);
            return None;
        }
        let (interrupt, setter) = match Interrupt::manual() {
            Ok(made) => made,
            Err(error) => {
                let why = WhyReturned::CannotPlay(format!("no pipe can be made: {error}"));
                self.give_back(&first, why);
                return None;
            }
        };
        worker.playing().insert(self.number, (run, setter));
        let next = self.do_batches(first, &interrupt);
        worker.playing().remove(&self.number);
        next
    }

    fn do_batches<W: RemoteWork>(
        &self,
        first: Lease<Batch<W>>,
        interrupt: &Interrupt,
    ) -> Option<Lease<AnyBatch>> {
        let shared = first.batch.common.clone();
        let worker = self.worker;
        let settings = shared.start.settings();
        let memory = [settings.memory, worker.offer.memory].into_iter().flatten().min();
        let settings = StartSettings { memory, ..settings };
        let offer = worker.offer;
        let start = |engine: &EngineSpec, interrupt: &Interrupt| {
            let engine = offer.sandbox.around(engine, &offer.cache, offer.syzygy.as_deref());
            player::start(&engine, &settings, interrupt)
        };
        let machine = self.machine(&shared, interrupt);
        let mut rules = shared.rules.clone();
        // An engine may have to be built.
        let held = worker.hold(&first.message, self.lease);
        let localised = rules.localise(&machine);
        held.abort();
        let players = LocalPlayers { jobs: 1, start: &start, watch: None };
        let local = match localised {
            Ok(()) => Local::new::<Infallible>(&rules, players, interrupt).map_err(NotDone::from),
            Err(error) => Err(error.into()),
        };
        match local {
            Ok(mut local) => self.do_each(first, &shared, &mut local, &machine),
            Err(why) => {
                self.leave(&first, why);
                None
            }
        }
    }

    /// Does batches until there is one of another run.
    fn do_each<W: RemoteWork>(
        &self,
        first: Lease<Batch<W>>,
        shared: &Shared<W>,
        local: &mut Local<'_, W>,
        machine: &Machine<'_>,
    ) -> Option<Lease<AnyBatch>> {
        let worker = self.worker;
        let run = first.batch.run.clone();
        let over = || machine.interrupt.is_set() || worker.interrupt.is_set();
        let mut held = first;
        let mut sampled: Option<Instant> = None;
        loop {
            if held.batch.is_timed() && sampled.is_none_or(|at| at.elapsed() > SAMPLE_INTERVAL) {
                worker.speed.sample_again();
                sampled = Some(Instant::now());
                if let Some(why) = self.is_too_noisy() {
                    self.give_back(&held, why);
                    return None;
                }
            }
            let holder = worker.hold(&held.message, self.lease);
            let done = self.do_batch(local, &held.batch, machine);
            holder.abort();
            match done {
                Ok(()) => {
                    worker.acknowledge(&held.message, AckKind::Ack);
                    *worker.waits() = Waits::default();
                }
                Err(why) => {
                    self.leave(&held, why);
                    return None;
                }
            }
            let next = worker.next(&over)?;
            let batch = next.batch.downcast_ref::<Batch<W>>();
            let is_same = batch.is_some_and(|it| it.run == run && it.common == *shared);
            if !is_same || next.deliveries > MAX_DELIVERIES {
                return Some(next);
            }
            held = match next.of_kind() {
                Ok(next) => next,
                Err(other) => return Some(other),
            };
        }
    }

    /// This machine, for the tasks of a run.
    fn machine<'a, W: RemoteWork>(
        &'a self,
        shared: &'a Shared<W>,
        interrupt: &'a Interrupt,
    ) -> Machine<'a> {
        let Worker { link, cache, speed, .. } = self.worker;
        let factor = |nps: f64| nps / speed.nodes_a_second().max(1.0);
        let time_factor = shared.reference.map(|reference| factor(reference.nps));
        Machine { link, cache, artifacts: &shared.artifacts, time_factor, interrupt }
    }

    /// Why no time limits are played here, if the speed varies too much.
    fn is_too_noisy(&self) -> Option<WhyReturned> {
        let noise = self.worker.speed.dispersion();
        (noise > self.worker.offer.most_noise).then(|| {
            WhyReturned::CannotPlay(format!(
                "its speed varies by {:.0} %, which is too much for time limits (`harness work \
                 --max-noise`); fixed nodes it plays",
                100.0 * noise
            ))
        })
    }

    /// Leaves a batch that is not done.
    fn leave<W: RemoteWork>(&self, held: &Lease<Batch<W>>, why: NotDone) {
        match why {
            // The run is over: the rest is not needed.
            NotDone::Interrupted if !self.worker.interrupt.is_set() => {
                self.worker.acknowledge(&held.message, AckKind::Ack);
            }
            NotDone::Interrupted => self.worker.acknowledge(&held.message, AckKind::Nak(None)),
            NotDone::Failed(reason) => self.give_back(held, WhyReturned::CannotPlay(reason)),
            NotDone::WrongBench(wrong) => {
                tracing::warn!("plays nothing of {}: {wrong}", held.batch.run);
                self.give_back(held, WhyReturned::WrongBench(wrong));
            }
        }
    }

    /// Why a batch is not played by this worker.
    fn cannot_play<W: RemoteWork>(&self, held: &Lease<Batch<W>>) -> Option<WhyReturned> {
        let shared = &held.batch.common;
        let worker = self.worker;
        if held.deliveries > MAX_DELIVERIES {
            return Some(WhyReturned::Silent(held.deliveries - 1));
        }
        let reason = if !worker.cores.has(shared.threads) {
            format!("a game needs {} cores", shared.threads)
        } else if shared.builtin.is_some_and(|signature| signature != worker.signature) {
            "its linked engine is of another version of the harness".to_owned()
        } else if !worker.cache.has_tablebases(&shared.artifacts) {
            "it does not have the tablebases of the run (`harness work --syzygy`)".to_owned()
        } else if shared.reference.is_some_and(|it| it.signature != worker.signature) {
            "its speed is that of another version of the linked engine, by which time limits cannot \
             be scaled (`--no-scale`)"
                .to_owned()
        } else {
            return None;
        };
        Some(WhyReturned::CannotPlay(reason))
    }

    /// Gives a batch back to the coordinator, which gives it out again: a worker that left it to the
    /// others on the queue would count as one that fell silent.
    fn give_back<W: RemoteWork>(&self, held: &Lease<Batch<W>>, why: WhyReturned) {
        tracing::debug!("gives back a batch of {}: {why:?}", held.batch.run);
        let cannot = !matches!(why, WhyReturned::Silent(_));
        let tasks = held.batch.tasks.iter().map(Assignment::number).collect();
        let worker = self.worker.offer.name.clone();
        let returned = Returned { protocol: PROTOCOL, worker, tasks, why };
        let number = held.message.info().map_or(0, |info| info.stream_sequence);
        let mut outbox = Outbox::new(self.worker.link, self.worker.key);
        let token = self.worker.link.token_name();
        let key = self.worker.key.public();
        outbox.send(subjects::returned(token, &held.batch.run, &key, number), &returned);
        outbox.flush(&|| self.worker.interrupt.is_set());
        self.worker.acknowledge(&held.message, AckKind::Ack);
        if cannot {
            self.worker.pause();
        }
    }

    /// Does the tasks of a batch, and waits until the server has their results.
    fn do_batch<W: RemoteWork>(
        &self,
        local: &mut Local<'_, W>,
        batch: &Batch<W>,
        machine: &Machine<'_>,
    ) -> Result<(), NotDone> {
        let worker = self.worker;
        let over = || machine.interrupt.is_set() || worker.interrupt.is_set();
        let hash = batch.tasks.iter().map(|assignment| W::hash_mib(&assignment.task)).max();
        let threads = batch.common.threads.max(1);
        let needed = worker.cores_of(threads, hash.unwrap_or(0), memory_mib());
        let cores = worker.cores.take(needed, &over);
        let _cores = cores.ok_or(NotDone::Interrupted)?;
        let mut outbox = Outbox::new(worker.link, worker.key);
        for assignment in &batch.tasks {
            let mut task = assignment.task.clone();
            // The time factor is that of now: the speed is measured again and again.
            W::localise_task(&mut task, &self.machine(&batch.common, machine.interrupt))?;
            let begun = Instant::now();
            let outcome = answer(local, task).inspect_err(|_| outbox.flush(&|| true))?;
            let took = begun.elapsed();
            self.count(W::finished(&outcome));
            let (run, number, attempt) =
                (batch.run.clone(), assignment.number(), assignment.attempt);
            let subject = subjects::result(worker.link.token_name(), &run, number, attempt);
            let (protocol, nonce) = (PROTOCOL, assignment.nonce.clone());
            let worker = worker.offer.name.clone();
            let result =
                TaskResult::<W> { protocol, run, number, attempt, nonce, worker, took, outcome };
            outbox.send(subject, &result);
        }
        outbox.flush(&over);
        Ok(())
    }

    /// Counts what is finished for the status.
    fn count(&self, finished: Finished) {
        self.worker.games.fetch_add(finished.all as u64, Ordering::Relaxed);
        self.worker.faults.fetch_add(finished.faults as u64, Ordering::Relaxed);
    }
}

/// Does a task, whose engines and files are on this machine.
fn answer<W: RemoteWork>(local: &mut Local<'_, W>, task: W::Task) -> Result<W::Answer, NotDone> {
    let mut parts = Vec::new();
    let mut tasks = std::iter::once(Ok::<_, Infallible>(task.clone()));
    local.run(&mut tasks, &mut |done| {
        parts.extend(done.into_iter().map(|done| done.answer));
        Ok(ControlFlow::Continue(()))
    })?;
    W::whole(&task, parts).ok_or(NotDone::Interrupted)
}
