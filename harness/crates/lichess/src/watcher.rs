//! The streams of events and of games: read line by line, opened again after a cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use super::backoff::Backoff;
use super::client::{CallError, Client};

/// How often a sleeping thread looks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A line of a stream that is not empty.
#[derive(Debug)]
pub struct StreamLine {
    /// Its text.
    pub text: String,
    /// When its connection was opened.
    pub opened_at: Instant,
    /// When it was read. The thread that processes it may do so much later.
    pub read_at: Instant,
}

/// An event of a stream.
#[derive(Debug)]
pub enum StreamEvent {
    /// A line came.
    Line(StreamLine),
    /// The connection was cut, or could not be opened; it is tried again.
    Cut(String),
    /// The server refuses the stream for good: nothing more comes.
    Refused(CallError),
}

/// Ends threads that wait.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Whether [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends what waits.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Sleeps, until it is cancelled.
    pub fn sleep(&self, pause: Duration) {
        let until = Instant::now() + pause;
        while !self.is_cancelled() && Instant::now() < until {
            thread::sleep(POLL_INTERVAL.min(until.saturating_duration_since(Instant::now())));
        }
    }
}

/// Reads a stream in a thread of its own until it is cancelled, or refused for good by `is_final`. A
/// stream that ended is opened again: a server that is restarted ends all of them.
pub fn watch<T: Send + 'static>(
    client: &Arc<Client>,
    path: String,
    cancel: &Cancel,
    sender: Sender<T>,
    is_final: impl Fn(&CallError) -> bool + Send + 'static,
    wrap: impl Fn(StreamEvent) -> T + Send + 'static,
) {
    let client = Arc::clone(client);
    let cancel = cancel.clone();
    let send = move |event| sender.send(wrap(event)).is_ok();
    thread::spawn(move || {
        let mut backoff = Backoff::default();
        while !cancel.is_cancelled() {
            backoff.begin();
            let mut pause = Duration::ZERO;
            let why = match read(&client, &path, &cancel, &send) {
                Ok(Some(why)) => why,
                Ok(None) | Err(CallError::Cancelled) => return,
                Err(error) if !error.may_pass() && is_final(&error) => {
                    send(StreamEvent::Refused(error));
                    return;
                }
                Err(CallError::Quota(quota)) => {
                    pause = quota.wait;
                    quota.to_string()
                }
                Err(error) => error.to_string(),
            };
            if !send(StreamEvent::Cut(why)) {
                return;
            }
            cancel.sleep(backoff.pause().max(pause));
        }
    });
}

/// Reads a stream to its end: why it ended, or `None` once there is no listener.
fn read(
    client: &Client,
    path: &str,
    cancel: &Cancel,
    send: &dyn Fn(StreamEvent) -> bool,
) -> Result<Option<String>, CallError> {
    let opened_at = Instant::now();
    let mut lines = client.open(path, &|| !cancel.is_cancelled())?;
    loop {
        match lines.next_line() {
            Ok(Some(text)) if text.is_empty() => {}
            Ok(Some(text)) => {
                let line = StreamLine { text, opened_at, read_at: Instant::now() };
                if !send(StreamEvent::Line(line)) {
                    return Ok(None);
                }
            }
            Ok(None) => return Ok(Some("the server closed the stream".to_owned())),
            Err(error) => return Ok(Some(error.to_string())),
        }
        if cancel.is_cancelled() {
            return Ok(None);
        }
    }
}
