//! Job objects: what a process in one starts is in it.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

use win32job::{ExtendedLimitInfo, Job};

use crate::platform::types::{EngineLimits, poll_until};

/// Out of reach of Ctrl-C in the terminal.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// A job. All in it are killed when it is closed, also because the harness was killed.
pub struct ProcessTree(Option<Job>);

/// A command whose process will be in a job.
pub struct Prepared;

/// Keeps the command out of reach of Ctrl-C.
pub fn prepare(command: &mut Command, _engine: Option<EngineLimits>) -> Prepared {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    Prepared
}

impl Prepared {
    /// Puts the child into a job. What it starts before, in the first moment, stays outside.
    pub fn with_child(self, child: &Child) -> io::Result<ProcessTree> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
        job.assign_process(child.as_raw_handle() as isize).map_err(io::Error::other)?;
        Ok(ProcessTree(Some(job)))
    }
}

impl ProcessTree {
    /// Kills all in the job.
    pub fn kill(&mut self, child: &mut Child) {
        // It may have ended.
        let _ = child.kill();
        self.0 = None;
    }

    /// Nothing is left to forget.
    pub fn forget(&mut self) {}

    /// Whether the child has ended, or ends within a time.
    pub fn has_ended_within(&mut self, child: &mut Child, at_most: Duration) -> bool {
        poll_until(at_most, || !matches!(child.try_wait(), Ok(None)))
    }
}
