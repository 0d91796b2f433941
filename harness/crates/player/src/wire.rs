//! The conversation with a child process: lines out, lines in, a deadline on every wait.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::log::Listeners;
use harness_base::platform::{Group, Moved, Streams};
use harness_base::session::Interrupt;

/// Longest line that is parsed; a longer one is skipped, so memory stays bounded.
const MAX_LINE: usize = 64 * 1024;
const BUFFER: usize = 2 * MAX_LINE;
/// Bytes of the buffer until a longer line needs more: those of most engines, always.
const FIRST_BUFFER: usize = 8 * 1024;
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

/// The lines to and from a child.
pub(super) struct Wire {
    streams: Streams,
    /// Its output was not closed yet.
    is_open: bool,
    buffer: Vec<u8>,
    /// Bytes that were read and not yet returned.
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
    /// A line refused the word `uci`.
    refused_uci: bool,
    lines_skipped: u64,
    listeners: Listeners,
}

impl Wire {
    /// Takes the streams over.
    pub(super) fn new(streams: Streams, listeners: Listeners) -> Wire {
        Wire {
            streams,
            is_open: true,
            buffer: vec![0; FIRST_BUFFER],
            unread: 0..0,
            searched: 0,
            skipping: false,
            child_ended: false,
            read_at: Instant::now(),
            stderr_tail: Vec::new(),
            last_line: Vec::new(),
            refused_uci: false,
            lines_skipped: 0,
            listeners,
        }
    }

    /// Writes everything, and reads the child's output meanwhile, so that neither blocks.
    pub(super) fn write(
        &mut self,
        mut bytes: &[u8],
        group: &mut Group,
        interrupt: Option<&Interrupt>,
        deadline: &mut Deadline,
    ) -> Result<(), Stop> {
        if !bytes.is_empty() {
            self.listeners.sent(bytes);
        }
        while !bytes.is_empty() {
            match self.streams.write(bytes) {
                Moved::Bytes(written) => bytes = &bytes[written..],
                Moved::Nothing => {
                    if self.child_ended {
                        return Err(Stop::Ended);
                    }
                    self.wait(group, interrupt, deadline, true)?;
                    self.read_stdout();
                }
                Moved::Closed => return Err(Stop::Closed),
            }
        }
        Ok(())
    }

    /// The next line, without its end.
    pub(super) fn line(
        &mut self,
        group: &mut Group,
        interrupt: Option<&Interrupt>,
        deadline: &mut Deadline,
    ) -> Result<&[u8], Stop> {
        loop {
            if let Some(line) = self.buffered_line() {
                return Ok(self.hand_out(line));
            }
            if !self.is_open {
                if !self.unread.is_empty() {
                    // The last line may lack its end.
                    let line = self.unread.clone();
                    self.unread.start = line.end;
                    return Ok(self.hand_out(line));
                }
                return Err(if self.child_ended { Stop::Ended } else { Stop::Closed });
            }
            if self.child_ended {
                // The child exited: read what is left in the pipe.
                if !self.read_stdout() {
                    self.is_open = false;
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

    /// Lets the child print more before it blocks, while it is not read.
    pub(super) fn enlarge_output(&mut self) {
        self.streams.enlarge_output();
    }

    /// Closes the child's input: end of file.
    pub(super) fn close_input(&mut self) {
        self.streams.close_input();
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
        if self.refused_uci {
            evidence.push("an xboard engine is started with `proto: xboard`".to_owned());
        }
        match self.lines_skipped {
            0 => {}
            count => evidence.push(format!("lines of over {MAX_LINE} bytes: {count}")),
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
        group: &mut Group,
        interrupt: Option<&Interrupt>,
        deadline: &mut Deadline,
        to_write: bool,
    ) -> Result<(), Stop> {
        let left = deadline.left().ok_or(Stop::Deadline)?;
        let ready = self.streams.wait(group, interrupt.map(Interrupt::wakeup), left, to_write);
        if ready.failed {
            return Err(Stop::Deadline);
        }
        if ready.stdout {
            self.read_stdout();
        }
        if ready.stderr {
            self.read_stderr();
        }
        self.child_ended |= ready.ended;
        if ready.woken { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn buffered_line(&mut self) -> Option<Range<usize>> {
        loop {
            let from = self.searched.max(self.unread.start);
            let unseen = &self.buffer[from..self.unread.end];
            let Some(length) = memchr::memchr(b'\n', unseen) else {
                self.searched = self.unread.end;
                if self.unread.len() > MAX_LINE {
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
        self.refused_uci |= is_xboard_answer(&self.last_line);
        line
    }

    /// Reads once; false if nothing was there. Notes when the child closed its output.
    fn read_stdout(&mut self) -> bool {
        if !self.is_open {
            return false;
        }
        self.make_room();
        match self.streams.read_stdout(&mut self.buffer[self.unread.end..]) {
            Moved::Bytes(length) => {
                self.unread.end += length;
                self.read_at = Instant::now();
                return true;
            }
            Moved::Nothing => {}
            Moved::Closed => self.is_open = false,
        }
        false
    }

    /// Makes room behind what was not yet handed out: half of the buffer or more.
    fn make_room(&mut self) {
        if self.unread.is_empty() {
            self.discard();
        } else if self.unread.end > self.buffer.len() / 2 {
            self.buffer.copy_within(self.unread.clone(), 0);
            self.searched = self.searched.saturating_sub(self.unread.start);
            self.unread = 0..self.unread.len();
        }
        if self.unread.end > self.buffer.len() / 2 && self.buffer.len() < BUFFER {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        if self.unread.end == BUFFER {
            // Only while writing to a child that prints and does not read.
            self.discard();
            self.skipping = true;
        }
    }

    /// Reads what is there, up to a bound, and keeps the end of it.
    fn read_stderr(&mut self) {
        let mut chunk = [0; STDERR_KEPT];
        for _ in 0..16 {
            let Moved::Bytes(length) = self.streams.read_stderr(&mut chunk) else { return };
            self.stderr_tail.extend_from_slice(&chunk[..length]);
            let surplus = self.stderr_tail.len().saturating_sub(STDERR_KEPT);
            self.stderr_tail.drain(..surplus);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn lines_are_read_whole_up_to_the_longest_that_is_parsed() {
        let lengths = [3, 9_000, 40, 20_000, MAX_LINE, 200_000, 7];
        let mut command = Command::new("sh");
        let print: String = lengths
            .iter()
            .map(|length| format!("head -c {length} /dev/zero | tr '\\0' x; echo; "))
            .collect();
        command.args(["-c", &print]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut group, pipes) = Group::spawn(command).expect("there is a shell");
        let mut wire = Wire::new(
            Streams::new(pipes).expect("three pipes"),
            Listeners { transcript: None, log: None },
        );
        let mut deadline = Deadline::after(Duration::from_secs(60));
        let mut seen = Vec::new();
        while let Ok(line) = wire.line(&mut group, None, &mut deadline) {
            assert!(line.iter().all(|&byte| byte == b'x'));
            seen.push(line.len());
        }
        assert_eq!(seen, [3, 9_000, 40, 20_000, MAX_LINE, 7]);
        assert_eq!(wire.lines_skipped, 1);
        assert_eq!(wire.buffer.len(), BUFFER);
    }
}

/// Whether a line refuses the word `uci`, as an engine of the older protocol does: `Error (unknown command): uci`.
fn is_xboard_answer(line: &[u8]) -> bool {
    let answers = [&b"error (unknown command): uci"[..], b"illegal move: uci"];
    answers.iter().any(|answer| line.eq_ignore_ascii_case(answer))
}
