//! `harness train`: a network learns from labelled positions.

mod learn;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use engine::eval::nnue::Network;
use miette::Diagnostic;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

pub use learn::{Learnt, learn_from, untrained};

use super::learning::reading;
use crate::context::Context;
use crate::data::dataset::DataError;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::write_atomically;
use crate::training::config::Config;
use crate::training::data::{Data, bytes};

/// Trains a network for the engine's option `EvalFile`.
#[derive(Debug, Args)]
#[command(after_help = "\
CONFIG.yaml, all but `data` may be missing:
  data: [games.pgn]         # labelled positions, in any format that `harness tune texel` reads
  filters: { keep: all, min_ply: 16, max_score: 2000, one_in: 1 }   # those of `data view`
  network:
    architecture: perspective   # or nnueu, halfkp, two-path, king-buckets,
                                # pairwise
    hidden: 64              # width of the inner layer for one side, a multiple of 32
    mirroring: true         # one's own king is seen on the files a to d
    buckets: 1              # output layers, chosen by the number of pieces
    scale: 400              # centipawns of an output of 1, and of the scores' sigmoid
  start: nets/old.nnue      # goes on from this network, or the `embedded` one, of the same sizes
  freeze: [inner]           # layers that stay as they are
  blend: 1                  # the score's share of the label, the result has the rest: worth some
                            # of it with many millions of positions, and noise with few
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
  network: { architecture: two-path, hidden: 640, pool: 4, pawns: 64, attention: 32,
             dense: [16, 16], material_limit: 496 }
  network: { architecture: king-buckets, hidden: 64, buckets: 1 }
  network: { architecture: pairwise, hidden: 128, dense: [16, 32], buckets: 1 }

Layers that `freeze` can name:
  perspective: inner, output
  nnueu: inner, own_king, their_king, second, output
  halfkp: inner, dense_1, dense_2, output
  two-path: main, pawns, attention, dense_1, dense_2, output
  king-buckets: inner, output
  pairwise: inner, dense_1, dense_2, output

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
    context.print(&if context.json { object } else { text::text(&output) })?;
    Ok(Exit::Good)
}

/// The path with an extension of its own, whatever dots the name has.
fn extended(stem: &Path, extension: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    path.into()
}

fn read(config: &Config, context: &Context) -> Result<Data, Failure> {
    match Data::read(config, &mut reading(bytes(&config.data), context)) {
        Err(DataError::Stopped) => Err(Failure::Interrupted("nothing was learnt yet".to_owned())),
        read => read.or_usage(),
    }
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
    let page = text::page(output, config, &text);
    let contents =
        [network.to_bytes(&note), format!("{}\n", json!(output)).into_bytes(), page.into_bytes()];
    for (path, content) in output.files.iter().zip(contents) {
        let file = |source| TrainError::File { path: path.clone(), source };
        write_atomically(path, &content).map_err(file).or_failed()?;
    }
    Ok(())
}
