//! `harness calibrate`: how strong an engine is at its stated strengths.

use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use engine::search::KNOTS;
use serde_json::json;

use super::adjudication::AdjudicationArgs;
use super::play::say_rounded;
use super::print;
use super::watch::watched;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::files::{try_to_write, write_file};
use crate::kinds::{RunSink, games as kind};
use crate::ledger::Ledger;
use crate::player::{self, EngineSpec, Limit, OptionArg, Program};
use crate::runs::calibrate::{Anchor, CalibrationRequest, rate};

/// The fixed opponents: what Debian installs as `stockfish` (15.1). Its `UCI_Elo` goes from 1350; with
/// these nodes it searches as deeply as its levels ask for.
const ANCHORS: [&str; 5] = [
    "stockfish@1350:nodes=6000",
    "stockfish@1500:nodes=6000",
    "stockfish@1700:nodes=6000",
    "stockfish@1900:nodes=6000",
    "stockfish@2100:nodes=20000",
];

/// Measures how strong an engine is at values of its `UCI_Elo`.
#[derive(Debug, Args)]
#[command(mut_arg("max_moves", |arg| arg.default_value("200")), after_help = "\
Examples:
  harness calibrate                                # the linked engine's knots, after a new network
  harness calibrate --levels 800,1200,1600,2000 --seed 2 --within 50
  harness calibrate ./my-engine --levels 1000,1500,2000 --limit tc=5+0.05
  harness calibrate --anchor 'glaurung@2700:tc=5+0.05' --anchor 'stockfish@2300:nodes=100000'
  harness calibrate --from last                    # rates what was played so far

Each level plays the next one and the nearest fixed opponents, whose strength is taken as stated; they
are given their `UCI_Elo`. All levels are rated together by maximum likelihood (Bradley and Terry). In
games with each other, versions of one engine are further apart than in games with others: how much, is
a parameter of the fit, and levels beyond the fixed opponents are rated with it.

For the linked engine at its knots the table of settings is printed again, to be pasted into
engine/src/search/strength.rs. Its mistakes and the openings follow from the seed.

The run is a match: Ctrl-C loses no game, `harness resume last` continues and rates it; --from rates
what is there.
Exit status: 0, with --within 1 if a level is further off.")]
pub struct CalibrateArgs {
    /// The engine.
    #[arg(value_name = "ENGINE", default_value = "builtin")]
    engine: String,
    /// Values of `UCI_Elo` to measure [default: the knots of the linked engine].
    #[arg(long, value_name = "ELO,...", value_delimiter = ',')]
    levels: Vec<u32>,
    /// A fixed opponent with its strength and limit [default: stockfish at 1350 to 2100].
    #[arg(long = "anchor", value_name = "ENGINE@ELO:LIMIT")]
    anchors: Vec<Anchor>,
    /// Games of each two players that meet, in pairs: an odd number is rounded up, with a note.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = RangedU64ValueParser::<u64>::new().range(2..=1_000_000))]
    games: u64,
    /// The engine's limit besides that of its strength.
    #[arg(long, value_name = "LIMIT", default_value = "depth=64")]
    limit: Limit,
    /// A UCI option for all players, or for one.
    #[arg(long = "option", value_name = "[ENGINE.]NAME=VALUE")]
    options: Vec<OptionArg>,
    /// Seed of the openings and of the linked engine's mistakes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games played at the same time [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Fail if a level is further than this from its statement.
    #[arg(long, value_name = "ELO")]
    within: Option<f64>,
    /// Play nothing: rate the games of this run.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["levels", "anchors"])]
    from: Option<String>,
    /// Write the result as JSON, too.
    #[arg(short, long, value_name = "FILE.json")]
    output: Option<PathBuf>,
    #[command(flatten)]
    adjudication: AdjudicationArgs,
}

/// Runs the command.
///
/// # Errors
/// When an engine is missing or does not start, or the user interrupts.
pub fn run(args: &CalibrateArgs, context: &Context) -> Result<Exit, Failure> {
    args.output.as_deref().map(try_to_write).transpose()?;
    let run = match &args.from {
        Some(run) => run.clone(),
        None => play(args, context)?,
    };
    let calibration = rate(&Ledger::open_to_read(&context.reports)?, &run)?;
    if let Some(path) = &args.output {
        let text = format!("{:#}\n", json!(calibration));
        let hint = Some("name a file that can be written with `-o FILE.json`");
        write_file(path, text.as_bytes(), hint).or_failed()?;
    }
    print::outcome(&kind::calibration(&calibration, args.within)?, context)
}

/// Plays the games; gives the run.
fn play(args: &CalibrateArgs, context: &Context) -> Result<String, Failure> {
    let anchors = match &args.anchors[..] {
        [] => ANCHORS.map(|text| text.parse().expect("a test reads them")).to_vec(),
        given => given.to_vec(),
    };
    let names = anchors.iter().map(|anchor| anchor.engine.as_str());
    let names: Vec<&str> = std::iter::once(args.engine.as_str()).chain(names).collect();
    let config = Config::find().or_usage()?;
    say_rounded("--games", args.games, context);
    let specs = resolve(&names, &args.options, &config, context)?;
    let mut specs = specs.into_iter();
    let engine = specs.next().expect("the engine was asked for first");
    let levels = match &args.levels[..] {
        [] if engine.program != Program::Builtin => {
            return Err(Failure::Usage(miette::miette!(
                help = "such as --levels 1000,1500,2000",
                "the values of `UCI_Elo` to measure are missing"
            )));
        }
        [] => KNOTS.iter().map(|knot| knot.elo.round() as u32).collect(),
        given => given.to_vec(),
    };
    let request = CalibrationRequest {
        engine,
        limit: args.limit,
        levels,
        anchors: specs.zip(anchors).collect(),
        games: args.games,
        seed: args.seed,
        jobs: args.jobs.map(usize::from),
        adjudication: args.adjudication.rules(),
        within: args.within,
    };
    let run = request.plan()?;
    context.say(&format!("seed {}", args.seed));
    let playing = |sink: &RunSink<'_>| run.start(context, &|event| kind::show(event, sink));
    let finished = watched(context, playing, kind::ending)?;
    Ok(finished.summary.run)
}

/// The engines of names of which some are the same: their Elo tells these apart, and an option of the
/// name is for all of them.
fn resolve(
    names: &[&str],
    options: &[OptionArg],
    config: &Config,
    context: &Context,
) -> Result<Vec<EngineSpec>, Failure> {
    let mut unlike = names.to_vec();
    unlike.sort_unstable();
    unlike.dedup();
    let mut specs = player::resolve_all(&unlike, &[], options, config, context)?;
    for (spec, name) in specs.iter_mut().zip(&unlike) {
        if let Some((first, _)) = spec.name.rsplit_once('#').filter(|_| !name.contains('#')) {
            spec.name = first.to_owned();
        }
    }
    let found = |name: &&str| unlike.binary_search(name).ok().map(|index| specs[index].clone());
    Ok(names.iter().filter_map(found).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_anchors_are_anchors() {
        assert!(ANCHORS.iter().all(|text| text.parse::<Anchor>().is_ok()));
    }
}
