//! An engine, or several, on a test suite: from a plan to a report.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::backend::quarantine::take_out_positions;
use crate::backend::{Keeper, Setup, kept_reference};
use crate::{preflight, read_plan, write_page};
use harness_base::failure::{Failure, OrFail};
use harness_base::hint::reports_command;
use harness_base::session::Session;
use harness_base::text::{self, counted, grouped, shell_words};
use harness_cluster::work::{Done, SuiteSearch, SuiteTask};
use harness_cluster::{Backend, BackendError};
use harness_ledger::{Ledger, LedgerError, Run, StoredSolution};
use harness_notation::epd;
use harness_outcome::{
    SuiteComparison, SuiteFacts, SuiteReport, SuiteResult, SuiteSummary, name_and_key, token_of,
};
use harness_player::pool::start_with;
use harness_player::probe::Probe;
use harness_player::{EngineSpec, Fault, FaultKind, Limit, StartSettings};
use harness_report::html::suite_page;
use harness_suite::audit::contradictions;
use harness_suite::{
    self as suite, Catalog, Effort, Plan, SearchError, Suite, SuiteFile, check_baseline, compare,
    machine,
};

/// The command under which the ledger has the runs.
pub const COMMAND: &str = "suite";

/// A suite and its engines, in plain data.
#[derive(Clone, Debug)]
pub struct SuiteRequest {
    /// One engine or more.
    pub engines: Vec<EngineSpec>,
    /// Limit of a search; `None`: the suite's.
    pub limit: Option<Limit>,
    /// Ends a search once the solution was kept for this many iterations.
    pub hold: Option<u32>,
    /// Positions searched at the same time.
    pub jobs: usize,
    /// Restarts the engine for every position.
    pub restart: bool,
    /// An earlier result to compare the first engine with.
    pub baseline: Option<SuiteSummary>,
    /// The command that starts this run again; `None`: that of this process.
    pub command_line: Option<String>,
}

impl SuiteRequest {
    /// One position at a time, at the suite's limit.
    pub fn new(engines: Vec<EngineSpec>) -> SuiteRequest {
        let (limit, hold, baseline, command_line) = (None, None, None, None);
        SuiteRequest { engines, limit, hold, jobs: 1, restart: false, baseline, command_line }
    }
}

/// Results by engine and position, both from 0.
pub type Results = HashMap<(usize, usize), SuiteResult>;

/// Something that happened in a run of a suite.
pub enum Event<'a> {
    /// A reason to trust the result less.
    Warning(&'a str),
    /// The run begins, or continues.
    Started {
        /// The run's id.
        run: &'a str,
        /// The searches.
        plan: &'a Plan,
        /// Positions of the suite.
        positions: usize,
        /// Results of an earlier process.
        done: &'a Results,
    },
    /// A position was searched.
    Searched {
        /// The searches.
        plan: &'a Plan,
        /// Positions of the suite.
        positions: usize,
        /// The results so far.
        done: &'a Results,
    },
}

/// Takes every event, one after the other.
pub type Sink<'a> = dyn Fn(&Event<'_>) + 'a;

/// The result of a run.
#[derive(Serialize)]
pub struct SuiteOutcome {
    /// The results.
    #[serde(flatten)]
    pub report: SuiteReport,
    /// The first engine's beside the baseline.
    #[serde(rename = "baseline", skip_serializing_if = "Option::is_none")]
    pub comparison: Option<SuiteComparison>,
    /// The page in the run's folder.
    #[serde(skip)]
    pub page: PathBuf,
}

/// A planned run of a suite; nothing is started.
pub struct SuiteRun {
    kept: StoredPlan,
    suite: Suite,
    /// The id of the run that it is a part of.
    part_of: Option<String>,
}

/// The plan as the ledger keeps it.
#[derive(Serialize, Deserialize)]
struct StoredPlan {
    #[serde(flatten)]
    plan: Plan,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<SuiteSummary>,
}

impl SuiteRun {
    /// Plans a run.
    ///
    /// # Errors
    /// When the baseline does not fit.
    pub fn plan(suite: Suite, request: SuiteRequest) -> Result<SuiteRun, Failure> {
        let SuiteRequest { engines, hold, jobs, restart, baseline, .. } = request;
        if baseline.is_some() && engines.len() > 1 {
            let engines = engines.len();
            return Err(suite::BaselineError::SeveralEngines(engines)).or_usage();
        }
        let limit = request.limit.unwrap_or(suite.limit);
        let facts = SuiteFacts {
            suite: suite.name.clone(),
            title: suite.title.clone(),
            source: suite.source.clone(),
            engines: engines.iter().map(|engine| engine.name.clone()).collect(),
            limit: match hold {
                Some(hold) => format!("{limit}, held for {hold}"),
                None => limit.to_string(),
            },
            suite_sha256: Some(suite.sha256()),
            machine_nps: matches!(limit, Limit::MoveTime(_)).then(|| machine::nodes_a_second(jobs)),
            positions: suite.positions.len() as u64,
            command_line: request.command_line.or_else(|| Some(shell_words(text::arguments()))),
        };
        let (scoring, epd) = (suite.scoring, suite.text.clone());
        if let Some(baseline) = &baseline {
            let ids = suite.positions.iter().map(|position| position.id.as_str());
            check_baseline(baseline, &facts, ids).or_usage()?;
        }
        let plan = Plan { facts, scoring, limit, hold, jobs, restart, engines, epd };
        Ok(SuiteRun { kept: StoredPlan { plan, baseline }, suite, part_of: None })
    }

    /// The same as a part of another run, given by its id.
    #[must_use]
    pub fn as_part_of(self, whole: Option<&str>) -> SuiteRun {
        SuiteRun { part_of: whole.map(str::to_owned), ..self }
    }

    /// Probes the engines, starts a run in the ledger and searches.
    ///
    /// # Errors
    /// When an engine fails, a result cannot be kept, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<SuiteOutcome, Failure> {
        let probed = probe(&self.kept.plan, session, sink)?;
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let whole = self.part_of.as_deref();
        let run = ledger.start_part(whole, COMMAND, &json!(self.kept)).or_failed()?;
        self.play(&ledger, &run, &probed, session, sink)
    }

    /// Searches what is left, and reports all.
    fn play(
        &self,
        ledger: &Ledger,
        run: &Run,
        probed: &[Vec<String>],
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<SuiteOutcome, Failure> {
        let SuiteRun { kept, suite, .. } = self;
        let plan = &kept.plan;
        let mut done = recorded(ledger, run)?;
        if let Some(warning) = take_out_positions(ledger, run, &mut done, session)? {
            sink(&Event::Warning(&warning));
        }
        let all = (0..plan.engines.len())
            .flat_map(|engine| (0..suite.positions.len()).map(move |position| (engine, position)));
        let left: Vec<(usize, usize)> = all.filter(|place| !done.contains_key(place)).collect();
        sink(&Event::Started {
            run: run.id(),
            plan,
            positions: suite.positions.len(),
            done: &done,
        });
        let contributors = done.values().filter_map(|result| result.worker.as_deref());
        let contributors = contributors
            .flat_map(|worker| [Some(name_and_key(worker).1), token_of(worker)])
            .flatten()
            .map(str::to_owned)
            .collect();
        let keeper = Keeper::Ledger { run, contributors };
        let left = Left { plan, suite, left: &left };
        let searched = left.search(keeper, session, &mut |place, result| {
            record(ledger, run, place, &result)?;
            done.insert(place, result);
            sink(&Event::Searched { plan, positions: suite.positions.len(), done: &done });
            Ok(())
        });
        match searched {
            Ok(()) => {}
            Err(BackendError::Interrupted) => {
                let total = suite.positions.len() * plan.engines.len();
                let (done, run) = (done.len(), run.id());
                return Err(Failure::Interrupted(format!(
                    "{done} of {total} positions are kept; {} continues",
                    reports_command("resume", run)
                )));
            }
            Err(BackendError::NotStarted(fault)) => return Err(not_started(fault)),
            Err(BackendError::Here(SearchError::NotStarted(fault))) => {
                return Err(not_started(fault));
            }
            Err(BackendError::Here(reason)) => return Err(reason).or_failed(),
            Err(BackendError::Elsewhere(error)) => return Err(error).or_failed(),
            Err(BackendError::Caller(error)) => return Err(error).or_failed(),
        }
        finish(ledger, run, kept, done, probed)
    }
}

/// An engine that could not be started, or refused a setting.
fn not_started(fault: Fault) -> Failure {
    match fault.kind {
        FaultKind::Setting => Failure::Usage(SearchError::NotStarted(fault).into()),
        _ => Failure::Failed(SearchError::NotStarted(fault).into()),
    }
}

/// Keeps the result of an engine and a position.
type KeepResult<'a> = dyn FnMut((usize, usize), SuiteResult) -> Result<(), LedgerError> + 'a;

/// Remaining searches of a suite, by engine and position.
struct Left<'a> {
    plan: &'a Plan,
    suite: &'a Suite,
    left: &'a [(usize, usize)],
}

impl Left<'_> {
    /// Searches it.
    fn search(
        &self,
        keeper: Keeper<'_>,
        session: &Session,
        keep: &mut KeepResult<'_>,
    ) -> Result<(), BackendError<SearchError, LedgerError>> {
        let Plan { scoring, limit, hold, restart, jobs, ref engines, .. } = *self.plan;
        let work = SuiteSearch { scoring, effort: Effort { limit, hold }, restart };
        let start = start_with(StartSettings::default());
        let setup = Setup {
            work: &work,
            engines,
            limits: &[limit],
            keeper,
            jobs: jobs.min(self.left.len()),
            start: &start,
            settings: StartSettings::default(),
            watch: None,
        };
        let mut backend: Backend<'_, SuiteSearch> = setup.backend(session)?;
        let count = self.suite.positions.len();
        backend.run(&mut self.tasks().map(Ok), &mut |results| {
            for Done { number, answer, worker } in results {
                let place = (number as usize / count, number as usize % count);
                keep(place, SuiteResult { worker, ..*answer })?;
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// The tasks, engine after engine.
    fn tasks(&self) -> impl Iterator<Item = SuiteTask> + Send {
        let Plan { engines, epd, .. } = self.plan;
        let lines: HashMap<usize, &str> =
            epd::lines(epd).map(|(number, _, line)| (number, line)).collect();
        let positions = &self.suite.positions;
        self.left.iter().map(move |&(engine, position)| {
            let number = (engine * positions.len() + position) as u64;
            let position = &positions[position];
            SuiteTask {
                number,
                engine: Box::new((engine, engines[engine].clone())),
                id: position.id.clone(),
                epd: lines.get(&position.line).copied().unwrap_or_default().to_owned(),
                position: Some(Arc::new(position.clone())),
            }
        })
    }
}

/// Goes on with a run that ended early.
///
/// # Errors
/// As [`SuiteRun::start`].
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<SuiteOutcome, Failure> {
    let kept: StoredPlan = read_plan(run, plan)?;
    let mut suite = Suite::read(&kept.plan.facts.suite, kept.plan.epd.as_bytes()).or_failed()?;
    suite.scoring = kept.plan.scoring;
    let probed = probe(&kept.plan, session, sink)?;
    SuiteRun { kept, suite, part_of: None }.play(ledger, run, &probed, session, sink)
}

/// The warnings of a probe of each engine.
fn probe(plan: &Plan, session: &Session, sink: &Sink<'_>) -> Result<Vec<Vec<String>>, Failure> {
    let asked = |engine| (engine, Probe::new(plan.limit));
    let warn = |text: &str| sink(&Event::Warning(text));
    preflight::probe_all(plan.engines.iter().map(asked), session, &warn)
}

fn recorded(ledger: &Ledger, run: &Run) -> Result<Results, Failure> {
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

fn record(
    ledger: &Ledger,
    run: &Run,
    (engine, position): (usize, usize),
    result: &SuiteResult,
) -> Result<(), LedgerError> {
    let solution = StoredSolution {
        engine: u32::try_from(engine).unwrap_or(u32::MAX),
        position: u32::try_from(position).unwrap_or(u32::MAX),
        payload: json!(result),
    };
    ledger.record_solutions(run, &[solution]).map(|_| ())
}

/// Sums up, into the ledger first.
fn finish(
    ledger: &Ledger,
    run: &Run,
    kept: &StoredPlan,
    done: Results,
    probed: &[Vec<String>],
) -> Result<SuiteOutcome, Failure> {
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
    let mut first = summaries.next().ok_or_else(|| {
        Failure::Failed(miette::miette!("the plan of run `{}` names no engine", run.id()))
    })?;
    first.warnings.extend(warn_of_contradictions(&kept.plan));
    let report = SuiteReport { first, others: summaries.collect() };
    let comparison = kept.baseline.as_ref().map(|baseline| compare(baseline, &report.first));
    let page = run.folder().join("report.html");
    let outcome = SuiteOutcome { report, comparison, page };
    ledger.finish(run, &json!(outcome)).or_failed()?;
    write_page(run, &suite_page(&outcome.report))?;
    Ok(outcome)
}

/// A warning where an engine failed, by a crash or an illegal move: these positions count as not solved.
fn warn_of_faults(summary: &SuiteSummary) -> Option<String> {
    let mut faults = summary.results.iter().filter_map(|result| result.fault.as_deref());
    let first = faults.next()?;
    Some(format!(
        "{} failed in {} of {} positions, which count as not solved ({first})",
        summary.engine,
        1 + faults.count(),
        summary.results.len(),
    ))
}

/// A warning where a file of a user contradicts itself.
fn warn_of_contradictions(plan: &Plan) -> Option<String> {
    let name = plan.facts.suite.clone();
    if Catalog::builtin().find(&name).is_some() {
        return None;
    }
    let file = SuiteFile { name, bytes: plan.epd.clone().into_bytes().into(), entry: None };
    let found = contradictions(&file);
    let first = found.first()?;
    Some(format!(
        "{} contradicts itself in {} ({first}): `harness suite audit {}` lists them",
        file.name,
        counted(found.len() as u64, "position", "positions"),
        shell_words([file.name.clone()]),
    ))
}

/// An engine that uses more than this share of the time allowed, plus [`SLACK`], gains by it.
const OVERRUN: f64 = 1.1;

/// Allowance for starting and stopping a search on a busy machine, in seconds.
const SLACK: f64 = 0.05;

fn summary(plan: &Plan, run: &Run, engine: usize, results: Vec<SuiteResult>) -> SuiteSummary {
    let seconds = results.iter().map(|result| result.time_ms).sum::<u64>() as f64 / 1000.0;
    let mut summary = plan.facts.summary(run.id(), engine, results, seconds);
    summary.warnings.extend(warn_of_faults(&summary));
    let Limit::MoveTime(allowed) = plan.limit else { return summary };
    let is_elsewhere = summary.results.iter().any(|result| result.worker.is_some());
    if is_elsewhere {
        summary.warnings.push(match kept_reference(run.folder()) {
            Some(speed) => format!(
                "the time of each worker was scaled to a machine of {} knps; --nodes gives a result \
                 that is comparable",
                grouped((speed / 1000.0) as u64)
            ),
            None => "workers searched by their own clocks, at their own speeds: the result is of \
                     these machines; --nodes gives one that is comparable"
                .to_owned(),
        });
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if plan.jobs > cores && !is_elsewhere {
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
