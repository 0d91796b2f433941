//! Acquisition: the comparison with the largest knowledge gradient of the maximum.
//!
//! Near a maximum with Hessian `-H`, an error `δ` of the gradient moves the recommendation off the
//! maximum, with a regret of `½ δᵀ H⁻¹ δ`. The comparison of `a` and `b` lowers the expected regret
//! by `½ cᵀ H⁻¹ c / (v + σ²)`, where `c` is the posterior covariance of the gradient with the
//! difference `f(a) - f(b)`, `v` that difference's variance and `σ²` the noise of the games. This
//! is the knowledge gradient (P. Frazier, W. Powell and S. Dayanik, "The Knowledge-Gradient Policy
//! for Correlated Normal Beliefs") to the second order around the maximum.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::Rng;

use super::posterior::{Gradient, Posterior};

/// Number of random comparisons to choose from.
const SAMPLES: usize = 48;
/// Range of the distance of both sides from the centre, in ranges: log-uniform, in a random
/// direction.
const DISTANCES: [f64; 2] = [0.06, 0.3];
/// Lower bound of the curvature, as a share of its prior mean.
const MIN_CURVATURE: f64 = 0.1;

/// Inverse of the negative Hessian of the mean at `z`, by `z`; curvatures are clamped from below.
pub fn inverse_curvature(posterior: &Posterior, z: &[f64]) -> DMatrix<f64> {
    const STEP: f64 = 1e-3;
    let dimension = z.len();
    let mut hessian = DMatrix::<f64>::zeros(dimension, dimension);
    for i in 0..dimension {
        let gradient_at = |by: f64| {
            let mut moved = z.to_vec();
            moved[i] += by;
            posterior.mean(&moved).1
        };
        for (j, (up, down)) in gradient_at(STEP).iter().zip(gradient_at(-STEP)).enumerate() {
            hessian[(i, j)] -= (up - down) / (2.0 * STEP);
        }
    }
    let eigen = SymmetricEigen::new(0.5 * (&hessian + hessian.transpose()));
    let min_curvature = MIN_CURVATURE * 2.0 * posterior.prior().amplitude;
    let inverse = eigen.eigenvalues.map(|value| 1.0 / value.max(min_curvature));
    &eigen.eigenvectors * DMatrix::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}

/// The domain of comparisons.
pub struct Domain<'a> {
    /// Midpoint of the sides, relative to the start.
    pub centre: &'a [f64],
    /// Least distance from it, in ranges, that changes the value of each parameter.
    pub resolution: &'a [f64],
    /// The nearest playable place.
    pub playable: &'a dyn Fn(&[f64]) -> Vec<f64>,
    /// Variance of a result, in Elo².
    pub noise: f64,
}

/// The best of some random comparisons of places on either side of the centre.
pub fn choose(posterior: &Posterior, domain: &Domain, random: &mut impl Rng) -> [Vec<f64>; 2] {
    let knowledge = KnowledgeGradient::new(posterior, domain);
    let [narrow, wide] = DISTANCES;
    let sample = |_| {
        let width = narrow * (wide / narrow).powf(random.random());
        let direction: Vec<f64> = domain
            .resolution
            .iter()
            .map(
                |resolution| {
                    if random.random() { width.max(*resolution) } else { -width.max(*resolution) }
                },
            )
            .collect();
        let side = |sign: f64| {
            let place: Vec<f64> =
                domain.centre.iter().zip(&direction).map(|(x, d)| x + sign * d).collect();
            (domain.playable)(&place)
        };
        let sides = [side(1.0), side(-1.0)];
        (knowledge.value(&sides), sides)
    };
    let best = (0..SAMPLES).map(sample).max_by(|a, b| a.0.total_cmp(&b.0));
    best.expect("at least one sample").1
}

/// The knowledge gradient of comparisons around a centre.
struct KnowledgeGradient<'a> {
    posterior: &'a Posterior,
    noise: f64,
    gradient: Gradient,
    /// Covariance of the gradient, and the inverse of the negative Hessian.
    spread: DMatrix<f64>,
    inverse: DMatrix<f64>,
}

impl<'a> KnowledgeGradient<'a> {
    fn new(posterior: &'a Posterior, domain: &Domain) -> KnowledgeGradient<'a> {
        let z = posterior.prior().scaled(domain.centre);
        let gradient = posterior.gradient_at(&z);
        let spread = posterior.gradient_covariance(&gradient);
        let inverse = inverse_curvature(posterior, &z);
        KnowledgeGradient { posterior, noise: domain.noise, gradient, spread, inverse }
    }

    /// Expected reduction of the regret, in Elo. The variance of the difference is that of its
    /// linear part: it is small compared with the noise.
    fn value(&self, sides: &[Vec<f64>; 2]) -> f64 {
        let [a, b] = sides.each_ref().map(|side| self.posterior.prior().scaled(side));
        let covariance =
            DVector::from_vec(self.posterior.covariance_with_gradient(&self.gradient, &a, &b));
        let difference = DVector::from_iterator(a.len(), a.iter().zip(&b).map(|(a, b)| a - b));
        let variance = difference.dot(&(&self.spread * &difference)).max(0.0);
        0.5 * covariance.dot(&(&self.inverse * &covariance)) / (variance + self.noise)
    }
}
