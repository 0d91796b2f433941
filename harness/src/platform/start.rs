//! Starting a program.

use std::io;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

/// Starts of a program that is busy.
const BUSY_TRIES: u32 = 20;

/// Wait between two starts.
const BUSY_WAIT: Duration = Duration::from_millis(10);

/// Starts a program. One that was just written can be busy for a moment (ETXTBSY): a child that another
/// thread has forked holds the descriptor it was written through, until it calls exec.
pub(super) fn started(command: &mut Command) -> io::Result<Child> {
    for _ in 0..BUSY_TRIES {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(BUSY_WAIT);
            }
            started => return started,
        }
    }
    command.spawn()
}
