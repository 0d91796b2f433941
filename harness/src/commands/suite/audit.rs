//! `harness suite audit`: what is wrong with a suite itself.

use clap::Args;
use serde_json::json;

use crate::commands::watch::published;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds::{Begun, RunEvent, RunSink, recorded};
use crate::outcome::audit::Audit;
use crate::output::visible;
use crate::player::{self, OptionArg};
use crate::report::{audit_text, bar};
use crate::runs::Event;
use crate::runs::audit::AuditRun;
use crate::runs::notices::Ending;

/// What is wrong with a suite itself: illegal lines, duplicates, unsound and ambiguous positions.
///
/// Reads every line, and has each position searched twice: with all moves, and then with only
/// those that solve it (or only those that do not, whichever the first search did not choose). What
/// seems unsound is searched again with four times the nodes.
#[derive(Debug, Args)]
#[command(after_help = "\
Findings:
  illegal     the line cannot be read, or its position or a move is illegal
  duplicate   an earlier line has the same position
  unsolvable  no legal move solves it
  unscored    the engine answers without a score, so that its moves cannot be compared
  unsound     another move is better than the moves to find by 50 centipawns or a mate,
              or no move is better than the move to avoid
  ambiguous   another move comes within 10 centipawns of the moves to find

Examples:
  harness suite audit ./my.epd --engine stockfish
  harness suite audit wac --engine stockfish --nodes 1000000 --json > faults.json

The exit status is 1 if anything was found that is more than ambiguous. For a suite that is
called audit write `./audit`.")]
pub struct AuditArgs {
    /// A suite's name, or the path of an EPD file.
    #[arg(value_name = "NAME|FILE.epd")]
    suite: String,
    /// The engine that searches: best a stronger one than those that are to be tested.
    #[arg(long, value_name = "ENGINE", default_value = "builtin")]
    engine: String,
    /// Nodes a search.
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Positions searched at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// A UCI option for the engine.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<OptionArg>,
}

/// Runs the command.
///
/// # Errors
/// When the suite or the engine is not there, the engine fails, or the user interrupts.
pub fn run(args: &AuditArgs, context: &Context) -> Result<Exit, Failure> {
    let run = AuditRun::plan(&args.suite).or_usage()?;
    let config = Config::find().or_usage()?;
    let engines = player::resolve_all(&[&args.engine], &[], &args.options, &config, context)?;
    let positions = run.positions() as u64;
    let searching = |sink: &RunSink<'_>| {
        let title = format!("audit of {} by {}", run.name, args.engine);
        let key = recorded::AUDIT.key;
        let of = Some(positions);
        sink(&RunEvent::Begun(Begun { run: "audit", key, title, done: 0, of, unit: "positions" }));
        let style = "{prefix} {bar:30} {pos}/{len}  {msg}  {elapsed} gone, {eta} to go";
        let bar = bar(positions, style, context.quiet);
        bar.set_prefix(visible(&run.name));
        let audit =
            run.start(&engines[0], args.nodes, args.jobs.into(), context, &|event| match event {
                Event::Warning(text) => context.warn(text),
                Event::Progress(found) => {
                    sink(&RunEvent::OneMore);
                    bar.inc(1);
                    bar.set_message(format!("{found} found"));
                }
            });
        bar.finish_and_clear();
        audit
    };
    let exit = |audit: &Audit| if audit.counts.is_bad() { Exit::Bad } else { Exit::Good };
    let ending = |audit: &Audit| Ending { summary: Some(json!(audit)), exit: Some(exit(audit)) };
    let audit = published(context, searching, ending)?;
    context.show(&audit, || audit_text(&audit))?;
    Ok(exit(&audit))
}
