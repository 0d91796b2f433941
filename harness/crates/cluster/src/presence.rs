//! Which workers are there.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::Message;
use futures_util::StreamExt;

use super::ClusterError;
use super::keys::{Keyring, claimed};
use super::link::Link;
use super::message::{MAX_STATUS_BYTES, Status};
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

/// Statuses of a token that are read in a second, at most: when all its workers answer a ping. A signature
/// takes a twentieth of a millisecond to check.
const MAX_A_SECOND: u32 = 4_096;

/// The workers that are there, by token and public key; kept up to date in the background.
#[derive(Clone, Default)]
pub struct Presence {
    known: Arc<Mutex<Known>>,
}

/// A worker that was heard of.
struct Heard {
    status: Status,
    /// When it was last.
    at: Instant,
    /// The mark of its message.
    mark: u64,
}

/// Workers by token and key.
type Known = BTreeMap<String, BTreeMap<String, Heard>>;

/// Reads statuses; counts those that were read of each token.
struct Reader {
    keys: Keyring,
    /// Makes marks that senders cannot choose.
    marks: RandomState,
    /// By token: since when, and how many.
    counts: BTreeMap<String, (Instant, u32)>,
}

impl Reader {
    fn new() -> Reader {
        Reader { keys: Keyring::default(), marks: RandomState::new(), counts: BTreeMap::new() }
    }

    /// A number by which a message is known again.
    fn mark(&self, message: &Message) -> u64 {
        self.marks.hash_one((message.subject.as_str(), &message.payload[..]))
    }

    /// The status of a message, if it is of the token and the key that its subject names, and signed with
    /// this key; what it says is cut to what a worker can have.
    fn read(&mut self, message: &Message) -> Option<Status> {
        let mut parts = message.subject.rsplit('.');
        let (key, token) = (parts.next()?, parts.next()?);
        if message.payload.len() > MAX_STATUS_BYTES || self.is_too_many(token) {
            return None;
        }
        let (claimed, signature) = claimed(message.headers.as_ref());
        if claimed != key || !self.keys.is_signed(key, &message.payload, signature) {
            return None;
        }
        let status = serde_json::from_slice::<Status>(&message.payload).ok();
        let mut status = status.filter(|it| it.key == key && it.token == token)?;
        status.bound();
        Some(status)
    }

    /// Counts a status of a token: whether its workers sent more in this second than can be checked.
    fn is_too_many(&mut self, token: &str) -> bool {
        let now = Instant::now();
        let (since, count) = self.counts.entry(token.to_owned()).or_insert((now, 0));
        if since.elapsed() > Duration::from_secs(1) {
            (*since, *count) = (now, 0);
        }
        *count = count.saturating_add(1);
        *count > MAX_A_SECOND
    }
}

/// Forgets workers that were silent for too long.
fn forget(known: &mut Known) {
    for workers in known.values_mut() {
        workers.retain(|_, heard| heard.at.elapsed() < PRESENCE_TIMEOUT);
    }
}

/// Notes that a worker says what it has said before; `false` if it says something else.
fn hear_again(known: &mut Known, subject: &str, mark: u64) -> bool {
    let mut parts = subject.rsplit('.');
    let (Some(key), Some(token)) = (parts.next(), parts.next()) else { return false };
    let heard = known.get_mut(token).and_then(|workers| workers.get_mut(key));
    let Some(heard) = heard.filter(|heard| heard.mark == mark) else { return false };
    heard.at = Instant::now();
    true
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
            let mut reader = Reader::new();
            while let Some(message) = messages.next().await {
                let mark = reader.mark(&message);
                // What says the same as before was checked then.
                if hear_again(&mut lock(&known), &message.subject, mark) {
                    continue;
                }
                let Some(status) = reader.read(&message) else { continue };
                let mut known = lock(&known);
                let workers = known.entry(status.token.clone()).or_default();
                if workers.len() < MAX_WORKERS || workers.contains_key(&status.key) {
                    let heard = Heard { status, at: Instant::now(), mark };
                    workers.insert(heard.status.key.clone(), heard);
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
        let mut workers: Vec<Status> = all.map(|heard| heard.status.clone()).collect();
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
