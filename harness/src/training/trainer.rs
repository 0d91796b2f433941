//! The way through the data: steps, passes, what is best so far.

use std::sync::Arc;

use engine::eval::nnue::Shape;
use rand::seq::SliceRandom;
use serde::Serialize;

use super::config::{Config, Learning};
use super::network;
use super::optimiser::{AdamW, Part};
use super::sample::Sample;
use super::step::{Teacher, Team};
use crate::random;

/// Positions that stay neighbours: the data are shuffled as a whole when they are read, and by so
/// many before each pass, so that memory is read in order.
const RUN: usize = 32;

/// A pass over the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// From 1.
    pub number: u32,
    /// Mean squared error of the expected result, over the positions learnt from, each as it was
    /// when it was learnt from.
    pub train: f64,
    /// The same over those that judge, after the pass.
    pub validation: f64,
    /// The size of its last step.
    pub rate: f64,
}

/// Everything that changes while a network learns; what a checkpoint holds.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The weights.
    pub weights: Vec<f32>,
    /// The optimiser's.
    pub adam: AdamW,
    /// Steps made in the present pass.
    pub step: u64,
    /// Sum of the errors in the present pass.
    pub errors: f64,
    /// The passes that are finished.
    pub epochs: Vec<Epoch>,
    /// The weights after the pass with the least error of those that judge.
    pub best: Vec<f32>,
}

impl State {
    /// Of a network that has learnt nothing.
    pub fn new(shape: &Shape, seed: u64) -> State {
        State::of(network::start(shape, seed))
    }

    /// Of these weights.
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

    /// The pass with the least error of those that judge.
    pub fn best_epoch(&self) -> Option<Epoch> {
        self.epochs.iter().copied().min_by(|a, b| a.validation.total_cmp(&b.validation))
    }
}

/// A network that learns.
pub struct Trainer {
    learning: Learning,
    train: Arc<[Sample]>,
    validation: Arc<[Sample]>,
    team: Team,
    state: State,
    /// The order of the runs of the present pass.
    order: Vec<u32>,
    batch: Vec<Sample>,
    parts: Vec<Part>,
}

impl Trainer {
    /// Goes on from a state with these positions to learn from and to judge by.
    pub fn new(
        config: &Config,
        train: Arc<[Sample]>,
        validation: Arc<[Sample]>,
        state: State,
    ) -> Trainer {
        let teacher = Teacher::new(config);
        let mut trainer = Trainer {
            learning: config.learning,
            train,
            validation,
            team: Team::new(teacher, config.learning.jobs),
            state,
            order: Vec::new(),
            batch: Vec::with_capacity(config.learning.batch),
            parts: network::parts(&config.network.shape(), &config.freeze),
        };
        trainer.put_in_order();
        trainer
    }

    /// What it has learnt.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The mean squared error of those that judge, with the present weights.
    pub fn judge(&mut self) -> f64 {
        self.team.loss(&self.state.weights, &self.validation)
    }

    /// Whether all passes are done.
    pub fn is_finished(&self) -> bool {
        self.state.epochs.len() >= self.learning.epochs as usize
    }

    /// Steps of a pass.
    pub fn steps(&self) -> u64 {
        (self.order.len() * RUN).div_ceil(self.learning.batch) as u64
    }

    /// Makes one step; the pass, when it was the last one of it.
    pub fn step(&mut self) -> Option<Epoch> {
        let first = self.state.step as usize * self.learning.batch;
        let last = (first + self.learning.batch).min(self.order.len() * RUN);
        self.batch.clear();
        for number in first..last {
            let run = self.order[number / RUN] as usize;
            self.batch.push(self.train[run * RUN + number % RUN]);
        }
        let rate = self.rate();
        let (errors, gradient) = self.team.slopes(&self.state.weights, &self.batch);
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
        (self.state.step >= self.steps()).then(|| self.end_pass(rate))
    }

    fn end_pass(&mut self, rate: f64) -> Epoch {
        let epoch = Epoch {
            number: self.state.epochs.len() as u32 + 1,
            train: self.state.errors / (self.order.len() * RUN) as f64,
            validation: self.judge(),
            rate,
        };
        if self.state.best_epoch().is_none_or(|best| epoch.validation < best.validation) {
            self.state.best.clone_from(&self.state.weights);
        }
        self.state.epochs.push(epoch);
        self.state.step = 0;
        self.state.errors = 0.0;
        self.put_in_order();
        epoch
    }

    /// The size of the next step: half a cosine from the first to the last.
    fn rate(&self) -> f64 {
        let Learning { learning_rate, final_rate, epochs, .. } = self.learning;
        let all = (u64::from(epochs) * self.steps()).max(2) - 1;
        let done = self.state.epochs.len() as u64 * self.steps() + self.state.step;
        let share = done as f64 / all as f64;
        final_rate
            + (learning_rate - final_rate) * (1.0 + (std::f64::consts::PI * share).cos()) / 2.0
    }

    /// The order of a pass follows from the seed and its number, so that it need not be kept.
    fn put_in_order(&mut self) {
        let pass = self.state.epochs.len() as u64;
        self.order.clear();
        self.order.extend(0..(self.train.len() / RUN) as u32);
        self.order.shuffle(&mut random::stream("training order", self.learning.seed, pass));
    }
}
