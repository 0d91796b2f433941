//! Wake-ups by a condition variable, and the end signals of the `ctrlc` crate.

use crate::sync::{lock, unpoisoned};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Polling interval of a wait for two things.
pub(super) const SLICE: Duration = Duration::from_millis(20);

/// Wakes threads that wait. Cheap to clone; all clones are one.
#[derive(Clone, Default)]
pub struct Wakeup {
    inner: Arc<(Mutex<bool>, Condvar)>,
}

impl Wakeup {
    /// One that is not set.
    ///
    /// # Errors
    /// Never, on these systems.
    pub fn new() -> io::Result<Wakeup> {
        Ok(Wakeup::default())
    }

    /// Wakes the threads that wait, and those that will, until it is cleared.
    pub fn set(&self) {
        *lock(&self.inner.0) = true;
        self.inner.1.notify_all();
    }

    /// Takes back one [`set`](Self::set) or several. Only while it is set.
    pub fn clear(&self) {
        *lock(&self.inner.0) = false;
    }

    /// Waits until it or another is set. May return early.
    pub fn wait_for_either(&self, other: &Wakeup) {
        while !self.is_set_within(SLICE) && !other.is_set_within(Duration::ZERO) {}
    }

    /// Waits until it is set. May return early.
    pub fn wait(&self) {
        let set = lock(&self.inner.0);
        drop(self.inner.1.wait_while(set, |set| !*set));
    }

    /// Whether it is set, or comes to be within a time.
    pub(super) fn is_set_within(&self, time: Duration) -> bool {
        let set = lock(&self.inner.0);
        if *set || time.is_zero() {
            return *set;
        }
        let waited = self.inner.1.wait_timeout_while(set, time, |set| !*set);
        *unpoisoned(waited).0
    }
}

/// Sets a flag and a wake-up at Ctrl-C, and at the system's requests to end. A second one ends the
/// process at once with status 130, for the case that the orderly end hangs.
///
/// # Errors
/// When the operating system refuses a handler, or there is one.
pub fn on_end_signals(flag: &Arc<AtomicBool>, wakeup: &Wakeup) -> io::Result<()> {
    let flag = Arc::clone(flag);
    let wakeup = wakeup.clone();
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        wakeup.set();
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)
}
