//! `harness loop`: games become data, data become a network, the network plays the next games.

pub mod config;
mod games;
mod learn;
mod shelf;
mod test;
mod text;

use std::path::PathBuf;

use clap::Args;
use engine::eval::nnue::Network;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::config::Config;
use self::shelf::Shelf;
use crate::arena::{Openings, OpeningsSpec, Order};
use crate::commands::train;
use crate::context::Context;
use crate::data::collect::Counts;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::{Ledger, Run};
use crate::outcome::Estimate;
use crate::outcome::loop_summary::{Best, Generation, LoopSummary, sum};
use crate::report::html::loop_page;
use crate::runs::games::{cores, interruption};

/// Trains network after network, each on games of the best one before it.
#[derive(Debug, Args)]
#[command(after_help = "\
CONFIG.yaml, all of which may be missing:
  generations: 5            # networks to train
  start: embedded           # who plays the first games: embedded, classical, a file, or random
  games: { count: 10000, nodes: 5000, plies: [8, 9], balance: 400 }  # of each generation
  keep: 3                   # the newest generations' data are learnt from
  filters: { keep: all, min_ply: 16, max_score: 2000 }  # as `harness data view` has them
  network: { hidden: 64, mirroring: true, buckets: 1, scale: 400 }   # as `harness train`
  training:                 # as `harness train`, and:
    epochs: 20
    blends: [0.5, 1]        # the scores' share of the labels by generation; the last one stays
    go_on: false            # true: each learns on from the best before it, if of the same sizes
    validation: 0.05        # share of the games that only judge
  test:                     # each network against the best one before it, normalized Elo
    { nodes: 5000, elo0: 0, elo1: 10, games: 4000, openings: book.epd, max_moves: 300 }
  jobs: 2                   # games at the same time [default: one a core]
  seed: 1
  output: nets/best         # nets/best.nnue and .json in the end, if a network beat the start

Examples:
  harness loop loop.yaml
  harness resume RUN                    # goes on after Ctrl-C or a crash, wherever it was
  harness loop zero.yaml                # start: random, training: { blends: [0, 0.5, 1] }

`harness runs` lists the runs; each test is one of its own, so `last` may name a test.

A generation: games of the best network with itself; their positions, filtered, each once, in random
order, with those of the generations before; a training; an SPRT at fixed nodes. A network that is
accepted plays the next games; if it is not, the old one does. The run's folder has report.html and a
folder a generation with its games, positions and network.

Exit status: 0 some network beat the start, 1 none did.")]
pub struct LoopArgs {
    /// What to play, to learn and to test.
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
}

/// Everything that decides a loop.
#[derive(Debug, Serialize, Deserialize)]
struct Plan {
    config: Config,
    openings: OpeningsSpec,
    jobs: usize,
}

/// Runs the command.
///
/// # Errors
/// When the configuration makes no sense, a file cannot be written, or the user interrupts.
pub fn run(args: &LoopArgs, context: &Context) -> Result<Exit, Failure> {
    let config = Config::read(&args.config).or_usage()?;
    if let Some(start) = config.starts_by()
        && let Err(reason) = start.load()
    {
        return Err(Failure::Usage(miette::miette!(
            help = "`start` is classical, embedded, random or the file of a network",
            "{start}: {reason}"
        )));
    }
    untrained(&config)?;
    let openings = Openings::load(&OpeningsSpec {
        file: config.test.openings.clone(),
        sha256: None,
        order: Order::Random,
        skip: 0,
        plies: None,
        seed: config.seed,
        chess960: false,
    })
    .or_usage()?;
    let openings = openings.spec().or_usage()?;
    let jobs = config.jobs.map_or_else(cores, usize::from);
    let plan = Plan { config, openings, jobs };
    let ledger = Ledger::open(&context.reports).or_failed()?;
    let run = ledger.start_run("loop", &json!(plan)).or_failed()?;
    go_on(&ledger, &run, &plan, context)
}

/// Goes on with a run that ended early.
///
/// # Errors
/// As [`run`].
pub fn resume(ledger: &Ledger, run: &Run, plan: Value, context: &Context) -> Result<Exit, Failure> {
    let plan: Plan = serde_json::from_value(plan).map_err(|error| {
        Failure::Failed(miette::miette!("the plan of run `{}` cannot be read: {error}", run.id()))
    })?;
    go_on(ledger, run, &plan, context)
}

/// Every step that is done is found done and skipped, so that this goes on wherever it was.
fn go_on(ledger: &Ledger, run: &Run, plan: &Plan, context: &Context) -> Result<Exit, Failure> {
    let start = start(&plan.config, run)?;
    let elo = Estimate::new(0.0, 0.0);
    let best = Best { generation: 0, eval_file: start.clone(), elo };
    let mut summary =
        LoopSummary { run: run.id().to_owned(), start, generations: Vec::new(), best };
    for number in 1..=plan.config.generations {
        let done = generation(ledger, run, plan, number, &summary, context);
        let done = done.map_err(|failure| match failure {
            // What a step says of going on is meant for a command of its own.
            Failure::Interrupted(_) => interruption(run, context),
            other => other,
        })?;
        if done.promoted {
            let ending = plan.config.positions_ending();
            let network = Shelf::of(run, number, ending).or_failed()?.network();
            let eval_file = network.display().to_string();
            summary.best = Best { generation: number, eval_file, elo: done.elo };
        }
        context.say(&text::line(&done, plan.config.generations));
        summary.generations.push(done);
        let page = run.folder().join("report.html");
        shelf::write(&page, loop_page(&summary).as_bytes()).or_failed()?;
    }
    publish(&plan.config, &summary)?;
    ledger.finish(run, &json!(summary)).or_failed()?;
    let object = format!("{}\n", json!(summary));
    context.print(&if context.json { object } else { text::summary(&summary) })?;
    Ok(if summary.best.generation > 0 { Exit::Good } else { Exit::Bad })
}

/// What evaluates in the first games.
fn start(config: &Config, run: &Run) -> Result<String, Failure> {
    if config.starts_by().is_some() {
        return Ok(config.start.clone());
    }
    let path = shelf::absolute(&run.folder().join("start.nnue"));
    if !path.exists() {
        let network = untrained(config)?;
        shelf::write(&path, &network.to_bytes("random weights")).or_failed()?;
    }
    Ok(path.display().to_string())
}

/// A network that has learnt nothing. The engine takes it only if its sizes are sound.
fn untrained(config: &Config) -> Result<Network, Failure> {
    train::untrained(&config.network, config.seed).map_err(|error| {
        Failure::Usage(miette::miette!(
            help = "`harness train --help` tells what `network` may be",
            "there is no such network: {error}"
        ))
    })
}

/// One generation: games, a network, its test.
fn generation(
    ledger: &Ledger,
    run: &Run,
    plan: &Plan,
    number: u32,
    before: &LoopSummary,
    context: &Context,
) -> Result<Generation, Failure> {
    let ending = plan.config.positions_ending();
    let shelf = Shelf::of(run, number, ending).or_failed()?;
    if let Some(done) = shelf::told(&shelf.done()).or_failed()? {
        return Ok(done);
    }
    let (config, best) = (&plan.config, &before.best);
    let step = |what: &str| {
        context.say(&format!("generation {number} of {}: {what}", config.generations));
        if context.interrupt.is_set() { Err(interruption(run, context)) } else { Ok(()) }
    };
    step(&format!("games of {}", text::name(best.generation)))?;
    let played = games::play(config, number, &best.eval_file, plan.jobs, &shelf, context)?;

    step("training")?;
    let first = (number + 1).saturating_sub(config.keep as u32).max(1);
    let sources = (first..=number).map(|number| Shelf::of(run, number, ending));
    let sources: Vec<Shelf> = sources.collect::<Result<_, _>>().or_failed()?;
    let mut counts = Counts::default();
    let earlier = &before.generations[first as usize - 1..];
    for played in earlier.iter().map(|generation| &generation.played).chain([&played]) {
        counts.add(&played.counts);
    }
    let learnt = learn::learn(config, number, &shelf, &sources, best, counts, context)?;

    step(&format!("test against {}", text::name(best.generation)))?;
    let players = test::Players { new: number, best, shelf: &shelf };
    let tested = test::test(ledger, run, plan, &players, context)?;
    let (promoted, elo) = (tested.is_better(), sum(best.elo, tested.elo));
    let against = best.generation;
    let done = Generation { number, against, played, learnt, tested, promoted, elo };
    shelf::tell(&shelf.done(), &done).or_failed()?;
    Ok(done)
}

/// Copies the best network, and what is known of it, to where it is wanted.
fn publish(config: &Config, summary: &LoopSummary) -> Result<(), Failure> {
    let Some(output) = &config.output else { return Ok(()) };
    let best = summary.generations.iter().find(|done| done.number == summary.best.generation);
    let Some(best) = best else { return Ok(()) };
    let with = |extension: &str| {
        let mut path = output.clone().into_os_string();
        path.push(extension);
        PathBuf::from(path)
    };
    let failed = |doing, path: &PathBuf| {
        let path = path.clone();
        move |source| shelf::ShelfError::File { doing, path, source }
    };
    let network = PathBuf::from(&summary.best.eval_file);
    let bytes = std::fs::read(&network).map_err(failed("read", &network)).or_failed()?;
    if let Some(folder) = output.parent() {
        let folder = folder.to_owned();
        std::fs::create_dir_all(&folder).map_err(failed("make", &folder)).or_failed()?;
    }
    shelf::write(&with(".nnue"), &bytes).or_failed()?;
    let card =
        json!({ "run": summary.run, "start": summary.start, "generation": best, "recipe": config });
    shelf::tell(&with(".json"), &card).or_failed()
}
