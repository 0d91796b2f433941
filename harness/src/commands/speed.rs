//! `harness speed`: nodes a second and the time to a depth, of engines side by side.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use miette::Diagnostic;
use serde::Serialize;
use serde_json::json;
use thiserror::Error;

use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::player::probe::Probe;
use crate::player::{self, Limit, OptionArg, StartSettings, parse_movetime};
use crate::report::Progress;
use crate::runs::preflight;
use crate::speed::{Search, Speed, Task, search, speeds, text};
use crate::suite::epd::{self, EpdPosition};

/// Ten positions, from the opening to a pawn ending.
const POSITIONS: &str = include_str!("../../../suites/speed.epd");

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
describe, between two builds of one engine they tell which is faster. Keep the machine quiet.")]
pub struct SpeedArgs {
    /// Who searches.
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

/// The JSON object of `harness speed --json`.
#[derive(Serialize)]
struct Output {
    depth: u32,
    positions: usize,
    rounds: u32,
    engines: Vec<Speed>,
}

/// Positions that cannot be had.
#[derive(Debug, Error, Diagnostic)]
enum PositionsError {
    #[error("cannot read {}: {source}", path.display())]
    #[diagnostic(help("--positions wants a file of EPD or FEN lines"))]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("there is no position in {}", path.display())]
    #[diagnostic(help("--positions wants a file of EPD or FEN lines"))]
    Empty { path: PathBuf },
}

/// Runs the command.
///
/// # Errors
/// When something asked for is not there, an engine fails, or the user interrupts.
pub fn run(args: &SpeedArgs, context: &Context) -> Result<Exit, Failure> {
    let positions = positions(args)?;
    let config = Config::find().or_usage()?;
    let specs = player::resolve_all(&args.engines, &[], &args.options, &config, context);
    let specs = specs.or_usage()?;
    let asked = Probe { keeps_process: false, ..Probe::of(Limit::MoveTime(args.at_most)) };
    preflight::probe_all(specs.iter().map(|spec| (spec, asked.clone())), context, &|text| {
        context.warn(text)
    })?;
    let mut players = Vec::new();
    for spec in &specs {
        let started = player::start(spec, &StartSettings::default(), &context.interrupt);
        players.push(started?);
    }
    let task = Task { depth: args.depth, at_most: args.at_most };
    let mut searches: Vec<Vec<Search>> = vec![Vec::new(); players.len()];
    let turns = positions.len() * args.rounds as usize;
    let mut progress = Progress::start(Some((turns * players.len()) as u64), 0, context.quiet);
    let mut done = 0;
    for turn in 0..turns {
        let position = &positions[turn % positions.len()];
        // Whoever comes first finds another machine than who comes last.
        for place in 0..players.len() {
            let number = (place + turn) % players.len();
            let searched = search(players[number].as_mut(), position, task)?;
            searches[number].push(searched);
            done += 1;
            progress.show(done, |_| format!("{}, {}", position.id, specs[number].name));
        }
    }
    drop(progress);
    let names: Vec<String> = specs.into_iter().map(|spec| spec.name).collect();
    let engines = speeds(&names, &searches);
    let (positions, rounds) = (positions.len(), args.rounds);
    if context.json {
        let output = Output { depth: args.depth, positions, rounds, engines };
        context.print(&format!("{}\n", json!(output)))?;
    } else {
        context.print(&text(&engines, task, positions, rounds))?;
    }
    Ok(Exit::Good)
}

fn positions(args: &SpeedArgs) -> Result<Vec<EpdPosition>, Failure> {
    let Some(path) = &args.positions else {
        return epd::read("speed.epd", POSITIONS.as_bytes()).or_failed();
    };
    let unreadable = |source| PositionsError::Unreadable { path: path.clone(), source };
    let bytes = crate::input::read(path).map_err(unreadable).or_usage()?;
    let positions = epd::read(&path.display().to_string(), &bytes).or_usage()?;
    if positions.is_empty() {
        return Err(PositionsError::Empty { path: path.clone() }).or_usage();
    }
    Ok(positions)
}
