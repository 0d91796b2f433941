//! The choice of the next pair: the one from which the maximum becomes known best.
//!
//! With the posterior of the weights known, so is what it will be after a pair of any two places,
//! but for its mean: a result changes the covariance by a matrix of rank one, whatever it is. The
//! expected loss at the recommendation is `½ tr(H⁻¹ G C Gᵀ)` with `H` the Hessian and `G` the map
//! from the weights to the gradient, both at the maximum, and `C` the covariance; the best pair is
//! the one that lowers it most (an optimal design by the criterion L: F. Pukelsheim, "Optimal Design
//! of Experiments", section 6; in Bayesian optimisation, a knowledge gradient: P. Frazier, W. Powell
//! and S. Dayanik, "A knowledge-gradient policy for sequential information collection", 2008).
//!
//! The covariance is updated when a pair is given out, not when its result is in, so that pairs
//! under way together differ.

use nalgebra::{DMatrix, DVector};

use super::features::Features;
use super::regression::Regression;

/// Uncertainty left by the pairs given out so far.
#[derive(Clone, Debug)]
pub struct Design {
    features: Features,
    /// Hessian of the loss at the centre.
    hessian: DMatrix<f64>,
    /// Maps an error of the weights to one whose square is the loss at the recommendation, times 2.
    loss: DMatrix<f64>,
    covariance: DMatrix<f64>,
}

impl Design {
    /// Uncertainty left by a model, with the centre of the next pairs and the maximum; `None`
    /// before its first fit.
    pub fn new(model: &Regression, centre: &[f64], best: &[f64]) -> Option<Design> {
        let covariance = model.covariance()?.clone();
        let at_centre = model.hessian(centre);
        let at_best = model.hessian(best);
        let root = DMatrix::from_diagonal(&at_best.eigenvalues.map(|value| value.sqrt().recip()))
            * at_best.eigenvectors.transpose();
        Some(Design {
            features: model.features(),
            hessian: at_centre.recompose(),
            loss: root * model.gradient(best),
            covariance,
        })
    }

    /// Elo that the candidates at either end of a vector from the centre lose by it.
    pub fn loss(&self, half: &[f64]) -> f64 {
        let half = DVector::from_column_slice(half);
        0.5 * half.dot(&(&self.hessian * &half))
    }

    /// Gives out the best one of some pairs of places, and returns its number. `noise` is the
    /// variance of a result, given the weights.
    pub fn choose(&mut self, choices: &[[Vec<f64>; 2]], noise: f64) -> usize {
        let differences = choices
            .iter()
            .map(|[first, second]| DVector::from_vec(self.features.difference([first, second])));
        let differences = DMatrix::from_columns(&differences.collect::<Vec<_>>());
        // Covariances of the weights with each result.
        let shared = &self.covariance * &differences;
        let gained = &self.loss * &shared;
        let variance = |i: usize| noise + differences.column(i).dot(&shared.column(i));
        let gain = |i: usize| gained.column(i).norm_squared() / variance(i);
        let best = (0..choices.len()).max_by(|&i, &j| gain(i).total_cmp(&gain(j))).unwrap_or(0);
        let column = shared.column(best);
        self.covariance.ger(-1.0 / variance(best), &column, &column, 1.0);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two equal pairs and one in another direction, the second one to be given out is the other.
    #[test]
    fn the_next_pair_is_another_one() {
        let mut model = Regression::new(2);
        let block = model.begin(vec![0.0; 2], 1.0);
        model.add(block, [&[0.1, 0.1], &[-0.1, -0.1]], 3.0, 4.0);
        model.fit(20_000.0, &[0.0; 2]);
        let mut design = Design::new(&model, &[0.0; 2], &[0.0; 2]).unwrap();
        let along = [vec![0.3, 0.3], vec![-0.3, -0.3]];
        let across = [vec![0.3, -0.3], vec![-0.3, 0.3]];
        let first = design.choose(&[along.clone(), across.clone()], 200.0);
        assert_eq!(design.choose(&[along, across], 200.0), 1 - first);
    }
}
