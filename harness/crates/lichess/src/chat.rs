//! Lines for the chat, sent by a thread of their own: a game does not wait for them.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::client::{Body, Client};
use super::rate_limit::Priority;
use super::watcher::Cancel;

/// Most lines that wait; further ones are dropped.
const MAX_WAITING: usize = 20;

/// A line that was not sent within this time is dropped.
const LATEST: Duration = Duration::from_secs(10);

/// A line for the chat of a game.
#[derive(Debug)]
pub struct ChatLine {
    /// The game.
    pub game: String,
    /// The text.
    pub text: String,
    /// When it was queued.
    pub queued_at: Instant,
}

/// The thread that sends the lines.
#[derive(Debug)]
pub struct ChatThread(Receiver<()>);

impl ChatThread {
    /// Waits until all lines are sent or dropped, once their senders are gone.
    pub fn finish(self) {
        // Nothing is ever sent on this channel: it is disconnected at the thread's end.
        if self.0.recv_timeout(2 * LATEST) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("lines of the chat are left unsent");
        }
    }
}

/// Starts the thread; it ends with the senders of its lines.
pub fn start(client: &Arc<Client>, cancel: &Cancel) -> (SyncSender<ChatLine>, ChatThread) {
    let client = Arc::clone(client);
    let cancel = cancel.clone();
    let (sender, lines) = sync_channel::<ChatLine>(MAX_WAITING);
    let (running, finished) = channel();
    thread::spawn(move || {
        for line in lines {
            send(&client, &cancel, &line);
        }
        drop(running);
    });
    (sender, ChatThread(finished))
}

/// Sends a line once, unless the server asks for a pause or the line is old.
fn send(client: &Client, cancel: &Cancel, line: &ChatLine) {
    let path = format!("/api/bot/game/{}/chat", line.game);
    let fields = [("room", "player"), ("text", line.text.as_str())];
    let wanted =
        || !cancel.is_cancelled() && !client.is_paused() && line.queued_at.elapsed() < LATEST;
    let sent = client.post(&path, Body::Form(&fields), Priority::Background, &wanted);
    if let Err(error) = sent {
        tracing::warn!("game {}: the chat: {error}", line.game);
    }
}
