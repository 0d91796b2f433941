//! Taking results: whose they are, whether they are awaited, and whether they are answers.

use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;

use super::dropped::Reason;
use super::{Coordinator, MAX_RESULTS, RETRY_DELAY, Unfinished};
use crate::keys::claimed;
use crate::message::{MAX_NAME, MAX_RESULT_BYTES, PROTOCOL, TaskResult, unpack_small};
use crate::quarantine;
use crate::results::{self, Results, worker_of};
use crate::second_play::{Play, SECOND_ATTEMPT};
use crate::work::{Done, RemoteWork};
use harness_base::text::brief;

/// Results that arrive within this time are kept together: the ledger is written to disk once.
const GATHER_TIME: Duration = Duration::from_millis(20);

/// Wait for the first of some results.
const RESULT_TIMEOUT: Duration = Duration::from_millis(100);

/// Token, task and attempt of a result, by its subject.
pub(super) struct Place {
    pub token: String,
    pub number: u64,
    pub attempt: u32,
}

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
        if self.results.is_broken() {
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
        let subject = message.subject.to_string();
        // tench.results.TOKEN.RUN.TASK.ATTEMPT
        let parts: Vec<&str> = subject.split('.').collect();
        let &[_, _, token, _, before, last] = &parts[..] else { return Ok(None) };
        if let Ok(info) = message.info() {
            let lane = self.lanes.lane(token);
            lane.kept.1 = lane.kept.1.max(info.stream_sequence);
        }
        if before == "returned" {
            results::remove(&self.link, token, &subject, None);
            self.take_returned(token, &message);
            return Ok(None);
        }
        let (Ok(number), Ok(attempt)) = (before.parse::<u64>(), last.parse::<u32>()) else {
            return Ok(None);
        };
        let place = Place { token: token.to_owned(), number, attempt };
        if attempt >= SECOND_ATTEMPT {
            return self.compare(&place, &message).map(|()| None);
        }
        self.take_result(&place, message)
    }

    /// Takes the result of a task.
    fn take_result(
        &mut self,
        place: &Place,
        message: Message,
    ) -> Result<Option<Done<W::Answer>>, Unfinished> {
        let Place { token, number, attempt } = place;
        let is_to_come = self.assignments.is_to_come(*number);
        let is_late = self.assignments.open(*number).is_none() && !is_to_come;
        // Of a task that is done: another worker was faster. Or one that was refused, and is read again.
        if is_late || self.assignments.is_refused(*number, token, *attempt) {
            return Ok(None);
        }
        let (result, key) = match self.open_result(place, &message) {
            Ok(opened) => opened,
            Err((reason, detail)) => {
                self.drop_result(place, reason, || detail);
                return Ok(None);
            }
        };
        if is_to_come {
            self.assignments.note_early(*number, message);
            return Ok(None);
        }
        let by_token = self.quarantined.get(token);
        if let Some(name) = self.quarantined.get(&key).or(by_token) {
            let name = name.clone();
            tracing::warn!("{number} is played again: {name} is quarantined");
            if let Err(error) = quarantine::add(&self.link, &key, &name) {
                tracing::debug!("{error}");
            }
            self.drop_result(place, Reason::Quarantined, || name);
            return Ok(None);
        }
        let Some(open) = self.assignments.open(*number) else { return Ok(None) };
        if let Err(error) = self.shared.rules.verify(open.task(), &result.outcome) {
            let worker = worker_of(&result, &place.token, &key);
            self.drop_result(place, Reason::Wrong, || format!("{number}, by {worker}: {error}"));
            return Ok(None);
        }
        self.count(token, result, key).map(Some)
    }

    /// Reads a result: signed, of this run, and of a task that was given out to who has sent it.
    pub(super) fn open_result(
        &mut self,
        place: &Place,
        message: &Message,
    ) -> Result<(TaskResult<W>, String), (Reason, String)> {
        let &Place { ref token, number, attempt } = place;
        let (key, is_signed) = self.signer(message);
        let damaged = |what: &str| (Reason::Damaged, format!("{number}, {what}, by {key}"));
        if !is_signed {
            return Err(damaged("its signature is not that of its key"));
        }
        let result = unpack_small::<TaskResult<W>>(&message.payload, MAX_RESULT_BYTES);
        let result = result.ok_or_else(|| damaged("it cannot be read"))?;
        let is_it = (result.protocol, &result.run, result.number, result.attempt)
            == (PROTOCOL, &self.run, number, attempt);
        if !is_it {
            return Err(damaged("it says to be another"));
        }
        if !self.assignments.was_given_out(token, number, attempt, &result.nonce) {
            let worker = worker_of(&result, token, &key);
            return Err((Reason::NotGivenOut, format!("{number}, by {worker}")));
        }
        Ok((result, key))
    }

    /// Counts a result that does not count. Its task is given out again if it was the answer that is
    /// awaited: its subject is taken.
    fn drop_result(&mut self, place: &Place, reason: Reason, detail: impl FnOnce() -> String) {
        let Place { token, number, attempt } = place;
        self.dropped.note(token, reason, detail);
        if self.assignments.refuse(*number, token, *attempt) {
            self.lanes.lane(token).note_failure();
            self.avoided.insert(*number, token.clone());
        }
    }

    /// The public key that a message claims to be signed with, and whether it is.
    pub(super) fn signer(&mut self, message: &Message) -> (String, bool) {
        let (key, signature) = claimed(message.headers.as_ref());
        let is_signed = self.keys.is_signed(key, &message.payload, signature);
        (if is_signed { key.to_owned() } else { brief(key, MAX_NAME) }, is_signed)
    }

    /// Counts a result that fits its task, which ends.
    fn count(
        &mut self,
        token: &str,
        result: TaskResult<W>,
        key: String,
    ) -> Result<Done<W::Answer>, Unfinished> {
        let worker = worker_of(&result, token, &key);
        let TaskResult { number, took, outcome, .. } = result;
        let finished = self.assignments.finish(number);
        // No longer than it was given out.
        let most = finished.as_ref().map_or(Duration::ZERO, |open| open.since().elapsed());
        self.lanes.lane(token).note_result(took.min(most));
        let is_first = self.heard.insert(key.clone());
        self.contributors.extend([key.clone(), token.to_owned()]);
        self.suspects.remove(&number);
        self.avoided.remove(&number);
        if let Some(open) = finished
            && self.shared.threads <= 1
            && self.shared.rules.repeats(open.task())
        {
            let play = || {
                let (worker, key) = (worker.clone(), key.clone());
                Play { worker, key, moves: W::fingerprint(&outcome) }
            };
            self.check_play(open.task(), &worker, (token, is_first), play)?;
        }
        Ok(Done { number, answer: outcome, worker: Some(worker) })
    }
}
