//! How near to the optimum can any tuner come?
//!
//! Let the loss be a quadratic `½ xᵀHx` of the distance from the optimum, and let `H` be known: only
//! the place of the optimum is not. A pair between the two ends `±δ` of a vector around any place
//! measures twice the gradient there along `δ`, with the variance `σ²` of a pair's result in Elo. By
//! the bound of Cramér and Rao in van Trees's form (H. van Trees, "Detection, Estimation, and
//! Modulation Theory", section 2.4), `n` pairs and a uniform prior over the range leave along each
//! eigenvector of `H`, with eigenvalue `λ`, an expected loss of at least
//!
//! ```text
//! ½ λ / (4 n λ q / σ² + 12),    q = λ E[(δ·v)²]
//! ```
//!
//! where 12 is the inverse of the uniform variance. `q` is limited twice. Both candidates lie within
//! the range, so that `|δ·v|` is at most half the sum of `|v|`. And no landscape is a quadratic
//! everywhere: beyond its softening `S`, a pseudo-Huber function makes the loss linear, and what a
//! pair measures saturates as if its candidates lost `S / 2`, so that the sum of all `q` is at most
//! `S`. The best design shares `S` among the eigenvectors as evenly as the ranges allow.
//!
//! Skew, bends, plateaus, whole numbers and cliffs only make a landscape harder. Parameters whose
//! optimum is at an end of the range are taken as known.

use nalgebra::DMatrix;

use crate::landscape::{DrawModel, Landscape};
use crate::trial::ELO_OF_NET_WIN;

/// Variance of the place of an optimum that is anywhere in the range.
const UNIFORM_VARIANCE: f64 = 1.0 / 12.0;

/// Expected Elo that the best possible tuner leaves after `games` games.
pub fn expected_gap(landscape: &Landscape, model: &DrawModel, games: u64) -> f64 {
    let inside = parameters_inside(landscape);
    if inside.is_empty() {
        return 0.0;
    }
    let form = landscape.quadratic_form();
    let hessian = DMatrix::from_fn(inside.len(), inside.len(), |row, column| {
        2.0 * form[inside[row]][inside[column]]
    });
    let eigen = hessian.symmetric_eigen();
    let directions = eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter());
    let (values, limits): (Vec<f64>, Vec<f64>) = directions
        .map(|(&value, vector)| {
            let reach = 0.5 * vector.iter().map(|x| x.abs()).sum::<f64>();
            (value.max(0.0), value.max(0.0) * reach * reach)
        })
        .unzip();
    let shares = shared_evenly(landscape.softening, &limits);
    let information = 4.0 * (games / 2) as f64 / noise(model);
    let left = |(value, share): (&f64, f64)| {
        0.5 * value / (information * value * share + 1.0 / UNIFORM_VARIANCE)
    };
    values.iter().zip(shares).map(left).sum()
}

/// Variance of the result of a pair between equals, in Elo².
fn noise(model: &DrawModel) -> f64 {
    let wins = [-2.0_f64, -1.0, 0.0, 1.0, 2.0];
    let variance: f64 = model.chances(0.0).iter().zip(wins).map(|(p, wins)| p * wins * wins).sum();
    variance * ELO_OF_NET_WIN * ELO_OF_NET_WIN
}

/// Parameters whose optimum is not at an end of their range.
fn parameters_inside(landscape: &Landscape) -> Vec<usize> {
    let inside = |&i: &usize| {
        let axis = &landscape.params[i];
        axis.min < axis.opt && axis.opt < axis.max
    };
    (0..landscape.params.len()).filter(inside).collect()
}

/// Shares of a sum, as even as their limits allow.
fn shared_evenly(sum: f64, limits: &[f64]) -> Vec<f64> {
    let mut sorted = limits.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut left = sum;
    let mut level = f64::INFINITY;
    for (i, &limit) in sorted.iter().enumerate() {
        level = left / (sorted.len() - i) as f64;
        if level <= limit {
            break;
        }
        left -= limit;
        level = f64::INFINITY;
    }
    limits.iter().map(|limit| limit.min(level)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;

    #[test]
    fn a_sum_is_shared_up_to_the_limits() {
        assert_eq!(shared_evenly(9.0, &[10.0, 1.0, 10.0]), [4.0, 1.0, 4.0]);
        assert_eq!(shared_evenly(9.0, &[2.0, 1.0, 3.0]), [2.0, 1.0, 3.0]);
    }

    #[test]
    fn an_optimum_in_a_corner_is_taken_as_known() {
        let landscapes = Landscapes::built_in();
        let mut two = landscapes.landscapes[0].clone();
        for axis in &mut two.params {
            axis.opt = axis.max;
        }
        assert_eq!(expected_gap(&two, &landscapes.model, 1_000), 0.0);
    }

    /// With the ranges wide and games without end, it is `σ² d² / 8 n S`, `d` the number of parameters
    /// that matter.
    #[test]
    fn the_bound_of_a_wide_quadratic_is_that_worked_by_hand() {
        let landscapes = Landscapes::built_in();
        let mut six = landscapes.landscapes[1].clone();
        six.softening = 1.0;
        let games = 200_000_000;
        let matter = six.params.iter().filter(|axis| axis.k > 0.0).count();
        let dimension = matter as f64;
        let by_hand = noise(&landscapes.model) * dimension.powi(2) / (8.0 * (games / 2) as f64);
        let bound = expected_gap(&six, &landscapes.model, games);
        assert!((bound / by_hand - 1.0).abs() < 1e-3, "{bound} {by_hand}");
    }
}
