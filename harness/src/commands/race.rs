//! `harness race`: which of several candidates is best, and is it better than the base?

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::play::{self, PlayArgs};
use crate::commands::choice::choice;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::runs::games::GamesRun;
use crate::stats::race::{BATCH, RaceRule};
use crate::stats::{Model, Sprt};

/// Finds the best of several candidates, and tests whether it is better than the base.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness race HEAD HEAD~1 HEAD~2 --base HEAD~3
  harness race ./a ./b ./c ./d --base ./main --nodes 20000 --elo1 5
  harness race builtin builtin builtin --base builtin --nodes 5000 \\
      --limit 'builtin#2:nodes=6000' --limit 'builtin#3:nodes=7000'

In the heats all runners that are left play each other from the same openings. After each heat those are
dropped for which it is settled that they are not the best; from four candidates on the base runs, too. The
last candidate plays the final against the base, from openings that no heat has had: an SPRT as that of
`harness sprt`. So the verdict is wrong with a probability of at most --alpha, whatever number of candidates
there is; and a candidate that is better by --elo1 than the base, and by the difference of --elo0 and --elo1
than each other candidate, is missed with a probability of at most --beta.

Candidates of the same name are told apart by numbers, as `fish#2`; --base is `base` in --option and --limit.

Exit status: 0 the best one is better than the base, 1 none is, 3 undecided after --max-games. Ctrl-C or a
crash loses no finished game: `harness resume last` continues. `harness docs race` has the mathematics and
tells when not to race; `harness match --help` says how games are played.")]
pub struct RaceArgs {
    /// The candidates.
    #[arg(value_name = "CANDIDATE", required = true, num_args = 1..)]
    candidates: Vec<String>,
    /// What the best one is tested against; `base` in --option and --limit.
    #[arg(long, value_name = "ENGINE")]
    base: String,
    /// Elo of the null hypothesis: the best one is better than the base by this.
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Elo of the alternative; the difference of the two is what candidates are told apart by.
    #[arg(long, value_name = "ELO", default_value_t = 10.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Chance that any candidate passes when none is better than the base by more than --elo0.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    alpha: f64,
    /// Chance that none passes when one is better by --elo1.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    beta: f64,
    /// What kind of Elo --elo0 and --elo1 are.
    #[arg(long, value_parser = choice::<Model>(), default_value_t)]
    model: Model,
    /// Give up after this many games; an odd number is rounded up, with a note.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    max_games: u64,
    /// Pairs of a heat, at least: more keep many workers busy, fewer drop runners sooner.
    #[arg(long, value_name = "PAIRS", default_value_t = BATCH, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000))]
    batch: u64,
    #[command(flatten)]
    play: PlayArgs,
}

/// Runs the command.
///
/// # Errors
/// When an engine or a file is missing, an engine does not start, or the user interrupts.
pub fn run(args: &RaceArgs, context: &Context) -> Result<Exit, Failure> {
    play::start(plan_with(args, &Config::find().or_usage()?, context)?, context)
}

/// The race, with the engines of a configuration; nothing is started.
///
/// # Errors
/// When an engine or a file is missing, or the flags make no sense.
pub fn plan_with(args: &RaceArgs, config: &Config, context: &Context) -> Result<GamesRun, Failure> {
    let test = Sprt::new(args.model, args.elo0, args.elo1, args.alpha, args.beta).or_usage()?;
    play::say_rounded("--max-games", args.max_games, context);
    let engines: Vec<String> =
        std::iter::once(&args.base).chain(&args.candidates).cloned().collect();
    let mut request = args.play.request(&engines, &["base"], config, context)?;
    request.race = Some(RaceRule {
        test,
        candidates: args.candidates.len(),
        batch: args.batch,
        max_pairs: args.max_games.div_ceil(2),
        equals: Vec::new(),
    });
    GamesRun::plan(request)
}
