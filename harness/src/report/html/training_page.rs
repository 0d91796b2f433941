//! The page of a network's training.

use maud::{Markup, PreEscaped, html};

use super::super::chart::loss_chart;
use super::{number, page};

/// What the page shows.
pub struct TrainingFacts<'a> {
    /// The network's file.
    pub name: &'a str,
    /// Its kind and sizes.
    pub network: String,
    /// Numbers for the top: label, value, beside.
    pub numbers: Vec<(&'a str, String, String)>,
    /// Passes: number, error learnt from, error of those that judge, size of the last step.
    pub passes: Vec<(u32, f64, f64, f64)>,
    /// The configuration as it was read.
    pub config: &'a str,
}

/// The errors over the passes, and what came of it.
pub fn training_page(facts: &TrainingFacts<'_>) -> String {
    let content = html! {
        header {
            h1 { "Training: " (facts.name) }
            p.soft { (facts.network) }
        }
        section.card {
            dl.numbers {
                @for (label, value, beside) in &facts.numbers { (number(label, value, beside)) }
            }
        }
        (chart(facts))
        (passes(facts))
        section.card {
            h2 { "Configuration" }
            pre { (facts.config) }
        }
    };
    page(facts.name, content)
}

fn chart(facts: &TrainingFacts<'_>) -> Markup {
    let rows: Vec<(f64, f64, f64)> = facts
        .passes
        .iter()
        .map(|&(pass, train, validation, _)| (pass.into(), 1e3 * train, 1e3 * validation))
        .collect();
    html! {
        @if let Some(svg) = loss_chart(&rows) {
            section.card {
                h2 { "Error over the passes" }
                figure {
                    div.chart { (PreEscaped(svg)) }
                    figcaption {
                        "Mean squared error of the expected result, in thousandths. Line: positions "
                        "that only judge; shaded: from there to those that are learnt from."
                    }
                }
            }
        }
    }
}

fn passes(facts: &TrainingFacts<'_>) -> Markup {
    html! {
        section.card {
            h2 { "Passes" }
            div.scroll {
                table {
                    thead {
                        tr {
                            th.number { "Pass" } th.number { "Learnt from" } th.number { "Judging" }
                            th.number { "Step size" }
                        }
                    }
                    tbody {
                        @for (pass, train, validation, rate) in &facts.passes {
                            tr {
                                td.number { (pass) }
                                td.number { (format!("{train:.6}")) }
                                td.number { (format!("{validation:.6}")) }
                                td.number { (format!("{rate:.2e}")) }
                            }
                        }
                    }
                }
            }
        }
    }
}
