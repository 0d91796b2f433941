//! The rating of the solver: Glicko (M. E. Glickman, "Parameter estimation in large dynamic paired
//! comparison experiments", 1999; <http://www.glicko.net/glicko/glicko.pdf>).

use std::f64::consts::PI;

/// Deviation of a puzzle's rating: it is a convention that people do not move.
const PUZZLE_DEVIATION: f64 = 100.0;

/// Lowest deviation, so that the rating can still follow the solver.
const MIN_DEVIATION: f64 = 45.0;

/// A rating and its deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating.
    pub value: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl Default for Rating {
    fn default() -> Rating {
        Rating { value: 1500.0, deviation: 350.0 }
    }
}

const Q: f64 = std::f64::consts::LN_10 / 400.0;

fn damping(deviation: f64) -> f64 {
    1.0 / (1.0 + 3.0 * (Q * deviation / PI).powi(2)).sqrt()
}

/// Expected score against an opponent.
fn expected(own: f64, other: Rating) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-damping(other.deviation) * (own - other.value) / 400.0))
}

impl Rating {
    /// After games of one period: opponents and scores (steps 2 of the paper, equations 4 to 8).
    fn after_period(self, games: &[(Rating, f64)]) -> Rating {
        let mut information = 0.0;
        let mut surprise = 0.0;
        for (other, score) in games {
            let g = damping(other.deviation);
            let e = expected(self.value, *other);
            information += (Q * g).powi(2) * e * (1.0 - e);
            surprise += g * (score - e);
        }
        let precision = 1.0 / self.deviation.powi(2) + information;
        Rating { value: self.value + Q / precision * surprise, deviation: (1.0 / precision).sqrt() }
    }

    /// After a puzzle of this rating.
    pub fn after(self, puzzle: f64, solved: bool) -> Rating {
        let other = Rating { value: puzzle, deviation: PUZZLE_DEVIATION };
        let next = self.after_period(&[(other, f64::from(u8::from(solved)))]);
        Rating { deviation: next.deviation.max(MIN_DEVIATION), ..next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_paper() {
        let own = Rating { value: 1500.0, deviation: 200.0 };
        let other = |value, deviation| Rating { value, deviation };
        let games =
            [(other(1400.0, 30.0), 1.0), (other(1550.0, 100.0), 0.0), (other(1700.0, 300.0), 0.0)];
        let next = own.after_period(&games);
        assert!((next.value - 1464.0).abs() < 0.5, "{next:?}");
        assert!((next.deviation - 151.4).abs() < 0.1, "{next:?}");
    }

    #[test]
    fn a_hard_puzzle_that_is_solved_raises_the_rating_more() {
        let own = Rating::default();
        let hard = own.after(1900.0, true);
        let easy = own.after(1100.0, true);
        assert!(hard.value > easy.value && easy.value > own.value);
        assert!(own.after(1100.0, false).value < own.after(1900.0, false).value);
    }
}
