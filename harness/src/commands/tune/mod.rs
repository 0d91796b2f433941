//! `harness tune`: tunes the parameters of an engine.

mod apply;
mod bench;
mod init;
mod texel;

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use serde_json::json;

use super::engines::engine;
use super::watch::shown;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds;
use crate::report::parameters_text;
use crate::runs::tune::{TuneRequest, TuneRun};
use crate::tuning::experiment::{EXAMPLE, Experiment};
use crate::tuning::methods::{METHODS, Method, SCREEN};

/// Tunes an engine's parameters by playing games.
#[derive(Debug, Args)]
#[command(
    subcommand_help_heading = "Methods and helpers",
    after_help = "\
Examples:
  harness tune init builtin -o tuning/lmr.yaml   # an experiment to edit
  harness tune run tuning/lmr.yaml               # plays it, with the default method
  harness tune pso tuning/lmr.yaml               # with another one
  harness tune screen tuning/all.yaml            # which of 40 parameters matter at all?
  harness resume last                            # continues after Ctrl-C or a crash
  harness tune apply last                        # writes the values into the engine's table
  harness tune apply last --format uci           # prints them for any engine

The result is tested against the start by an SPRT (`validation:` in the experiment). The
run's folder has report.html and steps.csv, a line a trial."
)]
pub struct TuneArgs {
    #[command(subcommand)]
    command: TuneCommand,
}

impl TuneArgs {
    /// Whether it tunes by games, which workers may play.
    pub fn plays_games(&self) -> bool {
        use TuneCommand::{Method, Run, Screen};
        matches!(self.command, Run(_) | Screen(_) | Method(_))
    }
}

#[derive(Debug, Subcommand)]
enum TuneCommand {
    Apply(apply::ApplyArgs),
    Bench(bench::BenchArgs),
    Init(init::InitArgs),
    /// Play an experiment with its method, or with the default one.
    Run(RunArgs),
    /// Find which parameters of an experiment matter at all.
    Screen(PlayArgs),
    #[command(flatten)]
    Method(MethodCommand),
    Texel(texel::TexelArgs),
    /// List the methods.
    Methods,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = format!(
    "`harness tune init ENGINE` writes an experiment that runs as it is. One with every key:\n\n\
     {EXAMPLE}"
))]
struct RunArgs {
    #[command(flatten)]
    play: PlayArgs,
    /// Another method than the experiment's.
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
}

#[derive(Clone, Debug, Args)]
struct PlayArgs {
    /// The experiment, YAML.
    #[arg(value_name = "CONFIG")]
    experiment: PathBuf,
    /// Another number of games.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    games: Option<u64>,
    /// Another seed.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Pairs played at the same time [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Do not test the result.
    #[arg(long)]
    no_validation: bool,
}

/// The subcommand of a method; there is one for each of [`METHODS`].
#[derive(Debug)]
struct MethodCommand {
    name: &'static str,
    args: PlayArgs,
}

impl FromArgMatches for MethodCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<MethodCommand, clap::Error> {
        let chosen = matches.subcommand().and_then(|(name, matches)| {
            Some((METHODS.iter().find(|method| method.name == name)?, matches))
        });
        let (method, matches) =
            chosen.ok_or_else(|| clap::Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(MethodCommand { name: method.name, args: PlayArgs::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = MethodCommand::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for MethodCommand {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        command.subcommands(METHODS.iter().map(|method| {
            let about = format!("Tune with {}", method.about);
            PlayArgs::augment_args(clap::Command::new(method.name)).about(about)
        }))
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        MethodCommand::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        METHODS.iter().any(|method| method.name == name)
    }
}

/// Runs the command.
///
/// # Errors
/// When the experiment is invalid, the engine fails, or the user interrupts.
pub fn run(args: &TuneArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        TuneCommand::Apply(args) => apply::run(args, context),
        TuneCommand::Bench(args) => bench::run(args, context),
        TuneCommand::Init(args) => init::run(args, context),
        TuneCommand::Run(args) => start(&args.play, args.method.as_deref(), context),
        TuneCommand::Screen(args) => {
            let args = PlayArgs { no_validation: true, ..args.clone() };
            start(&args, Some(SCREEN.name), context)
        }
        TuneCommand::Method(MethodCommand { name, args }) => start(args, Some(name), context),
        TuneCommand::Texel(args) => texel::run(args, context),
        TuneCommand::Methods => {
            let line = |method: &Method| format!("{:<12} {}\n", method.name, method.about);
            let object = |method: &Method| json!({ "name": method.name, "about": method.about });
            let methods: Vec<_> = METHODS.iter().map(object).collect();
            context.show(&json!({ "methods": methods }), || METHODS.iter().map(line).collect())
        }
    }
}

fn start(args: &PlayArgs, method: Option<&str>, context: &Context) -> Result<Exit, Failure> {
    let experiment = Experiment::read(&args.experiment).or_usage()?;
    let request = TuneRequest {
        method: experiment.method(method).or_usage()?,
        engine: engine(&experiment.engine, &[], context)?,
        experiment,
        games: args.games,
        seed: args.seed,
        jobs: args.jobs,
        validate: !args.no_validation,
    };
    let run = TuneRun::plan(request, context)?;
    let plan = &run.plan;
    context.say(parameters_text(plan.space.parameters(), &run.steps).trim_end());
    plan.detectable().iter().for_each(|text| context.say(text));
    plan.short_run_warning().iter().for_each(|text| context.warn(text));
    shown(context, |sink| kinds::tune::start(&run, context, sink))
}
