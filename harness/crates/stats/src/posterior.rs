//! Posterior distribution of the mean score under a weak prior, for few observations.
//!
//! The normal approximation of the mean needs many observations: of few, the estimated variance is
//! unreliable, and without variance (every pair drawn 1 : 1) it is zero. Here the shares of the
//! scores have a Dirichlet posterior whose prior counts one game won and one game lost: of pairs,
//! half a pair without a point and half a pair with both points, so that a decisive pair always
//! stays possible. T. Ferguson, "A Bayesian analysis of some nonparametric problems", Annals of
//! Statistics 1, 1973. `cargo bench -p tench-harness --bench coverage` measures the coverage of its
//! intervals, and chooses the weight of the prior.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::erfc_inv;

use super::counts::Sample;

/// Weight of the prior at each end of the scale, in games.
const PRIOR: f64 = 1.0;

/// Number of observations from which the normal approximation holds; see `benches/coverage.rs`.
pub const NORMAL_FROM: f64 = 200.0;

/// Number of observations off the mode that a variance estimate needs.
const MIN_OFF_MODE: f64 = 10.0;

/// Above this number of observations, without variance, the posterior is slow to compute and a
/// fraction of an Elo wide.
const MAX_WITHOUT_VARIANCE: f64 = 2_000.0;

/// Integration step over the logarithm of the frequency, unless the integrand needs a finer one.
const STEP: f64 = 0.125;

/// Where the integrand is linear to twelve digits: a frequency times the size of the sum.
const LINEAR_BELOW: f64 = 1e-5;

/// Where the modulus of the characteristic function is negligible: -2 ln 1e-13.
const NEGLIGIBLE_DECAY: f64 = 60.0;

/// Ratio of the frequencies at which the fastest turn of the argument is looked for.
const SEARCH_RATIO: f64 = 1.648_721_270_700_128;

/// Posterior distribution of the mean score.
///
/// ```
/// use harness_stats::{Pentanomial, Posterior};
///
/// let four_drawn_games = Posterior::from_sample(&(&Pentanomial([0, 0, 2, 0, 0])).into());
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

/// Whether there are too few observations for the normal approximation of the mean.
pub(super) fn is_few(sample: &Sample) -> bool {
    let observations = sample.observations();
    let most_frequent = sample.counts().iter().copied().max().unwrap_or(0) as f64;
    observations < NORMAL_FROM
        || (observations < MAX_WITHOUT_VARIANCE && observations - most_frequent < MIN_OFF_MODE)
}

impl Posterior {
    /// The posterior after these observations.
    pub fn from_sample(sample: &Sample) -> Posterior {
        Posterior::with_prior(sample, PRIOR / sample.games_each())
    }

    /// The same with a prior of `prior` observations at each end of the scale.
    pub fn with_prior(sample: &Sample, prior: f64) -> Posterior {
        let mut weights = [0.0; 5];
        let mut scores = [0.0; 5];
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
    /// Shares are gamma variables over their sum, so the mean is below `score` if their sum
    /// weighted by the distances from `score` is below zero. The characteristic function of that
    /// sum is inverted by J. Gil-Pelaez's formula (1951), with the trapezoidal rule over the
    /// logarithm of the frequency, which converges geometrically.
    pub fn below(&self, score: f64) -> f64 {
        if score <= 0.0 || score >= 1.0 {
            return if score <= 0.0 { 0.0 } else { 1.0 };
        }
        let terms = GammaSum::new(self, score);
        let first = LINEAR_BELOW / terms.size();
        // At most one radian a step.
        let step = STEP / (STEP * terms.fastest_turn_from(first)).max(1.0);
        let ratio = step.exp();
        // Below the first frequency the integrand is the frequency's multiple: a geometric series.
        let mut sum = terms.drift() * first / (ratio - 1.0);
        let mut frequency = first;
        loop {
            let (decay, angle) = terms.at(frequency);
            sum += (-0.5 * decay).exp() * angle.sin();
            if decay > NEGLIGIBLE_DECAY {
                return (0.5 - sum * step / PI).clamp(0.0, 1.0);
            }
            frequency *= ratio;
        }
    }

    /// The score below which the mean lies with this probability.
    pub fn quantile(&self, probability: f64) -> f64 {
        let distance = |score: f64| self.below(score) - probability;
        let ([mut low, mut high], [mut at_low, mut at_high]) = self.bracket(probability, &distance);
        // Regula falsi in the form of M. Dowell and P. Jarratt ("Illinois", 1971).
        let mut side = 0;
        for _ in 0..100 {
            let middle = (low * at_high - high * at_low) / (at_high - at_low);
            let at_middle = distance(middle);
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

    /// Two scores with the quantile between them, around that of a normal distribution, and the
    /// distances there.
    fn bracket(&self, probability: f64, distance: &dyn Fn(f64) -> f64) -> ([f64; 2], [f64; 2]) {
        let normal = -SQRT_2 * erfc_inv(2.0 * probability.clamp(1e-6, 1.0 - 1e-6));
        let guess = (self.mean() + normal * self.deviation()).clamp(0.0, 1.0);
        let at_guess = distance(guess);
        let mut near = guess;
        let mut at_near = at_guess;
        let mut width = self.deviation() / 4.0;
        loop {
            let far = (near - width * at_guess.signum()).clamp(0.0, 1.0);
            let at_far = distance(far);
            // At the ends of the scale the distance has the sign it must have.
            if at_far.signum() != at_guess.signum() || at_far == 0.0 {
                return if near < far {
                    ([near, far], [at_near, at_far])
                } else {
                    ([far, near], [at_far, at_near])
                };
            }
            (near, at_near, width) = (far, at_far, 2.0 * width);
        }
    }
}

/// A sum of gamma variables, each times its distance: weights that are not zero, and distances.
struct GammaSum {
    terms: [(f64, f64); 5],
    count: usize,
}

impl GammaSum {
    /// Of the shares of a posterior, by the distances of their scores from `score`.
    fn new(posterior: &Posterior, score: f64) -> GammaSum {
        let mut sum = GammaSum { terms: [(0.0, 0.0); 5], count: 0 };
        for (&weight, &cell) in posterior.weights.iter().zip(&posterior.scores) {
            if weight > 0.0 {
                sum.terms[sum.count] = (weight, cell - score);
                sum.count += 1;
            }
        }
        sum
    }

    fn terms(&self) -> &[(f64, f64)] {
        &self.terms[..self.count]
    }

    fn size(&self) -> f64 {
        self.terms().iter().map(|(weight, distance)| weight * distance.abs()).sum()
    }

    fn drift(&self) -> f64 {
        self.terms().iter().map(|(weight, distance)| weight * distance).sum()
    }

    /// Of the characteristic function at a frequency: -2 times the logarithm of the modulus, and the
    /// argument.
    fn at(&self, frequency: f64) -> (f64, f64) {
        self.terms().iter().fold((0.0, 0.0), |(decay, angle), &(weight, distance)| {
            let turn = distance * frequency;
            (decay + weight * (turn * turn).ln_1p(), angle + weight * turn.atan())
        })
    }

    /// The largest derivative of the argument by the logarithm of the frequency, from a frequency on
    /// to where the modulus is negligible.
    fn fastest_turn_from(&self, first: f64) -> f64 {
        let mut frequency = first;
        let mut fastest = 0.0f64;
        loop {
            let (decay, turning) =
                self.terms().iter().fold((0.0, 0.0), |(decay, turning), &(weight, distance)| {
                    let turn = distance * frequency;
                    let square = turn * turn;
                    (decay + weight * square.ln_1p(), turning + weight * turn / (1.0 + square))
                });
            if decay > NEGLIGIBLE_DECAY {
                return fastest;
            }
            fastest = fastest.max(turning.abs());
            frequency *= SEARCH_RATIO;
        }
    }
}

#[cfg(test)]
mod tests {
    use statrs::function::beta::checked_beta_reg;

    use super::super::{Pentanomial, Wdl};
    use super::*;

    #[test]
    fn of_two_scores_the_posterior_is_a_beta_distribution() {
        for (lost, won) in [(0, 1), (1, 1), (0, 40), (3, 20), (150, 160), (0, 1_900), (5, 1_900)] {
            let posterior =
                Posterior::from_sample(&Sample::from(&Wdl { wins: won, draws: 0, losses: lost }));
            for score in [0.001, 0.05, 0.3, 0.5, 0.62, 0.9, 0.997, 0.9999] {
                let beta =
                    checked_beta_reg(won as f64 + 1.0, lost as f64 + 1.0, score).expect("valid");
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
                [pairs, pairs.reversed()].map(|pairs| Posterior::from_sample(&(&pairs).into()));
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
            ([0, 4, 1_000, 5, 0], true),
            ([0, 5, 1_000, 5, 0], false),
            ([0, 0, 10_000, 0, 0], false),
            ([0, 0, 0, 0, u64::MAX], false),
        ];
        for (counts, few) in cases {
            assert_eq!(is_few(&Sample::from(&Pentanomial(counts))), few, "{counts:?}");
        }
    }
}
