//! The fit: scale, labels, descent.

use std::ops::{ControlFlow, Range};
use std::thread;

use serde::Serialize;

use super::cache::{Cache, Pair};
use super::descent::{Descent, Objective, Optimizer};
use super::loss::{Kind, sigmoid};

/// Positions whose slopes are added up by one thread in one go. The sums of such blocks are
/// added in order, so that the result does not depend on the number of threads.
const BLOCK: usize = 8_192;

/// Scales that are looked through: those of evaluations in pawns and of much finer ones.
const SCALES: Range<f64> = 1e-4..0.1;

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What is made small.
    pub loss: Kind,
    /// How much of a label is the score.
    pub blend: f64,
    /// How it goes down.
    pub optimizer: Optimizer,
    /// Steps at most.
    pub epochs: u32,
    /// Steps without a better validation loss after which it ends.
    pub patience: u32,
    /// The first step, in centipawns.
    pub rate: f64,
    /// Loss a squared pawn of change, summed over all weights.
    pub l2: f64,
    /// Threads.
    pub jobs: usize,
}

/// Mean losses a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Losses {
    /// Over the positions that are learnt from.
    pub train: f64,
    /// Over those that only judge.
    pub validation: f64,
}

/// What a fit found.
#[derive(Clone, Debug)]
pub struct Fit {
    /// An evaluation of `x` centipawns is worth `1 / (1 + exp(-k x))`.
    pub k: f64,
    /// The same for scores, when they are part of the labels.
    pub score_k: Option<f64>,
    /// With the weights of the start.
    pub before: Losses,
    /// With the fitted ones.
    pub after: Losses,
    /// Steps until the fitted weights.
    pub epoch: u32,
    /// The fitted weights, in centipawns.
    pub weights: Vec<Pair>,
    /// Positions a second and thread, over all gradients.
    pub speed: f64,
}

/// A step, for showing.
#[derive(Clone, Copy, Debug)]
pub struct Epoch {
    /// From 1.
    pub number: u32,
    /// Loss of the positions that are learnt from, before it.
    pub train: f64,
    /// Loss of those that only judge, after it.
    pub validation: f64,
}

/// What is known of the positions besides their counts: the labels.
pub struct Labelled<'a> {
    cache: &'a Cache,
    labels: Vec<f64>,
}

impl<'a> Labelled<'a> {
    /// Labels of a blend of scores and results; `score_k` is the scale of the scores.
    pub fn new(cache: &'a Cache, blend: f64, score_k: Option<f64>) -> Labelled<'a> {
        let label = |row: &super::cache::Row| match score_k {
            Some(k) if !row.score.is_nan() => {
                blend * sigmoid(k * f64::from(row.score)) + (1.0 - blend) * f64::from(row.result)
            }
            _ => f64::from(row.result),
        };
        Labelled { cache, labels: cache.rows().iter().map(label).collect() }
    }

    /// The mean loss.
    pub fn loss(&self, k: f64, weights: &[Pair], settings: &Settings) -> f64 {
        let blocks = in_blocks(self.cache.len(), settings.jobs, |rows| {
            rows.map(|row| settings.loss.at(k * self.cache.value(row, weights), self.labels[row]).0)
                .sum::<f64>()
        });
        blocks.into_iter().sum::<f64>() / self.cache.len().max(1) as f64
    }

    /// The mean loss, and its slopes by all weights.
    pub fn gradient(&self, k: f64, weights: &[Pair], settings: &Settings) -> (f64, Vec<Pair>) {
        let blocks = in_blocks(self.cache.len(), settings.jobs, |rows| {
            let mut gradient = vec![[0.0; 2]; weights.len()];
            let mut sum = 0.0;
            self.cache.slopes(rows, weights, &mut gradient, |row, value| {
                let (loss, slope) = settings.loss.at(k * value, self.labels[row]);
                sum += loss;
                k * slope
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

/// Does `work` on blocks of `0..count` in several threads; what it gives is in their order.
fn in_blocks<T: Send>(
    count: usize,
    jobs: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    let blocks = count.div_ceil(BLOCK);
    let block = |number: usize| work(number * BLOCK..((number + 1) * BLOCK).min(count));
    let jobs = jobs.clamp(1, blocks.max(1));
    if jobs == 1 {
        return (0..blocks).map(block).collect();
    }
    let mut done: Vec<Option<T>> = (0..blocks).map(|_| None).collect();
    let each = blocks.div_ceil(jobs);
    thread::scope(|scope| {
        for (job, part) in done.chunks_mut(each).enumerate() {
            let block = &block;
            scope.spawn(move || {
                for (at, slot) in part.iter_mut().enumerate() {
                    *slot = Some(block(job * each + at));
                }
            });
        }
    });
    done.into_iter().flatten().collect()
}

/// Where a function of one valley is least, by golden section over the logarithm.
fn least(range: Range<f64>, of: impl Fn(f64) -> f64) -> f64 {
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

/// The scale with which these weights explain the labels best.
pub fn scale(data: &Labelled<'_>, weights: &[Pair], settings: &Settings) -> f64 {
    let values: Vec<f64> =
        (0..data.cache.len()).map(|row| data.cache.value(row, weights)).collect();
    scale_of(&values, &data.labels, settings)
}

/// The scale with which scores explain results best; `None` without a score.
pub fn score_scale(cache: &Cache, settings: &Settings) -> Option<f64> {
    let scored = cache.rows().iter().filter(|row| !row.score.is_nan());
    let (scores, results): (Vec<f64>, Vec<f64>) =
        scored.map(|row| (f64::from(row.score), f64::from(row.result))).unzip();
    (!scores.is_empty()).then(|| scale_of(&scores, &results, settings))
}

fn scale_of(values: &[f64], labels: &[f64], settings: &Settings) -> f64 {
    least(SCALES, |k| {
        let blocks = in_blocks(values.len(), settings.jobs, |rows| {
            rows.map(|row| settings.loss.at(k * values[row], labels[row]).0).sum::<f64>()
        });
        blocks.into_iter().sum::<f64>()
    })
}

/// Fits weights, from those of the start.
///
/// `told` learns of every pass and may end the fit; what is best until then counts.
pub fn fit(
    train: &Cache,
    validation: &Cache,
    start: &[Pair],
    settings: &Settings,
    told: &mut dyn FnMut(Epoch) -> ControlFlow<()>,
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
    let mut descent = Descent::new(&objective);
    for number in 1..=settings.epochs {
        let left = 1.0 - f64::from(number - 1) / f64::from(settings.epochs);
        let Some(train_loss) = descent.step(&objective, &mut weights, left) else { break };
        let judged = validation.loss(k, &weights, settings);
        if judged < best.0 {
            best = (judged, number, weights.clone());
        }
        let stopped = told(Epoch { number, train: train_loss, validation: judged }).is_break();
        if stopped || number - best.1 >= settings.patience {
            break;
        }
    }
    let (validation, epoch, weights) = best;
    let after = Losses { train: train.loss(k, &weights, settings), validation };
    let (passes, spent) = objective.effort();
    let done = f64::from(passes) * train.cache.len() as f64;
    let threads = settings.jobs.clamp(1, train.cache.len().div_ceil(BLOCK).max(1)) as f64;
    let speed = done / spent.as_secs_f64().max(1e-9) / threads;
    Fit { k, score_k, before, after, epoch, weights, speed }
}
