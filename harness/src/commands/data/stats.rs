//! `harness data stats`: what a set of positions looks like.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::progress::show_progress;
use crate::context::Context;
use crate::data::flaws::Flaws;
use crate::data::shape;
use crate::data::sources::Source;
use crate::failure::{Exit, Failure};
use crate::files::{try_to_write, write_atomically};
use crate::report::html::data_page;
use crate::report::text::grouped;
use crate::report::{Progress, shape_text};

/// Shows what positions look like: scores, plies, pieces, depths and results.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data stats train.bin
  harness data stats train.games --html train.html")]
pub struct StatsArgs {
    /// Runs of the ledger or files.
    #[arg(value_name = "RUN|FILE", required = true)]
    sources: Vec<String>,
    /// A page with all histograms.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &StatsArgs, context: &Context) -> Result<Exit, Failure> {
    let sources = Source::find_all(&args.sources, &context.reports)?;
    args.html.as_deref().map(try_to_write).transpose()?;
    let flaws = Flaws::default();
    let mut progress = Progress::start(None, 0, context.quiet);
    let shape = shape::measure(&sources, &flaws, &mut |positions| {
        show_progress(
            &mut progress,
            positions,
            || format!("{} positions", grouped(positions)),
            context,
        )
    })?;
    drop(progress);
    if let Some(path) = &args.html {
        let page = data_page(&args.sources.join(", "), &shape).file();
        write_atomically(path, page.as_bytes()).map_err(|reason| {
            Failure::Failed(miette::miette!("cannot write {}: {reason}", path.display()))
        })?;
    }
    let mut report = json!(shape);
    flaws.add_to(&mut report);
    context.show(&report, || format!("{}{flaws}", shape_text(&shape)))
}
