//! Elo, normalized Elo and LOS from counts.

use std::f64::consts::{LN_10, SQRT_2};
use std::fmt;

use serde::{Deserialize, Serialize};
use statrs::function::erf::erfc;
use thiserror::Error;

use super::counts::{Regularised, Sample};

/// Normalized Elo of a normalized t-value of 1: 800 / ln 10.
pub(super) const NELO_PER_T: f64 = 800.0 / LN_10;

/// The 97.5 % quantile of the normal distribution.
pub(super) const Z975: f64 = 1.959_963_984_540_054;

/// Scores nearer than this to 0 or 1 are taken as this near where an interval would have an
/// infinite end (fishtest, `stat_util.elo`): 1,200 Elo.
const EDGE: f64 = 1e-3;

/// Logistic Elo difference with the half-width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elo {
    /// Elo of the first player above the second.
    pub value: f64,
    /// Half of the width of the 95 % interval.
    pub error95: f64,
}

/// Normalized Elo difference with the half-width of its 95 % interval.
///
/// The score's distance from one half in standard deviations of a game, so that the number of
/// games needed to prove it does not depend on how drawish the games are (M. Van den Bergh,
/// "Normalized Elo").
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalizedElo {
    /// Normalized Elo of the first player above the second.
    pub value: f64,
    /// Half of the width of the 95 % interval.
    pub error95: f64,
}

/// Why counts have no Elo.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum Undefined {
    /// Nothing was played.
    #[error("no game was played")]
    NoGames,
    /// The first player won every game.
    #[error("every game was won: Elo has no upper end (95 % sure to be above {above:.0})")]
    AllWon {
        /// Elo that is exceeded with 95 % confidence.
        above: f64,
    },
    /// The first player lost every game.
    #[error("every game was lost: Elo has no lower end (95 % sure to be below {below:.0})")]
    AllLost {
        /// Elo that is not reached with 95 % confidence.
        below: f64,
    },
}

/// Expected score (0 to 1) of a player who is `elo` stronger.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Elo difference that makes `score` (strictly between 0 and 1) the expected one.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

impl Elo {
    /// The estimate from counts, as fishtest computes it (`stat_util.get_elo`): the normal 95 %
    /// interval of the mean score, mapped to Elo; empty cells are regularised to 1e-3.
    ///
    /// # Errors
    /// [`Undefined`] without a game, or when all were won or all were lost.
    pub fn of(counts: impl Into<Sample>) -> Result<Elo, Undefined> {
        let sample = counts.into();
        check(&sample)?;
        let Regularised { mean, variance, total, .. } = sample.regularised();
        let margin = Z975 * (variance / total).sqrt();
        // After some 10^15 games that were nearly all won, the mean is rounded to 1.
        let mean = mean.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
        // Never so near the middle that the interval would leave out the value itself.
        let edge = EDGE.min(mean / 2.0).min((1.0 - mean) / 2.0).max(f64::EPSILON / 2.0);
        let end = |score: f64| elo_of_score(score.clamp(edge, 1.0 - edge));
        let error95 = (end(mean + margin) - end(mean - margin)) / 2.0;
        Ok(Elo { value: elo_of_score(mean), error95 })
    }
}

impl NormalizedElo {
    /// The estimate from counts: (mean - ½) / σ · 800 / ln 10, where σ is the standard deviation
    /// of a game, for pairs √(2 · variance of the pair's mean score).
    ///
    /// The interval is the one that fishtest and fastchess print: it takes σ as known.
    ///
    /// # Errors
    /// [`Undefined`] without a game, or when all were won or all were lost.
    pub fn of(counts: impl Into<Sample>) -> Result<NormalizedElo, Undefined> {
        let sample = counts.into();
        check(&sample)?;
        let Regularised { mean, variance, total, .. } = sample.regularised();
        let sigma = (variance * sample.games_each()).sqrt();
        let games = total * sample.games_each();
        Ok(NormalizedElo {
            value: (mean - 0.5) / sigma * NELO_PER_T,
            error95: Z975 / games.sqrt() * NELO_PER_T,
        })
    }
}

/// Likelihood of superiority: the probability that the first player is the stronger one, as
/// the normal distribution of the mean score has it. `None` without a game.
///
/// Where all was won, or all was lost, there is no spread to tell how far luck goes; there it is
/// the probability, all shares of wins being as likely beforehand, that the share is above one
/// half: 1 - 2^-(n + 1) after n wins.
pub fn los(counts: impl Into<Sample>) -> Option<f64> {
    let sample = counts.into();
    let unlikely = || 0.5f64.powf(sample.observations() + 1.0);
    match check(&sample) {
        Err(Undefined::NoGames) => None,
        Err(Undefined::AllWon { .. }) => Some(1.0 - unlikely()),
        Err(Undefined::AllLost { .. }) => Some(unlikely()),
        Ok(()) => {
            let Regularised { mean, variance, total, .. } = sample.regularised();
            Some(normal_cdf((mean - 0.5) / (variance / total).sqrt()))
        }
    }
}

/// Probability that a standard normal variable is below `z`.
pub fn normal_cdf(z: f64) -> f64 {
    erfc(-z / SQRT_2) / 2.0
}

/// Refuses counts from which no Elo follows.
pub(super) fn check(sample: &Sample) -> Result<(), Undefined> {
    let counts = sample.counts();
    let observations = sample.observations();
    let all_in = |cell: usize| counts[cell] as f64 == observations;
    // With n of n observations at the end, the share of such observations is above
    // 0.05^(1/n) with 95 % confidence (Clopper and Pearson), and the score is no lower.
    let least_score = || 0.05f64.powf(1.0 / observations).min(1.0 - f64::EPSILON);
    if observations == 0.0 {
        Err(Undefined::NoGames)
    } else if all_in(counts.len() - 1) {
        Err(Undefined::AllWon { above: elo_of_score(least_score()) })
    } else if all_in(0) {
        Err(Undefined::AllLost { below: -elo_of_score(least_score()) })
    } else {
        Ok(())
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ± {:.2}", self.value, self.error95)
    }
}

impl fmt::Display for NormalizedElo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ± {:.2}", self.value, self.error95)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pentanomial, Wdl};
    use super::*;

    #[test]
    fn normalized_elo_error_is_that_of_other_runners() {
        // Printed by fastchess for these counts.
        let cases = [
            ([34, 54, 63, 64, 75], 57.9356, 28.2754),
            ([10, 60, 120, 75, 15], 24.0580, 28.7759),
            ([5, 40, 165, 33, 7], -4.2382, 30.4535),
        ];
        for (counts, value, error95) in cases {
            let nelo = NormalizedElo::of(&Pentanomial(counts)).expect("defined");
            assert!((nelo.value - value).abs() < 1e-4, "{counts:?}: {nelo}");
            assert!((nelo.error95 - error95).abs() < 1e-4, "{counts:?}: {nelo}");
        }
    }

    #[test]
    fn elo_of_one_sided_results_says_why_it_is_undefined() {
        assert_eq!(Elo::of(&Pentanomial::default()), Err(Undefined::NoGames));
        let Err(Undefined::AllWon { above }) = Elo::of(&Wdl { wins: 100, draws: 0, losses: 0 })
        else {
            panic!("all won");
        };
        assert!((above - 606.8).abs() < 0.1, "{above}");
        assert_eq!(
            NormalizedElo::of(&Pentanomial([1, 0, 0, 0, 0])),
            Err(Undefined::AllLost { below: -elo_of_score(0.05) })
        );
        assert!(Elo::of(&Pentanomial([0, 0, 0, 0, u64::MAX])).is_err());
    }

    #[test]
    fn a_few_wins_are_no_certainty() {
        assert_eq!(los(&Pentanomial([0, 0, 0, 0, 1])), Some(0.75));
        assert_eq!(los(&Wdl { wins: 0, draws: 0, losses: 3 }), Some(0.0625));
        assert_eq!(los(&Pentanomial([0, 0, 0, 0, u64::MAX])), Some(1.0));
        assert_eq!(los(&Pentanomial::default()), None);
    }

    #[test]
    fn an_interval_near_the_edge_has_a_width_and_holds_the_value() {
        let elo = Elo::of(&Wdl { wins: 1_000_000, draws: 0, losses: 1 }).expect("defined");
        assert!(elo.value > 2_000.0 && elo.error95 > 1.0, "{elo}");
    }

    #[test]
    fn reversing_the_players_changes_only_the_sign() {
        let counts = Pentanomial([12, 118, 250, 141, 19]);
        let (there, back) = (Elo::of(&counts), Elo::of(&counts.reversed()));
        let (there, back) = (there.expect("defined"), back.expect("defined"));
        assert!((there.value + back.value).abs() < 1e-9);
        assert!((there.error95 - back.error95).abs() < 1e-9);
        let sum = los(&counts).zip(los(&counts.reversed())).map(|(a, b)| a + b);
        assert!(sum.is_some_and(|sum| (sum - 1.0).abs() < 1e-12));
    }
}
