//! What moves take from our clock beyond their searches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::board::{Color, Position};
use crate::search::Clock;

/// Least and largest lag that counts of one move, in seconds. Clocks come in whole milliseconds: one that was
/// rounded down and then is not seems to gain up to one, which must not be left out of the mean. A laptop that was
/// closed says nothing of the next move.
const BOUNDS: [f64; 2] = [-0.001, 0.1];
/// Moves over which the mean is taken, once there are as many.
const MOVES: u32 = 8;

/// The time that moves take from our clock beyond their searches: for the pipes and the program at their other
/// end, and on a busy machine for a processor. Each `go` shows it: the clock is lower than before by more than the
/// last search took.
#[derive(Default)]
pub(super) struct Lag {
    last: Option<Turn>,
    /// Mean of the last moves, in seconds.
    mean: f64,
    /// Moves that it was seen at.
    moves: u32,
}

/// A move of ours.
struct Turn {
    number: u16,
    side: Color,
    clock: Clock,
    taken: Taken,
}

/// The time from `go` to `bestmove`, in nanoseconds; 0 until there is one.
#[derive(Clone, Default)]
pub(super) struct Taken(Arc<AtomicU64>);

impl Taken {
    pub fn set(&self, time: Duration) {
        self.0.store(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Release);
    }

    fn get(&self) -> Option<Duration> {
        Some(self.0.load(Ordering::Acquire)).filter(|&nanos| nanos > 0).map(Duration::from_nanos)
    }
}

impl Lag {
    /// Another game: its clock does not follow from the last one. The machine is the same.
    pub fn new_game(&mut self) {
        self.last = None;
    }

    /// A search with this clock begins; gives where its end is noted. `None`: time does not count.
    pub fn search(&mut self, position: &Position, clock: Option<Clock>) -> Taken {
        let taken = Taken::default();
        let last = self.last.take();
        if let Some(clock) = clock {
            let (number, side) = (position.fullmoves(), position.side());
            let turn = Turn { number, side, clock, taken: taken.clone() };
            if let Some(lag) = last.and_then(|last| last.lag(&turn)) {
                self.moves = (self.moves + 1).min(MOVES);
                self.mean += (lag - self.mean) / f64::from(self.moves);
            }
            self.last = Some(turn);
        }
        taken
    }

    /// Its mean.
    pub fn mean(&self) -> Duration {
        Duration::from_secs_f64(self.mean.max(0.0))
    }
}

impl Turn {
    /// The seconds that this move took beyond its search, as the clock of the next one shows them; `None` if that does
    /// not follow from this one.
    fn lag(self, next: &Turn) -> Option<f64> {
        let Turn { number, side, clock, taken } = self;
        let moves_to_go = clock.moves_to_go.map(|moves| moves.saturating_sub(1));
        let follows = number.checked_add(1) == Some(next.number)
            && side == next.side
            && clock.increment == next.clock.increment
            && moves_to_go == next.clock.moves_to_go;
        let expected = clock.remaining + clock.increment;
        let found = next.clock.remaining + taken.get()?;
        let [least, most] = BOUNDS;
        follows.then(|| (expected.as_secs_f64() - found.as_secs_f64()).clamp(least, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Root;

    /// Positions of moves from 1 on, with the same side to move.
    fn game() -> Vec<Position> {
        let mut root = Root::new(Position::startpos());
        let mut positions = vec![*root.position()];
        for _ in 0..20 {
            for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
                root.play(root.position().parse_uci(text, false).expect("legal"));
                if root.position().side().is_white() {
                    positions.push(*root.position());
                }
            }
        }
        positions
    }

    fn clock(milliseconds: u64) -> Option<Clock> {
        let [remaining, increment] = [milliseconds, 10].map(Duration::from_millis);
        Some(Clock { remaining, increment, moves_to_go: None })
    }

    fn mean_after(turns: &[(u64, u64)]) -> f64 {
        let mut lag = Lag::default();
        for (position, (remaining, taken)) in game().iter().zip(turns) {
            let search = lag.search(position, clock(*remaining));
            search.set(Duration::from_millis(*taken));
        }
        lag.mean().as_secs_f64() * 1000.0
    }

    #[test]
    fn the_clock_shows_what_a_move_took_beyond_its_search() {
        assert_eq!(mean_after(&[(1000, 30)]), 0.0);
        // 1000 + 10 - 30 would be 980.
        assert!((mean_after(&[(1000, 30), (977, 1)]) - 3.0).abs() < 1e-6);
        assert!((mean_after(&[(1000, 30), (977, 20), (966, 1)]) - 2.0).abs() < 1e-6);
        // Of rounded clocks the one makes up for the other.
        assert!((mean_after(&[(1000, 30), (979, 20), (970, 1)])).abs() < 1e-6);
        // A clock that was set higher is no lag below zero; a pause is cut.
        assert_eq!(mean_after(&[(1000, 30), (1500, 1)]), 0.0);
        assert!((mean_after(&[(90_000, 30), (20_000, 1)]) - 100.0).abs() < 1e-6);
    }

    #[test]
    fn only_a_move_after_the_other_counts() {
        let game = game();
        let mut lag = Lag::default();
        let search = |lag: &mut Lag, at: usize, clock: Option<Clock>| {
            lag.search(&game[at], clock).set(Duration::from_millis(1));
        };
        search(&mut lag, 0, clock(1000));
        search(&mut lag, 2, clock(100));
        search(&mut lag, 3, None);
        search(&mut lag, 4, clock(50));
        lag.new_game();
        search(&mut lag, 5, clock(10));
        // Without a best move it is not known what the search took.
        lag.search(&game[6], clock(20));
        search(&mut lag, 7, clock(5));
        search(&mut lag, 8, clock(4).map(|clock| Clock { moves_to_go: Some(3), ..clock }));
        search(&mut lag, 9, clock(4));
        // After move 5 to 6 alone: 10 + 10 - 1 is less than 20.
        assert_eq!((lag.mean(), lag.moves), (Duration::ZERO, 1));
    }
}
