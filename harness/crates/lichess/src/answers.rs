//! Answers to challenges, sent by a thread of their own: a waiting answer blocks nothing else.

use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::thread;

use super::backoff::Backoff;
use super::challenges::Reason;
use super::client::{Body, CallError, Client};
use super::rate_limit::Priority;
use super::watcher::Cancel;

/// Most answers that wait. Further challenges are not answered: one of a game with a clock ends by
/// itself after 20 seconds.
const MAX_WAITING: usize = 20;

/// An answer that failed so often is not sent again.
const ATTEMPTS: u32 = 3;

/// An answer to send; without a reason the challenge is accepted.
pub type Answer = (String, Option<Reason>);

/// The outcome of an answer.
#[derive(Debug)]
pub struct Answered {
    /// The challenge.
    pub id: String,
    /// Whether it was to be accepted.
    pub accepts: bool,
    /// Why it failed; `None`: the server took it.
    pub error: Option<CallError>,
}

/// Starts the thread; it ends with its sender.
pub fn start<T: Send + 'static>(
    client: &Arc<Client>,
    cancel: &Cancel,
    sender: Sender<T>,
    wrap: impl Fn(Answered) -> T + Send + 'static,
) -> SyncSender<Answer> {
    let client = Arc::clone(client);
    let cancel = cancel.clone();
    let (answers, waiting) = sync_channel::<Answer>(MAX_WAITING);
    thread::spawn(move || {
        for (id, reason) in waiting {
            let error = send(&client, &cancel, &id, reason).err();
            if reason.is_none() && matches!(error, Some(CallError::Quota(_))) {
                decline(&client, &cancel, &id);
            }
            let answered = Answered { id, accepts: reason.is_none(), error };
            if sender.send(wrap(answered)).is_err() {
                return;
            }
        }
    });
    answers
}

/// Declines a challenge that the server did not let be accepted.
fn decline(client: &Client, cancel: &Cancel, id: &str) {
    if let Err(error) = send(client, cancel, id, Some(Reason::Later)) {
        tracing::warn!("challenge {id}: it is not declined: {error}");
    }
}

fn send(
    client: &Client,
    cancel: &Cancel,
    id: &str,
    reason: Option<Reason>,
) -> Result<(), CallError> {
    let action = if reason.is_none() { "accept" } else { "decline" };
    let path = format!("/api/challenge/{id}/{action}");
    let fields = reason.map(|reason| [("reason", reason.key())]);
    let mut backoff = Backoff::default();
    for attempt in 1.. {
        let body = fields.as_ref().map_or(Body::Empty, |fields| Body::Form(fields));
        match client.post(&path, body, Priority::Background, &|| !cancel.is_cancelled()) {
            // A quota that is used up is not waited for.
            Err(error @ CallError::Quota(_)) => return Err(error),
            Err(error) if error.may_pass() && attempt < ATTEMPTS => {
                tracing::debug!("challenge {id}: {action}: {error}");
                // After a 429 the queue of requests keeps the pause.
                if !matches!(error, CallError::Limited) {
                    cancel.sleep(backoff.pause());
                }
            }
            done => return done,
        }
    }
    Ok(())
}
