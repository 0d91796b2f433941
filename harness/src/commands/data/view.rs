//! `harness data view` (and `collect`): the positions worth learning from, out of games and files.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::filters::FilterArgs;
use super::room::RoomArgs;
use super::sources::Source;
use super::{DataError, counts_text};
use crate::context::Context;
use crate::data::bulk::{Bulk, BulkError, Rule};
use crate::data::collect::Counts;
use crate::data::flaws::Flaws;
use crate::data::formats::Writer;
use crate::data::record::Record;
use crate::failure::{Exit, Failure, OrFail};
use crate::report::Progress;
use crate::report::text::grouped;

/// Finds the positions worth learning from, in games or in files of positions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data view train.games -o train.bin --unique
  harness data view train.games -o train.marlin --unique      # with the side to move
  harness data view last -o winners.csv --keep winner         # the newest run's, the winners' only
  harness data view games.pgn --one-in 4 --min-depth 8 -o - | head

By default: both sides' scores, from ply 16 on, up to 2,000 centipawns, not in check, no capture or
promotion played. What is left out is counted by its first reason. With --keep winner every result
is a win of the side to move: keep all to learn from results.")]
pub struct ViewArgs {
    /// Runs of the ledger (an id, the beginning of one, `last`) or files.
    #[arg(value_name = "RUN|FILE", required = true)]
    sources: Vec<String>,
    /// Where the positions go; `-` is CSV on standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Each position once, with its deepest label and the mean of its results.
    #[arg(long)]
    unique: bool,
    #[command(flatten)]
    filters: FilterArgs,
    #[command(flatten)]
    room: RoomArgs,
}

/// Runs the command.
///
/// # Errors
/// When games or data cannot be read, or the output cannot be written.
pub fn run(args: &ViewArgs, context: &Context) -> Result<Exit, Failure> {
    let filters = args.filters.given().unwrap_or_default();
    let sources = Source::find_all(&args.sources, context)?;
    let mut writer = Writer::create(&args.output).or_usage()?;
    let paths: Vec<&Path> = sources.iter().filter_map(Source::path).collect();
    let mut bulk = match args.unique {
        true => {
            let room = args.room.room(&args.output);
            Some(Bulk::new(Rule::Unique, writer.format(), &paths, room).or_failed()?)
        }
        false => None,
    };
    let (mut counts, flaws) = (Counts::default(), Flaws::default());
    let mut progress = Progress::start(None, 0, context.quiet);
    for source in &sources {
        let mut games = counts.games;
        let mut take = |record: Record| -> Result<(), DataError> {
            if counts.sift(&record, &filters) {
                match &mut bulk {
                    Some(bulk) => bulk.push(&record)?,
                    None => writer.record(&record)?,
                }
            }
            if counts.positions.is_multiple_of(4_096) {
                let (read, kept) = (grouped(counts.positions), grouped(counts.kept));
                progress.show(counts.positions, |_| format!("{read} positions, {kept} kept"));
                if context.interrupt.is_set() {
                    return Err(DataError::Bulk(BulkError::Stopped));
                }
            }
            Ok(())
        };
        super::finished(source.each(&mut games, &flaws, &mut take))?;
        counts.games = games;
    }
    counts.note(&flaws);
    if let Some(bulk) = bulk {
        let mut told = |_| match context.interrupt.is_set() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let tally = super::finished(bulk.write(&mut writer, &mut told).map_err(DataError::Bulk))?;
        counts.take_back(tally.read - tally.unlabelled - tally.written, tally.unlabelled);
    }
    drop(progress);
    writer.finish().or_failed()?;
    report(&counts, &args.output, context)?;
    Ok(Exit::Good)
}

fn report(counts: &Counts, output: &Path, context: &Context) -> Result<(), Failure> {
    if output.as_os_str() == "-" {
        return Ok(());
    }
    if context.json {
        context.print(&format!("{}\n", json!(counts)))?;
    } else {
        context.print(&counts_text(counts))?;
        context.print(&format!("{} positions in {}\n", grouped(counts.kept), output.display()))?;
    }
    Ok(())
}
