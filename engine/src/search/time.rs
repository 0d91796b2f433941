//! How long to think.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::limits::Limits;
use super::pondering::Pondering;
use super::threads::Visited;
use crate::params::Params;

/// Nodes between two looks at the clock.
const CHECK_EVERY: u64 = 1024;

/// The time for a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// When to start no further iteration, before it is looked at how settled the choice is.
    pub soft: Option<Duration>,
    /// When to break off.
    pub hard: Option<Duration>,
}

impl Budget {
    /// What the limits leave for a move.
    pub fn new<P: Params>(limits: &Limits, params: &P) -> Budget {
        let mut budget = Budget {
            soft: None,
            hard: limits.move_time.map(|time| time.saturating_sub(limits.overhead)),
        };
        if let Some(clock) = limits.clock {
            let left = clock.remaining.saturating_sub(limits.overhead).as_secs_f64();
            let increment = clock.increment.as_secs_f64();
            let share = match clock.moves_to_go {
                Some(moves) => 0.9 / f64::from(moves.clamp(1, 40)),
                None => f64::from(params.time_share()) / 1000.0,
            };
            let soft = left * share + increment * f64::from(params.time_increment()) / 100.0;
            // Never more than a part of what is left, so that a machine that stalls us for a
            // moment does not cost the game.
            let most = left * if clock.moves_to_go == Some(1) { 0.7 } else { 0.35 };
            let hard = (soft * f64::from(params.time_panic()) / 100.0).min(most);
            budget.soft = Some(Duration::from_secs_f64(soft.min(most)));
            let hard = Duration::from_secs_f64(hard);
            budget.hard = Some(budget.hard.map_or(hard, |move_time| move_time.min(hard)));
        }
        budget
    }
}

/// Decides when a search ends.
pub(super) struct Timer<'a> {
    started: Instant,
    stop: &'a AtomicBool,
    /// Nodes that this thread may visit.
    nodes: u64,
    visited: Visited<'a>,
    budget: Budget,
    pondering: Option<&'a Pondering>,
    /// What was thought on the opponent's time is enough: the answer is due with his move.
    settled: Cell<bool>,
}

impl<'a> Timer<'a> {
    /// The timer of a thread that goes on until it is stopped or has visited its share of nodes.
    pub fn of_helper(limits: &'a Limits, stop: &'a AtomicBool, visited: Visited<'a>) -> Timer<'a> {
        Timer {
            started: limits.asked.unwrap_or_else(Instant::now),
            stop,
            nodes: limits.nodes.map_or(u64::MAX, |nodes| visited.share(nodes)),
            visited,
            budget: Budget::default(),
            pondering: None,
            settled: Cell::new(false),
        }
    }

    /// The timer of the thread that decides for all.
    pub fn new<P: Params>(
        limits: &'a Limits,
        params: &P,
        stop: &'a AtomicBool,
        visited: Visited<'a>,
    ) -> Timer<'a> {
        let mut timer = Timer::of_helper(limits, stop, visited);
        timer.pondering = limits.pondering.as_deref();
        timer.budget = Budget::new(limits, params);
        timer
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Time taken from the own clock; `None` while the opponent's runs.
    fn on_the_clock(&self) -> Option<Duration> {
        self.pondering.map_or_else(|| Some(self.elapsed()), Pondering::on_the_clock)
    }

    /// Nodes of all threads, of which this one has visited so many.
    pub fn visited(&self, nodes: u64) -> u64 {
        self.visited.tell(nodes);
        self.visited.total()
    }

    /// Whether to break off, having visited so many nodes; time counts only where `hurried`.
    #[inline]
    pub fn is_over(&self, nodes: u64, hurried: bool) -> bool {
        if nodes >= self.nodes {
            return true;
        }
        nodes.is_multiple_of(CHECK_EVERY) && self.looks_over(nodes, hurried)
    }

    #[cold]
    fn looks_over(&self, nodes: u64, hurried: bool) -> bool {
        self.visited.tell(nodes);
        hurried
            && (self.stop.load(Ordering::Relaxed)
                || self.on_the_clock().is_some_and(|taken| {
                    self.settled.get() || self.budget.hard.is_some_and(|hard| taken >= hard)
                }))
    }

    /// Whether another iteration is worth starting; `urgency` stretches or shrinks the share of
    /// the clock. What was thought on the opponent's time counts, too, but ends nothing before he
    /// has moved.
    pub fn allows_iteration(&self, urgency: f64) -> bool {
        let enough = self.budget.soft.is_some_and(|soft| self.elapsed() >= soft.mul_f64(urgency));
        let waiting = self.on_the_clock().is_none();
        self.settled.set(enough && waiting);
        !self.stop.load(Ordering::Relaxed) && (waiting || !enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Fixed;
    use crate::search::limits::Clock;

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
                    let Budget { soft, hard } = Budget::new(&limits, &Fixed);
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
