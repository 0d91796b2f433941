//! Process groups: a child leads one of its own, and what it starts is in it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, setrlimit, waitid,
};

use super::escaped::Mark;
use super::warden;
use crate::platform::types::{EngineLimits, poll_until};

/// A process group.
pub struct ProcessTree {
    /// Of the group and of its leader.
    pub(in crate::platform) id: Pid,
    /// An engine's mark, which identifies processes that leave the group.
    mark: Option<Mark>,
}

/// A command that will lead a group.
pub struct Prepared(Option<Mark>);

/// Gives the command a group of its own, which the warden ends if the harness is killed; an engine a
/// mark and its limits, too.
pub fn prepare(command: &mut Command, engine: Option<EngineLimits>) -> Prepared {
    command.process_group(0);
    if let Some(bytes) = engine.and_then(|limits| limits.memory) {
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
        // allowed; it makes the one system call setrlimit.
        unsafe { command.pre_exec(move || Ok(setrlimit(Resource::Data, limit)?)) };
    }
    if let Some(pipe) = warden::pipe() {
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
        // allowed; it does getpid and write on a descriptor that is never closed.
        unsafe {
            command.pre_exec(move || {
                warden::register_this_process(pipe);
                Ok(())
            });
        }
    }
    Prepared(engine.map(|_| Mark::put_on(command)))
}

impl Prepared {
    /// The group that the child leads.
    pub fn with_child(self, child: &Child) -> io::Result<ProcessTree> {
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let id = id.ok_or_else(|| io::Error::other("the child has no process id"))?;
        warden::register(id);
        Ok(ProcessTree { id, mark: self.0 })
    }
}

impl ProcessTree {
    /// Kills all of it. The child is not waited for yet, so its id cannot have gone to another process.
    pub fn kill(&mut self, _child: &mut Child) {
        let _ = kill_process_group(self.id, Signal::KILL);
    }

    /// The child was waited for: its id may go to another process.
    pub fn forget(&mut self) {
        warden::unregister(self.id);
        self.mark = None;
    }

    /// Whether the child has ended, or ends within a time. Its status is not taken, which would free
    /// its id.
    pub fn has_ended_within(&mut self, _child: &mut Child, at_most: Duration) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        poll_until(at_most, || !matches!(waitid(WaitId::Pid(self.id), look), Ok(None)))
    }
}
