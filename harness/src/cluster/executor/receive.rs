//! Taking results, and what workers give back.

use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;

use super::{AGAIN, ClusterExecutor, TOGETHER, elsewhere};
use crate::arena::{GameRecord, Unplayed};
use crate::cluster::ClusterError;
use crate::cluster::keys::is_signed;
use crate::cluster::message::{Assignment, KEY, PairResult, Returned, SIGNATURE, WhyReturned};
use crate::cluster::quarantine;
use crate::cluster::results::{self, Results, fits, signed_by};
use crate::cluster::second_play::{Finding, SECOND};

/// Results that arrive within this time are kept together: the ledger is written to disk once.
const LINGER: Duration = Duration::from_millis(20);

impl ClusterExecutor {
    /// The games of results that arrived; waits a moment for the first.
    pub(super) fn receive(&mut self) -> Result<Vec<GameRecord>, Unplayed> {
        let mut games = Vec::new();
        let mut next = self.results.messages.recv_timeout(Duration::from_millis(100));
        let begun = Instant::now();
        for _ in 0..TOGETHER {
            match next {
                Ok(message) => games.extend(self.take(message)?),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    match Results::listen(&self.link, &self.run) {
                        Ok(results) => self.results = results,
                        Err(error) => {
                            tracing::debug!("{error}");
                            thread::sleep(AGAIN);
                        }
                    }
                    break;
                }
            }
            let linger = LINGER.saturating_sub(begun.elapsed());
            next = self.results.messages.recv_timeout(linger);
        }
        Ok(games)
    }

    /// The games of a message, if it is the result of a pair that is under way.
    pub(super) fn take(&mut self, message: Message) -> Result<Vec<GameRecord>, Unplayed> {
        if let Ok(info) = message.info() {
            self.kept.1 = self.kept.1.max(info.stream_sequence);
        }
        let headers = message.headers.as_ref();
        let header = |name| headers.and_then(|headers| headers.get(name)).map(|it| it.as_str());
        let key = header(KEY).unwrap_or("?").to_owned();
        let is_signed = is_signed(&key, &message.payload, header(SIGNATURE).unwrap_or_default());
        let mut parts = message.subject.as_str().rsplit('.');
        let (last, before) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if before == "returned" {
            results::remove(&self.link, message.subject.as_str(), None);
            if is_signed && let Ok(returned) = serde_json::from_slice(&message.payload) {
                self.take_back(&key, returned)?;
            }
            return Ok(Vec::new());
        }
        let (Ok(pair), Ok(attempt)) = (before.parse::<u64>(), last.parse::<u32>()) else {
            return Ok(Vec::new());
        };
        if attempt >= SECOND {
            self.compare(pair, attempt, &message.payload, &key, is_signed)?;
            return Ok(Vec::new());
        }
        let Some(assignment) = self.under_way.get(&pair).filter(|it| it.attempt == attempt) else {
            // Else of a pair that is kept already, or of an attempt that was refused.
            if pair >= self.next {
                self.early.insert((pair, attempt), message);
            }
            return Ok(Vec::new());
        };
        let result = serde_json::from_slice::<PairResult>(&message.payload);
        let result = result.ok().filter(|result| is_signed && fits(result, assignment, &self.run));
        let quarantined = self.quarantined.get(&key);
        let Some(result) = result.filter(|_| quarantined.is_none()) else {
            // Its subject is taken: the pair is played again under the next.
            match quarantined {
                None => {
                    tracing::warn!("a result of pair {pair} is forged or damaged; signed by {key}");
                }
                Some(name) => {
                    tracing::warn!("pair {pair} is played again: {name} is quarantined");
                    if let Err(error) = quarantine::add(&self.link, &key, name) {
                        tracing::debug!("{error}");
                    }
                }
            }
            let again = Assignment { attempt: attempt + 1, job: assignment.job.clone() };
            self.under_way.insert(pair, again.clone());
            return match self.early.remove(&(pair, attempt + 1)) {
                Some(message) => self.take(message),
                None => self.publish(vec![again]).map(|()| Vec::new()),
            };
        };
        let job = self.under_way.remove(&pair).map(|assignment| assignment.job);
        self.kept.0 += 1;
        self.played.0 += result.games.iter().map(|game| game.took).sum::<Duration>();
        self.played.1 += 1;
        let games = signed_by(result, &key);
        self.contributors.insert(key);
        if let Some(job) = job
            && self.presence.workers().len() > 1
            && let Some(second) = self.second_plays.first(job, self.shared.threads, &games)
        {
            self.publish(vec![second])?;
        }
        Ok(games)
    }

    /// Compares a second play of a pair with the first.
    fn compare(
        &mut self,
        pair: u64,
        attempt: u32,
        payload: &[u8],
        key: &str,
        is_signed: bool,
    ) -> Result<(), Unplayed> {
        let result = serde_json::from_slice::<PairResult>(payload);
        let Some(result) = result.ok().filter(|result| is_signed && result.run == self.run) else {
            return Ok(());
        };
        match self.second_plays.second(pair, attempt, &signed_by(result, key)) {
            Some(Finding::Again(again)) => self.publish(vec![*again])?,
            Some(Finding::Differ(one, other)) => tracing::warn!(
                "{one} and {other} played different moves in pair {pair}: one of them has another \
                 engine, or lies"
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
    pub(super) fn look_for_quarantine(&mut self) -> Result<(), Unplayed> {
        match quarantine::list(&self.link) {
            Ok(workers) => self.quarantined = workers,
            Err(error) => tracing::debug!("{error}"),
        }
        let mut workers = self.quarantined.iter();
        match workers.find(|(key, _)| self.contributors.contains(*key)) {
            Some((key, name)) => {
                Err(elsewhere(ClusterError::Quarantined { worker: format!("{name} {key}") }))
            }
            None => Ok(()),
        }
    }

    /// Gives out again what a worker gave back; an error if no worker can play it.
    fn take_back(&mut self, key: &str, returned: Returned) -> Result<(), Unplayed> {
        let Returned { worker, pairs, why, .. } = returned;
        let back = pairs.iter().filter_map(|pair| self.under_way.get(pair));
        let back: Vec<Assignment> = back.cloned().collect();
        match why {
            WhyReturned::CannotPlay(reason) => {
                if self.unable.insert(key.to_owned()) {
                    tracing::warn!("worker {worker} cannot play: {reason}");
                }
                let workers = self.presence.workers();
                if workers.iter().all(|worker| self.unable.contains(&worker.key)) {
                    return Err(elsewhere(ClusterError::CannotPlay { worker, reason }));
                }
                self.publish(back)
            }
            WhyReturned::Silent(count) => {
                let suspect = back.iter().map(|it| it.job.pair).find(|pair| {
                    // Alone in its batch.
                    !self.suspects.insert(*pair)
                });
                if let Some(pair) = suspect {
                    return Err(elsewhere(ClusterError::EndsWorkers { pair, count }));
                }
                back.into_iter().try_for_each(|alone| self.publish(vec![alone]))
            }
        }
    }
}
