//! The training loop: steps, epochs, the best weights so far.

use std::ops::Range;

use engine::eval::nnue::Shape;
use serde::Serialize;

use super::batch::{Objective, WorkerPool};
use super::config::Config;
use super::factoriser::Factoriser;
use super::loss::Loss;
use super::network;
use super::optimiser::{AdamW, ParameterGroup};
use super::packed::{PackedPosition, SIZE};
use super::positions::PositionSet;
use super::schedule::Schedule;
use harness_data::DataError;
use harness_data::bulk::{RowFile, RowWriter, Shuffle, Workspace};
use harness_stats::random;

/// Positions that stay neighbours: the training set is shuffled as a whole when it is read, and in
/// runs before each epoch, so that the disk is read a kibibyte at a time.
const RUN: usize = 32;

/// Bytes of the number of a run.
const NUMBER: usize = 4;

/// An epoch: a pass over the training set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epoch {
    /// From 1.
    pub number: u32,
    /// Training loss: the mean over the positions, each before its step.
    pub train: f64,
    /// Validation loss, after the epoch.
    pub validation: f64,
    /// The same by the scores of the positions alone, without results and later scores.
    pub scores: f64,
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
    /// The weights after the best epoch.
    pub best: Vec<f32>,
}

impl State {
    /// Initial weights.
    pub fn new(shape: &Shape, seed: u64) -> State {
        State::from_weights(network::start(shape, seed))
    }

    /// Starts from these weights.
    pub fn from_weights(weights: Vec<f32>) -> State {
        State {
            adam: AdamW::new(weights.len()),
            best: weights.clone(),
            weights,
            step: 0,
            errors: 0.0,
            epochs: Vec::new(),
        }
    }

    /// The best epoch: that of the least validation loss by scores alone. Results are few and learned by
    /// heart, which the loss of a label that they are part of does not show.
    pub fn best_epoch(&self) -> Option<Epoch> {
        self.epochs.iter().copied().min_by(|a, b| a.scores.total_cmp(&b.scores))
    }
}

/// A training.
pub struct Trainer<'a> {
    config: Config,
    schedule: Schedule,
    /// The shared part of king buckets, and the limit of the weights.
    factoriser: Option<(Factoriser, f32)>,
    /// The weights of the network, where they are sums.
    folded: Vec<f32>,
    /// The gradient with that of the shared part.
    extended: Vec<f32>,
    train: &'a PositionSet,
    validation: &'a PositionSet,
    pool: WorkerPool,
    state: State,
    workspace: Workspace<'a>,
    /// The order of the runs in this epoch.
    order: RowFile<NUMBER>,
    batch: Batch,
    parts: Vec<ParameterGroup>,
}

/// The positions of a step, and memory to read them.
#[derive(Default)]
struct Batch {
    positions: Vec<PackedPosition>,
    rows: Vec<[u8; SIZE]>,
    runs: Vec<[u8; NUMBER]>,
}

impl<'a> Trainer<'a> {
    /// Continues from a state with a training set and a validation set.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn new(
        config: &Config,
        train: &'a PositionSet,
        validation: &'a PositionSet,
        state: State,
        workspace: Workspace<'a>,
    ) -> Result<Trainer<'a>, DataError> {
        let objective = Objective::new(config);
        let shape = config.network.shape();
        let mut parts = network::parts(&shape, &config.freeze);
        let factoriser = factoriser(config).map(|factoriser| (factoriser, parts[0].limit));
        let state = match factoriser {
            Some((factoriser, _)) if state.weights.len() == shape.parameters() => {
                State::from_weights(factoriser.split(state.weights, config.start.is_none()))
            }
            _ => state,
        };
        parts.extend(factoriser.map(|(factoriser, limit)| ParameterGroup {
            end: factoriser.parameters(),
            limit,
            frozen: false,
        }));
        let order = order(train.len(), config.learning.seed, &state, workspace)?;
        let steps = (order.count() as usize * RUN).div_ceil(config.learning.batch) as u64;
        let (positions, weights) = (train.len(), shape.parameters());
        let warm = config.start.is_some();
        Ok(Trainer {
            schedule: Schedule::new(&config.learning, positions, weights, warm, steps),
            config: config.clone(),
            factoriser,
            folded: Vec::new(),
            extended: Vec::new(),
            train,
            validation,
            pool: WorkerPool::new(objective, config.learning.jobs),
            order,
            state,
            workspace,
            batch: Batch::default(),
            parts,
        })
    }

    /// Its epochs and rates.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The weights of the network after the best epoch.
    pub fn best_weights(&self) -> Vec<f32> {
        let mut weights = self.state.best.clone();
        if let Some((factoriser, limit)) = &self.factoriser {
            factoriser.fold(&self.state.best, *limit, &mut weights);
        }
        weights
    }

    /// Its state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The validation loss of the current weights.
    ///
    /// # Errors
    /// When the validation set cannot be read.
    pub fn validation_loss(&mut self) -> Result<f64, DataError> {
        let weights = self.fold();
        self.pool.loss(if weights { &self.folded } else { &self.state.weights }, self.validation)
    }

    /// The validation loss that chooses the epoch, by the weights of any network of this shape: by scores alone where
    /// there are scores.
    ///
    /// # Errors
    /// When the validation set cannot be read.
    pub fn deciding_loss(&mut self, weights: &[f32]) -> Result<f64, DataError> {
        if !self.scores_decide() {
            return self.pool.loss(weights, self.validation);
        }
        self.by_scores(|trainer| trainer.pool.loss(weights, trainer.validation))
    }

    /// A loss by scores alone.
    fn by_scores<T>(&mut self, loss: impl FnOnce(&mut Self) -> T) -> T {
        let of_step = self.pool.loss_of_step();
        self.pool.set_loss(of_step.of_scores());
        let by_scores = loss(self);
        self.pool.set_loss(of_step);
        by_scores
    }

    /// Whether labels have more parts than scores, which alone choose the epoch then. Without scores
    /// there are results alone.
    fn scores_decide(&self) -> bool {
        self.config.learning.scores_decide()
    }

    /// Computes the weights of the network where they are sums; whether they are.
    fn fold(&mut self) -> bool {
        if let Some((factoriser, limit)) = &self.factoriser {
            factoriser.fold(&self.state.weights, *limit, &mut self.folded);
        }
        self.factoriser.is_some()
    }

    /// Steps made.
    pub fn done(&self) -> u64 {
        self.state.epochs.len() as u64 * self.steps() + self.state.step
    }

    /// Whether all epochs are done.
    pub fn is_finished(&self) -> bool {
        self.state.epochs.len() >= self.schedule.epochs as usize
    }

    /// Positions of an epoch.
    fn positions(&self) -> usize {
        self.order.count() as usize * RUN
    }

    /// Steps of an epoch.
    pub fn steps(&self) -> u64 {
        self.schedule.steps
    }

    /// Takes a step; returns the epoch if it was its last one.
    ///
    /// # Errors
    /// When positions cannot be read, or the order of the next epoch cannot be written.
    pub fn step(&mut self) -> Result<Option<Epoch>, DataError> {
        self.read_batch()?;
        let rate = self.schedule.rate(self.done());
        self.pool.set_loss(Loss::new(&self.config, self.schedule.share(self.done())));
        let weights = if self.fold() { &self.folded } else { &self.state.weights };
        let batch = &self.batch.positions;
        let (errors, mut gradient) = self.pool.gradient(weights, batch);
        if let Some((factoriser, _)) = &self.factoriser {
            factoriser.extend_gradient(gradient, &mut self.extended);
            gradient = &self.extended;
        }
        self.state.adam.step(
            &mut self.state.weights,
            gradient,
            1.0 / batch.len() as f32,
            rate as f32,
            self.config.learning.weight_decay as f32,
            &self.parts,
        );
        self.state.errors += errors;
        self.state.step += 1;
        let is_last = self.state.step >= self.steps();
        is_last.then(|| self.end_epoch(rate)).transpose()
    }

    /// Reads the positions of a step, and announces those of the next one.
    fn read_batch(&mut self) -> Result<(), DataError> {
        let Batch { positions, rows, runs } = &mut self.batch;
        positions.clear();
        let count = self.order.count() as usize * RUN;
        let [now, next] = [0, 1].map(|later| {
            let batch = self.config.learning.batch;
            let first = (self.state.step + later) as usize * batch;
            first.min(count)..(first + batch).min(count)
        });
        each_run(&self.order, now, runs, &mut |run| self.train.read(run, rows, positions))?;
        each_run(&self.order, next, runs, &mut |run| {
            self.train.read_ahead(run);
            Ok(())
        })
    }

    fn end_epoch(&mut self, rate: f64) -> Result<Epoch, DataError> {
        let validation = self.validation_loss()?;
        let scores = match self.scores_decide() {
            true => self.by_scores(Self::validation_loss)?,
            false => validation,
        };
        let epoch = Epoch {
            number: self.state.epochs.len() as u32 + 1,
            train: self.state.errors / self.positions() as f64,
            validation,
            scores,
            rate,
        };
        if self.state.best_epoch().is_none_or(|best| epoch.scores < best.scores) {
            self.state.best.clone_from(&self.state.weights);
        }
        self.state.epochs.push(epoch);
        self.state.step = 0;
        self.state.errors = 0.0;
        let seed = self.config.learning.seed;
        self.order = order(self.train.len(), seed, &self.state, self.workspace)?;
        Ok(epoch)
    }
}

/// The shared part of king buckets, unless the configuration has none or their weights stay as they are.
fn factoriser(config: &Config) -> Option<Factoriser> {
    let shape = config.network.shape();
    let first = shape.layers().first().map(|layer| layer.name);
    let frozen = config.freeze.iter().any(|name| Some(name.as_str()) == first);
    Factoriser::of(&shape).filter(|_| config.learning.factoriser && !frozen)
}

/// The number of parameters in training: of the network, and the shared part of its king buckets.
pub fn parameters(config: &Config) -> usize {
    let network = config.network.shape().parameters();
    factoriser(config).map_or(network, |factoriser| factoriser.parameters())
}

/// The runs of an epoch in random order, which follows from the seed and the number of the epoch.
fn order(
    positions: usize,
    seed: u64,
    state: &State,
    workspace: Workspace<'_>,
) -> Result<RowFile<NUMBER>, DataError> {
    let runs = (positions / RUN) as u32;
    let random = random::stream("training order", seed, state.epochs.len() as u64);
    let mut shuffle = Shuffle::new(runs.into(), random, workspace)?;
    (0..runs).try_for_each(|run| shuffle.push(&run.to_le_bytes()))?;
    let mut order = RowWriter::create(workspace.folder)?;
    shuffle.finish(&mut |run| order.push(run))?;
    order.finish()
}

/// Passes the numbers of positions to `take`, run by run, of the places in an epoch's order; `runs` is
/// memory for that.
fn each_run(
    order: &RowFile<NUMBER>,
    places: Range<usize>,
    runs: &mut Vec<[u8; NUMBER]>,
    take: &mut dyn FnMut(Range<usize>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let Range { start, end } = places;
    let first = start / RUN;
    runs.resize(end.div_ceil(RUN).max(first) - first, [0; NUMBER]);
    order.read(first as u64, runs)?;
    for (at, run) in (first..).zip(runs) {
        // A step may begin or end within a run.
        let part = start.max(at * RUN)..end.min((at + 1) * RUN);
        let offset = u32::from_le_bytes(*run) as usize * RUN;
        take(offset + part.start - at * RUN..offset + part.end - at * RUN)?;
    }
    Ok(())
}
