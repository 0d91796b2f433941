//! The fit: scale, labels, optimisation.

use std::ops::{ControlFlow, Range};

use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

use super::loss::{Kind, sigmoid};
use super::optimizer::{Minimizer, Objective, Optimizer};
use super::sparse::{Pair, SparseRows};

/// Positions whose gradient one thread sums in one task. Block sums are added in order, so the
/// result does not depend on the number of threads.
const BLOCK: usize = 8_192;

/// Search range of the scale: from evaluations in pawns to much finer ones.
const SCALES: Range<f64> = 1e-4..0.1;

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

/// Mean losses a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Losses {
    /// Over the training set.
    pub train: f64,
    /// Over the validation set.
    pub validation: f64,
}

/// Losses before and after a fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// With the start weights.
    pub before: Losses,
    /// With the fitted ones.
    pub after: Losses,
}

/// Result of a fit.
#[derive(Clone, Debug, Serialize)]
pub struct Fit {
    /// An evaluation of `x` centipawns is worth `1 / (1 + exp(-k x))`.
    pub k: f64,
    /// The same for scores, when they are part of the labels.
    pub score_k: Option<f64>,
    /// The losses.
    pub loss: Loss,
    /// Steps until the fitted weights.
    pub epoch: u32,
    /// The fitted weights, in centipawns.
    #[serde(skip)]
    pub weights: Vec<Pair>,
    /// Positions a second and thread, over all gradients.
    #[serde(rename = "positions_per_second_per_core")]
    pub speed: f64,
}

/// A step, for display.
#[derive(Clone, Copy, Debug)]
pub struct Epoch {
    /// From 1.
    pub number: u32,
    /// Training loss before it.
    pub train: f64,
    /// Validation loss after it.
    pub validation: f64,
}

/// Positions with their labels.
pub struct Labelled<'a> {
    cache: &'a SparseRows,
    labels: Vec<f64>,
}

impl<'a> Labelled<'a> {
    /// Labels of a blend of scores and results; `score_k` is the scale of the scores.
    pub fn new(cache: &'a SparseRows, blend: f64, score_k: Option<f64>) -> Labelled<'a> {
        let label = |row: &super::sparse::Row| match score_k {
            Some(k) if !row.score.is_nan() => {
                blend * sigmoid(k * f64::from(row.score)) + (1.0 - blend) * f64::from(row.result)
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
fn map_blocks<T: Send>(count: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let block = |number: usize| work(number * BLOCK..((number + 1) * BLOCK).min(count));
    (0..count.div_ceil(BLOCK)).into_par_iter().map(block).collect()
}

/// Minimum of a unimodal function by golden-section search over the logarithm.
fn golden_section(range: Range<f64>, of: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (range.start.ln(), range.end.ln());
    let mut inner = [high - golden * (high - low), low + golden * (high - low)];
    let mut values = inner.map(|at| of(at.exp()));
    while high - low > 1e-6 {
        if values[0] < values[1] {
            high = inner[1];
            inner = [high - golden * (high - low), inner[0]];
            values = [of(inner[0].exp()), values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + golden * (high - low)];
            values = [values[1], of(inner[1].exp())];
        }
    }
    ((low + high) / 2.0).exp()
}

/// The scale with the smallest loss of these weights.
pub fn scale(data: &Labelled<'_>, weights: &[Pair], settings: &Settings) -> f64 {
    let values: Vec<f64> =
        (0..data.cache.len()).map(|row| data.cache.value(row, weights)).collect();
    scale_of(&values, &data.labels, settings)
}

/// The scale with the smallest loss of scores against results; `None` without a score.
pub fn score_scale(cache: &SparseRows, settings: &Settings) -> Option<f64> {
    let scored = cache.rows().iter().filter(|row| !row.score.is_nan());
    let (scores, results): (Vec<f64>, Vec<f64>) =
        scored.map(|row| (f64::from(row.score), f64::from(row.result))).unzip();
    (!scores.is_empty()).then(|| scale_of(&scores, &results, settings))
}

fn scale_of(values: &[f64], labels: &[f64], settings: &Settings) -> f64 {
    golden_section(SCALES, |k| {
        let blocks = map_blocks(values.len(), |rows| {
            rows.map(|row| settings.loss.at(k * values[row], labels[row]).0).sum::<f64>()
        });
        blocks.into_iter().sum::<f64>()
    })
}

/// Fits weights, from the start weights.
///
/// `on_epoch` is called after every step and may end the fit; the best weights until then are kept.
pub fn fit(
    train: &SparseRows,
    validation: &SparseRows,
    start: &[Pair],
    settings: &Settings,
    on_epoch: &mut (dyn FnMut(Epoch) -> ControlFlow<()> + Send),
) -> Fit {
    let mut fit = || fit_in_pool(train, validation, start, settings, on_epoch);
    match ThreadPoolBuilder::new().num_threads(settings.jobs).build() {
        Ok(pool) => pool.install(fit),
        // In the threads of the process: the result does not depend on them.
        Err(_) => fit(),
    }
}

fn fit_in_pool(
    train: &SparseRows,
    validation: &SparseRows,
    start: &[Pair],
    settings: &Settings,
    on_epoch: &mut (dyn FnMut(Epoch) -> ControlFlow<()> + Send),
) -> Fit {
    let score_k = if settings.blend > 0.0 { score_scale(train, settings) } else { None };
    let train = Labelled::new(train, settings.blend, score_k);
    let validation = Labelled::new(validation, settings.blend, score_k);
    let k = scale(&train, start, settings);
    let before = Losses {
        train: train.loss(k, start, settings),
        validation: validation.loss(k, start, settings),
    };
    let mut best = (before.validation, 0, start.to_vec());
    let mut weights = start.to_vec();
    let objective = Objective::new(&train, k, start, settings);
    let mut optimizer = Minimizer::new(&objective);
    for number in 1..=settings.epochs {
        let left = 1.0 - f64::from(number - 1) / f64::from(settings.epochs);
        let Some(train_loss) = optimizer.step(&objective, &mut weights, left) else { break };
        let validation_loss = validation.loss(k, &weights, settings);
        if validation_loss < best.0 {
            best = (validation_loss, number, weights.clone());
        }
        let stopped =
            on_epoch(Epoch { number, train: train_loss, validation: validation_loss }).is_break();
        if stopped || number - best.1 >= settings.patience {
            break;
        }
    }
    let (validation, epoch, weights) = best;
    let after = Losses { train: train.loss(k, &weights, settings), validation };
    let (evaluated, spent) = objective.evaluations();
    let done = f64::from(evaluated) * train.cache.len() as f64;
    let threads = settings.jobs.clamp(1, train.cache.len().div_ceil(BLOCK).max(1)) as f64;
    let speed = done / spent.as_secs_f64().max(1e-9) / threads;
    Fit { k, score_k, loss: Loss { before, after }, epoch, weights, speed }
}
