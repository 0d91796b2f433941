//! One step of learning: the slopes of a batch, by one thread or several.

use std::thread;

use super::aligned::Aligned;
use super::config::Config;
use super::gradient::{self, GROUP, Group, Workspace};
use super::model::Model;
use super::sample::Sample;

/// What a position is to be worth, as an expected result, and how it is seen.
#[derive(Clone, Debug)]
pub struct Teacher {
    model: Model,
    scale: f32,
    blend: f32,
}

impl Teacher {
    /// The one that a configuration asks for.
    pub fn new(config: &Config) -> Teacher {
        let shape = config.network.shape();
        Teacher {
            model: Model::new(&shape),
            scale: shape.scale() as f32,
            blend: config.learning.blend as f32,
        }
    }

    /// The expected result, 0 to 1, that the side to move is to have.
    pub fn target(&self, sample: &Sample) -> f32 {
        let expected = 1.0 / (1.0 + (-f32::from(sample.score) / self.scale).exp());
        self.blend * expected + (1.0 - self.blend) * f32::from(sample.result) / 2.0
    }

    /// Makes a group of these positions.
    pub fn group(&self, samples: &[Sample], into: &mut Group) {
        into.clear(&self.model);
        samples.iter().for_each(|sample| self.model.add(sample, into));
        into.targets.extend(samples.iter().map(|sample| self.target(sample)));
    }

    /// Adds the slopes of a group's squared errors to `gradient`, and gives the sum of the errors.
    pub fn learn(
        &self,
        weights: &[f32],
        group: &Group,
        work: &mut Workspace,
        gradient: &mut [f32],
    ) -> f64 {
        gradient::learn(&self.model, weights, group, work, gradient)
    }
}

/// What a thread needs to work.
#[derive(Default)]
struct Worker {
    group: Group,
    work: Workspace,
    gradient: Aligned,
}

/// Threads that work on one batch together.
pub struct Team {
    teacher: Teacher,
    workers: Vec<Worker>,
    /// Those that the workers read.
    weights: Aligned,
}

impl Team {
    /// So many threads.
    pub fn new(teacher: Teacher, jobs: usize) -> Team {
        let workers = (0..jobs.max(1)).map(|_| Worker::default()).collect();
        Team { teacher, workers, weights: Aligned::default() }
    }

    /// The slopes of the sum of the squared errors of a batch, and that sum.
    pub fn slopes(&mut self, weights: &[f32], batch: &[Sample]) -> (f64, &[f32]) {
        let teacher = &self.teacher;
        // Parts of whole groups, so that each thread but the last has the same work.
        let part = batch.len().div_ceil(self.workers.len()).next_multiple_of(GROUP);
        self.weights.set(weights);
        let weights = &*self.weights;
        let losses = each(&mut self.workers, batch, part, |worker, samples| {
            worker.gradient.resize(weights.len());
            worker.gradient.fill(0.0);
            let mut loss = 0.0;
            for samples in samples.chunks(GROUP) {
                teacher.group(samples, &mut worker.group);
                let Worker { group, work, gradient } = worker;
                loss += teacher.learn(weights, group, work, gradient);
            }
            loss
        });
        let used = batch.len().div_ceil(part).max(1);
        let (first, others) = self.workers.split_at_mut(1);
        let total = &mut first[0].gradient;
        total.resize(weights.len());
        for other in &others[..used - 1] {
            for (sum, slope) in total.iter_mut().zip(other.gradient.iter()) {
                *sum += slope;
            }
        }
        (losses.into_iter().sum(), total)
    }

    /// The mean squared error over some positions.
    pub fn loss(&mut self, weights: &[f32], samples: &[Sample]) -> f64 {
        let teacher = &self.teacher;
        self.weights.set(weights);
        let weights = &*self.weights;
        let part = samples.len().div_ceil(self.workers.len()).next_multiple_of(GROUP);
        let losses = each(&mut self.workers, samples, part, |worker, samples| {
            let mut loss = 0.0;
            for samples in samples.chunks(GROUP) {
                teacher.group(samples, &mut worker.group);
                let Worker { group, work, .. } = worker;
                let outputs = gradient::outputs(&teacher.model, weights, group, work);
                for (&output, sample) in outputs.iter().zip(samples) {
                    loss += f64::from(gradient::error(output, teacher.target(sample)).0);
                }
            }
            loss
        });
        losses.into_iter().sum::<f64>() / samples.len().max(1) as f64
    }
}

/// Gives each worker its part, in threads when there are several; what they give is in order.
fn each(
    workers: &mut [Worker],
    samples: &[Sample],
    part: usize,
    work: impl Fn(&mut Worker, &[Sample]) -> f64 + Sync,
) -> Vec<f64> {
    if workers.len() == 1 {
        return vec![work(&mut workers[0], samples)];
    }
    thread::scope(|scope| {
        let parts = workers.iter_mut().zip(samples.chunks(part.max(1)));
        let threads: Vec<_> =
            parts.map(|(worker, samples)| scope.spawn(|| work(worker, samples))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
