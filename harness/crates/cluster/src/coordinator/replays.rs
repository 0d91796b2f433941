//! Some tasks are done again by the coordinator itself: at fixed nodes or depth whoever has other moves did
//! not play them, or plays another engine.
//!
//! One thread, with players of its own, takes a sample of what the workers answer, and every pair in which
//! two workers differ.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::thread::JoinHandle;

use crate::backend::{Local, LocalPlayers};
use crate::sandbox;
use crate::second_play::Play;
use crate::work::RemoteWork;
use harness_base::session::{Interrupt, InterruptSetter};
use harness_player::{EngineSpec, StartSettings};

/// Tasks that wait to be done again; what comes while they do is left out.
const MAX_WAITING: usize = 4;

/// Agreements with this coordinator before a worker that differs is said to be wrong: without them it may be
/// the engine that plays differently from machine to machine.
const LEAST_AGREEMENTS: u32 = 2;

/// A task, and who has done it.
struct Question<W: RemoteWork> {
    task: W::Task,
    plays: Vec<Play>,
}

/// What came of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// A worker has the same moves.
    Agrees,
    /// A worker, by name and key, has other moves in a task, by its number.
    Differs {
        /// Name and key.
        worker: String,
        /// The public key.
        key: String,
        /// Number of the task.
        number: u64,
    },
    /// Replays ended: the engine does not play alike twice here, or cannot be started here.
    Ended(String),
}

/// Replays of a run.
pub struct Replays<W: RemoteWork> {
    questions: Option<SyncSender<Question<W>>>,
    findings: Receiver<Replayed>,
    end: InterruptSetter,
    thread: Option<JoinHandle<()>>,
    /// Share of the tasks.
    share: f64,
    /// Workers whose moves were the same.
    agreements: u32,
    /// Workers that differed before there were enough agreements.
    waiting: Vec<Replayed>,
}

impl<W: RemoteWork> Replays<W> {
    /// Starts the thread. `share` of the tasks are done again; players are started with the first one.
    ///
    /// # Errors
    /// When no pipe can be made.
    pub fn start(rules: W, settings: StartSettings, share: f64) -> std::io::Result<Replays<W>> {
        let (interrupt, end) = Interrupt::manual()?;
        let (questions, asked) = sync_channel::<Question<W>>(MAX_WAITING);
        let (answers, findings) = channel();
        let thread = std::thread::spawn(move || {
            let start = |engine: &EngineSpec, interrupt: &Interrupt| {
                sandbox::start_here(engine, &settings, interrupt)
            };
            let players = LocalPlayers { jobs: 1, start: &start, watch: None };
            let mut local = None;
            for question in asked {
                let replayed = match &mut local {
                    Some(local) => replay(local, &question),
                    none => match Local::new::<Infallible>(&rules, players, &interrupt) {
                        Ok(new) => replay(none.insert(new), &question),
                        Err(error) => vec![Replayed::Ended(error.to_string())],
                    },
                };
                if interrupt.is_set() {
                    break;
                }
                let is_ended = matches!(replayed.last(), Some(Replayed::Ended(_)));
                for finding in replayed {
                    // The run may be over.
                    let _ = answers.send(finding);
                }
                if is_ended {
                    break;
                }
            }
        });
        let (thread, questions) = (Some(thread), Some(questions));
        let (agreements, waiting) = (0, Vec::new());
        Ok(Replays { questions, findings, end, thread, share, agreements, waiting })
    }

    /// Whether the next answer is to be done again.
    pub fn wants(&self) -> bool {
        self.questions.is_some() && rand::random_bool(self.share.clamp(0.0, 1.0))
    }

    /// Has a task done again, unless too many wait.
    pub fn ask(&mut self, task: W::Task, plays: Vec<Play>) {
        let Some(questions) = &self.questions else { return };
        if let Err(TrySendError::Disconnected(_)) = questions.try_send(Question { task, plays }) {
            self.questions = None;
        }
    }

    /// What was found since the last call.
    pub fn findings(&mut self) -> Vec<Replayed> {
        let mut found = Vec::new();
        for finding in self.findings.try_iter() {
            match finding {
                Replayed::Agrees => self.agreements += 1,
                Replayed::Differs { .. } => self.waiting.push(finding),
                Replayed::Ended(_) => {
                    self.questions = None;
                    found.push(finding);
                }
            }
        }
        if self.agreements >= LEAST_AGREEMENTS {
            found.append(&mut self.waiting);
        }
        found
    }

    /// Workers that differ from this machine while too few agree to say who is right.
    pub fn undecided(&self) -> &[Replayed] {
        &self.waiting
    }
}

impl<W: RemoteWork> Drop for Replays<W> {
    fn drop(&mut self) {
        self.end.set();
        self.questions = None;
        if let Some(thread) = self.thread.take() {
            // It has ended, or ends with its players.
            let _ = thread.join();
        }
    }
}

/// Does a task again, and compares; twice before a worker differs. Nothing follows from a replay that was
/// interrupted.
fn replay<W: RemoteWork>(local: &mut Local<'_, W>, question: &Question<W>) -> Vec<Replayed> {
    let own = match moves(local, &question.task) {
        Ok(own) => own,
        Err(reason) => return vec![Replayed::Ended(reason)],
    };
    let differ = question.plays.iter().any(|play| play.moves != own);
    if differ {
        match moves(local, &question.task) {
            Ok(again) if again == own => {}
            Ok(_) => return vec![Replayed::Ended("it does not play alike twice here".to_owned())],
            Err(reason) => return vec![Replayed::Ended(reason)],
        }
    }
    let number = W::number(&question.task);
    let compare = |play: &Play| match play.moves == own {
        true => Replayed::Agrees,
        false => Replayed::Differs { worker: play.worker.clone(), key: play.key.clone(), number },
    };
    question.plays.iter().map(compare).collect()
}

/// The repeatable part of the answer of this machine to a task.
fn moves<W: RemoteWork>(local: &mut Local<'_, W>, task: &W::Task) -> Result<Vec<String>, String> {
    let mut parts = Vec::new();
    let mut tasks = std::iter::once(Ok::<_, Infallible>(task.clone()));
    local
        .run(&mut tasks, &mut |done| {
            parts.extend(done.into_iter().map(|done| done.answer));
            Ok(ControlFlow::Continue(()))
        })
        .map_err(|error| error.to_string())?;
    let answer = W::whole(task, parts).ok_or_else(|| "a part of the answer is missing".to_owned());
    answer.map(|answer| W::fingerprint(&answer))
}
