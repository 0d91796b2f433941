//! Whether a worker takes batches: it does, it pauses, or it leaves after those that it has.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use harness_base::load::Watch;
use harness_base::sync::lock;

/// Time over which the load of other programs is taken.
const INTERVAL: Duration = Duration::from_secs(3);

/// Looks in a row without much load after which a worker plays again.
const QUIET_LOOKS: u32 = 5;

/// The state of a worker.
#[derive(Default)]
pub(super) struct Duty {
    is_draining: AtomicBool,
    /// The processors that other programs use, while it pauses.
    pause: Mutex<Option<f64>>,
}

impl Duty {
    /// It finishes the batches that it has, and leaves.
    pub fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Whether it takes batches.
    pub fn takes_batches(&self) -> bool {
        !self.is_draining() && lock(&self.pause).is_none()
    }

    /// It pauses, or no longer.
    pub fn set_pause(&self, pause: Option<f64>) {
        *lock(&self.pause) = pause;
    }

    /// In words, where it is not the usual state.
    pub fn text(&self) -> Option<String> {
        if self.is_draining() {
            return Some("draining".to_owned());
        }
        lock(&self.pause).map(|used| format!("paused: other programs use {used:.1} cores"))
    }
}

/// Decides when a worker pauses: at once where other programs use more than they may, and until they have
/// not for a while.
pub(super) struct Pauses {
    watch: Watch,
    decision: Decision,
}

impl Pauses {
    /// Other programs may use this many processors.
    pub fn new(allowed: f64) -> Pauses {
        Pauses { watch: Watch::default(), decision: Decision { allowed, quiet: 0, pause: None } }
    }

    /// The processors that others use, if the worker is to pause now.
    pub fn now(&mut self) -> Option<f64> {
        if let Some(busy) = self.watch.look(INTERVAL) {
            self.decision.look(busy.others);
        }
        self.decision.pause
    }
}

struct Decision {
    allowed: f64,
    quiet: u32,
    pause: Option<f64>,
}

impl Decision {
    fn look(&mut self, used: f64) {
        if used > self.allowed {
            (self.quiet, self.pause) = (0, Some(used));
        } else if self.pause.is_some() {
            self.quiet += 1;
            if self.quiet >= QUIET_LOOKS {
                self.pause = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_begins_at_once_and_ends_after_some_quiet_looks() {
        let mut decision = Decision { allowed: 0.5, quiet: 0, pause: None };
        let looks = [
            (0.4, None),
            (0.5, None),
            (1.5, Some(1.5)),
            (0.0, Some(1.5)),
            (0.7, Some(0.7)),
            (0.0, Some(0.7)),
            (0.1, Some(0.7)),
            (0.0, Some(0.7)),
            (0.5, Some(0.7)),
            (0.0, None),
            (0.0, None),
            (9.0, Some(9.0)),
        ];
        for (number, (used, pause)) in looks.into_iter().enumerate() {
            decision.look(used);
            assert_eq!(decision.pause, pause, "look {number}");
        }
    }

    #[test]
    fn a_worker_that_drains_is_not_paused() {
        let duty = Duty::default();
        assert_eq!((duty.takes_batches(), duty.text()), (true, None));
        duty.set_pause(Some(1.25));
        assert_eq!(duty.text().as_deref(), Some("paused: other programs use 1.2 cores"));
        assert!(!duty.takes_batches());
        duty.drain();
        duty.set_pause(None);
        assert_eq!((duty.takes_batches(), duty.text().as_deref()), (false, Some("draining")));
    }
}
