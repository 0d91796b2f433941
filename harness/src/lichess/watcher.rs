//! The streams of events and of games: read line by line, opened anew after they were cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use super::backoff::Backoff;
use super::client::{CallError, Client};

/// Longest part of a line that a log repeats, in characters.
const SHOWN: usize = 80;

/// A thread that waits looks so often whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// What a stream brings. Each is told with the time at which its connection was opened.
#[derive(Debug)]
pub enum Told {
    /// A line that is not empty.
    Line(String),
    /// The connection was cut, or could not be opened; it is tried again.
    Cut(String),
    /// The server refuses the stream: nothing more comes.
    Refused(CallError),
}

/// Whether a thread is still wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// It is.
    pub fn is_so(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }

    /// It is not any more.
    pub fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Sleeps while it is wanted.
    pub fn sleep(&self, pause: Duration) {
        let until = Instant::now() + pause;
        while self.is_so() && Instant::now() < until {
            thread::sleep(LOOK.min(until.saturating_duration_since(Instant::now())));
        }
    }
}

/// Reads a stream in a thread of its own until it is refused or not wanted any more. One that ended is
/// opened again: a server that is restarted ends all of them.
pub fn watch<T: Send + 'static>(
    client: &Arc<Client>,
    path: String,
    wanted: &Wanted,
    sender: Sender<T>,
    wrap: impl Fn(Told, Instant) -> T + Send + 'static,
) {
    let (client, wanted) = (Arc::clone(client), wanted.clone());
    thread::spawn(move || {
        let mut backoff = Backoff::default();
        while wanted.is_so() {
            let opened_at = Instant::now();
            backoff.begin();
            let tell = |told| sender.send(wrap(told, opened_at)).is_ok();
            let why = match client.open(&path, &|| wanted.is_so()) {
                Ok(mut lines) => loop {
                    match lines.next_line() {
                        Ok(Some(line)) if line.is_empty() => {}
                        Ok(Some(line)) => {
                            if !tell(Told::Line(line)) {
                                return;
                            }
                        }
                        Ok(None) => break "the server closed the stream".to_owned(),
                        Err(error) => break error.to_string(),
                    }
                    if !wanted.is_so() {
                        return;
                    }
                },
                Err(error @ (CallError::Token | CallError::Refused(..))) => {
                    tell(Told::Refused(error));
                    return;
                }
                Err(CallError::Unwanted) => return,
                Err(error) => error.to_string(),
            };
            if !tell(Told::Cut(why)) {
                return;
            }
            wanted.sleep(backoff.pause());
        }
    });
}

/// The beginning of a line that makes no sense, for a log.
pub fn beginning(line: &str) -> String {
    let shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() { format!("{shown}…") } else { shown }
}
