//! Which workers are there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::ClusterError;
use super::link::Link;
use super::message::Status;
use super::subjects::{ALL_STATUS, PING};
use harness_base::sync::lock;

/// A worker sends its status this often.
pub const STATUS_INTERVAL: Duration = Duration::from_secs(5);

/// A worker that was silent for this long is gone.
const PRESENCE_TIMEOUT: Duration = Duration::from_secs(16);

/// How long the server may take to pass a ping on.
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// How long answers to a ping are awaited at most.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(5);

/// How long the next answer to a ping is awaited.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(700);

/// The workers that are there, by public key; kept up to date in the background.
#[derive(Clone, Default)]
pub struct Presence {
    known: Arc<Mutex<BTreeMap<String, (Status, Instant)>>>,
}

impl Presence {
    /// Begins to listen, and asks all workers for their status.
    ///
    /// # Errors
    /// When the server does not let this process listen.
    pub fn listen(link: &Link) -> Result<Presence, ClusterError> {
        let presence = Presence::default();
        let failed = |error: String| ClusterError::request("tell of its workers", error);
        let mut messages = link
            .wait(link.client.subscribe(ALL_STATUS))
            .map_err(|error| failed(error.to_string()))?;
        let known = Arc::clone(&presence.known);
        link.spawn(async move {
            while let Some(message) = messages.next().await {
                let Ok(status) = serde_json::from_slice::<Status>(&message.payload) else {
                    continue;
                };
                let mut known = lock(&known);
                known.insert(status.key.clone(), (status, Instant::now()));
            }
        });
        presence.ask(link)?;
        Ok(presence)
    }

    /// Asks all workers for their status, which arrive in the background.
    ///
    /// # Errors
    /// When the connection is gone for good.
    pub fn ask(&self, link: &Link) -> Result<(), ClusterError> {
        let asked = link.wait_for(PING_TIMEOUT, async {
            link.client.publish(PING, "".into()).await.map_err(|error| error.to_string())?;
            link.client.flush().await.map_err(|error| error.to_string())
        });
        let asked = asked.unwrap_or_else(|| Err("it does not answer".to_owned()));
        asked.map_err(|error| ClusterError::request("ask its workers", error))
    }

    /// Number of the workers that are there, and of their cores.
    pub fn count(&self) -> (usize, usize) {
        let mut known = lock(&self.known);
        known.retain(|_, (_, heard)| heard.elapsed() < PRESENCE_TIMEOUT);
        (known.len(), known.values().map(|(status, _)| status.cores).sum())
    }

    /// The workers that are there, by name.
    pub fn workers(&self) -> Vec<Status> {
        let mut known = lock(&self.known);
        known.retain(|_, (_, heard)| heard.elapsed() < PRESENCE_TIMEOUT);
        let mut workers: Vec<Status> = known.values().map(|(status, _)| status.clone()).collect();
        workers.sort_by(|a, b| (&a.name, &a.key).cmp(&(&b.name, &b.key)));
        workers
    }

    /// As [`workers`](Self::workers), after the time that answers take: until no further one has
    /// come for a while.
    pub fn answered(&self) -> Vec<Status> {
        let begun = Instant::now();
        let mut workers = Vec::new();
        loop {
            thread::sleep(ANSWER_TIMEOUT);
            let before = std::mem::replace(&mut workers, self.workers()).len();
            if workers.len() == before || begun.elapsed() > MAX_ANSWER_TIME {
                return workers;
            }
        }
    }
}
