//! `harness train`: a network is trained on labelled positions.

mod average;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use self::average::AverageArgs;
use super::watch::shown;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds;
use crate::runs::train::TrainRun;

/// Trains a network for the engine's option `EvalFile`; `train average` averages networks.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(disable_help_subcommand = true)]
#[command(override_usage = "harness train [OPTIONS] <CONFIG>
       harness train average <NETWORK.nnue>... --output <FILE.nnue>")]
#[command(after_help = "\
CONFIG.yaml, all but `data` may be missing:
  data: [games.pgn]         # labelled positions, in any format that `harness tune texel` reads
  filters: { keep: all, min_ply: 16, max_score: 2000, one_in: 1 }   # those of `data view`
  network:
    architecture: perspective   # or nnueu, halfkp, two-path, king-buckets,
                                # pairwise
    hidden: 64              # neurons of the first layer for one side, a multiple of 32
    mirroring: true         # horizontally, by the own king: it is on the files a to d
    buckets: 1              # output buckets, by the number of pieces
    scale: 400              # centipawns of an output of 1, and of the scores' sigmoid
  start: nets/old.nnue      # starts from this network, or the `embedded` one: of the same sizes, with a
                            # smaller `hidden` or 1 of `buckets`, or `perspective` for `king-buckets`
  freeze: [inner]           # layers that are not trained
  blend: 1                  # the score's share of the label, the result has the rest: worth some
                            # of it from some 50 million positions on, and learned by heart with few
  td_lambda: 0              # TD(λ): the scores of later positions of the game have λ of a score's place,
                            # the nearest most; needs whole games
                            # both may be ramps, from the first step to the last: blend: [1, 0.8];
                            # of a ramp of td_lambda the later scores have λ of the step together, and
                            # share it among themselves as by its larger end
  score_scale: 400          # centipawns of a logit of the score's expected result, and of the result's:
  result_scale: 400         # a number or `fit`, to the results of the training set [default: scale]
  power: 2                  # of the distance from the label; 2.5 in other trainers
  epochs: 2                 # unless said, epochs and rates are those that fit the number of positions,
  learning_rate: 0.0003     # that of weights, and whether there is a `start`; the rate rises in
  warmup: 200               # `warmup` steps, then half a cosine leads to final_rate
  final_rate: 0.00001
  batch: 16384
  weight_decay: 0.01
  factoriser: true          # king-buckets, halfkp: a part of the weights that all buckets share while
                            # they are trained
  normalise: false          # with `start`: outputs are divided by their slope against its
  validation: 0.05          # share of the games in the validation set
  seed: 1
  jobs: 1                   # threads
  output: nets/first        # nets/first.nnue, .json, .html and .checkpoint

Other architectures have other sizes; what is not said is as in the engine that it comes from:
  network: { architecture: nnueu, hidden: 8, block: 4, second: 4 }
                            # hidden: a multiple of 8; block: neurons by each king's square
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
  harness train net.yaml --resume    # continues where it was interrupted
  harness sprt builtin builtin --option new.EvalFile=nets/first.nnue --nodes 5000

The network is that of the epoch with the least validation loss by scores alone. With one seed and one
thread it is the same, bit for bit.")]
pub struct TrainArgs {
    #[command(subcommand)]
    command: Option<TrainCommand>,
    #[command(flatten)]
    training: Option<TrainingArgs>,
}

#[derive(Debug, Subcommand)]
enum TrainCommand {
    Average(AverageArgs),
}

/// What to train.
#[derive(Debug, Args)]
struct TrainingArgs {
    /// The configuration.
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Go on from the checkpoint of an interrupted training.
    #[arg(long)]
    resume: bool,
}

/// Runs the command.
///
/// # Errors
/// When the configuration or the data make no sense, a file cannot be written, or the user
/// interrupts.
pub fn run(args: &TrainArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(TrainCommand::Average(args)) = &args.command {
        return average::run(args, context);
    }
    let Some(TrainingArgs { config, resume }) = &args.training else {
        let help = "`harness train --help` shows what the file looks like";
        return Err(Failure::Usage(miette::miette!(help = help, "no configuration is named")));
    };
    let run = TrainRun::plan(config, *resume, context)?;
    shown(context, |sink| kinds::train::start(&run, context, sink))
}
