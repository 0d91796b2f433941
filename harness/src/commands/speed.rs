//! `harness speed`: nodes a second and the time to a depth, of engines side by side.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::engines::engines;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::player::{OptionArg, parse_movetime};
use crate::report::{Progress, speed_text};
use crate::runs;
use crate::runs::speed::{Event, SpeedRun};
use crate::speed::Task;

/// Nodes a second and the time to a depth, of engines side by side.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness speed                                     the linked engine alone
  harness speed HEAD main --rounds 10               is my change faster?
  harness speed builtin stockfish ethereal-chess --depth 20
  harness speed builtin builtin --option builtin#2.Threads=2 --depth 18

The engines take turns at each position, each with an empty table; ratios are to the first one.
A node and a depth mean something else to each engine: between different engines the ratios
describe, between two builds of one engine they show which is faster. Keep the machine quiet.")]
pub struct SpeedArgs {
    /// The engines.
    #[arg(value_name = "ENGINE", default_value = "builtin")]
    engines: Vec<String>,
    /// The depth to come to, in plies.
    #[arg(long, value_name = "PLIES", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: u32,
    /// A search is stopped after this time: 60s, 500ms.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_movetime)]
    at_most: Duration,
    /// How often each position is searched by each engine.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// EPD or FEN lines; ten positions are built in.
    #[arg(long, value_name = "FILE.epd")]
    positions: Option<PathBuf>,
    /// A UCI option for all engines, or for one.
    #[arg(long = "option", value_name = "[ENGINE.]NAME=VALUE")]
    options: Vec<OptionArg>,
}

/// Runs the command.
///
/// # Errors
/// When an engine or a file is missing, an engine fails, or the user interrupts.
pub fn run(args: &SpeedArgs, context: &Context) -> Result<Exit, Failure> {
    let task = Task { depth: args.depth, at_most: args.at_most };
    let run = SpeedRun {
        engines: engines(&args.engines, &args.options, context)?,
        positions: runs::speed::positions(args.positions.as_deref())?,
        task,
        rounds: args.rounds,
    };
    let progress = RefCell::new(Progress::start(Some(run.searches()), 0, context.quiet));
    let engines = run.start(context, &|event| match event {
        Event::Warning(text) => context.warn(text),
        Event::Searched { done, position, engine } => {
            progress.borrow_mut().show(*done, |_| format!("{position}, {engine}"));
        }
    });
    drop(progress);
    let engines = engines?;
    let positions = run.positions.len();
    let rounds = args.rounds;
    let object = json!({
        "depth": args.depth, "positions": positions, "rounds": rounds, "engines": engines,
    });
    context.show(&object, || speed_text(&engines, args.depth, args.at_most, positions, rounds))
}
