//! The loss of a batch and its gradient, by one thread or several.

use std::ops::Range;
use std::thread;

use super::aligned::Aligned;
use super::config::Config;
use super::gradient::{self, Pass};
use super::group::{GROUP, Group, Workspace};
use super::loss::Loss;
use super::model::Model;
use super::packed::PackedPosition;
use super::positions::PositionSet;
use harness_data::DataError;

/// The objective: how far a network is from the label of each position.
#[derive(Clone, Debug)]
pub struct Objective {
    model: Model,
    /// The loss of an output.
    pub loss: Loss,
}

impl Objective {
    /// That of a configuration in its first step.
    pub fn new(config: &Config) -> Objective {
        Objective { model: Model::new(&config.network.shape()), loss: Loss::new(config, 0.0) }
    }

    /// Fills a group with positions.
    pub fn group(&self, samples: &[PackedPosition], into: &mut Group) {
        into.clear(self.model.graph.firsts.len());
        samples.iter().for_each(|sample| self.model.add(sample, into));
        into.targets.extend(samples.iter().map(|sample| self.loss.target(sample)));
        into.loss = self.loss;
    }

    /// Adds the gradient of the loss of positions to a worker's; returns the loss, the sum of theirs.
    pub fn learn(&self, weights: &[f32], samples: &[PackedPosition], worker: &mut Worker) -> f64 {
        let Worker { group, work, gradient } = worker;
        self.group(samples, group);
        Pass { model: &self.model, weights, group, work, gradient }.run()
    }
}

/// The memory of a worker thread.
#[derive(Default)]
pub struct Worker {
    group: Group,
    work: Workspace,
    /// The gradient so far.
    pub gradient: Aligned,
}

/// A pool of workers that share a batch.
pub struct WorkerPool {
    objective: Objective,
    workers: Vec<Worker>,
    /// The weights that the workers read.
    weights: Aligned,
}

impl WorkerPool {
    /// A pool of `jobs` workers.
    pub fn new(objective: Objective, jobs: usize) -> WorkerPool {
        let workers = (0..jobs.max(1)).map(|_| Worker::default()).collect();
        WorkerPool { objective, workers, weights: Aligned::default() }
    }

    /// The loss of the steps that follow.
    pub fn set_loss(&mut self, loss: Loss) {
        self.objective.loss = loss;
    }

    /// The loss now.
    pub fn loss_of_step(&self) -> Loss {
        self.objective.loss
    }

    /// The loss of a batch (the sum over its positions), and its gradient.
    pub fn gradient(&mut self, weights: &[f32], batch: &[PackedPosition]) -> (f64, &[f32]) {
        let objective = &self.objective;
        // Parts of whole groups, so that each thread but the last has the same work.
        let part = batch.len().div_ceil(self.workers.len()).next_multiple_of(GROUP);
        self.weights.set(weights);
        let weights = &*self.weights;
        let losses: Vec<f64> = each(&mut self.workers, batch.len(), part, |worker, numbers| {
            worker.gradient.resize(weights.len());
            worker.gradient.fill(0.0);
            let groups = batch[numbers].chunks(GROUP);
            groups.map(|samples| objective.learn(weights, samples, worker)).sum()
        });
        let used = batch.len().div_ceil(part).max(1);
        let (first, others) = self.workers.split_at_mut(1);
        let total = &mut first[0].gradient;
        total.resize(weights.len());
        for other in &others[..used - 1] {
            for (sum, derivative) in total.iter_mut().zip(other.gradient.iter()) {
                *sum += derivative;
            }
        }
        (losses.into_iter().sum(), total)
    }

    /// The mean loss of positions.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn loss(&mut self, weights: &[f32], samples: &PositionSet) -> Result<f64, DataError> {
        let objective = &self.objective;
        self.weights.set(weights);
        let weights = &*self.weights;
        let part = samples.len().div_ceil(self.workers.len()).next_multiple_of(GROUP);
        let losses = each(&mut self.workers, samples.len(), part, |worker, numbers| {
            let mut loss = 0.0;
            let read = samples.each_block(numbers, &mut |samples| {
                for samples in samples.chunks(GROUP) {
                    objective.group(samples, &mut worker.group);
                    let Worker { group, work, .. } = worker;
                    let outputs = gradient::outputs(&objective.model, weights, group, work);
                    for (&output, sample) in outputs.iter().zip(samples) {
                        let target = objective.loss.target(sample);
                        loss += f64::from(objective.loss.of(output, target).0);
                    }
                }
                Ok(())
            });
            read.map(|()| loss)
        });
        let sum: f64 = losses.into_iter().sum::<Result<f64, DataError>>()?;
        Ok(sum / samples.len().max(1) as f64)
    }
}

/// Runs each worker on its part of `count` positions, in threads if there are several; returns the results
/// in order.
fn each<T: Send>(
    workers: &mut [Worker],
    count: usize,
    part: usize,
    work: impl Fn(&mut Worker, Range<usize>) -> T + Sync,
) -> Vec<T> {
    if workers.len() == 1 {
        return vec![work(&mut workers[0], 0..count)];
    }
    let part = part.max(1);
    let work = &work;
    thread::scope(|scope| {
        let parts = workers.iter_mut().zip((0..count).step_by(part));
        let threads: Vec<_> = parts
            .map(|(worker, first)| {
                scope.spawn(move || work(worker, first..(first + part).min(count)))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
