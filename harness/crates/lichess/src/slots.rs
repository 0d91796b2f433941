//! The games that count towards the limits of the settings: those under way, and accepted challenges.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::watcher::Cancel;

/// The game of an accepted challenge begins within this time after the server took the answer, or was
/// taken back.
const BEGINS_WITHIN: Duration = Duration::from_secs(30);

/// Games under way and accepted challenges, by their ids.
#[derive(Debug, Default)]
pub struct Slots {
    running: BTreeMap<String, Running>,
    accepted: BTreeMap<String, Accepted>,
}

#[derive(Debug)]
struct Running {
    opponent: Option<String>,
    /// Cancelled by `gameFinish` on the stream of events.
    finish: Cancel,
}

#[derive(Debug)]
struct Accepted {
    opponent: Option<String>,
    /// When the server took the answer, which may have waited long for its turn.
    answered_at: Option<Instant>,
}

impl Slots {
    /// A challenge whose acceptance is queued.
    pub fn accept(&mut self, id: String, opponent: Option<String>) {
        self.accepted.insert(id, Accepted { opponent, answered_at: None });
    }

    /// The server took the acceptance of a challenge.
    pub fn note_answer(&mut self, id: &str, now: Instant) {
        if let Some(accepted) = self.accepted.get_mut(id) {
            accepted.answered_at = Some(now);
        }
    }

    /// Frees the slot of a challenge that becomes no game.
    pub fn release(&mut self, id: &str) {
        self.accepted.remove(id);
    }

    /// Frees the slots of accepted challenges whose game should have begun by now.
    pub fn expire(&mut self, now: Instant) {
        self.accepted.retain(|_, accepted| {
            accepted.answered_at.is_none_or(|at| now.saturating_duration_since(at) < BEGINS_WITHIN)
        });
    }

    /// A game begins; `None` if it is under way already. The value is cancelled by
    /// [`Slots::note_finish`].
    pub fn begin(&mut self, id: &str, opponent: Option<String>) -> Option<Cancel> {
        let accepted = self.accepted.remove(id);
        if self.running.contains_key(id) {
            return None;
        }
        let opponent = opponent.or(accepted.and_then(|accepted| accepted.opponent));
        let finish = Cancel::default();
        self.running.insert(id.to_owned(), Running { opponent, finish: finish.clone() });
        Some(finish)
    }

    /// A `gameFinish` event. The result comes on the game's own stream.
    pub fn note_finish(&mut self, id: &str) {
        self.accepted.remove(id);
        if let Some(running) = self.running.get(id) {
            running.finish.cancel();
        }
    }

    /// Frees the slot of a game that is over.
    pub fn end(&mut self, id: &str) {
        self.running.remove(id);
    }

    /// Ids of the games under way.
    pub fn running(&self) -> impl Iterator<Item = &String> {
        self.running.keys()
    }

    /// Whether this game is under way.
    pub fn is_running(&self, id: &str) -> bool {
        self.running.contains_key(id)
    }

    /// Whether no game is under way.
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether accepted challenges may still become games.
    pub fn awaits_games(&self) -> bool {
        !self.accepted.is_empty()
    }

    /// Slots in use.
    pub fn used(&self) -> usize {
        self.running.len() + self.accepted.len()
    }

    /// Slots in use by games with an opponent; none for one without an id.
    pub fn used_with(&self, opponent: Option<&str>) -> usize {
        let running = self.running.values().map(|running| &running.opponent);
        let all = running.chain(self.accepted.values().map(|accepted| &accepted.opponent));
        all.filter(|other| opponent.is_some() && other.as_deref() == opponent).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accepted_challenge_keeps_its_slot_while_its_answer_waits() {
        let mut slots = Slots::default();
        let begun = Instant::now();
        slots.accept("one".to_owned(), Some("fish".to_owned()));
        slots.expire(begun + Duration::from_secs(3600));
        assert_eq!((slots.used(), slots.used_with(Some("fish"))), (1, 1));
        let answered = begun + Duration::from_secs(3600);
        slots.note_answer("one", answered);
        slots.expire(answered + BEGINS_WITHIN - Duration::from_millis(1));
        assert!(slots.awaits_games());
        slots.expire(answered + BEGINS_WITHIN);
        assert_eq!(slots.used(), 0);
    }

    #[test]
    fn a_game_counts_once_and_for_its_opponent() {
        let mut slots = Slots::default();
        slots.accept("one".to_owned(), Some("fish".to_owned()));
        let finish = slots.begin("one", None).expect("it begins");
        assert!(slots.begin("one", None).is_none());
        // Taken up after a restart: its challenge was not seen.
        assert!(slots.begin("two", Some("fish".to_owned())).is_some());
        assert!(slots.begin("three", None).is_some());
        assert_eq!((slots.used(), slots.used_with(Some("fish"))), (3, 2));
        assert_eq!(slots.used_with(None), 0);
        slots.note_finish("one");
        assert!(finish.is_cancelled());
        for id in ["one", "two", "three"] {
            slots.end(id);
        }
        assert!(slots.is_idle() && !slots.awaits_games());
    }
}
