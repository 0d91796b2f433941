//! A queue of requests: one at a time, and none during a pause that the server asks for.
//!
//! Both are rules of the interface (<https://lichess.org/api#description/rate-limiting>). Moves go
//! before background requests, and those keep a distance from each other: many challenges at once
//! cost a game no time.

use harness_base::sync::{lock, unpoisoned};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Shortest time between two background requests.
const DISTANCE: Duration = Duration::from_millis(100);

/// How often a waiting request looks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The order of waiting requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// A move, or what it waits for: a clock runs.
    Move,
    /// It can wait.
    Background,
}

/// Admits requests one by one.
#[derive(Debug, Default)]
pub struct RequestQueue {
    state: Mutex<State>,
    changed: Condvar,
    /// The end of the pause. It has a lock of its own: a waiting request may look at it.
    paused_until: Mutex<Option<Instant>>,
}

#[derive(Debug, Default)]
struct State {
    /// A request is under way.
    busy: bool,
    /// Waiting requests of games.
    moves: usize,
    /// The earliest time of the next background request.
    background_from: Option<Instant>,
}

/// The right to send a request; the next one is admitted when it is dropped.
#[derive(Debug)]
pub struct Permit<'a>(&'a RequestQueue);

impl RequestQueue {
    /// Waits for its turn; `None` if `wanted` becomes false before.
    pub fn enter(&self, priority: Priority, wanted: &dyn Fn() -> bool) -> Option<Permit<'_>> {
        let mut state = self.state();
        state.moves += usize::from(priority == Priority::Move);
        let admitted = loop {
            if !wanted() {
                break false;
            }
            let now = Instant::now();
            let until = match priority {
                Priority::Move => *self.paused_until(),
                Priority::Background => self.paused_until().max(state.background_from),
            };
            let pause = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
            let first = priority == Priority::Move || state.moves == 0;
            if pause.is_zero() && !state.busy && first {
                break true;
            }
            let wait = if pause.is_zero() { POLL_INTERVAL } else { pause.min(POLL_INTERVAL) };
            let woken = self.changed.wait_timeout(state, wait);
            state = unpoisoned(woken).0;
        };
        state.moves -= usize::from(priority == Priority::Move);
        if !admitted {
            return None;
        }
        state.busy = true;
        state.background_from = Some(Instant::now() + DISTANCE);
        Some(Permit(self))
    }

    /// Admits nothing for a while.
    pub fn pause(&self, pause: Duration) {
        let mut until = self.paused_until();
        *until = until.max(Some(Instant::now() + pause));
    }

    /// Whether nothing is admitted at the moment.
    pub fn is_paused(&self) -> bool {
        self.paused_until().is_some_and(|until| Instant::now() < until)
    }

    fn paused_until(&self) -> MutexGuard<'_, Option<Instant>> {
        lock(&self.paused_until)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.state().busy = false;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn requests_pass_one_at_a_time_and_moves_before_background_requests() {
        let queue = Arc::new(RequestQueue::default());
        let first = queue.enter(Priority::Move, &|| true).expect("wanted");
        let (sender, passed) = channel();
        let mut threads = Vec::new();
        for priority in [Priority::Background, Priority::Move] {
            let queue = Arc::clone(&queue);
            let sender = sender.clone();
            threads.push(thread::spawn(move || {
                let permit = queue.enter(priority, &|| true);
                sender.send(priority).expect("the test waits");
                drop(permit);
            }));
        }
        // The move waits in the queue before the first request ends.
        while queue.state().moves == 0 {
            thread::yield_now();
        }
        assert!(passed.try_recv().is_err(), "two requests at once");
        drop(first);
        assert_eq!(
            passed.iter().take(2).collect::<Vec<_>>(),
            [Priority::Move, Priority::Background]
        );
        for thread in threads {
            thread.join().expect("no panic");
        }
    }

    #[test]
    fn nothing_passes_during_a_pause_and_a_cancelled_request_leaves() {
        let queue = RequestQueue::default();
        queue.pause(Duration::from_secs(3600));
        let wanted = AtomicBool::new(true);
        let refused = queue.enter(Priority::Move, &|| wanted.swap(false, Ordering::Relaxed));
        assert!(refused.is_none());
        assert!(queue.is_paused());
        // A waiting request may give up by itself during a pause.
        assert!(queue.enter(Priority::Background, &|| !queue.is_paused()).is_none());
        let queue = RequestQueue::default();
        assert!(!queue.is_paused());
        let begun = Instant::now();
        let pause = Duration::from_millis(150);
        queue.pause(pause);
        drop(queue.enter(Priority::Move, &|| true).expect("wanted"));
        assert!(begun.elapsed() >= pause);
    }

    #[test]
    fn background_requests_keep_their_distance() {
        let queue = RequestQueue::default();
        let begun = Instant::now();
        for _ in 0..3 {
            drop(queue.enter(Priority::Background, &|| true).expect("wanted"));
        }
        assert!(begun.elapsed() >= 2 * DISTANCE);
    }
}
