//! Plays of one task that are compared: by this machine, and by other workers; and workers that are out.

use async_nats::jetstream::Message;
use harness_outcome::name_and_key;

use super::receive::Place;
use super::replays::Replayed;
use super::{Coordinator, Unfinished};
use crate::ClusterError;
use crate::message::Assignment;
use crate::quarantine;
use crate::results::worker_of;
use crate::second_play::{Finding, Play};
use crate::work::RemoteWork;

impl<W: RemoteWork> Coordinator<W> {
    /// Has a play of a task that repeats compared with others: some by this machine, the first of each worker
    /// among them, and some by other workers.
    pub(super) fn check_play(
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
                Replayed::Agrees => {}
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
                    let (name, _) = name_and_key(&worker);
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
}
