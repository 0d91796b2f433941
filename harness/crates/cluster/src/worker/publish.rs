//! Publishing results, signed, in the background; waiting until the server has them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use serde::Serialize;
use tokio::task::JoinSet;

use crate::keys::WorkerKey;
use crate::link::Link;
use crate::message::pack;

/// Wait after a publish that failed.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// How often it is looked whether the worker ends.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Results on their way.
pub struct Outbox<'a> {
    link: &'a Link,
    key: &'a WorkerKey,
    tasks: JoinSet<()>,
    /// The worker ends: what the server does not take now is given up.
    hurry: Arc<AtomicBool>,
}

impl<'a> Outbox<'a> {
    /// An empty one.
    pub fn new(link: &'a Link, key: &'a WorkerKey) -> Outbox<'a> {
        Outbox { link, key, tasks: JoinSet::new(), hurry: Arc::default() }
    }

    /// Publishes a message; tries again until the server has it, or has another one of its subject.
    pub fn send(&mut self, subject: String, message: &impl Serialize) {
        let text = pack(message);
        let headers = self.key.headers(&text);
        let jetstream = self.link.jetstream.clone();
        let hurry = Arc::clone(&self.hurry);
        let text = PublishMessage::build().payload(text.into()).headers(headers);
        let task = async move {
            loop {
                let sent = match jetstream.send_publish(subject.clone(), text.clone()).await {
                    Ok(answer) => answer.await.map(drop),
                    Err(error) => Err(error),
                };
                let Err(error) = sent else { break };
                if is_duplicate(&error) || hurry.load(Ordering::Relaxed) {
                    break;
                }
                tracing::debug!("cannot publish a result: {error}; trying again");
                tokio::time::sleep(RETRY_DELAY).await;
            }
        };
        // A `JoinSet` spawns on the runtime that it is used in.
        self.link.wait(async { self.tasks.spawn(task) });
    }

    /// Waits until the server has all messages, or the worker is to end and one more try failed.
    pub fn flush(&mut self, is_over: &dyn Fn() -> bool) {
        while !self.tasks.is_empty() {
            self.hurry.store(is_over(), Ordering::Relaxed);
            let _ = self.link.wait_for(POLL_INTERVAL, self.tasks.join_next());
        }
    }
}

/// Whether the server has a message of that subject already.
fn is_duplicate(error: &async_nats::jetstream::context::PublishError) -> bool {
    error.kind() == PublishErrorKind::Other && error.to_string().contains("per subject")
}
