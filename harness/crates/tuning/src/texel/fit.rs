//! The fit: scale, labels, optimisation.

use std::ops::{ControlFlow, Range};

use rayon::ThreadPoolBuilder;
use serde::Serialize;

use super::labelled::{BLOCK, Labelled, Settings, map_blocks};
use super::optimizer::{Minimizer, Objective};
use super::sparse::{Pair, SparseRows};

/// Search range of the scale: from evaluations in pawns to much finer ones.
const SCALES: Range<f64> = 1e-4..0.1;

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

/// Minimum of a unimodal function by golden-section search over the logarithm.
fn golden_section(range: Range<f64>, of: impl Fn(f64) -> f64) -> f64 {
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let mut low = range.start.ln();
    let mut high = range.end.ln();
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
fn score_scale(cache: &SparseRows, settings: &Settings) -> Option<f64> {
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

/// Labels that are all the same, from which nothing can be fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnlyLabel(pub f64);

/// The only label of all positions; `None` where labels vary, or there is no position.
fn only_label(data: &Labelled<'_>) -> Option<OnlyLabel> {
    let (first, others) = data.labels.split_first()?;
    others.iter().all(|label| (label - first).abs() < 1e-9).then_some(OnlyLabel(*first))
}

/// Whether a scale is an end of the range in which it is searched.
pub fn is_at_bound(k: f64) -> bool {
    !(1.01 * SCALES.start..=0.99 * SCALES.end).contains(&k)
}

/// Fits weights, from the start weights.
///
/// `on_epoch` is called after every step and may end the fit; the best weights until then are kept.
///
/// # Errors
/// When all positions of the training set have the same label.
pub fn fit(
    train: &SparseRows,
    validation: &SparseRows,
    start: &[Pair],
    settings: &Settings,
    on_epoch: &mut (dyn FnMut(Epoch) -> ControlFlow<()> + Send),
) -> Result<Fit, OnlyLabel> {
    in_pool(settings.jobs, || {
        let score_k = if settings.blend > 0.0 { score_scale(train, settings) } else { None };
        let train = Labelled::new(train, settings.blend, score_k);
        if let Some(only) = only_label(&train) {
            return Err(only);
        }
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
                on_epoch(Epoch { number, train: train_loss, validation: validation_loss })
                    .is_break();
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
        Ok(Fit { k, score_k, loss: Loss { before, after }, epoch, weights, speed })
    })
}

/// Runs `work` in a pool of threads.
fn in_pool<T: Send>(jobs: usize, work: impl FnOnce() -> T + Send) -> T {
    match ThreadPoolBuilder::new().num_threads(jobs).build() {
        Ok(pool) => pool.install(work),
        // In the threads of the process: the result does not depend on them.
        Err(_) => work(),
    }
}
