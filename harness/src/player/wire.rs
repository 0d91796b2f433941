//! The pipes to a child process: lines out, lines in, a deadline on every wait, no thread.

use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;

use super::group::{Group, timespec};
use super::log::Listeners;
use crate::session::Interrupt;

/// Longest line that is parsed; a longer one is skipped, so memory stays bounded.
const LONGEST_LINE: usize = 64 * 1024;
const BUFFER: usize = 2 * LONGEST_LINE;
/// Bytes of the pipe of an engine that thinks while nobody reads it.
#[cfg(target_os = "linux")]
const LARGE_PIPE: usize = 1 << 20;
/// How much of the child's standard error is kept as evidence.
const STDERR_KEPT: usize = 4 * 1024;
/// How much of a line is kept as evidence.
const LINE_KEPT: usize = 160;

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The deadline passed.
    Deadline,
    /// The user interrupted the harness.
    Interrupted,
    /// The child closed this pipe.
    Closed,
    /// The child exited, and all its output was read.
    Ended,
}

/// The end of a wait. What is in the pipe when the time is up still counts, once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    at: Instant,
    last_read_done: bool,
}

impl Deadline {
    /// From now on.
    pub(super) fn after(patience: Duration) -> Deadline {
        Deadline::starting(Instant::now(), patience)
    }

    /// From a given moment on.
    pub(super) fn starting(start: Instant, patience: Duration) -> Deadline {
        // A longer patience could overflow.
        let patience = patience.min(Duration::from_secs(365 * 24 * 3600));
        Deadline { at: start + patience, last_read_done: false }
    }

    /// Time left, zero when it is up.
    pub(super) fn remaining(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// Time left; `None` once it is up and the last read was done.
    fn left(&mut self) -> Option<Duration> {
        let left = self.remaining();
        if left.is_zero() {
            if self.last_read_done {
                return None;
            }
            self.last_read_done = true;
        }
        Some(left)
    }
}

/// The pipes to a child.
pub(super) struct Wire {
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    buffer: Vec<u8>,
    /// What was read and not yet handed out.
    unread: Range<usize>,
    /// Up to here `unread` holds no line end.
    searched: usize,
    /// Within a line that is too long.
    skipping: bool,
    child_ended: bool,
    /// When the last bytes arrived.
    read_at: Instant,
    stderr_tail: Vec<u8>,
    last_line: Vec<u8>,
    lines_skipped: u64,
    listeners: Listeners,
}

impl Wire {
    /// Takes the pipes over and makes them non-blocking.
    pub(super) fn new(
        stdin: OwnedFd,
        stdout: OwnedFd,
        stderr: OwnedFd,
        listeners: Listeners,
    ) -> Result<Wire, Errno> {
        for pipe in [&stdin, &stdout, &stderr] {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(Wire {
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            buffer: vec![0; BUFFER],
            unread: 0..0,
            searched: 0,
            skipping: false,
            child_ended: false,
            read_at: Instant::now(),
            stderr_tail: Vec::new(),
            last_line: Vec::new(),
            lines_skipped: 0,
            listeners,
        })
    }

    /// Writes everything, and reads the child's output meanwhile, so that neither blocks.
    pub(super) fn write(
        &mut self,
        mut bytes: &[u8],
        group: &Group,
        interrupt: Option<&Interrupt>,
        deadline: &mut Deadline,
    ) -> Result<(), Stop> {
        if !bytes.is_empty() {
            self.listeners.sent(bytes);
        }
        while !bytes.is_empty() {
            let stdin = self.stdin.as_ref().ok_or(Stop::Closed)?;
            match rustix::io::write(stdin, bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if self.child_ended {
                        return Err(Stop::Ended);
                    }
                    self.wait(group, interrupt, deadline, true)?;
                    if self.stdout.is_some() {
                        self.read_stdout();
                    }
                }
                Err(_) => return Err(Stop::Closed),
            }
        }
        Ok(())
    }

    /// The next line, without its end.
    pub(super) fn line(
        &mut self,
        group: &Group,
        interrupt: Option<&Interrupt>,
        deadline: &mut Deadline,
    ) -> Result<&[u8], Stop> {
        loop {
            if let Some(line) = self.buffered_line() {
                return Ok(self.hand_out(line));
            }
            match self.stdout {
                None if !self.unread.is_empty() => {
                    // The last line may lack its end.
                    let line = self.unread.clone();
                    self.unread.start = line.end;
                    return Ok(self.hand_out(line));
                }
                None if self.child_ended => return Err(Stop::Ended),
                None => return Err(Stop::Closed),
                Some(_) => {}
            }
            if self.child_ended {
                // The child exited: read what is left in the pipe.
                if !self.read_stdout() {
                    self.stdout = None;
                } else if deadline.left().is_none() {
                    return Err(Stop::Deadline);
                }
            } else {
                self.wait(group, interrupt, deadline, false)?;
            }
        }
    }

    /// Drops what was read but not yet handed out.
    pub(super) fn discard(&mut self) {
        self.unread = 0..0;
        self.searched = 0;
    }

    /// Enlarges the pipe of the child's output to what an ordinary user may have, so that it can
    /// print for long while nobody reads. A system that refuses leaves it as it is.
    pub(super) fn enlarge_output(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(stdout) = &self.stdout {
            let _ = rustix::pipe::fcntl_setpipe_size(stdout, LARGE_PIPE);
        }
    }

    /// Closes the child's input: end of file.
    pub(super) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// When the last bytes arrived.
    pub(super) fn read_at(&self) -> Instant {
        self.read_at
    }

    /// Evidence for a fault: the last line, lines skipped, the end of stderr.
    pub(super) fn evidence(&mut self) -> Vec<String> {
        self.read_stderr();
        let mut evidence = Vec::new();
        if !self.last_line.is_empty() {
            evidence.push(format!("last line `{}`", self.last_line.escape_ascii()));
        }
        match self.lines_skipped {
            0 => {}
            count => evidence.push(format!("lines of over {LONGEST_LINE} bytes: {count}")),
        }
        let stderr = String::from_utf8_lossy(&self.stderr_tail);
        if !stderr.trim().is_empty() {
            evidence.push(format!("standard error: {}", stderr.trim()));
        }
        evidence
    }

    /// Waits until something can be done, and reads what came.
    fn wait(
        &mut self,
        group: &Group,
        interrupt: Option<&Interrupt>,
        deadline: &mut Deadline,
        to_write: bool,
    ) -> Result<(), Stop> {
        let left = deadline.left().ok_or(Stop::Deadline)?;
        let mut fds = Vec::with_capacity(5);
        let stdout = watch(&mut fds, self.stdout.as_ref().map(AsFd::as_fd), PollFlags::IN);
        let stderr = watch(&mut fds, self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN);
        let interrupted = watch(&mut fds, interrupt.map(Interrupt::fd), PollFlags::IN);
        let ended = watch(&mut fds, group.ended_fd(), PollFlags::IN);
        if to_write {
            watch(&mut fds, self.stdin.as_ref().map(AsFd::as_fd), PollFlags::OUT);
        }
        match poll(&mut fds, Some(&timespec(left))) {
            Ok(_) | Err(Errno::INTR) => {}
            // Out of memory for the kernel: nothing can be waited for.
            Err(_) => return Err(Stop::Deadline),
        }
        let ready = |slot: Option<usize>| slot.is_some_and(|slot| !fds[slot].revents().is_empty());
        let [stdout, stderr, interrupted, ended] = [stdout, stderr, interrupted, ended].map(ready);
        if stdout {
            self.read_stdout();
        }
        if stderr {
            self.read_stderr();
        }
        self.child_ended |= ended;
        if interrupted { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn buffered_line(&mut self) -> Option<Range<usize>> {
        loop {
            let from = self.searched.max(self.unread.start);
            let unseen = &self.buffer[from..self.unread.end];
            let Some(length) = unseen.iter().position(|&byte| byte == b'\n') else {
                self.searched = self.unread.end;
                if self.unread.len() > LONGEST_LINE {
                    self.discard();
                    self.skipping = true;
                }
                return None;
            };
            let line = self.unread.start..from + length;
            self.unread.start = line.end + 1;
            self.searched = self.unread.start;
            if !std::mem::take(&mut self.skipping) {
                return Some(line);
            }
            self.lines_skipped += 1;
        }
    }

    /// Notes a line as evidence and cuts the carriage return of Windows engines.
    fn hand_out(&mut self, line: Range<usize>) -> &[u8] {
        let line = self.buffer[line].trim_ascii();
        self.listeners.received(line);
        self.last_line.clear();
        self.last_line.extend_from_slice(&line[..line.len().min(LINE_KEPT)]);
        line
    }

    /// Reads once; false if nothing was there. Notes when the child closed its output.
    fn read_stdout(&mut self) -> bool {
        let Some(stdout) = &self.stdout else { return false };
        if self.unread.is_empty() {
            self.unread = 0..0;
            self.searched = 0;
        } else if BUFFER - self.unread.end < LONGEST_LINE {
            self.buffer.copy_within(self.unread.clone(), 0);
            self.searched = self.searched.saturating_sub(self.unread.start);
            self.unread = 0..self.unread.len();
        }
        if self.unread.end == BUFFER {
            // Only while writing to a child that prints and does not read.
            self.unread = 0..0;
            self.searched = 0;
            self.skipping = true;
        }
        match rustix::io::read(stdout, &mut self.buffer[self.unread.end..]) {
            Ok(0) => self.stdout = None,
            Ok(length) => {
                self.unread.end += length;
                self.read_at = Instant::now();
                return true;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.stdout = None,
        }
        false
    }

    /// Reads what is there, up to a bound, and keeps the end of it.
    fn read_stderr(&mut self) {
        let mut chunk = [0; STDERR_KEPT];
        for _ in 0..16 {
            let Some(stderr) = &self.stderr else { return };
            match rustix::io::read(stderr, &mut chunk) {
                Ok(0) => self.stderr = None,
                Ok(length) => {
                    self.stderr_tail.extend_from_slice(&chunk[..length]);
                    let surplus = self.stderr_tail.len().saturating_sub(STDERR_KEPT);
                    self.stderr_tail.drain(..surplus);
                }
                Err(Errno::AGAIN | Errno::INTR) => return,
                Err(_) => self.stderr = None,
            }
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
