//! Parts of the page of a run while it runs.

use maud::{Markup, html};

use crate::text::grouped;
use harness_outcome::SuiteReport;

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
