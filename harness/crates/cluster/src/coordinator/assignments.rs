//! The tasks that are given out: the one place that says whether a result is awaited.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

use async_nats::jetstream::Message;

use crate::lease_key::LeaseKey;
use crate::message::Assignment;
use crate::work::RemoteWork;

/// Results that wait for their task to be given out, at most.
const MAX_EARLY: usize = 100_000;

/// A task that is not done.
pub struct Open<W: RemoteWork> {
    task: W::Task,
    /// Times that it was given out.
    attempts: u32,
    /// The token whose workers have it; `None`: it waits to be given out again.
    token: Option<String>,
    /// When it was given out last.
    since: Instant,
    /// Tokens and attempts whose result was refused.
    refused: BTreeSet<(String, u32)>,
}

impl<W: RemoteWork> Open<W> {
    /// The task.
    pub fn task(&self) -> &W::Task {
        &self.task
    }

    /// The token whose workers have it; `None`: it waits to be given out again.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// When it was given out last.
    pub fn since(&self) -> Instant {
        self.since
    }
}

/// Tasks that are given out, and results that came before their task was.
pub struct Assignments<W: RemoteWork> {
    key: LeaseKey,
    open: BTreeMap<u64, Open<W>>,
    /// Number of the tasks that the workers of a token have.
    counts: BTreeMap<String, usize>,
    /// Tasks that are to be given out again.
    again: VecDeque<u64>,
    /// Results of an earlier process, of tasks that this one has not given out yet.
    early: BTreeMap<u64, Vec<Message>>,
    /// The task that is given out next has no lower number.
    next: u64,
}

impl<W: RemoteWork> Assignments<W> {
    /// None yet, of a run with this key.
    pub fn new(key: LeaseKey) -> Assignments<W> {
        let (open, counts, again, early) = Default::default();
        Assignments { key, open, counts, again, early, next: 0 }
    }

    /// Takes a task over, which waits to be given out; with its results, if some are there already.
    pub fn add(&mut self, task: W::Task) -> Vec<Message> {
        let number = W::number(&task);
        self.next = number + 1;
        let (token, refused) = (None, BTreeSet::new());
        self.open.insert(number, Open { task, attempts: 0, token, since: Instant::now(), refused });
        self.again.push_back(number);
        self.early.remove(&number).unwrap_or_default()
    }

    /// Gives out up to this many of the tasks that wait, to the workers of a token; `is_for` says of a task
    /// whether it is for them, and whether it has to be alone.
    pub fn give_out(
        &mut self,
        token: &str,
        count: usize,
        is_for: &dyn Fn(u64) -> Option<Alone>,
    ) -> Vec<Assignment<W>> {
        let mut batch = Vec::new();
        let mut skipped = Vec::new();
        while batch.len() < count
            && let Some(number) = self.again.pop_front()
        {
            let Some(open) = self.open.get(&number).filter(|open| open.token.is_none()) else {
                continue;
            };
            match is_for(number) {
                None => skipped.push(number),
                Some(Alone(true)) if !batch.is_empty() => {
                    skipped.push(number);
                    break;
                }
                Some(Alone(is_alone)) => {
                    let task = open.task.clone();
                    batch.push(self.hand_over(number, task, token));
                    if is_alone {
                        break;
                    }
                }
            }
        }
        skipped.into_iter().rev().for_each(|number| self.again.push_front(number));
        batch
    }

    fn hand_over(&mut self, number: u64, task: W::Task, token: &str) -> Assignment<W> {
        let mut attempt = 0;
        if let Some(open) = self.open.get_mut(&number) {
            attempt = open.attempts;
            open.attempts += 1;
            open.token = Some(token.to_owned());
            open.since = Instant::now();
            *self.counts.entry(token.to_owned()).or_default() += 1;
        }
        let nonce = self.key.nonce(token, number, attempt);
        Assignment { attempt, nonce, task }
    }

    /// The tasks that the workers of a token have, as they were given out.
    pub fn of_token(&self, token: &str) -> Vec<Assignment<W>> {
        let held = self.open.iter().filter(|(_, open)| open.token.as_deref() == Some(token));
        held.map(|(&number, open)| {
            let attempt = open.attempts.saturating_sub(1);
            let nonce = self.key.nonce(token, number, attempt);
            Assignment { attempt, nonce, task: open.task.clone() }
        })
        .collect()
    }

    /// One of the tasks that the workers of a token have.
    pub fn first_of(&self, token: &str) -> Option<&W::Task> {
        let held = self.open.values().find(|open| open.token.as_deref() == Some(token));
        held.map(Open::task)
    }

    /// Numbers of the tasks that the workers of a token have had since before `time`.
    pub fn older_than(&self, token: &str, time: Instant) -> Vec<u64> {
        let held = self.open.iter();
        held.filter(|(_, open)| open.token.as_deref() == Some(token) && open.since < time)
            .map(|(&number, _)| number)
            .collect()
    }

    /// Takes a task from the workers that have it, so that it is given out again. A result that they send
    /// all the same counts if it is the first.
    pub fn release(&mut self, number: u64) {
        let Some(open) = self.open.get_mut(&number) else { return };
        if let Some(token) = open.token.take() {
            self.again.push_back(number);
            self.count_down(&token);
        }
    }

    fn count_down(&mut self, token: &str) {
        if let Some(count) = self.counts.get_mut(token) {
            *count = count.saturating_sub(1);
        }
    }

    /// Notes that a result was refused, and has its task given out again; `false` if it was not the result
    /// that is awaited.
    pub fn refuse(&mut self, number: u64, token: &str, attempt: u32) -> bool {
        let Some(open) = self.open.get_mut(&number) else { return false };
        if open.token.as_deref() != Some(token) || open.attempts != attempt.saturating_add(1) {
            return false;
        }
        open.refused.insert((token.to_owned(), attempt));
        self.release(number);
        true
    }

    /// Whether a result of a task, by the workers of a token, is one that was refused before.
    pub fn is_refused(&self, number: u64, token: &str, attempt: u32) -> bool {
        let open = self.open.get(&number);
        open.is_some_and(|open| open.refused.contains(&(token.to_owned(), attempt)))
    }

    /// The task of a number, if it is not done.
    pub fn open(&self, number: u64) -> Option<&Open<W>> {
        self.open.get(&number)
    }

    /// Whether a nonce shows that a task was given out to the workers of a token, by this process or by an
    /// earlier one of the run.
    pub fn was_given_out(&self, token: &str, number: u64, attempt: u32, nonce: &str) -> bool {
        self.key.nonce(token, number, attempt) == nonce
    }

    /// A nonce for a task that is given out besides the others: its second play.
    pub fn nonce(&self, token: &str, number: u64, attempt: u32) -> String {
        self.key.nonce(token, number, attempt)
    }

    /// Whether the task of a number may be given out later.
    pub fn is_to_come(&self, number: u64) -> bool {
        number >= self.next
    }

    /// Keeps a result whose task may be given out later.
    pub fn note_early(&mut self, number: u64, message: Message) {
        if self.early.len() < MAX_EARLY {
            self.early.entry(number).or_default().push(message);
        }
    }

    /// Forgets early results of tasks that are not given out any more.
    pub fn forget_late(&mut self) {
        let next = self.next;
        self.early.retain(|&number, _| number >= next);
    }

    /// Ends a task whose result counts; gives it.
    pub fn finish(&mut self, number: u64) -> Option<Open<W>> {
        let open = self.open.remove(&number)?;
        if let Some(token) = &open.token {
            self.count_down(token);
        }
        Some(open)
    }

    /// Number of the tasks that the workers of a token have.
    pub fn count_of(&self, token: &str) -> usize {
        self.counts.get(token).copied().unwrap_or_default()
    }

    /// Number of the tasks that wait to be given out.
    pub fn waiting(&self) -> usize {
        self.again.len()
    }

    /// Whether all are done.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Abandons all of them.
    pub fn clear(&mut self) {
        self.open.clear();
        self.counts.clear();
        self.again.clear();
    }
}

/// Whether a task has to be the only one of its batch.
#[derive(Clone, Copy, Debug)]
pub struct Alone(pub bool);
