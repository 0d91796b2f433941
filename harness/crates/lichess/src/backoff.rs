//! Growing pauses between attempts.

use std::time::{Duration, Instant};

/// The first pause.
const FIRST: Duration = Duration::from_millis(250);

/// The longest one.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// A connection that lasted so long was a good one: the next pause is short again.
const GOOD_CONNECTION: Duration = Duration::from_secs(20);

/// Pauses that double, with up to a quarter more by chance: not all bots return at once after the server
/// was restarted.
#[derive(Debug, Default)]
pub struct Backoff {
    failures: u32,
    begun: Option<Instant>,
}

impl Backoff {
    /// A connection begins.
    pub fn begin(&mut self) {
        self.begun = Some(Instant::now());
    }

    /// It failed: how long to wait.
    pub fn pause(&mut self) -> Duration {
        if self.begun.take().is_some_and(|begun| begun.elapsed() >= GOOD_CONNECTION) {
            self.failures = 0;
        }
        let pause = FIRST.saturating_mul(1 << self.failures.min(10)).min(MAX_PAUSE);
        self.failures += 1;
        pause.mul_f64(1.0 + rand::random::<f64>() / 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_to_a_minute() {
        let mut backoff = Backoff::default();
        let pauses: Vec<f64> = (0..12).map(|_| backoff.pause().as_secs_f64()).collect();
        for (index, pause) in pauses.iter().enumerate() {
            let least = (0.25 * 2_f64.powi(index as i32)).min(60.0);
            assert!((least..=least * 1.25).contains(pause), "{index}: {pause}");
        }
        backoff.begin();
        assert!(backoff.pause().as_secs_f64() >= 60.0, "it failed at once");
        backoff.begun = Instant::now().checked_sub(GOOD_CONNECTION);
        assert!(backoff.begun.is_none() || backoff.pause().as_secs_f64() < 1.0);
    }
}
