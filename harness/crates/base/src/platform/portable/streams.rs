//! The streams of a child: a thread for each pipe, which may block, and a condition variable.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::wakeup::{SLICE, Wakeup};
use crate::platform::group::{Group, Pipes};
use crate::platform::types::{MAX_WAIT, Moved, Ready};
use crate::sync::{lock, unpoisoned};

/// Bytes that wait in this process, each way, before whoever writes has to wait.
const ROOM: usize = 64 * 1024;

/// The same of an engine that thinks without a reader.
const LARGE_ROOM: usize = 1 << 20;

/// Bytes that a thread reads at once.
const CHUNK: usize = 16 * 1024;

/// Time for the reading threads to take in what a child printed before its end.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// The streams to and from a child.
pub struct Streams {
    shared: Arc<Shared>,
    /// To the thread that writes; `None` once the input is closed.
    to_write: Option<Sender<Vec<u8>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    stdout: Output,
    stderr: Output,
    /// Bytes that the thread has still to write.
    unwritten: usize,
    /// The child reads no more.
    input_closed: bool,
    /// The reader is gone.
    dropped: bool,
}

/// State of a pipe's reader.
#[derive(Default)]
struct Output {
    bytes: VecDeque<u8>,
    room: usize,
    closed: bool,
    /// A read has reported the end.
    end_reported: bool,
}

impl Output {
    fn is_ready(&self) -> bool {
        !self.bytes.is_empty() || self.closed && !self.end_reported
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Streams {
    /// Takes the pipes over.
    ///
    /// # Errors
    /// When one is missing, or a thread cannot be started.
    pub fn new(pipes: Pipes) -> io::Result<Streams> {
        let missing = || io::Error::from(io::ErrorKind::BrokenPipe);
        let stdin = pipes.stdin.ok_or_else(missing)?;
        let stdout = pipes.stdout.ok_or_else(missing)?;
        let stderr = pipes.stderr.ok_or_else(missing)?;
        let shared = Arc::<Shared>::default();
        shared.state().stdout.room = ROOM;
        shared.state().stderr.room = ROOM;
        read_on(stdout, &shared, |state| &mut state.stdout)?;
        read_on(stderr, &shared, |state| &mut state.stderr)?;
        let to_write = Some(write_on(stdin, &shared)?);
        Ok(Streams { shared, to_write })
    }

    /// Writes what there is room for.
    pub fn write(&mut self, bytes: &[u8]) -> Moved {
        let Some(to_write) = &self.to_write else { return Moved::Closed };
        let mut state = self.shared.state();
        if state.input_closed {
            return Moved::Closed;
        }
        let length = bytes.len().min(ROOM.saturating_sub(state.unwritten));
        if length == 0 {
            return Moved::Nothing;
        }
        state.unwritten += length;
        drop(state);
        match to_write.send(bytes[..length].to_vec()) {
            Ok(()) => Moved::Bytes(length),
            Err(_) => Moved::Closed,
        }
    }

    /// Reads what the child has printed.
    pub fn read_stdout(&mut self, buffer: &mut [u8]) -> Moved {
        self.read(buffer, |state| &mut state.stdout)
    }

    /// Reads what the child has printed on standard error.
    pub fn read_stderr(&mut self, buffer: &mut [u8]) -> Moved {
        self.read(buffer, |state| &mut state.stderr)
    }

    fn read(&mut self, buffer: &mut [u8], of: fn(&mut State) -> &mut Output) -> Moved {
        let mut state = self.shared.state();
        let output = of(&mut state);
        // Never fails, and reads at most what is there.
        let length = output.bytes.read(buffer).unwrap_or(0);
        if length > 0 {
            self.shared.changed.notify_all();
            return Moved::Bytes(length);
        }
        output.end_reported = output.closed;
        if output.closed { Moved::Closed } else { Moved::Nothing }
    }

    /// Waits until something can be done, at most this long.
    pub fn wait(
        &mut self,
        group: &mut Group,
        wakeup: Option<&Wakeup>,
        at_most: Duration,
        to_write: bool,
    ) -> Ready {
        let end = Instant::now() + at_most.min(MAX_WAIT);
        loop {
            let ended = group.has_ended_within(Duration::ZERO);
            if ended {
                self.wait_for_last_output();
            }
            let state = self.shared.state();
            let ready = Ready {
                stdout: state.stdout.is_ready(),
                stderr: state.stderr.is_ready(),
                woken: wakeup.is_some_and(|wakeup| wakeup.is_set_within(Duration::ZERO)),
                ended,
                failed: false,
            };
            let may_write = to_write && (state.unwritten < ROOM || state.input_closed);
            let left = end.saturating_duration_since(Instant::now());
            if ready.stdout || ready.stderr || ready.woken || ended || may_write || left.is_zero() {
                return ready;
            }
            // The end of the child and the wake-up are polled between two slices.
            drop(self.shared.changed.wait_timeout(state, left.min(SLICE)));
        }
    }

    /// The last output of a child may not have been read yet; a helper that it has left may
    /// hold its output open.
    fn wait_for_last_output(&self) {
        let state = self.shared.state();
        let is_open = |state: &mut State| !(state.stdout.closed && state.stderr.closed);
        let waited = self.shared.changed.wait_timeout_while(state, LAST_OUTPUT, is_open);
        drop(waited);
    }

    /// Lets the child print for long without a reader.
    pub fn enlarge_output(&mut self) {
        self.shared.state().stdout.room = LARGE_ROOM;
        self.shared.changed.notify_all();
    }

    /// Closes the child's input, after what is to be written: end of file.
    pub fn close_input(&mut self) {
        self.to_write = None;
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        self.shared.state().dropped = true;
        self.shared.changed.notify_all();
    }
}

/// Reads a pipe on a thread of its own, as long as there is room.
fn read_on(
    mut pipe: impl Read + Send + 'static,
    shared: &Arc<Shared>,
    of: fn(&mut State) -> &mut Output,
) -> io::Result<()> {
    let shared = Arc::clone(shared);
    let thread = thread::Builder::new().name("pipe".to_owned());
    thread.spawn(move || {
        let mut chunk = vec![0; CHUNK];
        loop {
            let read = pipe.read(&mut chunk);
            let mut state = shared.state();
            match read {
                Ok(length) if length > 0 => of(&mut state).bytes.extend(&chunk[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => of(&mut state).closed = true,
            }
            shared.changed.notify_all();
            let full = |state: &mut State| {
                let is_full = of(state).bytes.len() >= of(state).room;
                !state.dropped && is_full
            };
            let state = shared.changed.wait_while(state, full);
            let mut state = unpoisoned(state);
            if state.dropped || of(&mut state).closed {
                return;
            }
        }
    })?;
    Ok(())
}

/// Writes to a pipe on a thread of its own.
fn write_on(
    mut pipe: impl Write + Send + 'static,
    shared: &Arc<Shared>,
) -> io::Result<Sender<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel::<Vec<u8>>();
    let shared = Arc::clone(shared);
    let thread = thread::Builder::new().name("pipe".to_owned());
    thread.spawn(move || {
        for bytes in receiver {
            let written = pipe.write_all(&bytes).and_then(|()| pipe.flush());
            let mut state = shared.state();
            state.unwritten -= bytes.len();
            state.input_closed |= written.is_err();
            shared.changed.notify_all();
            if state.input_closed {
                return;
            }
        }
    })?;
    Ok(sender)
}
