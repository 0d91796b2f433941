//! The results of a run on the server: reading, checking and removing them.

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;

use super::ClusterError;
use super::link::Link;
use super::message::{Assignment, Outcome, PROTOCOL, Task, TaskResult};
use super::self_play;
use super::subjects::{self, RESULTS};
use harness_arena::{GameRecord, Leg, PairJob};

/// Results that wait for the coordinator; the others wait on the server.
const WAITING: usize = 4_000;

/// All results of a run, also those of an earlier process, in the order of their arrival.
pub struct Results {
    /// As they arrive.
    pub messages: Receiver<Message>,
    /// Reads them from the server.
    reader: JoinHandle<()>,
}

impl Drop for Results {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Results {
    /// Begins to read them.
    ///
    /// # Errors
    /// When the server does not have them.
    pub fn listen(link: &Link, run: &str) -> Result<Results, ClusterError> {
        let (sender, receiver) = channel(WAITING);
        let failed = |error: String| ClusterError::request("send results", error);
        let mut messages = link.wait(async {
            let stream = link.jetstream.get_stream(RESULTS).await;
            let stream = stream.map_err(|error| failed(error.to_string()))?;
            let config = pull::OrderedConfig {
                filter_subject: subjects::results(run),
                deliver_policy: DeliverPolicy::All,
                ..pull::OrderedConfig::default()
            };
            let consumer = stream.create_consumer(config).await;
            let consumer = consumer.map_err(|error| failed(error.to_string()))?;
            consumer.messages().await.map_err(|error| failed(error.to_string()))
        })?;
        let reader = link.spawn(async move {
            while let Some(message) = messages.next().await {
                match message {
                    Ok(message) => {
                        if sender.send(message).await.is_err() {
                            break;
                        }
                    }
                    Err(error) => tracing::debug!("results: {error}"),
                }
            }
        });
        Ok(Results { messages: receiver, reader })
    }
}

/// Removes results from the server, all or up to a number. Where it fails they are removed in time.
pub fn remove(link: &Link, subjects: &str, up_to: Option<u64>) {
    let purged = link.wait(async {
        let stream = link.jetstream.get_stream(RESULTS).await.map_err(|error| error.to_string())?;
        let purge = stream.purge().filter(subjects);
        let purged = match up_to {
            Some(last) => purge.sequence(last + 1).await,
            None => purge.await,
        };
        purged.map_err(|error| error.to_string())
    });
    if let Err(error) = purged {
        tracing::debug!("cannot remove results: {error}");
    }
}

/// Whether a result is that of an assignment.
pub fn fits(result: &TaskResult, assignment: &Assignment, run: &str) -> bool {
    let Assignment { attempt, task } = assignment;
    (result.protocol, result.run.as_str()) == (PROTOCOL, run)
        && (result.number, result.attempt) == (task.number(), *attempt)
        && match (task, &result.outcome) {
            (Task::Pair(job), Outcome::Games(games)) => are_games_of(games, job),
            (Task::Position { id, .. }, Outcome::Position(result)) => result.id == *id,
            (Task::Game(_), Outcome::Game(text)) => self_play::from_text(text).is_some(),
            (Task::Positions { positions, .. }, Outcome::Scores(scores)) => {
                let asked = positions.iter().map(|(key, _)| *key);
                let are_whole = scores.iter().all(|(_, one)| one.clone().answer().is_some());
                are_whole && asked.eq(scores.iter().map(|(key, _)| *key))
            }
            _ => false,
        }
}

/// Whether games are those that a job asks for.
fn are_games_of(games: &[GameRecord], job: &PairJob) -> bool {
    let legs: Vec<Leg> =
        Leg::BOTH.into_iter().filter(|leg| job.only.is_none_or(|only| only == *leg)).collect();
    let is_it = |(game, leg): (&GameRecord, &Leg)| {
        let [white, black] = match job.colours.first_is_white(*leg) {
            true => [0, 1],
            false => [1, 0],
        };
        let [white, black] = [white, black].map(|side: usize| job.sides[side].number);
        (game.pair, game.leg, game.white, game.black) == (job.pair, *leg, white, black)
    };
    games.len() == legs.len() && games.iter().zip(&legs).all(is_it)
}

/// Name and key of a result's worker, as the ledger has them.
pub fn worker_of(result: &TaskResult, key: &str) -> String {
    format!("{} {key}", result.worker.replace(char::is_whitespace, "_"))
}
