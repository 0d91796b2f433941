//! The result of a run that is running, as its process tells of it.

use maud::{Markup, html};

use crate::error::StudioError;
use crate::hub::LiveRun;
use harness_base::text::grouped;
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::SuiteReport;
use harness_report::html::{loss_curve, tune_page};
use harness_runs::kinds;
use harness_runs::report::suite_report;
use harness_runs::tune;

/// The result so far of a run whose process tells of it; of a match, [`Results`](crate::results::Results) has it.
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
