//! A child process that leads its own process group, ended as a whole.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group,
    pidfd_open, set_parent_process_death_signal, setrlimit, waitid,
};
use rustix::thread::{sched_getaffinity, sched_setaffinity};

use crate::platform::spawner;
use crate::platform::unix::escaped::Mark;
use crate::platform::unix::warden;

/// Polling interval without a pidfd.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A child process and its descendants. Killed when dropped, or by the warden when the harness was
/// killed.
pub struct Group {
    child: Child,
    id: Pid,
    /// Readable once the child has ended; `None` without pidfd support.
    ended: Option<OwnedFd>,
    status: Option<ExitStatus>,
    /// An engine's mark, which identifies processes that leave the group.
    mark: Option<Mark>,
}

impl Group {
    /// Starts an engine in a group of its own, with a memory limit in bytes.
    ///
    /// Its helpers that leave the group are killed soon after the engine ended.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn spawn_engine(mut command: Command, memory: Option<u64>) -> io::Result<(Group, Pipes)> {
        let mark = Mark::put_on(&mut command);
        if let Some(bytes) = memory {
            // Private memory such as the hash table; not mapped files, which may be tablebases of
            // many gigabytes.
            let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
            // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls
            // are allowed; it makes the one system call setrlimit.
            unsafe { command.pre_exec(move || Ok(setrlimit(Resource::Data, limit)?)) };
        }
        let (mut group, pipes) = Group::spawn(command)?;
        group.mark = Some(mark);
        Ok((group, pipes))
    }

    /// Starts the command in a group of its own, out of reach of the terminal's Ctrl-C.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn spawn(mut command: Command) -> io::Result<(Group, Pipes)> {
        command.process_group(0);
        if let Some(pipe) = warden::pipe() {
            // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls
            // are allowed; it does getpid and write on a descriptor that is never closed.
            unsafe {
                command.pre_exec(move || {
                    warden::register_this_process(pipe);
                    Ok(())
                });
            }
        }
        let mut child = spawner::spawn(command)?;
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let id = id.ok_or_else(|| io::Error::other("the child has no process id"))?;
        warden::register(id);
        let ended = pidfd_open(id, PidfdFlags::empty()).ok();
        let pipes = Pipes {
            stdin: child.stdin.take().map(OwnedFd::from),
            stdout: child.stdout.take().map(OwnedFd::from),
            stderr: child.stderr.take().map(OwnedFd::from),
        };
        Ok((Group { child, id, ended, status: None, mark: None }, pipes))
    }

    /// Readable once the child has ended; `None` without pidfd support.
    pub(super) fn ended_fd(&self) -> Option<BorrowedFd<'_>> {
        self.ended.as_ref().map(AsFd::as_fd)
    }

    /// Waits for the child to exit, `at_most` this long; returns its exit status.
    ///
    /// Once it has ended, what it left behind in its group is killed.
    pub fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        if self.status.is_none() && self.has_ended_within(at_most) {
            self.kill();
        }
        self.status
    }

    /// The id of the child and of its group.
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
        // The child is not waited for yet, so its id cannot have gone to another process.
        let _ = kill_process_group(self.id, Signal::KILL);
        self.status = self.child.wait().ok();
        warden::unregister(self.id);
        self.mark = None;
    }

    fn has_ended_within(&self, at_most: Duration) -> bool {
        let deadline = Instant::now() + at_most;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match &self.ended {
                Some(ended) => {
                    let mut fds = [PollFd::new(ended, PollFlags::IN)];
                    match poll(&mut fds, Some(&timespec(left))) {
                        Err(rustix::io::Errno::INTR) => continue,
                        answer => return answer.is_ok_and(|ready| ready > 0),
                    }
                }
                None => {
                    let look =
                        WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
                    if !matches!(waitid(WaitId::Pid(self.id), look), Ok(None)) {
                        return true;
                    }
                    if left.is_zero() {
                        return false;
                    }
                    std::thread::sleep(LOOK_EVERY.min(left));
                }
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The harness's ends of the child's standard streams, as far as they are piped.
pub struct Pipes {
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
}

impl Pipes {
    /// The child's standard output, to be read with waiting.
    pub fn into_stdout(self) -> Option<impl Read + Send + 'static> {
        self.stdout.map(File::from)
    }
}

/// A duration for `poll`.
pub(super) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

/// Lets the kernel kill what the command starts when this process ends, and lets it run where the
/// calling thread may.
pub(in crate::platform) fn tie(command: &mut Command) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn killing_the_group_takes_the_grandchildren_along() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 100 & echo $!; exec sleep 100"]);
        command.stdout(std::process::Stdio::piped());
        let (mut group, pipes) = Group::spawn(command).unwrap();
        let mut text = [0; 32];
        let length = rustix::io::read(pipes.stdout.unwrap(), &mut text).unwrap();
        let grandchild = std::str::from_utf8(&text[..length]).unwrap().trim().to_owned();
        assert!(group.wait(Duration::ZERO).is_none());
        group.kill();
        // The kill is certain, its end takes a moment.
        let is_there = || {
            let stat = std::fs::read_to_string(format!("/proc/{grandchild}/stat"));
            stat.is_ok_and(|stat| !stat.contains(") Z "))
        };
        let patience = Instant::now() + Duration::from_secs(10);
        while is_there() && Instant::now() < patience {
            std::thread::sleep(LOOK_EVERY);
        }
        assert!(!is_there());
    }

    #[test]
    fn the_exit_status_is_returned() {
        let mut command = Command::new("sh");
        command.args(["-c", "exit 3"]);
        let (mut group, _) = Group::spawn(command).unwrap();
        let status = group.wait(Duration::from_secs(10)).unwrap();
        assert_eq!(status.code(), Some(3));
    }
}
