//! What to expect of an SPRT, before a game is played and while it runs.
//!
//! The LLR is taken as a random walk with one step a pair, whose mean and variance follow from
//! the true difference; the bounds are moved outwards by the walk's mean overshoot (D. Siegmund,
//! "Sequential Analysis", 1985, chapter X). A. Wald's identity gives the expected length.

use serde::{Deserialize, Serialize};

use super::brownian::Brownian;
use super::counts::{Regularised, Sample};
use super::elo::{Z975, elo_of_score, score_of_elo};
use super::posterior::{Posterior, is_few};
use super::sequential::Outcome;
use super::sprt::{Decision, Sprt};

/// The 80 % quantile of the normal distribution.
const Z80: f64 = 0.841_621_233_572_914_4;

/// How a test would go if the truth were known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// The true difference in logistic Elo.
    pub elo: f64,
    /// The same in normalized Elo.
    pub nelo: f64,
    /// Probability that the test accepts.
    pub pass: f64,
    /// Mean number of games until it decides.
    pub games: f64,
}

/// How a test will go on if the difference is what it was so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remaining {
    /// Mean number of games until it decides; 0 once it has.
    pub games: f64,
    /// Probability that it accepts.
    pub pass: f64,
}

impl Sprt {
    /// What is to come if the true difference is the one that these counts show; rough while
    /// they are few. `None` where [`super::Elo`] is undefined and the test undecided.
    pub fn remaining(&self, counts: impl Into<Sample>) -> Option<Remaining> {
        let sample = counts.into();
        let llr = self.llr(sample)?;
        if let Some(decision) = self.decide_at(llr) {
            let pass = if decision == Decision::Accepted { 1.0 } else { 0.0 };
            return Some(Remaining { games: 0.0, pass });
        }
        let walk = Outcome::of(self, &sample)?.motion_as_seen();
        let walk = Brownian { lower: walk.lower - llr, upper: walk.upper - llr, ..walk }
            .corrected_for_overshoot();
        let games = walk.mean_time() * sample.games_each();
        Some(Remaining { games: games.max(1.0), pass: walk.upper_probability() })
    }

    /// How the test goes between players of whom the first is `elo` (logistic) stronger.
    ///
    /// `sigma` is the standard deviation of a game's score over pairs, √(2 · variance of the
    /// pair's mean score): see [`sigma_of_draws`] where only a share of draws is known, or take
    /// it from an earlier match.
    pub fn expectation(&self, elo: f64, sigma: f64) -> Expectation {
        let mean = score_of_elo(elo);
        let variance = sigma * sigma / 2.0;
        let [score0, score1] = [self.elo0, self.elo1].map(|elo| self.model.score(elo, sigma));
        let distance = score1 - score0;
        let [lower, upper] = self.bounds();
        let walk = Brownian {
            lower,
            upper,
            drift: (mean - (score0 + score1) / 2.0) * distance / variance,
            variance: distance * distance / variance,
        }
        .corrected_for_overshoot();
        Expectation {
            elo,
            nelo: (mean - 0.5) / sigma * super::elo::NELO_PER_T,
            pass: walk.upper_probability(),
            games: 2.0 * walk.mean_time(),
        }
    }

    /// The hypotheses `elo0` and `elo1` in logistic Elo, at this spread of scores.
    pub fn logistic_hypotheses(&self, sigma: f64) -> [f64; 2] {
        [self.elo0, self.elo1].map(|elo| elo_of_score(self.model.score(elo, sigma)))
    }
}

/// Logistic Elo difference that as many games with the same spread show in four of five matches:
/// the 95 % interval then leaves out 0. `None` where no difference would show that often, or
/// without a game.
pub fn visible_effect(counts: impl Into<Sample>) -> Option<f64> {
    let sample = counts.into();
    if sample.observations() == 0.0 {
        return None;
    }
    let deviation = if is_few(&sample) {
        Posterior::of(&sample).deviation()
    } else {
        let Regularised { variance, total, .. } = sample.regularised();
        (variance / total).sqrt()
    };
    effect_of(deviation)
}

/// The same before the first of so many pairs is played; `sigma` is the standard deviation of a
/// game's score, see [`Sprt::expectation`].
pub fn smallest_effect(pairs: u64, sigma: f64) -> Option<f64> {
    // With the prior of a `Posterior`, which is one pair that is won or lost with both games.
    let pairs = pairs as f64;
    let variance = (pairs * sigma * sigma / 2.0 + 0.25) / (pairs + 1.0);
    effect_of((variance / (pairs + 2.0)).sqrt())
}

/// The Elo that a mean score with this standard deviation shows with a probability of 80 %.
fn effect_of(deviation: f64) -> Option<f64> {
    let score = 0.5 + (Z975 + Z80) * deviation;
    // Beyond 1,200 Elo every game is won.
    (score < 0.999).then(|| elo_of_score(score))
}

/// Standard deviation of a game's score when this share of games (0 to 1) between near-equal
/// players is drawn and the games of a pair are independent: √((1 - share) / 4).
pub fn sigma_of_draws(share: f64) -> f64 {
    ((1.0 - share) / 4.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::{Model, Pentanomial};
    use super::*;

    fn sprt() -> Sprt {
        Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("valid")
    }

    #[test]
    fn what_remains_between_equals_is_what_a_fresh_test_takes() {
        // Without a drift and half way between the bounds, games played change nothing.
        let sprt = Sprt::new(Model::Normalized, -5.0, 5.0, 0.05, 0.05).expect("valid");
        let counts = Pentanomial([15, 125, 250, 125, 15]);
        let remaining = sprt.remaining(&counts).expect("games");
        let sigma = (2.0 * counts.variance().expect("pairs")).sqrt();
        let fresh = sprt.expectation(0.0, sigma);
        assert!((remaining.games - fresh.games).abs() < 1e-6 * fresh.games, "{remaining:?}");
        assert!((remaining.pass - 0.5).abs() < 1e-9, "{remaining:?}");
        // The nearer bound comes sooner, and more likely.
        let ahead = sprt.remaining(&Pentanomial([12, 118, 250, 141, 19])).expect("games");
        assert!(ahead.pass > 0.9 && ahead.games < fresh.games, "{ahead:?}");
    }

    #[test]
    fn a_decided_test_needs_no_more_games() {
        let won = Pentanomial([0, 0, 10_000, 0, 20_000]);
        assert_eq!(sprt().remaining(&won), Some(Remaining { games: 0.0, pass: 1.0 }));
        let lost = sprt().remaining(&won.reversed());
        assert_eq!(lost, Some(Remaining { games: 0.0, pass: 0.0 }));
        assert_eq!(sprt().remaining(&Pentanomial::default()), None);
    }

    #[test]
    fn more_games_show_smaller_effects_and_a_plan_sees_what_a_match_does() {
        let counts = [10, 60, 120, 75, 15];
        let seen = visible_effect(&Pentanomial(counts)).expect("many pairs");
        let sigma = (2.0 * Pentanomial(counts).variance().expect("pairs")).sqrt();
        let planned = smallest_effect(280, sigma).expect("many pairs");
        assert!((seen - planned).abs() < 0.01 * seen, "{seen} {planned}");
        let few = visible_effect(&Pentanomial([0, 0, 2, 0, 0])).expect("some");
        assert!(few > 200.0 && few < 500.0, "{few}");
        assert_eq!(visible_effect(&Pentanomial::default()), None);
        assert_eq!(smallest_effect(0, 0.5), None);
        let by_pairs = [1u64, 4, 100, 10_000].map(|pairs| smallest_effect(pairs, 0.35));
        assert!(by_pairs.windows(2).all(|two| two[1].is_some_and(|small| {
            two[0].is_none_or(|large| large > small)
        })));
    }
}
