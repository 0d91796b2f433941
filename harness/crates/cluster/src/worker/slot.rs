//! One core of a worker: pulls batches and has them done, a run after the other.

use std::time::Duration;

use async_nats::jetstream::AckKind;

use super::batches::Core;
use super::lease::{AnyBatch, Lease};
use super::state::Worker;
use crate::work::{RemoteWork, Visitor, try_each};

/// How often it is looked whether a wait is over.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Does the batches of a run whose kind of work is not known yet.
struct DoRun<'a> {
    core: Core<'a>,
    /// The first batch; taken by the kind that knows it.
    first: Option<Lease<AnyBatch>>,
}

impl Visitor for DoRun<'_> {
    type Output = Option<Lease<AnyBatch>>;

    fn visit<W: RemoteWork>(&mut self) -> Option<Self::Output> {
        match self.first.take()?.of_kind::<W>() {
            Ok(first) => Some(self.core.do_run(first)),
            Err(other) => {
                self.first = Some(other);
                None
            }
        }
    }
}

impl Worker<'_> {
    /// Plays batches until the worker ends, or leaves.
    pub(super) fn slot(&self, number: usize, lease: Duration) {
        let mut held: Option<Lease<AnyBatch>> = None;
        while !self.interrupt.is_set() && !self.duty.is_draining() {
            if held.is_none() && self.has_to_wait() {
                std::thread::sleep(POLL_INTERVAL);
                continue;
            }
            let first = held.take().or_else(|| self.pull());
            if first.is_none() {
                continue;
            }
            let core = Core { worker: self, number, lease };
            held = try_each(&mut DoRun { core, first }).flatten();
        }
        if let Some(Lease { message, .. }) = held {
            self.acknowledge(&message, AckKind::Nak(None));
        }
    }
}
