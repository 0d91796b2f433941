//! The results of a run on the server: reading, checking and removing them.

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt;
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;

use super::ClusterError;
use super::link::Link;
use super::message::{Assignment, PROTOCOL, TaskResult};
use super::subjects::{self, RESULTS};
use super::work::RemoteWork;

/// Results that wait for the coordinator; the others wait on the server.
const MAX_WAITING: usize = 4_000;

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
        let (sender, receiver) = channel(MAX_WAITING);
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

/// Whether a result is that of an assignment. All that is known of a result is checked here, and by
/// [`RemoteWork::verify`], before it counts.
pub fn fits<W: RemoteWork>(
    result: &TaskResult<W>,
    assignment: &Assignment<W>,
    (run, rules): (&str, &W),
) -> bool {
    (result.protocol, result.run.as_str()) == (PROTOCOL, run)
        && (result.number, result.attempt) == (assignment.number(), assignment.attempt)
        && rules.verify(&assignment.task, &result.outcome)
}

/// Name and key of a result's worker, as the ledger has them.
pub fn worker_of<W: RemoteWork>(result: &TaskResult<W>, key: &str) -> String {
    format!("{} {key}", result.worker.replace(char::is_whitespace, "_"))
}
