//! `harness suite`: how many positions of a test suite an engine solves.

mod audit;
mod make;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use self::audit::AuditArgs;
use self::make::SuiteMakeArgs;
use super::watch::shown;
use crate::config::Config;
use crate::context::{Context, Session};
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds;
use crate::player::{Limit, OptionArg, parse_movetime, resolve_all};
use crate::runs::suite::{SuiteRequest, SuiteRun};
use crate::suite::{Suite, read_baseline};

/// How many positions of a test suite an engine solves; `suite audit` looks at the suite itself,
/// `suite make` makes one.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(disable_help_subcommand = true)]
#[command(override_usage = "harness suite [OPTIONS] <NAME|FILE.epd> [ENGINE]...
       harness suite audit [OPTIONS] <NAME|FILE.epd>
       harness suite make [OPTIONS] --engine <ENGINE> --output <FILE.epd>")]
#[command(after_help = "\
Suites that come with the harness:
  wac    Win at Chess, 300 tactical positions
  eret   Eigenmann Rapid Engine Test, 111 positions by theme
  bk     Bratko-Kopec Test, 24 positions

Examples:
  harness suite wac
  harness suite eret stockfish --movetime 15s
  harness suite ./my.epd builtin stockfish --nodes 100000 --jobs 2 --option Hash=64
  harness suite wac --json > before.json
  harness suite wac --baseline before.json
  harness suite eret stockfish --movetime 15s --hold 4
  harness suite audit ./my.epd --engine stockfish
  harness suite make --engine stockfish --from games.pgn -o my.epd

An ENGINE is `builtin` (the default), a name in harness.yaml, a program on PATH, the path of
an executable, or a git revision such as `HEAD`. The hash table is empty before each position.
With --baseline the exit status is 1 if the result is significantly worse (McNemar, 5 %). It must
have the same positions and limit; a limit in time also needs a machine that is as fast. It is 1, too,
where an engine failed in every position.")]
pub struct SuiteArgs {
    #[command(subcommand)]
    command: Option<SuiteCommand>,
    #[command(flatten)]
    search: Option<SearchArgs>,
}

impl SuiteArgs {
    /// Whether it searches a suite, which workers may do.
    pub fn searches(&self) -> bool {
        self.command.is_none()
    }
}

#[derive(Debug, Subcommand)]
enum SuiteCommand {
    Audit(AuditArgs),
    Make(SuiteMakeArgs),
}

/// The suite and engines to search.
#[derive(Debug, Args)]
struct SearchArgs {
    /// A suite's name, or the path of an EPD file.
    #[arg(value_name = "NAME|FILE.epd")]
    suite: String,
    /// The engines.
    #[arg(value_name = "ENGINE", default_value = "builtin")]
    engines: Vec<String>,
    /// Time a position: 1s, 100ms, or a number of milliseconds [default: as the suite says].
    #[arg(long, value_name = "TIME", value_parser = parse_movetime, group = "limit")]
    movetime: Option<Duration>,
    /// Nodes a position; the result does not depend on the machine.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), group = "limit")]
    nodes: Option<u64>,
    /// Depth a position, in plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..), group = "limit")]
    depth: Option<u8>,
    /// End a search early once the solution was kept for this many iterations.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    hold: Option<u32>,
    /// Lines to search (the option MultiPV): shows the rank of the solution.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=256))]
    multipv: Option<u32>,
    /// Positions searched at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// Restart the engine for every position: for one whose results at fixed nodes depend on
    /// earlier searches although `ucinewgame` stands between (`harness check` shows it).
    #[arg(long)]
    restart: bool,
    /// A UCI option for all engines, or for one.
    #[arg(long = "option", value_name = "[ENGINE.]NAME=VALUE")]
    options: Vec<OptionArg>,
    /// An earlier --json result of the same suite and limit to compare with.
    #[arg(long, value_name = "FILE.json")]
    baseline: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When an engine or a file is missing, an engine fails, or the user interrupts.
pub fn run(args: &SuiteArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        Some(SuiteCommand::Audit(args)) => return audit::run(args, context),
        Some(SuiteCommand::Make(args)) => return make::run(args, context),
        None => {}
    }
    let run = plan_with(args, &Config::find().or_usage()?, context)?;
    shown(context, |sink| kinds::suite::start(&run, context, sink))
}

/// The run, with the engines of a configuration; nothing is started.
///
/// # Errors
/// When no suite is named, or an engine or a file is missing.
pub fn plan_with(
    args: &SuiteArgs,
    config: &Config,
    session: &Session,
) -> Result<SuiteRun, Failure> {
    let Some(args) = &args.search else {
        let help = "`harness suite --help` lists the suites";
        return Err(Failure::Usage(miette::miette!(help = help, "no suite is named")));
    };
    let suite = Suite::load(&args.suite).or_usage()?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose().or_usage()?;
    let mut engines = resolve_all(&args.engines, &[], &args.options, config, session)?;
    if let Some(lines) = args.multipv {
        for engine in &mut engines {
            engine.options.insert("MultiPV".to_owned(), lines.to_string());
        }
    }
    let limit = args.movetime.map(Limit::MoveTime).or(args.nodes.map(Limit::Nodes));
    let limit = limit.or(args.depth.map(Limit::Depth));
    let jobs = usize::from(args.jobs);
    let hold = args.hold;
    let restart = args.restart;
    let request =
        SuiteRequest { limit, hold, jobs, restart, baseline, ..SuiteRequest::new(engines) };
    SuiteRun::plan(suite, request)
}
