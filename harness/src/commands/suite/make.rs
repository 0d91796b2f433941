//! `harness suite make`: a new suite from games.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::commands::engines::engine;
use crate::commands::openings::{NO_EPD, check_ending};
use crate::commands::watch::{begin_work, published};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::try_to_write;
use crate::kinds::{RunEvent, RunSink, recorded};
use crate::player::OptionArg;
use crate::report::{bar, made_suite_text};
use crate::runs::Event;
use crate::runs::make::{MakeRun, SuiteMade};
use crate::runs::notices::Ending;
use crate::suite::make::{Candidates, Recipe};

/// Makes a suite from games: positions in which exactly one move is much better than the rest.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness suite make --engine stockfish -o mine.epd
  harness suite make --engine stockfish --from games.pgn --positions 100 --margin 200 -o shots.epd
  harness suite make --engine builtin --from 20261121-14 --verify-nodes 200000 --jobs 2 -o mine.epd
  harness suite ./mine.epd builtin --movetime 1s

Of every few plies of a game, from ply 12 on, one position is a candidate. It is kept if the best
move is better than the second best by --margin, a mate counting as much; if the second best does
not win anyhow (over +400) and the best does not lose anyhow (below -100); and if the best move
does not just take back. It is in the suite if a longer search finds the same. An engine without
the option MultiPV is asked with `go searchmoves`.

The same games, seed and settings make the same suite, whatever --jobs says, as long as the engine
plays alike at a fixed number of nodes. After Ctrl-C the positions found until then are written.")]
pub struct SuiteMakeArgs {
    /// The engine that searches: the stronger, the better.
    #[arg(long, value_name = "ENGINE")]
    engine: String,
    /// Games: of a run (an id, a beginning that only one has, `last`), or of a PGN.
    #[arg(long, value_name = "RUN|FILE.pgn", default_value = "last")]
    from: String,
    /// Nodes of the first search of a candidate.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Nodes of the search that verifies.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    verify_nodes: u64,
    /// Best less second best at least, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 120, value_parser = clap::value_parser!(i32).range(1..=9_000))]
    margin: i32,
    /// Positions wanted.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// One candidate in this many plies of a game.
    #[arg(long, value_name = "PLIES", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Seed of the choice of candidates and of their order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// A UCI option of the engine.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<OptionArg>,
    /// Positions searched at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// Where to write the suite.
    #[arg(short, long, value_name = "FILE.epd")]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When there are no games, the engine fails, nothing is found, or the file cannot be written.
pub fn run(args: &SuiteMakeArgs, context: &Context) -> Result<Exit, Failure> {
    check_ending(&args.output, "epd", &NO_EPD)?;
    try_to_write(&args.output)?;
    let SuiteMakeArgs { nodes, verify_nodes, margin, positions, .. } = *args;
    let run = MakeRun {
        engine: engine(&args.engine, &args.options, context)?,
        from: args.from.clone(),
        candidates: Candidates::from_source(&args.from, &context.reports, args.seed, args.every)?,
        recipe: Recipe { nodes, verify_nodes, margin, positions: positions as usize },
        jobs: usize::from(args.jobs),
        output: args.output.clone(),
    };
    let searching = |sink: &RunSink<'_>| {
        begin_work(
            sink,
            recorded::MADE_SUITE.key,
            &args.output,
            Some(positions.into()),
            "positions",
        );
        let style = "{bar:30} {pos}/{len} positions  {msg}  {elapsed} gone";
        let bar = bar(positions.into(), style, context.quiet);
        let candidates = run.candidates.len();
        let made = run.start(context, &|event| match event {
            Event::Warning(text) => context.warn(text),
            Event::Progress(tally) => {
                sink(&RunEvent::Done(tally.verified));
                bar.set_position(tally.verified);
                let searched = tally.searched;
                let kept = tally.kept;
                bar.set_message(format!("{kept} kept of {searched} of {candidates} candidates"));
            }
        });
        bar.finish_and_clear();
        made
    };
    let ending = |made: &SuiteMade| Ending { summary: Some(json!(made)), exit: Some(Exit::Good) };
    let made = published(context, searching, ending)?;
    context.show(&made, || made_suite_text(&made.counts()))
}
