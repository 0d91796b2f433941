//! `harness gate`: may this change go in?

mod init;
mod output;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::Value;

use self::init::InitArgs;
use self::output::Files;
use super::play::watched;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::gate::run::{self, Event, GateRequest, GateRun, Sink};
use crate::gate::{FILE_NAME, Report, Verdict, verdict};
use crate::ledger::{Ledger, Run, write_atomically};

/// Checks whether a change may go in: bench, speed, conformance, suites, strength.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  harness gate init                        # tries the engine, writes gate.yaml
  harness gate                             # HEAD against where it left main
  harness gate --base v1.2 --junit gate.xml
  harness gate --engine .                  # the working tree

Works in any engine's repository. Exit status: 0 passed, 1 failed, 3 undecided, 130 interrupted:
finished checks are kept, and the same command goes on with those that are missing. In a GitHub
workflow it writes the step's summary and annotates failures. `harness docs gate` tells what each
check means and how often it is wrong."
)]
pub struct GateArgs {
    #[command(subcommand)]
    command: Option<GateCommand>,
    /// What is checked.
    #[arg(value_name = "FILE", default_value = FILE_NAME)]
    file: PathBuf,
    /// The revision to be checked; `.` is the working tree.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    engine: String,
    /// What it is compared with [default: where it left main].
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    #[command(flatten)]
    files: Files,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    Init(InitArgs),
}

/// Runs the command.
///
/// # Errors
/// When the configuration makes no sense, a revision does not build, or the user interrupts.
pub fn run(args: &GateArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(GateCommand::Init(args)) = &args.command {
        return init::run(args, context);
    }
    let (file, engine, base) = (args.file.clone(), args.engine.clone(), args.base.clone());
    let gate = GateRun::plan(&GateRequest { file, engine, base }, context)?;
    shown(&args.files, context, |sink| gate.start(context, sink))
}

/// Goes on with a gate that ended early.
///
/// # Errors
/// As [`run`]; and when an engine is not what it was.
pub fn resume(ledger: &Ledger, run: &Run, plan: Value, context: &Context) -> Result<Exit, Failure> {
    shown(&Files::default(), context, |sink| run::resume(ledger, run, plan, context, sink))
}

/// Runs the checks, says how it goes, and prints the result.
fn shown(
    files: &Files,
    context: &Context,
    check: impl FnOnce(&Sink<'_>) -> Result<Report, Failure>,
) -> Result<Exit, Failure> {
    let report = watched(context, |games| {
        check(&|event| match event {
            Event::GoesOn { run } => context.say(&format!("going on with {run}")),
            Event::Begins { check } => context.say(&format!("{check} ...")),
            Event::Ended(result) => context.say(&format!("{}: {}", result.name, verdict(result))),
            Event::Games(event) => games(event),
        })
    })?;
    output::tell(files, &report, context)?;
    Ok(match report.verdict {
        Verdict::Passed => Exit::Good,
        Verdict::Failed => Exit::Bad,
        Verdict::Undecided => Exit::Undecided,
    })
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_atomically(path, text.as_bytes()).map_err(|error| {
        Failure::Failed(miette::miette!("cannot write {}: {error}", path.display()))
    })
}
