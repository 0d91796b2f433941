//! `harness match`: games between engines, and how far they are apart.

use clap::Args;
use clap::builder::RangedU64ValueParser;
use miette::Diagnostic;
use thiserror::Error;

use super::play::{self, PlayArgs};
use crate::arena::{Colours, Format, Pairing};
use crate::commands::choice::choice;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::runs::games::GamesRun;

/// Plays games between engines and tells how far they are apart.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness match builtin stockfish --nodes 20000 --games 100
  harness match ./new ./old --tc 8+0.08 --games 1000 --jobs 4 --option Hash=16
  harness match builtin stockfish glaurung --format round-robin --openings book.pgn
  harness match builtin stockfish --limit stockfish:depth=5 --draw-score 8 --draw-moves 8 \\
      --draw-from 40 --resign-score 600 --resign-moves 4
  harness match a b c d e f g h --format knockout --games 10 --tc 10+0.1
  harness match a b --variant king-of-the-hill --tc 8+0.08
  harness match a b c d e f --format swiss --swiss-rounds 4 --tc 60hg --ponder

An ENGINE is `builtin`, a name in harness.yaml, a program on PATH, the path of an executable,
or a git revision such as `HEAD`. Each opening is played twice, with colours swapped, and error
bars are computed from these pairs. With a fixed number of nodes or depth the same seed gives
the same games, whatever --jobs says.

A clock starts with its base and one increment. Whatever an engine does wrong (late, illegal
move, crash, silence) is its loss; after a crash or a hang it is restarted. An engine that
cannot be started ends the match, and nothing is counted.

Before the first game each engine is probed: does it respect the limit, and does `ucinewgame` clear
its state? It is refused or warned about otherwise; --no-probe continues all the same.

Ctrl-C or a crash loses no finished game: `harness resume last` continues. `harness stop last` ends a
match after the games in progress.")]
pub struct MatchArgs {
    /// Who plays: two engines or more.
    #[arg(value_name = "ENGINE", required = true, num_args = 2..)]
    engines: Vec<String>,
    /// Games that each two engines play, in pairs: an odd number is rounded up, with a note.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    games: u64,
    /// With three engines or more: who meets whom.
    #[arg(long, value_parser = choice::<Format>(), default_value_t)]
    format: Format,
    /// With a gauntlet: how many of the first engines play it, not against each other unless
    /// --seeds-meet.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    seeds: Option<u16>,
    /// Those engines of a gauntlet play each other, too.
    #[arg(long, requires = "seeds")]
    seeds_meet: bool,
    /// Rounds of a Swiss tournament [default: as many as a knockout would have].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    swiss_rounds: Option<u16>,
    /// The engine that is named first has White in all games of a pairing, each from an opening of
    /// its own. The result then says how strong it is with White.
    #[arg(long)]
    no_swap: bool,
    /// The engine that is named first has Black in the first game of a pair.
    #[arg(long)]
    reverse: bool,
    /// An opening of its own for each pair of games; without, all pairings of a round share one.
    #[arg(long, help_heading = "Openings")]
    own_openings: bool,
    #[command(flatten)]
    play: PlayArgs,
}

impl MatchArgs {
    fn pairing(&self) -> Pairing {
        Pairing {
            colours: Colours { fixed: self.no_swap, reversed: self.reverse },
            own_openings: self.own_openings,
            seeds: self.seeds.map(usize::from),
            seeds_meet: self.seeds_meet,
            swiss_rounds: self.swiss_rounds.map(u64::from),
        }
    }
}

/// A gauntlet without opponents.
#[derive(Debug, Error, Diagnostic)]
#[error("--seeds {seeds} leaves no opponent: there are {engines} engines")]
#[diagnostic(help("name more engines, or give fewer seeds"))]
struct NoOpponents {
    seeds: usize,
    engines: usize,
}

/// A flag of another format.
#[derive(Debug, Error, Diagnostic)]
#[error("{flag} is for `--format {format}`")]
#[diagnostic(help("give that format, or leave the flag out"))]
struct OtherFormat {
    flag: &'static str,
    format: Format,
}

impl MatchArgs {
    /// Refuses flags that the format has no use for.
    fn check_format(&self) -> Result<(), OtherFormat> {
        for (flag, is_given, format) in [
            ("--seeds", self.seeds.is_some(), Format::Gauntlet),
            ("--swiss-rounds", self.swiss_rounds.is_some(), Format::Swiss),
        ] {
            if is_given && self.format != format {
                return Err(OtherFormat { flag, format });
            }
        }
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// When an engine or a file is missing, an engine does not start, or the user interrupts.
pub fn run(args: &MatchArgs, context: &Context) -> Result<Exit, Failure> {
    args.play.warn_of_unused(context);
    play::start(plan_with(args, &Config::find().or_usage()?, context)?, context)
}

/// The match, with the engines of a configuration; nothing is started.
///
/// # Errors
/// When an engine or a file is missing, or the flags make no sense.
pub fn plan_with(
    args: &MatchArgs,
    config: &Config,
    context: &Context,
) -> Result<GamesRun, Failure> {
    args.check_format().or_usage()?;
    play::say_rounded("--games", args.games, context);
    let mut request = args.play.request(&args.engines, &[], config, context)?;
    let engines = args.engines.len();
    let seeds = args.seeds.map_or(1, usize::from);
    if seeds >= engines {
        return Err(NoOpponents { seeds, engines }).or_usage();
    }
    (request.format, request.games) = (args.format, args.games);
    request.pairing = args.pairing();
    GamesRun::plan(request)
}
