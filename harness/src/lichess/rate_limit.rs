//! One request at a time, and none while the server asks for a pause.
//!
//! Both are rules of the interface (<https://lichess.org/api#description/rate-limiting>). Moves pass
//! before what can wait, and answers to challenges keep a distance from each other: a storm of
//! challenges costs a game no time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Distance of two requests that can wait.
const DISTANCE: Duration = Duration::from_millis(100);

/// How often a request that waits looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// How soon a request must be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A move: a clock runs.
    Now,
    /// It can wait.
    Later,
}

/// Lets requests through one by one.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// A request is under way.
    busy: bool,
    /// Moves that wait.
    urgent: usize,
    /// Nothing passes before.
    closed_until: Option<Instant>,
    /// Nothing that can wait passes before.
    later_from: Option<Instant>,
}

/// A request that has passed; its end lets the next one through.
#[derive(Debug)]
pub struct Pass<'a>(&'a Gate);

impl Gate {
    /// Waits for its turn; `None` once it is not wanted any more.
    pub fn enter(&self, urgency: Urgency, wanted: &dyn Fn() -> bool) -> Option<Pass<'_>> {
        let mut state = self.state();
        state.urgent += usize::from(urgency == Urgency::Now);
        let passed = loop {
            if !wanted() {
                break false;
            }
            let now = Instant::now();
            let until = match urgency {
                Urgency::Now => state.closed_until,
                Urgency::Later => state.closed_until.max(state.later_from),
            };
            let pause = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
            let first = urgency == Urgency::Now || state.urgent == 0;
            if pause.is_zero() && !state.busy && first {
                break true;
            }
            let wait = if pause.is_zero() { LOOK } else { pause.min(LOOK) };
            let woken = self.changed.wait_timeout(state, wait);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        };
        state.urgent -= usize::from(urgency == Urgency::Now);
        if !passed {
            return None;
        }
        state.busy = true;
        state.later_from = Some(Instant::now() + DISTANCE);
        Some(Pass(self))
    }

    /// Lets nothing through for a while.
    pub fn close(&self, pause: Duration) {
        let mut state = self.state();
        state.closed_until = state.closed_until.max(Some(Instant::now() + pause));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass<'_> {
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
    fn requests_pass_one_at_a_time_and_moves_before_what_can_wait() {
        let gate = Arc::new(Gate::default());
        let first = gate.enter(Urgency::Now, &|| true).expect("wanted");
        let (sender, passed) = channel();
        let mut threads = Vec::new();
        for urgency in [Urgency::Later, Urgency::Now] {
            let (gate, sender) = (Arc::clone(&gate), sender.clone());
            threads.push(thread::spawn(move || {
                let pass = gate.enter(urgency, &|| true);
                sender.send(urgency).expect("the test waits");
                drop(pass);
            }));
        }
        // The move waits in the gate before the first request ends.
        while gate.state().urgent == 0 {
            thread::yield_now();
        }
        assert!(passed.try_recv().is_err(), "two requests at once");
        drop(first);
        assert_eq!(passed.iter().take(2).collect::<Vec<_>>(), [Urgency::Now, Urgency::Later]);
        for thread in threads {
            thread.join().expect("no panic");
        }
    }

    #[test]
    fn nothing_passes_a_closed_gate_and_what_is_not_wanted_any_more_leaves() {
        let gate = Gate::default();
        gate.close(Duration::from_secs(3600));
        let wanted = AtomicBool::new(true);
        let refused = gate.enter(Urgency::Now, &|| wanted.swap(false, Ordering::Relaxed));
        assert!(refused.is_none());
        let gate = Gate::default();
        let (begun, pause) = (Instant::now(), Duration::from_millis(150));
        gate.close(pause);
        drop(gate.enter(Urgency::Now, &|| true).expect("wanted"));
        assert!(begun.elapsed() >= pause);
    }

    #[test]
    fn what_can_wait_keeps_its_distance() {
        let (gate, begun) = (Gate::default(), Instant::now());
        for _ in 0..3 {
            drop(gate.enter(Urgency::Later, &|| true).expect("wanted"));
        }
        assert!(begun.elapsed() >= 2 * DISTANCE);
    }
}
