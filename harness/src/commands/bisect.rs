//! `harness bisect`: which commit lost strength?

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::play::PlayArgs;
use super::watch::shown;
use crate::bisect::run::{BisectRun, Measure};
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds;
use crate::player;
use crate::runs::games::GamesRun;

/// Finds the commit that lost strength, or that broke a test.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness bisect v1.2 HEAD --nodes 10000              # which commit lost 10 Elo or more?
  harness bisect v1.2 HEAD --tc 4+0.04 --elo 20 --error 0.02
  harness bisect v1.2 HEAD --test 'harness check {}'  # which broke UCI conformance?
  harness bisect v1.2 HEAD --test '{} bench | grep -q 2841937'

GOOD is an ancestor of BAD; along merges the first parent is followed. Commits are built as
`harness sprt` builds revisions, and skipped if they do not build. First it is seen whether BAD is
weaker than GOOD at all.

Games are noisy, so no step decides: each batch of games moves the probability of every commit to
be the first bad one, and the next batch goes to the commit whose games carry the most information,
a built one if its games carry nearly as much. The loss is not assumed, but estimated on the way. Beside halving with an
SPRT at each step, with the same error, that takes 0.8 of the games if the loss is the one looked
for, and 0.1 to 0.5 if it is two to four times as large (`harness docs bisect`).

With --test no game is played: the shell command, in which {} is the program, says good by exit
status 0, bad by another below 126, and 125 skips the commit. A test that cannot be run (126, 127) or
that a signal ends is an error. GOOD and BAD are tested first; they and the neighbours of the answer are
tested twice, and a test that contradicts itself is reported as flaky (exit status 3).

Exit status: 0 found, 1 no loss, 3 undecided after --max-games. `harness resume` continues.")]
pub struct BisectArgs {
    /// A revision before the loss.
    #[arg(value_name = "GOOD")]
    good: String,
    /// A revision after it.
    #[arg(value_name = "BAD", default_value = "HEAD")]
    bad: String,
    /// The loss that is looked for, in Elo.
    #[arg(long, value_name = "ELO", default_value_t = 10.0, value_parser = elo)]
    elo: f64,
    /// Probability of a wrong answer.
    #[arg(long, value_name = "RATE", default_value_t = 0.05, value_parser = rate)]
    error: f64,
    /// Pairs of games between two decisions where to play.
    #[arg(long, value_name = "PAIRS", default_value_t = 50, value_parser = RangedU64ValueParser::<u64>::new().range(1..=100_000))]
    batch: u64,
    /// Give up after this many games.
    #[arg(long, value_name = "N", default_value_t = 40_000, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    max_games: u64,
    /// A shell command that says good or bad instead of games; {} is the program.
    #[arg(long, value_name = "COMMAND", value_parser = command)]
    test: Option<String>,
    #[command(flatten)]
    play: PlayArgs,
}

/// A shell command that does something.
fn command(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("an empty command passes always") } else { Ok(text.to_owned()) }
}

/// Runs the command.
///
/// # Errors
/// When a revision is missing or does not build, an engine fails, or the user interrupts.
pub fn run(args: &BisectArgs, context: &Context) -> Result<Exit, Failure> {
    let (good, commits) = player::commits_between(&args.good, &args.bad).or_usage()?;
    let measure = match &args.test {
        Some(command) => Measure::Test(command.clone()),
        None => {
            let ends = [&commits[commits.len() - 1].hash, &good.hash].map(String::clone);
            let config = Config::find().or_usage()?;
            args.play.warn_of_unused(context);
            let mut request = args.play.request(&ends, &["bad", "good"], &config, context)?;
            request.games = 2 * args.batch;
            let (mut plan, starting) = GamesRun::plan(request)?.into_plan();
            plan.engines[1].name = good.short().to_owned();
            Measure::Games { plan: Box::new(plan), starting, max_games: args.max_games }
        }
    };
    let repository = player::repository_root().or_usage()?;
    let bisect = BisectRun { repository, good, commits, elo: args.elo, error: args.error, measure };
    shown(context, |sink| kinds::bisect::start(&bisect, context, sink))
}

fn elo(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|elo| (0.5..=1000.0).contains(elo));
    value.ok_or_else(|| "a loss is from 0.5 to 1000 Elo".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|rate| (1e-4..=0.4).contains(rate));
    value.ok_or_else(|| "a rate of errors is from 0.0001 to 0.4".to_owned())
}
