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
/// How far their sides are from the centre, in ranges: a random width between these, evenly on a
/// log scale, in every direction.
const WIDTHS: [f64; 2] = [0.06, 0.3];
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

/// Where comparisons can be made.
pub struct Field<'a> {
    /// Place between the sides, relative to the start.
    pub centre: &'a [f64],
    /// Least distance from it, in ranges, that makes another value of each parameter.
    pub least: &'a [f64],
    /// The nearest place that can be played.
    pub playable: &'a dyn Fn(&[f64]) -> Vec<f64>,
    /// Variance of a result, in Elo².
    pub noise: f64,
}

/// The best of some random comparisons of places on either side of the centre.
pub fn choose(posterior: &Posterior, field: &Field, random: &mut impl Rng) -> [Vec<f64>; 2] {
    let worth = Worth::new(posterior, field);
    let [narrow, wide] = WIDTHS;
    let choice = |_| {
        let width = narrow * (wide / narrow).powf(random.random());
        let way: Vec<f64> = field
            .least
            .iter()
            .map(|least| if random.random() { width.max(*least) } else { -width.max(*least) })
            .collect();
        let side = |sign: f64| {
            let place: Vec<f64> =
                field.centre.iter().zip(&way).map(|(x, way)| x + sign * way).collect();
            (field.playable)(&place)
        };
        let sides = [side(1.0), side(-1.0)];
        (worth.of(&sides), sides)
    };
    let best = (0..CHOICES).map(choice).max_by(|a, b| a.0.total_cmp(&b.0));
    best.expect("there are choices").1
}

/// What comparisons are worth, as seen from a centre.
struct Worth<'a> {
    posterior: &'a Posterior,
    noise: f64,
    slopes: Slopes,
    /// Covariance of the slope's directions, and the inverse of the curvature.
    spread: DMatrix<f64>,
    inverse: DMatrix<f64>,
}

impl<'a> Worth<'a> {
    fn new(posterior: &'a Posterior, field: &Field) -> Worth<'a> {
        let z = posterior.shape().scaled(field.centre);
        let slopes = posterior.slopes(&z);
        let spread = posterior.slopes_covariance(&slopes);
        let inverse = inverse_curvature(posterior, &z);
        Worth { posterior, noise: field.noise, slopes, spread, inverse }
    }

    /// Elo that a comparison is expected to save. The variance of the difference is taken to be
    /// that of its linear part: next to the noise it hardly counts.
    fn of(&self, sides: &[Vec<f64>; 2]) -> f64 {
        let [a, b] = sides.each_ref().map(|side| self.posterior.shape().scaled(side));
        let covariance = DVector::from_vec(self.posterior.slope_covariance(&self.slopes, &a, &b));
        let apart = DVector::from_iterator(a.len(), a.iter().zip(&b).map(|(a, b)| a - b));
        let variance = apart.dot(&(&self.spread * &apart)).max(0.0);
        0.5 * covariance.dot(&(&self.inverse * &covariance)) / (variance + self.noise)
    }
}
