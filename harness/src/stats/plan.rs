//! What to expect of an SPRT before a game is played.
//!
//! The LLR is taken as a random walk with one step a pair, whose mean and variance follow from
//! the true difference; the bounds are moved outwards by the walk's mean overshoot (D. Siegmund,
//! "Sequential Analysis", 1985, chapter X). A. Wald's identity gives the expected length.

use serde::{Deserialize, Serialize};

use super::brownian::Brownian;
use super::elo::{elo_of_score, score_of_elo};
use super::sprt::Sprt;

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

impl Sprt {
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

/// Standard deviation of a game's score when this share of games (0 to 1) between near-equal
/// players is drawn and the games of a pair are independent: √((1 - share) / 4).
pub fn sigma_of_draws(share: f64) -> f64 {
    ((1.0 - share) / 4.0).sqrt()
}
