//! `harness data generate`: games of the linked engine against itself.

use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::commands::plies::plies;
use crate::config::Config;
use crate::context::Context;
use crate::data::generate::{Card, CardError, Failed, Output, Recipe, generate};
use crate::failure::{Exit, Failure, OrFail};
use crate::player::pool::start_with;
use crate::player::{self, EngineSpec, Fault, FaultKind, Limit, OptionArg, StartSettings};
use crate::report::Progress;
use crate::report::text::{duration, grouped};
use crate::runs::preflight;

/// Plays games to learn from: random openings that are balanced, both sides at fixed nodes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data generate --games 10000 --nodes 5000 -o train.games
  harness data generate --games 10000 --nodes 5000 -o train.games --resume    # go on after a stop
  harness data generate --games 10000 --option EvalFile=net.nnue --seed 2 -o second.games

Whole games are stored, with the score and depth of every move (.games), or as viriformat (.vf).
Each game follows from the seed and its number: the same file whatever --jobs says. More --games
with --resume add to a file. Beside it stands FILE.yaml, which says how it was made. `harness data
view` chooses the positions to learn from.")]
pub struct GenerateArgs {
    /// Games in the file at the end.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// A move is played after the iteration that passes so many nodes.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// A search ends at so many nodes in any case [default: 8 times --nodes].
    #[arg(long, value_name = "N")]
    hard_nodes: Option<u64>,
    /// Random plies of the opening: a number, or a range to draw from.
    #[arg(long, value_name = "N|N-M", default_value = "8-9", value_parser = plies)]
    plies: RangeInclusive<u32>,
    /// The largest score of an opening for either side, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 400)]
    balance: u32,
    /// Both sides see one of them win by so many centipawns for two moves each: won.
    #[arg(long, value_name = "CP", default_value_t = 2500)]
    win_score: u32,
    /// Both sides see at most so many centipawns for six moves each from move 40 on: drawn.
    #[arg(long, value_name = "CP", default_value_t = 4)]
    draw_score: u32,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Who plays both sides.
    #[arg(long, value_name = "ENGINE", default_value = "builtin")]
    engine: String,
    /// A UCI option of the engine; Hash is 4 unless given.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<OptionArg>,
    /// Games at the same time [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The file: .games or .vf.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Goes on with a file that is there.
    #[arg(long)]
    resume: bool,
}

/// Runs the command.
///
/// # Errors
/// When the engine fails, the file is another's or cannot be written, or the user stops it.
pub fn run(args: &GenerateArgs, context: &Context) -> Result<Exit, Failure> {
    let recipe = recipe(args, context)?;
    let jobs = args.jobs.map_or_else(crate::runs::games::cores, usize::from);
    let asked = Asked { recipe: &recipe, path: &args.output, games: args.games, jobs };
    let filled = fill(&asked, args.resume, context)?;
    report(&filled, args, context)?;
    Ok(Exit::Good)
}

/// Games that are to be in a file.
pub struct Asked<'a> {
    /// What decides them.
    pub recipe: &'a Recipe,
    /// The file.
    pub path: &'a Path,
    /// How many are to be there at the end.
    pub games: u64,
    /// Played at the same time.
    pub jobs: usize,
}

/// A file that has its games.
pub struct Filled {
    /// What is in it.
    pub card: Card,
    seconds: f64,
    /// Positions an hour.
    speed: u64,
}

/// Plays what is missing in a file.
///
/// # Errors
/// When the engine fails, the file is another's or cannot be written, or the user stops it.
pub fn fill(asked: &Asked<'_>, resume: bool, context: &Context) -> Result<Filled, Failure> {
    let Asked { recipe, path, games: wanted, jobs } = *asked;
    preflight::probe_one(&recipe.engine, Limit::Nodes(recipe.nodes), context, &|text| {
        context.warn(text)
    })?;
    let mut output = Output::open(path, recipe.clone(), resume).or_usage()?;
    let (already, before) = (output.card().games, output.card().moves);
    let start = start_with(StartSettings::default());
    let mut progress = Progress::start(Some(wanted), already, context.quiet);
    let started = Instant::now();
    let mut keep = |game| -> Result<ControlFlow<()>, CardError> {
        output.add(&game)?;
        let Card { games, moves, .. } = *output.card();
        progress.show(games, |pace| {
            let speed = hourly(moves - before, started);
            let left = pace
                .seconds_left
                .map_or_else(String::new, |seconds| format!(", {} left", duration(seconds)));
            format!(
                "{} of {} games, {} positions, {} an hour{left}",
                grouped(games),
                grouped(wanted),
                grouped(moves),
                grouped(speed)
            )
        });
        let stop = context.interrupt.is_set();
        Ok(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let numbers = already..wanted.max(already);
    let played = generate(recipe, numbers, jobs, &start, &context.interrupt, &mut keep);
    drop(progress);
    let speed = hourly(output.card().moves - before, started);
    let seconds = started.elapsed().as_secs_f64();
    // Whatever ended the games, those that were played are kept.
    let card = output.finish().or_failed()?;
    let kept = format!("{} games are in {}; --resume goes on", grouped(card.games), path.display());
    match played {
        _ if context.interrupt.is_set() => Err(Failure::Interrupted(kept)),
        Ok(()) => Ok(Filled { card, seconds, speed }),
        Err(Failed::Keeper(error)) => Err(error).or_failed(),
        Err(Failed::Player(fault)) => Err(failed(&fault, &kept)),
        Err(Failed::Interrupted) => Err(Failure::Interrupted(kept)),
        Err(Failed::NotStarted(fault)) if fault.kind == FaultKind::Setting => {
            Err(Failure::Usage(miette::miette!("{fault}")))
        }
        Err(Failed::NotStarted(fault)) => Err(failed(&fault, "no game was played")),
    }
}

fn hourly(moves: u64, started: Instant) -> u64 {
    (3_600.0 * moves as f64 / started.elapsed().as_secs_f64().max(1e-3)) as u64
}

fn failed(fault: &Fault, kept: &str) -> Failure {
    Failure::Failed(miette::miette!(help = kept.to_owned(), "{fault}"))
}

fn recipe(args: &GenerateArgs, context: &Context) -> Result<Recipe, Failure> {
    let config = Config::find().or_usage()?;
    let specs = player::resolve_all(&[&args.engine], &[], &args.options, &config, context);
    let mut engine = specs.or_usage()?.remove(0);
    if !engine.options.keys().any(|name| name.eq_ignore_ascii_case("hash")) {
        // Games are short of nodes, and there are two tables a thread to be cleared each time.
        engine.options.insert("Hash".to_owned(), "4".to_owned());
    }
    let mut adjudication = Recipe::usual_adjudication();
    if let Some(resign) = &mut adjudication.resign {
        resign.score = args.win_score;
    }
    if let Some(draw) = &mut adjudication.draw {
        draw.score = args.draw_score;
    }
    Ok(Recipe {
        harness: env!("CARGO_PKG_VERSION").to_owned(),
        files: files(&engine).or_usage()?,
        engine,
        seed: args.seed,
        plies: [*args.plies.start(), *args.plies.end()],
        balance: args.balance,
        balance_nodes: args.nodes,
        nodes: args.nodes,
        hard_nodes: args.hard_nodes.unwrap_or(args.nodes.saturating_mul(8)).max(args.nodes),
        adjudication,
    })
}

/// What the files are that options name, so that another net of the same name is noticed.
///
/// # Errors
/// When one of them cannot be read.
pub fn files(engine: &EngineSpec) -> Result<Vec<String>, CardError> {
    let named = engine.options.values().filter(|value| Path::new(value).is_file());
    let hashes = named.map(|value| {
        let content = std::fs::read(value);
        let content =
            content.map_err(|reason| CardError::Unreadable { path: value.into(), reason })?;
        let digest = Sha256::digest(&content);
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    });
    hashes.collect()
}

fn report(filled: &Filled, args: &GenerateArgs, context: &Context) -> Result<(), Failure> {
    let Filled { card, seconds, speed } = filled;
    let [wins, draws, losses] = card.results;
    if context.json {
        let told = json!({
            "games": card.games, "positions": card.moves, "wins": wins, "draws": draws,
            "losses": losses, "seconds": seconds, "positions_per_hour": speed,
            "file": args.output,
        });
        return context.print(&format!("{told}\n"));
    }
    context.print(&format!(
        "{} games with {} positions in {}: White won {}, drew {}, lost {}\n{} positions an hour\n",
        grouped(card.games),
        grouped(card.moves),
        args.output.display(),
        grouped(wins),
        grouped(draws),
        grouped(losses),
        grouped(*speed),
    ))
}
