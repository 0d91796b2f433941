//! Surrogate model of a landscape: a Gaussian process of match results, updated one by one.

use std::f64::consts::LN_10;

use nalgebra::DMatrix;

use super::acquisition::inverse_curvature;
use super::ascent::ascend;
use super::kernel::Prior;
use super::posterior::{Comparison, Posterior};
use crate::methods::measure::{error_at, estimates};
use crate::space::{Candidate, Space};
use crate::trial::{Estimate, Recommendation};
use harness_stats::{Pentanomial, score_of_elo};

/// The errors of the process, times this, are those of the estimates: no landscape is quite its
/// prior. Chosen so that 80 % intervals hold on the odd half of the random family.
const WIDER: f64 = 1.6;
/// Results before the first fit of the hyperparameters, ...
const FIRST_FIT: usize = 10;
/// ... the factor from fit to fit, ...
const FIT_GROWTH: f64 = 1.5;
/// ... and the bound on the results in a fit.
const MAX_FIT_RESULTS: usize = 400;
/// Gradient steps of a fit.
const FIT_STEPS: usize = 12;
/// Gradient steps to the maximum of the mean.
const ASCENT_STEPS: usize = 60;
/// Prior variance of a pair's mean score, and its weight in pairs.
const PRIOR_VARIANCE: f64 = 0.0388;
const PRIOR_WEIGHT: f64 = 50.0;
/// Bound on predicted differences, in Elo.
const MAX_DIFFERENCE: f64 = 250.0;

/// A place in the unit cube, relative to the start.
pub type Place = Vec<f64>;

/// The surrogate of the landscape of a space. Places are in the unit cube, relative to the start.
#[derive(Clone, Debug)]
pub struct Surrogate {
    space: Space,
    /// The start in the unit cube.
    origin: Vec<f64>,
    /// The bounds, relative to the start.
    lower: Vec<f64>,
    upper: Vec<f64>,
    observations: Vec<Observation>,
    posterior: Posterior,
    /// Number of results at the next fit of the hyperparameters.
    next_fit: usize,
    /// Number of pairs, and the sum of their squared residuals.
    pairs: f64,
    squares: f64,
}

/// A result.
#[derive(Clone, Debug)]
struct Observation {
    places: [Vec<f64>; 2],
    /// Mean score of the first, 0 to 1.
    score: f64,
    pairs: f64,
}

impl Surrogate {
    /// The prior of a space.
    pub fn new(space: Space) -> Surrogate {
        let start = space.start_unit();
        let prior = Prior::median(start.len());
        let [lower, upper] = bounds_around(&space, &start);
        Surrogate {
            lower,
            upper,
            origin: start,
            posterior: Posterior::from_comparisons(prior, &[])
                .expect("nothing contradicts nothing"),
            space,
            observations: Vec::new(),
            next_fit: FIRST_FIT,
            pairs: 0.0,
            squares: 0.0,
        }
    }

    /// Takes the ranges of a wider space of the same parameters.
    pub fn widen(&mut self, space: &Space) {
        self.space = space.clone();
        [self.lower, self.upper] = bounds_around(space, &self.origin);
    }

    /// The bounds of the places, relative to the start.
    pub fn bounds(&self) -> [Place; 2] {
        [self.lower.clone(), self.upper.clone()]
    }

    /// Number of results, without those for the variance only.
    pub fn results(&self) -> usize {
        self.observations.len()
    }

    /// Number of pairs of all results.
    pub fn pairs(&self) -> f64 {
        self.pairs
    }

    /// The posterior, with places in lengths.
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// Recommendation of the place `best`.
    pub fn recommend(&self, best: &Place) -> Recommendation {
        if self.results() == 0 {
            let parameters = self.unknown(best);
            return Recommendation::of_method(self.candidate(best), parameters);
        }
        let place = self.maximum(&[best.clone(), vec![0.0; best.len()]]);
        let around = Around::new(&self.posterior, &place);
        let parameters = self.estimates(&place, &around);
        let [left, left_by_twice] = around.left();
        Recommendation {
            left: Some(left),
            gain_of_twice: Some(left - left_by_twice),
            ..Recommendation::of_method(self.candidate(&place), parameters)
        }
    }

    /// Variance of a pair's mean score between equals.
    pub fn pair_variance(&self) -> f64 {
        (self.squares + PRIOR_VARIANCE * PRIOR_WEIGHT) / (self.pairs + PRIOR_WEIGHT)
    }

    /// Variance of the result of `pairs` pairs between equals, in Elo².
    pub fn noise(&self, pairs: u64) -> f64 {
        self.pair_variance() / pairs as f64 * (1600.0 / LN_10).powi(2)
    }

    /// Mean of the strength at a place, in Elo, up to a constant.
    pub fn mean(&self, place: &[f64]) -> f64 {
        self.posterior.mean(&self.posterior.prior().scaled(place)).0
    }

    /// Mean and standard deviation of a weighted sum of strengths, in Elo. The weights must add up
    /// to 0.
    pub fn combination(&self, terms: &[(Place, f64)]) -> (f64, f64) {
        let prior = self.posterior.prior();
        let scaled: Vec<(Vec<f64>, f64)> =
            terms.iter().map(|(place, weight)| (prior.scaled(place), *weight)).collect();
        let (mean, variance) = self.posterior.combination(&scaled);
        (mean, variance.sqrt())
    }

    /// Adds many results at once, and fits the hyperparameters to them.
    pub fn tell_all(&mut self, results: impl IntoIterator<Item = ([Place; 2], Pentanomial)>) {
        for (places, result) in results {
            self.observe_noise(&places, &result);
            if let Some(score) = result.mean() {
                self.observations.push(Observation { places, score, pairs: result.pairs() as f64 });
            }
        }
        self.fit();
    }

    /// Mean difference of strength between the first and the second place.
    pub fn predicted(&self, places: &[Vec<f64>; 2]) -> f64 {
        (self.mean(&places[0]) - self.mean(&places[1])).clamp(-MAX_DIFFERENCE, MAX_DIFFERENCE)
    }

    /// A result as a difference in Elo: the logistic curve is linearised at the prediction, as in
    /// Fisher scoring, so that one-sided results stay finite, and their errors normal.
    fn comparison(&self, observed: &Observation) -> Comparison {
        let predicted = self.predicted(&observed.places);
        let expected = score_of_elo(predicted);
        let spread = expected * (1.0 - expected);
        let derivative = spread * LN_10 / 400.0;
        let elo = predicted + (observed.score - expected) / derivative;
        let variance = self.pair_variance() * 4.0 * spread / observed.pairs / derivative.powi(2);
        Comparison { places: observed.places.clone(), elo, variance }
    }

    /// Updates the estimate of the variance only.
    fn observe_noise(&mut self, places: &[Vec<f64>; 2], result: &Pentanomial) {
        let expected = score_of_elo(self.predicted(places));
        for (count, score) in result.0.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]) {
            self.squares += *count as f64 * (score - expected) * (score - expected);
        }
        self.pairs += result.pairs() as f64;
    }

    /// Adds the result of a match between two places, seen from the first; refits the
    /// hyperparameters on a schedule. `false` for an empty result.
    pub fn tell(&mut self, places: [Vec<f64>; 2], result: &Pentanomial) -> bool {
        self.observe_noise(&places, result);
        let Some(score) = result.mean() else { return false };
        let observed = Observation { places, score, pairs: result.pairs() as f64 };
        let comparison = self.comparison(&observed);
        self.observations.push(observed);
        if self.observations.len() >= self.next_fit {
            self.next_fit = (self.next_fit as f64 * FIT_GROWTH).ceil() as usize;
            self.fit();
        } else {
            self.posterior.add(&comparison);
        }
        true
    }

    /// Fits the hyperparameters: maximum a posteriori.
    fn fit(&mut self) {
        let stride = self.observations.len().div_ceil(MAX_FIT_RESULTS);
        let all: Vec<Comparison> =
            self.observations.iter().map(|one| self.comparison(one)).collect();
        let some: Vec<Comparison> = all.iter().step_by(stride).cloned().collect();
        let start = self.posterior.prior().logs();
        let prior: Vec<(f64, f64)> =
            (0..start.len()).map(|i| Prior::hyperprior(i, self.lower.len())).collect();
        let lower: Vec<f64> = prior.iter().map(|(mean, sd)| mean - 3.0 * sd).collect();
        let upper: Vec<f64> = prior.iter().map(|(mean, sd)| mean + 3.0 * sd).collect();
        let (logs, _) = ascend(start, (&lower, &upper), FIT_STEPS, |logs| {
            let Some(posterior) = Posterior::from_comparisons(Prior::of_logs(logs), &some) else {
                return (f64::NEG_INFINITY, vec![0.0; logs.len()]);
            };
            let (mut value, mut gradient) = posterior.log_marginal_likelihood();
            for ((log, (mean, sd)), partial) in logs.iter().zip(&prior).zip(&mut gradient) {
                value -= 0.5 * ((log - mean) / sd).powi(2);
                *partial -= (log - mean) / (sd * sd);
            }
            (value, gradient)
        });
        if let Some(posterior) = Posterior::from_comparisons(Prior::of_logs(&logs), &all) {
            self.posterior = posterior;
        }
    }

    /// The maximum of the mean, by gradient ascent from several starts.
    pub fn maximum(&self, starts: &[Vec<f64>]) -> Vec<f64> {
        let lengths = &self.posterior.prior().lengths;
        let scaled = |place: &[f64]| self.posterior.prior().scaled(place);
        let lower = scaled(&self.lower);
        let upper = scaled(&self.upper);
        let maxima = starts.iter().map(|start| {
            ascend(scaled(start), (&lower, &upper), ASCENT_STEPS, |z| self.posterior.mean(z))
        });
        let best = maxima.max_by(|a, b| a.1.total_cmp(&b.1)).expect("there is a start").0;
        best.iter().zip(lengths).map(|(z, length)| z * length).collect()
    }

    /// The candidate nearest to a place relative to the start.
    pub fn candidate(&self, place: &[f64]) -> Candidate {
        let unit: Vec<f64> = place.iter().zip(&self.origin).map(|(x, start)| x + start).collect();
        self.space.candidate(&unit)
    }

    /// Where a candidate is, relative to the start.
    pub fn place(&self, candidate: &[f64]) -> Vec<f64> {
        let unit = self.space.to_unit(candidate);
        unit.iter().zip(&self.origin).map(|(x, start)| x - start).collect()
    }

    /// Distance along each axis at a place that makes another value; 0 for reals.
    pub fn resolution(&self, place: &[f64]) -> Vec<f64> {
        let free = self.space.free().zip(place.iter().zip(&self.origin));
        free.map(|(parameter, (x, start))| parameter.resolution(x + start)).collect()
    }

    /// Estimates before the first result: the values of a place.
    fn unknown(&self, place: &[f64]) -> Vec<Estimate> {
        estimates(&self.space, |i, parameter| {
            let value = parameter.of_unit(place[i] + self.origin[i]);
            Estimate { value, error: None, z: None }
        })
    }

    /// Estimates of all parameters with `place` as the maximum.
    fn estimates(&self, place: &[f64], around: &Around) -> Vec<Estimate> {
        let prior = self.posterior.prior();
        let covariance = around.covariance();
        let start = vec![0.0; place.len()];
        let start_gradient = self.posterior.mean(&start).1;
        let start_covariance =
            self.posterior.gradient_covariance(&self.posterior.gradient_at(&start));
        estimates(&self.space, |i, parameter| {
            let unit = place[i] + self.origin[i];
            let spread = WIDER * covariance[(i, i)].max(0.0).sqrt() * prior.lengths[i];
            let z = (start_covariance[(i, i)] > 0.0)
                .then(|| start_gradient[i] / start_covariance[(i, i)].sqrt());
            Estimate {
                value: parameter.of_unit(unit),
                error: Some(error_at(parameter, unit, spread)),
                z,
            }
        })
    }
}

/// The landscape around its maximum, in lengths.
struct Around {
    /// Inverse of the negative Hessian of the mean.
    inverse: DMatrix<f64>,
    /// Covariance of the gradient, by the prior and by the posterior.
    before: DMatrix<f64>,
    after: DMatrix<f64>,
}

impl Around {
    fn new(posterior: &Posterior, place: &[f64]) -> Around {
        let z = posterior.prior().scaled(place);
        Around {
            inverse: inverse_curvature(posterior, &z),
            before: posterior.prior_gradient_covariance(&z),
            after: posterior.gradient_covariance(&posterior.gradient_at(&z)),
        }
    }

    /// Covariance of the maximum: that of the gradient, multiplied on both sides by the inverse of
    /// the negative Hessian.
    fn covariance(&self) -> DMatrix<f64> {
        &self.inverse * &self.after * &self.inverse
    }

    /// Expected Elo that the best values are above the maximum of the mean, `½ tr(H⁻¹ Σ)`, with
    /// these results and with as many again, by which what the results add to the prior precision of
    /// the gradient doubles.
    fn left(&self) -> [f64; 2] {
        let loss = |covariance: &DMatrix<f64>| 0.5 * (&self.inverse * covariance).trace();
        let inverse = |matrix: &DMatrix<f64>| matrix.clone().cholesky().map(|root| root.inverse());
        let twice = inverse(&self.after)
            .zip(inverse(&self.before))
            .and_then(|(after, before)| inverse(&(2.0 * after - before)));
        let left = loss(&self.after);
        // Without rounding the results make every precision larger.
        [left, twice.map_or(left, |twice| loss(&twice).clamp(0.0, left))]
    }
}

/// The bounds of a space around a place in its unit cube.
fn bounds_around(space: &Space, origin: &[f64]) -> [Place; 2] {
    let around = |end: usize| {
        space.unit_bounds().zip(origin).map(|(bounds, start)| bounds[end] - start).collect()
    };
    [around(0), around(1)]
}
