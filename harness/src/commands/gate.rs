//! `harness gate`: may this change go in?

mod init;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use self::init::InitArgs;
use super::print;
use super::watch::watched;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::{try_to_write, write_file};
use crate::gate::run::{GateRequest, GateRun};
use crate::gate::{FILE_NAME, GateReport};
use crate::kinds::gate::{exit_of, outcome, show};
use crate::report::{gate_junit, gate_markdown};
use crate::runs::notices::Ending;

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
finished checks are kept, and the same command continues with those that are missing. In a GitHub
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
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the results as Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
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
    let file = args.file.clone();
    let engine = args.engine.clone();
    let base = args.base.clone();
    let gate = GateRun::plan(&GateRequest { file, engine, base }, context)?;
    for path in args.junit.iter().chain(&args.markdown) {
        try_to_write(path)?;
    }
    let ending = |report: &GateReport| Ending {
        summary: serde_json::to_value(report).ok(),
        exit: Some(exit_of(report.verdict)),
    };
    let report = watched(context, |sink| gate.start(context, &|event| show(event, sink)), ending)?;
    // What was found is shown first, in case a file cannot be written.
    let exit = print::outcome(&outcome(&report, context)?, context)?;
    if let Some(path) = &args.junit {
        write_file(path, gate_junit(&report), None)?;
    }
    if let Some(path) = &args.markdown {
        write_file(path, gate_markdown(&report, Some(&runs_from(path, context))), None)?;
    }
    Ok(exit)
}

/// The folder of the runs, seen from a file that links to it.
fn runs_from(file: &Path, context: &Context) -> PathBuf {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let runs = absolute(&context.reports.join("runs"));
    let file = absolute(file);
    let inside = file.parent().and_then(|folder| runs.strip_prefix(folder).ok());
    inside.map_or_else(|| runs.clone(), Path::to_path_buf)
}
