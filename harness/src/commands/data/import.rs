//! `harness data import`: games and positions of others, with scores of any engine.

use std::cell::RefCell;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::files::Files;
use super::order::{convert, converted, show_converted};
use super::progress::left_out;
use crate::commands::engines;
use crate::commands::watch::{begin_work, published};
use crate::context::Context;
use crate::data::convert::Converted;
use crate::failure::{Exit, Failure};
use crate::kinds::{RunEvent, RunSink, recorded};
use crate::player::{Limit, OptionArg, parse_movetime};
use crate::report::Progress;
use crate::report::text::{counted, duration, grouped};
use crate::runs::import::{Event, ImportRun, Imported};
use crate::runs::notices::Ending;

/// Imports games or positions of others, and scores them with an engine.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data import lichess_db_standard_rated_2024-01.pgn.zst -o lichess.games
  harness data import games.pgn.bz2 -o games.csv --engine stockfish --nodes 20000 --jobs 4
  harness data import games.pgn.bz2 -o games.csv --engine stockfish --nodes 20000 --resume
  harness data import games.pgn.bz2 -o games.csv --engine stockfish --nodes 20000 --on nats://box
  harness data import training-run1-test80.tar -o leela.games     # Leela's training data
  harness data import positions.epd -o labelled.epd --engine ./other --depth 12 --option Hash=64

Without --engine it is `harness data convert`. With it every position gets the engine's score, depth
and move; results stay. Games written as .games or .vf keep their moves and get the engine's scores.
Each position is searched once, however often it comes, from an empty hash table, so that with
--nodes or --depth the scores do not depend on --jobs.

Answers are kept in OUT.answers as they come: Ctrl-C or a crash loses none, --resume continues.
Positions on which the engine fails, mates and stalemates are left out and counted. The inputs are read three
times, so that they may be larger than the memory; the answers must fit, at about 40 bytes each.
To score fewer positions, write them first: `harness data view games.pgn --keep all --unscored
--one-in 8 -o some.epd`.")]
pub struct ImportArgs {
    #[command(flatten)]
    files: Files,
    /// The engine: `builtin`, a program, a path, a name in harness.yaml, a git revision.
    #[arg(long, value_name = "ENGINE", requires = "limit")]
    engine: Option<String>,
    /// Nodes a position.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), group = "limit", requires = "engine")]
    nodes: Option<u64>,
    /// Depth a position, in plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..), group = "limit", requires = "engine")]
    depth: Option<u8>,
    /// Time a position: 1s, 100ms, or a number of milliseconds.
    #[arg(long, value_name = "TIME", value_parser = parse_movetime, group = "limit", requires = "engine")]
    movetime: Option<Duration>,
    /// Positions searched at the same time [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), requires = "engine")]
    jobs: Option<u16>,
    /// A UCI option of the engine.
    #[arg(long = "option", value_name = "NAME=VALUE", requires = "engine")]
    options: Vec<OptionArg>,
    /// Go on with the answers of an earlier run.
    #[arg(long, requires = "engine")]
    resume: bool,
}

impl ImportArgs {
    /// Whether an engine scores the positions.
    pub fn searches(&self) -> bool {
        self.engine.is_some()
    }
}

/// Runs the command.
pub fn run(args: &ImportArgs, context: &Context) -> Result<Exit, Failure> {
    let Some(engine) = &args.engine else { return convert_recorded(&args.files, context) };
    let run = ImportRun {
        inputs: args.files.inputs.clone(),
        output: args.files.output.clone(),
        engine: engines::engine(engine, &args.options, context)?,
        limit: limit(args)?,
        jobs: args.jobs.map(usize::from),
        resume: args.resume,
        flaws: args.files.flaws(),
    };
    let importing = |sink: &RunSink<'_>| {
        begin_work(sink, recorded::IMPORT.key, &run.output, None, "positions");
        import(&run, context, sink)
    };
    let ending =
        |imported: &Imported| Ending { summary: Some(json!(imported)), exit: Some(Exit::Good) };
    let imported = published(context, importing, ending)?;
    let text = || {
        let Imported { positions, asked, known, dropped, seconds, flaws, .. } = &imported;
        let positions = counted(*positions, "position", "positions");
        let [asked, known] = [asked, known].map(|count| grouped(*count));
        let file = args.files.output.display();
        let took = duration(*seconds);
        let left_out = left_out(&[
            (dropped.engine_failed, "on which the engine failed"),
            (dropped.over, "that are mate or stalemate"),
            (dropped.no_result, "without a result of the board"),
        ]);
        format!(
            "{positions} in {file}; {asked} asked in {took}, {known} known from \
             before\n{left_out}{flaws}"
        )
    };
    context.show(&imported, text)
}

/// Converts without an engine; a file that is written is the result of a run.
fn convert_recorded(files: &Files, context: &Context) -> Result<Exit, Failure> {
    if files.prints() {
        return convert(files, context);
    }
    let converting = |sink: &RunSink<'_>| {
        begin_work(sink, recorded::IMPORT.key, &files.output, None, "positions");
        let converted = converted(files, context)?;
        sink(&RunEvent::Done(converted.positions));
        Ok(converted)
    };
    let ending = |converted: &Converted| {
        let mut summary = json!(converted);
        summary["games_left_out"] = json!(converted.flaws.dropped().values().sum::<u64>());
        Ending { summary: Some(summary), exit: Some(Exit::Good) }
    };
    let converted = published(context, converting, ending)?;
    show_converted(&converted, files, context)
}

fn limit(args: &ImportArgs) -> Result<Limit, Failure> {
    let limit = args.nodes.map(Limit::Nodes).or(args.depth.map(Limit::Depth));
    let limit = limit.or(args.movetime.map(Limit::MoveTime));
    // Clap has checked that one is given.
    limit.ok_or_else(|| Failure::Usage(miette::miette!("give --nodes, --depth or --movetime")))
}

/// Imports with a progress line.
fn import(run: &ImportRun, context: &Context, sink: &RunSink<'_>) -> Result<Imported, Failure> {
    let start = |total, done| (Progress::start(total, done, context.quiet), total);
    let line = RefCell::new(start(None, 0));
    run.start(context, &|event| {
        let (progress, total) = &mut *line.borrow_mut();
        match *event {
            Event::Warning(text) => context.warn(text),
            Event::Read(read) => {
                progress.show(read, |_| format!("{} positions read", grouped(read)));
            }
            Event::Started { known, total: all } => {
                sink(&RunEvent::Extent { done: known, of: all, unit: "positions" });
                (*progress, *total) = start(Some(all), known);
            }
            Event::Failed(reason) => progress.note(reason),
            Event::Answered(done) => {
                sink(&RunEvent::Done(done));
                progress.show(done, |pace| {
                    let left = pace.seconds_left.map(|left| format!(", {} left", duration(left)));
                    let speed = pace.per_minute.map(|speed| format!(", {:.0}/s", speed / 60.0));
                    let [done, all] = [done, total.unwrap_or(0)].map(grouped);
                    let speed = speed.unwrap_or_default();
                    let left = left.unwrap_or_default();
                    format!("{done} of {all} positions{speed}{left}")
                });
            }
        }
    })
}
