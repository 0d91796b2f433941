//! Positions that an engine is asked about, several at a time; what it said is kept as it comes.

mod ask;
mod journal;
mod label;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use engine::board::Position;
use miette::Diagnostic;
use thiserror::Error;

pub use ask::{Answer, Said};
pub use journal::{Journal, JournalError, Recipe};
pub use label::Labels;

use crate::player::{Fault, Limit, Player};

/// Failures in a row after which an engine is given up.
const MOST_FAILURES: u32 = 5;

/// Positions that wait for an engine, for each of them.
const AHEAD: usize = 4;

/// A player like the others.
pub type Start<'a> = dyn Fn() -> Result<Box<dyn Player + Send>, Fault> + Sync + 'a;

/// Why there are no more answers.
#[derive(Debug, Error, Diagnostic)]
pub enum Ended {
    /// An engine would not start, or the user stopped it.
    #[error("{0}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    Player(Fault),
    /// An engine failed again and again.
    #[error("the engine failed at {times} positions in a row; the last time: {last}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    Useless {
        /// How often.
        times: u32,
        /// What happened the last time.
        last: String,
    },
}

/// What went wrong on the way: with the engines, or with what is read and kept.
#[derive(Debug)]
pub enum Failed<E> {
    /// The engines.
    Ended(Ended),
    /// Reading or keeping.
    Other(E),
}

/// Asks about each position whose key is `wanted`, once; `keep` takes what was said, in the order
/// in which it comes, until it breaks off.
///
/// # Errors
/// When an engine cannot be started or fails again and again, the positions cannot be read, or
/// `keep` says so.
pub fn analyse<E>(
    positions: &mut dyn Iterator<Item = Result<Position, E>>,
    wanted: &mut HashSet<u64>,
    limit: Limit,
    players: Vec<Box<dyn Player + Send>>,
    start: &Start<'_>,
    keep: &mut dyn FnMut(u64, Answer) -> Result<ControlFlow<()>, E>,
) -> Result<(), Failed<E>> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let (questions, inbox) = sync_channel::<Position>(AHEAD * players.len().max(1));
        let (hand, answers) = channel();
        // The threads alone own it: when they are gone, nobody waits for them.
        let inbox = Arc::new(Mutex::new(inbox));
        for player in players {
            let (inbox, hand, stop) = (Arc::clone(&inbox), hand.clone(), &stop);
            scope.spawn(move || work(player, start, limit, &inbox, stop, &hand));
        }
        drop((inbox, hand));
        let mut desk = Desk { answers, keep, failures: 0 };
        let done = (|| {
            for position in positions {
                let position = position.map_err(Failed::Other)?;
                if !wanted.remove(&position.key()) {
                    continue;
                }
                if questions.send(position).is_err() || desk.look()?.is_break() {
                    break;
                }
            }
            drop(questions);
            desk.rest()
        })();
        stop.store(true, Ordering::Relaxed);
        done
    })
}

/// Where answers come in.
struct Desk<'a, E> {
    answers: Receiver<(u64, Result<Answer, Fault>)>,
    keep: &'a mut dyn FnMut(u64, Answer) -> Result<ControlFlow<()>, E>,
    failures: u32,
}

impl<E> Desk<'_, E> {
    /// Takes the answers that are there.
    fn look(&mut self) -> Result<ControlFlow<()>, Failed<E>> {
        while let Ok((key, answer)) = self.answers.try_recv() {
            if self.take(key, answer)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes all that still come.
    fn rest(&mut self) -> Result<(), Failed<E>> {
        while let Ok((key, answer)) = self.answers.recv() {
            if self.take(key, answer)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn take(
        &mut self,
        key: u64,
        answer: Result<Answer, Fault>,
    ) -> Result<ControlFlow<()>, Failed<E>> {
        let answer = answer.map_err(|fault| Failed::Ended(Ended::Player(fault)))?;
        self.failures = if matches!(answer, Answer::Failed(_)) { self.failures + 1 } else { 0 };
        if let Answer::Failed(last) = &answer
            && self.failures >= MOST_FAILURES
        {
            let (times, last) = (self.failures, last.clone());
            return Err(Failed::Ended(Ended::Useless { times, last }));
        }
        (self.keep)(key, answer).map_err(Failed::Other)
    }
}

fn work(
    mut player: Box<dyn Player + Send>,
    start: &Start<'_>,
    limit: Limit,
    inbox: &Mutex<Receiver<Position>>,
    stop: &AtomicBool,
    hand: &Sender<(u64, Result<Answer, Fault>)>,
) {
    while !stop.load(Ordering::Relaxed) {
        let next = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(position) = next else { return };
        let mut answer = ask::ask(player.as_mut(), &position, limit);
        if let Ok(Answer::Failed(_)) = answer {
            // Whatever state it is in, the next position gets a fresh one.
            match start() {
                Ok(fresh) => player = fresh,
                Err(fault) => answer = Err(fault),
            }
        }
        let failed = answer.is_err();
        if hand.send((position.key(), answer)).is_err() || failed {
            return;
        }
    }
}
