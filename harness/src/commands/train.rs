//! `harness train`: a network learns from labelled positions.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use engine::eval::nnue::{Network, NetworkError};
use miette::Diagnostic;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use crate::context::Context;
use crate::data::collect::Counts;
use crate::data::dataset::DataError;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::write_atomically;
use crate::report::html::{TrainingFacts, training_page};
use crate::report::{Progress, terminal, text::grouped};
use crate::training::checkpoint::{self, Key};
use crate::training::config::{Config, NetworkConfig};
use crate::training::data::{Data, bytes};
use crate::training::network::{self, Rounding};
use crate::training::reference::material_loss;
use crate::training::step::Teacher;
use crate::training::trainer::{Epoch, State, Trainer};

/// Fewest positions to learn from, and to judge by: with fewer a training is noise.
const FEWEST: usize = 100;

/// Trains a network for the engine's option `EvalFile`.
#[derive(Debug, Args)]
#[command(after_help = "\
CONFIG.yaml, all but `data` may be missing:
  data: [games.pgn]         # labelled positions, in any format that `harness tune texel` reads
  filters: { every: 1, min_ply: 8, max_score: 1500 }
  network:
    architecture: perspective   # or nnueu (Tal's Hand's), halfkp (Bread's)
    hidden: 64              # width of the inner layer for one side, a multiple of 32
    mirroring: true         # one's own king is seen on the files a to d
    buckets: 1              # output layers, chosen by the number of pieces
    scale: 400              # centipawns of an output of 1, and of the scores' sigmoid
  blend: 0.7                # the score's share of the label, the result has the rest
  epochs: 20
  batch: 16384
  learning_rate: 0.001      # of the first step; half a cosine leads to the last
  final_rate: 0.00003
  weight_decay: 0.01
  validation: 0.05          # share of the games that only judge
  seed: 1
  jobs: 1                   # threads
  output: nets/first        # nets/first.nnue, .json, .html and .checkpoint

Other architectures have other sizes; what is not said is as in the engine that it comes from:
  network: { architecture: nnueu, hidden: 8, block: 4, second: 4 }
                            # hidden: a multiple of 8; block: numbers by each king's square
  network: { architecture: halfkp, hidden: 256, dense: [32, 32] }

Examples:
  harness train net.yaml
  harness train net.yaml --resume    # goes on where it was interrupted
  harness sprt builtin builtin --option new.EvalFile=nets/first.nnue --nodes 5000

With one seed and one thread the network is the same, bit for bit.")]
pub struct TrainArgs {
    /// What to learn from, and how.
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Go on from the checkpoint of an interrupted training.
    #[arg(long)]
    resume: bool,
}

/// A training that cannot be made or kept.
#[derive(Debug, Error, Diagnostic)]
enum TrainError {
    #[error("{train} positions to learn from and {validation} to judge by are too few")]
    #[diagnostic(help("{FEWEST} of each are the fewest; {dropped} were left out by the filters"))]
    TooFew { train: usize, validation: usize, dropped: u64 },
    #[error("the engine does not take the network: {0}")]
    #[diagnostic(help("its checkpoint is kept; this should not happen"))]
    Network(#[from] NetworkError),
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help("name another path under `output`; `--resume` goes on"))]
    File { path: PathBuf, source: std::io::Error },
}

/// The JSON object of `harness train --json`, which is also kept in a file.
#[derive(Serialize)]
struct Output {
    #[serde(flatten)]
    learnt: Learnt,
    files: Vec<PathBuf>,
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

/// Positions of a training.
#[derive(Serialize)]
pub struct Positions {
    /// To learn from.
    pub train: usize,
    /// To judge by.
    pub validation: usize,
    /// What became of all.
    #[serde(flatten)]
    pub counts: Counts,
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

/// Runs the command.
///
/// # Errors
/// When the configuration or the data make no sense, a file cannot be written, or the user
/// interrupts.
pub fn run(args: &TrainArgs, context: &Context) -> Result<Exit, Failure> {
    let config = Config::read(&args.config).or_usage()?;
    let name = args.config.file_stem().unwrap_or("network".as_ref());
    let stem = config.output.clone().unwrap_or_else(|| context.reports.join("train").join(name));
    if let Some(folder) = stem.parent() {
        let file = |source| TrainError::File { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(file).or_failed()?;
    }
    let data = read(&config, context)?;
    let (network, learnt) =
        learn_from(&config, data, &extended(&stem, "checkpoint"), args.resume, context)?;
    let files = ["nnue", "json", "html"].map(|extension| extended(&stem, extension)).to_vec();
    let output = Output { learnt, files };
    keep(&output, &network, args, &config)?;
    let object = format!("{}\n", json!(output));
    context.print(&if context.json { object } else { text(&output) });
    Ok(Exit::Good)
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
    enough(&data)?;
    let key = Key::new(config, data.fingerprint());
    let shape = config.network.shape();
    let state = if resume {
        checkpoint::read(checkpoint, key, shape.parameters()).or_usage()?
    } else {
        State::new(&shape, config.learning.seed)
    };
    let Data { train, validation, positions, counts } = data;
    let counted = Positions { train: train.len(), validation: validation.len(), counts };
    let material = material_loss(&Teacher::new(config), &validation);
    let mut trainer = Trainer::new(config, train.into(), validation.into(), state);
    let speed = learn(&mut trainer, config, checkpoint, key, context)?;

    let state = trainer.state();
    let network = network::quantised(&shape, &state.best, &positions);
    let network = network.map_err(TrainError::from).or_failed()?;
    let best = state.best_epoch().expect("a training has at least one pass");
    let learnt = Learnt {
        network: shape.to_string(),
        parameters: shape.parameters(),
        positions: counted,
        loss: Loss { train: best.train, validation: best.validation, material },
        epoch: best.number,
        epochs: state.epochs.clone(),
        rounding: network::rounding(&network, &state.best, &positions),
        positions_per_second: speed.by_clock,
        positions_per_cpu_second: speed.by_processor,
    };
    Ok((network, learnt))
}

/// The path with an extension of its own, whatever dots the name has.
fn extended(stem: &Path, extension: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

fn read(config: &Config, context: &Context) -> Result<Data, Failure> {
    let bytes = bytes(&config.data);
    let mut progress = Progress::start(Some(bytes), 0, context.quiet);
    let read = Data::read(config, &mut |done| {
        let percent = 100.0 * done as f64 / bytes.max(1) as f64;
        progress.show(done, |_| format!("data {percent:.0} % read"));
        if context.interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match read {
        Err(DataError::Stopped) => Err(Failure::Interrupted("nothing was learnt yet".to_owned())),
        read => read.or_usage(),
    }
}

fn enough(data: &Data) -> Result<(), Failure> {
    let (train, validation) = (data.train.len(), data.validation.len());
    if train >= FEWEST && validation >= FEWEST {
        return Ok(());
    }
    let dropped = data.counts.dropped.values().sum();
    Err(TrainError::TooFew { train, validation, dropped }).or_usage()
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
            let mut text = format!("pass {}/{epochs}", trainer.state().epochs.len() + 1);
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

fn keep(
    output: &Output,
    network: &Network,
    args: &TrainArgs,
    config: &Config,
) -> Result<(), Failure> {
    let text = std::fs::read_to_string(&args.config).unwrap_or_default();
    let note = format!(
        "trained by harness {} on {} positions; validation loss {:.6} after pass {}\n{text}",
        env!("CARGO_PKG_VERSION"),
        output.learnt.positions.train,
        output.learnt.loss.validation,
        output.learnt.epoch,
    );
    let page = page(output, config, &text);
    let contents =
        [network.to_bytes(&note), format!("{}\n", json!(output)).into_bytes(), page.into_bytes()];
    for (path, content) in output.files.iter().zip(contents) {
        let file = |source| TrainError::File { path: path.clone(), source };
        write_atomically(path, &content).map_err(file).or_failed()?;
    }
    Ok(())
}

fn page(output: &Output, config: &Config, text: &str) -> String {
    let learnt = &output.learnt;
    let Learnt { loss, rounding, positions, .. } = learnt;
    let share = format!("{:.1} % of material's", 100.0 * loss.validation / loss.material);
    let beside = |text: &str| text.to_owned();
    training_page(&TrainingFacts {
        name: &output.files[0].file_name().unwrap_or_default().to_string_lossy(),
        network: format!("{}, {} weights", learnt.network, grouped(learnt.parameters as u64)),
        numbers: vec![
            ("Error, judging", format!("{:.6}", loss.validation), share),
            ("Pass", learnt.epoch.to_string(), format!("of {}", config.learning.epochs)),
            ("Positions", grouped(positions.train as u64), beside("learnt from")),
            (
                "Rounding",
                format!("{:.2} cp", rounding.mean),
                format!("at most {:.1}", rounding.greatest),
            ),
            (
                "Speed",
                grouped(learnt.positions_per_cpu_second as u64),
                beside("positions a CPU second"),
            ),
        ],
        passes: learnt
            .epochs
            .iter()
            .map(|epoch| (epoch.number, epoch.train, epoch.validation, epoch.rate))
            .collect(),
        config: text,
    })
}

fn text(output: &Output) -> String {
    let learnt = &output.learnt;
    let Learnt { positions, loss, rounding, .. } = learnt;
    let mut text = format!(
        "Network {}, {} weights\n{} positions of {} games: {} to learn from, {} to judge by\n\n",
        learnt.network,
        grouped(learnt.parameters as u64),
        grouped(positions.counts.kept),
        grouped(positions.counts.games),
        grouped(positions.train as u64),
        grouped(positions.validation as u64),
    );
    let row = |name: &str, loss: f64| vec![name.to_owned(), format!("{loss:.6}")];
    let rows = [
        row("learnt from", loss.train),
        row("judged by", loss.validation),
        row("judged by, counting pieces only", loss.material),
    ];
    text += &terminal::table(["Error", "Mean squared"], rows, 1);
    text += &format!(
        "\nPass {} of {}; as integers {:.2} centipawns off in the mean, {:.1} at most\n\
         {} positions a second, {} a second of processor time\n",
        learnt.epoch,
        learnt.epochs.len(),
        rounding.mean,
        rounding.greatest,
        grouped(learnt.positions_per_second as u64),
        grouped(learnt.positions_per_cpu_second as u64),
    );
    let names: Vec<String> = output.files.iter().map(|file| file.display().to_string()).collect();
    text + &format!("\nWritten: {}\n", names.join(", "))
}
