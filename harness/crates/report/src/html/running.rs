//! Parts of the page of a run while it runs.

use maud::{Markup, html};

use super::layout::warnings;
use crate::text::grouped;
use harness_outcome::SuiteReport;

/// How far the run of a page has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown<'a> {
    /// To its end.
    Finished,
    /// It runs: the page stands below what is under way.
    Running,
    /// It has no result; a sentence says so.
    Unfinished(&'a str),
}

impl<'a> Shown<'a> {
    /// A finished run, or one of which this sentence says that it is not.
    pub fn of(unfinished: Option<&'a str>) -> Shown<'a> {
        unfinished.map_or(Shown::Finished, Shown::Unfinished)
    }

    pub(super) fn warning(self) -> Markup {
        match self {
            Shown::Unfinished(sentence) => warnings(&[sentence.to_owned()]),
            Shown::Finished | Shown::Running => html! {},
        }
    }
}

/// A note in place of a result that is not there yet.
pub fn waiting(text: &str) -> Markup {
    html! { section.card { p.soft { (text) } } }
}

/// The positions of a suite as they are solved.
pub fn suite_positions(report: &SuiteReport) -> Markup {
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
