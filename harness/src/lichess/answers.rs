//! Answers to challenges, sent by a thread of their own: one that waits holds nothing else up.

use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::backoff::Backoff;
use super::challenges::Reason;
use super::client::{Body, CallError, Client};
use super::gate::Urgency;
use super::watcher::Wanted;

/// Answers that may wait. Of a greater storm the rest is not answered: a challenge of a game with a
/// clock ends by itself after 20 seconds.
const MOST_WAITING: usize = 20;

/// An answer that failed so often is left.
const ATTEMPTS: u32 = 3;

/// An answer to send; without a reason the challenge is accepted.
pub type Answer = (String, Option<Reason>);

/// What came of an answer.
#[derive(Debug)]
pub struct Answered {
    /// The challenge.
    pub id: String,
    /// Whether it was to be accepted.
    pub accepts: bool,
    /// Why it was not taken.
    pub error: Option<CallError>,
}

/// Starts the thread; it ends with its sender.
pub fn start<T: Send + 'static>(
    client: &Arc<Client>,
    wanted: &Wanted,
    sender: Sender<T>,
    wrap: impl Fn(Answered) -> T + Send + 'static,
) -> SyncSender<Answer> {
    let (client, wanted) = (Arc::clone(client), wanted.clone());
    let (answers, waiting) = sync_channel::<Answer>(MOST_WAITING);
    thread::spawn(move || {
        for (id, reason) in waiting {
            let error = send(&client, &wanted, &id, reason).err();
            let answered = Answered { id, accepts: reason.is_none(), error };
            if sender.send(wrap(answered)).is_err() {
                return;
            }
        }
    });
    answers
}

fn send(
    client: &Client,
    wanted: &Wanted,
    id: &str,
    reason: Option<Reason>,
) -> Result<(), CallError> {
    let action = if reason.is_none() { "accept" } else { "decline" };
    let path = format!("/api/challenge/{id}/{action}");
    let fields = reason.map(|reason| [("reason", reason.key())]);
    let mut backoff = Backoff::default();
    for attempt in 1.. {
        let body = fields.as_ref().map_or(Body::Empty, |fields| Body::Form(fields));
        match client.post(&path, body, Urgency::Later, &|| wanted.is_so()) {
            // Games between bots are limited by the day: that one is not asked for again.
            Err(error @ CallError::Limited(Some(_))) => return Err(error),
            Err(error) if error.may_pass() && attempt < ATTEMPTS => {
                tracing::debug!("challenge {id}: {action}: {error}");
                let limited = matches!(error, CallError::Limited(_));
                wanted.sleep(if limited { Duration::ZERO } else { backoff.pause() });
            }
            done => return done,
        }
    }
    Ok(())
}
