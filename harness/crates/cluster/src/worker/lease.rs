//! Batches that this worker holds: taking, holding and ending them.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use async_nats::RequestErrorKind;
use async_nats::jetstream::{AckKind, Message};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

use super::state::Worker;
use crate::ClusterError;
use crate::link::Link;
use crate::message::{Batch, PROTOCOL, unpack_batch};
use crate::work::{RemoteWork, Visitor, try_each};

/// Wait of one pull for a batch.
const PULL_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the server may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Wait after a pull that failed.
const RETRY_DELAY: Duration = Duration::from_millis(300);

/// Answer of the server to the question for a consumer: the part of it that matters.
#[derive(Deserialize)]
struct ConsumerInfo {
    config: Option<ConsumerConfig>,
}

#[derive(Deserialize)]
struct ConsumerConfig {
    /// In nanoseconds.
    ack_wait: u64,
}

/// How long a batch is held without a sign of life, as the server has it for the workers of this token;
/// `None` while it has no jobs of this version of the harness for them: no coordinator was there yet.
///
/// # Errors
/// When the server does not let this worker ask.
pub fn lease_time(link: &Link) -> Result<Option<Duration>, ClusterError> {
    let subject = link.requests().lease(link.token_name());
    let answer = link.wait_for(ANSWER_TIMEOUT, link.client.request(subject, "".into()));
    match answer {
        Some(Ok(answer)) => {
            let info: Option<ConsumerInfo> = serde_json::from_slice(&answer.payload).ok();
            let config = info.and_then(|info| info.config);
            Ok(config.map(|config| Duration::from_nanos(config.ack_wait)))
        }
        Some(Err(error)) if error.kind() == RequestErrorKind::NoResponders => Ok(None),
        Some(Err(error)) => Err(ClusterError::request("give out jobs", error)),
        None => Ok(None),
    }
}

/// A batch that this worker holds.
pub(super) struct Lease<B> {
    pub batch: B,
    pub message: Arc<Message>,
    /// How often the batch was given out, this time included.
    pub deliveries: i64,
}

/// A question for a batch.
#[derive(Serialize)]
struct PullRequest {
    batch: u32,
    /// In nanoseconds.
    expires: u64,
}

/// A batch of a kind of work that is not known yet.
pub(super) type AnyBatch = Box<dyn Any + Send>;

impl Lease<AnyBatch> {
    /// As a batch of this kind of work; the same if it is another kind.
    pub fn of_kind<W: RemoteWork>(self) -> Result<Lease<Batch<W>>, Lease<AnyBatch>> {
        let Lease { batch, message, deliveries } = self;
        match batch.downcast() {
            Ok(batch) => Ok(Lease { batch: *batch, message, deliveries }),
            Err(batch) => Err(Lease { batch, message, deliveries }),
        }
    }
}

/// Reads a batch of any kind.
struct ReadBatch<'a>(&'a [u8]);

impl Visitor for ReadBatch<'_> {
    type Output = AnyBatch;

    fn visit<W: RemoteWork>(&mut self) -> Option<AnyBatch> {
        let batch: Batch<W> = serde_json::from_slice(self.0).ok()?;
        (batch.protocol == PROTOCOL).then(|| Box::new(batch) as AnyBatch)
    }
}

impl Worker<'_> {
    /// The next batch; `None` if there was none for a while.
    pub fn pull(&self) -> Option<Lease<AnyBatch>> {
        let message = self.link.wait(async {
            tokio::select! {
                message = self.request() => message,
                () = self.wake.notified() => Ok(None),
                () = self.link.reconnected.notified() => Ok(None),
            }
        });
        let message = match message {
            Ok(message) => Arc::new(message?),
            Err(reason) => {
                tracing::debug!("no jobs: {reason}");
                std::thread::sleep(RETRY_DELAY);
                return None;
            }
        };
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let text = unpack_batch(&message.payload).unwrap_or_default();
        let batch = try_each(&mut ReadBatch(&text));
        if batch.is_none() {
            self.hand_back_unread(&message, deliveries);
        }
        batch.map(|batch| Lease { batch, message, deliveries })
    }

    /// Asks the server for a batch.
    async fn request(&self) -> Result<Option<Message>, String> {
        let request = PullRequest { batch: 1, expires: PULL_TIMEOUT.as_nanos() as u64 };
        let text = serde_json::to_vec(&request).expect("a request is plain data");
        // A job comes under its own subject, and so needs an inbox of its own. The server says first when
        // the time is over.
        let request = async_nats::Request::new()
            .inbox(self.link.client.new_inbox())
            .payload(text.into())
            .timeout(Some(PULL_TIMEOUT + ANSWER_TIMEOUT));
        let subject = self.link.requests().pull(self.link.token_name());
        let answer = self.link.client.send_request(subject, request).await;
        let answer = answer.map_err(|error| error.to_string())?;
        // Without a job the answer is a status; a job can be acknowledged.
        let is_job = answer.status.is_none() && answer.reply.is_some();
        let context = self.link.jetstream.clone();
        Ok(is_job.then_some(Message { message: answer, context }))
    }

    /// Leaves a batch to others that cannot be read, and waits; the second one that cannot read it takes it
    /// off the queue.
    fn hand_back_unread(&self, message: &Message, deliveries: i64) {
        tracing::warn!("a job cannot be read: is its coordinator another build of the harness?");
        let kind = match deliveries > 1 {
            true => AckKind::Term,
            false => AckKind::Nak(Some(self.pause())),
        };
        self.acknowledge(message, kind);
    }

    /// As [`pull`](Self::pull), again and again until there is one or `over`, or this worker has to wait.
    pub fn next(&self, over: &dyn Fn() -> bool) -> Option<Lease<AnyBatch>> {
        while !over() && !self.has_to_wait() {
            if let Some(next) = self.pull() {
                return Some(next);
            }
        }
        None
    }

    /// Ends the lease of a batch.
    pub fn acknowledge(&self, message: &Message, kind: AckKind) {
        if let Err(error) = self.link.wait(message.ack_with(kind)) {
            tracing::debug!("cannot acknowledge a batch: {error}");
        }
    }

    /// Keeps the lease of a batch until it is aborted.
    pub fn hold(&self, message: &Arc<Message>, lease: Duration) -> JoinHandle<()> {
        let message = Arc::clone(message);
        self.link.spawn(async move {
            loop {
                tokio::time::sleep(lease / 3).await;
                if let Err(error) = message.ack_with(AckKind::Progress).await {
                    tracing::debug!("cannot hold a batch: {error}");
                }
            }
        })
    }
}
