//! A pool of players: threads that take jobs, and one keeper of their results.
//!
//! Everything that uses several players at the same time runs in it: games, tuning pairs, suites,
//! audits, analysed positions, generated games, books. The contract:
//!
//! - Jobs are taken in their order, each once, by a free worker. A worker has a state of its own,
//!   mostly its [`Seats`]: its players stay from job to job, and from one [`run`](Pool::run) to the
//!   next.
//! - Results go to the thread that called; it alone keeps them, in the order in which they come.
//!   Workers wait when it is behind. [`InOrder`] restores the order of the jobs.
//! - The keeper ends a run with [`ControlFlow::Break`] or an error. Jobs in progress are then
//!   abandoned: players that think are interrupted. A panic, of the keeper or of a worker, does
//!   the same and is passed on.
//! - Trouble of a worker ends the run. The others are interrupted, and what they have finished is
//!   kept.
//! - The user's interrupt reaches every player at once. Results that are there are kept. A run that
//!   is to finish ([`Interrupt::finish`]) begins no further job, and ends as interrupted.
//! - A player that fails several jobs in a row is given up ([`Seats::failed`]).
//!
//! A pool that was ended takes no further jobs. Its players end when it is dropped, all at the
//! same time.

mod order;
mod seats;

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

pub use order::InOrder;
pub use seats::{GivenUp, Seats, Settings, Start, Wanted, start_with};

use super::reply::{Fault, FaultKind};
use harness_base::session::{Interrupt, InterruptSetter};
use harness_base::sync::lock;

/// Most results in a batch.
const BATCH: usize = 256;

/// Results that may wait for a keeper of batches before workers block: enough for a slow disk.
const WAITING: usize = 1024;

/// Why a run of the pool ended before its jobs.
#[derive(Debug)]
pub enum Ended<T, K> {
    /// The user interrupted it.
    Interrupted,
    /// A worker had trouble.
    Worker(T),
    /// A result could not be kept.
    Keeper(K),
}

/// Workers with their states, a thread each while a run lasts.
pub struct Pool<W: Send> {
    workers: Vec<W>,
    user: Interrupt,
    interrupt: Interrupt,
    setter: InterruptSetter,
    forwarder: Option<JoinHandle<()>>,
}

/// Takes a result of a worker; breaks when the run is over.
pub type Hand<'a, R> = dyn Fn(R) -> ControlFlow<()> + 'a;

/// From a worker to the keeper, in a box: the channel has the memory for all that may wait.
enum Message<R, T> {
    Result(R),
    Trouble(T),
    /// A job was left undone.
    Undone,
}

impl<W: Send> Pool<W> {
    /// A pool of at least one worker. `worker` makes the state of one, whose players respect the
    /// interrupt given; that follows the `user`'s.
    ///
    /// # Errors
    /// A [`Fault`] of kind [`FaultKind::Start`] when the operating system refuses a pipe.
    pub fn new(
        workers: usize,
        user: &Interrupt,
        worker: impl Fn(&Interrupt) -> W,
    ) -> Result<Pool<W>, Fault> {
        let (interrupt, setter) = Interrupt::manual().map_err(|error| Fault {
            player: "the players".to_owned(),
            kind: FaultKind::Start,
            detail: format!("cannot make a pipe: {error}"),
        })?;
        let workers = (0..workers.max(1)).map(|_| worker(&interrupt)).collect();
        let from = user.clone();
        let to = interrupt.clone();
        let end = setter.clone();
        let forwarder = Some(thread::spawn(move || forward(&from, &to, &end)));
        Ok(Pool { workers, user: user.clone(), interrupt, setter, forwarder })
    }

    /// The states of the workers, before or between runs.
    pub fn workers(&mut self) -> impl Iterator<Item = &mut W> {
        self.workers.iter_mut()
    }

    /// Does the jobs; `keep` takes the result of each.
    ///
    /// # Errors
    /// [`Ended`] says why not all of them were done.
    pub fn run<J, R: Send, T: Send, K>(
        &mut self,
        jobs: impl Iterator<Item = J> + Send,
        work: impl Fn(&mut W, J) -> Result<R, T> + Sync,
        keep: &mut dyn FnMut(R) -> Result<ControlFlow<()>, K>,
    ) -> Result<(), Ended<T, K>> {
        let one = |worker: &mut W, job, hand: &Hand<'_, R>| {
            // The worker checks by itself whether the run is over.
            work(worker, job).map(|result| {
                let _ = hand(result);
            })
        };
        let waiting = self.workers.len();
        self.run_with(jobs, one, waiting, &mut |results| {
            for result in results {
                if keep(result)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// As [`Pool::run`], for jobs of several results and a keeper of batches.
    ///
    /// # Errors
    /// As [`Pool::run`].
    pub fn run_batched<J, R: Send, T: Send, K>(
        &mut self,
        jobs: impl Iterator<Item = J> + Send,
        work: impl Fn(&mut W, J, &Hand<'_, R>) -> Result<(), T> + Sync,
        keep: &mut dyn FnMut(Vec<R>) -> Result<ControlFlow<()>, K>,
    ) -> Result<(), Ended<T, K>> {
        self.run_with(jobs, work, WAITING, keep)
    }

    fn run_with<J, R: Send, T: Send, K>(
        &mut self,
        jobs: impl Iterator<Item = J> + Send,
        work: impl Fn(&mut W, J, &Hand<'_, R>) -> Result<(), T> + Sync,
        waiting: usize,
        keep: &mut dyn FnMut(Vec<R>) -> Result<ControlFlow<()>, K>,
    ) -> Result<(), Ended<T, K>> {
        let Pool { workers, user, interrupt, setter, .. } = self;
        let is_over = || user.is_finishing() || interrupt.is_set();
        let jobs = Mutex::new(jobs);
        let next = || lock(&jobs).next();
        let (sender, results) = sync_channel::<Box<Message<R, T>>>(waiting);
        thread::scope(|scope| {
            for worker in workers {
                let sender = sender.clone();
                let next = &next;
                let is_over = &is_over;
                let work = &work;
                let end = SetOnDrop(setter);
                scope.spawn(move || {
                    let on_panic = end;
                    work_on(worker, next, is_over, work, &sender);
                    std::mem::forget(on_panic);
                });
            }
            drop(sender);
            // The scope waits for the workers, also while a panic of `keep` unwinds. Then none may
            // be left that waits for a player or to hand over a result: the interrupt is set, then
            // the receiver dropped.
            let results = results;
            let end = SetOnDrop(setter);
            let undone = collect(&results, user, setter, keep)?;
            if undone.is_continue() {
                std::mem::forget(end);
            }
            Ok(())
        })
    }
}

impl<W: Send> Drop for Pool<W> {
    fn drop(&mut self) {
        // A player may take a moment to end: all at the same time.
        thread::scope(|scope| {
            for worker in self.workers.drain(..) {
                scope.spawn(move || drop(worker));
            }
        });
        self.setter.set();
        if let Some(forwarder) = self.forwarder.take() {
            // Its panic is not passed on: this is `drop`.
            let _ = forwarder.join();
        }
    }
}

/// Interrupts the players when dropped.
struct SetOnDrop<'a>(&'a InterruptSetter);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// One job after the other, until there is none or the run is over.
fn work_on<W, J, R, T>(
    worker: &mut W,
    next: &dyn Fn() -> Option<J>,
    is_over: &dyn Fn() -> bool,
    work: &impl Fn(&mut W, J, &Hand<'_, R>) -> Result<(), T>,
    sender: &SyncSender<Box<Message<R, T>>>,
) {
    let hand = |result| match sender.send(Box::new(Message::Result(result))) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    while let Some(job) = next() {
        let message = if is_over() {
            Message::Undone
        } else {
            match work(worker, job, &hand) {
                Ok(()) => continue,
                Err(trouble) => Message::Trouble(trouble),
            }
        };
        // Without a receiver the run is over.
        let _ = sender.send(Box::new(message));
        return;
    }
}

/// Keeps results until all workers are gone or `keep` breaks.
fn collect<R, T, K>(
    messages: &Receiver<Box<Message<R, T>>>,
    user: &Interrupt,
    setter: &InterruptSetter,
    keep: &mut dyn FnMut(Vec<R>) -> Result<ControlFlow<()>, K>,
) -> Result<ControlFlow<()>, Ended<T, K>> {
    let mut trouble = None;
    let mut undone = false;
    while let Ok(first) = messages.recv() {
        let mut results = Vec::new();
        for message in std::iter::once(first).chain(messages.try_iter().take(BATCH)) {
            match *message {
                Message::Result(result) => results.push(result),
                Message::Undone => undone = true,
                Message::Trouble(reason) => {
                    trouble.get_or_insert(reason);
                    setter.set();
                }
            }
        }
        if !results.is_empty() && keep(results).map_err(Ended::Keeper)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    match trouble {
        // A player that is interrupted is no trouble of its own.
        Some(reason) if !user.is_set() => Err(Ended::Worker(reason)),
        None if !undone => Ok(ControlFlow::Continue(())),
        _ => Err(Ended::Interrupted),
    }
}

/// Forwards the user's interrupt to the pool's, which the players respect; ends when that is set.
fn forward(from: &Interrupt, to: &Interrupt, setter: &InterruptSetter) {
    from.wait_for_either(to);
    setter.set();
}

#[cfg(test)]
mod tests;
