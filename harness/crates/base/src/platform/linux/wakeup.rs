//! Wake-ups by a pipe, which `poll` waits for beside others, and signals that set them.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// Wakes threads that wait. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Wakeup {
    readable: Arc<OwnedFd>,
    /// Held so that `readable` does not report a hang-up, which would wake.
    writable: Arc<OwnedFd>,
}

impl Wakeup {
    /// One that is not set.
    ///
    /// # Errors
    /// When the operating system refuses a pipe.
    pub fn new() -> io::Result<Wakeup> {
        let (readable, writable) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        Ok(Wakeup { readable: Arc::new(readable), writable: Arc::new(writable) })
    }

    /// Wakes the threads that wait, and those that will, until it is cleared.
    pub fn set(&self) {
        // A full pipe is readable already.
        let _ = rustix::io::write(&self.writable, b"x");
    }

    /// Takes back one [`set`](Self::set) or several. Only while it is set.
    pub fn clear(&self) {
        let _ = rustix::io::read(&self.readable, &mut [0; 64]);
    }

    /// Waits until it or another is set. May return early.
    pub fn wait_for_either(&self, other: &Wakeup) {
        let mut ends = [
            PollFd::from_borrowed_fd(self.fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(other.fd(), PollFlags::IN),
        ];
        // A signal ends the wait early, and is most likely the one that is waited for.
        let _ = poll(&mut ends, None);
    }

    /// Waits until it is set. May return early.
    pub fn wait(&self) {
        let _ = poll(&mut [PollFd::from_borrowed_fd(self.fd(), PollFlags::IN)], None);
    }

    /// Readable while it is set.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
    }
}

/// Whether SIGHUP is ignored since the start of the program, as by `nohup`: then it stays ignored. SIGINT does not,
/// which shells without job control ignore for all that they start in the background: `kill -INT` of a script
/// is meant.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Bit 0 is signal 1.
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}

/// Sets a flag and a wake-up at SIGINT, SIGTERM and, unless it is ignored, SIGHUP. A second SIGINT ends
/// the process at once with status 130, for the case that the orderly end hangs. A file beyond the limit of
/// its size (`ulimit -f`) is an error of the write, and no end without a word.
///
/// # Errors
/// When the operating system refuses a handler.
pub fn on_end_signals(flag: &Arc<AtomicBool>, wakeup: &Wakeup) -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    // Order matters: the conditional shutdown looks at the flag before it is set below.
    signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(flag))?;
    let hangup = (!is_hangup_ignored()).then_some(SIGHUP);
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
        signal_hook::flag::register(signal, Arc::clone(flag))?;
        let writable = File::from(wakeup.writable.try_clone()?);
        signal_hook::low_level::pipe::register(signal, writable)?;
    }
    Ok(())
}
