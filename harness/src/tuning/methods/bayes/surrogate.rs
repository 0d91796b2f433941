//! What results of matches say of a landscape: a Gaussian process that is told them one by one.

use std::f64::consts::LN_10;

use super::acquisition::inverse_curvature;
use super::climb::climb;
use super::kernel::Shape;
use super::posterior::{Comparison, Posterior};
use crate::stats::{Pentanomial, score_of_elo};
use crate::tuning::methods::measure::{error_at, estimates, gain};
use crate::tuning::space::{Candidate, Space};
use crate::tuning::trial::{Estimate, Recommendation};

/// Comparisons before the hyperparameters are fitted, ...
const FIRST_FIT: usize = 10;
/// ... by how much more of them each time, ...
const FIT_EVERY: f64 = 1.5;
/// ... and how many the fit looks at.
const FIT_OF: usize = 400;
/// Steps of a fit.
const FIT_STEPS: usize = 12;
/// Steps of a climb to the top of the mean.
const CLIMB_STEPS: usize = 60;
/// Variance of a pair's mean score before it is measured, and the pairs that this is worth.
const USUAL_VARIANCE: f64 = 0.0388;
const GUESS_WORTH: f64 = 50.0;
/// A difference beyond this says no more, in Elo.
const LARGEST: f64 = 250.0;

/// A place in the unit cube, relative to the start.
pub type Place = Vec<f64>;

/// The landscape of a space, as far as results have told. Places are in the unit cube, relative to
/// the start.
#[derive(Clone, Debug)]
pub struct Surrogate {
    space: Space,
    /// The unit cube, relative to the start.
    lower: Vec<f64>,
    upper: Vec<f64>,
    told: Vec<Told>,
    posterior: Posterior,
    /// Number of results at which the hyperparameters are fitted again.
    next_fit: usize,
    /// Pairs told, and the squares of what their scores were off the expected ones.
    pairs: f64,
    squares: f64,
}

/// A result.
#[derive(Clone, Debug)]
struct Told {
    places: [Vec<f64>; 2],
    /// Mean score of the first, 0 to 1.
    score: f64,
    pairs: f64,
}

impl Surrogate {
    /// Of a space of which nothing is known.
    pub fn new(space: Space) -> Surrogate {
        let start = space.start_unit();
        let shape = Shape::expected(start.len());
        Surrogate {
            lower: start.iter().map(|x| -x).collect(),
            upper: start.iter().map(|x| 1.0 - x).collect(),
            posterior: Posterior::of(shape, &[]).expect("nothing contradicts nothing"),
            space,
            told: Vec::new(),
            next_fit: FIRST_FIT,
            pairs: 0.0,
            squares: 0.0,
        }
    }

    /// How many results were told, without those that were only seen.
    pub fn results(&self) -> usize {
        self.told.len()
    }

    /// Pairs told or seen.
    pub fn pairs(&self) -> f64 {
        self.pairs
    }

    /// What is known, with places in lengths.
    pub fn posterior(&self) -> &Posterior {
        &self.posterior
    }

    /// What to use, `best` being the best place so far, and the gain that was measured.
    pub fn recommend(&self, best: &Place, against_start: &Pentanomial) -> Recommendation {
        let place = match self.results() {
            0 => best.clone(),
            _ => self.top(&[best.clone(), vec![0.0; best.len()]]),
        };
        let parameters = self.estimates(&place);
        let gain = gain(against_start, self.pair_variance());
        Recommendation { best: self.candidate(&place), parameters, gain }
    }

    /// Variance of a pair's mean score between equals.
    pub fn pair_variance(&self) -> f64 {
        (self.squares + USUAL_VARIANCE * GUESS_WORTH) / (self.pairs + GUESS_WORTH)
    }

    /// Variance of the result of so many pairs between equals, in Elo².
    pub fn noise(&self, pairs: u64) -> f64 {
        self.pair_variance() / pairs as f64 * (1600.0 / LN_10).powi(2)
    }

    /// Expected strength at a place, in Elo, up to a constant.
    pub fn height(&self, place: &[f64]) -> f64 {
        self.posterior.mean(&self.posterior.shape().scaled(place)).0
    }

    /// Expected value of a weighted sum of strengths, in Elo, and its standard deviation. The
    /// weights have to add up to 0.
    pub fn combination(&self, terms: &[(Place, f64)]) -> (f64, f64) {
        let shape = self.posterior.shape();
        let scaled: Vec<(Vec<f64>, f64)> =
            terms.iter().map(|(place, weight)| (shape.scaled(place), *weight)).collect();
        let (mean, variance) = self.posterior.combination(&scaled);
        (mean, variance.sqrt())
    }

    /// Learns many results at once, and fits the hyperparameters to them.
    pub fn tell_all(&mut self, results: impl IntoIterator<Item = ([Place; 2], Pentanomial)>) {
        for (places, result) in results {
            self.see(&places, &result);
            if let Some(score) = result.mean() {
                self.told.push(Told { places, score, pairs: result.pairs() as f64 });
            }
        }
        self.fit();
    }

    /// Strength at the first place less that at the second, as far as is known.
    pub fn predicted(&self, places: &[Vec<f64>; 2]) -> f64 {
        (self.height(&places[0]) - self.height(&places[1])).clamp(-LARGEST, LARGEST)
    }

    /// A result as a difference in Elo. The logistic curve is replaced by its tangent at what was
    /// predicted, as in Fisher scoring: lopsided results stay finite, and their errors normal.
    fn comparison(&self, told: &Told) -> Comparison {
        let predicted = self.predicted(&told.places);
        let expected = score_of_elo(predicted);
        let spread = expected * (1.0 - expected);
        let steepness = spread * LN_10 / 400.0;
        let elo = predicted + (told.score - expected) / steepness;
        let variance = self.pair_variance() * 4.0 * spread / told.pairs / steepness.powi(2);
        Comparison { places: told.places.clone(), elo, variance }
    }

    /// Learns how loud the noise is from a result, and nothing else. `false` if it is empty.
    pub fn see(&mut self, places: &[Vec<f64>; 2], result: &Pentanomial) -> bool {
        let expected = score_of_elo(self.predicted(places));
        for (count, score) in result.0.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]) {
            self.squares += *count as f64 * (score - expected) * (score - expected);
        }
        self.pairs += result.pairs() as f64;
        result.pairs() > 0
    }

    /// Learns the result of a match between two places, seen from the first; now and then the
    /// hyperparameters are fitted again. `false` if it is empty.
    pub fn tell(&mut self, places: [Vec<f64>; 2], result: &Pentanomial) -> bool {
        self.see(&places, result);
        let Some(score) = result.mean() else { return false };
        let told = Told { places, score, pairs: result.pairs() as f64 };
        let comparison = self.comparison(&told);
        self.told.push(told);
        if self.told.len() >= self.next_fit {
            self.next_fit = (self.next_fit as f64 * FIT_EVERY).ceil() as usize;
            self.fit();
        } else {
            self.posterior.learn(&comparison);
        }
        true
    }

    /// Fits the hyperparameters: the most probable ones, given the results and the priors.
    fn fit(&mut self) {
        let stride = self.told.len().div_ceil(FIT_OF);
        let all: Vec<Comparison> = self.told.iter().map(|told| self.comparison(told)).collect();
        let some: Vec<Comparison> = all.iter().step_by(stride).cloned().collect();
        let start = self.posterior.shape().logs();
        let prior: Vec<(f64, f64)> =
            (0..start.len()).map(|i| Shape::prior(i, self.lower.len())).collect();
        let lower: Vec<f64> = prior.iter().map(|(mean, sd)| mean - 3.0 * sd).collect();
        let upper: Vec<f64> = prior.iter().map(|(mean, sd)| mean + 3.0 * sd).collect();
        let (logs, _) = climb(start, (&lower, &upper), FIT_STEPS, |logs| {
            let Some(posterior) = Posterior::of(Shape::of_logs(logs), &some) else {
                return (f64::NEG_INFINITY, vec![0.0; logs.len()]);
            };
            let (mut value, mut slopes) = posterior.evidence();
            for ((log, (mean, sd)), slope) in logs.iter().zip(&prior).zip(&mut slopes) {
                value -= 0.5 * ((log - mean) / sd).powi(2);
                *slope -= (log - mean) / (sd * sd);
            }
            (value, slopes)
        });
        if let Some(posterior) = Posterior::of(Shape::of_logs(&logs), &all) {
            self.posterior = posterior;
        }
    }

    /// The top of the mean, climbed to from several places.
    pub fn top(&self, starts: &[Vec<f64>]) -> Vec<f64> {
        let lengths = &self.posterior.shape().lengths;
        let scaled = |place: &[f64]| self.posterior.shape().scaled(place);
        let (lower, upper) = (scaled(&self.lower), scaled(&self.upper));
        let tops = starts.iter().map(|start| {
            climb(scaled(start), (&lower, &upper), CLIMB_STEPS, |z| self.posterior.mean(z))
        });
        let best = tops.max_by(|a, b| a.1.total_cmp(&b.1)).expect("there is a start").0;
        best.iter().zip(lengths).map(|(z, length)| z * length).collect()
    }

    /// The candidate nearest to a place relative to the start.
    pub fn candidate(&self, place: &[f64]) -> Candidate {
        let unit: Vec<f64> = place.iter().zip(&self.lower).map(|(x, low)| x - low).collect();
        self.space.candidate(&unit)
    }

    /// Where a candidate is, relative to the start.
    pub fn place(&self, candidate: &[f64]) -> Vec<f64> {
        self.space.to_unit(candidate).iter().zip(&self.lower).map(|(x, low)| x + low).collect()
    }

    /// Distance along each axis at a place that makes another value; nothing for reals.
    pub fn resolution(&self, place: &[f64]) -> Vec<f64> {
        let free = self.space.free().zip(place.iter().zip(&self.lower));
        free.map(|(parameter, (x, low))| parameter.resolution(x - low)).collect()
    }

    /// What is known of each parameter when `place` is taken to be the top: the doubt of the slope
    /// there, divided by the curvature, is the doubt of the place.
    pub fn estimates(&self, place: &[f64]) -> Vec<Estimate> {
        let shape = self.posterior.shape();
        let z = shape.scaled(place);
        let inverse = inverse_curvature(&self.posterior, &z);
        let slopes = self.posterior.slopes_covariance(&self.posterior.slopes(&z));
        let covariance = &inverse * slopes * &inverse;
        let start = vec![0.0; z.len()];
        let slope = self.posterior.mean(&start).1;
        let doubt = self.posterior.slopes_covariance(&self.posterior.slopes(&start));
        estimates(&self.space, |i, parameter| {
            let unit = place[i] - self.lower[i];
            let value = parameter.of_unit(unit);
            if self.told.is_empty() {
                return Estimate { value, error: None, z: None };
            }
            let spread = covariance[(i, i)].max(0.0).sqrt() * shape.lengths[i];
            let error = error_at(parameter, unit, spread);
            let z = (doubt[(i, i)] > 0.0).then(|| slope[i] / doubt[(i, i)].sqrt());
            Estimate { value, error: Some(error), z }
        })
    }
}
