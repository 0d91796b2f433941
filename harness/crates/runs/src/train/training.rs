//! Training a network on positions on disk.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::eval::nnue::{Network, NetworkError, Shape};
use engine::eval::{EvalFile, Loaded};
use miette::{Diagnostic, Report};
use serde::Serialize;
use thiserror::Error;

use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::platform::processor_time;
use harness_data::DataError;
use harness_data::bulk::Workspace;
use harness_data::dataset::Positions;
use harness_training::baseline::material_loss;
use harness_training::batch::Objective;
use harness_training::checkpoint::{self, Key};
use harness_training::config::{Config, NetworkConfig};
use harness_training::data::{Data, MEMORY};
use harness_training::network::{self, Rounding};
use harness_training::scale::fitted_scale;
use harness_training::schedule::Schedule;
use harness_training::trainer::{self, Epoch, State, Trainer};
use harness_training::widen::widened;

/// The engine refuses the trained network.
#[derive(Debug, Error, Diagnostic)]
#[error("the engine does not take the network: {0}")]
#[diagnostic(help("its checkpoint is kept; this should not happen"))]
struct Refused(NetworkError);

/// A network from which training cannot start.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot start from {start}: {reason}")]
#[diagnostic(help(
    "`start` is embedded, or the file of a network with the sizes of `network`; without `freeze` also \
     one with a smaller `hidden`, with 1 of `buckets`, or a `perspective` for `king-buckets`"
))]
struct StartError {
    start: String,
    reason: String,
}

/// The positions of a training cannot be kept on disk or read back.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot keep the positions of the training in {}: {source}", folder.display())]
#[diagnostic(help(
    "about 80 bytes a position are needed there for a while, and 32 to the end; the folder is that of \
     the network"
))]
pub struct NoRoom {
    folder: PathBuf,
    source: io::Error,
}

/// The failure of a training whose positions are in a folder.
pub fn data_failure(folder: &Path) -> impl Fn(DataError) -> Failure {
    |error| match error {
        DataError::Disk(source) => {
            Failure::Failed(Report::new(NoRoom { folder: folder.to_owned(), source }))
        }
        error => error.into(),
    }
}

/// The folder of a path.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(path);
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Something that happened in a training.
pub enum Event<'a> {
    /// The data are read.
    Reading {
        /// Bytes read.
        done: u64,
        /// Bytes of all files.
        bytes: u64,
    },
    /// The training begins or continues.
    Started {
        /// Steps of an earlier process.
        done: u64,
        /// Steps of all epochs.
        steps: u64,
    },
    /// The optimiser made a step.
    Step {
        /// Steps made.
        done: u64,
        /// Finished epochs.
        epochs: &'a [Epoch],
        /// Number of epochs wanted.
        of: u32,
    },
}

/// Takes every event, one after the other.
pub type Sink<'a> = dyn Fn(&Event<'_>) + 'a;

/// Result of a training.
#[derive(Serialize)]
pub struct Trained {
    /// Architecture and sizes.
    pub network: String,
    /// Number of weights and biases.
    pub parameters: usize,
    /// Sizes of the training set and the validation set.
    pub positions: Positions,
    /// Mean loss.
    pub loss: Losses,
    /// The epoch with the smallest validation loss by scores alone.
    pub epoch: u32,
    /// Epochs and rates.
    pub schedule: Schedule,
    /// The centipawns of a logit that were fitted to the results of the training set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fitted_scale: Option<f64>,
    /// Slope of the outputs against those of the network that it started from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slope: Option<f64>,
    /// Remarks on the result, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// All epochs.
    pub epochs: Vec<Epoch>,
    /// Error of quantisation.
    pub rounding: Rounding,
    /// Training positions a second of wall time, in this process.
    pub positions_per_second: f64,
    /// The same a second of processor time.
    pub positions_per_cpu_second: f64,
}

/// A trained network and its files; the JSON object of `harness train --json`.
#[derive(Serialize)]
pub struct TrainOutcome {
    /// Its size and losses.
    #[serde(flatten)]
    pub trained: Trained,
    /// The network, this object and its page.
    #[serde(with = "harness_base::text::path")]
    pub files: Vec<PathBuf>,
}

/// Losses of the best epoch.
#[derive(Serialize)]
pub struct Losses {
    /// Training loss.
    pub train: f64,
    /// Validation loss.
    pub validation: f64,
    /// Validation loss by the positions' own scores alone; none where labels are results alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<f64>,
    /// Material baseline: the validation loss by piece values alone.
    pub material: f64,
    /// Validation loss of the network that the training started from, by scores alone, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
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

/// Trains a network on these positions; with `resume`, from the checkpoint on. The order of the positions
/// is kept in the checkpoint's folder.
///
/// # Errors
/// When there are too few positions, the checkpoint is of another training or cannot be written,
/// the positions cannot be read, or the user interrupts.
pub fn train(
    config: &Config,
    data: Data,
    checkpoint: &Path,
    resume: bool,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<(Network, Trained), Failure> {
    let folder = folder_of(checkpoint);
    let failure = data_failure(folder);
    let counts = data.counts.clone();
    let counted = Positions { train: data.train.len(), validation: data.validation.len(), counts };
    counted.check().or_usage()?;
    let key = Key::new(config, data.fingerprint().map_err(&failure)?);
    let shape = config.network.shape();
    let (begun, cut) = begin(config)?;
    let start = config.start.as_ref().map(|_| begun.weights.clone());
    let state = if resume {
        checkpoint::read(checkpoint, key, trainer::parameters(config)).or_usage()?
    } else {
        begun
    };
    let Data { train, validation, .. } = &data;
    let fits = config.learning.fits_scale();
    let fitted_scale = fits.then(|| fitted_scale(train)).transpose().map_err(&failure)?;
    let learning = fitted_scale.map_or(config.learning, |it| config.learning.with_fitted(it));
    let config = &Config { learning, ..config.clone() };
    let material = material_loss(&Objective::new(config), validation, folder).map_err(&failure)?;
    let workspace = Workspace { memory: MEMORY, folder };
    let trainer = Trainer::new(config, train, validation, state, workspace);
    let mut trainer = trainer.map_err(&failure)?;
    let [positions_per_second, positions_per_cpu_second] =
        steps(&mut trainer, config, checkpoint, key, session, sink)?;

    let start_loss = start.as_ref().map(|start| trainer.deciding_loss(start)).transpose();
    let start_loss = start_loss.map_err(&failure)?;
    let state = trainer.state();
    // A frozen layer keeps its biases, too, to the last bit.
    let output_learns = network::parts(&shape, &config.freeze).last().is_none_or(|it| !it.frozen);
    let positions = data.compared().map_err(&failure)?;
    let balanced_on = if output_learns { &positions[..] } else { &[] };
    let mut weights = trainer.best_weights();
    let slope = start.map(|start| network::slope(&shape, &start, &weights, &positions));
    if let Some(slope) = slope.filter(|_| config.learning.normalise && output_learns) {
        network::divide_output(&shape, &mut weights, slope);
    }
    let network = network::quantised(&shape, &weights, balanced_on);
    let network = network.map_err(Refused).or_failed()?;
    let rounding = network::rounding(&network, &weights, &positions);
    let rounding = rounding.map_err(Refused).or_failed()?;
    let best = state.best_epoch().expect("a training has at least one epoch");
    let schedule = *trainer.schedule();
    let trained = Trained {
        network: shape.to_string(),
        parameters: shape.parameters(),
        positions: counted,
        loss: Losses {
            train: best.train,
            validation: best.validation,
            scores: (config.learning.blend.max() > 0.0).then_some(best.scores),
            material,
            start: start_loss,
        },
        epoch: best.number,
        schedule,
        fitted_scale,
        slope,
        notes: notes(
            &best,
            start_loss,
            &schedule,
            fitted_scale,
            slope,
            cut,
            config.learning.normalise,
        ),
        epochs: state.epochs.clone(),
        rounding,
        positions_per_second,
        positions_per_cpu_second,
    };
    Ok((network, trained))
}

/// Remarks on the result of a training.
fn notes(
    best: &Epoch,
    start_loss: Option<f64>,
    schedule: &Schedule,
    fitted_scale: Option<f64>,
    slope: Option<f64>,
    cut: usize,
    normalised: bool,
) -> Vec<String> {
    let mut notes = Vec::new();
    if cut > 0 {
        notes.push(format!(
            "warning: {cut} output weights of the start were cut to the engine's limit: the training began \
             from another function; a `scale` nearer to that of the start keeps it"
        ));
    }
    if let Some(start) = start_loss.filter(|&start| start <= best.scores) {
        notes.push(format!(
            "warning: by scores alone the network that the training started from is no worse on the validation set \
             ({start:.6}): {}",
            if best.scores == best.validation {
                "nothing was learned that holds for other games"
            } else {
                "with these labels it may still be stronger, which games show"
            }
        ));
    }
    if !schedule.is_among_the_last(best.number) {
        notes.push(format!(
            "warning: the best epoch is {} of {}: those after it learned the training set by heart; fewer epochs or \
             a smaller learning_rate fit these data better",
            best.number, schedule.epochs
        ));
    }
    if let Some(scale) = fitted_scale {
        notes.push(format!("scale fitted to the results of the training set: {scale:.0}"));
    }
    if let Some(slope) = slope {
        let ending = if normalised { ", divided out" } else { "" };
        notes.push(format!("slope of the outputs against those of the start: {slope:.3}{ending}"));
    }
    notes
}

/// The initial state: random weights, or those of a network of the same shape or a smaller one.
/// With the number of output weights that another scale cut to their limit.
fn begin(config: &Config) -> Result<(State, usize), Failure> {
    let wanted = config.network.shape();
    let Some(start) = &config.start else {
        return Ok((State::new(&wanted, config.learning.seed), 0));
    };
    let refuse = |reason| StartError { start: start.clone(), reason };
    let Ok(file) = start.parse::<EvalFile>();
    let loaded = file.load().map_err(|error| refuse(error.to_string())).or_usage()?;
    let Some(Loaded { network, .. }) = loaded else {
        return Err(refuse("it is no network".to_owned())).or_usage();
    };
    // Frozen layers keep trained weights: those of a larger network are partly untrained.
    let keeps = network.shape() == &wanted || config.freeze.is_empty();
    let weights = keeps.then(|| widened(&network, &wanted, config.learning.seed)).flatten();
    match weights {
        Some((weights, cut)) => Ok((State::from_weights(weights), cut)),
        None => Err(refuse(difference(network.shape(), &wanted))).or_usage(),
    }
}

/// How the shape of a network differs from the wanted one.
fn difference(found: &Shape, wanted: &Shape) -> String {
    let mut difference = format!("it is {found}, and {wanted} is asked for");
    if found.name() == wanted.name() {
        let sizes = found.sizes().zip(wanted.sizes());
        for ((size, found), (_, wanted)) in sizes.filter(|(found, wanted)| found.1 != wanted.1) {
            difference += &format!("; its `{}` is {found} and not {wanted}", size.name);
        }
    }
    difference
}

/// Makes the steps that are left; positions a second of wall time and of processor time.
fn steps(
    trainer: &mut Trainer<'_>,
    config: &Config,
    checkpoint: &Path,
    key: Key,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<[f64; 2], Failure> {
    let (epochs, batch) = (trainer.schedule().epochs, config.learning.batch as u64);
    let steps = trainer.steps();
    let done = |trainer: &Trainer<'_>| trainer.done();
    let before = done(trainer);
    sink(&Event::Started { done: before, steps: u64::from(epochs) * steps });
    let (begun, processor) = (Instant::now(), processor_time());
    while !trainer.is_finished() {
        let epoch = trainer.step().map_err(data_failure(folder_of(checkpoint)))?;
        let interrupted = session.interrupt.is_set();
        if epoch.is_some() || interrupted {
            checkpoint::write(checkpoint, key, trainer.state()).or_failed()?;
        }
        if interrupted && !trainer.is_finished() {
            let help = format!("{} is kept: `--resume` continues", checkpoint.display());
            return Err(Failure::Interrupted(help));
        }
        sink(&Event::Step { done: done(trainer), epochs: &trainer.state().epochs, of: epochs });
    }
    let positions = ((done(trainer) - before) * batch) as f64;
    let per = |time: Duration| positions / time.as_secs_f64().max(1e-9);
    Ok([begun.elapsed(), processor_time().saturating_sub(processor)].map(per))
}
