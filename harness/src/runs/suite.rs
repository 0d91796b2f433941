//! An engine, or several, on a test suite: from a plan to a report.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::failure::{Failure, OrFail};
use crate::ledger::{Ledger, LedgerError, Run, StoredSolution};
use crate::outcome::{SuiteFacts, SuiteReport, SuiteResult, SuiteSummary};
use crate::player::pool::start_with;
use crate::player::probe::Probe;
use crate::player::{EngineSpec, FaultKind, Limit, StartSettings};
use crate::report::html::suite_page;
use crate::runs::{preflight, read_plan, write_page};
use crate::session::Session;
use crate::suite::{
    self, Comparison, Plan, Searched, Suite, SuiteStopped, check_baseline, compare, machine,
    search_all,
};
use crate::text::shell_words;

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
    /// Starts the engine anew for every position.
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
pub type Done = HashMap<(usize, usize), SuiteResult>;

/// Something that happened in a run of a suite.
pub enum Event<'a> {
    /// A reason to trust the result less.
    Warning(&'a str),
    /// The run begins, or goes on.
    Started {
        /// What is searched.
        plan: &'a Plan,
        /// Positions of the suite.
        positions: usize,
        /// Results of an earlier process.
        done: &'a Done,
    },
    /// A position was searched; the results so far.
    Searched(&'a Done),
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
    pub comparison: Option<Comparison>,
    /// The page in the run's folder.
    #[serde(skip)]
    pub page: PathBuf,
}

/// A planned run of a suite; nothing is started.
pub struct SuiteRun {
    kept: Kept,
    suite: Suite,
}

/// The plan as the ledger keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
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
            command_line: request.command_line.or_else(|| Some(shell_words(std::env::args()))),
        };
        let (scoring, epd) = (suite.scoring, suite.text.clone());
        if let Some(baseline) = &baseline {
            let ids = suite.positions.iter().map(|position| position.id.as_str());
            check_baseline(baseline, &facts, ids).or_usage()?;
        }
        let plan = Plan { facts, scoring, limit, hold, jobs, restart, engines, epd };
        Ok(SuiteRun { kept: Kept { plan, baseline }, suite })
    }

    /// Probes the engines, starts a run in the ledger and searches.
    ///
    /// # Errors
    /// When an engine fails, a result cannot be kept, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<SuiteOutcome, Failure> {
        let probed = probe(&self.kept.plan, session, sink)?;
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let run = ledger.start_run("suite", &json!(self.kept)).or_failed()?;
        self.go_on(&ledger, &run, &probed, session, sink)
    }

    /// Searches what is left, and reports all.
    fn go_on(
        &self,
        ledger: &Ledger,
        run: &Run,
        probed: &[Vec<String>],
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<SuiteOutcome, Failure> {
        let SuiteRun { kept, suite } = self;
        let plan = &kept.plan;
        let mut done = recorded(ledger, run)?;
        let all = (0..plan.engines.len())
            .flat_map(|engine| (0..suite.positions.len()).map(move |position| (engine, position)));
        let left: Vec<(usize, usize)> = all.filter(|place| !done.contains_key(place)).collect();
        sink(&Event::Started { plan, positions: suite.positions.len(), done: &done });
        let outcome = search_all(
            plan,
            &suite.positions,
            &left,
            &start_with(StartSettings::default()),
            &session.interrupt,
            &mut |searched| {
                record(ledger, run, &searched)?;
                done.insert((searched.engine, searched.position), searched.result);
                sink(&Event::Searched(&done));
                Ok(())
            },
        );
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
        finish(ledger, run, kept, done, probed)
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
    let kept: Kept = read_plan(run, plan)?;
    let mut suite = Suite::read(&kept.plan.facts.suite, kept.plan.epd.as_bytes()).or_failed()?;
    suite.scoring = kept.plan.scoring;
    let probed = probe(&kept.plan, session, sink)?;
    SuiteRun { kept, suite }.go_on(ledger, run, &probed, session, sink)
}

/// The warnings of a probe of each engine.
fn probe(plan: &Plan, session: &Session, sink: &Sink<'_>) -> Result<Vec<Vec<String>>, Failure> {
    let asked = |engine| (engine, Probe::of(plan.limit));
    let warn = |text: &str| sink(&Event::Warning(text));
    preflight::probe_all(plan.engines.iter().map(asked), session, &warn)
}

fn recorded(ledger: &Ledger, run: &Run) -> Result<Done, Failure> {
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

/// Sums up, into the ledger first.
fn finish(
    ledger: &Ledger,
    run: &Run,
    kept: &Kept,
    done: Done,
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
    let first = summaries.next().ok_or_else(|| {
        Failure::Failed(miette::miette!("the plan of run `{}` names no engine", run.id()))
    })?;
    let report = SuiteReport { first, others: summaries.collect() };
    let comparison = kept.baseline.as_ref().map(|baseline| compare(baseline, &report.first));
    let page = run.folder().join("report.html");
    let outcome = SuiteOutcome { report, comparison, page };
    ledger.finish(run, &json!(outcome)).or_failed()?;
    write_page(run, &suite_page(&outcome.report))?;
    Ok(outcome)
}

/// An engine that uses more than this share of the time allowed, plus [`SLACK`], gains by it.
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
