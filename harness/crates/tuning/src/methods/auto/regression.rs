//! Bayesian linear regression of strength on features, from comparisons of places.
//!
//! A result is the difference of two values of the model plus noise, which is linear in the weights,
//! so that the posterior is normal and exact (C. Bishop, "Pattern Recognition and Machine Learning",
//! section 3.3), given the [`Priors`].
//!
//! No polynomial is the whole truth. Results are kept in blocks, one a centre, and the further a
//! block's centre is below the maximum, the less its mean counts: the model's error is taken as a
//! share of that height.

use nalgebra::linalg::SymmetricEigen;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::features::Features;
use super::polynomial::Polynomial;
use super::priors::Priors;

/// Standard deviation of the model's error, as a share of the Elo that a block's centre is below
/// the maximum, ...
const ERROR_BELOW: f64 = 0.3;
/// ... and of the Elo that its candidates lose by their perturbation.
const ERROR_OF_PERTURBATION: f64 = 0.05;
/// Curvatures along an axis are at least this share of their prior mean, ...
const MIN_CURVATURE: f64 = 0.15;
/// ... and those in any direction at least this one.
const MIN_EIGENVALUE: f64 = 0.1;
/// Blocks that are kept; neighbours are joined beyond it.
const BLOCKS: usize = 24;

/// Groups of blocks that the jackknife leaves out in turn.
const JACKKNIFE_GROUPS: usize = 8;
/// Bound on the Elo that it finds the maximum to be above the recommendation: a polynomial falls
/// without limit where nothing was played.
const MAX_BELOW: f64 = 50.0;

/// Number of a block, as long as the model lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockId(u64);

/// Results around one centre.
#[derive(Clone, Debug)]
struct Block {
    /// The last of its numbers: a joined block has several.
    id: BlockId,
    centre: Vec<f64>,
    /// Elo that a candidate loses by the perturbation.
    loss: f64,
    pairs: f64,
    /// Sum of `φ φᵀ` over the pairs, with `φ` the difference of two places' features.
    squares: DMatrix<f64>,
    /// Sum of `φ` times the result in Elo.
    products: DVector<f64>,
}

/// The results and the posterior of the weights.
#[derive(Clone, Debug)]
pub struct Regression {
    features: Features,
    blocks: Vec<Block>,
    priors: Priors,
    /// Variance of a pair, in Elo².
    noise: f64,
    /// Posterior mean.
    mean: Polynomial,
    /// Posterior covariance of the weights; `None` before the first fit.
    covariance: Option<DMatrix<f64>>,
}

impl Regression {
    /// The model of a landscape with this many parameters, without results.
    pub fn new(dimension: usize) -> Regression {
        let features = Features::new(dimension);
        Regression {
            blocks: Vec::new(),
            priors: Priors::new(features),
            noise: 0.0,
            mean: Polynomial { features, weights: vec![0.0; features.len()] },
            covariance: None,
            features,
        }
    }

    /// Features of the linear model.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Begins a block of results around a centre, whose candidates lose `loss` Elo by their
    /// perturbation.
    pub fn begin(&mut self, centre: Vec<f64>, loss: f64) -> BlockId {
        let count = self.features.len();
        let id = BlockId(self.blocks.last().map_or(0, |block| block.id.0 + 1));
        self.blocks.push(Block {
            id,
            centre,
            loss,
            pairs: 0.0,
            squares: DMatrix::zeros(count, count),
            products: DVector::zeros(count),
        });
        if self.blocks.len() > BLOCKS {
            self.join_nearest();
        }
        id
    }

    /// Joins the two neighbouring blocks with the nearest centres; not the last one.
    fn join_nearest(&mut self) {
        let apart = |pair: &[Block]| -> f64 {
            let both = pair[0].centre.iter().zip(&pair[1].centre);
            both.map(|(a, b)| (a - b).powi(2)).sum()
        };
        let closed = &self.blocks[..self.blocks.len() - 1];
        let distances = closed.windows(2).map(apart);
        let nearest = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((at, _)) = nearest else { return };
        let first = self.blocks.remove(at);
        let joined = &mut self.blocks[at];
        let share = first.pairs / (first.pairs + joined.pairs).max(1.0);
        for (centre, other) in joined.centre.iter_mut().zip(&first.centre) {
            *centre += share * (other - *centre);
        }
        joined.loss += share * (first.loss - joined.loss);
        joined.pairs += first.pairs;
        joined.squares += first.squares;
        joined.products += first.products;
    }

    /// Adds a result of `pairs` pairs between two places: the difference in Elo of the first one.
    pub fn add(&mut self, block: BlockId, places: [&[f64]; 2], elo: f64, pairs: f64) {
        let difference = DVector::from_vec(self.features.difference(places));
        let Some(block) = self.blocks.iter_mut().find(|other| other.id >= block) else { return };
        block.pairs += pairs;
        block.squares.ger(pairs, &difference, &difference, 1.0);
        block.products.axpy(elo * pairs, &difference, 1.0);
    }

    /// Refits with one step of expectation maximisation; `noise` is the variance of a pair in Elo²,
    /// `best` the maximum so far. Keeps the old fit where the equations are singular.
    pub fn fit(&mut self, noise: f64, best: &[f64]) {
        self.noise = noise;
        let (precision, right) = self.equations(best, &|_| true);
        let Some((factor, weights)) = self.solve(precision, right) else { return };
        let covariance = factor.inverse();
        self.priors.learn(&weights, &covariance);
        self.mean.weights = weights;
        self.covariance = Some(covariance);
    }

    /// The normal equations of the results in the blocks whose numbers are `wanted`, without the
    /// priors: precision and right side.
    fn equations(
        &self,
        best: &[f64],
        wanted: &dyn Fn(usize) -> bool,
    ) -> (DMatrix<f64>, DVector<f64>) {
        let count = self.features.len();
        let mut precision = DMatrix::zeros(count, count);
        let mut right = DVector::zeros(count);
        let top = self.mean.value(best);
        let blocks = self.blocks.iter().enumerate().filter(|(number, _)| wanted(*number));
        for (_, block) in blocks {
            let below = (top - self.mean.value(&block.centre)).max(0.0);
            let error = ERROR_BELOW * below + ERROR_OF_PERTURBATION * block.loss;
            // The error is common to the block: its mean has the variance noise / pairs + error².
            let weight = 1.0 / (self.noise + block.pairs * error * error);
            precision.zip_apply(&block.squares, |sum, square| *sum += weight * square);
            right.axpy(weight, &block.products, 1.0);
        }
        (precision, right)
    }

    /// Adds the priors to normal equations: the posterior's precision, factored, and its mean.
    fn solve(
        &self,
        mut precision: DMatrix<f64>,
        mut right: DVector<f64>,
    ) -> Option<(Cholesky<f64, Dyn>, Vec<f64>)> {
        for (i, prior) in self.priors.each().enumerate() {
            precision[(i, i)] += 1.0 / prior.variance;
            right[i] += prior.mean / prior.variance;
        }
        let factor = Cholesky::new(precision)?;
        let weights = factor.solve(&right).as_slice().to_vec();
        Some((factor, weights))
    }

    /// Standard error of each coordinate of the maximum near `best`, and the Elo that the maximum is
    /// expected to be above it, by a jackknife over groups of blocks (B. Efron, "The Jackknife, the
    /// Bootstrap and Other Resampling Plans", section 3): how far the maximum moves when results
    /// around some of the centres are left out. Unlike the posterior it sees where the landscape is
    /// no polynomial. 0 with too few blocks.
    pub fn jackknife(&self, best: &[f64], bounds: &[[f64; 2]]) -> (Vec<f64>, f64) {
        let groups = JACKKNIFE_GROUPS.min(self.blocks.len());
        let without = |group: usize| {
            let (precision, right) = self.equations(best, &|number| number % groups != group);
            let (_, weights) = self.solve(precision, right)?;
            Some(Polynomial { features: self.features, weights }.ascend(best, bounds))
        };
        let maxima: Vec<Vec<f64>> = (0..groups).filter_map(without).collect();
        let count = maxima.len() as f64;
        let error = |axis: usize| {
            let mean = maxima.iter().map(|top| top[axis]).sum::<f64>() / count;
            let squares: f64 = maxima.iter().map(|top| (top[axis] - mean).powi(2)).sum();
            ((count - 1.0) / count * squares).sqrt()
        };
        if maxima.len() < 2 {
            return (vec![0.0; best.len()], 0.0);
        }
        let top = self.mean.value(best);
        let below: f64 = maxima.iter().map(|other| (top - self.mean.value(other)).max(0.0)).sum();
        let below = ((count - 1.0) / count * below).min(MAX_BELOW);
        ((0..best.len()).map(error).collect(), below)
    }

    /// Covariance of the weights to expect after as many pairs again; `None` before the
    /// first fit.
    pub fn covariance_of_twice(&self, best: &[f64]) -> Option<DMatrix<f64>> {
        self.covariance.as_ref()?;
        let (precision, right) = self.equations(best, &|_| true);
        Some(self.solve(2.0 * precision, right)?.0.inverse())
    }

    /// The likeliest landscape.
    pub fn mean(&self) -> &Polynomial {
        &self.mean
    }

    /// Gradient at the start along an axis, in standard errors; `None` before the first fit.
    pub fn z(&self, axis: usize) -> Option<f64> {
        let variance = self.covariance.as_ref()?[(axis, axis)];
        (variance > 0.0).then(|| self.mean.weights[axis] / variance.sqrt())
    }

    /// Elo lost at a whole range from the optimum along each axis, by the curvature at a place.
    pub fn curvatures(&self, u: &[f64]) -> Vec<f64> {
        let least = MIN_CURVATURE * self.priors.curvature();
        (0..u.len()).map(|axis| self.mean.curvature(axis, u).max(least)).collect()
    }

    /// The Hessian of the loss at a place, by its eigenvalues and eigenvectors; directions without
    /// curvature to speak of get some, so that it is positive definite.
    pub fn hessian(&self, u: &[f64]) -> SymmetricEigen<f64, Dyn> {
        let own = self.curvatures(u);
        let dimension = self.features.dimension();
        let hessian = DMatrix::from_fn(dimension, dimension, |i, j| {
            if i == j {
                2.0 * own[i]
            } else {
                self.features.product(i, j).map_or(0.0, |product| -self.mean.weights[product])
            }
        });
        let mut eigen = hessian.symmetric_eigen();
        let least = MIN_EIGENVALUE * 2.0 * self.priors.curvature();
        eigen.eigenvalues.apply(|value| *value = value.max(least));
        eigen
    }

    /// The matrix that maps the weights to the gradient at a place.
    pub fn gradient(&self, u: &[f64]) -> DMatrix<f64> {
        let mut gradient = DMatrix::zeros(self.features.dimension(), self.features.len());
        for axis in 0..self.features.dimension() {
            for (feature, derivative) in self.features.derivative(axis, u) {
                gradient[(axis, feature)] = derivative;
            }
        }
        gradient
    }

    /// Posterior covariance of the weights; `None` before the first fit.
    pub fn covariance(&self) -> Option<&DMatrix<f64>> {
        self.covariance.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::super::uncertainty::Uncertainty;
    use super::*;

    /// Without noise to speak of, a parabola is found again with its maximum and a small error.
    #[test]
    fn a_parabola_is_found_again() {
        let truth = |u: &[f64]| -200.0 * (u[0] - 0.2).powi(2) - 80.0 * (u[1] + 0.1).powi(2);
        let mut model = Regression::new(2);
        let block = model.begin(vec![0.0; 2], 1.0);
        for i in 0..40 {
            let place = |i: i32| [f64::from(i % 7) / 10.0 - 0.3, f64::from(i % 5) / 10.0 - 0.2];
            let a = place(i);
            let b = place(3 * i + 1);
            model.add(block, [&a, &b], truth(&a) - truth(&b), 1000.0);
        }
        for _ in 0..5 {
            model.fit(1.0, &[0.0; 2]);
        }
        let best = model.mean().ascend(&[0.0; 2], &[[-0.5, 0.5]; 2]);
        assert!((best[0] - 0.2).abs() < 0.02 && (best[1] + 0.1).abs() < 0.02, "{best:?}");
        let uncertainty = Uncertainty::new(&model, &best, &[[-0.5, 0.5]; 2], 1).unwrap();
        assert!(uncertainty.errors.iter().all(|error| *error < 0.05), "{uncertainty:?}");
        assert!((0.0..1.0).contains(&uncertainty.left), "{uncertainty:?}");
        assert!((0.0..=uncertainty.left).contains(&uncertainty.gain_of_twice), "{uncertainty:?}");
    }

    /// The jackknife sees what the posterior does not: strength that is no polynomial.
    #[test]
    fn the_jackknife_is_wide_where_the_landscape_is_no_polynomial() {
        let error = |truth: &dyn Fn(f64) -> f64| {
            let mut model = Regression::new(1);
            for centre in 0..16 {
                let centre = 0.4 - 0.02 * f64::from(centre);
                let block = model.begin(vec![centre], 1.0);
                let a = [centre + 0.1];
                let b = [centre - 0.1];
                model.add(block, [&a, &b], truth(a[0]) - truth(b[0]), 1000.0);
            }
            (0..5).for_each(|_| model.fit(1.0, &[0.0]));
            let bounds = [[-0.5, 0.5]];
            let best = model.mean().ascend(&[0.1], &bounds);
            model.jackknife(&best, &bounds).0[0]
        };
        let parabola = error(&|x| -200.0 * (x - 0.2).powi(2));
        let cliff = error(&|x| -200.0 * (x - 0.2).powi(2) - if x > 0.3 { 50.0 } else { 0.0 });
        assert!(parabola < 0.01 && cliff > 3.0 * parabola, "{parabola} {cliff}");
    }

    #[test]
    fn joined_blocks_keep_every_result() {
        let mut model = Regression::new(2);
        let mut ids = Vec::new();
        for i in 0..2 * BLOCKS {
            ids.push(model.begin(vec![i as f64 / 100.0; 2], 0.0));
        }
        for id in ids {
            model.add(id, [&[0.1, 0.0], &[0.0, 0.0]], 5.0, 2.0);
        }
        assert_eq!(model.blocks.len(), BLOCKS);
        let pairs: f64 = model.blocks.iter().map(|block| block.pairs).sum();
        assert_eq!(pairs, 4.0 * BLOCKS as f64);
    }
}
