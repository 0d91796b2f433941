//! `harness race`: which of several candidates is best, and is it better than the base?

use std::collections::BTreeSet;
use std::str::FromStr;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use miette::Diagnostic;
use thiserror::Error;

use super::play::{self, PlayArgs};
use super::sprt::draw_ratio;
use crate::commands::choice::choice;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::player::add_variants;
use crate::report::{bar, race_plan_text};
use crate::runs::games::GamesRun;
use crate::stats::race::simulation::{RacePlan, Scenario, compare, scenarios};
use crate::stats::race::{BASE, BATCH, RaceRule};
use crate::stats::{Model, PLANNED_DRAWS, Shape, Sprt};

/// Finds the best of several candidates, and tests whether it is better than the base.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness race HEAD HEAD~1 HEAD~2 --base HEAD~3
  harness race ./a ./b ./c ./d --base ./main --nodes 20000 --elo1 5
  harness race --base ./engine --vary lmr_base=70,80,90 --nodes 20000
  harness race --base ./engine --vary EvalFile=a.nnue,b.nnue,c.nnue --tc 8+0.08
  harness race a b c d --base main --on nats://HOST --batch 1000
  harness race --plan --elo1 5                     # games and error rates beside other ways

In the heats all runners that are left play each other from the same openings. After each heat those are
dropped for which it is settled that they are not the best; from six candidates on the base runs, too. The
last candidate plays the final against the base, from openings that no heat has had: an SPRT as that of
`harness sprt`. So the verdict is wrong with a probability of at most --alpha, whatever number of candidates
there is; and a candidate that is better by --elo1 than the base, and by the difference of --elo0 and --elo1
than each other candidate, is missed with a probability of at most --beta.

Candidates of the same name are distinguished by numbers, as `fish#2`; --base is `base` in --option and --limit.

Exit status: 0 the best one is better than the base, 1 none is, 3 undecided after --max-games. Ctrl-C or a
crash loses no finished game: `harness resume last` continues. `harness docs race` has the mathematics and
tells when not to race; `harness match --help` says how games are played.")]
pub struct RaceArgs {
    /// The candidates.
    #[arg(value_name = "CANDIDATE", required_unless_present_any = ["plan", "vary"])]
    candidates: Vec<String>,
    /// Opponent of the best one in its test; `base` in --option and --limit.
    #[arg(long, value_name = "ENGINE", required_unless_present = "plan")]
    base: Option<String>,
    /// The base with each of these values of a UCI option as further candidates; several times: every
    /// combination.
    #[arg(long, value_name = "OPTION=VALUE,...", requires = "base")]
    vary: Vec<Variation>,
    /// Play nothing: simulate what races cost and how often they err, beside other ways to find the best.
    #[arg(long, conflicts_with_all = ["candidates", "base", "vary"])]
    plan: bool,
    /// With --plan: numbers of candidates [default: 2,4,8,16].
    #[arg(long, value_name = "N,...", value_delimiter = ',', requires = "plan", value_parser = clap::value_parser!(u16).range(1..=256))]
    candidate_counts: Vec<u16>,
    /// Share of drawn games: --plan and bounds that fall are computed for it.
    #[arg(long, value_name = "SHARE", default_value_t = PLANNED_DRAWS, value_parser = draw_ratio)]
    draw_ratio: f64,
    /// With --plan: simulated runs of each way.
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "plan", value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000_000))]
    simulations: u64,
    /// Elo of the null hypothesis: the best one is better than the base by this.
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Elo of the alternative; the difference of the two is what distinguishes candidates.
    #[arg(long, value_name = "ELO", default_value_t = 10.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Chance that any candidate passes when none is better than the base by more than --elo0.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    alpha: f64,
    /// Chance that none passes when one is better by --elo1.
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    beta: f64,
    /// Kind of Elo of --elo0 and --elo1.
    #[arg(long, value_parser = choice::<Model>(), default_value_t)]
    model: Model,
    /// Form of the bounds of the final: those of Wald stand still; falling ones meet, after a proven number of
    /// games.
    #[arg(long, value_name = "FORM", value_parser = choice::<Shape>(), default_value_t, conflicts_with = "plan")]
    bounds: Shape,
    /// Give up after this many games; an odd number is rounded up, with a note.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    max_games: u64,
    /// Pairs of a heat, at least: more keep many workers busy, fewer drop runners sooner.
    #[arg(long, value_name = "PAIRS", default_value_t = BATCH, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000))]
    batch: u64,
    #[command(flatten)]
    play: PlayArgs,
}

/// Values of an option that candidates differ in: `OPTION=VALUE,...`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Variation {
    option: String,
    values: Vec<String>,
}

/// A text that is no variation.
#[derive(Debug, Error)]
#[error("write OPTION=VALUE,VALUE,..., such as lmr_base=70,80,90: each value once, and none empty")]
struct ParseVariationError;

impl FromStr for Variation {
    type Err = ParseVariationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (option, values) = text.split_once('=').ok_or(ParseVariationError)?;
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        let distinct: BTreeSet<&String> = values.iter().collect();
        let option = option.trim().to_owned();
        if option.is_empty() || distinct.len() < values.len() || values.iter().any(String::is_empty)
        {
            return Err(ParseVariationError);
        }
        Ok(Variation { option, values })
    }
}

/// The base with every combination of the values: of each the options.
fn combinations(variations: &[Variation]) -> Vec<Vec<(&str, &str)>> {
    let mut all: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for Variation { option, values } in variations {
        let with = |one: &Vec<_>| -> Vec<Vec<_>> {
            let value = |value| one.iter().copied().chain([(option.as_str(), value)]).collect();
            values.iter().map(String::as_str).map(value).collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    all.retain(|options| !options.is_empty());
    all
}

/// More candidates than a race can have.
#[derive(Debug, Error, Diagnostic)]
#[error("{0} candidates are too many: each plays each other in every round")]
#[diagnostic(help(
    "a race has at most {MAX_CANDIDATES}; `harness tune` searches among more values"
))]
struct TooMany(usize);

/// Fewer games than those of the first round.
#[derive(Debug, Error, Diagnostic)]
#[error("--max-games {given} is less than a round of the race, which has {round} games")]
#[diagnostic(help(
    "in a round all {runners} runners play each other, two games each pairing; a heat is as many rounds as make \
     --batch pairs, and a final follows: `harness race --plan` says what races take"
))]
struct NoRound {
    given: u64,
    round: u64,
    runners: usize,
}

/// Most candidates of a race.
const MAX_CANDIDATES: usize = 256;

/// Runs the command.
///
/// # Errors
/// When an engine or a file is missing, an engine does not start, or the user interrupts.
pub fn run(args: &RaceArgs, context: &Context) -> Result<Exit, Failure> {
    if args.plan {
        let plan = simulate(args, context)?;
        return context.show(&plan, || race_plan_text(&plan));
    }
    play::start(plan_with(args, &Config::find().or_usage()?, context)?, context)
}

fn test(args: &RaceArgs) -> Result<Sprt, Failure> {
    Sprt::new(args.model, args.elo0, args.elo1, args.alpha, args.beta).or_usage()
}

/// Simulates races, and the other ways.
fn simulate(args: &RaceArgs, context: &Context) -> Result<RacePlan, Failure> {
    let test = test(args)?;
    let counts = match &args.candidate_counts[..] {
        [] => &[2, 4, 8, 16],
        given => given,
    };
    let scenarios: Vec<Scenario> =
        counts.iter().flat_map(|&count| scenarios(count.into(), &test)).collect();
    let total = args.simulations.saturating_mul(scenarios.len() as u64);
    let bar = bar(total, "{wide_bar} {pos}/{len} runs, {eta} left", context.quiet);
    let compared = scenarios.into_iter().map(|scenario| {
        if context.interrupt.is_finishing() {
            return Err(Failure::Interrupted("the plan was not finished".to_owned()));
        }
        compare(test, args.draw_ratio, scenario, args.simulations, &mut || bar.inc(1)).or_usage()
    });
    let comparisons = compared.collect::<Result<_, Failure>>()?;
    bar.finish_and_clear();
    let (draw_ratio, simulations) = (args.draw_ratio, args.simulations);
    Ok(RacePlan { test, draw_ratio, simulations, comparisons })
}

/// The race, with the engines of a configuration; nothing is started.
///
/// # Errors
/// When an engine or a file is missing, or the flags make no sense.
pub fn plan_with(args: &RaceArgs, config: &Config, context: &Context) -> Result<GamesRun, Failure> {
    let test = test(args)?;
    play::say_rounded("--max-games", args.max_games, context);
    // Clap requires a base without --plan.
    let engines: Vec<String> = args.base.iter().chain(&args.candidates).cloned().collect();
    let variations = combinations(&args.vary);
    let candidates = args.candidates.len() + variations.len();
    if candidates > MAX_CANDIDATES {
        return Err(TooMany(candidates)).or_usage();
    }
    args.play.warn_of_unused(context);
    let mut request = args.play.request(&engines, &["base"], config, context)?;
    add_variants(&mut request.engines, BASE, &variations);
    let limit = request.limits[BASE];
    request.limits.resize(request.engines.len(), limit);
    let rule = RaceRule::new(test, candidates, args.max_games.div_ceil(2));
    let rule = rule.and_then(|rule| rule.with_bounds(args.bounds, args.draw_ratio)).or_usage()?;
    let rule = RaceRule { batch: args.batch, ..rule };
    check_games(&rule, args.max_games, context).or_usage()?;
    request.race = Some(rule);
    GamesRun::plan(request)
}

/// Refuses a race that could not play its first round, and says what one needs that could not be decided.
fn check_games(rule: &RaceRule, given: u64, context: &Context) -> Result<(), NoRound> {
    let round = rule.first_round();
    if rule.max_pairs < round {
        let runners = rule.candidates + usize::from(rule.base_runs());
        return Err(NoRound { given, round: 2 * round, runners });
    }
    let fewest = rule.fewest_pairs();
    if rule.max_pairs < fewest {
        context.say(&format!(
            "note: --max-games {given} cannot decide the race: one heat and a final in which one engine wins all \
             games take {}",
            fewest.saturating_mul(2)
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_values_is_a_candidate() {
        let parse = |text: &str| text.parse::<Variation>();
        let both = ["a=1,2", "File = x.nnue , y=z.nnue"].map(|text| parse(text).expect(text));
        let expected = [
            [("a", "1"), ("File", "x.nnue")],
            [("a", "1"), ("File", "y=z.nnue")],
            [("a", "2"), ("File", "x.nnue")],
            [("a", "2"), ("File", "y=z.nnue")],
        ];
        assert_eq!(combinations(&both), expected);
        assert!(combinations(&[]).is_empty());
        for wrong in ["a", "=1", "a=", "a=1,,2", "a=1,1", ""] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
