//! The generalized sequential probability ratio test.

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::bounds::{Bounds, Shape};
use super::likelihood::{Constraint, log_likelihood};
use crate::counts::{Pentanomial, Sample};
use crate::elo::{NELO_PER_T, score_of_elo};

/// The kind of Elo in which the hypotheses of a test are stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Logistic Elo: fixes the mean score.
    Logistic,
    /// Normalized Elo: fixes the t-value, so that the length of a test does not depend on how
    /// drawish the games are.
    #[default]
    Normalized,
}

impl Model {
    /// Mean score (0 to 1) at this Elo; `sigma` is the standard deviation of a game's score, which
    /// only normalized Elo needs.
    pub(crate) fn score(self, elo: f64, sigma: f64) -> f64 {
        match self {
            Model::Logistic => score_of_elo(elo),
            Model::Normalized => 0.5 + elo / NELO_PER_T * sigma,
        }
    }
}

/// A test of "the difference is at most `elo0`" against "it is at least `elo1`".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The kind of Elo of the bounds.
    pub model: Model,
    /// Elo of the null hypothesis.
    pub elo0: f64,
    /// Elo of the alternative.
    pub elo1: f64,
    /// Type I error: probability to accept if the difference is `elo0`.
    pub alpha: f64,
    /// Type II error: probability to reject if the difference is `elo1`.
    pub beta: f64,
    /// Bounds other than Wald's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Bounds>,
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The alternative holds: the first player is better by `elo1` or so.
    Accepted,
    /// The null hypothesis holds.
    Rejected,
}

/// Reason of a test's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The LLR reached a bound.
    Bounds,
    /// It was futile to continue.
    Futility,
    /// All games were played.
    MaxGames,
}

/// An invalid test.
#[derive(Clone, Debug, PartialEq, Error, Diagnostic)]
pub enum SprtError {
    /// The hypotheses are in the wrong order, equal, or NaN.
    #[error("elo0 = {elo0} is not below elo1 = {elo1}")]
    #[diagnostic(help(
        "the test decides between \"at most elo0\" and \"at least elo1\": \
         try 0 and 5 for a gain, -5 and 0 for a simplification"
    ))]
    Order {
        /// As given.
        elo0: f64,
        /// As given.
        elo1: f64,
    },
    /// A hypothesis beyond ±2,000 Elo.
    #[error("an Elo difference of {elo} cannot be tested")]
    #[diagnostic(help("both hypotheses must lie between -{MAX_ELO} and {MAX_ELO}"))]
    Extreme {
        /// As given.
        elo: f64,
    },
    /// An error rate outside its range.
    #[error("{name} = {value} is not an error rate")]
    #[diagnostic(help("an error rate lies above 0 and below 0.5; 0.05 is usual"))]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// As given.
        value: f64,
    },
    /// Hypotheses so far apart that a few pairs decide.
    #[error("falling bounds cannot be computed for [{elo0}, {elo1}]: a handful of pairs decides")]
    #[diagnostic(help(
        "use bounds that stand still, or hypotheses less than {MAX_GAP} nElo apart"
    ))]
    Wide {
        /// As given.
        elo0: f64,
        /// As given.
        elo1: f64,
    },
    /// Error rates for which no bounds were found.
    #[error("no {shape} bounds with alpha {alpha} and beta {beta} were found")]
    #[diagnostic(help("use bounds that stand still, or error rates between 0.0001 and 0.3"))]
    Unreachable {
        /// The form of the bounds.
        shape: Shape,
        /// Type I error that they were to have.
        alpha: f64,
        /// Type II error that they were to have.
        beta: f64,
    },
    /// A level of futility outside its range.
    #[error("{level} is no conditional power below which a test can be futile")]
    #[diagnostic(help("it lies above 0 and below 1; 0.1 is usual"))]
    Level {
        /// As given.
        level: f64,
    },
}

/// Most normalized Elo between the hypotheses of a test with falling bounds.
pub(super) const MAX_GAP: f64 = 150.0;

/// Bound of the hypotheses' Elo, logistic or normalized.
const MAX_ELO: f64 = 2000.0;

impl Sprt {
    /// A test with valid hypotheses and error rates.
    ///
    /// # Errors
    /// [`SprtError`] names the invalid one.
    pub fn new(
        model: Model,
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
    ) -> Result<Sprt, SprtError> {
        if elo0.is_nan() || elo1.is_nan() || elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        if let Some(elo) = [elo0, elo1].into_iter().find(|elo| elo.abs() > MAX_ELO) {
            return Err(SprtError::Extreme { elo });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Rate { name, value });
            }
        }
        Ok(Sprt { model, elo0, elo1, alpha, beta, rule: None })
    }

    /// LLR at which the test rejects and at which it accepts by A. Wald (1945).
    pub(super) fn wald(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// LLR at which the test rejects and at which it accepts, with its first pair.
    pub fn bounds(&self) -> [f64; 2] {
        self.bounds_at(self.first_pair())
    }

    /// The same after `pairs` pairs: falling bounds meet at the last pair. Infinite before the first pair
    /// that can decide.
    pub fn bounds_at(&self, pairs: f64) -> [f64; 2] {
        self.rule.map_or_else(|| self.wald(), |rule| rule.at(pairs))
    }

    /// The pair from which on the test can be decided: 0 unless its bounds were changed.
    pub fn first_pair(&self) -> f64 {
        self.rule.map_or(0.0, |rule| rule.from as f64)
    }

    /// The pair that decides at the latest; `None` where bounds stand still.
    pub fn last_pair(&self) -> Option<u64> {
        self.rule.and_then(|rule| rule.last_pair())
    }

    /// The bounds after these counts.
    pub fn bounds_of(&self, counts: impl Into<Sample>) -> [f64; 2] {
        self.bounds_at(counts.into().pairs())
    }

    /// Generalized log-likelihood ratio of the two hypotheses, in nats.
    ///
    /// Multinomial maximum likelihood under a fixed mean score (logistic) or a fixed t-value
    /// (normalized; M. Van den Bergh, "Normalized Elo in practice", section 4.1); empty cells
    /// are regularised to 1e-3 as fishtest does. `None` without a game.
    pub fn llr(&self, counts: impl Into<Sample>) -> Option<f64> {
        let sample = counts.into();
        if sample.observations() == 0.0 {
            return None;
        }
        let at = |elo| log_likelihood(&sample, self.constraint(elo, &sample));
        Some(at(self.elo1)? - at(self.elo0)?)
    }

    fn constraint(&self, elo: f64, sample: &Sample) -> Constraint {
        match self.model {
            Model::Logistic => Constraint::Mean(score_of_elo(elo)),
            // The standard deviation of a pair's mean score is √2 times smaller than a game's.
            Model::Normalized => Constraint::TValue(elo / NELO_PER_T * sample.games_each().sqrt()),
        }
    }

    /// The decision at these counts; `None`: play on.
    pub fn decide(&self, counts: impl Into<Sample>) -> Option<Decision> {
        let sample = counts.into();
        self.llr(sample).and_then(|llr| self.decide_at(sample.pairs(), llr))
    }

    /// Reason for the test to end at this LLR after `pairs` pairs; `None`: it continues.
    pub fn stopped(&self, pairs: f64, llr: f64) -> Option<Stop> {
        let decision = self.decide_at(pairs, llr)?;
        let [line, _] = self.rule.map_or_else(|| self.bounds(), |rule| rule.lines_at(pairs));
        let is_futile = decision == Decision::Rejected && llr > line;
        Some(if is_futile { Stop::Futility } else { Stop::Bounds })
    }

    /// Fewest pairs that can decide the test: they decide it only if one player wins all of them.
    pub fn fewest_pairs(&self) -> u64 {
        let can_decide = |&pairs: &u64| {
            let one_sided = [[0, 0, 0, 0, pairs], [pairs, 0, 0, 0, 0]];
            one_sided.iter().any(|&counts| self.decide(&Pentanomial(counts)).is_some())
        };
        // Doubled until they decide, then bisected between the last two.
        let doubled = std::iter::successors(Some(1u64), |pairs| pairs.checked_mul(2));
        let Some(enough) = doubled.into_iter().find(can_decide) else { return u64::MAX };
        let (mut few, mut enough) = (enough / 2, enough);
        while few + 1 < enough {
            let between = few + (enough - few) / 2;
            if can_decide(&between) { enough = between } else { few = between }
        }
        enough
    }

    /// The decision at this LLR after `pairs` pairs; `None`: play on.
    pub fn decide_at(&self, pairs: f64, llr: f64) -> Option<Decision> {
        let [lower, upper] = self.bounds_at(pairs);
        if llr >= upper {
            Some(Decision::Accepted)
        } else if llr <= lower {
            Some(Decision::Rejected)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Wdl;

    fn sprt(model: Model, elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(model, elo0, elo1, 0.05, 0.05).expect("valid")
    }

    #[test]
    fn invalid_tests_are_refused() {
        let new = |elo0, elo1, alpha, beta| Sprt::new(Model::Logistic, elo0, elo1, alpha, beta);
        assert!(matches!(new(5.0, 0.0, 0.05, 0.05), Err(SprtError::Order { .. })));
        assert!(matches!(new(0.0, 0.0, 0.05, 0.05), Err(SprtError::Order { .. })));
        assert!(matches!(new(f64::NAN, 0.0, 0.05, 0.05), Err(SprtError::Order { .. })));
        assert!(matches!(new(0.0, f64::INFINITY, 0.05, 0.05), Err(SprtError::Extreme { .. })));
        assert!(matches!(new(0.0, 5.0, 0.0, 0.05), Err(SprtError::Rate { .. })));
        assert!(matches!(new(0.0, 5.0, 0.05, 0.5), Err(SprtError::Rate { .. })));
        assert!(matches!(new(0.0, 5.0, 0.05, f64::NAN), Err(SprtError::Rate { .. })));
    }

    #[test]
    fn degenerate_counts_have_a_finite_llr() {
        let cases = [
            (Pentanomial([3, 4, 2, 1, 0]), -1500.0, -500.0),
            (Pentanomial([0, 0, 10, 0, 0]), -300.0, 300.0),
            (Pentanomial([0, 0, 0, 0, 10]), 0.0, 5.0),
            (Pentanomial([10, 0, 0, 0, 0]), -2000.0, 2000.0),
        ];
        for (counts, elo0, elo1) in cases {
            for model in [Model::Logistic, Model::Normalized] {
                let llr = sprt(model, elo0, elo1).llr(&counts);
                assert!(llr.is_some_and(f64::is_finite), "{model:?} {counts}: {llr:?}");
            }
        }
        assert_eq!(sprt(Model::Normalized, 0.0, 5.0).llr(&Pentanomial::default()), None);
    }

    /// No other results of as many pairs decide, with any form of bounds.
    #[test]
    fn fewer_pairs_than_the_fewest_decide_nothing_whatever_their_results() {
        let wald = Shape::Wald;
        for (elo0, elo1, shape) in [
            (0.0, 120.0, wald),
            (0.0, 120.0, Shape::Falling),
            (-140.0, 0.0, wald),
            (-60.0, 70.0, wald),
            (300.0, 440.0, wald),
        ] {
            let test = sprt(Model::Normalized, elo0, elo1).with_bounds(shape, 0.5).unwrap();
            let fewest = test.fewest_pairs();
            assert!((3..=20).contains(&fewest), "{shape} [{elo0}, {elo1}]: {fewest}");
            for counts in all_counts(fewest - 1) {
                assert_eq!(test.decide(&counts), None, "{shape} [{elo0}, {elo1}] {counts}");
            }
        }
        // A narrow test, and one that gives up at once.
        assert_eq!(sprt(Model::Normalized, 0.0, 10.0).fewest_pairs(), 71);
        let hopeless = sprt(Model::Normalized, 0.0, 10.0).with_futility(0.1, 0.5, 10).unwrap();
        assert_eq!(hopeless.fewest_pairs(), 1);
    }

    /// All results of this many pairs.
    fn all_counts(pairs: u64) -> Vec<Pentanomial> {
        let mut all = Vec::new();
        for a in 0..=pairs {
            for b in 0..=pairs - a {
                for c in 0..=pairs - a - b {
                    let left = pairs - a - b - c;
                    all.extend((0..=left).map(|d| Pentanomial([a, b, c, d, left - d])));
                }
            }
        }
        all
    }

    /// Maximum likelihood of a distribution of three cells by a grid search: σ fixes the mean and
    /// the variance.
    fn slow_log_likelihood(games: &Wdl, t: f64) -> f64 {
        let weights = Sample::from(games).regularised().weights;
        let largest = 0.5 / (1.0 + t * t).sqrt();
        let mut best = f64::NEG_INFINITY;
        for step in 1..400_000 {
            let sigma = largest * f64::from(step) / 400_000.0;
            let mean = 0.5 + t * sigma;
            let square = mean * mean + sigma * sigma;
            let win = 2.0 * square - mean;
            let draw = 2.0 * (mean - win);
            let shares = [1.0 - win - draw, draw, win];
            if shares.iter().all(|&share| share > 0.0) {
                let sum: f64 = (0..3).map(|i| weights[i] * shares[i].ln()).sum();
                best = best.max(sum);
            }
        }
        best
    }

    #[test]
    fn extreme_hypotheses_agree_with_a_grid_search() {
        for games in [(30, 50, 20), (0, 10, 0), (10, 0, 10), (7, 1, 0), (0, 3, 40)] {
            let games = Wdl { wins: games.0, draws: games.1, losses: games.2 };
            for (elo0, elo1) in [(-1500.0, -500.0), (-300.0, 300.0), (0.0, 800.0), (600.0, 1900.0)]
            {
                let llr = sprt(Model::Normalized, elo0, elo1).llr(&games).expect("finite");
                let slow = slow_log_likelihood(&games, elo1 / NELO_PER_T)
                    - slow_log_likelihood(&games, elo0 / NELO_PER_T);
                assert!((llr - slow).abs() < 1e-3 * (1.0 + slow.abs()), "{games}: {llr} {slow}");
            }
        }
    }

    fn any_count() -> impl Strategy<Value = u64> {
        prop_oneof![Just(0), 0..10u64, 0..10_000u64, any::<u64>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn every_count_vector_has_a_finite_ratio(
            counts in prop::array::uniform5(any_count()),
            elo0 in -2000.0..1999.0f64,
            width in 0.01..4000.0f64,
            logistic in any::<bool>(),
        ) {
            let model = if logistic { Model::Logistic } else { Model::Normalized };
            let test = sprt(model, elo0, (elo0 + width).min(2000.0));
            let pairs = Pentanomial(counts);
            let games = Wdl { wins: counts[0], draws: counts[1], losses: counts[2] };
            let ratios = [
                (pairs.pairs(), test.llr(&pairs)),
                (games.games(), test.llr(&games)),
            ];
            for (played, llr) in ratios {
                prop_assert_eq!(llr.is_some(), played > 0);
                prop_assert!(llr.unwrap_or(0.0).is_finite());
            }
        }

        #[test]
        fn reversing_players_and_hypotheses_changes_only_the_sign(
            counts in prop::array::uniform5(0..500u64),
            elo0 in -60.0..60.0f64,
            width in 0.5..50.0f64,
        ) {
            let pairs = Pentanomial(counts);
            prop_assume!(pairs.pairs() > 0);
            for model in [Model::Logistic, Model::Normalized] {
                let there = sprt(model, elo0, elo0 + width).llr(&pairs).expect("finite");
                let back =
                    sprt(model, -elo0 - width, -elo0).llr(&pairs.reversed()).expect("finite");
                prop_assert!((there + back).abs() < 1e-7 * (1.0 + there.abs()), "{there} {back}");
            }
        }
    }
}
