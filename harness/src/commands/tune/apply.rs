//! `harness tune apply`: the result of a run as the engine's values.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use miette::Diagnostic;
use thiserror::Error;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::hint::reports_command;
use crate::ledger::Ledger;
use crate::output;
use crate::player::is_offset;
use crate::runs::tune::{COMMAND, FoundValues, found, write_tuned_network};
use crate::tuning::apply::apply;

/// Write the values that a tuning run found into the engine's table, or print them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness tune apply last                         # edits engine/src/params.rs
  harness tune apply last --table src/search.rs   # lines of the form `name: DEFAULT, ...`
  harness tune apply last --format uci            # setoption commands, for any engine
  harness tune apply last --network tuned.nnue    # a tuned output layer, as a network file

Values that are not shown to be better than the start are not applied; --untested takes them all the
same. A run that is not finished gives what it would recommend now. A new table changes the engine's
bench: build it, and put the new count into the commit message.")]
pub struct ApplyArgs {
    /// A tuning run's id, the beginning of one, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Print the values instead.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Take the values found though they are not shown to be better than the start.
    #[arg(long)]
    untested: bool,
    /// Write the network with the offsets that a run of `network.output` found into this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "table"])]
    network: Option<PathBuf>,
    /// The source file with the table.
    #[arg(long, value_name = "FILE", default_value = "engine/src/params.rs")]
    table: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `setoption name X value Y`
    Uci,
    /// `X: Y`
    Yaml,
    /// `X, int, Y`
    Openbench,
}

/// A run without values.
#[derive(Debug, Error, Diagnostic)]
#[error("run `{0}` has no result to apply")]
#[diagnostic(help("it wants a tuning run; {} lists them", reports_command("runs", "")))]
struct NoResult(String);

/// A run whose values are not shown to be better than the start.
#[derive(Debug, Error, Diagnostic)]
#[error("run `{run}` recommends no other values than the start: {reason}")]
#[diagnostic(help("--untested takes the values found all the same; nothing was changed"))]
struct StartIsKept {
    run: String,
    reason: &'static str,
}

/// A run without offsets of a network, or values that are such offsets and wanted otherwise.
#[derive(Debug, Error, Diagnostic)]
enum NetworkError {
    #[error("run `{0}` tuned no output layer of a network")]
    #[diagnostic(help(
        "`parameters: network.output` in an experiment with `engine: builtin` does"
    ))]
    NoOffsets(String),
    #[error("run `{0}` tuned the output layer of a network, which stands in no table")]
    #[diagnostic(help("--network FILE writes the network"))]
    Offsets(String),
}

/// Runs the command.
///
/// # Errors
/// When there is no such run or it has no result, or the table cannot be written.
pub fn run(args: &ApplyArgs, context: &Context) -> Result<Exit, Failure> {
    let ledger = Ledger::open_to_read(&context.reports)?;
    // The newest run of all may be the validation of the newest tuning run.
    let run = ledger.facts_of(&args.run, |row| row.command == COMMAND)?;
    let found = found(&ledger, &run).or_failed()?;
    let FoundValues { values, warnings, kept } =
        found.ok_or_else(|| NoResult(run.id.clone())).or_usage()?;
    for warning in warnings {
        output::message(&format!("warning: {warning}"));
    }
    if let Some(reason) = kept {
        if !args.untested {
            return Err(StartIsKept { run: run.id, reason }).or_usage();
        }
        output::message(&format!("warning: {reason}"));
    }
    let has_offsets = values.keys().any(|name| is_offset(name));
    if let Some(path) = &args.network {
        if !has_offsets {
            return Err(NetworkError::NoOffsets(run.id)).or_usage();
        }
        write_tuned_network(&run, &values, path).or_failed()?;
        return context.print(&format!("network in {}\n", path.display()));
    }
    let Some(format) = args.format else {
        if has_offsets {
            return Err(NetworkError::Offsets(run.id)).or_usage();
        }
        let changed = apply(&args.table, &values).or_usage()?;
        let table = args.table.display();
        return context
            .print(&format!("{changed} of {} values changed in {table}\n", values.len()));
    };
    for (name, value) in values {
        context.print(&match format {
            Format::Uci => format!("setoption name {name} value {value}\n"),
            Format::Yaml => format!("{name}: {value}\n"),
            Format::Openbench => format!("{name}, int, {value}\n"),
        })?;
    }
    Ok(Exit::Good)
}
