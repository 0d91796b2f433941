//! Types and a wait that all systems share.

use std::thread;
use std::time::{Duration, Instant};

/// Polling interval where the system cannot wait for the end of a child.
const POLL_EVERY: Duration = Duration::from_millis(2);

/// A process with its processor time, that of its children not counted.
#[derive(Clone, Debug)]
pub struct ProcessTime {
    /// Its number.
    pub id: u32,
    /// The process that started it.
    pub parent: u32,
    /// The name of its program.
    pub name: String,
    /// Processor time that it has used.
    pub time: Duration,
}

/// Readiness of the streams of a child after a wait.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ready {
    /// There is output to read, or its end.
    pub stdout: bool,
    /// The same of standard error.
    pub stderr: bool,
    /// The wake-up was set.
    pub woken: bool,
    /// The child has ended.
    pub ended: bool,
    /// The system cannot wait, for want of memory.
    pub failed: bool,
}

/// Result of a read or a write that does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// So many bytes.
    Bytes(usize),
    /// None: there is nothing to read, or no room to write.
    Nothing,
    /// The other end is closed.
    Closed,
}

/// Longest wait of one call: in milliseconds it has to fit in an `int` for Linux before 5.11.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(24 * 3600);

/// Limits of an engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct EngineLimits {
    /// Private memory in bytes, such as the hash table; not mapped files, which may be tablebases of
    /// many gigabytes. `None`: no limit.
    #[cfg_attr(windows, expect(dead_code, reason = "there are no such limits"))]
    pub(super) memory: Option<u64>,
}

/// Polls a condition until it holds or the time is up; returns whether it holds.
pub(super) fn poll_until(at_most: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + at_most;
    loop {
        if holds() {
            return true;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        thread::sleep(POLL_EVERY.min(left));
    }
}
