//! `harness data generate`: games of an engine against itself.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::commands::engines::engine;
use crate::commands::plies::plies;
use crate::commands::watch::watched;
use crate::context::Context;
use crate::data::generate::Recipe;
use crate::failure::{Exit, Failure, OrFail};
use crate::files::refuse_of_ledger;
use crate::kinds::RunSink;
use crate::kinds::generate::show;
use crate::player::OptionArg;
use crate::report::text::{counted, grouped};
use crate::runs::generate::{GenerateRun, Generated};
use crate::runs::notices::Ending;
use crate::text::path::encode_path;

/// Generates games for training: random balanced openings, both sides at fixed nodes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data generate --games 10000 --nodes 5000 -o train.games
  harness data generate --games 10000 --nodes 5000 -o train.games --resume    # continue after a stop
  harness data generate --games 10000 --option EvalFile=net.nnue --seed 2 -o second.games
  harness data generate --games 1000000 -o train.games --on nats://box   # by workers

Whole games are stored, with the score and depth of every move (.games), or as viriformat (.vf).
Each game follows from the seed and its number: the same file whatever --jobs says. More --games
with --resume add to a file. FILE.yaml beside it stores the settings. `harness data view` selects
the positions of a training set.")]
pub struct GenerateArgs {
    /// Games in the file at the end.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// Soft limit: a search ends after the iteration that passes N nodes.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Hard limit: a search ends at N nodes [default: 8 times --nodes].
    #[arg(long, value_name = "N")]
    hard_nodes: Option<u64>,
    /// Random plies of the opening: a number, or a range to draw from.
    #[arg(long, value_name = "N|N-M", default_value = "8-9", value_parser = plies)]
    plies: RangeInclusive<u32>,
    /// Largest score of an opening for either side, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 400)]
    balance: u32,
    /// Adjudicate a win when both sides score it at CP or more for two moves each.
    #[arg(long, value_name = "CP", default_value_t = 2500)]
    win_score: u32,
    /// Adjudicate a draw when both sides score at most CP for six moves each from move 40 on.
    #[arg(long, value_name = "CP", default_value_t = 4)]
    draw_score: u32,
    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The engine of both sides.
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
    /// Go on with a file that is there.
    #[arg(long)]
    resume: bool,
}

/// Runs the command.
pub fn run(args: &GenerateArgs, context: &Context) -> Result<Exit, Failure> {
    refuse_of_ledger(&args.output)?;
    let run = GenerateRun {
        recipe: recipe(args, context)?,
        path: args.output.clone(),
        games: args.games,
        jobs: args.jobs.map(usize::from),
        resume: args.resume,
    };
    let report = |generated: &Generated| {
        let Generated { card, seconds, speed } = generated;
        let [wins, draws, losses] = card.results;
        json!({
            "games": card.games, "positions": card.moves, "wins": wins, "draws": draws,
            "losses": losses, "seconds": seconds, "positions_per_hour": speed, "file": encode_path(&args.output),
        })
    };
    let ending =
        |generated: &Generated| Ending { summary: Some(report(generated)), exit: Some(Exit::Good) };
    let generating = |sink: &RunSink<'_>| run.start(context, &|event| show(event, sink));
    let generated = watched(context, generating, ending)?;
    let report = report(&generated);
    let Generated { card, speed, .. } = generated;
    let [wins, draws, losses] = card.results;
    let text = || {
        format!(
            "{} with {} in {}: White won {}, drew {}, lost {}\n\
             {} positions an hour\n",
            counted(card.games, "game", "games"),
            counted(card.moves, "position", "positions"),
            args.output.display(),
            grouped(wins),
            grouped(draws),
            grouped(losses),
            grouped(speed),
        )
    };
    context.show(&report, text)
}

fn recipe(args: &GenerateArgs, context: &Context) -> Result<Recipe, Failure> {
    let engine = engine(&args.engine, &args.options, context)?;
    if let Some(hard) = args.hard_nodes.filter(|&hard| hard < args.nodes) {
        return Err(Failure::Usage(miette::miette!(
            help = "no search would reach the soft limit: the hard one is at least that",
            "--hard-nodes {hard} is below --nodes {}",
            args.nodes
        )));
    }
    let usual = Recipe::new(engine, args.nodes).or_usage()?;
    let mut recipe = Recipe {
        seed: args.seed,
        plies: [*args.plies.start(), *args.plies.end()],
        balance: args.balance,
        hard_nodes: args.hard_nodes.unwrap_or(usual.hard_nodes),
        ..usual
    };
    let adjudication = &mut recipe.adjudication;
    adjudication.resign.iter_mut().for_each(|resign| resign.score = args.win_score);
    adjudication.draw.iter_mut().for_each(|draw| draw.score = args.draw_score);
    Ok(recipe)
}
