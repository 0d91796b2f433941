//! `harness openings`: making opening books.

mod polyglot;

use std::io;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use miette::Diagnostic;
use serde_json::json;
use thiserror::Error;

use self::polyglot::PolyglotArgs;
use super::plies::plies;
use crate::arena::generate::{GenerateError, Made, Recipe, generate, to_epd};
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::write_atomically;
use crate::player::pool::start_with;
use crate::player::{self, EngineSpec, FaultKind, Limit, OptionArg, StartSettings};
use crate::runs::preflight;

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
    /// Nodes of the search that judges a position.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The largest score for either side, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 60)]
    max_score: u32,
    /// Who judges.
    #[arg(long, value_name = "ENGINE", default_value = "builtin")]
    engine: String,
    /// A UCI option of the engine.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<OptionArg>,
    /// Positions judged at the same time [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Where to write; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// A book that was made but cannot be written.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot write {}: {source}", path.display())]
#[diagnostic(help("name another file with --output"))]
struct Unwritable {
    path: PathBuf,
    source: io::Error,
}

/// Runs the command.
///
/// # Errors
/// When the engine fails, games cannot be read, or the file cannot be written.
pub fn run(args: &OpeningsArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        OpeningsCommand::Generate(args) => generate_book(args, context),
        OpeningsCommand::Polyglot(args) => polyglot::run(args, context),
    }
}

fn generate_book(args: &GenerateArgs, context: &Context) -> Result<Exit, Failure> {
    let recipe = recipe(args);
    let spec = engine(args, context)?;
    let (book, candidates) = make(&recipe, args, &spec, context)?;
    report(&recipe, args, &book, candidates, context)
}

fn recipe(args: &GenerateArgs) -> Recipe {
    let GenerateArgs { count, seed, nodes, max_score, .. } = *args;
    Recipe { count, plies: args.plies.clone(), seed, nodes, max_score }
}

fn engine(args: &GenerateArgs, context: &Context) -> Result<EngineSpec, Failure> {
    let config = Config::find().or_usage()?;
    let mut specs =
        player::resolve_all(&[&args.engine], &[], &args.options, &config, context).or_usage()?;
    Ok(specs.remove(0))
}

fn make(
    recipe: &Recipe,
    args: &GenerateArgs,
    spec: &EngineSpec,
    context: &Context,
) -> Result<(Vec<Made>, u64), Failure> {
    preflight::probe_one(spec, Limit::Nodes(recipe.nodes), context, &|text| context.warn(text))?;
    let jobs = args.jobs.map_or_else(crate::runs::games::cores, usize::from);
    let bar = ProgressBar::new(recipe.count as u64);
    if context.quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} openings  {msg}  {eta}") {
        bar.set_style(style);
    }
    let mut looked_at = 0;
    let start = start_with(StartSettings::default());
    let made =
        generate(recipe, spec, jobs, &start, &context.interrupt, &mut |found, candidates| {
            looked_at = candidates;
            bar.set_position(found as u64);
            bar.set_message(format!("of {candidates} looked at"));
            if context.interrupt.is_set() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    bar.finish_and_clear();
    if context.interrupt.is_set() {
        return Err(nothing_written());
    }
    Ok((made.map_err(sort)?, looked_at))
}

/// An interrupted start or search is no fault of the engine.
fn sort(error: GenerateError) -> Failure {
    match error {
        GenerateError::Engine(fault) if fault.kind == FaultKind::Interrupted => nothing_written(),
        GenerateError::Engine(fault) if fault.kind == FaultKind::Setting => {
            Failure::Usage(GenerateError::Engine(fault).into())
        }
        other => Failure::Failed(other.into()),
    }
}

fn nothing_written() -> Failure {
    Failure::Interrupted("nothing was written".to_owned())
}

fn report(
    recipe: &Recipe,
    args: &GenerateArgs,
    book: &[Made],
    candidates: u64,
    context: &Context,
) -> Result<Exit, Failure> {
    let text = to_epd(&header(recipe, args), book);
    let to_stdout = args.output.as_os_str() == "-";
    if !to_stdout {
        write_atomically(&args.output, text.as_bytes())
            .map_err(|source| Unwritable { path: args.output.clone(), source })
            .or_failed()?;
    }
    if context.json {
        let file = (!to_stdout).then_some(&args.output);
        let openings = book.len();
        let output = json!({ "openings": openings, "candidates": candidates, "file": file });
        context.print(&format!("{output}\n"))?;
    } else if to_stdout {
        context.print(&text)?;
    } else {
        let (made, file) = (book.len(), args.output.display());
        context.print(&format!("{made} openings of {candidates} looked at, in {file}\n"))?;
    }
    Ok(Exit::Good)
}

/// How to make the same book again.
fn header(recipe: &Recipe, args: &GenerateArgs) -> String {
    let Recipe { count, plies, seed, nodes, max_score } = recipe;
    let plies = match (plies.start(), plies.end()) {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least}-{most}"),
    };
    let engine = &args.engine;
    let options: String = args
        .options
        .iter()
        .map(|option| format!(" --option {}={}", option.name, option.value))
        .collect();
    format!(
        "{count} balanced openings: {plies} random plies, kept where {engine} sees at most \
         {max_score} centipawns for either side\n\
         made by harness {version}: openings generate --count {count} --plies {plies} \
         --seed {seed} --nodes {nodes} --max-score {max_score} --engine {engine}{options}\n\
         ce: the score for the side to move, in centipawns",
        version = env!("CARGO_PKG_VERSION"),
    )
}
