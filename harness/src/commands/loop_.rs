//! `harness loop`: self-play, training and tests of networks in turn.

use std::path::PathBuf;

use clap::Args;

use super::watch::shown;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds;
use crate::runs::loop_::LoopRun;

/// Trains network after network, each on games of the best one before it.
#[derive(Debug, Args)]
#[command(after_help = "\
CONFIG.yaml, all of which may be missing:
  generations: 5            # networks to train
  start: embedded           # who plays the first games: embedded, classical, a file, or random
  games: { count: 10000, nodes: 5000, plies: [8, 9], balance: 400 }  # of each generation
  keep: 3                   # the newest generations' data are the training set
  filters: { keep: all, min_ply: 16, max_score: 2000 }  # as `harness data view` has them
  network: { hidden: 64, mirroring: true, buckets: 1, scale: 400 }   # as `harness train`
  training:                 # as `harness train`, and:
    epochs: 20
    blends: [0.5, 1]        # the scores' share of the labels by generation; the last one stays
    go_on: false            # true: each starts from the best before it, if of the same sizes or smaller
    trainings: 1            # more: networks from different seeds, of which a race chooses one
    validation: 0.05        # share of the games in the validation set
  test:                     # each network against the best one before it, normalized Elo
    { nodes: 5000, elo0: 0, elo1: 10, games: 4000, openings: book.epd,
      adjudication: { max_moves: 300 } }    # and resign, draw, tb, as in `harness docs tuning`
  jobs: 2                   # games at the same time [default: one a core]
  seed: 1
  output: nets/best         # nets/best.nnue and .json in the end, if a network beat the start

Examples:
  harness loop loop.yaml
  harness resume RUN                    # continues after Ctrl-C or a crash, wherever it was
  harness loop zero.yaml                # start: random, training: { blends: [0, 0.5, 1] }

`harness runs` lists the runs; each test is one of its own, so `last` may name a test.

A generation: games of the best network with itself; their positions, filtered, each once, in random
order, with those of the generations before; a training; an SPRT at fixed nodes. (With several trainings a
race of their networks, whose final is that SPRT; `harness docs race`.) A network that is
accepted plays the next games; if it is not, the old one does. The run's folder has report.html and a
folder a generation with its games, positions and network.

Exit status: 0 some network beat the start, 1 none did.")]
pub struct LoopArgs {
    /// The configuration.
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the configuration makes no sense, a file cannot be written, or the user interrupts.
pub fn run(args: &LoopArgs, context: &Context) -> Result<Exit, Failure> {
    let run = LoopRun::plan(&args.config)?;
    shown(context, |sink| kinds::loop_::start(&run, context, sink))
}
