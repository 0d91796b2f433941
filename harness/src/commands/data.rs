//! `harness data`: training data from games.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

use crate::context::Context;
use crate::data::collect::{Counts, collect};
use crate::data::filter::{Filters, Keep, Reason};
use crate::data::validate::validate;
use crate::data::{games, record};
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::{Ledger, LedgerError};
use crate::report::terminal::table;
use crate::report::text::grouped;

/// Training data: positions of games with the scores that engines gave them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data collect last -o positions.csv          # the winners' scores of the newest run
  harness data collect games.pgn --keep all --one-in 4 -o positions.csv
  harness data validate positions.csv                 # every position legal, every filter kept

A line is one position: FEN, score in centipawns and result for White, ply, the move played, depth,
engine, opponent, game.")]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Finds the positions worth learning from in games.
    Collect(CollectArgs),
    /// Reads training data back and checks every line.
    Validate(ValidateArgs),
}

#[derive(Debug, Args)]
struct CollectArgs {
    /// Runs of the ledger (an id, the beginning of one, `last`) or PGN files.
    #[arg(value_name = "RUN|FILE.pgn", required = true)]
    sources: Vec<String>,
    /// Where the positions go; `-` is standard output.
    #[arg(short, long, value_name = "FILE.csv")]
    output: PathBuf,
    #[command(flatten)]
    filters: FilterArgs,
}

#[derive(Debug, Args)]
struct ValidateArgs {
    /// The file.
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,
    #[command(flatten)]
    filters: FilterArgs,
}

/// Which positions.
#[derive(Debug, Args)]
struct FilterArgs {
    /// Whose scores.
    #[arg(long, value_enum, default_value_t)]
    keep: Keep,
    /// Positions after so many plies.
    #[arg(long, value_name = "PLIES", default_value_t = Filters::default().min_ply)]
    min_ply: u32,
    /// Scores up to so many centipawns; mates never.
    #[arg(long, value_name = "CP", default_value_t = Filters::default().max_score)]
    max_score: i32,
    /// One position in so many, chosen by a hash of the position.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    one_in: u32,
    /// Positions in check, too.
    #[arg(long)]
    checks: bool,
    /// Positions whose best move captures or promotes, too.
    #[arg(long)]
    tactical: bool,
    /// Positions searched at least so deep.
    #[arg(long, value_name = "PLIES", default_value_t = 0)]
    min_depth: u32,
}

impl From<&FilterArgs> for Filters {
    fn from(args: &FilterArgs) -> Filters {
        Filters {
            keep: args.keep,
            min_ply: args.min_ply,
            max_score: args.max_score,
            one_in: args.one_in,
            checks: args.checks,
            tactical: args.tactical,
            min_depth: args.min_depth,
        }
    }
}

/// Data that cannot be had.
#[derive(Debug, Error, Diagnostic)]
pub enum DataError {
    /// A file that cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    #[diagnostic(help("name a PGN file, or a run that `harness runs` lists"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Something that is no game.
    #[error("{source_name}: game {game}: {reason}")]
    #[diagnostic(help("games before it were read; take it out, or look at what wrote it"))]
    BadGame {
        /// The file or run.
        source_name: String,
        /// Which game of it, from 1.
        game: u64,
        /// What is wrong with it.
        reason: String,
    },
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
        DataCommand::Collect(args) => collect_all(args, context),
        DataCommand::Validate(args) => check(args, context),
    }
}

fn collect_all(args: &CollectArgs, context: &Context) -> Result<Exit, Failure> {
    let filters = Filters::from(&args.filters);
    let to_stdout = args.output.as_os_str() == "-";
    let sink: Box<dyn Write> = match to_stdout {
        true => Box::new(io::stdout().lock()),
        false => {
            let unwritable = |reason: io::Error| DataError::Unwritable {
                path: args.output.clone(),
                reason: reason.to_string(),
            };
            Box::new(BufWriter::new(File::create(&args.output).map_err(unwritable).or_failed()?))
        }
    };
    let mut counts = Counts::default();
    let mut sheet = Sheet::new(sink, &args.output);
    for source in &args.sources {
        let path = Path::new(source);
        if path.is_file() {
            let file = File::open(path);
            let file = file.map_err(|reason| unreadable(path, reason)).or_usage()?;
            read_games(source, BufReader::new(file), &filters, &mut counts, &mut sheet)
                .or_failed()?;
        } else if source.ends_with(".pgn") {
            return Err(unreadable(path, io::ErrorKind::NotFound.into())).or_usage();
        } else {
            let ledger = Ledger::open_existing(&context.reports).or_usage()?;
            let run = ledger.facts(source).or_usage()?;
            of_run(&ledger, &run.id, &filters, &mut counts, &mut sheet).or_failed()?;
        }
    }
    sheet.finish().or_failed()?;
    if context.json && !to_stdout {
        context.print(&format!("{}\n", json!(counts)));
    } else if !to_stdout {
        context.print(&text(&counts));
        context.print(&format!(
            "{} positions in {}\n",
            grouped(counts.kept),
            args.output.display()
        ));
    }
    Ok(Exit::Good)
}

/// Writes the positions of a run's games that the filters keep; a game that is in the ledger was
/// played, so the same run gives the same file whenever it is asked for.
///
/// # Errors
/// When the ledger cannot be read or the file not be written.
pub fn write_run(
    ledger: &Ledger,
    run: &str,
    filters: &Filters,
    path: &Path,
) -> Result<Counts, DataError> {
    let file = File::create(path).map_err(|reason| DataError::Unwritable {
        path: path.to_owned(),
        reason: reason.to_string(),
    })?;
    let mut counts = Counts::default();
    let mut sheet = Sheet::new(Box::new(BufWriter::new(file)), path);
    of_run(ledger, run, filters, &mut counts, &mut sheet)?;
    sheet.finish()?;
    Ok(counts)
}

fn of_run(
    ledger: &Ledger,
    run: &str,
    filters: &Filters,
    counts: &mut Counts,
    sheet: &mut Sheet<'_>,
) -> Result<(), DataError> {
    ledger.each_game(run, |game| read_games(run, game.pgn.as_bytes(), filters, counts, sheet))
}

fn read_games(
    name: &str,
    source: impl io::Read,
    filters: &Filters,
    counts: &mut Counts,
    sheet: &mut Sheet<'_>,
) -> Result<(), DataError> {
    let before = counts.games;
    let mut written = Ok(());
    let read = games::read(source, &mut |game| {
        collect(&game, filters, counts, |record| {
            if written.is_ok() {
                written = sheet.write(&record);
            }
        });
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    written?;
    read.map_err(|(game, reason)| DataError::BadGame {
        source_name: name.to_owned(),
        game: before + game,
        reason,
    })
}

fn unreadable(path: &Path, reason: io::Error) -> DataError {
    DataError::Unreadable { path: path.to_owned(), reason }
}

/// A CSV file that is written.
struct Sheet<'a> {
    writer: csv::Writer<Box<dyn Write>>,
    path: &'a Path,
    is_empty: bool,
}

impl<'a> Sheet<'a> {
    fn new(sink: Box<dyn Write>, path: &'a Path) -> Sheet<'a> {
        Sheet { writer: csv::Writer::from_writer(sink), path, is_empty: true }
    }

    fn write(&mut self, record: &record::Record) -> Result<(), DataError> {
        self.is_empty = false;
        self.writer.serialize(record).map_err(|error| self.unwritable(&error))
    }

    fn finish(mut self) -> Result<(), DataError> {
        if self.is_empty {
            // The header comes with the first record.
            let head = self.writer.write_record(record::COLUMNS);
            head.map_err(|error| self.unwritable(&error))?;
        }
        self.writer.flush().map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, reason: &dyn std::error::Error) -> DataError {
        DataError::Unwritable { path: self.path.to_owned(), reason: reason.to_string() }
    }
}

fn text(counts: &Counts) -> String {
    let mut rows = vec![
        vec!["games".to_owned(), grouped(counts.games)],
        vec!["positions".to_owned(), grouped(counts.positions)],
    ];
    rows.extend(reasons(&counts.dropped));
    rows.push(vec!["kept".to_owned(), grouped(counts.kept)]);
    table(["What", "Count"], rows, 1)
}

fn reasons(counts: &BTreeMap<Reason, u64>) -> impl Iterator<Item = Vec<String>> {
    counts.iter().map(|(reason, &count)| vec![format!("dropped: {reason}"), grouped(count)])
}

fn check(args: &ValidateArgs, context: &Context) -> Result<Exit, Failure> {
    let path = &args.file;
    let file = File::open(path).map_err(|reason| unreadable(path, reason)).or_usage()?;
    let filters = Filters::from(&args.filters);
    let checked =
        validate(&path.display().to_string(), BufReader::new(file), &filters).or_failed()?;
    let good = checked.refused.is_empty();
    if context.json {
        context.print(&format!("{}\n", json!(checked)));
    } else {
        let records = grouped(checked.records);
        match checked.first_refused {
            None => context.print(&format!("{records} positions, all legal and as asked for\n")),
            Some(line) => {
                let rows = checked.refused.iter();
                let rows = rows.map(|(reason, &count)| vec![reason.to_string(), grouped(count)]);
                context.print(&table(["The filters would not keep", "Positions"], rows, 1));
                context
                    .print(&format!("of {records} positions; the first stands in line {line}\n"));
            }
        }
    }
    Ok(if good { Exit::Good } else { Exit::Bad })
}
