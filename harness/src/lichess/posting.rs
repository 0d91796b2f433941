//! A move on its way to the server: it counts once, whatever happens to the answer.

use std::time::Instant;

use super::backoff::Backoff;
use super::client::{Body, CallError};
use super::game::{Game, Sent};
use super::gate::Urgency;
use super::position::Position;
use super::thinking::Chosen;

impl Game<'_> {
    /// Sends a move until the server has it. An answer that was lost leaves open whether it has: its
    /// state is asked for then, and the move is sent again only where that state lacks it.
    pub(super) fn deliver(&mut self, position: &Position, chosen: &Chosen) {
        let plies = position.plies();
        let offer = if chosen.offers_draw { "?offeringDraw=true" } else { "" };
        let path = format!("/api/bot/game/{}/move/{}{offer}", self.task.id, chosen.uci);
        let mut backoff = Backoff::default();
        while self.lacks(plies) {
            let wanted = self.wanted.clone();
            let sent = self.task.client.post(&path, Body::Empty, Urgency::Now, &|| wanted.is_so());
            let id = &self.task.id;
            match sent {
                Ok(()) => {
                    self.sent = Some(Sent { plies, at: Instant::now() });
                    return;
                }
                Err(CallError::Unwanted) => return,
                // It was not looked at: it is sent again after the pause.
                Err(error @ CallError::Limited(_)) => {
                    (self.task.note)(format!("game {id}: {}: {error}", chosen.uci));
                    self.take_all();
                    continue;
                }
                Err(error) => (self.task.note)(format!("game {id}: {}: {error}", chosen.uci)),
            }
            self.wanted.sleep(backoff.pause());
            self.take_all();
            if self.lacks(plies) {
                self.ask();
            }
        }
    }

    /// Whether the game goes on without the move after so many plies.
    fn lacks(&self, plies: usize) -> bool {
        let shown = self.position.as_ref().map_or(0, Position::plies);
        !self.is_over() && shown == plies && self.sent.is_none_or(|sent| sent.plies < plies)
    }
}
