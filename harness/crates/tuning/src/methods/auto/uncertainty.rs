//! Uncertainty of the maximum, from samples of the posterior.
//!
//! A sample of the weights is a landscape that the results allow, and its maximum within the ranges
//! is a place where the optimum may be. Their spread is the error of the estimates that comes from
//! the noise of games, which no formula gives at a bound or on a flat ridge. The error that comes
//! from the model, no landscape being quite a polynomial, is added by a jackknife
//! ([`Regression::jackknife`]). What the samples gain over the recommendation, and the jackknife's
//! maxima lose, is what more games could gain.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rand::Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use super::polynomial::Polynomial;
use super::regression::Regression;
use harness_stats::random;

/// Samples of the posterior.
const SAMPLES: usize = 64;

/// Uncertainty of a recommended place.
#[derive(Clone, Debug)]
pub struct Uncertainty {
    /// Standard errors of its coordinates, in ranges.
    pub errors: Vec<f64>,
    /// Expected Elo that the maximum is above it, ...
    pub left: f64,
    /// ... and what of it as many games again are expected to gain.
    pub gain_of_twice: f64,
}

impl Uncertainty {
    /// That of the place `best`; `None` before the first fit.
    pub fn new(model: &Regression, best: &[f64], bounds: &[[f64; 2]], seed: u64) -> Option<Self> {
        let mut squares = vec![0.0; best.len()];
        let mut left = 0.0;
        for sample in samples(model, seed)? {
            let top = sample.ascend(best, bounds);
            left += sample.value(&top) - sample.value(best);
            for (square, (top, best)) in squares.iter_mut().zip(top.iter().zip(best)) {
                *square += (top - best).powi(2);
            }
        }
        let samples = SAMPLES as f64;
        let (jackknife, below) = model.jackknife(best, bounds);
        let both = squares.iter().zip(jackknife);
        let left = left / samples + below;
        let covariance = model.covariance()?;
        let remaining = expected_loss(model, best, &model.covariance_of_twice(best)?)
            / expected_loss(model, best, covariance);
        Some(Uncertainty {
            errors: both.map(|(square, model)| (square / samples).sqrt().hypot(model)).collect(),
            left,
            gain_of_twice: left * (1.0 - remaining).clamp(0.0, 1.0),
        })
    }
}

/// Possible gain of each parameter: the mean, over the landscapes that the results allow, of the Elo
/// that its best value is above the start's, the others at the place `best`. `None` before the first
/// fit.
pub fn worth(model: &Regression, best: &[f64], bounds: &[[f64; 2]], seed: u64) -> Option<Vec<f64>> {
    let mut worth = vec![0.0; best.len()];
    for sample in samples(model, seed)? {
        for (axis, worth) in worth.iter_mut().enumerate() {
            *worth += sample.worth(axis, best, bounds[axis]) / SAMPLES as f64;
        }
    }
    Some(worth)
}

/// Landscapes that the results allow, drawn from the posterior; `None` before the first fit.
fn samples(model: &Regression, seed: u64) -> Option<impl Iterator<Item = Polynomial>> {
    let root = Cholesky::<f64, Dyn>::new(model.covariance()?.clone())?.unpack();
    let normal = Normal::standard();
    let mut random = random::stream("posterior", seed, 0);
    let mean = model.mean();
    let sample = move |_| {
        let noise = DVector::from_fn(root.nrows(), |_, _| {
            normal.inverse_cdf(random.random_range(f64::EPSILON..1.0))
        });
        let moved = &root * noise;
        let weights = mean.weights.iter().zip(&moved).map(|(mean, moved)| mean + moved).collect();
        Polynomial { features: mean.features, weights }
    };
    Some((0..SAMPLES).map(sample))
}

/// Expected loss at the recommended place by this covariance of the weights, in Elo, for a maximum
/// within the ranges: `½ tr(H⁻¹ G C Gᵀ)`, as in the design.
fn expected_loss(model: &Regression, best: &[f64], covariance: &DMatrix<f64>) -> f64 {
    let hessian = model.hessian(best);
    let gradient = hessian.eigenvectors.transpose() * model.gradient(best);
    let spread = &gradient * covariance * gradient.transpose();
    let of_direction = |(i, value): (usize, &f64)| spread[(i, i)] / value;
    0.5 * hessian.eigenvalues.iter().enumerate().map(of_direction).sum::<f64>()
}
