//! The requests of a game: a move counts once, whatever happens to the answer; other requests are
//! repeated while their reason holds.

use std::time::{Duration, Instant};

use super::backoff::Backoff;
use super::chat::ChatLine;
use super::client::{Body, CallError};
use super::game::{Game, Lost, Sent};
use super::messages::{GameLine, game_line};
use super::position::Position;
use super::rate_limit::Priority;
use super::thinking::Chosen;

/// How often a request that waits for the end of a pause looks whether its reason still holds.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Longest wait for a quota before a move is sent again: a clock runs.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A request without a clear answer is sent so often.
const ATTEMPTS: u32 = 6;

impl Game<'_> {
    /// Sends a move until the server has it. An answer that was lost leaves open whether it has: the
    /// game's state is asked for then, and the move is sent again only where that state lacks it.
    pub(super) fn deliver(&mut self, position: &Position, chosen: &Chosen) {
        let plies = position.plies();
        let offer = if chosen.offers_draw { "?offeringDraw=true" } else { "" };
        let path = format!("/api/bot/game/{}/move/{}{offer}", self.task.id, chosen.uci);
        let mut backoff = Backoff::default();
        while self.lacks(plies) {
            let finish = self.task.finish.clone();
            let wanted = || !finish.is_cancelled();
            let sent = self.task.client.post(&path, Body::Empty, Priority::Move, &wanted);
            let id = &self.task.id;
            match sent {
                Ok(()) => {
                    self.sent = Some(Sent { plies, at: Instant::now() });
                    return;
                }
                Err(CallError::Cancelled) => return,
                // The server did nothing: the move is sent again after the pause.
                Err(error @ CallError::Limited) => {
                    (self.task.note)(format!("game {id}: {}: {error}", chosen.uci));
                    self.take_all();
                    continue;
                }
                // This game alone waits.
                Err(CallError::Quota(quota)) => {
                    (self.task.note)(format!("game {id}: {}: {quota}", chosen.uci));
                    let pause = quota.wait.clamp(POLL_INTERVAL, MAX_WAIT);
                    self.task.finish.sleep(pause);
                    self.take_all();
                    continue;
                }
                Err(error) => (self.task.note)(format!("game {id}: {}: {error}", chosen.uci)),
            }
            self.task.finish.sleep(backoff.pause());
            self.take_all();
            if self.lacks(plies) {
                self.ask();
            }
        }
    }

    /// Whether the game continues without the move after this many plies.
    fn lacks(&self, plies: usize) -> bool {
        let shown = self.position.as_ref().map_or(0, Position::plies);
        self.is_ongoing() && shown == plies && self.sent.is_none_or(|sent| sent.plies < plies)
    }

    /// Asks the server for the state of the game, until it answers or the stream shows a further move.
    pub(super) fn ask(&mut self) {
        let path = self.stream_path();
        let mut backoff = Backoff::default();
        let before = self.known_plies();
        while self.is_ongoing() {
            let opened_at = Instant::now();
            let finish = self.task.finish.clone();
            match self.task.client.first_line(&path, &|| !finish.is_cancelled()) {
                Ok(line) => {
                    if let Ok(GameLine::Full(full)) = game_line(&line) {
                        self.take_full(*full, opened_at, Instant::now());
                        return;
                    }
                }
                Err(error) if error.ends_stream() => {
                    self.lost = Some(Lost::by(&error));
                    return;
                }
                Err(error) => tracing::warn!("game {}: its state: {error}", self.task.id),
            }
            self.task.finish.sleep(backoff.pause());
            self.take_all();
            if self.known_plies() > before {
                return;
            }
        }
    }

    /// Sends a request until the server takes or refuses it, the game is over, or its reason is gone;
    /// one without a clear answer some times.
    pub(super) fn insist(&mut self, action: &str, has_reason: impl Fn(&Self) -> bool) {
        let path = format!("/api/bot/game/{}/{action}", self.task.id);
        let mut backoff = Backoff::default();
        let mut unclear = 0;
        while self.is_ongoing() && has_reason(self) {
            let finish = self.task.finish.clone();
            let client = &self.task.client;
            let wanted = || !finish.is_cancelled() && !client.is_paused();
            let pause = match client.post(&path, Body::Empty, Priority::Move, &wanted) {
                Ok(()) => return,
                Err(CallError::Cancelled | CallError::Limited) => POLL_INTERVAL,
                Err(error @ CallError::Unclear(_)) if unclear < ATTEMPTS => {
                    unclear += 1;
                    tracing::warn!("game {}: {action}: {error}", self.task.id);
                    backoff.pause()
                }
                Err(error) => {
                    (self.task.note)(format!("game {}: {action}: {error}", self.task.id));
                    return;
                }
            };
            self.task.finish.sleep(pause);
            self.take_all();
        }
    }

    /// Queues a line for the chat.
    pub(super) fn say(&self, text: &str) {
        let game = self.task.id.clone();
        let text = text.to_owned();
        let line = ChatLine { game, text, queued_at: Instant::now() };
        if self.task.chat.try_send(line).is_err() {
            tracing::warn!(
                "game {}: too many lines of the chat wait: one is dropped",
                self.task.id
            );
        }
    }
}
