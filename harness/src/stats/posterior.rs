//! The mean score after few observations: its posterior distribution under a weak prior.
//!
//! The normal distribution of the mean holds once there are many observations: of few the
//! estimated spread is itself mostly luck, and without any spread (every pair drawn 1 : 1) it is
//! zero. Here the shares of the scores have a Dirichlet posterior whose prior counts half an
//! observation without a point and half an observation with all points. With two scores that is
//! the prior of H. Jeffreys (1946); with five it keeps the possibility of a decisive pair open
//! however many were drawn. T. Ferguson, "A Bayesian analysis of some nonparametric problems",
//! Annals of Statistics 1, 1973. How often its intervals hold the truth, and how the prior's
//! weight was chosen, is measured by `cargo bench -p harness --bench coverage`.

use std::f64::consts::PI;

use super::counts::Sample;

/// Observations that the prior adds at each end of the scale.
const PRIOR: f64 = 0.5;

/// From so many observations on the normal distribution holds; `coverage` in `benches` shows it.
const MANY: f64 = 200.0;

/// So many observations with another score than the most frequent one are needed for a spread.
const SPREAD: f64 = 10.0;

/// Beyond this no rounding error is small enough for [`Posterior::below`].
const MOST: f64 = 1e6;

/// Step of the integral over the logarithm of the frequency, for bounds near the mean.
const STEP: f64 = 0.125;

/// What counts say of the mean score.
///
/// ```
/// use harness::stats::{Pentanomial, Posterior};
///
/// let four_drawn_games = Posterior::of(&(&Pentanomial([0, 0, 2, 0, 0])).into());
/// assert!((four_drawn_games.below(0.5) - 0.5).abs() < 1e-9);
/// assert!(four_drawn_games.quantile(0.975) > 0.7);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Posterior {
    /// Weights of the scores; zero beyond the sample's cells.
    weights: [f64; 5],
    scores: [f64; 5],
    total: f64,
}

/// Whether the normal distribution of the mean says too much of so few observations.
pub(super) fn is_few(sample: &Sample) -> bool {
    let observations = sample.observations();
    let most_frequent = sample.counts().iter().copied().max().unwrap_or(0) as f64;
    observations < MANY || (observations < MOST && observations - most_frequent < SPREAD)
}

impl Posterior {
    /// After these observations.
    pub fn of(sample: &Sample) -> Posterior {
        Posterior::with_prior(sample, PRIOR)
    }

    /// After these observations, with so many more at each end of the scale beforehand.
    pub fn with_prior(sample: &Sample, prior: f64) -> Posterior {
        let (mut weights, mut scores) = ([0.0; 5], [0.0; 5]);
        let last = sample.counts().len() - 1;
        for (cell, &count) in sample.counts().iter().enumerate() {
            weights[cell] = count as f64;
            scores[cell] = sample.score(cell);
        }
        weights[0] += prior;
        weights[last] += prior;
        Posterior { weights, scores, total: weights.iter().sum() }
    }

    /// Expected score, 0 to 1.
    pub fn mean(&self) -> f64 {
        self.expect(|score| score)
    }

    /// Expected variance of one observation's score.
    pub fn spread(&self) -> f64 {
        let mean = self.mean();
        self.expect(|score| (score - mean).powi(2))
    }

    /// Standard deviation of the mean score.
    pub fn deviation(&self) -> f64 {
        (self.spread() / (self.total + 1.0)).sqrt()
    }

    fn expect(&self, value: impl Fn(f64) -> f64) -> f64 {
        let both = self.weights.iter().zip(&self.scores);
        both.map(|(weight, &score)| weight * value(score)).sum::<f64>() / self.total
    }

    /// Probability that the mean score is below `score`.
    ///
    /// Shares are gamma variables over their sum, so the mean is below `score` when their sum
    /// weighted by the distances from `score` is below zero: the characteristic function of that
    /// sum, inverted by J. Gil-Pelaez's formula (1951), with the trapezoidal rule over the
    /// logarithm of the frequency, which converges geometrically.
    pub fn below(&self, score: f64) -> f64 {
        if score <= 0.0 || score >= 1.0 {
            return if score <= 0.0 { 0.0 } else { 1.0 };
        }
        let terms = self.weights.map(|weight| weight).into_iter().zip(self.scores);
        let terms = terms.map(|(weight, cell)| (weight, cell - score));
        let moment = |power: i32| -> f64 {
            terms.clone().map(|(weight, distance)| weight * distance.powi(power)).sum()
        };
        let (shift, deviation) = (moment(1).abs(), moment(2).sqrt());
        // The further out the bound, the faster the integrand turns.
        let step = STEP / (1.0 + shift / deviation / 4.0);
        let mut place = (1e-9 / (shift + deviation)).ln();
        let mut sum = 0.0;
        loop {
            let frequency = place.exp();
            let (mut angle, mut decay) = (0.0, 0.0);
            for (weight, distance) in terms.clone() {
                let turn = distance * frequency;
                angle += weight * turn.atan();
                decay += weight * (turn * turn).ln_1p();
            }
            let size = (-0.5 * decay).exp();
            sum += angle.sin() * size;
            place += step;
            if size < 1e-13 {
                break;
            }
        }
        (0.5 - sum * step / PI).clamp(0.0, 1.0)
    }

    /// The score below which the mean lies with this probability.
    pub fn quantile(&self, probability: f64) -> f64 {
        // Regula falsi in the form of M. Dowell and P. Jarratt ("Illinois", 1971).
        let (mut low, mut high) = (0.0, 1.0);
        let (mut at_low, mut at_high) = (-probability, 1.0 - probability);
        let mut side = 0;
        for _ in 0..100 {
            let middle = (low * at_high - high * at_low) / (at_high - at_low);
            let at_middle = self.below(middle) - probability;
            if at_middle.abs() < 1e-11 || high - low < 1e-12 {
                return middle;
            }
            if at_middle < 0.0 {
                (low, at_low) = (middle, at_middle);
                if side == -1 {
                    at_high /= 2.0;
                }
                side = -1;
            } else {
                (high, at_high) = (middle, at_middle);
                if side == 1 {
                    at_low /= 2.0;
                }
                side = 1;
            }
        }
        (low + high) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use statrs::function::beta::checked_beta_reg;

    use super::super::{Pentanomial, Wdl};
    use super::*;

    #[test]
    fn of_two_scores_the_posterior_is_a_beta_distribution() {
        for (lost, won) in [(0, 1), (1, 1), (0, 40), (3, 20), (150, 160)] {
            let posterior =
                Posterior::of(&Sample::from(&Wdl { wins: won, draws: 0, losses: lost }));
            for score in [0.001, 0.05, 0.3, 0.5, 0.62, 0.9, 0.9999] {
                let beta =
                    checked_beta_reg(won as f64 + 0.5, lost as f64 + 0.5, score).expect("valid");
                let ours = posterior.below(score);
                assert!((ours - beta).abs() < 1e-8, "{lost} {won} {score}: {ours} {beta}");
            }
        }
    }

    #[test]
    fn a_quantile_has_its_probability_and_reversing_the_players_mirrors_it() {
        for counts in [[0, 0, 1, 0, 3], [0, 0, 2, 0, 0], [0, 1, 150, 0, 0], [3, 20, 60, 25, 9]] {
            let pairs = Pentanomial(counts);
            let [there, back] =
                [pairs, pairs.reversed()].map(|pairs| Posterior::of(&(&pairs).into()));
            for probability in [0.025, 0.2, 0.5, 0.975] {
                let score = there.quantile(probability);
                assert!((there.below(score) - probability).abs() < 1e-8, "{counts:?} {score}");
                let mirrored = 1.0 - back.quantile(1.0 - probability);
                assert!((score - mirrored).abs() < 1e-7, "{counts:?}: {score} {mirrored}");
            }
        }
    }

    #[test]
    fn many_observations_with_a_spread_are_not_few() {
        let cases = [
            ([1, 2, 3, 2, 1], true),
            ([10, 40, 100, 40, 9], true),
            ([10, 40, 100, 40, 10], false),
            ([0, 4, 10_000, 5, 0], true),
            ([0, 5, 10_000, 5, 0], false),
            ([0, 0, 0, 0, u64::MAX], false),
        ];
        for (counts, few) in cases {
            assert_eq!(is_few(&Sample::from(&Pentanomial(counts))), few, "{counts:?}");
        }
    }
}
