//! The clocks of a game, from its tags and the times of its moves.

use std::time::Duration;

use harness_player::{Limit, TimeControl, Timed};

/// Milliseconds of a clock as `[%clk]` has it: `1:02:03`, `0:00:09.5`.
pub fn left(text: &str) -> Option<u64> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        let number: f64 = part.parse().ok().filter(|number| (0.0..1e6).contains(number))?;
        seconds = 60.0 * seconds + number;
    }
    Some((1000.0 * seconds).round() as u64)
}

/// One player's clock.
#[derive(Clone, Copy, Debug)]
pub struct GameClock {
    control: TimeControl,
    left: Duration,
    moves_to_go: Option<u32>,
}

impl GameClock {
    /// The clock of a `TimeControl` tag, `None` where it names no clock: `8+0.08`, `tc=8,nodes=500`.
    pub fn of_tag(tag: &str) -> Option<GameClock> {
        let control: TimeControl = match tag.parse() {
            Ok(control) => control,
            Err(_) => match tag.parse::<Limit>().ok()?.time()? {
                Timed::Clock(control) => control,
                Timed::MoveTime(_) => return None,
            },
        };
        // As the referee's clock, it starts with one increment.
        let left = control.base.saturating_add(control.increment);
        Some(GameClock { control, left, moves_to_go: control.moves })
    }

    /// Milliseconds left after a move that took this many.
    pub fn after(&mut self, milliseconds: u64) -> u64 {
        let took = Duration::from_millis(milliseconds);
        self.left = self.left.saturating_sub(took).saturating_add(self.control.increment);
        if let Some(to_go) = &mut self.moves_to_go {
            *to_go = to_go.saturating_sub(1);
            if *to_go == 0 {
                self.left = self.left.saturating_add(self.control.base);
                self.moves_to_go = self.control.moves;
            }
        }
        u64::try_from(self.left.as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_as_those_of_the_arena() {
        let mut clock = GameClock::of_tag("8+0.08").expect("a clock");
        assert_eq!([clock.after(1000), clock.after(50), clock.after(9000)], [7160, 7190, 80]);
        let mut clock = GameClock::of_tag("2/10").expect("a clock");
        assert_eq!([clock.after(4000), clock.after(1000)], [6000, 15_000]);
        let mut clock = GameClock::of_tag("tc=9+2,nodes=500").expect("a clock");
        assert_eq!(clock.after(3000), 10_000);
        for tag in ["nodes=5000", "movetime=100ms", "?", "-", "", "*60"] {
            assert!(GameClock::of_tag(tag).is_none(), "{tag}");
        }
    }
}
