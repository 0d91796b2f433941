//! Processors, as far as systems tell of them: none of these keeps a thread on one.

use std::io;

use sysinfo::System;

/// The processors that this thread may be kept on: none.
pub fn usable() -> Vec<usize> {
    Vec::new()
}

/// Keeps this thread, and what it starts, on some processors.
///
/// # Errors
/// Always: there is no portable way.
pub fn pin_this_thread(_cpus: &[usize]) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux keeps a thread on a processor"))
}

/// A text that is the same for the processors of one core; `None`: unknown.
pub fn share_a_core(_cpu: usize) -> Option<String> {
    None
}

/// Cores of the machine; `None`: unknown.
pub fn physical_cores() -> Option<usize> {
    System::physical_core_count().ok()
}
