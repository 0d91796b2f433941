//! `harness data view` (and `collect`): a training set out of games and files.

use std::path::PathBuf;

use clap::Args;

use super::files::{self, WorkspaceArgs};
use super::filters::FilterArgs;
use super::progress::show_progress;
use crate::context::Context;
use crate::data::sources::Source;
use crate::data::view::view;
use crate::failure::{Exit, Failure};
use crate::outcome::positions::Counts;
use crate::report::text::{counted, grouped};
use crate::report::{Progress, counts_text};

/// Selects the positions of a training set, from games or from files of positions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data view train.games -o train.bin --unique
  harness data view train.games -o train.marlin --unique      # with the side to move
  harness data view last -o winners.csv --keep winner         # the newest run's, the winners' only
  harness data view games.pgn --one-in 4 --min-depth 8 -o - | head

By default: both sides' scores, from ply 16 on, up to 2,000 centipawns, not in check, no capture or
promotion played. What is left out is counted by its first reason. With --keep winner every result
is a win of the side to move: keep all to learn from results.")]
pub struct ViewArgs {
    /// Runs of the ledger (an id, the beginning of one, `last`) or files.
    #[arg(value_name = "RUN|FILE", required = true)]
    sources: Vec<String>,
    /// Where the positions go; `-` is CSV on standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Each position once, with its deepest label and the mean of its results, rounded.
    #[arg(long)]
    unique: bool,
    #[command(flatten)]
    filters: FilterArgs,
    #[command(flatten)]
    workspace: WorkspaceArgs,
}

/// Runs the command.
pub fn run(args: &ViewArgs, context: &Context) -> Result<Exit, Failure> {
    let sources = Source::find_all(&args.sources, &context.reports)?;
    let writer = files::begin(&args.output)?;
    let unique = args.unique.then(|| args.workspace.workspace(&args.output));
    let mut progress = Progress::start(None, 0, context.quiet);
    let counts = view(&sources, &args.filters.into(), writer, unique, &mut |counts: &Counts| {
        let [read, kept] = [counts.positions, counts.kept].map(grouped);
        let text = || format!("{read} positions, {kept} kept");
        show_progress(&mut progress, counts.positions, text, context)
    })?;
    drop(progress);
    if args.output.as_os_str() == "-" {
        return Ok(Exit::Good);
    }
    let text = || {
        let kept = counted(counts.kept, "position", "positions");
        let file = args.output.display();
        format!("{}{kept} in {file}\n", counts_text(&counts))
    };
    context.show(&counts, text)
}
