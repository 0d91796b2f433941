//! A gate's report as a page.

use maud::{Markup, html};

use super::super::gate_text::{check_verdict, gate_word};
use super::super::text::{duration, minus_signs};
use super::layout::{Page, with_code};
use super::running::Shown;
use harness_outcome::gate::{GateReport, Verdict};

/// A self-contained page: each check with what was seen. Of a gate that has not ended without a verdict, unless
/// a check has failed.
pub fn gate_page(report: &GateReport, shown: Shown<'_>) -> Page {
    let has_verdict = shown == Shown::Finished || report.verdict == Verdict::Failed;
    let content = html! {
        header {
            @if has_verdict {
                span class={ "verdict " (class(report.verdict)) } { (gate_word(report.verdict)) }
            }
            h1 { "Gate: " (report.revision) }
            p.soft { "against " (report.base) }
        }
        (shown.warning())
        section.card {
            @if report.checks.is_empty() { p.soft { "No check is done yet." } }
            @else { div.scroll tabindex="0" role="region" aria-label="Checks" { (checks(report)) } }
        }
        footer {
            @if let Some(commit) = &report.commit {
                "commit " (commit)
                @if report.run.is_some() { " · " }
            }
            @if let Some(run) = &report.run { "run " (run) }
        }
    };
    Page::new(format!("gate: {}", report.revision), content)
}

fn checks(report: &GateReport) -> Markup {
    html! {
        table.gate-checks {
            thead { tr { th { "Check" } th { "Verdict" } th.number { "Time" } th { "What was seen" } } }
            tbody {
                @for check in &report.checks {
                    tr {
                        td { (check.name) }
                        td class=(class(check.verdict)) { (check_verdict(check)) }
                        td.number { (duration(check.seconds)) }
                        td {
                            (with_code(&minus_signs(&check.detail)))
                            @if let Some(run) = &check.run {
                                " " a.run-id href=(format!("../{run}/report.html")) { (run) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "good",
        Verdict::Failed => "bad",
        Verdict::Undecided => "even",
    }
}
