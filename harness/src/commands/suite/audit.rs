//! `harness suite audit`: what is wrong with a suite itself.

use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::output::visible;
use crate::player::pool::start_with;
use crate::player::{self, EngineSpec, FaultKind, Limit, OptionArg, StartSettings};
use crate::runs::preflight;
use crate::suite::audit::{self, Audit, AuditStopped, Counts, Finding, Read};
use crate::suite::{SuiteError, SuiteFile};

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
    /// Who searches: best a stronger engine than those that are to be tested.
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
    let file = SuiteFile::open(&args.suite).or_usage()?;
    let read = audit::read(&file);
    if read.positions.is_empty() && read.findings.is_empty() {
        return Err(SuiteError::Empty { name: file.name }).or_usage();
    }
    let config = Config::find().or_usage()?;
    let engines = player::resolve_all(&[&args.engine], &[], &args.options, &config, context)?;
    let [engine] = engines.as_slice() else {
        return Err(Failure::Failed(miette::miette!("`{}` is not one engine", args.engine)));
    };
    let started = Instant::now();
    let mut findings = read.findings.clone();
    findings.extend(search(args, &read, &file.name, engine, context)?);
    findings.sort_by_key(|finding| (finding.line, finding.kind));
    let audit = Audit {
        suite: file.name,
        engine: engine.name.clone(),
        nodes: args.nodes,
        positions: read.positions.len(),
        counts: Counts::of(&findings),
        findings,
        seconds: started.elapsed().as_secs_f64(),
    };
    if context.json {
        context.print(&format!("{}\n", json!(audit)))?;
    } else {
        context.print(&audit::text(&audit))?;
    }
    Ok(if audit.counts.is_bad() { Exit::Bad } else { Exit::Good })
}

/// What the engine finds.
fn search(
    args: &AuditArgs,
    read: &Read,
    name: &str,
    engine: &EngineSpec,
    context: &Context,
) -> Result<Vec<Finding>, Failure> {
    preflight::probe_one(engine, Limit::Nodes(args.nodes), context, &|text| context.warn(text))?;
    let bar = progress(read.positions.len() as u64, name, context.quiet);
    let searched = audit::search_all(
        read,
        args.nodes,
        usize::from(args.jobs),
        engine,
        &start_with(StartSettings::default()),
        &context.interrupt,
        &mut |found| {
            bar.inc(1);
            bar.set_message(format!("{found} found"));
        },
    );
    bar.finish_and_clear();
    searched.map_err(|stopped| match &stopped {
        AuditStopped::Interrupted => Failure::Interrupted("nothing was kept".to_owned()),
        AuditStopped::Failed { fault, .. } if fault.kind == FaultKind::Setting => {
            Failure::Usage(stopped.into())
        }
        AuditStopped::Failed { .. } => Failure::Failed(stopped.into()),
    })
}

fn progress(positions: u64, name: &str, quiet: bool) -> ProgressBar {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(positions) };
    let style = "{prefix} {bar:30} {pos}/{len}  {msg}  {elapsed} gone, {eta} to go";
    // A template of ours that does not parse would show in the first run of anybody.
    bar.set_style(
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.set_prefix(visible(name));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
