//! A child process with what it starts, ended as a whole.
//!
//! Each system keeps them together in its own way, the [`ProcessTree`]: a process group on Unix, a job
//! object on Windows.

use std::io::{self, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use super::spawner;
use super::system::tree::{self, ProcessTree};
use super::types::EngineLimits;

/// A child process and its descendants. Killed when dropped, or soon after the harness was killed.
pub struct Group {
    child: Child,
    status: Option<ExitStatus>,
    pub(super) tree: ProcessTree,
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
        Group::start(command, Some(EngineLimits { memory }))
    }

    /// Starts the command in a group of its own, out of reach of the terminal's Ctrl-C.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn spawn(command: Command) -> io::Result<(Group, Pipes)> {
        Group::start(command, None)
    }

    fn start(mut command: Command, engine: Option<EngineLimits>) -> io::Result<(Group, Pipes)> {
        let prepared = tree::prepare(&mut command, engine);
        let mut child = spawner::spawn(command)?;
        let tree = match prepared.with_child(&child) {
            Ok(tree) => tree,
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
        Ok((Group { child, status: None, tree }, pipes))
    }

    /// Waits for the child to exit, `at_most` this long; returns its exit status.
    ///
    /// Once it has ended, what it left behind in its group is killed.
    pub fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        if self.has_ended_within(at_most) {
            self.kill();
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
        self.tree.kill(&mut self.child);
        self.status = self.child.wait().ok();
        self.tree.forget();
    }

    /// Whether the child has ended, or ends within a time.
    pub(super) fn has_ended_within(&mut self, at_most: Duration) -> bool {
        self.status.is_some() || self.tree.has_ended_within(&mut self.child, at_most)
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn killing_the_group_takes_the_grandchildren_along() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 100 & echo $!; exec sleep 100"]);
        command.stdout(std::process::Stdio::piped());
        let (mut group, pipes) = Group::spawn(command).unwrap();
        let mut text = [0; 32];
        let length = pipes.into_stdout().unwrap().read(&mut text).unwrap();
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
            std::thread::sleep(Duration::from_millis(2));
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
