//! Input that may keep its reader waiting: standard input, and files that are pipes or devices.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;

/// Chunks that are read ahead.
const AHEAD: usize = 4;

/// How often a reader that waits looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Set when the process is to stop.
static INTERRUPT: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Ends, with an error, every wait for input once a flag is set. Of several calls the first one counts.
pub fn stop_waiting_at(flag: Arc<AtomicBool>) {
    INTERRUPT.get_or_init(|| flag);
}

/// What a thread of its own reads, which may wait as long as it likes.
pub struct Pipe {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    /// Bytes of the chunk that were given away.
    taken: usize,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Pipe {
    /// Reads what is opened, which may wait for a writer.
    pub fn new<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static) -> Pipe {
        Pipe::with_interrupt(open, INTERRUPT.get().cloned())
    }

    fn with_interrupt<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> Pipe {
        let (sender, chunks) = sync_channel(AHEAD);
        let read = move || {
            let mut source = match open() {
                Ok(source) => source,
                Err(error) => return drop(sender.send(Err(error))),
            };
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match source.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let is_over = !matches!(read, Ok(1..));
                let sent = read.map(|length| {
                    chunk.truncate(length);
                    chunk
                });
                // Without a reader there is nothing left to do.
                if sender.send(sent).is_err() || is_over {
                    return;
                }
            }
        };
        // Without a thread its end of the channel is dropped, and the input is as empty.
        let _ = thread::Builder::new().name("input".to_owned()).spawn(read);
        Pipe { chunks, chunk: Vec::new(), taken: 0, interrupt }
    }

    /// The next chunk, empty at the end.
    fn receive(&self) -> io::Result<Vec<u8>> {
        loop {
            match self.chunks.recv_timeout(POLL_INTERVAL) {
                Ok(chunk) => return chunk,
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
                Err(RecvTimeoutError::Timeout) => {
                    let flag = self.interrupt.as_ref();
                    if flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                        return Err(io::Error::other("interrupted while waiting for input"));
                    }
                }
            }
        }
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.chunk.len() {
            self.chunk = self.receive()?;
            self.taken = 0;
        }
        let rest = &self.chunk[self.taken..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.taken += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_read_in_order_and_an_error_is_passed_on() {
        let bytes: Vec<u8> = (0..300_000_u32).map(|at| (at % 251) as u8).collect();
        let source = bytes.clone();
        let mut read = Vec::new();
        Pipe::new(move || Ok(io::Cursor::new(source))).read_to_end(&mut read).expect("readable");
        assert!(read == bytes);
        let refused = || Err::<io::Empty, _>(io::ErrorKind::NotFound.into());
        let error = Pipe::new(refused).read(&mut [0]).expect_err("it cannot be opened");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_reader_that_waits_for_a_silent_writer_stops_at_the_interrupt() {
        let (silent, _writer) = io::pipe().expect("a pipe");
        let flag = Arc::new(AtomicBool::new(false));
        let mut pipe = Pipe::with_interrupt(|| Ok(silent), Some(Arc::clone(&flag)));
        let waiting = thread::spawn(move || pipe.read(&mut [0]).map_err(|error| error.to_string()));
        flag.store(true, Ordering::Relaxed);
        let read = waiting.join().expect("no panic");
        assert!(read.is_err_and(|error| error.contains("interrupted")));
    }
}
