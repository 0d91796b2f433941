//! The training loop: steps, epochs, the best weights so far.

use std::sync::Arc;

use engine::eval::nnue::Shape;
use rand::seq::SliceRandom;
use serde::Serialize;

use super::batch::{Objective, WorkerPool};
use super::config::{Config, Learning};
use super::network;
use super::optimiser::{AdamW, ParameterGroup};
use super::packed::PackedPosition;
use harness_stats::random;

/// Positions that stay neighbours: the training set is shuffled as a whole when it is read, and in
/// runs before each epoch, so that memory is read in order.
const RUN: usize = 32;

/// An epoch: a pass over the training set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// From 1.
    pub number: u32,
    /// Training loss: the mean squared error of the expected score, each position before its step.
    pub train: f64,
    /// Validation loss, after the epoch.
    pub validation: f64,
    /// Learning rate of its last step.
    pub rate: f64,
}

/// The state of a training; what a checkpoint holds.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The weights.
    pub weights: Vec<f32>,
    /// The optimiser.
    pub adam: AdamW,
    /// Steps taken in this epoch.
    pub step: u64,
    /// Sum of the losses in this epoch.
    pub errors: f64,
    /// Finished epochs.
    pub epochs: Vec<Epoch>,
    /// The weights after the epoch of the least validation loss.
    pub best: Vec<f32>,
}

impl State {
    /// Initial weights.
    pub fn new(shape: &Shape, seed: u64) -> State {
        State::of(network::start(shape, seed))
    }

    /// Starts from these weights.
    pub fn of(weights: Vec<f32>) -> State {
        State {
            adam: AdamW::new(weights.len()),
            best: weights.clone(),
            weights,
            step: 0,
            errors: 0.0,
            epochs: Vec::new(),
        }
    }

    /// The epoch of the least validation loss.
    pub fn best_epoch(&self) -> Option<Epoch> {
        self.epochs.iter().copied().min_by(|a, b| a.validation.total_cmp(&b.validation))
    }
}

/// A training.
pub struct Trainer {
    learning: Learning,
    train: Arc<[PackedPosition]>,
    validation: Arc<[PackedPosition]>,
    pool: WorkerPool,
    state: State,
    /// The order of the runs in this epoch.
    order: Vec<u32>,
    batch: Vec<PackedPosition>,
    parts: Vec<ParameterGroup>,
}

impl Trainer {
    /// Continues from a state with a training set and a validation set.
    pub fn new(
        config: &Config,
        train: Arc<[PackedPosition]>,
        validation: Arc<[PackedPosition]>,
        state: State,
    ) -> Trainer {
        let objective = Objective::new(config);
        let mut trainer = Trainer {
            learning: config.learning,
            train,
            validation,
            pool: WorkerPool::new(objective, config.learning.jobs),
            state,
            order: Vec::new(),
            batch: Vec::with_capacity(config.learning.batch),
            parts: network::parts(&config.network.shape(), &config.freeze),
        };
        trainer.shuffle();
        trainer
    }

    /// Its state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The validation loss of the current weights.
    pub fn validation_loss(&mut self) -> f64 {
        self.pool.loss(&self.state.weights, &self.validation)
    }

    /// Whether all epochs are done.
    pub fn is_finished(&self) -> bool {
        self.state.epochs.len() >= self.learning.epochs as usize
    }

    /// Steps of an epoch.
    pub fn steps(&self) -> u64 {
        (self.order.len() * RUN).div_ceil(self.learning.batch) as u64
    }

    /// Takes a step; returns the epoch if it was its last one.
    pub fn step(&mut self) -> Option<Epoch> {
        let first = self.state.step as usize * self.learning.batch;
        let last = (first + self.learning.batch).min(self.order.len() * RUN);
        self.batch.clear();
        for number in first..last {
            let run = self.order[number / RUN] as usize;
            self.batch.push(self.train[run * RUN + number % RUN]);
        }
        let rate = self.rate();
        let (errors, gradient) = self.pool.gradient(&self.state.weights, &self.batch);
        self.state.adam.step(
            &mut self.state.weights,
            gradient,
            1.0 / self.batch.len() as f32,
            rate as f32,
            self.learning.weight_decay as f32,
            &self.parts,
        );
        self.state.errors += errors;
        self.state.step += 1;
        (self.state.step >= self.steps()).then(|| self.end_epoch(rate))
    }

    fn end_epoch(&mut self, rate: f64) -> Epoch {
        let epoch = Epoch {
            number: self.state.epochs.len() as u32 + 1,
            train: self.state.errors / (self.order.len() * RUN) as f64,
            validation: self.validation_loss(),
            rate,
        };
        if self.state.best_epoch().is_none_or(|best| epoch.validation < best.validation) {
            self.state.best.clone_from(&self.state.weights);
        }
        self.state.epochs.push(epoch);
        self.state.step = 0;
        self.state.errors = 0.0;
        self.shuffle();
        epoch
    }

    /// The learning rate of the next step: half a cosine from the first to the last.
    fn rate(&self) -> f64 {
        let Learning { learning_rate, final_rate, epochs, .. } = self.learning;
        let all = (u64::from(epochs) * self.steps()).max(2) - 1;
        let done = self.state.epochs.len() as u64 * self.steps() + self.state.step;
        let share = done as f64 / all as f64;
        final_rate
            + (learning_rate - final_rate) * (1.0 + (std::f64::consts::PI * share).cos()) / 2.0
    }

    /// Shuffles the runs: the order follows from the seed and the number of the epoch.
    fn shuffle(&mut self) {
        let epoch = self.state.epochs.len() as u64;
        self.order.clear();
        self.order.extend(0..(self.train.len() / RUN) as u32);
        self.order.shuffle(&mut random::stream("training order", self.learning.seed, epoch));
    }
}
