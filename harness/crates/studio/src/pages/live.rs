//! The parts of a page that change while a run goes on.

use std::path::Path;

use maud::{Markup, html};

use super::run::{action, head};
use super::runs::{progress, running as running_now};
use super::status;
use crate::error::StudioError;
use crate::hub::{Hub, LiveRun};
use crate::results::Results;
use crate::security::Role;
use crate::topics::{Fragment, Subject};
use harness_base::text::grouped;
use harness_ledger::{Ledger, RunFacts, Status};
use harness_outcome::SuiteReport;
use harness_report::html::{loss_curve, tune_page};
use harness_runs::kinds;
use harness_runs::report::suite_report;
use harness_runs::tune;

/// The fragments of a page as things stand.
pub fn fragments(
    reports: &Path,
    hub: &Hub,
    results: &Results,
    csrf: &str,
    subject: &Subject,
) -> Vec<Fragment> {
    let ledger = Ledger::open_to_read(reports);
    match subject {
        Subject::Runs => {
            let version = ledger.and_then(|ledger| ledger.version()).unwrap_or_default();
            vec![
                ("running", running_now(hub).into_string()),
                // Not shown: the list asks for itself again when this changes.
                ("runs-version", format!("{version:?}")),
            ]
        }
        Subject::Run(id, role) => {
            let Ok(ledger) = ledger else { return Vec::new() };
            of_run(&ledger, hub, results, (id, *role, csrf))
        }
    }
}

fn of_run(
    ledger: &Ledger,
    hub: &Hub,
    results: &Results,
    (id, role, csrf): (&str, Role, &str),
) -> Vec<Fragment> {
    let watched = hub.run(id);
    let mut fragments = Vec::new();
    let progress = watched.as_ref().map(|run| progress(run).into_string()).unwrap_or_default();
    fragments.push(("progress", progress));
    match (ledger.facts(id), &watched) {
        (Ok(run), _) => {
            fragments.push(("head", head(&run, role, csrf).into_string()));
            fragments.push(("result", results.of(ledger, hub, &run, true).into_string()));
        }
        (Err(_), Some(run)) => {
            fragments.push(("head", head_of_process(id, run, role, csrf).into_string()));
            fragments.push(("result", losses(run).into_string()));
        }
        // Self-play or a training that has ended, or a run that was deleted.
        (Err(_), None) => fragments.push(("head", over().into_string())),
    }
    fragments
}

fn over() -> Markup {
    html! { p { "It is over. " a href="/" { "All runs" } } }
}

/// The head of the page of something that the ledger does not know.
pub fn head_of_process(id: &str, run: &LiveRun, role: Role, csrf: &str) -> Markup {
    html! {
        div.run-head {
            div {
                h1 { (run.title) }
                p.soft { (run.command) " · " code { (id) } " " (status(Status::Running)) }
            }
            @if role == Role::Control {
                div.actions { (action(id, "finish", "Stop; what is done is kept", csrf, None)) }
            }
        }
    }
}

/// The result so far of a run whose process tells of it; of a match, [`Results`] has it.
///
/// # Errors
/// When the plan or the results cannot be read.
pub fn running(ledger: &Ledger, run: &RunFacts, live: &LiveRun) -> Result<Markup, StudioError> {
    match run.command.as_str() {
        "tune" => {
            let seconds = live.since.0.elapsed().as_secs_f64();
            match tune::running(run, live.path.clone(), seconds) {
                Ok(Some(report)) => Ok(tune_page(&report, &[]).content),
                Ok(None) => Ok(waiting("The tuner has no recommendation yet.")),
                Err(error) => Err(StudioError::Report(error.into())),
            }
        }
        "suite" => Ok(positions(&suite_report(ledger, run)?)),
        "gate" => Ok(kinds::page(ledger, run)?.content),
        _ => Ok(losses(live)),
    }
}

fn waiting(text: &str) -> Markup {
    html! { section.card { p.soft { (text) } } }
}

/// The positions of a suite as they are solved.
fn positions(report: &SuiteReport) -> Markup {
    html! {
        @for summary in report.engines() {
            section.card {
                h2 { (summary.engine) }
                p {
                    strong { (summary.results.iter().filter(|result| result.solved).count()) }
                    " solved of " (summary.results.len()) " searched, "
                    (grouped(summary.positions)) " in all"
                }
                ol.solved {
                    @for result in &summary.results {
                        @let (class, sign) = if result.solved { ("yes", "✓") } else { ("no", "✗") };
                        li class=(class) title=(result.id) {
                            span aria-hidden="true" { (sign) }
                            span.visually-hidden { (result.id) @if result.solved { " solved" } @else { " missed" } }
                        }
                    }
                    @for _ in summary.results.len() as u64..summary.positions { li aria-hidden="true" {} }
                }
            }
        }
    }
}

/// The losses of a training.
pub fn losses(run: &LiveRun) -> Markup {
    let rows: Vec<(f64, f64, f64)> = (1..)
        .zip(&run.losses)
        .map(|(epoch, [train, loss])| (f64::from(epoch), *train, *loss))
        .collect();
    html! {
        @if rows.is_empty() {
            (waiting("The first results are to come."))
        } @else {
            (loss_curve(&rows))
        }
    }
}
