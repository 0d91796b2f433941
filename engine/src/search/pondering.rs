//! Thinking on the opponent's time.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A search for the answer to a move that is expected but not yet played: no limit of time counts
/// until it is.
#[derive(Debug, Default)]
pub struct Pondering {
    hit: OnceLock<Instant>,
}

impl Pondering {
    /// The expected move was played: from now on the own clock runs.
    pub fn hit(&self) {
        // Said twice, the first time counts.
        let _ = self.hit.set(Instant::now());
    }

    /// Whether the expected move was played.
    pub fn is_hit(&self) -> bool {
        self.hit.get().is_some()
    }

    /// How long the own clock has been running.
    pub(super) fn on_the_clock(&self) -> Option<Duration> {
        self.hit.get().map(Instant::elapsed)
    }
}
