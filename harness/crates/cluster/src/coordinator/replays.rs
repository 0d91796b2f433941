//! Some tasks are done again by the coordinator itself: at fixed nodes or depth whoever has other moves did
//! not play them, or plays another engine.
//!
//! One thread, with players of its own, takes the first task of each worker, a sample of the others, and every
//! pair in which two workers differ. Before a result stands, some tasks of each token were done again, drawn
//! when its workers can no longer choose their answers ([`Replays::draw`]).

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use harness_outcome::token_of;
use rand::Rng;
use rand::seq::SliceRandom;

use crate::backend::{Local, LocalPlayers};
use crate::sandbox;
use crate::second_play::Play;
use crate::work::RemoteWork;
use harness_base::session::{Interrupt, InterruptSetter};
use harness_player::{EngineSpec, StartSettings};

/// Tasks of a token's sample that wait to be done again; what comes while they do is left out.
const MAX_WAITING: usize = 4;

/// Tasks of each token that are drawn and done again before a result stands.
///
/// To decide a test by few pairs, most of them must be lies: who lies in two of three is found with a
/// probability of 80 in 81. Over many pairs the sample that is taken all along counts, which is larger.
const FINAL_REPLAYS: usize = 4;

/// In the end, one task in this number is drawn of each token, so that short runs do not take twice as long.
const FINAL_SHARE: usize = 4;

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
    /// A worker, by its name with its token and key, has the same moves.
    Agrees(Play),
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

/// Tasks of one token.
struct Audit<W: RemoteWork> {
    /// To be done again, in this order.
    waiting: VecDeque<Question<W>>,
    /// Tasks that were done again, or are at present.
    done: usize,
    /// Of the others, a uniform sample of [`FINAL_REPLAYS`].
    sample: Vec<Question<W>>,
    /// Tasks that were in the running for the sample.
    seen: usize,
}

impl<W: RemoteWork> Default for Audit<W> {
    fn default() -> Audit<W> {
        Audit { waiting: VecDeque::new(), done: 0, sample: Vec::new(), seen: 0 }
    }
}

impl<W: RemoteWork> Audit<W> {
    /// Reservoir sampling: each task is in the sample with the same probability.
    fn note(&mut self, question: Question<W>) {
        self.seen += 1;
        if self.sample.len() < FINAL_REPLAYS {
            self.sample.push(question);
            return;
        }
        let at = rand::rng().random_range(0..self.seen);
        if let Some(place) = self.sample.get_mut(at) {
            *place = question;
        }
    }

    /// Has some of the sample done again.
    fn draw(&mut self) {
        let count = FINAL_REPLAYS.min(self.seen.div_ceil(FINAL_SHARE));
        self.sample.shuffle(&mut rand::rng());
        self.waiting.extend(self.sample.drain(..).take(count));
        self.seen = 0;
    }
}

/// Replays of a run.
pub struct Replays<W: RemoteWork> {
    questions: Option<Sender<Question<W>>>,
    findings: Receiver<Vec<Replayed>>,
    end: InterruptSetter,
    thread: Option<JoinHandle<()>>,
    /// Share of the tasks.
    share: f64,
    audits: BTreeMap<String, Audit<W>>,
    /// Whether the thread is at work.
    is_busy: bool,
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
        let (questions, asked) = channel::<Question<W>>();
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
                // The run may be over.
                if interrupt.is_set() || answers.send(replayed).is_err() {
                    break;
                }
            }
        });
        Ok(Replays {
            questions: Some(questions),
            findings,
            end,
            thread: Some(thread),
            share,
            audits: BTreeMap::new(),
            is_busy: false,
            agreements: 0,
            waiting: Vec::new(),
        })
    }

    /// Notes an answer that counts. It is checked if it `is_first` of its worker, or by lot.
    pub fn note(&mut self, task: W::Task, play: Play, token: &str, is_first: bool) {
        let is_drawn = rand::random_bool(self.share.clamp(0.0, 1.0));
        let audit = self.audits.entry(token.to_owned()).or_default();
        let question = Question { task, plays: vec![play] };
        if is_first || (is_drawn && audit.waiting.len() < MAX_WAITING) {
            audit.waiting.push_back(question);
        } else {
            audit.note(question);
        }
        self.give_out();
    }

    /// Has a task done again before all others.
    pub fn ask(&mut self, task: W::Task, plays: Vec<Play>) {
        let token = plays.first().and_then(|play| token_of(&play.worker)).unwrap_or_default();
        let audit = self.audits.entry(token.to_owned()).or_default();
        audit.waiting.push_front(Question { task, plays });
        self.give_out();
    }

    /// Forgets the tasks of a token, which count no more.
    pub fn forget(&mut self, token: &str) {
        self.audits.remove(token);
    }

    /// Gives the thread its next task, of the token of which the fewest were done again: no
    /// token waits behind another.
    fn give_out(&mut self) {
        let Some(questions) = self.questions.as_ref().filter(|_| !self.is_busy) else { return };
        let waiting = self.audits.values_mut().filter(|audit| !audit.waiting.is_empty());
        let Some(audit) = waiting.min_by_key(|audit| audit.done) else { return };
        let Some(question) = audit.waiting.pop_front() else { return };
        audit.done += 1;
        // A thread that has ended has said so.
        self.is_busy = questions.send(question).is_ok();
    }

    /// Draws the tasks that are done again before a result stands.
    pub fn draw(&mut self) {
        self.audits.values_mut().for_each(Audit::draw);
        self.give_out();
    }

    /// Tasks that are still to be done again.
    pub fn left(&self) -> usize {
        if self.questions.is_none() {
            return 0;
        }
        let waiting: usize = self.audits.values().map(|audit| audit.waiting.len()).sum();
        waiting + usize::from(self.is_busy)
    }

    /// What was found since the last call.
    pub fn findings(&mut self) -> Vec<Replayed> {
        let mut found = Vec::new();
        loop {
            let findings = match self.findings.try_recv() {
                Ok(findings) => findings,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.questions = None;
                    break;
                }
            };
            self.is_busy = false;
            for finding in findings {
                match finding {
                    Replayed::Agrees(_) => {
                        self.agreements += 1;
                        found.push(finding);
                    }
                    Replayed::Differs { .. } => self.waiting.push(finding),
                    Replayed::Ended(_) => {
                        self.questions = None;
                        found.push(finding);
                    }
                }
            }
            self.give_out();
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
        true => Replayed::Agrees(play.clone()),
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
