//! `harness rate`: an engine's rating on a known scale.

use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::play::{PlayArgs, say_rounded};
use super::print;
use super::watch::watched;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds::{RunSink, games as kind};
use crate::ledger::Ledger;
use crate::report::text::rounded;
use crate::runs::rate::{self, REFERENCES, of_list, opponents, rating, read_references};
use crate::stats::games_for_error;

/// Rates an engine on a known scale: games against engines with published ratings.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness rate ./my-engine --tc 10+0.1 --error 20
  harness rate HEAD --references my-list.yaml --tc 40/60+0.6 --jobs 4
  harness rate builtin --list 'CCRL 40/15' --nodes 20000 --max-games 400
  harness rate --print-references > my-list.yaml    # a file to begin with
  harness rate --from last                          # rates what was played so far

Opponents are chosen as the results come in: each stage meets the reference that tells most of what is
not known yet, and the run ends when half of the 95 % interval is --error or less, or after --max-games.
The interval has the error of the games, that of the published ratings, and how far the references
disagree. One that wins or loses everything gets a bound.

References that are not installed, or are another version than the rated one, are left out with a note.
The figures of the file that comes with the harness have their sources beside them; ratings change, and so
does the scale with the time control: `harness docs ratings` says when not to use it.

The run is a match: Ctrl-C loses no game, `harness resume last` continues and rates it.
Exit status: 0 the interval is as narrow as asked for, 3 it is not.")]
pub struct RateArgs {
    /// The engine to be rated.
    #[arg(value_name = "ENGINE", required_unless_present_any = ["from", "print_references"])]
    engine: Option<String>,
    /// Half of the 95 % interval that is narrow enough, in Elo.
    #[arg(long, value_name = "ELO", default_value = "20", value_parser = error_of_a_rating)]
    error: f64,
    /// Engines with published ratings, YAML or CSV [default: Debian's].
    #[arg(long, value_name = "FILE")]
    references: Option<PathBuf>,
    /// The rating list whose engines are used [default: that of the first one of the file].
    #[arg(long, value_name = "LIST")]
    list: Option<String>,
    /// Most games, in pairs: an odd number is rounded up, with a note.
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = RangedU64ValueParser::<u64>::new().range(2..=10_000_000))]
    max_games: u64,
    /// Print the file of references that is used without --references, and play nothing.
    #[arg(long, conflicts_with_all = ["engine", "from"])]
    print_references: bool,
    /// Play nothing: rate the games of this run.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["engine", "references"])]
    from: Option<String>,
    #[command(flatten)]
    play: PlayArgs,
}

fn error_of_a_rating(text: &str) -> Result<f64, String> {
    let error: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    let is_one = (0.5..=1000.0).contains(&error);
    if is_one { Ok(error) } else { Err("an error of 0.5 to 1000 Elo can be asked for".to_owned()) }
}

/// Runs the command.
///
/// # Errors
/// When the engine or all references are missing, or the user interrupts.
pub fn run(args: &RateArgs, context: &Context) -> Result<Exit, Failure> {
    if args.print_references {
        context.print(REFERENCES)?;
        return Ok(Exit::Good);
    }
    let run = match (&args.from, &args.engine) {
        (Some(run), _) => run.clone(),
        (None, Some(engine)) => play(args, engine, context)?,
        (None, None) => unreachable!("one of them is required"),
    };
    let report = rating(&Ledger::open_to_read(&context.reports)?, &run)?;
    print::outcome(&kind::rating(&report)?, context)
}

/// Plays the games; gives the run.
fn play(args: &RateArgs, engine: &str, context: &Context) -> Result<String, Failure> {
    say_rounded("--max-games", args.max_games, context);
    let needed = games_for_error(args.error);
    if args.max_games < needed {
        context.say(&format!(
            "note: --max-games {} is too few for --error {}: between equals that takes about {} games",
            args.max_games,
            args.error,
            rounded(needed as f64)
        ));
    }
    let config = Config::find().or_usage()?;
    let references = read_references(args.references.as_deref()).or_usage()?;
    let references = of_list(references, args.list.as_deref()).or_usage()?;
    args.play.warn_of_unused(context);
    let mut request = args.play.request(&[engine.to_owned()], &[], &config, context)?;
    request.games = args.max_games;
    let (found, left_out) = opponents(&references, request.limits[0], &config, context)?;
    for reason in left_out {
        context.warn(&format!("left out: {reason}"));
    }
    let run = rate::plan(request, found, args.error)?;
    let playing = |sink: &RunSink<'_>| run.start(context, &|event| kind::show(event, sink));
    let finished = watched(context, playing, kind::ending)?;
    Ok(finished.summary.run)
}
