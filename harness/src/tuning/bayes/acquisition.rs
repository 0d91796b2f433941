//! Which comparison to make next: the one that teaches most of where the top is.
//!
//! Near a top with curvature `H`, an error `δ` of the slope there moves the recommendation off
//! the top and costs `½ δᵀ H⁻¹ δ`. The comparison of `a` and `b` lessens the expected cost by
//! `½ cᵀ H⁻¹ c / (v + σ²)`, where `c` is the posterior covariance of the slope with the
//! difference `f(a) - f(b)`, `v` that difference's variance and `σ²` the noise of the games. This
//! is the knowledge gradient (P. Frazier, W. Powell and S. Dayanik, "The Knowledge-Gradient
//! Policy for Correlated Normal Beliefs") to the second order around the top.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::Rng;

use super::posterior::{Posterior, Slopes};

/// Comparisons to choose from.
const CHOICES: usize = 48;
/// Rounds of improving the best of them.
const ROUNDS: usize = 2;
/// A direction is taken to be curved by this share of what was expected at least.
const FLATTEST: f64 = 0.1;

/// Inverse of the curvature of the mean at `z`, by `z`; directions that bend upwards or hardly
/// at all count as nearly flat.
pub fn inverse_curvature(posterior: &Posterior, z: &[f64]) -> DMatrix<f64> {
    const STEP: f64 = 1e-3;
    let dimension = z.len();
    let mut bend = DMatrix::<f64>::zeros(dimension, dimension);
    for i in 0..dimension {
        let slope_at = |by: f64| {
            let mut moved = z.to_vec();
            moved[i] += by;
            posterior.mean(&moved).1
        };
        for (j, (up, down)) in slope_at(STEP).iter().zip(slope_at(-STEP)).enumerate() {
            bend[(i, j)] -= (up - down) / (2.0 * STEP);
        }
    }
    let eigen = SymmetricEigen::new(0.5 * (&bend + bend.transpose()));
    let flattest = FLATTEST * 2.0 * posterior.shape().amplitude;
    let inverse = eigen.eigenvalues.map(|value| 1.0 / value.max(flattest));
    &eigen.eigenvectors * DMatrix::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}

/// Chooses comparisons around a place.
pub struct Chooser<'a> {
    posterior: &'a Posterior,
    /// Centre and bounds, relative to the start.
    centre: &'a [f64],
    bounds: (&'a [f64], &'a [f64]),
    noise: f64,
    slopes: Slopes,
    inverse: DMatrix<f64>,
    spread: DMatrix<f64>,
}

impl<'a> Chooser<'a> {
    /// For games whose result has a variance of `noise` Elo².
    pub fn new(
        posterior: &'a Posterior,
        centre: &'a [f64],
        bounds: (&'a [f64], &'a [f64]),
        noise: f64,
    ) -> Chooser<'a> {
        let z = posterior.shape().scaled(centre);
        let slopes = posterior.slopes(&z);
        let inverse = inverse_curvature(posterior, &z);
        let spread = posterior.slopes_covariance(&slopes);
        Chooser { posterior, centre, bounds, noise, slopes, inverse, spread }
    }

    /// The best of some random comparisons of places on either side of the centre.
    pub fn choose(&self, random: &mut impl Rng) -> [Vec<f64>; 2] {
        let dimension = self.centre.len();
        let mut best = (f64::NEG_INFINITY, vec![0.0; dimension]);
        for _ in 0..CHOICES {
            let width = 0.06 * (0.5f64 / 0.06).powf(random.random());
            let way: Vec<f64> =
                (0..dimension).map(|_| if random.random() { width } else { -width }).collect();
            self.better(way, &mut best);
        }
        for _ in 0..ROUNDS {
            let mut way = best.1.clone();
            for x in &mut way {
                *x *= match random.random_range(0..4 * dimension.max(2)) {
                    0..2 => -1.0,
                    2 => 0.0,
                    3 => 1.5,
                    _ => 1.0,
                };
            }
            self.better(way, &mut best);
        }
        self.sides(&best.1)
    }

    fn better(&self, way: Vec<f64>, best: &mut (f64, Vec<f64>)) {
        let value = self.value(&self.sides(&way));
        if value > best.0 {
            *best = (value, way);
        }
    }

    fn sides(&self, way: &[f64]) -> [Vec<f64>; 2] {
        [1.0, -1.0].map(|sign| {
            let place = self.centre.iter().zip(way).map(|(x, way)| x + sign * way);
            let (lower, upper) = self.bounds;
            place
                .zip(lower.iter().zip(upper))
                .map(|(x, (low, high))| x.clamp(*low, *high))
                .collect()
        })
    }

    /// Elo that a comparison is expected to save.
    fn value(&self, sides: &[Vec<f64>; 2]) -> f64 {
        let [a, b] = sides.each_ref().map(|side| self.posterior.shape().scaled(side));
        let covariance = DVector::from_vec(self.posterior.slope_covariance(&self.slopes, &a, &b));
        let apart = DVector::from_iterator(a.len(), a.iter().zip(&b).map(|(a, b)| a - b));
        let variance = apart.dot(&(&self.spread * &apart));
        0.5 * covariance.dot(&(&self.inverse * &covariance)) / (variance + self.noise)
    }
}
