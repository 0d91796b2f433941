//! What `match`, `sprt` and `resume` share: from a plan to a summary.

mod args;
mod cores;
mod heed;
mod pins;
mod record;
mod showing;
mod starting;
mod stream;

use std::collections::BTreeMap;
use std::time::Instant;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

pub use args::{DEFAULT_LIMIT, PlayArgs};
pub use cores::cores;
use pins::Pins;
use record::Record;
use showing::Showing;
use starting::Starting;
use stream::Stream;

use super::data::Collected;
use super::preflight::Preflight;
use crate::arena::{Endings, Event, Format, Openings, Plan, Schedule, Stopped, Watch, play_all};
use crate::config::Config;
use crate::context::{Context, Interrupt};
use crate::data::filter::{Filters, Keep};
use crate::failure::{Failure, OrFail};
use crate::ledger::{Ledger, Run, write_atomically};
use crate::player::probe::Probe;
use crate::player::{self, EngineSpec, Fault, FaultKind, Limit, NamedFiles, Player, Program};
use crate::report::terminal::match_text;
use crate::report::{EngineFacts, MatchFacts, MatchProgress, MatchSummary, html, shell_words};
use crate::stats::Sprt;

/// What a run is, as the ledger keeps it.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    /// For reports.
    facts: MatchFacts,
    /// For playing.
    #[serde(flatten)]
    plan: Plan,
    /// What its engines' options name.
    #[serde(default, skip_serializing_if = "NamedFiles::is_empty")]
    files: NamedFiles,
    /// For starting engines.
    #[serde(default)]
    starting: Starting,
    /// For watching.
    #[serde(default)]
    showing: Showing,
    /// Whose scores are kept as training data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    collect: Option<Keep>,
}

/// A run that came to its end.
pub struct Finished {
    /// The result.
    pub summary: MatchSummary,
    /// The result was printed with the stream.
    streamed: bool,
    /// What became of the games as training data.
    collected: Option<Collected>,
}

/// What a command adds to the flags that are common to all.
pub struct Asked<'a> {
    /// `match` or `sprt`.
    pub command: &'static str,
    /// The engines as the user wrote them.
    pub engines: &'a [String],
    /// Further names for them.
    pub roles: &'a [&'a str],
    /// Who meets whom.
    pub format: Format,
    /// Games that each two engines play at most.
    pub games: u64,
    /// The test, if there is one.
    pub sprt: Option<Sprt>,
}

/// An engine that could not be started before anything was played.
#[derive(Debug, Error, Diagnostic)]
#[error("{0}")]
#[diagnostic(help("`harness check ENGINE` shows what it says; nothing was played"))]
struct CannotStart(Fault);

/// Everything resolved, nothing started.
///
/// # Errors
/// When something asked for is not there or makes no sense.
pub fn plan(
    args: &PlayArgs,
    asked: &Asked<'_>,
    config: &Config,
    context: &Context,
) -> Result<(Kept, Schedule), Failure> {
    let engines = player::resolve_all(asked.engines, asked.roles, &args.options, config, context)
        .or_usage()?;
    let limits = args.limits(&engines, asked.engines, asked.roles).or_usage()?;
    let openings = Openings::load(&args.openings()).or_usage()?;
    let jobs = args.jobs.map_or_else(|| cores::default_jobs(&engines), usize::from);
    let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
    let plan = Plan {
        event: args.event.clone().unwrap_or_else(|| names.join(" vs ")),
        limits,
        format: asked.format,
        rounds: asked.games.div_ceil(2),
        openings: openings.spec().or_usage()?,
        conduct: args.conduct(),
        jobs,
        engines,
    };
    // They are opened again for playing; here, before there is a run, an error costs nothing.
    plan.conduct.adjudication.tables.as_ref().map(Endings::open).transpose().or_usage()?;
    let facts = facts(asked, &plan, &openings);
    let schedule = Schedule::new(&plan, openings);
    let files = NamedFiles::of(&plan.engines);
    let &PlayArgs { starting, showing, collect, .. } = args;
    Ok((Kept { facts, plan, files, starting, showing, collect }, schedule))
}

/// A test that another command has planned.
///
/// # Errors
/// When the openings cannot be read.
pub fn between(plan: Plan, sprt: Sprt) -> Result<(Kept, Schedule), Failure> {
    let openings = Openings::load(&plan.openings).or_usage()?;
    let asked = Asked {
        command: "sprt",
        engines: &[],
        roles: &[],
        format: plan.format,
        games: plan.rounds.saturating_mul(2),
        sprt: Some(sprt),
    };
    let facts = facts(&asked, &plan, &openings);
    let schedule = Schedule::new(&plan, openings);
    let (starting, showing) = (Starting::default(), Showing::default());
    let files = NamedFiles::of(&plan.engines);
    Ok((Kept { facts, plan, files, starting, showing, collect: None }, schedule))
}

fn facts(asked: &Asked<'_>, plan: &Plan, openings: &Openings) -> MatchFacts {
    MatchFacts {
        command: asked.command.to_owned(),
        engines: plan.engines.iter().map(engine_facts).collect(),
        limit: limit_text(&plan.engines, &plan.limits),
        games_asked: Some(plan.pairs().saturating_mul(2)),
        openings: Some(openings.title()),
        jobs: plan.jobs,
        seed: Some(plan.openings.seed),
        sprt: asked.sprt,
        command_line: Some(shell_words(
            std::env::args_os().map(|word| word.to_string_lossy().into_owned()),
        )),
    }
}

fn engine_facts(engine: &EngineSpec) -> EngineFacts {
    let what = match &engine.program {
        Program::Builtin => "builtin".to_owned(),
        Program::Executable { path, revision, .. } => match revision {
            None => path.display().to_string(),
            Some(revision) => match &revision.commit {
                None => format!("working tree ({})", revision.asked),
                Some(commit) => {
                    format!("git {} ({})", commit.get(..10).unwrap_or(commit), revision.asked)
                }
            },
        },
    };
    EngineFacts {
        name: engine.name.clone(),
        what,
        options: engine.options.clone(),
        defaults: BTreeMap::new(),
    }
}

/// One limit if it is the same for all, else each engine's.
fn limit_text(engines: &[EngineSpec], limits: &[Limit]) -> String {
    match limits.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => first.to_string(),
        _ => {
            let each = engines.iter().zip(limits);
            let each: Vec<String> =
                each.map(|(engine, limit)| format!("{}: {limit}", engine.name)).collect();
            each.join(", ")
        }
    }
}

/// Starts a run and plays it.
///
/// # Errors
/// When an engine cannot be started, a result cannot be kept, or the user interrupts.
pub fn start(mut kept: Kept, schedule: &Schedule, context: &Context) -> Result<Finished, Failure> {
    let warnings = try_engines(&mut kept, context)?;
    let ledger = Ledger::open(&context.reports).or_failed()?;
    let run = ledger.start_run(&kept.facts.command, &json!(kept)).or_failed()?;
    go_on(&ledger, &run, &kept, schedule, warnings, context)
}

/// As [`start`], for a command that has a ledger and wants to know the run before it is played.
///
/// # Errors
/// As [`start`].
pub fn start_as(
    ledger: &Ledger,
    kept: &Kept,
    schedule: &Schedule,
    context: &Context,
    begun: &mut dyn FnMut(&Run) -> Result<(), Failure>,
) -> Result<Finished, Failure> {
    let run = ledger.start_run(&kept.facts.command, &json!(kept)).or_failed()?;
    begun(&run)?;
    go_on(ledger, &run, kept, schedule, Vec::new(), context)
}

/// Goes on with a run that ended early.
///
/// # Errors
/// As [`start`]; and when an engine or the openings are not what they were.
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    context: &Context,
) -> Result<Finished, Failure> {
    let unreadable = |error: serde_json::Error| {
        Failure::Failed(miette::miette!("the plan of run `{}` cannot be read: {error}", run.id()))
    };
    let mut kept: Kept = serde_json::from_value(plan).map_err(unreadable)?;
    player::check_unchanged(&kept.plan.engines, &kept.files).or_usage()?;
    let openings = Openings::load(&kept.plan.openings).or_usage()?;
    let schedule = Schedule::new(&kept.plan, openings);
    let tried = try_engines(&mut kept, context).map_err(|failure| match failure {
        Failure::Interrupted(_) => interruption(run, context),
        failure => failure,
    });
    go_on(ledger, run, &kept, &schedule, tried?, context)
}

/// Starts each engine once, so that a wrong option or a missing library is told before a run
/// exists; notes how many threads and how much hash they have unless told; probes it. Gives the
/// warnings of the probe.
fn try_engines(kept: &mut Kept, context: &Context) -> Result<Vec<String>, Failure> {
    let settings = kept.starting.settings();
    let chess960 = kept.plan.conduct.chess960;
    let keeps_process = !kept.plan.conduct.restart;
    let mut preflight = Preflight::default();
    let engines = kept.plan.engines.iter().zip(&kept.plan.limits);
    for ((engine, &limit), facts) in engines.zip(&mut kept.facts.engines) {
        let start = || player::start(engine, &settings, &context.interrupt);
        let tried = start().and_then(|mut player| {
            facts.defaults = defaults(&*player);
            if chess960 {
                player.new_game(true)?;
            }
            let asked = Probe { limit, chess960, keeps_process, ranges: Vec::new() };
            if context.probe { preflight.probe(player, engine, &asked, &start) } else { Ok(()) }
        });
        match tried {
            Ok(()) => {}
            Err(fault) if fault.kind == FaultKind::Interrupted => {
                return Err(Failure::Interrupted("no game was played".to_owned()));
            }
            Err(fault) if fault.kind == FaultKind::Setting => {
                return Err(CannotStart(fault)).or_usage();
            }
            // A game shows what that costs.
            Err(fault) if fault.kind != FaultKind::Start => {}
            Err(fault) => return Err(CannotStart(fault)).or_failed(),
        }
    }
    Ok(preflight.finish(context)?.into_iter().flatten().collect())
}

fn defaults(player: &dyn Player) -> BTreeMap<String, String> {
    // Who cannot be told how many threads to use has one.
    let threads = player.default_of("Threads").unwrap_or(1);
    let hash = player.default_of("Hash").map(|hash| ("Hash".to_owned(), hash.to_string()));
    [("Threads".to_owned(), threads.to_string())].into_iter().chain(hash).collect()
}

/// Plays what is missing, and sums up.
fn go_on(
    ledger: &Ledger,
    run: &Run,
    kept: &Kept,
    schedule: &Schedule,
    probed: Vec<String>,
    context: &Context,
) -> Result<Finished, Failure> {
    let Kept { plan, facts, starting, showing, collect, .. } = kept;
    let begun = Instant::now();
    let mut record = Record::open(ledger, run, plan, facts).or_failed()?;
    let crowding = cores::crowding(plan.jobs, &plan.engines);
    let mut progress =
        MatchProgress::start(facts, record.tally().games(), crowding.clone(), context.quiet);
    let stream = Stream::new(showing.json_stream);
    let twins = twins(plan);
    for warning in crowding.iter().chain(&twins) {
        progress.note(&format!("warning: {warning}"));
    }
    if !record.is_decided() {
        let settings = starting.settings();
        let done = record.done();
        let pins = starting.affinity.then(Pins::new);
        let start = |engine: &EngineSpec, interrupt: &Interrupt| {
            // Each worker starts its players itself.
            pins.iter().for_each(Pins::pin_this_thread);
            player::start(engine, &settings, interrupt)
        };
        stream.line(&stream::run_started(run.id(), facts, record.tally().games()));
        let tell = |event: &Event<'_>| stream.line(&stream::of_game(event, plan));
        let watch: Option<&Watch<'_>> = if stream.is_asked() { Some(&tell) } else { None };
        let mut shown = record.tally().games();
        let played =
            play_all(plan, schedule, &done, &start, &context.interrupt, watch, &mut |games| {
                let decided = record.keep(games, &mut progress)?;
                let now = record.tally().games();
                if stream.is_asked() {
                    let summary = record.tally().summary(run.id(), facts, 0.0);
                    stream.line(&stream::statistics(&summary));
                }
                if showing.report_every.is_some_and(|every| now / every > shown / every) {
                    shown = now;
                    let seconds = record.earlier_seconds() + begun.elapsed().as_secs_f64();
                    let summary = record.tally().summary(run.id(), facts, seconds);
                    progress.note(&match_text(&summary));
                }
                Ok::<_, record::KeepError>(decided)
            });
        match played {
            Ok(()) => {}
            Err(Stopped::Interrupted) => return Err(interrupted(&record, run, facts, context)),
            Err(reason) => return Err(reason).or_failed(),
        }
    }
    drop(progress);
    let seconds = record.earlier_seconds() + begun.elapsed().as_secs_f64();
    let mut summary = record.tally().summary(run.id(), facts, seconds);
    summary.warnings.extend(probed);
    summary.warnings.extend(record.warnings());
    summary.warnings.extend(crowding);
    summary.warnings.extend(twins);
    summary.warnings.extend(repetition(plan, schedule, record.tally().games()));
    let filters = collect.map(|keep| Filters { keep, ..Filters::default() });
    let collected = Collected::of_run(ledger, run, filters.as_ref()).or_failed()?;
    ledger.finish(run, &json!(summary)).or_failed()?;
    let page = html::match_page(&summary, &record.tally().curve(facts.sprt.as_ref()));
    write_page(run, &page)?;
    stream.line(&stream::run_finished(&summary));
    stream.end().or_failed()?;
    Ok(Finished { summary, streamed: showing.json_stream, collected })
}

/// What to say when a match cannot show anything: two commits that build the same program, say.
fn twins(plan: &Plan) -> Option<String> {
    let same = |a: &EngineSpec, b: &EngineSpec| {
        let program = match (&a.program, &b.program) {
            (Program::Builtin, Program::Builtin) => true,
            (
                Program::Executable { sha256: a, args: x, .. },
                Program::Executable { sha256: b, args: y, .. },
            ) => a == b && x == y,
            _ => false,
        };
        program && a.options == b.options
    };
    let alike = |&(a, b): &(usize, usize)| {
        same(&plan.engines[a], &plan.engines[b]) && plan.limits[a] == plan.limits[b]
    };
    let (a, b) = plan.pairings().into_iter().find(alike)?;
    let (a, b) = (&plan.engines[a].name, &plan.engines[b].name);
    Some(format!("{a} and {b} are the same program with the same options"))
}

/// What to say when the book was too small: a game that is only played again proves nothing.
fn repetition(plan: &Plan, schedule: &Schedule, games: u64) -> Option<String> {
    let openings = schedule.openings().len() as u64;
    let rounds = games.div_ceil(2) / (plan.pairings().len() as u64).max(1);
    let repeats = plan.limits.iter().all(|limit| limit.time().is_none());
    (rounds > openings).then(|| {
        let games =
            if repeats { ", and games at fixed nodes or depth repeat with them" } else { "" };
        format!(
            "{rounds} rounds were played from {openings} openings: openings repeat{games}; a \
             larger book (--openings, `harness openings generate`) makes error bars honest"
        )
    })
}

fn write_page(run: &Run, page: &str) -> Result<(), Failure> {
    let path = run.folder().join("report.html");
    write_atomically(&path, page.as_bytes()).map_err(|error| {
        Failure::Failed(miette::miette!(
            help = "the result is in the ledger: `harness report` renders it again",
            "cannot write {}: {error}",
            path.display()
        ))
    })
}

fn interrupted(record: &Record<'_>, run: &Run, facts: &MatchFacts, context: &Context) -> Failure {
    let games = record.tally().games();
    let asked = facts.games_asked.map_or_else(String::new, |asked| format!(" of {asked}"));
    Failure::Interrupted(format!("{games}{asked} games are kept; {}", how_to_go_on(run, context)))
}

/// An interrupt of a run whose games are kept.
pub fn interruption(run: &Run, context: &Context) -> Failure {
    Failure::Interrupted(format!("finished games are kept; {}", how_to_go_on(run, context)))
}

fn how_to_go_on(run: &Run, context: &Context) -> String {
    context.hint(&format!("`harness resume {}` goes on", run.id()))
}

/// Prints a result as it was asked for.
///
/// # Errors
/// When it cannot be written.
pub fn print(finished: &Finished, context: &Context) -> Result<(), Failure> {
    let Finished { summary, streamed, collected } = finished;
    if *streamed {
        return Ok(());
    }
    if context.json {
        context.print(&format!("{}\n", json!(summary)))?;
    } else {
        context.print(&match_text(summary))?;
        collected.iter().try_for_each(|collected| context.print(&collected.to_string()))?;
    }
    Ok(())
}
