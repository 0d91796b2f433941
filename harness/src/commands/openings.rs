//! `harness openings`: making opening books.

mod polyglot;

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use self::polyglot::PolyglotArgs;
use super::engines::engine;
use super::plies::plies;
use super::watch::{begin_work, published};
use crate::arena::generate::Recipe;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::{try_to_write, write_file};
use crate::kinds::{RunEvent, RunSink, recorded};
use crate::player::OptionArg;
use crate::report::bar;
use crate::runs::Event;
use crate::runs::book::{Book, BookRun};
use crate::runs::games::cores;
use crate::runs::notices::Ending;
use crate::text::path::encode_path;

/// Makes opening books.
#[derive(Debug, Args)]
pub struct OpeningsArgs {
    #[command(subcommand)]
    command: OpeningsCommand,
}

#[derive(Debug, Subcommand)]
enum OpeningsCommand {
    Generate(GenerateArgs),
    Polyglot(PolyglotArgs),
}

/// Makes a book of balanced openings from random moves.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness openings generate -o book.epd
  harness openings generate --count 20000 --plies 6-10 --seed 7 --max-score 40 -o book.epd

Each opening is a number of random legal moves from the start position; it is kept if the engine
sees a balanced game. The same seed and settings make the same book, whatever --jobs says, as
long as the engine plays alike at a fixed number of nodes. The recipe is in comment operations
(c0, c1, c2) of the first line, so that every program that reads EPD can read the book.")]
pub struct GenerateArgs {
    /// Openings wanted.
    #[arg(long, value_name = "N", default_value_t = 4000)]
    count: usize,
    /// Random plies: a number, or a range to draw from.
    #[arg(long, value_name = "N|N-M", default_value = "8", value_parser = plies)]
    plies: RangeInclusive<u32>,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Nodes of the search of a position.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The largest score for either side, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 60)]
    max_score: u32,
    /// The engine that searches.
    #[arg(long, value_name = "ENGINE", default_value = "builtin")]
    engine: String,
    /// A UCI option of the engine.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<OptionArg>,
    /// Positions searched at the same time [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Where to write; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When the engine fails, games cannot be read, or the file cannot be written.
pub fn run(args: &OpeningsArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        OpeningsCommand::Generate(args) => generate(args, context),
        OpeningsCommand::Polyglot(args) => polyglot::run(args, context),
    }
}

fn generate(args: &GenerateArgs, context: &Context) -> Result<Exit, Failure> {
    let GenerateArgs { count, seed, nodes, max_score, .. } = *args;
    let file = Some(&args.output).filter(|path| path.as_os_str() != "-");
    file.map(|path| try_to_write(path)).transpose()?;
    let run = BookRun {
        recipe: Recipe { count, plies: args.plies.clone(), seed, nodes, max_score },
        engine: engine(&args.engine, &args.options, context)?,
        named: args.engine.clone(),
        options: args.options.clone(),
        jobs: args.jobs.map_or_else(cores, usize::from),
    };
    let object = |book: &Book| json!({ "openings": book.openings, "candidates": book.candidates, "file": file.map(|file| encode_path(file)) });
    let make = |sink: &RunSink<'_>| {
        if let Some(path) = file {
            begin_work(sink, recorded::BOOK.key, path, Some(count as u64), "openings");
        }
        let bar = bar(count as u64, "{bar:30} {pos}/{len} openings  {msg}  {eta}", context.quiet);
        let book = run.start(context, &|event| match event {
            Event::Warning(text) => context.warn(text),
            Event::Progress((found, candidates)) => {
                sink(&RunEvent::Done(found as u64));
                bar.set_position(found as u64);
                bar.set_message(format!("of {candidates} looked at"));
            }
        });
        bar.finish_and_clear();
        let book = book?;
        if let Some(path) = file {
            write_file(path, &book.epd, Some("name another file with --output"))?;
        }
        Ok(book)
    };
    let ending = |book: &Book| Ending { summary: Some(object(book)), exit: Some(Exit::Good) };
    let book = published(context, make, ending)?;
    let object = object(&book);
    let Book { openings, candidates, epd } = book;
    context.show(&object, || match file {
        None => epd,
        Some(path) => {
            format!("{openings} openings of {candidates} looked at, in {}\n", path.display())
        }
    })
}
