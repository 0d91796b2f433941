//! Durations as system calls take them.

use std::time::Duration;

use rustix::event::Timespec;

/// A duration for `poll`.
pub fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
