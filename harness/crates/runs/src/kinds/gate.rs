//! A gate as a kind of run.

use serde::Deserialize;
use serde_json::{Value, json};

use super::event::{Begun, RunEvent, RunSink};
use super::kind::{Form, Kind, Measured, Resume};
use super::outcome::{Outcome, Workflow};
use super::running::Running;
use crate::gate::run::Event;
use crate::gate::{self, GateReport, Verdict};
use crate::heads::{lenient, or_unknown, read_head};
use crate::report::{self, Format, Rendered, ReportError, unfinished};
use harness_base::failure::{Exit, Failure};
use harness_base::session::Session;
use harness_ledger::{Ledger, RunFacts};
use harness_report::html::{Shown, gate_page};
use harness_report::{check_verdict, gate_annotations, gate_markdown, gate_text};

/// A gate.
pub const KIND: Kind = Kind {
    key: gate::run::COMMAND,
    title,
    result_line,
    resume: Resume::By(|ledger, run, plan, session, sink| {
        let report = gate::run::resume(ledger, run, plan, session, &|event| show(event, sink))?;
        outcome(&report, session)
    }),
    so_far: |ledger, run| Ok(json!(so_far(ledger, run)?)),
    page: |ledger, run| {
        let unfinished = unfinished(run);
        Ok(gate_page(&so_far(ledger, run)?, Shown::of(unfinished.as_deref())))
    },
    report,
    running: Running::Page(|ledger, run, _| {
        Ok(gate_page(&so_far(ledger, run)?, Shown::Running).content)
    }),
    history: Some(Measured { add: gate::Commits::add_gate, counts_unfinished: false }),
    form: Some(Form {
        place: 5,
        command: gate::run::COMMAND,
        yaml: "arguments: [gate.yaml]\n# engine: HEAD\n",
    }),
    ..Kind::PLAIN
};

/// The parts of a plan that a title has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PlanHead {
    #[serde(deserialize_with = "lenient")]
    engine: Option<String>,
    #[serde(deserialize_with = "lenient")]
    base: Option<String>,
}

/// The parts of a summary that a line has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SummaryHead {
    verdict: String,
}

fn title(plan: &Value) -> String {
    let PlanHead { engine, base } = read_head(plan);
    title_of(&or_unknown(engine), &or_unknown(base))
}

fn title_of(engine: &str, base: &str) -> String {
    format!("{engine} against {base}")
}

fn result_line(summary: &Value) -> String {
    let SummaryHead { verdict } = read_head(summary);
    verdict
}

/// The report of a gate, of an unfinished one with the checks that are.
fn so_far(ledger: &Ledger, run: &RunFacts) -> Result<GateReport, ReportError> {
    match run.summary {
        Some(_) => report::summary(run),
        None => {
            let PlanHead { engine, base } = read_head(&run.plan);
            let (engine, base) = (engine.unwrap_or_default(), base.unwrap_or_default());
            Ok(gate::run::report_so_far(ledger, &run.id, engine, base)?)
        }
    }
}

fn report(_: &Ledger, run: &RunFacts, format: Format) -> Rendered {
    let report: GateReport = report::summary(run)?;
    Ok((format == Format::Markdown).then(|| gate_markdown(&report, None)))
}

/// The result of a gate as it is shown.
///
/// # Errors
/// When it has no JSON form.
pub fn outcome(report: &GateReport, session: &Session) -> Result<Outcome, Failure> {
    let page = |run: &str| session.reports.join("runs").join(run).join("report.html");
    let checks = report.checks.iter().filter_map(|check| Some((&*check.name, check.run.as_ref()?)));
    let pages = checks.chain(report.run.iter().map(|run| ("Report", run)));
    let pages: String =
        pages.map(|(name, run)| format!("{name}: {}\n", page(run).display())).collect();
    let exit = exit_of(report.verdict);
    let workflow =
        Workflow { summary: gate_markdown(report, None), annotations: gate_annotations(report) };
    let outcome = Outcome::new(report, gate_text(report) + &pages, exit)?;
    Ok(Outcome { workflow: Some(workflow), ..outcome })
}

/// The exit status of a verdict.
pub fn exit_of(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Passed => Exit::Good,
        Verdict::Failed => Exit::Bad,
        Verdict::Undecided => Exit::Undecided,
    }
}

/// Tells an event in the words of all kinds.
pub fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    match event {
        Event::Started { run, engine, base, done, of } => {
            let (key, title, unit) = (gate::run::COMMAND, title_of(engine, base), "checks");
            sink(&RunEvent::Begun(Begun { run, key, title, done: *done, of: Some(*of), unit }));
        }
        Event::GoesOn { run } => sink(&RunEvent::Line(&format!("continuing {run}"))),
        Event::Begins { check } => {
            sink(&RunEvent::Doing(check));
            sink(&RunEvent::Line(&format!("{check} ...")));
        }
        Event::Doing { check, step } => sink(&RunEvent::Doing(&format!("{check}: {step}"))),
        Event::Ended(check) => {
            sink(&RunEvent::OneMore);
            sink(&RunEvent::Line(&format!("{}: {}", check.name, check_verdict(check))));
        }
        Event::Games(event) => sink(&RunEvent::Part(event)),
    }
}
