//! `harness sprt`: is the new engine better than the old one?

use clap::Args;
use clap::builder::RangedU64ValueParser;
use thiserror::Error;

use super::play::{self, PlayArgs};
use super::rule::{RuleArgs, Ruled};
use crate::commands::choice::choice;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::report::sprt_plan_text;
use crate::runs::games::GamesRun;
use crate::stats::{DRAW_RATIOS, Model, Sprt, SprtPlan};

/// Plays game pairs until it is clear whether NEW is better than OLD.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness sprt HEAD main
  harness sprt ./new ./old --nodes 20000 --elo0=-5 --elo1 0
  harness sprt . HEAD --tc 4+0.04 --option Hash=16 --jobs 4
  harness sprt HEAD main --bounds falling --stop-futile
  harness sprt --plan --elo0 0 --elo1 5 --bounds falling --stop-futile=0.2

A generalized sequential probability ratio test over game pairs, as fishtest has it. The null
hypothesis is that NEW is better by --elo0, the alternative that it is better by --elo1. The
defaults suit a young engine: [0, 10] normalized Elo decides within a few thousand games. A
mature one asks for less, such as [0, 3]; a simplification must not lose: [-5, 0].

--bounds falling ends every test: its bounds are lines that meet, after a number of games that is known
before. At a hypothesis it takes 2 % more games than Wald's bounds, half way between them 11 % fewer,
and its long tests are 30 % shorter. --bounds triangular (the 2-SPRT) makes the longest test shortest.
Both error rates are computed, not approximated, and are at most --alpha and --beta. --stop-futile
rejects where the games left do not suffice; --plan prints what it costs. `harness docs fewer-games`.

The usual Elo of a test that has stopped has a stopping bias: it says too much. `Seq` is the
median-unbiased estimate with its interval, the overshoot of the last pair corrected for (M. Van
den Bergh, \"GSPRT approximation\"; D. Siegmund, \"Sequential Analysis\", 1985). --plan and the games
that are left while a test runs are those of Wald's identity for a walk of the same drift.

Exit status: 0 accepted, 1 rejected, 3 undecided after --max-games. Ctrl-C or a crash loses no
finished game: `harness resume last` continues. `harness match --help` says how games are played.")]
pub struct SprtArgs {
    /// The engine to be tested; `new` in --option and --limit.
    #[arg(value_name = "NEW", required_unless_present = "plan")]
    new: Option<String>,
    /// What it is tested against; `old` in --option and --limit.
    #[arg(value_name = "OLD", required_unless_present = "plan")]
    old: Option<String>,
    /// Play nothing: print the chance to pass and the games to expect, by true difference.
    #[arg(long, conflicts_with_all = ["new", "old"])]
    plan: bool,
    /// Shares of drawn games: bounds that fall are computed for the first [default: 0.5], --plan shows all
    /// [default: 0.3,0.5,0.7].
    #[arg(long, value_name = "SHARE,...", value_delimiter = ',', value_parser = draw_ratio)]
    draw_ratio: Vec<f64>,
    /// Elo of the null hypothesis.
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Elo of the alternative.
    #[arg(long, value_name = "ELO", default_value_t = 10.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Chance to accept when the truth is --elo0.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    alpha: f64,
    /// Chance to reject when the truth is --elo1.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    beta: f64,
    /// What kind of Elo --elo0 and --elo1 are.
    #[arg(long, value_parser = choice::<Model>(), default_value_t)]
    model: Model,
    #[command(flatten)]
    rule: RuleArgs,
    /// Give up after this many games; an odd number is rounded up, with a note [default: 40,000, or
    /// where the bounds meet].
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    max_games: Option<u64>,
    #[command(flatten)]
    play: PlayArgs,
}

/// Runs the command.
///
/// # Errors
/// When an engine or a file is missing, an engine does not start, or the user interrupts.
pub fn run(args: &SprtArgs, context: &Context) -> Result<Exit, Failure> {
    if args.plan {
        let ratios = if args.draw_ratio.is_empty() { &DRAW_RATIOS[..] } else { &args.draw_ratio };
        let Ruled { sprt, max_games } = test(args)?;
        let plan = SprtPlan::new(sprt, ratios, max_games).or_usage()?;
        return context.show(&plan, || sprt_plan_text(&plan));
    }
    args.play.warn_of_unused(context);
    play::start(plan_with(args, &Config::find().or_usage()?, context)?, context)
}

fn test(args: &SprtArgs) -> Result<Ruled, Failure> {
    let sprt = Sprt::new(args.model, args.elo0, args.elo1, args.alpha, args.beta).or_usage()?;
    args.rule.apply(&sprt, args.draw_ratio.first().copied(), args.max_games).or_usage()
}

/// The test, with the engines of a configuration; nothing is started.
///
/// # Errors
/// When an engine or a file is missing, or the flags make no sense.
pub fn plan_with(args: &SprtArgs, config: &Config, context: &Context) -> Result<GamesRun, Failure> {
    let Ruled { sprt, max_games } = test(args)?;
    // Clap requires both without --plan.
    let engines: Vec<String> = [&args.new, &args.old].into_iter().flatten().cloned().collect();
    play::say_rounded("--max-games", max_games, context);
    play::say_undecidable(&sprt, max_games.next_multiple_of(2), context);
    let mut request = args.play.request(&engines, &["new", "old"], config, context)?;
    (request.games, request.sprt) = (max_games, Some(sprt));
    GamesRun::plan(request)
}

/// A text that is no share of games.
#[derive(Debug, Error)]
#[error("a share of games lies from 0 to below 1")]
pub(super) struct ParseShareError;

pub(super) fn draw_ratio(text: &str) -> Result<f64, ParseShareError> {
    text.parse().ok().filter(|ratio| (0.0..1.0).contains(ratio)).ok_or(ParseShareError)
}
