//! Which workers are there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::ClusterError;
use super::link::Link;
use super::message::{MAX_STATUS_BYTES, Status};
use super::results::MAX_NAME;
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

/// Workers of a token that are known, at most.
const MAX_WORKERS: usize = 4_096;

/// The workers that are there, by token and public key; kept up to date in the background.
#[derive(Clone, Default)]
pub struct Presence {
    known: Arc<Mutex<Known>>,
}

/// Workers by token and key, and when they were heard of last.
type Known = BTreeMap<String, BTreeMap<String, (Status, Instant)>>;

/// The status of a message, if it is of the token and the key that its subject names; what it says is cut to
/// what can be shown.
fn read_status(subject: &str, payload: &[u8]) -> Option<Status> {
    let mut parts = subject.rsplit('.');
    let (key, token) = (parts.next()?, parts.next()?);
    if payload.len() > MAX_STATUS_BYTES {
        return None;
    }
    let status = serde_json::from_slice::<Status>(payload).ok();
    let mut status = status.filter(|status| status.key == key)?;
    status.token = token.to_owned();
    let is_control = |text: &str| text.chars().any(char::is_control);
    let texts = [&mut status.name, &mut status.sandbox, &mut status.state];
    let texts = texts.into_iter().chain(&mut status.runs);
    for text in texts {
        if is_control(text) || text.chars().nth(MAX_NAME).is_some() {
            *text = text.chars().filter(|it| !it.is_control()).take(MAX_NAME).collect();
        }
    }
    Some(status)
}

/// Forgets workers that were silent for too long.
fn forget(known: &mut Known) {
    for workers in known.values_mut() {
        workers.retain(|_, (_, heard)| heard.elapsed() < PRESENCE_TIMEOUT);
    }
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
                let Some(status) = read_status(&message.subject, &message.payload) else {
                    continue;
                };
                let mut known = lock(&known);
                let workers = known.entry(status.token.clone()).or_default();
                if workers.len() < MAX_WORKERS || workers.contains_key(&status.key) {
                    workers.insert(status.key.clone(), (status, Instant::now()));
                }
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

    /// Number of the workers that are there.
    pub fn count(&self) -> usize {
        let mut known = lock(&self.known);
        forget(&mut known);
        known.values().map(BTreeMap::len).sum()
    }

    /// The workers that are there, by name.
    pub fn workers(&self) -> Vec<Status> {
        let mut known = lock(&self.known);
        forget(&mut known);
        let all = known.values().flat_map(BTreeMap::values);
        let mut workers: Vec<Status> = all.map(|(status, _)| status.clone()).collect();
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
