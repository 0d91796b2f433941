//! Plays of one task that are compared: by this machine, and by other workers; and workers that are out.

use async_nats::jetstream::Message;
use harness_outcome::{name_and_key, token_of};

use super::receive::Place;
use super::replays::{Dispute, Replayed};
use super::{Coordinator, Unfinished};
use crate::ClusterError;
use crate::message::Assignment;
use crate::quarantine;
use crate::results::{self, worker_of};
use crate::second_play::{Finding, Play};
use crate::subjects;
use crate::work::RemoteWork;

/// Keys of a token whose workers lied, from which on all its workers are out.
const PROVEN_KEYS: usize = 2;

impl<W: RemoteWork> Coordinator<W> {
    /// Has some plays of tasks that repeat compared with others: by this machine, the first of each worker
    /// among them, and by other workers. `play` is made if this is one of them.
    pub(super) fn check_play(
        &mut self,
        task: &W::Task,
        worker: &str,
        (token, is_first): (&str, bool),
        play: impl Fn() -> Play,
    ) -> Result<(), Unfinished> {
        if let Some(replays) = &mut self.replays {
            replays.note(task, (token, is_first), &play);
        }
        if self.lanes.workers() > 1
            && let Some(attempt) = self.second_plays.first(task, worker, token, play)
        {
            self.publish_second(W::number(task), attempt)?;
        }
        Ok(())
    }

    /// Gives a task out a second time, to the workers of another token if there are any.
    pub(super) fn publish_second(&mut self, number: u64, attempt: u32) -> Result<(), Unfinished> {
        let Some((task, first)) = self.second_plays.task(number) else { return Ok(()) };
        let able = self.lanes.able();
        let token = able.iter().find(|token| **token != first).or_else(|| able.first());
        let Some(token) = token.cloned() else { return Ok(()) };
        let nonce = self.assignments.nonce(&token, number, attempt);
        self.publish(&token, vec![Assignment { attempt, nonce, task }])
    }

    /// Compares a second play of a task with the first.
    pub(super) fn compare(&mut self, place: &Place, message: &Message) -> Result<(), Unfinished> {
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
        let worker = worker_of(&result, &place.token, &key);
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
                Replayed::Agrees(play) => {
                    let token = token_of(&play.worker).unwrap_or_default().to_owned();
                    self.checked.entry(token).or_default()[0].insert(play.key);
                }
                Replayed::Ended(reason) => {
                    let text = format!("no answer of workers is checked by this machine: {reason}");
                    tracing::warn!("{text}");
                    self.noted.push(text);
                }
                Replayed::Differs(Dispute { task, play: Play { worker, key, .. } }) => {
                    let number = W::number(&task);
                    if self.quarantined.contains_key(&key) {
                        continue;
                    }
                    let text = format!(
                        "{worker} played other moves in pair {number} than this machine and others do: \
                         it is quarantined"
                    );
                    let (name, _) = name_and_key(&worker);
                    self.quarantine(&key, name, text);
                    if let Some(token) = token_of(&worker) {
                        self.note_proven(token, key);
                    }
                }
            }
        }
        self.end_if_quarantined()
    }

    fn quarantine(&mut self, key: &str, name: &str, text: String) {
        tracing::warn!("{text}");
        self.noted.push(text);
        if let Err(error) = quarantine::add(&self.link, key, name) {
            tracing::debug!("{error}");
        }
        self.quarantined.insert(key.to_owned(), name.to_owned());
    }

    /// Notes that a worker lied. Keys cost nothing: where more workers of a token lied than played what they
    /// said, and several did, all are out, unless it is the only token.
    fn note_proven(&mut self, token: &str, key: String) {
        let [agreed, proven] = self.checked.entry(token.to_owned()).or_default();
        proven.insert(key);
        let is_worse = proven.len() >= PROVEN_KEYS && proven.len() > agreed.len();
        let is_out = self.quarantined.contains_key(token);
        if !is_worse || is_out || !self.lanes.has_another(token) {
            return;
        }
        let text = format!(
            "workers of the token {token} under {} keys played other moves than this machine and others do: \
             all its workers are quarantined (`harness workers --release {token}`)",
            proven.len()
        );
        self.quarantine(token, "all workers of the token", text);
        if let Some(replays) = &mut self.replays {
            replays.forget(token);
        }
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
        let of_run: Vec<(String, String)> = self
            .quarantined
            .iter()
            .filter(|(key, _)| self.contributors.contains(*key))
            .map(|(key, name)| (key.clone(), name.clone()))
            .collect();
        let Some((key, name)) = of_run.first() else { return Ok(()) };
        // What the caller takes out now is done with.
        of_run.iter().for_each(|(key, _)| {
            self.contributors.remove(key);
        });
        if !W::IS_REVOCABLE {
            let names: Vec<&str> = of_run.iter().map(|(_, name)| name.as_str()).collect();
            tracing::warn!(
                "quarantined, and the results up to now stay in the file: {}",
                names.join(", ")
            );
            return Ok(());
        }
        let error = ClusterError::Quarantined { worker: format!("{name} {key}") };
        // Where its pairs are played again, their answers have the same subjects.
        for token in results::tokens(&self.link)? {
            results::remove(&self.link, &token, &subjects::results(&token, &self.run), None);
            self.lanes.lane(&token).kept.0 = 0;
        }
        Err(error.into())
    }
}
