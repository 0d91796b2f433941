//! A player's clock, and the harness's patience.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use harness_player::{Clocks, Go, Limit, Timed};

/// Wait after the clock ran out: distinguishes a late move from a hang and measures its overrun. The
/// game is lost either way.
const CLOCK_GRACE: Duration = Duration::from_secs(2);

/// Default margin of a fixed time a move. Engines use such a time in full: without a margin the
/// scheduler would decide games.
const MOVETIME_MARGIN: Duration = Duration::from_millis(100);

/// The longest wait, whatever the clock.
const MAX_WAIT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Time margin and watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strictness {
    /// Allowed overrun of the clock; `None`: none with a game clock, 100 ms with a fixed time a
    /// move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Duration>,
    /// Longest time of a move where the limit is nodes or depth.
    pub watchdog: Duration,
}

/// One player's clock; a watchdog where the limit is not a time.
#[derive(Clone, Debug)]
pub struct Clock {
    limit: Limit,
    strictness: Strictness,
    remaining: Duration,
    moves_to_go: Option<u32>,
}

/// The clock ran out; the overrun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun(pub Duration);

impl Clock {
    /// A clock at the start of a game: base and one increment, as in fastchess and cutechess.
    pub fn new(limit: Limit, strictness: Strictness) -> Clock {
        let (remaining, moves_to_go) = match limit.time() {
            Some(Timed::Clock(control)) => {
                (control.base.saturating_add(control.increment), control.moves)
            }
            Some(Timed::MoveTime(time)) => (time, None),
            None => (Duration::ZERO, None),
        };
        Clock { limit, strictness, remaining, moves_to_go }
    }

    /// Wait for the next move before the player counts as hung.
    pub fn patience(&self) -> Duration {
        let patience = match self.limit.time() {
            Some(_) => self.allowed().saturating_add(CLOCK_GRACE),
            None => self.strictness.watchdog,
        };
        patience.min(MAX_WAIT)
    }

    /// Takes the time of a move off the clock and adds the increment.
    ///
    /// # Errors
    /// [`Overrun`] when the move took longer than the time left and the margin.
    pub fn spend(&mut self, elapsed: Duration) -> Result<(), Overrun> {
        let control = match self.limit.time() {
            None => return Ok(()),
            Some(Timed::MoveTime(_)) => None,
            Some(Timed::Clock(control)) => Some(control),
        };
        if elapsed > self.allowed() {
            return Err(Overrun(elapsed - self.remaining));
        }
        let Some(control) = control else { return Ok(()) };
        self.remaining = self.remaining.saturating_sub(elapsed).saturating_add(control.increment);
        if let Some(to_go) = &mut self.moves_to_go {
            *to_go -= 1;
            if *to_go == 0 {
                self.remaining = self.remaining.saturating_add(control.base);
                self.moves_to_go = control.moves;
            }
        }
        Ok(())
    }

    /// Adds what the opponent's move took, if the clock is an hourglass.
    pub fn gain(&mut self, elapsed: Duration) {
        if let Some(Timed::Clock(control)) = self.limit.time()
            && control.hourglass
        {
            self.remaining = self.remaining.saturating_add(elapsed);
        }
    }

    /// Time left, if the limit is a game clock.
    pub fn time_left(&self) -> Option<Duration> {
        self.state().map(|(remaining, _)| remaining)
    }

    /// Time left, margin included.
    fn allowed(&self) -> Duration {
        let margin = self.strictness.margin.unwrap_or(match self.limit.time() {
            Some(Timed::MoveTime(_)) => MOVETIME_MARGIN,
            _ => Duration::ZERO,
        });
        self.remaining.saturating_add(margin)
    }

    /// The clock's state and increment, if the limit is a game clock.
    fn state(&self) -> Option<(Duration, Duration)> {
        match self.limit.time() {
            Some(Timed::Clock(control)) => Some((self.remaining, control.increment)),
            _ => None,
        }
    }
}

/// The `go` command for the player to move. If the opponent has no clock, the player's own clock
/// takes its place.
pub fn go(own: &Clock, other: &Clock, turn: Color) -> Go {
    let Some(mine) = own.state() else {
        let move_time = own.limit.time().map(|_| Timed::MoveTime(own.remaining));
        return own.limit.go(move_time);
    };
    let theirs = other.state().unwrap_or(mine);
    let (white, black) = turn.fold_wb((mine, theirs), (theirs, mine));
    own.limit.go(Some(Timed::Clock(Clocks {
        white: white.0,
        black: black.0,
        white_increment: white.1,
        black_increment: black.1,
        moves_to_go: own.moves_to_go,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_player::TimeControl;

    const STRICT: Strictness = Strictness { margin: None, watchdog: Duration::from_secs(60) };

    fn clock(text: &str) -> Clock {
        Clock::new(Limit::Clock(text.parse().unwrap()), STRICT)
    }

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn a_clock_starts_with_one_increment_and_gains_one_a_move() {
        let mut clock = clock("8+0.08");
        assert_eq!(clock.remaining, ms(8080));
        clock.spend(ms(1000)).unwrap();
        assert_eq!(clock.remaining, ms(7160));
    }

    #[test]
    fn the_base_comes_back_after_the_moves_of_the_period() {
        let mut clock = clock("2/10");
        clock.spend(ms(4000)).unwrap();
        assert_eq!((clock.remaining, clock.moves_to_go), (ms(6000), Some(1)));
        clock.spend(ms(1000)).unwrap();
        assert_eq!((clock.remaining, clock.moves_to_go), (ms(15_000), Some(2)));
    }

    #[test]
    fn what_one_uses_of_an_hourglass_the_other_gains() {
        let mut clocks = [clock("10hg"), clock("10hg")];
        for (mover, elapsed) in [(0, 3000), (1, 1000), (0, 4000), (1, 500)] {
            clocks[mover].spend(ms(elapsed)).unwrap();
            clocks[1 - mover].gain(ms(elapsed));
        }
        assert_eq!(clocks.map(|clock| clock.remaining), [ms(4500), ms(15_500)]);
        let mut other = clock("10+1");
        other.gain(ms(3000));
        assert_eq!(other.remaining, ms(11_000), "another clock gains nothing");
    }

    #[test]
    fn an_overrun_is_a_forfeit_even_by_one_millisecond_unless_a_margin_allows_it() {
        assert_eq!(clock("1").spend(ms(1001)), Err(Overrun(ms(1))));
        assert_eq!(clock("1").spend(ms(1000)), Ok(()));
        let lenient = Strictness { margin: Some(ms(20)), ..STRICT };
        let mut clock = Clock::new(Limit::Clock("1+0.5".parse().unwrap()), lenient);
        clock.spend(ms(1515)).unwrap();
        assert_eq!(clock.remaining, ms(500), "what was overrun within the margin is not owed");
        assert_eq!(clock.spend(ms(521)), Err(Overrun(ms(21))));
    }

    #[test]
    fn absurd_clocks_do_not_overflow() {
        let lenient = Strictness { margin: Some(Duration::MAX), watchdog: Duration::MAX };
        let control = TimeControl {
            moves: Some(1),
            base: Duration::MAX,
            increment: Duration::MAX,
            hourglass: false,
        };
        let limit = Limit::Clock(control);
        let mut clock = Clock::new(limit, lenient);
        clock.spend(ms(1)).unwrap();
        assert_eq!(clock.patience(), MAX_WAIT);
        assert_eq!(Clock::new(Limit::Nodes(1), lenient).patience(), MAX_WAIT);
    }

    #[test]
    fn a_fixed_time_a_move_does_not_run_down() {
        let mut clock = Clock::new(Limit::MoveTime(ms(100)), STRICT);
        for _ in 0..5 {
            clock.spend(ms(150)).unwrap();
        }
        assert_eq!(clock.spend(ms(201)), Err(Overrun(ms(101))));
    }

    #[test]
    fn both_clocks_are_sent_in_the_order_of_the_colours() {
        let mine = clock("40/5+1");
        let theirs = clock("9+2");
        let Go::Clock(Clocks { white, black, white_increment, black_increment, moves_to_go }) =
            go(&mine, &theirs, Color::Black)
        else {
            panic!("a clock")
        };
        assert_eq!((white, white_increment), (ms(11_000), ms(2000)));
        assert_eq!((black, black_increment), (ms(6000), ms(1000)));
        assert_eq!(moves_to_go, Some(40));
    }

    #[test]
    fn a_clock_beside_a_number_of_nodes_runs_down_and_is_sent() {
        let limit: Limit = "tc=9+2,nodes=500".parse().unwrap();
        let mut own = Clock::new(limit, STRICT);
        own.spend(ms(3000)).unwrap();
        let Go::Combined { time: Some(Timed::Clock(clocks)), nodes, depth } =
            go(&own, &clock("9+2"), Color::White)
        else {
            panic!("a clock and nodes")
        };
        assert_eq!((clocks.white, clocks.black), (ms(10_000), ms(11_000)));
        assert_eq!((nodes, depth), (Some(500), None));
        assert_eq!(own.spend(ms(10_001)), Err(Overrun(ms(1))));
        let untimed = Clock::new("nodes=500,depth=3".parse().unwrap(), STRICT);
        assert_eq!(untimed.patience(), STRICT.watchdog);
    }

    #[test]
    fn limits_may_differ_between_the_players() {
        let nodes = Clock::new(Limit::Nodes(5000), STRICT);
        let timed = clock("9+2");
        assert_eq!(go(&nodes, &timed, Color::White), Go::Nodes(5000));
        let Go::Clock(Clocks { white, black, .. }) = go(&timed, &nodes, Color::Black) else {
            panic!("a clock")
        };
        assert_eq!((white, black), (ms(11_000), ms(11_000)));
        assert_eq!(nodes.patience(), STRICT.watchdog);
        assert!(timed.patience() > ms(11_000));
    }
}
