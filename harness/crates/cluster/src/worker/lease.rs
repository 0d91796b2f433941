//! Batches that this worker holds: taking, holding and ending them.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use tokio::task::JoinHandle;

use super::state::Worker;
use crate::ClusterError;
use crate::link::Link;
use crate::message::{Batch, PROTOCOL, unpack_text};
use crate::subjects::{JOBS, WORKERS};
use crate::work::{RemoteWork, Visitor, try_each};

/// Wait of one pull for a batch.
const PULL_TIMEOUT: Duration = Duration::from_secs(30);

/// Wait after a pull that failed.
const RETRY_DELAY: Duration = Duration::from_millis(300);

/// The consumer of jobs that all workers share.
///
/// # Errors
/// When the server does not have it: no coordinator was there yet, and it is no `harness serve`.
pub fn consumer(link: &Link) -> Result<Consumer<pull::Config>, ClusterError> {
    let consumer = link.jetstream.get_consumer_from_stream(WORKERS, JOBS);
    link.wait(consumer).map_err(|error| ClusterError::request("give out jobs", error))
}

/// A batch that this worker holds.
pub(super) struct Lease<B> {
    pub batch: B,
    pub message: Arc<Message>,
    /// How often the batch was given out, this time included.
    pub deliveries: i64,
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
    pub fn pull(
        &self,
        consumer: &Consumer<pull::Config>,
    ) -> Result<Option<Lease<AnyBatch>>, ClusterError> {
        let message = self.link.wait(async {
            let pulled = async {
                let batch = consumer.batch().max_messages(1).expires(PULL_TIMEOUT).messages();
                let mut messages = batch.await.map_err(|error| error.to_string())?;
                messages.next().await.transpose().map_err(|error| error.to_string())
            };
            tokio::select! {
                message = pulled => message,
                () = self.wake.notified() => Ok(None),
                () = self.link.reconnected.notified() => Ok(None),
            }
        });
        let message = match message {
            Ok(Some(message)) => Arc::new(message),
            Ok(None) => return Ok(None),
            Err(reason) => {
                tracing::debug!("no jobs: {reason}");
                std::thread::sleep(RETRY_DELAY);
                return Ok(None);
            }
        };
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let text = unpack_text(&message.payload).unwrap_or_default();
        match try_each(&mut ReadBatch(&text)) {
            Some(batch) => Ok(Some(Lease { batch, message, deliveries })),
            None => {
                self.acknowledge(&message, AckKind::Nak(None));
                Err(ClusterError::OtherVersion)
            }
        }
    }

    /// As [`pull`](Self::pull), again and again until there is one or `over`.
    pub fn next(
        &self,
        consumer: &Consumer<pull::Config>,
        over: &dyn Fn() -> bool,
    ) -> Result<Option<Lease<AnyBatch>>, ClusterError> {
        while !over() {
            if let Some(next) = self.pull(consumer)? {
                return Ok(Some(next));
            }
        }
        Ok(None)
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
