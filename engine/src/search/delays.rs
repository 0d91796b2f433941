//! Delays of the machine: time that our clock loses while the search does not run.
//!
//! A busy machine takes the core away for tens of milliseconds, before a move is received, within the
//! search or before its answer is with the receiver. What recent moves lost in this way is held back
//! beside `Move Overhead`, so that the next delay of that length does not lose the game on time. On a
//! machine that has no delays, nothing is.

use std::time::Duration;

use super::limits::{Clock, Limits, Root};
use crate::board::Color;

/// Part of the longest recent delay that is forgotten with each move: half of it in 44 moves.
const FORGOTTEN: u32 = 64;
/// Part of the remaining time that is held back at most.
const MAX_SHARE: u32 = 2;
/// A longer delay is none of the machine: somebody has set the clock, or has put the machine to sleep.
const MAX_DELAY: Duration = Duration::from_millis(500);

/// A move that was searched on the clock.
#[derive(Clone, Copy, Debug)]
struct ClockedMove {
    side: Color,
    number: u16,
    clock: Clock,
    /// Time on the clock, from the receipt of `go` to the outcome.
    taken: Duration,
    /// The longest time between two looks at the clock.
    gap: Duration,
}

impl ClockedMove {
    /// The time by which our clock has fallen beyond that of the search, as it stands before our next
    /// move; `None` if that is not the next one of the same game.
    fn lag(&self, side: Color, number: u16, clock: Clock) -> Option<Duration> {
        let follows = side == self.side && self.number.checked_add(1) == Some(number);
        let expected = (self.clock.remaining + self.clock.increment).saturating_sub(self.taken);
        follows.then(|| expected.saturating_sub(clock.remaining))
    }
}

/// The delays of recent moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    /// The longest recent one, of which a part is forgotten with each move.
    longest: Duration,
    last: Option<ClockedMove>,
}

impl Delays {
    /// The limits of a search with what recent delays hold back taken off its clock.
    pub fn hold_back(&mut self, root: &Root, limits: &Limits) -> Limits {
        let mut limits = limits.clone();
        let position = root.position();
        let last = self.last.take();
        if let Some(clock) = &mut limits.clock {
            let lag = last.and_then(|last| last.lag(position.side(), position.fullmoves(), *clock));
            if let Some((last, lag)) = last.zip(lag) {
                self.add(last.gap + lag);
            }
            clock.remaining -= self.longest.min(clock.remaining / MAX_SHARE);
        }
        limits
    }

    /// Notes a search: the time it took on the clock, which `limits` still say in full, and the longest
    /// time between two looks at the clock.
    pub fn note(&mut self, root: &Root, limits: &Limits, taken: Duration, gap: Duration) {
        let (side, number) = (root.position().side(), root.position().fullmoves());
        self.last = limits.clock.map(|clock| ClockedMove { side, number, clock, taken, gap });
    }

    fn add(&mut self, delay: Duration) {
        let remembered = self.longest - self.longest / FORGOTTEN;
        self.longest = remembered.max(delay.min(MAX_DELAY));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// The root before our move with this number.
    fn root(number: u16) -> Root {
        let fen = format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {number}");
        Root::new(Position::from_fen(&fen).expect("valid"))
    }

    fn limits(remaining: u64) -> Limits {
        let clock = Clock { remaining: ms(remaining), increment: ms(20), moves_to_go: None };
        Limits { clock: Some(clock), ..Limits::default() }
    }

    /// What is held back of a clock.
    fn held_back(delays: &mut Delays, number: u16, remaining: u64) -> u128 {
        let left = delays.hold_back(&root(number), &limits(remaining));
        u128::from(remaining) - left.clock.expect("there is one").remaining.as_millis()
    }

    #[test]
    fn what_was_lost_beside_the_search_is_held_back_once_more() {
        // Clock at our next move, its number, the longest gap; what is held back then.
        let cases = [
            // Nothing was lost: 1000 + 20 - 40.
            (980, 11, 0, 0),
            // The clock fell by more than the search took.
            (950, 11, 0, 30),
            // The core was taken away within the search.
            (980, 11, 25, 25),
            (950, 11, 25, 55),
            // It got time, as at a time control.
            (60_000, 11, 0, 0),
            // Not the next move of the game: nothing is known of what lies between.
            (900, 12, 25, 0),
            (900, 10, 25, 0),
            // Not the machine's doing, or that of one asleep.
            (900, 11, 60_000, 450),
            (2000, 11, 60_000, 500),
            // Half of a clock that is nearly down remains.
            (40, 11, 0, 20),
        ];
        for (remaining, number, gap, expected) in cases {
            let mut delays = Delays::default();
            assert_eq!(held_back(&mut delays, 10, 1000), 0);
            delays.note(&root(10), &limits(1000), ms(40), ms(gap));
            let found = held_back(&mut delays, number, remaining);
            assert_eq!(found, expected, "{remaining} {number} {gap}");
        }
    }

    #[test]
    fn a_delay_is_remembered_for_some_dozens_of_moves() {
        let mut delays = Delays::default();
        delays.note(&root(1), &limits(10_000), ms(20), ms(100));
        let mut held = Vec::new();
        for number in 2..302 {
            held.push(held_back(&mut delays, number, 10_000));
            delays.note(&root(number), &limits(10_000), ms(20), ms(0));
        }
        assert_eq!(held[0], 100);
        assert!(held.is_sorted_by(|before, after| before >= after), "{held:?}");
        assert!((45..55).contains(&held[44]) && held[299] <= 1, "{held:?}");
    }

    #[test]
    fn without_a_clock_nothing_is_held_back_and_nothing_is_remembered() {
        let mut delays = Delays::default();
        let timed = Limits { move_time: Some(ms(50)), ..Limits::default() };
        delays.note(&root(1), &timed, ms(20), ms(100));
        let limits = delays.hold_back(&root(2), &timed);
        assert_eq!((limits.move_time, limits.clock), (Some(ms(50)), None));
        assert_eq!(held_back(&mut delays, 3, 1000), 0);
    }
}
