//! `harness tune`: finding the parameter values with which an engine plays best.

mod apply;
mod bench;
mod draft;
mod init;
mod learner;
mod live;
mod replay;
mod run;
mod steps;
mod summary;
mod texel;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use engine::params::{Export, Format as ExportFormat};
use serde_json::{Value, json};

use super::play::watched;
use super::report::write_page;
use crate::arena::{Conduct, Format, Openings, OpeningsSpec, Order, Plan as MatchPlan, Strictness};
use crate::config::Config;
use crate::context::Context;
use crate::data::view::Collected;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::{Ledger, Resumed, Run, Status, write_atomically};
use crate::outcome::{MatchSummary, TuneSummary};
use crate::player::probe::Probe;
use crate::player::{
    self, DeclaredOption, EngineSpec, Fault, FaultKind, NamedFiles, OptionArg, Program,
};
use crate::runs::games::{self, GamesRun, interruption};
use crate::runs::preflight;
use crate::stats::{Model, Sprt};
use crate::tuning::experiment::Experiment;
use crate::tuning::methods::{METHODS, Method, SCREEN};
use crate::tuning::offer::{Offer, StepFrom};
use crate::tuning::space::Parameter;
pub use replay::{ReplayError, replay};
use run::{Plan, settings};
use summary::tune_text;

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
  harness resume last                            # goes on after Ctrl-C or a crash
  harness tune apply last                        # writes the values into the engine's table
  harness tune apply last --format uci           # prints them for any engine

The result is tested against the start by an SPRT (`validation:` in the experiment). The
run's folder has report.html and steps.csv, a line a trial."
)]
pub struct TuneArgs {
    #[command(subcommand)]
    command: TuneCommand,
}

#[derive(Debug, Subcommand)]
enum TuneCommand {
    Apply(apply::ApplyArgs),
    Bench(bench::BenchArgs),
    Init(init::InitArgs),
    /// Plays an experiment with the method that it names, or with the best one.
    Run(RunArgs),
    /// Finds which parameters of an experiment matter at all.
    Screen(PlayArgs),
    /// Plays an experiment with SPSA whose hyperparameters follow from the number of games.
    Spsa(PlayArgs),
    /// Plays an experiment with a Gaussian process.
    Bayes(PlayArgs),
    /// Plays an experiment with CMA-ES.
    Cmaes(PlayArgs),
    /// Plays an experiment with a particle swarm.
    Pso(PlayArgs),
    /// Plays an experiment with a simplex.
    NelderMead(PlayArgs),
    /// Plays an experiment with simulated annealing.
    Annealing(PlayArgs),
    /// Plays an experiment with SPSA as in fishtest.
    Fishtest(PlayArgs),
    /// Plays an experiment with SPSA as OpenBench has it.
    Openbench(PlayArgs),
    Texel(texel::TexelArgs),
    /// Lists the methods.
    Methods,
}

/// An experiment with every key.
const EXPERIMENT: &str = include_str!("experiment.yaml");

#[derive(Clone, Debug, Args)]
#[command(after_help = format!(
    "`harness tune init ENGINE` writes an experiment that runs as it is. One with every key:\n\n\
     {EXPERIMENT}"
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

/// What an engine's program is run with to print its parameters, and how long that may take.
const LIST_COMMAND: &[&str] = &["params", "--format", "openbench"];
const LIST_PATIENCE: Duration = Duration::from_secs(5);

/// Runs the command.
///
/// # Errors
/// When the experiment makes no sense, the engine fails, or the user interrupts.
pub fn run(args: &TuneArgs, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        TuneCommand::Apply(args) => apply::run(args, context),
        TuneCommand::Bench(args) => bench::run(args, context),
        TuneCommand::Init(args) => init::run(args, context),
        TuneCommand::Run(args) => start(&args.play, args.method.as_deref(), context),
        TuneCommand::Screen(args) => screen(args, context),
        TuneCommand::Spsa(args) => start(args, Some("spsa"), context),
        TuneCommand::Bayes(args) => start(args, Some("bayes"), context),
        TuneCommand::Cmaes(args) => start(args, Some("cmaes"), context),
        TuneCommand::Pso(args) => start(args, Some("pso"), context),
        TuneCommand::NelderMead(args) => start(args, Some("nelder-mead"), context),
        TuneCommand::Annealing(args) => start(args, Some("annealing"), context),
        TuneCommand::Fishtest(args) => start(args, Some("fishtest"), context),
        TuneCommand::Openbench(args) => start(args, Some("openbench"), context),
        TuneCommand::Texel(args) => texel::run(args, context),
        TuneCommand::Methods => {
            for method in METHODS {
                context.print(&format!("{:<12} {}\n", method.name, method.about))?;
            }
            Ok(Exit::Good)
        }
    }
}

/// The experiment's games go into one question: what matters?
fn screen(args: &PlayArgs, context: &Context) -> Result<Exit, Failure> {
    let args = PlayArgs { no_validation: true, ..args.clone() };
    start(&args, Some(SCREEN.name), context)
}

fn start(args: &PlayArgs, method: Option<&str>, context: &Context) -> Result<Exit, Failure> {
    let (plan, steps) = plan(args, method, context)?;
    context.say(summary::parameters_text(&plan.space, &steps).trim_end());
    if let Some(text) = plan.promise() {
        context.say(&text);
    }
    if let Some(text) = plan.too_short() {
        context.say(&format!("warning: {text}"));
    }
    probe(&plan, context)?;
    let ledger = Ledger::open(&context.reports).or_failed()?;
    let run = ledger.start_run("tune", &json!(plan)).or_failed()?;
    go_on(&ledger, &run, &plan, context)
}

/// Goes on with a run that ended early.
///
/// # Errors
/// As [`run`]; and when the engine is not what it was.
pub fn resume(ledger: &Ledger, run: &Run, plan: Value, context: &Context) -> Result<Exit, Failure> {
    let plan: Plan = serde_json::from_value(plan).map_err(|error| {
        Failure::Failed(miette::miette!("the plan of run `{}` cannot be read: {error}", run.id()))
    })?;
    player::check_unchanged([&plan.engine], &plan.files).or_usage()?;
    probe(&plan, context)?;
    go_on(ledger, run, &plan, context)
}

/// Tries the limit and both ends of each parameter's range.
fn probe(plan: &Plan, context: &Context) -> Result<(), Failure> {
    let ends = |end: fn(&Parameter) -> f64| {
        let value = |parameter: &Parameter| match parameter.fixed {
            true => parameter.start,
            false => end(parameter),
        };
        let candidate: Vec<f64> = plan.space.parameters().iter().map(value).collect();
        settings(&plan.space, &candidate)
    };
    let largest = ends(|parameter| parameter.max);
    let both = ends(|parameter| parameter.min).into_iter().zip(largest.into_values());
    let asked = Probe {
        ranges: both.map(|((name, least), most)| (name, [least, most])).collect(),
        chess960: plan.conduct.chess960,
        keeps_process: !plan.conduct.restart,
        limit: plan.limit,
    };
    preflight::probe_all([(&plan.engine, asked)], context, &|text| context.warn(text)).map(drop)
}

/// What an experiment comes to with an engine, and where the steps of its parameters come from.
fn plan(
    args: &PlayArgs,
    method: Option<&str>,
    context: &Context,
) -> Result<(Plan, Vec<StepFrom>), Failure> {
    let asked = Experiment::read(&args.experiment).or_usage()?;
    let name = method.or(asked.method.as_deref()).unwrap_or(METHODS[0].name);
    let method = Method::named(name).or_usage()?;
    let config = Config::find().or_usage()?;
    let options: Vec<OptionArg> = Vec::new();
    let mut engine =
        player::resolve_all(std::slice::from_ref(&asked.engine), &[], &options, &config, context)
            .or_usage()?
            .remove(0);
    engine.options.extend(asked.options.clone());
    let (space, steps) = asked.space(&offer(&engine, context)?).or_usage()?;
    let seed = args.seed.unwrap_or(asked.seed);
    let openings = Openings::load(&OpeningsSpec {
        file: asked.openings.as_ref().map(|path| std::path::absolute(path).unwrap_or(path.clone())),
        sha256: None,
        order: Order::Random,
        skip: 0,
        plies: asked.opening_plies,
        seed,
        chess960: false,
    })
    .or_usage()?;
    let mut validation = asked.validation;
    if args.no_validation {
        validation.games = 0;
    }
    let plan = Plan {
        method: method.name.to_owned(),
        limit: asked.limit,
        games: args.games.unwrap_or(asked.games),
        batch: asked.batch,
        jobs: usize::from(args.jobs.or(asked.jobs).unwrap_or(0))
            .max(1)
            .max(if args.jobs.or(asked.jobs).is_none() { games::cores() } else { 1 }),
        seed,
        openings: openings.spec().or_usage()?,
        conduct: Conduct {
            chess960: false,
            adjudication: asked.adjudication(),
            strictness: Strictness { margin: None, watchdog: Duration::from_secs(60) },
            restart: false,
        },
        space,
        validation,
        collect: asked.collect,
        files: NamedFiles::of([&engine]),
        engine,
    };
    Ok((plan, steps))
}

/// What an engine offers to be tuned. An engine that prints its parameters as OpenBench's lines is
/// asked for their steps, so that the linked engine and its program have the same.
fn offer(engine: &EngineSpec, context: &Context) -> Result<Offer, Failure> {
    if engine.program == Program::Builtin {
        let list = Export(ExportFormat::OpenBench).to_string();
        return Ok(Offer::new(&player::Builtin::declared(), Some(&list)));
    }
    let options = declared_by(engine, context)?;
    let bare = Offer::new(&options, None);
    if bare.tunable().next().is_none() {
        return Ok(bare);
    }
    let list = player::printed(engine, LIST_COMMAND, LIST_PATIENCE);
    Ok(list.map_or(bare, |list| Offer::new(&options, Some(&list))))
}

fn declared_by(engine: &EngineSpec, context: &Context) -> Result<Vec<DeclaredOption>, Failure> {
    let settings = player::StartSettings::default();
    match player::UciProcess::start(engine, &settings, &context.interrupt) {
        Ok(process) => Ok(process.declared().to_vec()),
        Err(fault) if fault.kind == FaultKind::Interrupted => {
            Err(Failure::Interrupted("nothing was played".to_owned()))
        }
        Err(fault) => Err(cannot_start(&fault)),
    }
}

fn cannot_start(fault: &Fault) -> Failure {
    Failure::Failed(miette::miette!(
        help = "`harness check ENGINE` shows what it says; no game was played",
        "{fault}"
    ))
}

fn go_on(ledger: &Ledger, run: &Run, plan: &Plan, context: &Context) -> Result<Exit, Failure> {
    let mut summary = run::play(plan, ledger, run, context)?;
    summary.validation = validate(ledger, run, plan, &summary, context)?;
    let collected = Collected::of_run(ledger, run, plan.collect.as_ref()).or_failed()?;
    ledger.finish(run, &json!(summary)).or_failed()?;
    write_page(ledger, run.id())?;
    if context.json {
        context.print(&format!("{}\n", json!(summary)))?;
    } else {
        context.print(&context.hint(&tune_text(&summary)))?;
        collected.iter().try_for_each(|collected| context.print(&collected.to_string()))?;
    }
    Ok(summary.validation.as_ref().map_or(Exit::Good, super::sprt::exit))
}

/// The match of the result against the start: a run of its own, which the tuning run's folder
/// names, so that it is gone on with and not begun again.
fn validate(
    ledger: &Ledger,
    run: &Run,
    plan: &Plan,
    summary: &TuneSummary,
    context: &Context,
) -> Result<Option<MatchSummary>, Failure> {
    if plan.validation.games < 2 || summary.best == summary.start {
        return Ok(None);
    }
    let note = run.folder().join("validation");
    if let Ok(id) = std::fs::read_to_string(&note) {
        let facts = ledger.facts(id.trim()).or_failed()?;
        if facts.status == Status::Finished {
            let told = ledger.summary(&facts.id).or_failed()?.unwrap_or_default();
            return serde_json::from_value(told).map(Some).map_err(|error| {
                Failure::Failed(miette::miette!("the summary of `{}`: {error}", facts.id))
            });
        }
        let resumed = ledger.resume_run(&facts.id).or_failed()?;
        let Resumed { run, plan, .. } = resumed;
        let finished = watched(context, |sink| games::resume(ledger, &run, plan, context, sink))?;
        return Ok(Some(finished.summary));
    }
    let named = |name: &str, values| {
        let mut engine = plan.engine.clone();
        engine.name = name.to_owned();
        engine.options.extend(settings(&plan.space, values));
        engine
    };
    let (start, best) = (plan.space.start(), best_candidate(plan, summary));
    let bounds = plan.validation;
    let sprt = Sprt::new(Model::Normalized, bounds.elo0, bounds.elo1, 0.05, 0.05).or_usage()?;
    let match_plan = MatchPlan {
        engines: vec![named("tuned", &best), named("start", &start)],
        limits: vec![plan.limit; 2],
        format: Format::Gauntlet,
        rounds: bounds.games / 2,
        // Other games than those that were learnt from.
        openings: OpeningsSpec {
            seed: plan.openings.seed.wrapping_add(1),
            ..plan.openings.clone()
        },
        conduct: plan.conduct.clone(),
        jobs: plan.jobs,
        event: format!("validation of {}", run.id()),
    };
    let played = GamesRun::test(match_plan, sprt)?;
    let begun = &mut |validation: &Run| {
        write_atomically(&note, validation.id().as_bytes()).map_err(|error| {
            Failure::Failed(miette::miette!("cannot write {}: {error}", note.display()))
        })
    };
    watched(context, |sink| played.start_in(ledger, context, sink, begun))
        .map(|finished| Some(finished.summary))
        .map_err(|failure| match failure {
            Failure::Interrupted(_) => interruption(run, context),
            other => other,
        })
}

fn best_candidate(plan: &Plan, summary: &TuneSummary) -> Vec<f64> {
    debug_assert_eq!(plan.space.parameters().len(), summary.parameters.len());
    summary.parameters.iter().map(|parameter| parameter.best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_experiment_of_the_help_is_one_and_has_every_key() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("try.yaml");
        std::fs::write(&path, EXPERIMENT).expect("written");
        let experiment = Experiment::read(&path).expect("an experiment");
        assert_eq!((experiment.method.as_deref(), experiment.jobs), (Some("spsa"), Some(4)));
        assert!(experiment.adjudication().tables.is_some() && experiment.collect.is_some());
        // What an unknown key is answered with lists all that there are.
        std::fs::write(&path, format!("{EXPERIMENT}zzzz: 1\n")).expect("written");
        let error = Experiment::read(&path).expect_err("no such key");
        let shown = format!("{:?}", miette::Report::new(error));
        let keys = shown.split("the keys here: ").nth(1).expect(&shown);
        let keys = keys.split('`').next().unwrap_or_default();
        let keys: Vec<&str> =
            keys.split(',').filter_map(|key| key.split_whitespace().last()).collect();
        assert!(keys.len() > 12, "{shown}");
        for key in keys {
            let stands = EXPERIMENT.lines().any(|line| line.starts_with(&format!("{key}:")));
            assert!(stands, "{key}: {shown}");
        }
        assert!(EXPERIMENT.lines().all(|line| line.chars().count() <= 98));
    }
}
