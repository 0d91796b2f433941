//! Taking results, and what workers give back.

use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;

use super::{Coordinator, MAX_RESULTS, RETRY_DELAY, Unfinished};
use crate::ClusterError;
use crate::message::{Assignment, KEY, Returned, SIGNATURE, TaskResult, WhyReturned, unpack};
use crate::quarantine;
use crate::results::{self, Results, fits, worker_of};
use crate::second_play::{Finding, SECOND_ATTEMPT};
use crate::work::{Done, RemoteWork};

/// Results that arrive within this time are kept together: the ledger is written to disk once.
const GATHER_TIME: Duration = Duration::from_millis(20);

/// Wait for the first of some results.
const RESULT_TIMEOUT: Duration = Duration::from_millis(100);

impl<W: RemoteWork> Coordinator<W> {
    /// Takes the results that arrived, and gives what is done; waits a moment for the first.
    pub(super) fn receive(&mut self) -> Result<Vec<Done<W::Answer>>, Unfinished> {
        let mut done = Vec::new();
        let mut next = self.next_result(RESULT_TIMEOUT);
        let begun = Instant::now();
        while let Some(message) = next {
            done.extend(self.take(message)?);
            if done.len() >= MAX_RESULTS {
                return Ok(done);
            }
            next = self.next_result(GATHER_TIME.saturating_sub(begun.elapsed()));
        }
        if self.results.messages.is_closed() {
            match Results::listen(&self.link, &self.run) {
                Ok(results) => self.results = results,
                Err(error) => {
                    tracing::debug!("{error}");
                    thread::sleep(RETRY_DELAY);
                }
            }
        }
        Ok(done)
    }

    /// The next message, if one arrives within this time.
    fn next_result(&mut self, time: Duration) -> Option<Message> {
        let messages = &mut self.results.messages;
        match messages.try_recv() {
            Ok(message) => Some(message),
            Err(_) => self.link.wait_for(time, messages.recv()).flatten(),
        }
    }

    /// Takes a message, and gives what is done if it is the result of a task that is given out.
    pub(super) fn take(&mut self, message: Message) -> Result<Option<Done<W::Answer>>, Unfinished> {
        if let Ok(info) = message.info() {
            self.kept.1 = self.kept.1.max(info.stream_sequence);
        }
        let (key, is_signed) = self.signer(&message);
        let mut parts = message.subject.as_str().rsplit('.');
        let last = parts.next().unwrap_or_default();
        let before = parts.next().unwrap_or_default();
        if before == "returned" {
            results::remove(&self.link, message.subject.as_str(), None);
            if is_signed && let Some(returned) = unpack(&message.payload) {
                self.take_back(&key, returned)?;
            }
            return Ok(None);
        }
        let (Ok(number), Ok(attempt)) = (before.parse::<u64>(), last.parse::<u32>()) else {
            return Ok(None);
        };
        if attempt >= SECOND_ATTEMPT {
            self.compare(number, attempt, &message.payload, &key, is_signed)?;
            return Ok(None);
        }
        let Some(assignment) = self.assignments.awaited(number, attempt) else {
            self.assignments.note_early(number, attempt, message);
            return Ok(None);
        };
        let asked = (self.run.as_str(), &self.shared.rules);
        let result = unpack::<TaskResult<W>>(&message.payload);
        let result = result.filter(|result| is_signed && fits(result, assignment, asked));
        match result.filter(|_| !self.quarantined.contains_key(&key)) {
            Some(result) => self.count(result, key).map(Some),
            None => {
                let refused = assignment.clone();
                self.refuse(&refused, &key)
            }
        }
    }

    /// The public key that a message claims to be signed with, and whether it is.
    fn signer(&mut self, message: &Message) -> (String, bool) {
        let headers = message.headers.as_ref();
        let header = |name| headers.and_then(|headers| headers.get(name)).map(|it| it.as_str());
        let key = header(KEY).unwrap_or("?").to_owned();
        let signature = header(SIGNATURE).unwrap_or_default();
        let is_signed = self.keys.is_signed(&key, &message.payload, signature);
        (key, is_signed)
    }

    /// Counts a result that fits its assignment, which ends.
    fn count(&mut self, result: TaskResult<W>, key: String) -> Result<Done<W::Answer>, Unfinished> {
        let worker = worker_of(&result, &key);
        let TaskResult { number, took, outcome, .. } = result;
        let task = self.assignments.finish(number);
        self.kept.0 += 1;
        self.played.0 += took;
        self.played.1 += 1;
        self.contributors.insert(key);
        if let Some(task) = task
            && self.there.0 > 1
            && self.shared.threads <= 1
            && self.shared.rules.repeats(&task)
            && let Some(second) = self.second_plays.first(task, &outcome, &worker)
        {
            self.publish(vec![second])?;
        }
        Ok(Done { number, answer: outcome, worker: Some(worker) })
    }

    /// Gives out a task again whose result does not count: its subject is taken, so that the task is done
    /// under the next.
    fn refuse(
        &mut self,
        refused: &Assignment<W>,
        key: &str,
    ) -> Result<Option<Done<W::Answer>>, Unfinished> {
        let number = refused.number();
        match self.quarantined.get(key) {
            None => {
                tracing::warn!("a result of {number} is forged or damaged; signed by {key}");
            }
            Some(name) => {
                tracing::warn!("{number} is played again: {name} is quarantined");
                if let Err(error) = quarantine::add(&self.link, key, name) {
                    tracing::debug!("{error}");
                }
            }
        }
        match self.assignments.begin_again(refused) {
            (_, Some(early)) => self.take(early),
            (again, None) => self.publish(vec![again]).map(|()| None),
        }
    }

    /// Compares a second play of a task with the first.
    fn compare(
        &mut self,
        number: u64,
        attempt: u32,
        payload: &[u8],
        key: &str,
        is_signed: bool,
    ) -> Result<(), Unfinished> {
        let result = unpack::<TaskResult<W>>(payload);
        let Some(result) = result.filter(|result| is_signed && result.run == self.run) else {
            return Ok(());
        };
        let worker = worker_of(&result, key);
        match self.second_plays.second(number, attempt, &result.outcome, &worker) {
            Some(Finding::Again(again)) => self.publish(vec![*again])?,
            Some(Finding::Differ(one, other)) => tracing::warn!(
                "{one} and {other} played different moves in pair {number}: the engine does not \
                 play alike twice (`harness check`), or one of them has another engine, or lies"
            ),
            Some(Finding::Wrong(worker)) => tracing::warn!(
                "the moves of {worker} differ from those of several others; `harness workers \
                 --quarantine` takes its pairs out"
            ),
            Some(Finding::Agree) | None => {}
        }
        Ok(())
    }

    /// Asks who is quarantined; an error if one of them has contributed to the run.
    pub(super) fn look_for_quarantine(&mut self) -> Result<(), Unfinished> {
        match quarantine::list(&self.link) {
            Ok(workers) => self.quarantined = workers,
            Err(error) => tracing::debug!("{error}"),
        }
        let mut workers = self.quarantined.iter();
        let Some((key, name)) = workers.find(|(key, _)| self.contributors.contains(*key)) else {
            return Ok(());
        };
        if !W::IS_REVOCABLE {
            tracing::warn!("{name} was quarantined; its results up to now stay in the file");
            self.contributors.remove(&key.clone());
            return Ok(());
        }
        Err(ClusterError::Quarantined { worker: format!("{name} {key}") }.into())
    }

    /// Notes that a worker plays nothing of the run; an error if no worker does.
    fn exclude(&mut self, key: &str, worker: String, reason: String) -> Result<(), Unfinished> {
        if self.unable.insert(key.to_owned()) {
            tracing::warn!("worker {worker} cannot play: {reason}");
        }
        let workers = self.presence.workers();
        if workers.iter().all(|worker| self.unable.contains(&worker.key)) {
            return Err(ClusterError::CannotPlay { worker, reason }.into());
        }
        Ok(())
    }

    /// Gives out again what a worker gave back; an error if no worker can play it.
    fn take_back(&mut self, key: &str, returned: Returned) -> Result<(), Unfinished> {
        let Returned { worker, tasks, why, .. } = returned;
        let back = self.assignments.of_numbers(&tasks);
        match why {
            WhyReturned::CannotPlay(reason) => {
                self.exclude(key, worker, reason)?;
                self.publish(back)
            }
            WhyReturned::WrongBench(wrong) => {
                let place = (wrong.program.clone(), wrong.found);
                let seen = self.wrong_benches.entry(place);
                let (by, first) = seen.or_insert_with(|| (key.to_owned(), worker.clone()));
                if by != key {
                    let first = first.clone();
                    let second = worker;
                    return Err(ClusterError::BenchesDiffer { wrong, first, second }.into());
                }
                self.exclude(key, worker, wrong.to_string())?;
                self.publish(back)
            }
            WhyReturned::Silent(count) => {
                let suspect = back.iter().map(Assignment::number).find(|number| {
                    // Alone in its batch.
                    !self.suspects.insert(*number)
                });
                if let Some(number) = suspect {
                    return Err(ClusterError::EndsWorkers { number, count }.into());
                }
                back.into_iter().try_for_each(|alone| self.publish(vec![alone]))
            }
        }
    }
}
