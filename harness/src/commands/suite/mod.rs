//! `harness suite`: how many positions of a test suite an engine solves.

mod audit;
mod make;
mod progress;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::audit::AuditArgs;
use self::make::SuiteMakeArgs;
use self::progress::SuiteProgress;
use super::preflight;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::{Ledger, LedgerError, Run, StoredSolution, write_atomically};
use crate::player::probe::Probe;
use crate::player::{self, FaultKind, Limit, OptionArg, StartSettings, parse_movetime};
use crate::report::html::suite_page;
use crate::report::{SuiteFacts, SuiteReport, SuiteResult, SuiteSummary, shell_words};
use crate::suite::{
    self, Comparison, Plan, Searched, Suite, SuiteStopped, check_baseline, compare, machine,
    read_baseline, search_all,
};

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
have the same positions and limit; a limit in time also needs a machine that is as fast.")]
pub struct SuiteArgs {
    #[command(subcommand)]
    command: Option<SuiteCommand>,
    #[command(flatten)]
    search: Option<SearchArgs>,
}

#[derive(Debug, Subcommand)]
enum SuiteCommand {
    Audit(AuditArgs),
    Make(SuiteMakeArgs),
}

/// What to search.
#[derive(Debug, Args)]
struct SearchArgs {
    /// A suite's name, or the path of an EPD file.
    #[arg(value_name = "NAME|FILE.epd")]
    suite: String,
    /// Who searches.
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
    /// End a search early once the solution was kept for so many iterations.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    hold: Option<u32>,
    /// Lines to search (the option MultiPV): tells at which place the solution stands.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=256))]
    multipv: Option<u32>,
    /// Positions searched at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// Start the engine anew for every position: for one whose results at fixed nodes depend on
    /// what it searched before, although `ucinewgame` stands between (`harness check` tells).
    #[arg(long)]
    restart: bool,
    /// A UCI option for all engines, or for one.
    #[arg(long = "option", value_name = "[ENGINE.]NAME=VALUE")]
    options: Vec<OptionArg>,
    /// An earlier --json result of the same suite and limit to compare with.
    #[arg(long, value_name = "FILE.json")]
    baseline: Option<PathBuf>,
}

/// What the ledger keeps to go on with.
#[derive(Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    plan: Plan,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<SuiteSummary>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    report: &'a SuiteReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a Comparison>,
}

/// Runs the command.
///
/// # Errors
/// When something asked for is not there, an engine fails, or the user interrupts.
pub fn run(args: &SuiteArgs, context: &Context) -> Result<Exit, Failure> {
    let args = match (&args.command, &args.search) {
        (Some(SuiteCommand::Audit(args)), _) => return audit::run(args, context),
        (Some(SuiteCommand::Make(args)), _) => return make::run(args, context),
        (None, Some(args)) => args,
        (None, None) => {
            let help = "`harness suite --help` lists the suites";
            return Err(Failure::Usage(miette::miette!(help = help, "no suite is named")));
        }
    };
    let suite = Suite::load(&args.suite).or_usage()?;
    let kept = plan(args, &suite, context)?;
    let probed = probe(&kept.plan, context)?;
    let ledger = Ledger::open(&context.reports).or_failed()?;
    let run = ledger.start_run("suite", &json!(kept)).or_failed()?;
    go_on(&ledger, &run, &kept, &suite, &probed, context)
}

/// Goes on with a run that ended early.
///
/// # Errors
/// As [`run`].
pub fn resume(ledger: &Ledger, run: &Run, plan: Value, context: &Context) -> Result<Exit, Failure> {
    let unreadable = |error: serde_json::Error| {
        Failure::Failed(miette::miette!("the plan of run `{}` cannot be read: {error}", run.id()))
    };
    let kept: Kept = serde_json::from_value(plan).map_err(unreadable)?;
    let mut suite = Suite::read(&kept.plan.facts.suite, kept.plan.epd.as_bytes()).or_failed()?;
    suite.scoring = kept.plan.scoring;
    let probed = probe(&kept.plan, context)?;
    go_on(ledger, run, &kept, &suite, &probed, context)
}

/// The warnings of a probe of each engine.
fn probe(plan: &Plan, context: &Context) -> Result<Vec<Vec<String>>, Failure> {
    let asked = |engine| (engine, Probe::of(plan.limit));
    preflight::probe_all(plan.engines.iter().map(asked), context)
}

/// Everything resolved, nothing started.
fn plan(args: &SearchArgs, suite: &Suite, context: &Context) -> Result<Kept, Failure> {
    let limit = match (args.movetime, args.nodes, args.depth) {
        (Some(time), ..) => Limit::MoveTime(time),
        (_, Some(nodes), _) => Limit::Nodes(nodes),
        (.., Some(depth)) => Limit::Depth(depth),
        _ => suite.limit,
    };
    let baseline = args.baseline.as_deref().map(read_baseline).transpose().or_usage()?;
    if baseline.is_some() && args.engines.len() > 1 {
        let engines = args.engines.len();
        return Err(suite::BaselineError::SeveralEngines { engines }).or_usage();
    }
    let config = Config::find().or_usage()?;
    let engines = player::resolve_all(&args.engines, &[], &args.options, &config, context);
    let mut engines = engines.or_usage()?;
    if let Some(lines) = args.multipv {
        for engine in &mut engines {
            engine.options.insert("MultiPV".to_owned(), lines.to_string());
        }
    }
    let jobs = usize::from(args.jobs);
    let facts = SuiteFacts {
        suite: suite.name.clone(),
        title: suite.title.clone(),
        source: suite.source.clone(),
        engines: engines.iter().map(|engine| engine.name.clone()).collect(),
        limit: match args.hold {
            Some(hold) => format!("{limit}, held for {hold}"),
            None => limit.to_string(),
        },
        suite_sha256: Some(suite.sha256()),
        machine_nps: matches!(limit, Limit::MoveTime(_)).then(|| machine::nodes_a_second(jobs)),
        positions: suite.positions.len() as u64,
        command_line: Some(shell_words(std::env::args())),
    };
    let (scoring, epd) = (suite.scoring, suite.text.clone());
    if let Some(baseline) = &baseline {
        let ids = suite.positions.iter().map(|position| position.id.as_str());
        check_baseline(baseline, &facts, ids).or_usage()?;
    }
    let (hold, restart) = (args.hold, args.restart);
    let plan = Plan { facts, scoring, limit, hold, jobs, restart, engines, epd };
    Ok(Kept { plan, baseline })
}

/// Searches what is left, and reports the whole.
fn go_on(
    ledger: &Ledger,
    run: &Run,
    kept: &Kept,
    suite: &Suite,
    probed: &[Vec<String>],
    context: &Context,
) -> Result<Exit, Failure> {
    let plan = &kept.plan;
    let mut done = recorded(ledger, run)?;
    let all = (0..plan.engines.len())
        .flat_map(|engine| (0..suite.positions.len()).map(move |position| (engine, position)));
    let left: Vec<(usize, usize)> = all.filter(|place| !done.contains_key(place)).collect();
    let mut progress = SuiteProgress::start(plan, suite.positions.len(), &done, context.quiet);
    let outcome = search_all(
        plan,
        &suite.positions,
        &left,
        &|spec| player::start(spec, &StartSettings::default(), &context.interrupt),
        &context.interrupt,
        &mut |searched| {
            record(ledger, run, &searched)?;
            done.insert((searched.engine, searched.position), searched.result);
            progress.show(&done);
            Ok(())
        },
    );
    drop(progress);
    match outcome {
        Ok(()) => {}
        Err(SuiteStopped::Interrupted) => {
            let total = suite.positions.len() * plan.engines.len();
            let (done, run) = (done.len(), run.id());
            return Err(Failure::Interrupted(format!(
                "{done} of {total} positions are kept; `harness resume {run}` goes on"
            )));
        }
        Err(SuiteStopped::NotStarted(fault)) if fault.kind == FaultKind::Setting => {
            return Err(SuiteStopped::NotStarted(fault)).or_usage();
        }
        Err(reason) => return Err(reason).or_failed(),
    }
    report(ledger, run, kept, done, probed, context)
}

fn recorded(ledger: &Ledger, run: &Run) -> Result<HashMap<(usize, usize), SuiteResult>, Failure> {
    let mut done = HashMap::new();
    for solution in ledger.solutions(run.id()).or_failed()? {
        let result = serde_json::from_value(solution.payload).map_err(|error| {
            Failure::Failed(miette::miette!(
                "a result of run `{}` is unreadable: {error}",
                run.id()
            ))
        })?;
        done.insert((solution.engine as usize, solution.position as usize), result);
    }
    Ok(done)
}

fn record(ledger: &Ledger, run: &Run, searched: &Searched) -> Result<(), LedgerError> {
    let solution = StoredSolution {
        engine: u32::try_from(searched.engine).unwrap_or(u32::MAX),
        position: u32::try_from(searched.position).unwrap_or(u32::MAX),
        payload: json!(searched.result),
    };
    ledger.record_solutions(run, &[solution]).map(|_| ())
}

/// The result of everything, in the ledger first.
fn report(
    ledger: &Ledger,
    run: &Run,
    kept: &Kept,
    done: HashMap<(usize, usize), SuiteResult>,
    probed: &[Vec<String>],
    context: &Context,
) -> Result<Exit, Failure> {
    let mut places: Vec<_> = done.into_iter().collect();
    places.sort_by_key(|&(place, _)| place);
    let mut results = vec![Vec::new(); kept.plan.engines.len()];
    for ((engine, _), result) in places {
        results[engine].push(result);
    }
    let mut summaries = (results.into_iter().enumerate()).map(|(engine, results)| {
        let mut summary = summary(&kept.plan, run, engine, results);
        summary.warnings.extend(probed.get(engine).into_iter().flatten().cloned());
        summary
    });
    let first = summaries.next().ok_or_else(|| {
        Failure::Failed(miette::miette!("the plan of run `{}` names no engine", run.id()))
    })?;
    let report = SuiteReport { first, others: summaries.collect() };
    let comparison = kept.baseline.as_ref().map(|baseline| compare(baseline, &report.first));
    let output = Output { report: &report, baseline: comparison.as_ref() };
    ledger.finish(run, &json!(output)).or_failed()?;
    let page = run.folder().join("report.html");
    write_atomically(&page, suite_page(&report).as_bytes()).map_err(|error| {
        Failure::Failed(miette::miette!("cannot write {}: {error}", page.display()))
    })?;
    if context.json {
        context.print(&format!("{}\n", json!(output)))?;
    } else {
        context.print(&suite::text(&report, comparison.as_ref()))?;
        context.print(&format!("Report: {}\n", page.display()))?;
    }
    Ok(if comparison.is_some_and(|comparison| comparison.worse) { Exit::Bad } else { Exit::Good })
}

/// An engine that takes this many times the time allowed, and [`SLACK`], gains from it.
const OVERRUN: f64 = 1.1;

/// What starting and stopping a search may take on a busy machine, in seconds.
const SLACK: f64 = 0.05;

fn summary(plan: &Plan, run: &Run, engine: usize, results: Vec<SuiteResult>) -> SuiteSummary {
    let seconds = results.iter().map(|result| result.time_ms).sum::<u64>() as f64 / 1000.0;
    let mut summary = plan.facts.summary(run.id(), engine, results, seconds);
    let Limit::MoveTime(allowed) = plan.limit else { return summary };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if plan.jobs > cores {
        let warning = format!("{} searches at a time shared {cores} CPU cores", plan.jobs);
        summary.warnings.push(warning);
    }
    let allowed = allowed.as_secs_f64();
    let used = seconds / summary.results.len().max(1) as f64;
    if used > OVERRUN * allowed + SLACK {
        summary.warnings.push(format!(
            "{} used {:.0} ms a position though {:.0} ms were allowed: not comparable",
            summary.engine,
            1000.0 * used,
            1000.0 * allowed,
        ));
    }
    summary
}
