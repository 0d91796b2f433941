//! A process group whose leader's end can be waited for, and which the kernel ends with the harness.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{PidfdFlags, Signal, pidfd_open, set_parent_process_death_signal};
use rustix::thread::{sched_getaffinity, sched_setaffinity};

use super::timespec::timespec;
use crate::platform::types::EngineLimits;
use crate::platform::unix::tree as unix;

/// A process group.
pub struct ProcessTree {
    group: unix::ProcessTree,
    /// Readable once the child has ended; `None` without pidfd support.
    ended: Option<OwnedFd>,
}

/// A command that will lead a group.
pub struct Prepared(unix::Prepared);

/// Gives the command a group of its own; an engine its limits, too.
pub fn prepare(command: &mut Command, engine: Option<EngineLimits>) -> Prepared {
    Prepared(unix::prepare(command, engine))
}

impl Prepared {
    /// The group that the child leads.
    pub fn with_child(self, child: &Child) -> io::Result<ProcessTree> {
        let group = self.0.with_child(child)?;
        let ended = pidfd_open(group.id, PidfdFlags::empty()).ok();
        Ok(ProcessTree { group, ended })
    }
}

impl ProcessTree {
    /// Readable once the child has ended; `None` without pidfd support.
    pub fn ended_fd(&self) -> Option<BorrowedFd<'_>> {
        self.ended.as_ref().map(AsFd::as_fd)
    }

    /// Kills all of it.
    pub fn kill(&mut self, child: &mut Child) {
        self.group.kill(child);
    }

    /// The child was waited for: its id may go to another process.
    pub fn forget(&mut self) {
        self.group.forget();
    }

    /// Whether the child has ended, or ends within a time.
    pub fn has_ended_within(&mut self, child: &mut Child, at_most: Duration) -> bool {
        let Some(ended) = &self.ended else { return self.group.has_ended_within(child, at_most) };
        let deadline = Instant::now() + at_most;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut fds = [PollFd::new(ended, PollFlags::IN)];
            match poll(&mut fds, Some(&timespec(left))) {
                Err(rustix::io::Errno::INTR) => {}
                answer => return answer.is_ok_and(|ready| ready > 0),
            }
        }
    }
}

/// Lets the kernel kill what the command starts when this process ends, and lets it run where the
/// calling thread may.
pub fn tie(command: &mut Command) {
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed; it makes the one system call prctl.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?)) };
    // A child inherits the processors of the thread that starts it, which is not the calling one.
    if let Ok(processors) = sched_getaffinity(None) {
        let run_there = move || Ok(sched_setaffinity(None, &processors)?);
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
        // allowed; it makes the one system call sched_setaffinity.
        unsafe { command.pre_exec(run_there) };
    }
}
