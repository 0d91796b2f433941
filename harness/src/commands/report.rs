//! `harness report`: a run again, from what the ledger has.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;

use crate::commands::choice::choice;
use crate::context::Context;
use crate::failure::{Exit, Failure};
pub use crate::kinds::write_page;
use crate::kinds::{render, write};
use crate::ledger::Ledger;
use crate::output;
use crate::runs::report::{Format, ReportError};

/// Shows a run again, finished or not, from what the ledger has.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness report                                   writes report.html of the newest run
  harness report 20261121-14 --format markdown
  harness report last --format csv -o games.csv    a line a game, or a position of a suite
  harness report last --format pgn | less

Without -o, HTML is written into the folder of the run, and anything else is printed.")]
pub struct ReportArgs {
    /// An id, a beginning that only one has, or `last`.
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// What to make of it; with --json the same as `--format json`.
    #[arg(long, value_parser = choice::<Format>(), default_value_t)]
    format: Format,
    /// Where to write it; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When there is no such run, it has no such report, or the output cannot be written.
pub fn run(args: &ReportArgs, context: &Context) -> Result<Exit, Failure> {
    let format = if context.json { Format::Json } else { args.format };
    let ledger = Ledger::open_to_read(&context.reports)?;
    let run = ledger.facts(&args.run)?;
    match (format, args.output.as_deref()) {
        (Format::Html, None) => {
            let path = write_page(&ledger, &run.id)?;
            context.print(&format!("{}\n", path.display()))?;
        }
        (_, Some(path)) if path != "-" => write(&ledger, &run, format, path)?,
        _ => {
            let mut out = BufWriter::new(output::results());
            render(&ledger, &run, format, &mut out)?;
            out.flush().map_err(ReportError::Output)?;
        }
    }
    Ok(Exit::Good)
}
