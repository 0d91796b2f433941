//! The events that wait for a hook.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use super::Notice;
use crate::config::HookEvent;
use crate::sync::{lock, unpoisoned};

/// Most events that wait for a hook.
const MAX_WAITING: usize = 256;

/// A bounded queue. Progress that waits is replaced by newer progress of the same run, as nothing is
/// lost by it; beyond the bound the oldest event goes, and is counted.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Notice>,
    dropped: u64,
    /// Nothing is added any more, and nothing is delivered after this moment.
    deadline: Option<Instant>,
}

impl Queue {
    pub fn push(&self, notice: Notice) {
        let mut state = lock(&self.state);
        let is_replaced = notice.event == HookEvent::Progress
            && state
                .waiting
                .back()
                .is_some_and(|last| last.event == notice.event && last.run == notice.run);
        if is_replaced {
            state.waiting.pop_back();
        } else if state.waiting.len() >= MAX_WAITING {
            state.waiting.pop_front();
            state.dropped += 1;
        }
        state.waiting.push_back(notice);
        self.changed.notify_one();
    }

    /// The next event; waits for it. `None` once there are no more.
    pub fn next(&self) -> Option<Notice> {
        let mut state = lock(&self.state);
        loop {
            if state.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                state.dropped += state.waiting.len() as u64;
                state.waiting.clear();
            }
            match state.waiting.pop_front() {
                None if state.deadline.is_none() => {
                    state = unpoisoned(self.changed.wait(state));
                }
                next => return next,
            }
        }
    }

    /// Nothing is added any more; what is delivered has this time.
    pub fn close(&self, patience: Duration) {
        lock(&self.state).deadline = Some(Instant::now() + patience);
        self.changed.notify_one();
    }

    /// The moment after which nothing is delivered, once it is closed.
    pub fn deadline(&self) -> Option<Instant> {
        lock(&self.state).deadline
    }

    /// Events that were not delivered.
    pub fn dropped(&self) -> u64 {
        lock(&self.state).dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(event: HookEvent, run: &str, line: &str) -> Notice {
        Notice { event, run: run.to_owned(), line: line.to_owned() }
    }

    fn drain(queue: &Queue) -> Vec<String> {
        queue.close(Duration::from_secs(60));
        std::iter::from_fn(|| queue.next()).map(|notice| notice.line).collect()
    }

    #[test]
    fn order_is_kept_and_waiting_progress_is_replaced_by_newer() {
        use HookEvent::{Finished, Progress, Started};
        let queue = Queue::default();
        for (event, run, line) in [
            (Started, "a", "1"),
            (Progress, "a", "2"),
            (Progress, "a", "3"),
            (Progress, "b", "4"),
            (Finished, "a", "5"),
            (Progress, "b", "6"),
        ] {
            queue.push(notice(event, run, line));
        }
        assert_eq!(drain(&queue), ["1", "3", "4", "5", "6"]);
        assert_eq!(queue.dropped(), 0);
    }

    #[test]
    fn a_full_queue_loses_its_oldest_and_counts_them() {
        let queue = Queue::default();
        for number in 0..MAX_WAITING + 3 {
            queue.push(notice(HookEvent::Finished, "a", &number.to_string()));
        }
        let left = drain(&queue);
        assert_eq!((left.len(), left[0].as_str(), queue.dropped()), (MAX_WAITING, "3", 3));
    }

    #[test]
    fn nothing_is_delivered_after_the_deadline() {
        let queue = Queue::default();
        queue.push(notice(HookEvent::Finished, "a", "1"));
        queue.close(Duration::ZERO);
        assert_eq!(queue.next(), None);
        assert_eq!(queue.dropped(), 1);
    }
}
