//! Time management.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::counters::ThreadCounter;
use super::limits::Limits;
use super::pondering::Pondering;
use crate::params::Params;

/// Nodes between two checks of the clock: a quarter of a millisecond, or a few on a busy machine.
const CHECK_EVERY: u64 = 256;

/// Hard limit below which no helper threads are started: to start them and to wait for their end takes
/// several milliseconds on a busy machine, of a clock that has nothing to spare.
const HELPED_FROM: Duration = Duration::from_millis(1);

/// Share of the remaining time that the moves up to the next time control have, all together.
const SHARE_OF_CONTROL: f64 = 0.9;
/// Moves to the next time control for which time is reserved.
const MAX_MOVES_TO_GO: u32 = 40;
/// Moves whose lag is reserved where no time control comes before.
const LAG_MOVES: u32 = 30;
/// Largest share of the remaining time for a move, so that a stall of the machine does not lose the
/// game on time.
const MAX_SHARE: f64 = 0.35;
/// The same for the last move before the next time control.
const MAX_SHARE_LAST_MOVE: f64 = 0.7;

/// The time for a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Soft limit: no further iteration starts after it, scaled by the stability of the best move.
    pub soft: Option<Duration>,
    /// Hard limit: the search stops.
    pub hard: Option<Duration>,
}

impl Budget {
    /// The budget of the move with this number (the full-move counter of its position) under these
    /// limits.
    pub fn new<P: Params>(limits: &Limits, number: u16, params: &P) -> Budget {
        let mut budget = Budget {
            soft: None,
            hard: limits.move_time.map(|time| time.saturating_sub(limits.overhead)),
        };
        if let Some(clock) = limits.clock {
            // The increment pays for the lag first, then the clock, over the moves to come.
            let increment = clock.increment.as_secs_f64();
            let unspent = increment - limits.lag.as_secs_f64();
            let moves = clock.moves_to_go.unwrap_or(LAG_MOVES).min(LAG_MOVES);
            let reserved = (-unspent).max(0.0) * f64::from(moves);
            let left = clock.remaining.saturating_sub(limits.overhead).as_secs_f64();
            let left = (left - reserved).max(0.0);
            let increment = (increment * f64::from(params.time_increment()) / 100.0).min(unspent);
            let share = match clock.moves_to_go {
                Some(moves) => SHARE_OF_CONTROL / f64::from(moves.clamp(1, MAX_MOVES_TO_GO)),
                None => clock_share(number, params),
            };
            let soft = left * share + increment.max(0.0);
            let is_last = clock.moves_to_go == Some(1);
            let max = left * if is_last { MAX_SHARE_LAST_MOVE } else { MAX_SHARE };
            let hard = (soft * f64::from(params.time_panic()) / 100.0).min(max);
            budget.soft = Some(Duration::from_secs_f64(soft.min(max)));
            let hard = Duration::from_secs_f64(hard);
            budget.hard = Some(budget.hard.map_or(hard, |move_time| move_time.min(hard)));
        }
        budget
    }
}

/// The share of the clock for the move with this number. It grows from the opening to the middlegame,
/// where most games are decided: expected scores change most between moves 20 and 45.
fn clock_share<P: Params>(number: u16, params: &P) -> f64 {
    let [opening, later] = [params.time_opening(), params.time_share()].map(f64::from);
    let played = f64::from(number.saturating_sub(1)) / f64::from(params.time_moves());
    (opening + (later - opening) * played.min(1.0)) / 1000.0
}

/// Decides when the search of a thread ends.
pub(super) struct Timer<'a> {
    started: Instant,
    stop: &'a AtomicBool,
    /// Node limit of this thread.
    nodes: u64,
    counter: ThreadCounter<'a>,
    budget: Budget,
    pondering: Option<&'a Pondering>,
    /// The time spent pondering suffices: the search stops at the ponder hit.
    stop_on_ponder_hit: Cell<bool>,
}

impl<'a> Timer<'a> {
    /// The timer of a helper thread, without a clock: limited by `stop` and its share of the nodes.
    pub fn of_helper(
        limits: &'a Limits,
        stop: &'a AtomicBool,
        counter: ThreadCounter<'a>,
    ) -> Timer<'a> {
        Timer {
            started: limits.received.unwrap_or_else(Instant::now),
            stop,
            nodes: limits.nodes.map_or(u64::MAX, |nodes| counter.share(nodes)),
            counter,
            budget: Budget::default(),
            pondering: None,
            stop_on_ponder_hit: Cell::new(false),
        }
    }

    /// The timer of the main thread, for the move with this number.
    pub fn new<P: Params>(
        limits: &'a Limits,
        number: u16,
        params: &P,
        stop: &'a AtomicBool,
        counter: ThreadCounter<'a>,
    ) -> Timer<'a> {
        let mut timer = Timer::of_helper(limits, stop, counter);
        timer.pondering = limits.pondering.as_deref();
        timer.budget = Budget::new(limits, number, params);
        timer
    }

    /// Whether there is time enough for helper threads.
    pub fn allows_helpers(&self) -> bool {
        self.pondering.is_some() || self.budget.hard.is_none_or(|hard| hard >= HELPED_FROM)
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time taken from our clock; `None` while pondering.
    fn on_the_clock(&self) -> Option<Duration> {
        self.pondering.map_or_else(|| Some(self.elapsed()), Pondering::on_the_clock)
    }

    /// Nodes of all threads; `nodes` are those of this one.
    pub fn total_nodes(&self, nodes: u64) -> u64 {
        self.counter.publish(nodes);
        self.counter.total()
    }

    /// Whether to stop after `nodes` nodes of this thread. Clock and stop signal are ignored unless
    /// `time_counts`.
    #[inline]
    pub fn is_over(&self, nodes: u64, time_counts: bool) -> bool {
        if nodes >= self.nodes {
            return true;
        }
        nodes.is_multiple_of(CHECK_EVERY) && self.check_clock(nodes, time_counts)
    }

    #[cold]
    fn check_clock(&self, nodes: u64, time_counts: bool) -> bool {
        self.counter.publish(nodes);
        time_counts && self.must_stop()
    }

    /// Whether the search has to end now, whatever it is about to do.
    pub fn must_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.on_the_clock().is_some_and(|taken| {
                self.stop_on_ponder_hit.get() || self.budget.hard.is_some_and(|hard| taken >= hard)
            })
    }

    /// Whether to start another iteration; `scale` is the factor of the soft limit. Time spent
    /// pondering counts, but the search does not end before the ponder hit.
    pub fn allows_iteration(&self, scale: f64) -> bool {
        let enough = self.budget.soft.is_some_and(|soft| self.elapsed() >= soft.mul_f64(scale));
        let pondering = self.on_the_clock().is_none();
        self.stop_on_ponder_hit.set(enough && pondering);
        !self.stop.load(Ordering::Relaxed) && (pondering || !enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Fixed;
    use crate::search::counters::SharedCounters;
    use crate::search::limits::Clock;

    #[test]
    fn the_share_of_the_clock_grows_from_the_opening_to_the_middlegame() {
        let clock = Clock {
            remaining: Duration::from_secs(100),
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let soft = |number| Budget::new(&limits, number, &Fixed).soft.expect("a clock sets it");
        let shares: Vec<Duration> = [0, 1, 10, 20, 41, 42, u16::MAX].map(soft).into();
        assert!(shares.is_sorted() && shares[1] < shares[2] && shares[3] < shares[4]);
        assert!(shares[0] == shares[1] && shares[4] == shares[6]);
    }

    #[test]
    fn what_moves_take_beyond_their_searches_is_kept_back() {
        let budget = |lag, increment, moves_to_go| {
            let [lag, increment] = [lag, increment].map(Duration::from_millis);
            let clock = Clock { remaining: Duration::from_secs(1), increment, moves_to_go };
            let limits = Limits { clock: Some(clock), lag, ..Limits::default() };
            Budget::new(&limits, 60, &Fixed).soft.expect("a clock sets it")
        };
        let usual = budget(0, 10, None);
        // An increment that pays for it is less of one; beyond, the clock has less to share.
        assert!(budget(5, 10, None) < usual && budget(1, 10, None) == usual);
        assert!(budget(20, 10, None) < budget(10, 10, None));
        assert_eq!(budget(40, 0, None), Duration::ZERO);
        assert!(budget(40, 0, Some(2)) > Duration::ZERO);
    }

    #[test]
    fn a_clock_that_has_nothing_to_spare_has_no_helpers() {
        let stop = AtomicBool::new(false);
        let shared = SharedCounters::new(2);
        let helped = |remaining| {
            let clock = Clock {
                remaining: Duration::from_millis(remaining),
                increment: Duration::from_millis(1),
                moves_to_go: None,
            };
            let overhead = Duration::from_millis(20);
            let limits = Limits { clock: Some(clock), overhead, ..Limits::default() };
            Timer::new(&limits, 40, &Fixed, &stop, shared.of_thread(0)).allows_helpers()
        };
        assert_eq!([0, 20, 22, 24, 1000].map(helped), [false, false, false, true, true]);
        let endless = Limits::default();
        assert!(Timer::new(&endless, 40, &Fixed, &stop, shared.of_thread(0)).allows_helpers());
    }

    #[test]
    fn no_clock_however_short_is_overstepped() {
        for remaining in [0, 1, 5, 30, 100, 1000, 60_000, 10_000_000] {
            for increment in [0, 10, 1000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(400)] {
                    let remaining = Duration::from_millis(remaining);
                    let clock = Clock {
                        remaining,
                        increment: Duration::from_millis(increment),
                        moves_to_go,
                    };
                    let limits = Limits {
                        clock: Some(clock),
                        overhead: Duration::from_millis(20),
                        ..Limits::default()
                    };
                    // After the opening the share is the largest.
                    let Budget { soft, hard } = Budget::new(&limits, 60, &Fixed);
                    let hard = hard.expect("a clock sets it");
                    assert!(
                        hard <= remaining.saturating_sub(limits.overhead),
                        "{clock:?} {hard:?}"
                    );
                    assert!(soft.expect("a clock sets it") <= hard, "{clock:?}");
                }
            }
        }
    }
}
