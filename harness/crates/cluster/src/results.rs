//! The results of a run on the server: reading, checking and removing them.

use std::collections::BTreeMap;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use futures_util::StreamExt;
use harness_base::text::is_obeyed;
use harness_outcome::worker_text;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use super::ClusterError;
use super::link::Link;
use super::message::{MAX_NAME, TaskResult};
use super::subjects::{self, RESULTS_PREFIX};
use super::work::RemoteWork;

/// Results that wait for the coordinator; the others wait on the server.
const MAX_WAITING: usize = 4_000;

/// All results of a run, also those of an earlier process, in the order of their arrival.
pub struct Results {
    /// As they arrive.
    pub messages: Receiver<Message>,
    sender: Sender<Message>,
    run: String,
    /// Read them from the server, by token.
    readers: BTreeMap<String, JoinHandle<()>>,
}

impl Drop for Results {
    fn drop(&mut self) {
        self.readers.values().for_each(JoinHandle::abort);
    }
}

impl Results {
    /// Begins to read those of all tokens that have some.
    ///
    /// # Errors
    /// When the server does not have them.
    pub fn listen(link: &Link, run: &str) -> Result<Results, ClusterError> {
        let (sender, messages) = channel(MAX_WAITING);
        let (run, readers) = (run.to_owned(), BTreeMap::new());
        let mut results = Results { messages, sender, run, readers };
        for token in tokens(link)? {
            results.add(link, &token)?;
        }
        Ok(results)
    }

    /// Begins to read those of a token, unless they are read already.
    ///
    /// # Errors
    /// When the server does not have them.
    pub fn add(&mut self, link: &Link, token: &str) -> Result<(), ClusterError> {
        if self.readers.contains_key(token) {
            return Ok(());
        }
        let failed = |error: String| ClusterError::request("send results", error);
        let mut messages = link.wait(async {
            let stream = link.jetstream.get_stream(subjects::results_stream(token)).await;
            let stream = stream.map_err(|error| failed(error.to_string()))?;
            let config = pull::OrderedConfig {
                filter_subject: subjects::results(token, &self.run),
                deliver_policy: DeliverPolicy::All,
                ..pull::OrderedConfig::default()
            };
            let consumer = stream.create_consumer(config).await;
            let consumer = consumer.map_err(|error| failed(error.to_string()))?;
            consumer.messages().await.map_err(|error| failed(error.to_string()))
        })?;
        let sender = self.sender.clone();
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
        self.readers.insert(token.to_owned(), reader);
        Ok(())
    }

    /// Whether a reader has ended, as it does when its stream is gone.
    pub fn is_broken(&self) -> bool {
        self.readers.values().any(JoinHandle::is_finished)
    }
}

/// The tokens that have results on the server, or had some.
///
/// # Errors
/// When the server cannot be asked.
pub fn tokens(link: &Link) -> Result<Vec<String>, ClusterError> {
    link.wait(async {
        let mut names = link.jetstream.stream_names();
        let mut tokens = Vec::new();
        while let Some(name) = names.next().await {
            let name = name.map_err(|error| ClusterError::request("list its streams", error))?;
            tokens.extend(name.strip_prefix(RESULTS_PREFIX).map(str::to_owned));
        }
        Ok(tokens)
    })
}

/// Removes results of the workers of a token from the server, all of a subject or up to a number. Where it
/// fails they are removed in time.
pub fn remove(link: &Link, token: &str, of: &str, up_to: Option<u64>) {
    let purged = link.wait(async {
        let stream = link.jetstream.get_stream(subjects::results_stream(token)).await;
        let purge = stream.map_err(|error| error.to_string())?.purge().filter(of);
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

/// A result's worker, as the ledger has it.
pub fn worker_of<W: RemoteWork>(result: &TaskResult<W>, token: &str, key: &str) -> String {
    worker_text(&plain_name(&result.worker), token, key)
}

/// The name that a worker gives itself, as one word of bounded length.
pub fn plain_name(name: &str) -> String {
    let is_plain = |letter: char| letter != '@' && !letter.is_whitespace() && !is_obeyed(letter);
    let letters = name.chars().take(MAX_NAME);
    let name: String = letters.map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    if name.is_empty() { "?".to_owned() } else { name }
}
