//! A match or an SPRT: from a plan to a summary.
//!
//! A [`Request`] is plain data; [`GamesRun::plan`] resolves it; [`GamesRun::start`] plays it with a
//! sink of [`Event`]s; [`resume`] goes on with a run that ended early. Every finished game is in the
//! ledger before it counts ([`record`]).

mod cores;
mod event;
mod node_limit;
mod pins;
pub mod pool;
mod record;
mod showing;
mod starting;
pub mod stream;
mod tournament;

use std::collections::BTreeMap;
use std::time::Instant;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

pub use cores::{cores, crowding, most_threads};
pub use event::{Event, Sink};
use pins::Pins;
use record::Record;
pub use record::counted;
pub use showing::Showing;
pub use starting::Starting;

use crate::arena::{
    self, Conduct, Format, Jobs, Openings, OpeningsSpec, Pairing, Plan, Schedule, Shard, Stopped,
    TablebaseAdjudicator, Unplayed, Watch, course, play_all,
};
use crate::data::filter::{Filters, Keep};
use crate::data::view::Collected;
use crate::failure::{Failure, OrFail};
use crate::ledger::{Ledger, Run};
use crate::outcome::{EngineFacts, MatchFacts, MatchSummary, WorkerShare};
use crate::player::probe::Probe;
use crate::player::{self, EngineSpec, Fault, FaultKind, Limit, NamedFiles, Player, Program};
use crate::report::html;
use crate::runs::preflight::Preflight;
use crate::runs::stored::{shown_games, worker_shares};
use crate::runs::{executor, read_plan, write_page};
use crate::session::{Interrupt, Session};
use crate::stats::Sprt;
use crate::text::shell_words;

/// The plan as the ledger keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// For reports.
    facts: MatchFacts,
    /// For playing.
    #[serde(flatten)]
    plan: Plan,
    /// Files that its engines' options name.
    #[serde(default, skip_serializing_if = "NamedFiles::is_empty")]
    files: NamedFiles,
    /// For starting engines.
    #[serde(default)]
    starting: Starting,
    /// For the commands that show it.
    #[serde(default)]
    showing: Showing,
    /// Engines whose scores are kept as training data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    collect: Option<Keep>,
    /// The test of all shards together; of a shard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pooled_sprt: Option<Sprt>,
}

/// A run that came to its end.
pub struct Finished {
    /// The result.
    pub summary: MatchSummary,
    /// The training data from its games.
    pub collected: Option<Collected>,
    /// The result was printed with the stream of events.
    pub streamed: bool,
}

/// A match or an SPRT in plain data.
#[derive(Clone, Debug)]
pub struct Request {
    /// Two engines or more.
    pub engines: Vec<EngineSpec>,
    /// The limit of each engine.
    pub limits: Vec<Limit>,
    /// Pairings of the engines.
    pub format: Format,
    /// Pairings chosen one by one, by index; empty: those of the format.
    pub pairings: Vec<(usize, usize)>,
    /// Most games of each pairing; rounded up to pairs.
    pub games: u64,
    /// The test, if there is one.
    pub sprt: Option<Sprt>,
    /// The part of the pairs to play; `None`: all. A shard of a test is a match: all shards
    /// together are judged by [`pool`].
    pub shard: Option<Shard>,
    /// Colours, openings and rounds of the format.
    pub pairing: Pairing,
    /// Where games start.
    pub openings: OpeningsSpec,
    /// How games are played.
    pub conduct: Conduct,
    /// Games at the same time; `None`: one a core, fewer if engines use several threads.
    pub jobs: Option<usize>,
    /// The name of the event in the PGN; `None`: the engines' names.
    pub event: Option<String>,
    /// How engines are started.
    pub starting: Starting,
    /// What a command shows.
    pub showing: Showing,
    /// Engines whose scores are kept as training data.
    pub collect: Option<Keep>,
    /// The command that starts this run again; `None`: that of this process.
    pub command_line: Option<String>,
}

impl Request {
    /// A hundred games of each pairing, from the built-in openings, without adjudication.
    pub fn new(engines: Vec<EngineSpec>, limit: Limit) -> Request {
        Request {
            limits: vec![limit; engines.len()],
            engines,
            format: Format::Gauntlet,
            pairings: Vec::new(),
            games: 100,
            sprt: None,
            shard: None,
            pairing: Pairing::default(),
            openings: OpeningsSpec::default(),
            conduct: Conduct::default(),
            jobs: None,
            event: None,
            starting: Starting::default(),
            showing: Showing::default(),
            collect: None,
            command_line: None,
        }
    }
}

/// A planned match or SPRT; nothing is started.
pub struct GamesRun {
    kept: Kept,
    schedule: Schedule,
}

/// An engine that could not be started before anything was played.
#[derive(Debug, Error, Diagnostic)]
#[error("{0}")]
#[diagnostic(help("`harness check ENGINE` shows what it prints; nothing was played"))]
struct CannotStart(Fault);

/// A shard of a tournament whose pairings depend on its results.
#[derive(Debug, Error, Diagnostic)]
#[error("a knockout or Swiss tournament cannot be played in shards")]
#[diagnostic(help(
    "its pairings depend on all results; `--on nats://HOST` plays it on many machines"
))]
struct NoShards;

impl GamesRun {
    /// Resolves the openings, tablebases and jobs of a request.
    ///
    /// # Errors
    /// When the openings or tablebases cannot be read.
    pub fn plan(request: Request) -> Result<GamesRun, Failure> {
        let Request { engines, limits, format, pairings, games, .. } = request;
        let Request { sprt, conduct, event, .. } = request;
        let openings = Openings::load(&request.openings).or_usage()?;
        if format.depends_on_results() && request.shard.is_some() {
            return Err(NoShards).or_usage();
        }
        let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        let ponders = conduct.ponder;
        let plan = Plan {
            event: event.unwrap_or_else(|| names.join(" vs ")),
            limits,
            format,
            pairings,
            rounds: games.div_ceil(2),
            openings: openings.spec().or_usage()?,
            conduct,
            jobs: request.jobs.unwrap_or_else(|| cores::default_jobs(&engines, ponders)),
            pairing: request.pairing,
            shard: request.shard,
            engines,
        };
        // They are opened again for playing; here, before there is a run, an error costs nothing.
        plan.conduct
            .adjudication
            .tablebases
            .as_ref()
            .map(TablebaseAdjudicator::open)
            .transpose()
            .or_usage()?;
        let mut run = GamesRun::of(plan, sprt, openings);
        if request.command_line.is_some() {
            run.kept.facts.command_line = request.command_line;
        }
        let Request { starting, showing, collect, .. } = request;
        run.kept = Kept { starting, showing, collect, ..run.kept };
        Ok(run)
    }

    /// A match as a plan has it, or an SPRT of its first engine against the second.
    ///
    /// # Errors
    /// When the openings cannot be read.
    pub fn of_plan(
        plan: Plan,
        sprt: Option<Sprt>,
        starting: Starting,
    ) -> Result<GamesRun, Failure> {
        let openings = Openings::load(&plan.openings).or_usage()?;
        let mut run = GamesRun::of(plan, sprt, openings);
        run.kept.starting = starting;
        Ok(run)
    }

    /// The plan, and how its engines are started, for [`of_plan`](Self::of_plan).
    pub fn into_plan(self) -> (Plan, Starting) {
        (self.kept.plan, self.kept.starting)
    }

    fn of(plan: Plan, sprt: Option<Sprt>, openings: Openings) -> GamesRun {
        let (sprt, pooled_sprt) = if plan.shard.is_some() { (None, sprt) } else { (sprt, None) };
        let facts = facts(&plan, sprt, &openings);
        let schedule = Schedule::new(&plan, openings);
        let files = NamedFiles::of(&plan.engines);
        let (starting, showing) = (Starting::default(), Showing::default());
        let kept = Kept { facts, plan, files, starting, showing, collect: None, pooled_sprt };
        GamesRun { kept, schedule }
    }

    /// Probes the engines, starts a run in the ledger and plays it.
    ///
    /// # Errors
    /// When an engine cannot be started, a result cannot be kept, or the user interrupts.
    pub fn start(mut self, session: &Session, sink: &Sink<'_>) -> Result<Finished, Failure> {
        let warnings = try_engines(&mut self.kept, session, sink)?;
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let run = ledger.start_run(&self.kept.facts.command, &json!(self.kept)).or_failed()?;
        let part = Part { ledger: &ledger, run: &run, kept: &self.kept, schedule: &self.schedule };
        part.go_on(warnings, session, sink)
    }

    /// As [`start`](Self::start), as a part of another run: without a probe, in its ledger;
    /// `begun` is called with the run before it is played.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_in(
        &self,
        ledger: &Ledger,
        session: &Session,
        sink: &Sink<'_>,
        begun: &mut dyn FnMut(&Run) -> Result<(), Failure>,
    ) -> Result<Finished, Failure> {
        let run = ledger.start_run(&self.kept.facts.command, &json!(self.kept)).or_failed()?;
        begun(&run)?;
        let part = Part { ledger, run: &run, kept: &self.kept, schedule: &self.schedule };
        part.go_on(Vec::new(), session, sink)
    }
}

fn facts(plan: &Plan, sprt: Option<Sprt>, openings: &Openings) -> MatchFacts {
    MatchFacts {
        command: if sprt.is_some() { "sprt" } else { "match" }.to_owned(),
        engines: plan.engines.iter().map(engine_facts).collect(),
        limit: limit_text(&plan.engines, &plan.limits),
        games_asked: Some(plan.own_pairs().saturating_mul(2)),
        openings: Some(openings.title()),
        jobs: plan.jobs,
        seed: Some(plan.openings.seed),
        sprt,
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

/// Goes on with a run that ended early.
///
/// # Errors
/// As [`GamesRun::start`]; and when an engine or the openings are not what they were.
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Finished, Failure> {
    let mut kept: Kept = read_plan(run, plan)?;
    player::check_unchanged(&kept.plan.engines, &kept.files).or_usage()?;
    let openings = Openings::load(&kept.plan.openings).or_usage()?;
    let schedule = Schedule::new(&kept.plan, openings);
    let tried = try_engines(&mut kept, session, sink).map_err(|failure| match failure {
        Failure::Interrupted(_) => interruption(run, session),
        failure => failure,
    });
    Part { ledger, run, kept: &kept, schedule: &schedule }.go_on(tried?, session, sink)
}

/// Starts each engine once, so that a wrong option or a missing library is an error before a run
/// exists; notes the defaults of `Threads` and `Hash`; probes it. Returns the warnings of the probe.
fn try_engines(
    kept: &mut Kept,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Vec<String>, Failure> {
    let settings = kept.starting.settings();
    let chess960 = kept.plan.conduct.chess960;
    let keeps_process = !kept.plan.conduct.restart;
    let ponders = kept.plan.conduct.ponder;
    let mut preflight = Preflight::default();
    let mut without_pondering = Vec::new();
    let engines = kept.plan.engines.iter().zip(&kept.plan.limits);
    for ((engine, &limit), facts) in engines.zip(&mut kept.facts.engines) {
        let start = || player::start(engine, &settings, &session.interrupt);
        let tried = start().and_then(|mut player| {
            facts.defaults = defaults(&*player);
            if !engine.is_uci() && limit.parts().iter().any(|part| matches!(part, Limit::Nodes(_)))
            {
                return Err(no_node_limit(engine));
            }
            if ponders && !player.allow_pondering()? {
                without_pondering
                    .push(format!("{} does not ponder: it has no option `Ponder`", engine.name));
            }
            if chess960 {
                player.new_game(true)?;
            }
            let asked = Probe { limit, chess960, keeps_process, ranges: Vec::new() };
            if session.probe && engine.is_uci() {
                preflight.probe(player, engine, &asked, &start)
            } else {
                Ok(())
            }
        });
        match tried {
            Ok(()) => {}
            Err(fault) if fault.kind == FaultKind::Interrupted => {
                return Err(Failure::Interrupted("no game was played".to_owned()));
            }
            Err(fault) if fault.kind == FaultKind::Setting => {
                return Err(CannotStart(fault)).or_usage();
            }
            // Counts in its games.
            Err(fault) if fault.kind != FaultKind::Start => {}
            Err(fault) => return Err(CannotStart(fault)).or_failed(),
        }
    }
    let warn = |text: &str| sink(&Event::Warning(text));
    let mut warnings: Vec<String> = preflight.finish(&warn)?.into_iter().flatten().collect();
    without_pondering.iter().for_each(|text| warn(text));
    warnings.append(&mut without_pondering);
    Ok(warnings)
}

fn no_node_limit(engine: &EngineSpec) -> Fault {
    Fault {
        player: engine.name.clone(),
        kind: FaultKind::Setting,
        detail: "xboard engines know no limit in nodes; use --tc, --movetime or --depth".to_owned(),
    }
}

fn defaults(player: &dyn Player) -> BTreeMap<String, String> {
    // An engine without the option has one thread.
    let threads = player.default_of("Threads").unwrap_or(1);
    let hash = player.default_of("Hash").map(|hash| ("Hash".to_owned(), hash.to_string()));
    [("Threads".to_owned(), threads.to_string())].into_iter().chain(hash).collect()
}

/// A run with what is left of it.
struct Part<'a> {
    ledger: &'a Ledger,
    run: &'a Run,
    kept: &'a Kept,
    schedule: &'a Schedule,
}

impl Part<'_> {
    /// Plays the missing games, and sums up.
    fn go_on(
        &self,
        probed: Vec<String>,
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<Finished, Failure> {
        let Part { ledger, run, kept, schedule } = *self;
        let Kept { plan, facts, showing, collect, .. } = kept;
        let begun = Instant::now();
        let taken_out = match plan.format.depends_on_results() {
            true => executor::take_out_from_quarantined(ledger, run, session)?,
            false => executor::take_out_quarantined(ledger, run, session)?,
        };
        for warning in taken_out {
            sink(&Event::Warning(&warning));
        }
        let mut record = Record::open(ledger, run, plan, facts).or_failed()?;
        let crowding = cores::crowding(plan.jobs, &plan.engines, plan.conduct.ponder);
        let twins = twins(plan);
        let unlogged = (session.on.is_some() && kept.starting.log_uci.is_some())
            .then(|| "workers on other machines write no logs (--log-uci)".to_owned());
        sink(&Event::Started { run: run.id(), facts, plan, done: record.tally().games(), showing });
        for warning in crowding.iter().chain(&twins).chain(&unlogged) {
            sink(&Event::Warning(warning));
        }
        if !record.is_decided() {
            match self.play(&mut record, begun, session, sink) {
                Ok(()) => {}
                Err(Stopped::Unplayed(Unplayed::Interrupted)) => {
                    return Err(interrupted(&record, run, facts, session));
                }
                Err(reason) => return Err(reason).or_failed(),
            }
        }
        record.end_test().or_failed()?;
        let seconds = record.earlier_seconds() + begun.elapsed().as_secs_f64();
        let mut summary = record.tally().summary(run.id(), facts, seconds);
        summary.warnings.extend(probed);
        summary.warnings.extend(record.warnings());
        summary.warnings.extend(crowding);
        summary.warnings.extend(twins);
        summary.warnings.extend(unlogged);
        summary.warnings.extend(repetition(plan, schedule, record.tally().games()));
        summary.tournament = tournament::summary(plan, &|pair| record.score_of(pair));
        summary.workers = worker_shares(ledger, run.id()).or_failed()?;
        summary.reference_nps = executor::kept_reference(run.folder());
        summary.warnings.extend(summary.workers.iter().filter_map(WorkerShare::warning));
        let filters = collect.map(|keep| Filters { keep, ..Filters::default() });
        let collected = Collected::of_run(ledger, run, filters.as_ref()).or_failed()?;
        ledger.finish(run, &json!(summary)).or_failed()?;
        let games = shown_games(ledger, run.id()).or_failed()?;
        let curve = record.tally().curve(facts.sprt.as_ref());
        let page = html::match_page(&summary, &curve, &games);
        write_page(run, &page)?;
        sink(&Event::Finished(&summary));
        Ok(Finished { summary, collected, streamed: showing.json_stream })
    }

    /// Plays the missing games into the record.
    fn play(
        &self,
        record: &mut Record<'_>,
        begun: Instant,
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<(), Stopped<record::KeepError>> {
        let Kept { plan, facts, starting, .. } = self.kept;
        let settings = starting.settings_in(self.run.folder());
        let pins = starting.affinity.then(Pins::new);
        let start = |engine: &EngineSpec, interrupt: &Interrupt| {
            // Each worker starts its players itself.
            pins.iter().for_each(Pins::pin_this_thread);
            player::start(engine, &settings, interrupt)
        };
        let emit = |event: &arena::Event<'_>| sink(&Event::Game(event));
        let watch: &Watch<'_> = &emit;
        let games = executor::Games {
            ledger: self.ledger,
            run: self.run,
            engines: &plan.engines,
            limits: &plan.limits,
            conduct: &plan.conduct,
            event: &plan.event,
            jobs: plan.jobs,
            settings: settings.clone(),
            start: &start,
        };
        let mut executor = games.executor(session, Some(watch))?;
        let mut play = |record: &mut Record<'_>, jobs: &mut Jobs<'_>| {
            play_all(&mut *executor, jobs, &mut |games| {
                let decided = record.keep(games, sink)?;
                let seconds = record.earlier_seconds() + begun.elapsed().as_secs_f64();
                let summary = || record.tally().summary(self.run.id(), facts, seconds);
                sink(&Event::Statistics { games: record.tally().games(), summary: &summary });
                Ok::<_, record::KeepError>(decided)
            })
        };
        let done = record.done().clone();
        if !plan.format.depends_on_results() {
            return play(record, &mut self.schedule.jobs(&done));
        }
        let mut latest = None;
        while let Some(stage) = course(plan, &|pair| record.score_of(pair)).next {
            // An executor that leaves games out without a reason was stopped.
            if latest.replace(stage.first) == Some(stage.first) {
                return Err(Unplayed::Interrupted.into());
            }
            let done = record.done().clone();
            play(record, &mut self.schedule.stage_jobs(&stage, &done))?;
        }
        Ok(())
    }
}

/// A warning when two engines are the same program: two commits may build the same.
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

/// A warning when the book was too small: a repeated game proves nothing.
fn repetition(plan: &Plan, schedule: &Schedule, games: u64) -> Option<String> {
    let openings = schedule.openings().len() as u64;
    let rounds = plan.openings_of(games);
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

fn interrupted(record: &Record<'_>, run: &Run, facts: &MatchFacts, session: &Session) -> Failure {
    let games = record.tally().games();
    let asked = facts.games_asked.map_or_else(String::new, |asked| format!(" of {asked}"));
    Failure::Interrupted(format!("{games}{asked} games are kept; {}", how_to_go_on(run, session)))
}

/// An interrupt of a run whose games are kept.
pub fn interruption(run: &Run, session: &Session) -> Failure {
    Failure::Interrupted(format!("finished games are kept; {}", how_to_go_on(run, session)))
}

fn how_to_go_on(run: &Run, session: &Session) -> String {
    session.hint(&format!("`harness resume {}` goes on", run.id()))
}
