//! Some tasks are done again by the coordinator itself: at fixed nodes or depth whoever has other moves did
//! not play them, or plays another engine.
//!
//! One thread, with players of its own, takes the first task of each worker, a sample of the others, and every
//! pair in which two workers differ, as far as one core keeps up. Before a result stands, some tasks of each
//! token that has a share in it are done again, drawn when its workers can no longer choose their answers
//! ([`Replays::draw`]).

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use crate::backend::{Local, LocalPlayers};
use crate::reservoir::Reservoir;
use crate::sandbox;
use crate::second_play::Play;
use crate::work::RemoteWork;
use harness_base::session::{Interrupt, InterruptSetter};
use harness_outcome::token_of;
use harness_player::{EngineSpec, StartSettings};

/// Tasks of a token that wait to be done again: what comes meanwhile is in the running for the sample.
const MAX_WAITING: usize = 8;

/// Tasks of a token that are done again at most before a result stands.
///
/// To decide a test by few pairs, most of them must be lies: who lies in two of three is found with a
/// probability of 80 in 81. Over many pairs the sample that is taken all along counts, which is larger.
pub const FINAL_REPLAYS: usize = 4;

/// Tasks of all tokens together, about: by their shares of the answers, as one that has few decides nothing. A
/// fleet of a hundred owners waits no longer for one core than one of four.
const ALL_FINAL_REPLAYS: usize = 16;

/// Before a result stands, no more than one task in this number is done again of a token, so that short runs
/// do not take twice as long.
const FINAL_SHARE: usize = 4;

/// Agreements with this coordinator before a worker that differs is said to be wrong: without them it may be
/// the engine that plays differently from machine to machine.
const LEAST_AGREEMENTS: u32 = 2;

/// A task, and who has done it.
struct Question<W: RemoteWork> {
    task: W::Task,
    plays: Vec<Play>,
}

/// A worker that differs from this machine while too few agree to say who is right.
pub struct Dispute<W: RemoteWork> {
    /// The task.
    pub task: W::Task,
    /// The worker's play of it.
    pub play: Play,
}

/// Finding of a replay.
pub enum Replayed<W: RemoteWork> {
    /// A worker has the same moves.
    Agrees(Play),
    /// A worker has other moves.
    Differs(Dispute<W>),
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
    sample: Reservoir<Question<W>>,
    /// All answers.
    answers: usize,
}

impl<W: RemoteWork> Default for Audit<W> {
    fn default() -> Audit<W> {
        let (waiting, sample) = (VecDeque::new(), Reservoir::new(FINAL_REPLAYS));
        Audit { waiting, done: 0, sample, answers: 0 }
    }
}

impl<W: RemoteWork> Audit<W> {
    /// Has some of the sample done again, beside what waits; of this number of tokens, and of answers of all.
    fn draw(&mut self, tokens: usize, all: usize) {
        let by_share = (self.answers * ALL_FINAL_REPLAYS + all / 2) / all.max(1);
        // Among few tokens, who has few answers is needed to say who is right.
        let least = ALL_FINAL_REPLAYS / 2 / tokens.max(1);
        let count = FINAL_REPLAYS.min(by_share.max(least)).min(self.answers.div_ceil(FINAL_SHARE));
        self.waiting.truncate(count);
        self.waiting.extend(self.sample.take().into_iter().take(count));
    }
}

/// Replays of a run.
pub struct Replays<W: RemoteWork> {
    questions: Option<Sender<Question<W>>>,
    findings: Receiver<Vec<Replayed<W>>>,
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
    disputes: Vec<Dispute<W>>,
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
            disputes: Vec::new(),
        })
    }

    /// Notes an answer that counts. It is checked if it `is_first` of its worker, or by lot.
    pub fn note(
        &mut self,
        task: &W::Task,
        (token, is_first): (&str, bool),
        play: impl Fn() -> Play,
    ) {
        let is_drawn = rand::random_bool(self.share.clamp(0.0, 1.0));
        if !self.audits.contains_key(token) {
            self.audits.insert(token.to_owned(), Audit::default());
        }
        let Some(audit) = self.audits.get_mut(token) else { return };
        audit.answers += 1;
        let question = || Question { task: task.clone(), plays: vec![play()] };
        if (is_first || is_drawn) && audit.waiting.len() < MAX_WAITING {
            audit.waiting.push_back(question());
            self.give_out();
        } else {
            audit.sample.add(question);
        }
    }

    /// Notes answers of a token that an earlier process of the run has counted, before there are others.
    pub fn note_earlier(&mut self, token: &str, answers: Reservoir<(W::Task, Play)>) {
        let audit = self.audits.entry(token.to_owned()).or_default();
        audit.answers += answers.seen();
        audit.sample =
            answers.filter_map(|(task, play)| Some(Question { task, plays: vec![play] }));
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

    /// Gives the thread its next task, of the token of which the fewest were done again: no token waits
    /// behind another.
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
        let all = self.audits.values().map(|audit| audit.answers).sum();
        let tokens = self.audits.len();
        self.audits.values_mut().for_each(|audit| audit.draw(tokens, all));
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

    /// Findings since the last call.
    pub fn findings(&mut self) -> Vec<Replayed<W>> {
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
                    Replayed::Differs(dispute) => self.disputes.push(dispute),
                    Replayed::Ended(_) => {
                        self.questions = None;
                        found.push(finding);
                    }
                }
            }
            self.give_out();
        }
        if self.agreements >= LEAST_AGREEMENTS {
            found.extend(self.disputes.drain(..).map(Replayed::Differs));
        }
        found
    }

    /// Workers that differ from this machine while too few agree to say who is right.
    pub fn disputes(&self) -> &[Dispute<W>] {
        &self.disputes
    }

    /// Agreements with this machine that are missing until it is said who is right.
    pub fn missing_agreements(&self) -> usize {
        LEAST_AGREEMENTS.saturating_sub(self.agreements) as usize
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
fn replay<W: RemoteWork>(local: &mut Local<'_, W>, question: &Question<W>) -> Vec<Replayed<W>> {
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
    let compare = |play: &Play| {
        let play = play.clone();
        match play.moves == own {
            true => Replayed::Agrees(play),
            false => Replayed::Differs(Dispute { task: question.task.clone(), play }),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::second_play::tests::task;
    use crate::work::GamePairs;

    /// A token with this number of answers.
    fn audit(answers: usize) -> Audit<GamePairs> {
        let mut audit = Audit::default();
        for pair in 0..answers as u64 {
            audit.answers += 1;
            audit.sample.add(|| Question { task: task(pair), plays: Vec::new() });
        }
        audit
    }

    #[test]
    fn what_is_done_again_in_the_end_is_bounded_however_many_tokens_there_are() {
        for (tokens, answers, most) in
            [(1, 1, 1), (1, 9, 3), (1, 1_000, 4), (2, 60, 8), (100, 100, 0), (20, 100, 20)]
        {
            let mut audits: Vec<_> = (0..tokens).map(|_| audit(answers)).collect();
            audits.iter_mut().for_each(|audit| audit.draw(tokens, tokens * answers));
            let drawn: usize = audits.iter().map(|audit| audit.waiting.len()).sum();
            assert_eq!(drawn, most, "{tokens} tokens of {answers} answers");
        }
        // One with most of the answers, beside one with few.
        let (mut large, mut small) = (audit(900), audit(10));
        [&mut large, &mut small].into_iter().for_each(|audit| audit.draw(2, 910));
        assert_eq!((large.waiting.len(), small.waiting.len()), (4, 3));
        // Among a hundred with few, one with a share that decides.
        let mut large = audit(900);
        large.draw(101, 1_900);
        assert_eq!(large.waiting.len(), 4);
    }
}
