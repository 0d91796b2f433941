//! Labelled positions, their loss and its gradient; the settings of a fit.

use std::ops::Range;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use super::loss::Kind;
use super::sparse::{Pair, Row, SparseRows};
use harness_stats::logistic;

/// Positions whose gradient one thread sums in one task. Block sums are added in order, so the
/// result does not depend on the number of threads.
pub const BLOCK: usize = 8_192;

/// The optimiser of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimizer {
    /// Adam: one epoch a step.
    #[default]
    Adam,
    /// L-BFGS (D. Liu and J. Nocedal, 1989) with the line search of J. Moré and D. Thuente: some
    /// loss evaluations a step, and fewer steps.
    Lbfgs,
}

/// Hyperparameters of a fit.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The loss function.
    pub loss: Kind,
    /// Weight of the score in a label.
    pub blend: f64,
    /// The optimiser.
    pub optimizer: Optimizer,
    /// Steps at most.
    pub epochs: u32,
    /// Early stopping: steps without a better validation loss.
    pub patience: u32,
    /// Learning rate: the first step, in centipawns.
    pub rate: f64,
    /// L2 penalty: loss a squared pawn of change, summed over all weights.
    pub l2: f64,
    /// Threads.
    pub jobs: usize,
}

/// Positions with their labels.
pub struct Labelled<'a> {
    /// The positions.
    pub cache: &'a SparseRows,
    /// The label of each.
    pub labels: Vec<f64>,
}

impl<'a> Labelled<'a> {
    /// Labels of a blend of scores and results; `score_k` is the scale of the scores.
    pub fn new(cache: &'a SparseRows, blend: f64, score_k: Option<f64>) -> Labelled<'a> {
        let label = |row: &Row| match score_k {
            Some(k) if !row.score.is_nan() => {
                blend * logistic(k * f64::from(row.score)) + (1.0 - blend) * f64::from(row.result)
            }
            _ => f64::from(row.result),
        };
        Labelled { cache, labels: cache.rows().iter().map(label).collect() }
    }

    /// The mean loss.
    pub fn loss(&self, k: f64, weights: &[Pair], settings: &Settings) -> f64 {
        let blocks = map_blocks(self.cache.len(), |rows| {
            rows.map(|row| settings.loss.at(k * self.cache.value(row, weights), self.labels[row]).0)
                .sum::<f64>()
        });
        blocks.into_iter().sum::<f64>() / self.cache.len().max(1) as f64
    }

    /// The mean loss and its gradient.
    pub fn gradient(&self, k: f64, weights: &[Pair], settings: &Settings) -> (f64, Vec<Pair>) {
        let blocks = map_blocks(self.cache.len(), |rows| {
            let mut gradient = vec![[0.0; 2]; weights.len()];
            let mut sum = 0.0;
            self.cache.add_gradient(rows, weights, &mut gradient, |row, value| {
                let (loss, derivative) = settings.loss.at(k * value, self.labels[row]);
                sum += loss;
                k * derivative
            });
            (sum, gradient)
        });
        let share = 1.0 / self.cache.len().max(1) as f64;
        let mut total = (0.0, vec![[0.0; 2]; weights.len()]);
        for (loss, gradient) in blocks {
            total.0 += loss * share;
            for (sum, part) in total.1.iter_mut().zip(gradient) {
                sum[0] += part[0] * share;
                sum[1] += part[1] * share;
            }
        }
        total
    }
}

/// Runs `work` on blocks of `0..count` in parallel; results are in the order of the blocks.
pub fn map_blocks<T: Send>(count: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let block = |number: usize| work(number * BLOCK..((number + 1) * BLOCK).min(count));
    (0..count.div_ceil(BLOCK)).into_par_iter().map(block).collect()
}
