//! Elo, normalized Elo and LOS from counts.

use std::f64::consts::{LN_10, SQRT_2};
use std::fmt;

use serde::{Deserialize, Serialize};
use statrs::function::erf::erfc;
use thiserror::Error;

use super::counts::{Regularised, Sample};
use super::posterior::{Posterior, is_few};

/// Normalized Elo of a normalized t-value of 1: 800 / ln 10.
pub(super) const NELO_PER_T: f64 = 800.0 / LN_10;

/// The 97.5 % quantile of the normal distribution.
pub(super) const Z975: f64 = 1.959_963_984_540_054;

/// Clamp of scores near 0 and 1, where an interval would have an infinite end (fishtest,
/// `stat_util.elo`): 1,200 Elo.
const SCORE_MARGIN: f64 = 1e-3;

/// How an interval was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The normal approximation of the mean score, as in fishtest; many observations.
    Normal,
    /// A Dirichlet posterior of the mean score ([`Posterior`]); few observations.
    Dirichlet,
    /// Student's distribution of the mean score; ratings of several players after few games.
    Student,
}

/// Logistic Elo difference with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elo {
    /// Elo of the first player above the second.
    pub value: f64,
    /// Half of the width of the 95 % interval.
    pub error95: f64,
    /// Lower end of the 95 % interval.
    pub low95: f64,
    /// Upper end of the 95 % interval.
    pub high95: f64,
    /// How the interval was computed.
    pub method: Method,
}

/// Normalized Elo difference with its 95 % interval.
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
    /// Lower end of the 95 % interval.
    pub low95: f64,
    /// Upper end of the 95 % interval.
    pub high95: f64,
    /// How the interval was computed.
    pub method: Method,
    /// The value that fishtest and fastchess print: with the spread of the counts themselves. It is
    /// another one than `value` where that is from the spread of a posterior, after few observations.
    #[serde(default)]
    pub plain: f64,
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

/// The logistic function, 0 to 1: the expected score at a distance in logits.
#[inline]
pub fn logistic(logits: f64) -> f64 {
    1.0 / (1.0 + (-logits).exp())
}

/// Expected score (0 to 1) of a player who is `elo` stronger.
#[inline]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Elo difference whose expected score is `score` (strictly between 0 and 1).
#[inline]
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

impl Elo {
    /// The estimate from counts: Elo of the mean score, with the interval of [`Elo::normal`] from
    /// 200 observations on, below that the interval of a [`Posterior`], whose coverage is right
    /// from two pairs on.
    ///
    /// # Errors
    /// [`Undefined`] without a game, or when all were won or all were lost.
    pub fn from_counts(counts: impl Into<Sample>) -> Result<Elo, Undefined> {
        let sample = counts.into();
        let normal = Elo::normal(sample)?;
        if !is_few(&sample) {
            return Ok(normal);
        }
        let posterior = Posterior::from_sample(&sample);
        let ends = [0.025, 0.975].map(|share| posterior.quantile(share));
        let [low95, high95] =
            ends.map(|score| elo_of_score(score.clamp(SCORE_MARGIN, 1.0 - SCORE_MARGIN)));
        let low95 = low95.min(normal.value);
        let high95 = high95.max(normal.value);
        let error95 = (high95 - low95) / 2.0;
        Ok(Elo { value: normal.value, error95, low95, high95, method: Method::Dirichlet })
    }

    /// The estimate as fishtest computes it (`stat_util.get_elo`): the normal 95 % interval of
    /// the mean score, mapped to Elo; empty cells are regularised to 1e-3.
    ///
    /// # Errors
    /// [`Undefined`] without a game, or when all were won or all were lost.
    pub fn normal(counts: impl Into<Sample>) -> Result<Elo, Undefined> {
        let sample = counts.into();
        check(&sample)?;
        let Regularised { mean, variance, total, .. } = sample.regularised();
        let margin = Z975 * (variance / total).sqrt();
        // Rounding makes the mean 1 after some 10^15 games, nearly all won.
        let mean = mean.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
        // The interval always contains the value.
        let edge = SCORE_MARGIN.min(mean / 2.0).min((1.0 - mean) / 2.0).max(f64::EPSILON / 2.0);
        let end = |score: f64| elo_of_score(score.clamp(edge, 1.0 - edge));
        let low95 = end(mean - margin);
        let high95 = end(mean + margin);
        let value = elo_of_score(mean);
        let error95 = (high95 - low95) / 2.0;
        Ok(Elo { value, error95, low95, high95, method: Method::Normal })
    }

    /// A value with an interval that reaches as far upwards as downwards.
    pub(super) fn symmetric(value: f64, error95: f64, method: Method) -> Elo {
        Elo { value, error95, low95: value - error95, high95: value + error95, method }
    }
}

impl NormalizedElo {
    /// The estimate from counts: [`NormalizedElo::normal`] of many observations; of few the
    /// interval of [`Elo::from_counts`], in standard deviations of the posterior's variance.
    ///
    /// # Errors
    /// [`Undefined`] without a game, or when all were won or all were lost.
    pub fn from_counts(counts: impl Into<Sample>) -> Result<NormalizedElo, Undefined> {
        let sample = counts.into();
        let elo = Elo::from_counts(sample)?;
        let normal = NormalizedElo::normal(sample)?;
        if elo.method == Method::Normal {
            return Ok(normal);
        }
        let sigma = (Posterior::from_sample(&sample).spread() * sample.games_each()).sqrt();
        let [value, low95, high95] = [elo.value, elo.low95, elo.high95]
            .map(|elo| (score_of_elo(elo) - 0.5) / sigma * NELO_PER_T);
        let error95 = (high95 - low95) / 2.0;
        let method = elo.method;
        let plain = normal.plain;
        Ok(NormalizedElo { value, error95, low95, high95, method, plain })
    }

    /// The estimate that fishtest and fastchess print: (mean - ½) / σ · 800 / ln 10, where σ is
    /// the standard deviation of a game, for pairs √(2 · variance of the pair's mean score). The
    /// interval takes σ as known.
    ///
    /// # Errors
    /// [`Undefined`] without a game, or when all were won or all were lost.
    pub fn normal(counts: impl Into<Sample>) -> Result<NormalizedElo, Undefined> {
        let sample = counts.into();
        check(&sample)?;
        let Regularised { mean, variance, total, .. } = sample.regularised();
        let sigma = (variance * sample.games_each()).sqrt();
        let games = total * sample.games_each();
        let (value, error95) =
            ((mean - 0.5) / sigma * NELO_PER_T, Z975 / games.sqrt() * NELO_PER_T);
        let low95 = value - error95;
        let high95 = value + error95;
        Ok(NormalizedElo { value, error95, low95, high95, method: Method::Normal, plain: value })
    }
}

/// Likelihood of superiority: the probability that the first player is the stronger one, from
/// the distribution that [`Elo::from_counts`] takes its interval from. It is above 97.5 % or below 2.5 %
/// when that interval leaves out 0. `None` without a game.
pub fn los(counts: impl Into<Sample>) -> Option<f64> {
    let sample = counts.into();
    if sample.observations() > 0.0 && is_few(&sample) {
        return Some(1.0 - Posterior::from_sample(&sample).below(0.5));
    }
    normal_los(sample)
}

/// Likelihood of superiority by the normal approximation of the mean score (fishtest).
/// `None` without a game.
///
/// Without variance, where all games were won or all lost, it is the posterior probability that the
/// share of wins is above one half, with a uniform prior: 1 - 2^-(n + 1) after n wins.
pub fn normal_los(counts: impl Into<Sample>) -> Option<f64> {
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

/// Rejects counts without an Elo.
pub(super) fn check(sample: &Sample) -> Result<(), Undefined> {
    let counts = sample.counts();
    let observations = sample.observations();
    let all_in = |cell: usize| counts[cell] as f64 == observations;
    // With n of n observations at the end, the share of such observations is above
    // 0.05^(1/n) with 95 % confidence (Clopper and Pearson), and the score is no lower. Of few
    // the bound is that of the distribution which the likelihood of superiority is taken from.
    let least_score = || {
        if is_few(sample) {
            let posterior = Posterior::from_sample(sample);
            let below = posterior.quantile(0.05).max(1.0 - posterior.quantile(0.95));
            return below.min(1.0 - f64::EPSILON);
        }
        0.05f64.powf(1.0 / observations).min(1.0 - f64::EPSILON)
    };
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

/// `12.30 ± 8.10`, or `12.30 [-20.10, 51.00]` where the interval is not symmetric; with the
/// formatter's precision (2 digits by default). Never `-0.00`.
fn interval_text(f: &mut fmt::Formatter<'_>, numbers: [f64; 4], method: Method) -> fmt::Result {
    let digits = f.precision().unwrap_or(2);
    let [value, error95, low95, high95] = numbers.map(|number| signed(number, digits));
    match method {
        Method::Dirichlet => write!(f, "{value} [{low95}, {high95}]"),
        Method::Normal | Method::Student => write!(f, "{value} ± {error95}"),
    }
}

/// The number with `digits` decimals, without a sign where it is rounded to 0.
pub fn signed(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    match text.strip_prefix('-') {
        Some(size) if size.bytes().all(|byte| matches!(byte, b'0' | b'.')) => size.to_owned(),
        _ => text,
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Elo { value, error95, low95, high95, method } = *self;
        interval_text(f, [value, error95, low95, high95], method)
    }
}

impl fmt::Display for NormalizedElo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NormalizedElo { value, error95, low95, high95, method, .. } = *self;
        interval_text(f, [value, error95, low95, high95], method)
    }
}

/// Standard deviation of a game's score between near-equal players for this share of draws (0 to 1)
/// and independent games in a pair: √((1 - share) / 4).
pub fn sigma_of_draws(share: f64) -> f64 {
    ((1.0 - share) / 4.0).sqrt()
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
            let nelo = NormalizedElo::from_counts(&Pentanomial(counts)).expect("defined");
            assert!((nelo.value - value).abs() < 1e-4, "{counts:?}: {nelo}");
            assert!((nelo.error95 - error95).abs() < 1e-4, "{counts:?}: {nelo}");
        }
    }

    #[test]
    fn below_200_pairs_the_plain_normalized_elo_stands_beside_the_regularised_one() {
        for (counts, differs) in [
            ([8, 10, 6, 1, 0], true),
            ([0, 0, 2, 0, 0], false),
            ([34, 54, 63, 64, 75], false),
            ([0, 4, 1_000, 5, 0], true),
        ] {
            let nelo = NormalizedElo::from_counts(&Pentanomial(counts)).expect("defined");
            let plain = NormalizedElo::normal(&Pentanomial(counts)).expect("defined").value;
            assert_eq!(nelo.plain, plain, "{counts:?}");
            assert_eq!((nelo.plain - nelo.value).abs() > 0.1, differs, "{counts:?}: {nelo:?}");
        }
    }

    #[test]
    fn elo_of_one_sided_results_is_undefined_with_a_bound() {
        assert_eq!(Elo::from_counts(&Pentanomial::default()), Err(Undefined::NoGames));
        let Err(Undefined::AllWon { above }) =
            Elo::from_counts(&Wdl { wins: 1_000, draws: 0, losses: 0 })
        else {
            panic!("all won");
        };
        // The 5 % quantile of a beta distribution with parameters 1,001 and 1.
        assert!((above - elo_of_score(0.05f64.powf(1.0 / 1_001.0))).abs() < 0.1, "{above}");
        let Err(Undefined::AllLost { below }) =
            NormalizedElo::from_counts(&Pentanomial([4, 0, 0, 0, 0]))
        else {
            panic!("all lost");
        };
        // The 95 % quantile of a beta distribution with parameters 1/2 and 9/2.
        assert!((below - elo_of_score(0.362_2)).abs() < 1.0, "{below}");
        assert!(Elo::from_counts(&Pentanomial([0, 0, 0, 0, u64::MAX])).is_err());
    }

    #[test]
    fn a_few_wins_are_no_certainty() {
        let one = los(&Pentanomial([0, 0, 0, 0, 1])).expect("a pair");
        assert!((0.75..0.85).contains(&one), "{one}");
        let three = los(&Wdl { wins: 0, draws: 0, losses: 3 }).expect("games");
        assert!((0.05..0.07).contains(&three), "{three}");
        assert_eq!(los(&Pentanomial([0, 0, 0, 0, u64::MAX])), Some(1.0));
        assert_eq!(los(&Pentanomial::default()), None);
    }

    #[test]
    fn an_interval_near_the_edge_has_a_width_and_holds_the_value() {
        let elo = Elo::from_counts(&Wdl { wins: 1_000_000, draws: 0, losses: 1 }).expect("defined");
        assert!(elo.value > 2_000.0 && elo.error95 > 1.0, "{elo}");
    }

    #[test]
    fn reversing_the_players_changes_only_the_sign() {
        let counts = Pentanomial([12, 118, 250, 141, 19]);
        let there = Elo::from_counts(&counts);
        let back = Elo::from_counts(&counts.reversed());
        let there = there.expect("defined");
        let back = back.expect("defined");
        assert!((there.value + back.value).abs() < 1e-9);
        assert!((there.error95 - back.error95).abs() < 1e-9);
        let sum = los(&counts).zip(los(&counts.reversed())).map(|(a, b)| a + b);
        assert!(sum.is_some_and(|sum| (sum - 1.0).abs() < 1e-12));
    }
    /// All pentanomial counts of a number of pairs.
    fn all_counts(pairs: u64) -> impl Iterator<Item = [u64; 5]> {
        let up_to = move |most: u64| 0..=most;
        up_to(pairs).flat_map(move |a| {
            up_to(pairs - a).flat_map(move |b| {
                up_to(pairs - a - b).flat_map(move |c| {
                    up_to(pairs - a - b - c).map(move |d| [a, b, c, d, pairs - a - b - c - d])
                })
            })
        })
    }

    #[test]
    fn the_interval_leaves_out_zero_exactly_when_superiority_is_beyond_97_5_percent() {
        let few = [1, 2, 3, 5].into_iter().flat_map(all_counts);
        let many = [[10, 60, 120, 75, 15], [5, 40, 165, 33, 7], [0, 50, 400, 90, 0]];
        for counts in few.chain(many) {
            let pairs = Pentanomial(counts);
            let Ok(elo) = Elo::from_counts(&pairs) else { continue };
            let los = los(&pairs).expect("pairs");
            assert_eq!(elo.low95 > 0.0, los > 0.975, "{counts:?}: {elo}, {los}");
            assert_eq!(elo.high95 < 0.0, los < 0.025, "{counts:?}: {elo}, {los}");
            assert!(elo.low95 <= elo.value && elo.value <= elo.high95, "{counts:?}: {elo}");
            let nelo = NormalizedElo::from_counts(&pairs).expect("an Elo");
            assert_eq!(nelo.low95 > 0.0, elo.low95 > 0.0, "{counts:?}: {nelo}, {elo}");
        }
    }

    #[test]
    fn four_drawn_games_are_not_a_proof_of_equality_and_four_pairs_not_of_337_elo() {
        let drawn = Elo::from_counts(&Pentanomial([0, 0, 2, 0, 0])).expect("defined");
        assert!(drawn.value.abs() < 1e-9 && drawn.error95 > 100.0, "{drawn}");
        assert!(
            NormalizedElo::from_counts(&Pentanomial([0, 0, 2, 0, 0]))
                .is_ok_and(|n| n.error95 > 100.0)
        );
        let won = Pentanomial([0, 0, 1, 0, 3]);
        let elo = Elo::from_counts(&won).expect("defined");
        let los = los(&won).expect("pairs");
        assert!(elo.low95 < 0.0 && elo.low95 > -100.0 && elo.high95 > 500.0, "{elo}");
        assert!((0.95..0.975).contains(&los), "{los}");
    }

    #[test]
    fn a_rounded_zero_has_no_sign() {
        let elo = Elo {
            value: -7e-14,
            ..Elo::from_counts(&Pentanomial([1, 2, 3, 2, 1])).expect("defined")
        };
        assert!(elo.to_string().starts_with("0.00"), "{elo}");
        assert_eq!([signed(-0.004, 2), signed(-0.006, 2), signed(-0.4, 0)], ["0.00", "-0.01", "0"]);
    }
}
