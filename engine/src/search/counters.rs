//! Counters that the threads of a search share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Node counts of all threads, and the signal that ends the helpers.
pub(super) struct SharedCounters {
    nodes: Vec<NodeCounter>,
    /// The main thread has finished.
    pub finished: AtomicBool,
}

/// Nodes of one thread as last published, on a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct NodeCounter(AtomicU64);

impl SharedCounters {
    pub fn new(threads: usize) -> SharedCounters {
        let mut nodes = Vec::new();
        nodes.resize_with(threads, NodeCounter::default);
        SharedCounters { nodes, finished: AtomicBool::new(false) }
    }

    /// Nodes of one thread.
    pub fn nodes(&self, thread: usize) -> u64 {
        self.nodes[thread].0.load(Relaxed)
    }

    /// The counters as one thread uses them.
    pub fn of_thread(&self, thread: usize) -> ThreadCounter<'_> {
        ThreadCounter { shared: self, thread }
    }
}

/// The counter of one thread among those of all.
#[derive(Clone, Copy)]
pub(super) struct ThreadCounter<'a> {
    shared: &'a SharedCounters,
    thread: usize,
}

impl<'a> ThreadCounter<'a> {
    /// Publishes the nodes of this thread.
    pub fn publish(self, nodes: u64) {
        self.shared.nodes[self.thread].0.store(nodes, Relaxed);
    }

    /// Published nodes of all threads.
    pub fn total(self) -> u64 {
        self.shared.nodes.iter().map(|counter| counter.0.load(Relaxed)).sum()
    }

    /// This thread's share of a node limit. Equal shares keep the limit exactly without reading the
    /// other counters at every node; the main thread gets the remainder.
    pub fn share(self, nodes: u64) -> u64 {
        let threads = self.shared.nodes.len() as u64;
        nodes / threads + if self.thread == 0 { nodes % threads } else { 0 }
    }

    /// Set when the main thread has finished.
    pub fn finished(self) -> &'a AtomicBool {
        &self.shared.finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_nodes_add_up() {
        for (threads, nodes) in [(1, 7), (3, 1), (3, 1000), (256, 1023)] {
            let counters = SharedCounters::new(threads);
            let shares = (0..threads).map(|thread| counters.of_thread(thread).share(nodes));
            assert_eq!(shares.sum::<u64>(), nodes);
            assert!(counters.of_thread(0).share(nodes) > 0);
        }
    }
}
