//! `harness data`: training data from games.

mod collected;
mod convert;
mod filters;
pub mod generate;
mod import;
mod order;
mod room;
mod sources;
mod split;
mod stats;
mod view;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

pub use self::collected::Collected;
use self::filters::FilterArgs;

use crate::context::Context;
use crate::data::bulk::BulkError;
use crate::data::collect::Counts;
use crate::data::filter::Reason;
use crate::data::flaws::{Flaw, FlawCounts, Flaws};
use crate::data::formats::{self, FormatError, SUPPORTED};
use crate::data::validate::validate;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::LedgerError;
use crate::report::terminal::table;
use crate::report::text::grouped;

/// Training data: positions of games with the scores that engines gave them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data generate --games 10000 -o train.games  # games of the linked engine
  harness data view train.games --keep all --unique -o quiet.bin
  harness data shuffle quiet.bin -o train.bin         # ready to train a network
  harness data collect last -o positions.csv          # the winners' scores of the newest run
  harness data convert positions.csv -o positions.bin # bulletformat, as trainers read it
  harness data validate positions.bin                 # every position legal, results in range

The name of a file tells its format: .bin (or .bullet, .data): bulletformat; .txt: `FEN | score |
result`; .epd; .csv: FEN, score in centipawns and result for White, ply, the move played, depth,
engine, opponent, game; .h5: rows of 17 numbers in HDF5; .vf (or .viri): games of viriformat; .games: the same with depths; .pgn.")]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    #[command(visible_alias = "merge")]
    Convert(convert::ConvertArgs),
    Dedup(order::DedupArgs),
    Generate(generate::GenerateArgs),
    Import(import::ImportArgs),
    Sample(split::SampleArgs),
    Shuffle(order::ShuffleArgs),
    Split(split::SplitArgs),
    Stats(stats::StatsArgs),
    #[command(alias = "collect")]
    View(view::ViewArgs),
    /// Reads training data back and checks every position.
    Validate(ValidateArgs),
}

#[derive(Debug, Args)]
struct ValidateArgs {
    /// The file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Asks the filters that are given what they would not have kept, too.
    #[command(flatten)]
    filters: FilterArgs,
}

/// Data that cannot be had.
#[derive(Debug, Error, Diagnostic)]
pub enum DataError {
    /// A file that cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    #[diagnostic(help("name a file, or a run that `harness runs` lists; {SUPPORTED}"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// A page that cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Unwritable {
        /// The page.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
    /// A file's format, or what is wrong in it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Format(#[from] FormatError),
    /// A file that breaks off being readable.
    #[error("cannot read on: {0}")]
    Read(#[from] io::Error),
    /// Something on the way.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Bulk(#[from] BulkError),
    /// The ledger has a reason.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

/// Runs the command.
///
/// # Errors
/// When games or data cannot be read, or the output cannot be written.
pub fn run(args: &DataArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        DataCommand::Convert(args) => convert::run(args, context),
        DataCommand::Generate(args) => generate::run(args, context),
        DataCommand::Import(args) => import::run(args, context),
        DataCommand::Dedup(args) => order::dedup(args, context),
        DataCommand::Sample(args) => split::sample(args, context),
        DataCommand::Shuffle(args) => order::shuffle(args, context),
        DataCommand::Split(args) => split::run(args, context),
        DataCommand::Stats(args) => stats::run(args, context),
        DataCommand::View(args) => view::run(args, context),
        DataCommand::Validate(args) => check(args, context),
    }
}

/// Sorts what was stopped from what failed.
fn finished<T>(result: Result<T, DataError>) -> Result<T, Failure> {
    match result {
        Err(DataError::Bulk(BulkError::Stopped)) => {
            Err(Failure::Interrupted("nothing was written".to_owned()))
        }
        other => other.or_failed(),
    }
}

/// What became of the positions, as a table.
fn counts_text(counts: &Counts) -> String {
    let mut rows = vec![
        vec!["games".to_owned(), grouped(counts.games)],
        vec!["positions".to_owned(), grouped(counts.positions)],
    ];
    rows.extend(flaw_rows(counts));
    rows.extend(reasons(&counts.dropped));
    rows.push(vec!["kept".to_owned(), grouped(counts.kept)]);
    table(["What", "Count"], rows, 1)
}

/// Games of PGN that were dropped or corrected, as rows.
fn flaw_rows(counts: &Counts) -> impl Iterator<Item = Vec<String>> {
    let of = |what: &'static str, flaws: &FlawCounts| {
        let row = move |(flaw, &games): (&Flaw, &u64)| {
            vec![format!("games {what}: {flaw}"), grouped(games)]
        };
        flaws.iter().map(row).collect::<Vec<_>>()
    };
    [of("dropped", &counts.games_dropped), of("corrected", &counts.games_corrected)]
        .into_iter()
        .flatten()
}

fn reasons(counts: &BTreeMap<Reason, u64>) -> impl Iterator<Item = Vec<String>> {
    counts.iter().map(|(reason, &count)| vec![format!("dropped: {reason}"), grouped(count)])
}

fn check(args: &ValidateArgs, context: &Context) -> Result<Exit, Failure> {
    let flaws = Flaws::default();
    let records = formats::records(&args.file, &flaws).or_usage()?;
    let checked = validate(records, args.filters.given().as_ref()).or_failed()?;
    let good = checked.refused.is_empty();
    if context.json {
        let mut told = json!(checked);
        flaws.add_to(&mut told);
        context.print(&format!("{told}\n"))?;
    } else {
        let records = grouped(checked.records);
        match checked.first_refused {
            None => context.print(&format!("{records} positions, all legal and as asked for\n"))?,
            Some(first) => {
                let rows = checked.refused.iter();
                let rows = rows.map(|(reason, &count)| vec![reason.to_string(), grouped(count)]);
                context.print(&table(["The filters would not keep", "Positions"], rows, 1))?;
                let first = grouped(first);
                context.print(&format!("of {records} positions; the first is number {first}\n"))?;
            }
        }
        context.print(&flaws.to_string())?;
    }
    Ok(if good { Exit::Good } else { Exit::Bad })
}
