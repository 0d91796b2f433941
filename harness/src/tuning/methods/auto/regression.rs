//! Bayesian linear regression of strength on features, from comparisons of places.
//!
//! A result is the difference of two values of the model plus noise, which is linear in the weights,
//! so that the posterior is normal and exact (C. Bishop, "Pattern Recognition and Machine Learning",
//! section 3.3). Each group of features has a prior variance of its own, learned by expectation
//! maximisation (section 3.5.1); the squares have a prior mean, too: strength falls off everywhere.
//!
//! No polynomial is the whole truth. Results are kept in blocks, one a centre, and the further a
//! block's centre is below the maximum, the less its mean counts: the model's error is taken as a
//! share of that height.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::features::{Features, GROUPS, Group};

/// Elo of a net win in a pair, by the slope of the logistic curve at 0: a net win is a quarter of
/// the pair's mean score.
pub const ELO_OF_NET_WIN: f64 = 400.0 / std::f64::consts::LN_10;

/// Standard deviation of the model's error, as a share of the Elo that a block's centre is below
/// the maximum, ...
const ERROR_BELOW: f64 = 0.3;
/// ... and of the Elo that its candidates lose by their perturbation.
const ERROR_OF_PERTURBATION: f64 = 0.05;
/// Prior mean of the loss at a whole range from the optimum, divided by the number of parameters,
/// in Elo, ...
const CURVATURE: f64 = 400.0;
/// ... and what each has anyway.
const LEAST_CURVATURE: f64 = 20.0;
/// Bound on the prior mean of the loss.
const FLATTEST: f64 = 5.0;
/// First standard deviation of the cubes', fourth powers' and products' weights, as a share of the
/// squares'.
const FIRST_SHARE: f64 = 0.3;
/// Blocks that are kept; neighbours are joined beyond it.
const BLOCKS: usize = 24;

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
    /// Prior variance of each group.
    variances: [f64; GROUPS],
    /// Prior mean of the squares' weights.
    curvature: f64,
    /// Posterior mean of the weights.
    weights: Vec<f64>,
    /// Posterior covariance of the weights; `None` before the first fit.
    covariance: Option<DMatrix<f64>>,
}

impl Regression {
    /// The model of a landscape with this many parameters, without results.
    pub fn new(dimension: usize) -> Regression {
        let features = Features::new(dimension);
        let curvature = CURVATURE / dimension as f64 + LEAST_CURVATURE;
        let share = |group: Group| match group {
            Group::Linear | Group::Square => 1.0,
            Group::Cube | Group::Fourth | Group::Product => FIRST_SHARE,
        };
        Regression {
            blocks: Vec::new(),
            variances: features.groups().map(|(group, _)| (share(group) * curvature).powi(2)),
            curvature: -curvature,
            weights: vec![0.0; features.len()],
            covariance: None,
            features,
        }
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
        let mut difference = vec![0.0; self.features.len()];
        self.features.add(places[0], 1.0, &mut difference);
        self.features.add(places[1], -1.0, &mut difference);
        let difference = DVector::from_vec(difference);
        let Some(block) = self.blocks.iter_mut().find(|other| other.id >= block) else { return };
        block.pairs += pairs;
        block.squares.ger(pairs, &difference, &difference, 1.0);
        block.products.axpy(elo * pairs, &difference, 1.0);
    }

    /// Refits with one step of expectation maximisation; `noise` is the variance of a pair in Elo²,
    /// `best` the maximum so far. Keeps the old fit where the equations are singular.
    pub fn fit(&mut self, noise: f64, best: &[f64]) {
        let count = self.features.len();
        let mut precision = DMatrix::zeros(count, count);
        let mut right = DVector::zeros(count);
        let top = self.value(best);
        for block in &self.blocks {
            let below = (top - self.value(&block.centre)).max(0.0);
            let error = ERROR_BELOW * below + ERROR_OF_PERTURBATION * block.loss;
            // The error is common to the block: its mean has the variance noise / pairs + error².
            let weight = 1.0 / (noise + block.pairs * error * error);
            precision += weight * &block.squares;
            right += weight * &block.products;
        }
        for ((group, range), variance) in self.features.groups().into_iter().zip(self.variances) {
            for i in range {
                precision[(i, i)] += 1.0 / variance;
                right[i] += self.prior_mean(group) / variance;
            }
        }
        let Some(factor) = Cholesky::<f64, Dyn>::new(precision) else { return };
        self.weights = factor.solve(&right).as_slice().to_vec();
        let covariance = factor.inverse();
        self.learn_priors(&covariance);
        self.covariance = Some(covariance);
    }

    fn prior_mean(&self, group: Group) -> f64 {
        if group == Group::Square { self.curvature } else { 0.0 }
    }

    /// The priors that make the posterior likeliest. The prior so far counts as one more weight,
    /// which keeps small groups stable.
    fn learn_priors(&mut self, covariance: &DMatrix<f64>) {
        for (number, (group, range)) in self.features.groups().into_iter().enumerate() {
            let count = range.len() as f64 + 1.0;
            if group == Group::Square {
                let sum: f64 = self.weights[range.clone()].iter().sum();
                self.curvature = ((sum + self.curvature) / count).min(-FLATTEST);
            }
            let mean = self.prior_mean(group);
            let squares = range.map(|i| (self.weights[i] - mean).powi(2) + covariance[(i, i)]);
            self.variances[number] = (squares.sum::<f64>() + self.variances[number]) / count;
        }
    }

    /// Strength at a place, in Elo above the start.
    pub fn value(&self, u: &[f64]) -> f64 {
        self.features.value(u, &self.weights)
    }

    /// Elo lost at a whole range from the optimum along each axis, by the curvature at a place; at
    /// least `share` of the prior mean.
    pub fn curvatures(&self, u: &[f64], share: f64) -> Vec<f64> {
        let curvature = |axis: usize| {
            let [_, b, c, d] = self.features.along(axis, u, &self.weights);
            (-(b + u[axis] * (3.0 * c + u[axis] * 6.0 * d))).max(share * self.curvature.abs())
        };
        (0..self.features.dimension()).map(curvature).collect()
    }

    /// Standard errors of the coordinates of a maximum: those of the gradient there, through the
    /// inverse of the Hessian. `None` before the first fit, or where the place is no maximum.
    pub fn errors(&self, u: &[f64]) -> Option<Vec<f64>> {
        let d = self.features.dimension();
        let covariance = self.covariance.as_ref()?;
        let own = self.curvatures(u, 0.0);
        let mut hessian = DMatrix::from_fn(d, d, |i, j| match i == j {
            true => 2.0 * own[i],
            false => -self.weights[self.features.product(i, j)],
        });
        for (i, own) in own.iter().enumerate() {
            hessian[(i, i)] = hessian[(i, i)].max(own.abs()).max(1e-6);
        }
        let mut gradient = DMatrix::zeros(d, self.features.len());
        for i in 0..d {
            let mut power = 1.0;
            for degree in 0..4 {
                gradient[(i, degree * d + i)] = (degree + 1) as f64 * power;
                power *= u[i];
            }
            for j in (0..d).filter(|&j| j != i) {
                gradient[(i, self.features.product(i, j))] = u[j];
            }
        }
        let spread = &gradient * covariance * gradient.transpose();
        let inverse = Cholesky::<f64, Dyn>::new(hessian)?.inverse();
        let errors = &inverse * spread * &inverse;
        Some((0..d).map(|i| errors[(i, i)].max(0.0).sqrt()).collect())
    }

    /// The local maximum that coordinate ascent reaches from a place, within bounds.
    pub fn ascend(&self, from: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
        let mut u = from.to_vec();
        for _sweep in 0..60 {
            let mut moved: f64 = 0.0;
            for (axis, bounds) in bounds.iter().enumerate() {
                let along = self.features.along(axis, &u, &self.weights);
                let old = u[axis];
                u[axis] = line_search(along, old, bounds);
                moved = moved.max((u[axis] - old).abs());
            }
            if moved < 1e-4 {
                break;
            }
        }
        u
    }
}

/// The maximum of a polynomial without a constant term, within bounds and a tenth of the range
/// from a place: the best point of a grid, then Newton's method.
fn line_search([a, b, c, d]: [f64; 4], from: f64, [low, high]: &[f64; 2]) -> f64 {
    let value = |x: f64| x * (a + x * (b + x * (c + x * d)));
    let (low, high) = ((from - 0.1).max(*low), (from + 0.1).min(*high));
    let mut best = from;
    for step in 0..=20 {
        let x = low + (high - low) * step as f64 / 20.0;
        if value(x) > value(best) + 1e-12 {
            best = x;
        }
    }
    let mut x = best;
    for _ in 0..3 {
        let slope = a + x * (2.0 * b + x * (3.0 * c + x * 4.0 * d));
        let bend = 2.0 * b + x * (6.0 * c + x * 12.0 * d);
        if bend < 0.0 {
            x = (x - slope / bend).clamp(low, high);
        }
    }
    if value(x) > value(best) { x } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without noise to speak of, a parabola is found again with its maximum and a small error.
    #[test]
    fn a_parabola_is_found_again() {
        let truth = |u: &[f64]| -200.0 * (u[0] - 0.2).powi(2) - 80.0 * (u[1] + 0.1).powi(2);
        let mut model = Regression::new(2);
        let block = model.begin(vec![0.0; 2], 1.0);
        for i in 0..40 {
            let place = |i: i32| [f64::from(i % 7) / 10.0 - 0.3, f64::from(i % 5) / 10.0 - 0.2];
            let (a, b) = (place(i), place(3 * i + 1));
            model.add(block, [&a, &b], truth(&a) - truth(&b), 1000.0);
        }
        for _ in 0..5 {
            model.fit(1.0, &[0.0; 2]);
        }
        let best = model.ascend(&[0.0; 2], &[[-0.5, 0.5]; 2]);
        assert!((best[0] - 0.2).abs() < 0.02 && (best[1] + 0.1).abs() < 0.02, "{best:?}");
        let errors = model.errors(&best).unwrap();
        assert!(errors.iter().all(|error| *error < 0.05), "{errors:?}");
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
