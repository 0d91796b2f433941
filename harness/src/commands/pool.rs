//! `harness pool`: joins the shards of a match or an SPRT.

use std::path::Path;

use clap::Args;

use super::watch::shown;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds::games::{outcome, show};
use crate::ledger::Ledger;
use crate::runs::games::pool::{Source, pool};
use crate::text::shell_words;

/// Joins the shards of a match or an SPRT into one run with one verdict.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness sprt HEAD main --nodes 20000 --shard 1/2     # on one machine
  harness sprt HEAD main --nodes 20000 --shard 2/2     # on another
  harness pool machine-1/reports machine-2/reports     # anywhere
  harness pool 20261121-143015-match 20261121-150112-match

All shards are needed. They must be of one run: the same engines, options, limits, openings, seed
and test; what differs is refused with its name. The verdict, and the pair at which it falls, are
those of a run that played all pairs in one process; the games beyond it do not count.

Exit status: that of `harness sprt` or `harness match`. The joined run has a report, as any other.")]
pub struct PoolArgs {
    /// A run's id, or a reports folder, whose last run is taken.
    #[arg(value_name = "RUN|FOLDER", required = true)]
    sources: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// When a run is missing, or they are not all shards of one run.
pub fn run(args: &PoolArgs, context: &Context) -> Result<Exit, Failure> {
    let sources = args.sources.iter().map(|text| {
        let (folder, run) = match Path::new(text) {
            folder if folder.is_dir() => (folder, "last"),
            _ => (&*context.reports, text.as_str()),
        };
        let ledger = Ledger::open_to_read(folder)?;
        let run = ledger.facts(run)?;
        Ok(Source { ledger, run })
    });
    let sources = sources.collect::<Result<Vec<Source>, Failure>>()?;
    let words = ["harness".to_owned(), "pool".to_owned()];
    let command_line = shell_words(words.into_iter().chain(args.sources.iter().cloned()));
    shown(context, |sink| {
        let finished = pool(&sources, command_line.clone(), context, &|event| show(event, sink))?;
        outcome(&finished, context)
    })
}
