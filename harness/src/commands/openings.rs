//! `harness openings`: making and rating opening books.

mod polyglot;
mod rate;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use self::polyglot::PolyglotArgs;
use self::rate::RateArgs;
use super::engines::engine;
use super::plies::plies;
use super::watch::{begin_work, published};
use crate::arena::generate::{DrawTarget, Recipe};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::{try_to_write, write_file};
use crate::input;
use crate::kinds::{RunEvent, RunSink, recorded};
use crate::player::OptionArg;
use crate::report::bar;
use crate::runs::Event;
use crate::runs::book::{Book, BookRun};
use crate::runs::games::cores;
use crate::runs::notices::Ending;
use crate::text::path::encode_path;

/// Makes and rates opening books.
#[derive(Debug, Args)]
pub struct OpeningsArgs {
    #[command(subcommand)]
    command: OpeningsCommand,
}

#[derive(Debug, Subcommand)]
enum OpeningsCommand {
    Generate(GenerateArgs),
    Polyglot(PolyglotArgs),
    Rate(Box<RateArgs>),
}

impl OpeningsArgs {
    /// Whether it plays games, which workers on other machines may do.
    pub(super) fn plays_games(&self) -> bool {
        matches!(self.command, OpeningsCommand::Rate(_))
    }
}

/// Makes a book of openings from random moves: balanced ones, or with a wanted share of draws.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness openings generate -o book.epd
  harness openings generate --count 20000 --plies 6-10 --seed 7 --max-score 40 -o book.epd
  harness openings generate --target-draw-rate 0.5 --level-draw-rate 0.8 -o sharp.epd
  harness openings generate --target-draw-rate 0.5 --chess960 -o sharp960.epd

Each opening is a number of random legal moves from the start position; it is kept if the engine
sees a balanced game. With --target-draw-rate it is kept if the engine's model of win, draw and
loss expects that share of draws: one side is better by as much as it takes. The model is one of
the engine's own games (builtin: 20,000 nodes a move); --level-draw-rate scales it to the limit
that the book is for. No line is there twice, by other moves or with colours swapped, and no pawn
structure more often than --per-structure. `harness openings rate` says whether a book is better.

The same seed and settings make the same book, whatever --jobs says, as
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
    /// The largest score for either side, in centipawns [default: 60, with a target 400].
    #[arg(long, value_name = "CP")]
    max_score: Option<u32>,
    /// The share of games that are to be drawn, 0 to 1, by the engine's model.
    #[arg(long, value_name = "SHARE", value_parser = a_share)]
    target_draw_rate: Option<f64>,
    /// Largest distance from that share.
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = a_share, requires = "target_draw_rate")]
    tolerance: f64,
    /// Share of games that balanced lines draw at the limit that the book is for [default: that of the
    /// engine's model].
    #[arg(long, value_name = "SHARE", value_parser = a_share, requires = "target_draw_rate")]
    level_draw_rate: Option<f64>,
    /// Most lines with the same pawns.
    #[arg(long, value_name = "N", default_value_t = 2, requires = "target_draw_rate", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    per_structure: usize,
    /// Lines of Chess960, from its 960 start positions.
    #[arg(long)]
    chess960: bool,
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

/// Largest scores in centipawns: of balanced lines, and of those with a target.
const BALANCED: u32 = 60;
const UNBALANCED: u32 = 400;

fn a_share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if share > 0.0 && share < 1.0 { Ok(share) } else { Err("above 0 and below 1".to_owned()) }
}

impl GenerateArgs {
    fn target(&self) -> Option<DrawTarget> {
        Some(DrawTarget {
            draw_rate: self.target_draw_rate?,
            tolerance: self.tolerance,
            level: self.level_draw_rate,
            per_structure: self.per_structure,
        })
    }
}

/// Runs the command.
///
/// # Errors
/// When the engine fails, games cannot be read, or the file cannot be written.
pub fn run(args: &OpeningsArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        OpeningsCommand::Generate(args) => generate(args, context),
        OpeningsCommand::Polyglot(args) => polyglot::run(args, context),
        OpeningsCommand::Rate(args) => rate::run(args, context),
    }
}

/// Refuses a file name whose ending says another format than the one that is written.
pub fn check_ending(path: &Path, writes: &'static str, others: &[&str]) -> Result<(), Failure> {
    let is_compressed = input::is_compressed(path);
    let ending = input::ending(path);
    if !is_compressed && !others.contains(&&*ending) {
        return Ok(());
    }
    let named = if is_compressed { "compressed".to_owned() } else { format!(".{ending}") };
    Err(Failure::Usage(miette::miette!(
        help = format!("nothing was done: name a file that ends in .{writes}"),
        "{}: this is written as .{writes} and would be read as {named}",
        path.display()
    )))
}

/// Endings that say another format than EPD.
pub const NO_EPD: [&str; 6] = ["pgn", "bin", "games", "vf", "csv", "binpack"];

fn generate(args: &GenerateArgs, context: &Context) -> Result<Exit, Failure> {
    let GenerateArgs { count, seed, nodes, chess960, .. } = *args;
    let target = args.target();
    let usual = if target.is_some() { UNBALANCED } else { BALANCED };
    let max_score = args.max_score.unwrap_or(usual);
    let file = Some(&args.output).filter(|path| path.as_os_str() != "-");
    if let Some(path) = file {
        check_ending(path, "epd", &NO_EPD)?;
        try_to_write(path)?;
    }
    let run = BookRun {
        recipe: Recipe {
            count,
            plies: args.plies.clone(),
            seed,
            nodes,
            max_score,
            target,
            chess960,
        },
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
