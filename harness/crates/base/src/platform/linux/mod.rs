//! The parts of Linux alone.

use std::time::Duration;

use rustix::event::Timespec;

pub mod machine;
pub mod processors;
pub mod scratch;
pub mod sockets;
pub mod streams;
pub mod tree;
pub mod wakeup;

pub use super::unix::warden;

/// A duration for `poll`.
fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}
