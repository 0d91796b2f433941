//! Taking results, and what workers give back.

use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;

use super::dropped::Reason;
use super::replays::Replayed;
use super::{Coordinator, MAX_RESULTS, MAX_SUSPECT_DELAY, RETRY_DELAY, Suspect, Unfinished};
use crate::ClusterError;
use crate::message::{
    KEY, MAX_RESULT_BYTES, MAX_RETURNED_BYTES, PROTOCOL, Returned, SIGNATURE, TaskResult,
    WhyReturned, unpack_small,
};
use crate::quarantine;
use crate::results::{self, Results, worker_name, worker_of};
use crate::second_play::{Finding, Play, SECOND_ATTEMPT};
use crate::work::{Done, RemoteWork};

/// Results that arrive within this time are kept together: the ledger is written to disk once.
const GATHER_TIME: Duration = Duration::from_millis(20);

/// Wait for the first of some results.
const RESULT_TIMEOUT: Duration = Duration::from_millis(100);

/// Wait before a task is given out again that several workers took without an answer; it doubles.
const SUSPECT_DELAY: Duration = Duration::from_secs(1);

/// Tasks of a batch that is given back, at most.
const MAX_RETURNED: usize = 256;

/// What the subject of a result says.
struct Place {
    token: String,
    number: u64,
    attempt: u32,
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
            return self.take_returned(token, &message).map(|()| None);
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
        if let Some(name) = self.quarantined.get(&key) {
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
            let worker = worker_of(&result, &key);
            self.drop_result(place, Reason::Wrong, || format!("{number}, by {worker}: {error}"));
            return Ok(None);
        }
        self.count(token, result, key).map(Some)
    }

    /// Reads a result: signed, of this run, and of a task that was given out to who has sent it.
    fn open_result(
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
            let worker = worker_of(&result, &key);
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
    fn signer(&mut self, message: &Message) -> (String, bool) {
        let headers = message.headers.as_ref();
        let header = |name| headers.and_then(|headers| headers.get(name)).map(|it| it.as_str());
        let key = header(KEY).unwrap_or("?").to_owned();
        let signature = header(SIGNATURE).unwrap_or_default();
        let is_signed = self.keys.is_signed(&key, &message.payload, signature);
        (if is_signed { key } else { key.chars().take(64).collect() }, is_signed)
    }

    /// Counts a result that fits its task, which ends.
    fn count(
        &mut self,
        token: &str,
        result: TaskResult<W>,
        key: String,
    ) -> Result<Done<W::Answer>, Unfinished> {
        let worker = worker_of(&result, &key);
        let TaskResult { number, took, outcome, .. } = result;
        self.lanes.lane(token).note_result();
        let is_first = self.contributors.insert(key.clone());
        self.suspects.remove(&number);
        self.avoided.remove(&number);
        if let Some(open) = self.assignments.finish(number) {
            // No longer than it was given out.
            self.played.0 += took.min(open.since().elapsed());
            self.played.1 = self.played.1.saturating_add(1);
            if self.shared.threads <= 1 && self.shared.rules.repeats(open.task()) {
                let moves = W::fingerprint(&outcome);
                let play = Play { worker: worker.clone(), key, moves };
                self.check_play(open.task(), play, token, is_first)?;
            }
        }
        Ok(Done { number, answer: outcome, worker: Some(worker) })
    }

    /// Has a play of a task that repeats compared with others: some by this machine, the first of each worker
    /// among them, and some by other workers.
    fn check_play(
        &mut self,
        task: &W::Task,
        play: Play,
        token: &str,
        is_first: bool,
    ) -> Result<(), Unfinished> {
        if let Some(replays) = &mut self.replays
            && (is_first || replays.wants())
        {
            replays.ask(task.clone(), vec![play.clone()]);
        }
        if self.lanes.workers() > 1
            && let Some(attempt) = self.second_plays.first(task.clone(), play, token)
        {
            self.publish_second(W::number(task), attempt)?;
        }
        Ok(())
    }

    /// Gives a task out a second time, to the workers of another token if there are any.
    fn publish_second(&mut self, number: u64, attempt: u32) -> Result<(), Unfinished> {
        let Some((task, first)) = self.second_plays.task(number) else { return Ok(()) };
        let able = self.lanes.able();
        let token = able.iter().find(|token| **token != first).or_else(|| able.first());
        let Some(token) = token.cloned() else { return Ok(()) };
        let nonce = self.assignments.nonce(&token, number, attempt);
        self.publish(&token, vec![crate::message::Assignment { attempt, nonce, task }])
    }

    /// Compares a second play of a task with the first.
    fn compare(&mut self, place: &Place, message: &Message) -> Result<(), Unfinished> {
        let &Place { number, attempt, .. } = place;
        if !self.second_plays.is_awaited(number, attempt) {
            return Ok(());
        }
        let (result, key) = match self.open_result(place, message) {
            Ok(opened) => opened,
            Err((reason, detail)) => {
                self.dropped.note(&place.token, reason, || detail);
                return Ok(());
            }
        };
        let worker = worker_of(&result, &key);
        let play = Play { worker, key, moves: W::fingerprint(&result.outcome) };
        match self.second_plays.second(number, attempt, play) {
            Some(Finding::Again(attempt)) => self.publish_second(number, attempt)?,
            Some(Finding::Differ(task, plays)) => {
                let [one, other] = [&plays[0].worker, &plays[1].worker];
                tracing::warn!(
                    "{one} and {other} played different moves in pair {number}: the engine does not \
                     play alike twice (`harness check`), or one of them has another engine, or lies"
                );
                if let Some(replays) = &mut self.replays {
                    replays.ask(task, plays.to_vec());
                }
            }
            Some(Finding::Agree) | None => {}
        }
        Ok(())
    }

    /// Takes what this machine found when it did tasks again: a worker that has other moves is quarantined.
    pub(super) fn take_findings(&mut self) -> Result<(), Unfinished> {
        let Some(replays) = &mut self.replays else { return Ok(()) };
        for finding in replays.findings() {
            match finding {
                Replayed::Agrees(_) => {}
                Replayed::Ended(reason) => {
                    let text = format!("no answer of workers is checked by this machine: {reason}");
                    tracing::warn!("{text}");
                    self.noted.push(text);
                }
                Replayed::Differs { worker, key, number } => {
                    if self.quarantined.contains_key(&key) {
                        continue;
                    }
                    let text = format!(
                        "{worker} played other moves in pair {number} than this machine and others do: \
                         it is quarantined"
                    );
                    tracing::warn!("{text}");
                    self.noted.push(text);
                    let name = worker.split(' ').next().unwrap_or_default();
                    if let Err(error) = quarantine::add(&self.link, &key, name) {
                        tracing::debug!("{error}");
                    }
                    self.quarantined.insert(key, name.to_owned());
                }
            }
        }
        self.end_if_quarantined()
    }

    /// Asks who is quarantined; an error if one of them has contributed to the run.
    pub(super) fn look_for_quarantine(&mut self) -> Result<(), Unfinished> {
        match quarantine::list(&self.link) {
            Ok(workers) => self.quarantined = workers,
            Err(error) => tracing::debug!("{error}"),
        }
        self.end_if_quarantined()
    }

    /// An error if a worker that is quarantined has contributed to the run.
    fn end_if_quarantined(&mut self) -> Result<(), Unfinished> {
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

    /// Takes back a batch that a worker gave back.
    fn take_returned(&mut self, token: &str, message: &Message) -> Result<(), Unfinished> {
        let (key, is_signed) = self.signer(message);
        let returned = unpack_small::<Returned>(&message.payload, MAX_RETURNED_BYTES);
        let Some(returned) = returned.filter(|_| is_signed) else {
            self.dropped.note(token, Reason::Damaged, || format!("a batch given back by {key}"));
            return Ok(());
        };
        let Returned { worker, tasks, why, .. } = returned;
        let is_held = |number: &u64| {
            self.assignments.open(*number).is_some_and(|open| open.token() == Some(token))
        };
        let mut back: Vec<u64> = tasks.into_iter().take(MAX_RETURNED).filter(is_held).collect();
        back.sort_unstable();
        back.dedup();
        if back.is_empty() {
            return Ok(());
        }
        match why {
            WhyReturned::CannotPlay(reason) => self.exclude(&key, &worker, reason),
            WhyReturned::WrongBench(wrong) => {
                let reason = wrong.to_string();
                let agrees = |(other, (_, why)): &(&String, &(String, String))| {
                    **other != key && *why == reason
                };
                if let Some((_, (first, _))) = self.unable.iter().find(agrees)
                    && !self.unable.contains_key(&key)
                {
                    tracing::warn!(
                        "{wrong}, say {first} and {}: the engine plays differently from machine to \
                         machine; does it read memory that was not set, or round otherwise with other \
                         vector instructions?",
                        worker_name(&worker, "").trim_end()
                    );
                }
                self.exclude(&key, &worker, reason);
            }
            WhyReturned::Silent(count) => {
                back.iter().for_each(|&number| self.suspect(number, count));
            }
        }
        self.lanes.lane(token).note_failure();
        for number in back {
            self.assignments.release(number);
            self.avoided.insert(number, token.to_owned());
        }
        Ok(())
    }

    /// Notes that a worker plays nothing of the run.
    fn exclude(&mut self, key: &str, worker: &str, reason: String) {
        let name = worker_name(worker, "").trim_end().to_owned();
        let reason: String = reason.chars().take(1_000).collect();
        if !self.unable.contains_key(key) {
            tracing::warn!("worker {name} cannot play: {reason}");
        }
        self.unable.insert(key.to_owned(), (name, reason));
        // So that it is not counted any more.
        self.counted = Instant::now() - 2 * super::COUNT_INTERVAL;
    }

    /// Notes that several workers took a task, and none sent its result: it is given out alone, after a
    /// growing wait.
    fn suspect(&mut self, number: u64, count: i64) {
        let now = Instant::now();
        let suspect = self.suspects.entry(number).or_insert(Suspect { times: 0, until: now });
        let delay = SUSPECT_DELAY * 2_u32.saturating_pow(suspect.times);
        suspect.times += 1;
        suspect.until = now + delay.min(MAX_SUSPECT_DELAY);
        if suspect.times > 1 {
            let delay = delay.min(MAX_SUSPECT_DELAY).as_secs();
            tracing::warn!(
                "{number} (pair, position or game) was given to {count} workers, and none sent its \
                 result; the next one gets it in {delay} s. Do its engines need more memory than the \
                 workers have?"
            );
        }
    }
}
