//! `harness report`: a run again, from what the ledger has.

use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use crate::commands::choice::choice;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::{try_to_write, write_file};
pub use crate::kinds::render::write_page;
use crate::kinds::render::{render, render_curves, write};
use crate::ledger::{Ledger, RunFacts};
use crate::output;
use crate::runs::report::{Format, ReportError};

/// Shows a run again, finished or not, from what the ledger has.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness report                                   writes report.html of the newest run
  harness report 20261121-14 --format markdown
  harness report last --format csv -o games.csv    a line a game, or a position of a suite
  harness report last --format csv --curves        games, Elo, nElo, LLR and bounds after each pair
  harness report last --format csv --curves --every 100 -o curve.csv
  harness report last --format pgn | less

--curves has a line a point: of a match or an SPRT after each pair of its first engine, of a tuning run
after each batch (the expected gain, each parameter), of a loop after each generation (losses, Elo). The
first line names the columns; more may be added. Without -o, HTML is written into the folder of the run, and anything else is printed.")]
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
    /// With --format csv: the curves of the run in the place of its games.
    #[arg(long)]
    curves: bool,
    /// With --curves: a line after this many pairs, batches or generations, and after the last.
    #[arg(long, value_name = "N", default_value = "1", requires = "curves")]
    every: NonZeroUsize,
}

/// Runs the command.
///
/// # Errors
/// When there is no such run, it has no such report, or the output cannot be written.
pub fn run(args: &ReportArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(path) = args.output.as_deref().filter(|path| *path != "-") {
        try_to_write(path)?;
    }
    let format = if context.json { Format::Json } else { args.format };
    let ledger = Ledger::open_to_read(&context.reports)?;
    let run = ledger.facts(&args.run)?;
    if args.curves {
        return write_curves(args, format, &ledger, &run, context);
    }
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

fn write_curves(
    args: &ReportArgs,
    format: Format,
    ledger: &Ledger,
    run: &RunFacts,
    context: &Context,
) -> Result<Exit, Failure> {
    if format != Format::Csv {
        return Err(Failure::Usage(miette::miette!(
            help = "write `--format csv --curves`",
            "curves are comma-separated values, and `--format {format}` is something else"
        )));
    }
    let mut text = Vec::new();
    render_curves(ledger, run, args.every, &mut text)?;
    match args.output.as_deref() {
        Some(path) if path != "-" => {
            write_file(path, &text, Some("name a file that can be written with `-o FILE`"))?;
            Ok(Exit::Good)
        }
        _ => context.print(&String::from_utf8_lossy(&text)),
    }
}
