//! Pondering: searching on the opponent's time.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The state of a search for the reply to an expected move: no time limit counts before the ponder
/// hit.
#[derive(Debug, Default)]
pub struct Pondering {
    hit: OnceLock<Instant>,
}

impl Pondering {
    /// The expected move was played: our clock runs from now on.
    pub fn hit(&self) {
        // Of several hits the first counts.
        let _ = self.hit.set(Instant::now());
    }

    /// Whether the expected move was played.
    pub fn is_hit(&self) -> bool {
        self.hit.get().is_some()
    }

    /// Time since the ponder hit; `None` before it.
    pub(super) fn on_the_clock(&self) -> Option<Duration> {
        self.hit.get().map(Instant::elapsed)
    }
}
