//! Playing many pairs at the same time.
//!
//! Workers take pairs by number and send each finished game to the thread that called
//! [`play_all`]; that one alone keeps results and decides when to stop. Nobody polls: whoever
//! waits is woken by a game, by the end of a worker or by the interrupt.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use miette::Diagnostic;
use rustix::event::{PollFd, PollFlags, poll};
use shakmaty::ByColor;
use thiserror::Error;

use super::endings::{Endings, EndingsError};
use super::event::{Event, Watch};
use super::game::{NoGame, Setup, play};
use super::openings::BookError;
use super::pgn::{self, Tags};
use super::record::{GameRecord, Leg, PairJob};
use super::referee::OpeningError;
use super::schedule::{Plan, Schedule};
use super::seats::Seats;
use crate::context::{Interrupt, InterruptSetter};
use crate::player::{EngineSpec, Fault, FaultKind, Player};

/// Starts a player that heeds an interrupt.
pub type Start<'a> =
    dyn Fn(&EngineSpec, &Interrupt) -> Result<Box<dyn Player + Send>, Fault> + Sync + 'a;

/// Games waiting to be kept before workers have to wait: enough for a slow disk.
const WAITING_GAMES: usize = 1024;

/// Most games given to the keeper at once.
const BATCH: usize = 256;

/// Why playing stopped before the end. What was kept is kept.
#[derive(Debug, Error, Diagnostic)]
pub enum Stopped<E: Diagnostic + 'static> {
    /// The user asked for it.
    #[error("interrupted")]
    Interrupted,
    /// An engine could not be started: no result can be had.
    #[error("{0}")]
    #[diagnostic(help(
        "`harness check ENGINE` shows what it says; finished games are kept, and \
         `harness resume last` goes on"
    ))]
    NotStarted(Fault),
    /// An opening could not be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Book(#[from] BookError),
    /// An opening could not be played from.
    #[error("opening of pair {pair}: {source}")]
    Opening {
        /// The pair, from 0.
        pair: u64,
        /// What is wrong.
        source: OpeningError,
    },
    /// Endgame tables cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Endings(#[from] EndingsError),
    /// The operating system refused a pipe.
    #[error("cannot make a pipe: {0}")]
    Pipe(io::Error),
    /// A result could not be kept.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NotKept(E),
}

/// What a worker has to say.
enum Message {
    Game(Box<GameRecord>),
    Stopped(Trouble),
}

enum Trouble {
    Interrupted,
    Fault(Fault),
    Book(BookError),
    Opening(u64, OpeningError),
    Endings(EndingsError),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        match fault.kind {
            FaultKind::Interrupted => Trouble::Interrupted,
            _ => Trouble::Fault(fault),
        }
    }
}

/// Plays every game of the schedule that is not in `done`, with `plan.jobs` workers.
///
/// `watch` gets the events of the games. `keep` gets finished games in the order in which
/// they finished, each once; with [`ControlFlow::Break`] it ends the run, and games still being
/// played are abandoned. A panic of either ends the run, too, and is passed on.
///
/// # Errors
/// [`Stopped`] says why not everything was played.
pub fn play_all<E: Diagnostic + 'static>(
    plan: &Plan,
    schedule: &Schedule,
    done: &HashSet<(u64, Leg)>,
    start: &Start<'_>,
    interrupt: &Interrupt,
    watch: Option<&Watch<'_>>,
    keep: &mut dyn FnMut(Vec<GameRecord>) -> Result<ControlFlow<()>, E>,
) -> Result<(), Stopped<E>> {
    let (abandon, abandoner) = Interrupt::manual().map_err(Stopped::Pipe)?;
    let endings = plan.conduct.adjudication.tables.as_ref().map(Endings::open).transpose()?;
    let endings = endings.as_ref();
    let next = AtomicU64::new(0);
    let (sender, games) = sync_channel(WAITING_GAMES);
    thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            let seats = Seats::new(plan, start, &abandon);
            let (next, abandon, sender) = (&next, &abandon, sender.clone());
            let worker =
                Worker { plan, schedule, done, next, abandon, seats, sender, watch, endings };
            let abandoner = &abandoner;
            scope.spawn(move || {
                let on_panic = Abandon(abandoner);
                worker.run();
                std::mem::forget(on_panic);
            });
        }
        drop(sender);
        scope.spawn(|| forward(interrupt, &abandon, &abandoner));
        // The scope waits for all of them, also while a panic of `keep` unwinds: nobody may then
        // be left that waits for an engine, for the interrupt, or to hand over a game.
        let games = games;
        let _end = Abandon(&abandoner);
        collect(&games, &abandoner, keep)
    })
}

/// Wakes workers that wait for an engine, and the forwarder, when dropped.
struct Abandon<'a>(&'a InterruptSetter);

impl Drop for Abandon<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Keeps games until all workers are gone or `keep` wants no more.
///
/// After trouble the workers are told to stop, and what they finished until then is kept.
fn collect<E: Diagnostic + 'static>(
    messages: &Receiver<Message>,
    abandoner: &InterruptSetter,
    keep: &mut dyn FnMut(Vec<GameRecord>) -> Result<ControlFlow<()>, E>,
) -> Result<(), Stopped<E>> {
    let mut trouble = None;
    while let Ok(first) = messages.recv() {
        let mut games = Vec::new();
        for message in std::iter::once(first).chain(messages.try_iter().take(BATCH)) {
            match message {
                Message::Game(game) => games.push(*game),
                Message::Stopped(reason) => {
                    trouble.get_or_insert(reason);
                    abandoner.set();
                }
            }
        }
        if !games.is_empty() && keep(games).map_err(Stopped::NotKept)?.is_break() {
            return Ok(());
        }
    }
    match trouble {
        None => Ok(()),
        Some(Trouble::Interrupted) => Err(Stopped::Interrupted),
        Some(Trouble::Fault(fault)) => Err(Stopped::NotStarted(fault)),
        Some(Trouble::Book(error)) => Err(Stopped::Book(error)),
        Some(Trouble::Endings(error)) => Err(Stopped::Endings(error)),
        Some(Trouble::Opening(pair, source)) => Err(Stopped::Opening { pair, source }),
    }
}

/// Passes the user's interrupt on to the players, who know only ours; ends when ours is set.
fn forward(from: &Interrupt, to: &Interrupt, setter: &InterruptSetter) {
    let mut ends = [
        PollFd::from_borrowed_fd(from.fd(), PollFlags::IN),
        PollFd::from_borrowed_fd(to.fd(), PollFlags::IN),
    ];
    // A signal ends the wait early, and is most likely the one that is waited for.
    while !from.is_set() && !to.is_set() {
        match poll(&mut ends, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => break,
        }
    }
    setter.set();
}

struct Worker<'a> {
    plan: &'a Plan,
    schedule: &'a Schedule,
    done: &'a HashSet<(u64, Leg)>,
    next: &'a AtomicU64,
    abandon: &'a Interrupt,
    seats: Seats<'a>,
    sender: SyncSender<Message>,
    watch: Option<&'a Watch<'a>>,
    endings: Option<&'a Endings>,
}

impl Worker<'_> {
    fn run(mut self) {
        while let Some(pair) = self.next_pair() {
            let played = match self.schedule.pair(pair) {
                Ok(None) => return,
                Ok(Some(job)) => self.play_pair(&job),
                Err(error) => Err(Trouble::Book(error)),
            };
            match played {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return,
                Err(trouble) => {
                    // If nobody listens any more, the reason to stop is known already.
                    let _ = self.sender.send(Message::Stopped(trouble));
                    return;
                }
            }
        }
    }

    /// The next pair of which a game is missing.
    fn next_pair(&self) -> Option<u64> {
        loop {
            let pair = self.next.fetch_add(1, Ordering::Relaxed);
            if pair >= self.schedule.pairs() {
                return None;
            }
            if Leg::BOTH.iter().any(|&leg| !self.done.contains(&(pair, leg))) {
                return Some(pair);
            }
        }
    }

    /// Plays what is missing of a pair; breaks when nobody wants results any more.
    fn play_pair(&mut self, job: &PairJob) -> Result<ControlFlow<()>, Trouble> {
        for leg in Leg::BOTH {
            if self.done.contains(&(job.pair, leg)) {
                continue;
            }
            if self.abandon.is_set() {
                return Err(Trouble::Interrupted);
            }
            let game = Box::new(self.play_game(job, leg)?);
            self.tell(&Event::Ended(&game));
            if self.sender.send(Message::Game(game)).is_err() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn tell(&self, event: &Event<'_>) {
        if let Some(watch) = self.watch {
            watch(event);
        }
    }

    fn play_game(&mut self, job: &PairJob, leg: Leg) -> Result<GameRecord, Trouble> {
        let engines = match leg {
            Leg::First => ByColor { white: job.first, black: job.second },
            Leg::Second => ByColor { white: job.second, black: job.first },
        };
        let setup = Setup {
            opening: &job.opening,
            limits: engines.map(|engine| self.plan.limits[engine]),
            conduct: &self.plan.conduct,
            endings: self.endings,
        };
        let (pair, watch) = (job.pair, self.watch);
        self.tell(&Event::Started { pair, leg, engines, opening: &job.opening });
        let players = self.seats.take(engines).map_err(Trouble::from)?;
        let game = play(setup, players, &mut |side, uci, played| {
            if let Some(watch) = watch {
                watch(&Event::Moved { pair, leg, side, uci, played });
            }
        });
        let game = game.map_err(|reason| match reason {
            NoGame::Player(fault) => fault.into(),
            NoGame::Opening(error) => Trouble::Opening(job.pair, error),
        })?;
        self.endings.map_or(Ok(()), Endings::check).map_err(Trouble::Endings)?;
        if let Some(side) = game.unusable() {
            self.seats.dismiss(engines[side]);
        }
        if self.plan.conduct.restart {
            engines.into_iter().for_each(|engine| self.seats.dismiss(engine));
        }
        let names = engines.map(|engine| self.plan.engines[engine].name.as_str());
        let tags = Tags { event: &self.plan.event, pair: job.pair, leg, names };
        Ok(GameRecord {
            pair: job.pair,
            leg,
            white: engines.white,
            black: engines.black,
            result: game.result,
            termination: game.termination,
            plies: u32::try_from(game.moves.len() - job.opening.moves.len()).unwrap_or(u32::MAX),
            took: game.took,
            nodes: [game.nodes.white, game.nodes.black],
            pgn: pgn::write(&tags, &setup, &game),
            reason: game.reason,
        })
    }
}

#[cfg(test)]
mod tests;
