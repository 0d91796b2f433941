//! A run of a test suite as a kind of run.

use serde::Deserialize;
use serde_json::{Value, json};

use super::comparison::{Comparison, SolvedPositions};
use super::event::{Begun, Moment, RunEvent, RunSink};
use super::kind::{Form, Kind, Measured, Resume};
use super::outcome::Outcome;
use super::running::Running;
use crate::gate;
use crate::heads::{PlanHead, or_unknown, read_head};
use crate::report::{self, ReportError, running_suite, suite_report};
use crate::suite::{self, Event, SuiteOutcome, SuiteRun};
use harness_base::failure::{Exit, Failure};
use harness_base::session::Session;
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::SuiteSummary;
use harness_report::html::suite_positions;
use harness_report::{suite_lines, suite_text};
use harness_suite::Catalog;

/// A run of a suite.
pub const KIND: Kind = Kind {
    key: suite::COMMAND,
    title,
    result_line,
    resume: Resume::By(|ledger, run, plan, session, sink| {
        outcome(&suite::resume(ledger, run, plan, session, &|event| show(event, sink))?)
    }),
    so_far: |ledger, run| Ok(json!(suite_report(ledger, run)?)),
    page: report::page_of_suite,
    report: report::of_suite,
    running: Running::Page(|ledger, run, _| Ok(suite_positions(&running_suite(ledger, run)?))),
    comparison,
    history: Some(Measured { add: gate::Commits::add_suite, counts_unfinished: false }),
    plays_elsewhere: true,
    in_progress: "searches",
    form: Some(Form {
        place: 3,
        command: suite::COMMAND,
        yaml: "arguments: [wac, builtin]\n# movetime: 1s\n# jobs: 2\n",
    }),
    ..Kind::PLAIN
};

fn title(plan: &Value) -> String {
    let PlanHead { facts, .. } = read_head(plan);
    let engines = facts.engines().join(", ");
    title_of(&or_unknown(facts.suite), &engines)
}

fn title_of(suite: &str, engines: &str) -> String {
    format!("{suite}: {engines}")
}

/// The parts of a summary that a line has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SummaryHead {
    engine: String,
    solved: u64,
    positions: u64,
    others: Vec<SummaryHead>,
}

fn result_line(summary: &Value) -> String {
    let SummaryHead { engine, solved, positions, others } = read_head(summary);
    let others: Vec<(&str, u64)> =
        others.iter().map(|one| (one.engine.as_str(), one.solved)).collect();
    solved_by((&engine, solved), &others, positions)
}

/// How many positions are solved; of several engines it says whose result each one is.
fn solved_by((engine, solved): (&str, u64), others: &[(&str, u64)], positions: u64) -> String {
    if others.is_empty() {
        return format!("{solved} of {positions} solved");
    }
    let others = others.iter().map(|(engine, solved)| format!(", {engine} {solved}"));
    format!("{engine} {solved}{} of {positions} solved", others.collect::<String>())
}

fn comparison(ledger: &Ledger, run: &RunFacts) -> Result<Comparison, ReportError> {
    let report = suite_report(ledger, run)?;
    let others: Vec<(&str, u64)> =
        report.others.iter().map(|one| (one.engine.as_str(), one.solved)).collect();
    let first = &report.first;
    let result = solved_by((&first.engine, first.solved), &others, first.positions);
    let solved = std::iter::once(first).chain(&report.others).map(solved_positions).collect();
    Ok(Comparison { result, solved, ..Comparison::default() })
}

fn solved_positions(summary: &SuiteSummary) -> SolvedPositions {
    let positions = summary.results.iter().map(|result| (result.id.clone(), result.solved));
    SolvedPositions {
        engine: summary.engine.clone(),
        run: summary.run.clone(),
        positions: positions.collect(),
    }
}

/// Starts a run.
///
/// # Errors
/// As [`SuiteRun::start`].
pub fn start(run: &SuiteRun, session: &Session, sink: &RunSink<'_>) -> Result<Outcome, Failure> {
    outcome(&run.start(session, &|event| show(event, sink))?)
}

fn outcome(outcome: &SuiteOutcome) -> Result<Outcome, Failure> {
    let comparison = outcome.comparison.as_ref();
    let catalog = Catalog::builtin();
    let faults = catalog.find(&outcome.report.first.suite);
    let faults = faults.map_or(&[][..], |entry| &entry.faults);
    let text = suite_text(&outcome.report, faults, comparison);
    let text = format!("{text}Report: {}\n", outcome.page.display());
    let is_worse = comparison.is_some_and(|comparison| comparison.worse);
    let is_bad = is_worse || outcome.report.engines().any(failed_everywhere);
    Outcome::new(outcome, text, if is_bad { Exit::Bad } else { Exit::Good })
}

/// Whether an engine failed in every position: it was not measured.
fn failed_everywhere(summary: &SuiteSummary) -> bool {
    let results = &summary.results;
    !results.is_empty() && results.iter().all(|result| result.fault.is_some())
}

/// Tells an event in the words of all kinds.
pub fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    match event {
        Event::Warning(text) => {
            sink(&RunEvent::Warning(text));
            sink(&RunEvent::Record { name: "warning", value: &|| json!({ "text": text }) });
        }
        Event::Started { run, plan, positions, done } => {
            let facts = &plan.facts;
            let (done, of) = (done.len() as u64, (positions * plan.engines.len()) as u64);
            let (key, unit) = (suite::COMMAND, "positions");
            let title = title_of(&facts.suite, &facts.engines.join(", "));
            sink(&RunEvent::Begun(Begun { run, key, title, done, of: Some(of), unit }));
            sink(&RunEvent::Bar { done, of, watches_load: true });
            let value = || {
                json!({
                    "run": run, "command": key, "suite": facts.suite, "engines": facts.engines,
                    "limit": facts.limit, "done": done, "positions": of,
                })
            };
            sink(&RunEvent::Record { name: "run_started", value: &value });
        }
        Event::Searched { plan, positions, done } => {
            let (facts, count) = (&plan.facts, done.len() as u64);
            sink(&RunEvent::Done(count));
            let text = |moment: &Moment<'_>| {
                let (pace, warning) = (moment.pace, moment.warning);
                suite_lines(&facts.suite, &facts.engines, *positions, done, pace, warning)
            };
            sink(&RunEvent::BarMoved { done: count, of: None, text: &text });
            let value = || {
                let solved = done.values().filter(|result| result.solved).count();
                json!({ "done": count, "solved": solved })
            };
            sink(&RunEvent::Record { name: "searched", value: &value });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_of_several_engines_says_whose_result_it_is() {
        let other = json!({ "engine": "b", "solved": 9, "positions": 24 });
        let mut summary = json!({ "engine": "a", "solved": 14, "positions": 24 });
        assert_eq!(result_line(&summary), "14 of 24 solved");
        summary["others"] = json!([other]);
        assert_eq!(result_line(&summary), "a 14, b 9 of 24 solved");
    }
}
