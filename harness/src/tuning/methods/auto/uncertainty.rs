//! What is not known of the maximum, from samples of the posterior.
//!
//! A sample of the weights is a landscape that the results allow, and its maximum within the ranges
//! is a place where the optimum may be. Their spread is the error of the estimates, which no
//! formula gives at a bound or on a flat ridge; what they gain over the recommendation is what more
//! games could gain.

use nalgebra::{Cholesky, DVector, Dyn};
use rand::Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use super::polynomial::Polynomial;
use super::regression::Regression;
use crate::random;

/// Samples of the posterior.
const SAMPLES: usize = 64;
/// The spread of the maxima, times this, is the error: no landscape is quite a polynomial. Chosen so
/// that 80 % intervals hold on the odd half of the random family.
const WIDER: f64 = 1.3;

/// What is not known of a recommended place.
#[derive(Clone, Debug)]
pub struct Uncertainty {
    /// Standard errors of its coordinates, in ranges.
    pub errors: Vec<f64>,
    /// Expected Elo that the maximum is above it.
    pub left: f64,
}

impl Uncertainty {
    /// That of the place `best`; `None` before the first fit.
    pub fn new(model: &Regression, best: &[f64], bounds: &[[f64; 2]], seed: u64) -> Option<Self> {
        let root = Cholesky::<f64, Dyn>::new(model.covariance()?.clone())?.unpack();
        let normal = Normal::standard();
        let mut random = random::stream("posterior", seed, 0);
        let (mut squares, mut left) = (vec![0.0; best.len()], 0.0);
        for _ in 0..SAMPLES {
            let noise = DVector::from_fn(root.nrows(), |_, _| {
                normal.inverse_cdf(random.random_range(f64::EPSILON..1.0))
            });
            let moved = &root * noise;
            let mean = model.mean();
            let weights =
                mean.weights.iter().zip(&moved).map(|(mean, moved)| mean + moved).collect();
            let sample = Polynomial { features: mean.features, weights };
            let top = sample.ascend(best, bounds);
            left += sample.value(&top) - sample.value(best);
            for (square, (top, best)) in squares.iter_mut().zip(top.iter().zip(best)) {
                *square += (top - best).powi(2);
            }
        }
        let error = |square: &f64| WIDER * (square / SAMPLES as f64).sqrt();
        Some(Uncertainty {
            errors: squares.iter().map(error).collect(),
            left: left / SAMPLES as f64,
        })
    }
}
