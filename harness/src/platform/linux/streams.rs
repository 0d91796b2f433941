//! The streams of a child: non-blocking pipes, and one `poll` for all that may happen.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::timespec;
use super::wakeup::Wakeup;
use crate::platform::{Group, LONGEST_WAIT, Moved, Pipes, Ready};

/// Bytes of the pipe of an engine that thinks while nobody reads it.
const LARGE_PIPE: usize = 1 << 20;

/// The streams to and from a child.
pub struct Streams {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

impl Streams {
    /// Takes the pipes over.
    ///
    /// # Errors
    /// When one is missing, or cannot be made non-blocking.
    pub fn new(pipes: Pipes) -> io::Result<Streams> {
        let Pipes { stdin, stdout, stderr } = pipes;
        let pipes = [
            stdin.as_ref().map(AsFd::as_fd),
            stdout.as_ref().map(AsFd::as_fd),
            stderr.as_ref().map(AsFd::as_fd),
        ];
        for pipe in pipes {
            let pipe = pipe.ok_or(io::ErrorKind::BrokenPipe)?;
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(Streams { stdin, stdout, stderr })
    }

    /// Writes what there is room for.
    pub fn write(&mut self, bytes: &[u8]) -> Moved {
        let Some(stdin) = &self.stdin else { return Moved::Closed };
        loop {
            match rustix::io::write(stdin, bytes) {
                Ok(written) => return Moved::Bytes(written),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Moved::Nothing,
                Err(_) => return Moved::Closed,
            }
        }
    }

    /// Reads what the child has printed.
    pub fn read_stdout(&mut self, buffer: &mut [u8]) -> Moved {
        read(&mut self.stdout, buffer)
    }

    /// Reads what the child has printed on standard error.
    pub fn read_stderr(&mut self, buffer: &mut [u8]) -> Moved {
        read(&mut self.stderr, buffer)
    }

    /// Waits until something can be done, at most this long.
    pub fn wait(
        &mut self,
        group: &mut Group,
        wakeup: Option<&Wakeup>,
        at_most: Duration,
        to_write: bool,
    ) -> Ready {
        let mut fds = Vec::with_capacity(5);
        let stdout = watch(&mut fds, self.stdout.as_ref().map(AsFd::as_fd), PollFlags::IN);
        let stderr = watch(&mut fds, self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN);
        let woken = watch(&mut fds, wakeup.map(Wakeup::fd), PollFlags::IN);
        let ended = watch(&mut fds, group.tree.ended_fd(), PollFlags::IN);
        if to_write {
            watch(&mut fds, self.stdin.as_ref().map(AsFd::as_fd), PollFlags::OUT);
        }
        match poll(&mut fds, Some(&timespec(at_most.min(LONGEST_WAIT)))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return Ready { failed: true, ..Ready::default() },
        }
        let ready = |slot: Option<usize>| slot.is_some_and(|slot| !fds[slot].revents().is_empty());
        let [stdout, stderr, woken, ended] = [stdout, stderr, woken, ended].map(ready);
        Ready { stdout, stderr, woken, ended, failed: false }
    }

    /// Enlarges the pipe of the child's output to what an ordinary user may have, so that it can
    /// print for long while nobody reads. A system that refuses leaves it as it is.
    pub fn enlarge_output(&mut self) {
        if let Some(stdout) = &self.stdout {
            let _ = rustix::pipe::fcntl_setpipe_size(stdout, LARGE_PIPE);
        }
    }

    /// Closes the child's input: end of file.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }
}

/// Reads once. A pipe that was closed is given up.
fn read(pipe: &mut Option<impl AsFd>, buffer: &mut [u8]) -> Moved {
    let Some(open) = pipe else { return Moved::Closed };
    match rustix::io::read(open, buffer) {
        Ok(length) if length > 0 => Moved::Bytes(length),
        Err(Errno::AGAIN | Errno::INTR) => Moved::Nothing,
        _ => {
            *pipe = None;
            Moved::Closed
        }
    }
}

/// Adds a descriptor to those to poll, if there is one; returns its index.
fn watch<'fd>(
    fds: &mut Vec<PollFd<'fd>>,
    fd: Option<BorrowedFd<'fd>>,
    flags: PollFlags,
) -> Option<usize> {
    fds.push(PollFd::from_borrowed_fd(fd?, flags));
    Some(fds.len() - 1)
}
