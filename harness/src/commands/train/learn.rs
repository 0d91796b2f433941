//! A network learns from positions in memory.

use std::path::Path;
use std::time::{Duration, Instant};

use engine::eval::nnue::{Network, NetworkError, Shape};
use engine::eval::{EvalFile, Loaded};
use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

use super::super::learning::Positions;
use crate::context::Context;
use crate::failure::{Failure, OrFail};
use crate::report::Progress;
use crate::training::checkpoint::{self, Key};
use crate::training::config::{Config, NetworkConfig};
use crate::training::data::Data;
use crate::training::network::{self, Rounding};
use crate::training::reference::material_loss;
use crate::training::step::Teacher;
use crate::training::trainer::{Epoch, State, Trainer};

/// The engine does not take what was learnt.
#[derive(Debug, Error, Diagnostic)]
#[error("the engine does not take the network: {0}")]
#[diagnostic(help("its checkpoint is kept; this should not happen"))]
struct Refused(NetworkError);

/// A network that a training cannot begin with.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot start from {start}: {reason}")]
#[diagnostic(help("`start` is embedded, or the file of a network with the sizes of `network`"))]
struct StartError {
    start: String,
    reason: String,
}

/// What came of a training.
#[derive(Serialize)]
pub struct Learnt {
    /// Its kind and sizes.
    pub network: String,
    /// Its weights and biases.
    pub parameters: usize,
    /// What it learnt from.
    pub positions: Positions,
    /// Mean squared error of the expected result.
    pub loss: Loss,
    /// The pass that is the best one.
    pub epoch: u32,
    /// All passes.
    pub epochs: Vec<Epoch>,
    /// How far the integers are from what was learnt.
    pub rounding: Rounding,
    /// Learnt from, in this process, by the clock.
    pub positions_per_second: f64,
    /// The same by the processor time that was used.
    pub positions_per_cpu_second: f64,
}

/// Mean squared errors of the expected result.
#[derive(Serialize)]
pub struct Loss {
    /// Over the positions learnt from.
    pub train: f64,
    /// Over those that judge.
    pub validation: f64,
    /// What is reached over the latter by counting pieces.
    pub material: f64,
}

/// A network of random weights.
///
/// # Errors
/// When the engine has no network of such sizes.
pub fn untrained(config: &NetworkConfig, seed: u64) -> Result<Network, NetworkError> {
    let shape = config.shape();
    let state = State::new(&shape, seed);
    network::quantised(&shape, &state.weights, &[])
}

/// Trains a network from these positions; goes on from the checkpoint if it is to `resume`.
///
/// # Errors
/// When there are too few positions, the checkpoint is of another training or cannot be written,
/// or the user interrupts.
pub fn learn_from(
    config: &Config,
    data: Data,
    checkpoint: &Path,
    resume: bool,
    context: &Context,
) -> Result<(Network, Learnt), Failure> {
    let counts = data.counts.clone();
    let counted = Positions { train: data.train.len(), validation: data.validation.len(), counts };
    counted.check().or_usage()?;
    let key = Key::new(config, data.fingerprint());
    let shape = config.network.shape();
    let state = if resume {
        checkpoint::read(checkpoint, key, shape.parameters()).or_usage()?
    } else {
        begin(config)?
    };
    let Data { train, validation, positions, .. } = data;
    let material = material_loss(&Teacher::new(config), &validation);
    let mut trainer = Trainer::new(config, train.into(), validation.into(), state);
    let speed = learn(&mut trainer, config, checkpoint, key, context)?;

    let state = trainer.state();
    // What is frozen stays as it is, to the last bit of its biases.
    let output_learns = network::parts(&shape, &config.freeze).last().is_none_or(|it| !it.frozen);
    let balanced_on = if output_learns { &positions[..] } else { &[] };
    let network = network::quantised(&shape, &state.best, balanced_on);
    let network = network.map_err(Refused).or_failed()?;
    let rounding = network::rounding(&network, &state.best, &positions);
    let rounding = rounding.map_err(Refused).or_failed()?;
    let best = state.best_epoch().expect("a training has at least one pass");
    let learnt = Learnt {
        network: shape.to_string(),
        parameters: shape.parameters(),
        positions: counted,
        loss: Loss { train: best.train, validation: best.validation, material },
        epoch: best.number,
        epochs: state.epochs.clone(),
        rounding,
        positions_per_second: speed.by_clock,
        positions_per_cpu_second: speed.by_processor,
    };
    Ok((network, learnt))
}

/// What a training begins with: random weights, or those of a network.
fn begin(config: &Config) -> Result<State, Failure> {
    let wanted = config.network.shape();
    let Some(start) = &config.start else {
        return Ok(State::new(&wanted, config.learning.seed));
    };
    let refuse = |reason| StartError { start: start.clone(), reason };
    let Ok(file) = start.parse::<EvalFile>();
    let loaded = file.load().map_err(|error| refuse(error.to_string())).or_usage()?;
    let Some(Loaded { network, .. }) = loaded else {
        return Err(refuse("it is no network".to_owned())).or_usage();
    };
    if let Some(difference) = difference(network.shape(), &wanted) {
        return Err(refuse(difference)).or_usage();
    }
    Ok(State::of(network::weights_of(&network)))
}

/// In what a network is another one than wanted.
fn difference(found: &Shape, wanted: &Shape) -> Option<String> {
    if found == wanted {
        return None;
    }
    let mut difference = format!("it is {found}, and {wanted} is asked for");
    if found.name() == wanted.name() {
        let sizes = found.sizes().zip(wanted.sizes());
        for ((size, found), (_, wanted)) in sizes.filter(|(found, wanted)| found.1 != wanted.1) {
            difference += &format!("; its `{}` is {found} and not {wanted}", size.name);
        }
    }
    Some(difference)
}

/// Positions a second.
struct Speed {
    by_clock: f64,
    by_processor: f64,
}

fn learn(
    trainer: &mut Trainer,
    config: &Config,
    checkpoint: &Path,
    key: Key,
    context: &Context,
) -> Result<Speed, Failure> {
    let epochs = config.learning.epochs;
    let (steps, batch) = (trainer.steps(), config.learning.batch as u64);
    let done =
        |trainer: &Trainer| trainer.state().epochs.len() as u64 * steps + trainer.state().step;
    let before = done(trainer);
    let mut progress = Progress::start(Some(u64::from(epochs) * steps), before, context.quiet);
    let (begun, processor) = (Instant::now(), processor_time());
    while !trainer.is_finished() {
        let pass = trainer.step();
        if pass.is_some() || context.interrupt.is_set() {
            checkpoint::write(checkpoint, key, trainer.state()).or_failed()?;
        }
        if context.interrupt.is_set() && !trainer.is_finished() {
            let go_on = format!("{} is kept: `--resume` goes on", checkpoint.display());
            return Err(Failure::Interrupted(go_on));
        }
        progress.show(done(trainer), |_| {
            let pass = (trainer.state().epochs.len() as u32 + 1).min(epochs);
            let mut text = format!("pass {pass}/{epochs}");
            if let Some(Epoch { train, validation, .. }) = trainer.state().epochs.last() {
                text += &format!("  learnt from {train:.6}  judging {validation:.6}");
            }
            text
        });
    }
    let positions = ((done(trainer) - before) * batch) as f64;
    let per = |time: Duration| positions / time.as_secs_f64().max(1e-9);
    Ok(Speed {
        by_clock: per(begun.elapsed()),
        by_processor: per(processor_time().saturating_sub(processor)),
    })
}

/// Time that the processors have worked for this process.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
