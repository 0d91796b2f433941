//! A child process with what it starts, ended as a whole: a process group on Unix, a job object on
//! Windows.

use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::platform::spawner;

/// Interval of looks at a child.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A child process and its descendants. Killed when dropped, or soon after the harness was killed.
pub struct Group {
    child: Child,
    status: Option<ExitStatus>,
    family: family::Family,
}

impl Group {
    /// Starts an engine in a group of its own, with a memory limit in bytes where the system has such
    /// limits.
    ///
    /// Its helpers that leave the group are killed soon after the engine ended.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn spawn_engine(command: Command, memory: Option<u64>) -> io::Result<(Group, Pipes)> {
        Group::start(command, Some(memory))
    }

    /// Starts the command in a group of its own, out of reach of the terminal's Ctrl-C.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn spawn(command: Command) -> io::Result<(Group, Pipes)> {
        Group::start(command, None)
    }

    fn start(mut command: Command, engine: Option<Option<u64>>) -> io::Result<(Group, Pipes)> {
        let prepared = family::prepare(&mut command, engine);
        let mut child = spawner::spawn(command)?;
        let family = match prepared.of(&child) {
            Ok(family) => family,
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
        };
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
        };
        Ok((Group { child, status: None, family }, pipes))
    }

    /// Waits for the child to exit, `at_most` this long; returns its exit status.
    ///
    /// Once it has ended, what it left behind in its group is killed.
    pub fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + at_most;
        while self.status.is_none() {
            if self.has_ended() {
                self.kill();
                break;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            thread::sleep(LOOK_EVERY.min(left));
        }
        self.status
    }

    /// The id of the child.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the child was not yet seen to have ended.
    pub fn is_running(&self) -> bool {
        self.status.is_none()
    }

    /// Kills the whole group and waits for the child, which then ends at once.
    pub fn kill(&mut self) {
        if self.status.is_some() {
            return;
        }
        self.family.kill(&mut self.child);
        self.status = self.child.wait().ok();
        self.family.forget();
    }

    /// Whether the child has ended, by now.
    pub(super) fn has_ended(&mut self) -> bool {
        self.status.is_some() || self.family.has_ended(&mut self.child)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The harness's ends of the child's standard streams, as far as they are piped.
pub struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

impl Pipes {
    /// The child's standard output, to be read with waiting.
    pub fn into_stdout(self) -> Option<impl Read + Send + 'static> {
        self.stdout
    }
}

/// Process groups.
#[cfg(unix)]
mod family {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use rustix::process::{
        Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, setrlimit, waitid,
    };

    use crate::platform::unix::escaped::Mark;
    use crate::platform::unix::warden;

    pub(super) struct Family {
        id: Pid,
        mark: Option<Mark>,
    }

    pub(super) struct Prepared(Option<Mark>);

    /// Gives the command a group of its own; an engine a mark and a limit of memory, too.
    pub(super) fn prepare(command: &mut Command, engine: Option<Option<u64>>) -> Prepared {
        command.process_group(0);
        if let Some(bytes) = engine.flatten() {
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
        pub(super) fn of(self, child: &Child) -> io::Result<Family> {
            let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            let id = id.ok_or_else(|| io::Error::other("the child has no process id"))?;
            warden::register(id);
            Ok(Family { id, mark: self.0 })
        }
    }

    impl Family {
        /// The child is not waited for yet, so its id cannot have gone to another process.
        pub(super) fn kill(&mut self, _child: &mut Child) {
            let _ = kill_process_group(self.id, Signal::KILL);
        }

        pub(super) fn forget(&mut self) {
            warden::unregister(self.id);
            self.mark = None;
        }

        /// Without taking its status, which would free its id.
        pub(super) fn has_ended(&mut self, _child: &mut Child) -> bool {
            let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            !matches!(waitid(WaitId::Pid(self.id), look), Ok(None))
        }
    }
}

/// Job objects.
#[cfg(windows)]
mod family {
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use std::os::windows::process::CommandExt;
    use std::process::{Child, Command};

    use win32job::{ExtendedLimitInfo, Job};

    /// Out of reach of Ctrl-C in the terminal.
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

    /// All in the job are killed when it is closed, also because the harness was killed.
    pub(super) struct Family(Option<Job>);

    pub(super) struct Prepared;

    pub(super) fn prepare(command: &mut Command, _engine: Option<Option<u64>>) -> Prepared {
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        Prepared
    }

    impl Prepared {
        /// What the child starts before it is in the job, which takes a moment, stays outside.
        pub(super) fn of(self, child: &Child) -> io::Result<Family> {
            let mut limits = ExtendedLimitInfo::new();
            limits.limit_kill_on_job_close();
            let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
            job.assign_process(child.as_raw_handle() as isize).map_err(io::Error::other)?;
            Ok(Family(Some(job)))
        }
    }

    impl Family {
        pub(super) fn kill(&mut self, child: &mut Child) {
            // It may have ended.
            let _ = child.kill();
            self.0 = None;
        }

        pub(super) fn forget(&mut self) {}

        pub(super) fn has_ended(&mut self, child: &mut Child) -> bool {
            !matches!(child.try_wait(), Ok(None))
        }
    }
}
