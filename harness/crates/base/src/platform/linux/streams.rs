//! The streams of a child: non-blocking pipes, and one `epoll` for all that may happen.
//!
//! `epoll` and not `poll`, as a match waits once a move: what is waited for is registered once.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::timespec::timespec;
use super::wakeup::Wakeup;
use crate::platform::group::{Group, Pipes};
use crate::platform::types::{MAX_WAIT, Moved, Ready};

/// Bytes of the pipe of an engine that thinks without a reader.
const LARGE_PIPE: usize = 1 << 20;

/// Source of an event.
const STDOUT: u64 = 0;
const STDERR: u64 = 1;
const WOKEN: u64 = 2;
const ENDED: u64 = 3;
const STDIN: u64 = 4;

/// The streams to and from a child.
pub struct Streams {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    epoll: OwnedFd,
    /// The wake-up that is waited for.
    wakeup: Option<Wakeup>,
    /// The end of the child is waited for.
    awaits_end: bool,
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
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        for (pipe, number) in [(pipes[1], STDOUT), (pipes[2], STDERR)] {
            let pipe = pipe.ok_or(io::ErrorKind::BrokenPipe)?;
            epoll::add(&epoll, pipe, EventData::new_u64(number), EventFlags::IN)?;
        }
        Ok(Streams { stdin, stdout, stderr, epoll, wakeup: None, awaits_end: false })
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
        read(&self.epoll, &mut self.stdout, buffer)
    }

    /// Reads what the child has printed on standard error.
    pub fn read_stderr(&mut self, buffer: &mut [u8]) -> Moved {
        read(&self.epoll, &mut self.stderr, buffer)
    }

    /// Waits until something can be done, at most this long.
    pub fn wait(
        &mut self,
        group: &mut Group,
        wakeup: Option<&Wakeup>,
        at_most: Duration,
        to_write: bool,
    ) -> Ready {
        let mut events = [Event { flags: EventFlags::empty(), data: EventData::new_u64(STDIN) }; 5];
        let waited = self.watch(group, wakeup, to_write).and_then(|()| {
            let timeout = timespec(at_most.min(MAX_WAIT));
            epoll::wait(&self.epoll, &mut events, Some(&timeout))
        });
        if to_write && let Some(stdin) = &self.stdin {
            let _ = epoll::delete(&self.epoll, stdin);
        }
        let count = match waited {
            Ok(count) => count,
            Err(Errno::INTR) => 0,
            Err(_) => return Ready { failed: true, ..Ready::default() },
        };
        let ready = |number| events[..count].iter().any(|event| event.data.u64() == number);
        let [stdout, stderr, woken, ended] = [STDOUT, STDERR, WOKEN, ENDED].map(ready);
        Ready { stdout, stderr, woken, ended, failed: false }
    }

    /// Registers what is waited for beside the child's output.
    fn watch(
        &mut self,
        group: &mut Group,
        wakeup: Option<&Wakeup>,
        to_write: bool,
    ) -> Result<(), Errno> {
        let add = |fd: BorrowedFd<'_>, number, flags| {
            epoll::add(&self.epoll, fd, EventData::new_u64(number), flags)
        };
        let number = |wakeup: &Wakeup| wakeup.fd().as_raw_fd();
        if self.wakeup.as_ref().map(number) != wakeup.map(number) {
            if let Some(before) = self.wakeup.take() {
                epoll::delete(&self.epoll, before.fd())?;
            }
            if let Some(wakeup) = wakeup {
                add(wakeup.fd(), WOKEN, EventFlags::IN)?;
            }
            self.wakeup = wakeup.cloned();
        }
        if !self.awaits_end
            && let Some(ended) = group.tree.ended_fd()
        {
            add(ended, ENDED, EventFlags::IN)?;
            self.awaits_end = true;
        }
        if to_write && let Some(stdin) = &self.stdin {
            add(stdin.as_fd(), STDIN, EventFlags::OUT)?;
        }
        Ok(())
    }

    /// Enlarges the pipe of the child's output to what an ordinary user may have, so that it can
    /// print for long without a reader. A system that refuses leaves it as it is.
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
fn read(epoll: &OwnedFd, pipe: &mut Option<impl AsFd>, buffer: &mut [u8]) -> Moved {
    let Some(open) = pipe else { return Moved::Closed };
    match rustix::io::read(&*open, buffer) {
        Ok(length) if length > 0 => Moved::Bytes(length),
        Err(Errno::AGAIN | Errno::INTR) => Moved::Nothing,
        _ => {
            // A process that is just being started may hold the pipe for a moment.
            let _ = epoll::delete(epoll, &*open);
            *pipe = None;
            Moved::Closed
        }
    }
}
