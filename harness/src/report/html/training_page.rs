//! The page of a network's training.

use maud::{Markup, PreEscaped, html};

use super::super::chart::loss_chart;
use super::layout::{number, page};

/// What the page shows.
pub struct TrainingFacts<'a> {
    /// The network's file.
    pub name: &'a str,
    /// Its kind and sizes.
    pub network: String,
    /// Numbers for the top: label, value, beside.
    pub numbers: Vec<(&'a str, String, String)>,
    /// Epochs: number, training loss, validation loss, learning rate of the last step.
    pub epochs: Vec<(u32, f64, f64, f64)>,
    /// The text of the configuration.
    pub config: &'a str,
}

/// The losses over the epochs, and the final figures.
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
        (epochs(facts))
        section.card {
            h2 { "Configuration" }
            pre { (facts.config) }
        }
    };
    page(facts.name, content)
}

fn chart(facts: &TrainingFacts<'_>) -> Markup {
    let rows: Vec<(f64, f64, f64)> = facts
        .epochs
        .iter()
        .map(|&(epoch, train, validation, _)| (epoch.into(), 1e3 * train, 1e3 * validation))
        .collect();
    html! {
        @if let Some(svg) = loss_chart(&rows) {
            section.card {
                h2 { "Loss over the epochs" }
                figure {
                    div.chart { (PreEscaped(svg)) }
                    figcaption {
                        "Mean squared error of the expected result, in thousandths. "
                        span.accent { "Blue" } ": validation loss. "
                        span.good { "Green" } ": training loss."
                    }
                }
            }
        }
    }
}

fn epochs(facts: &TrainingFacts<'_>) -> Markup {
    html! {
        section.card {
            h2 { "Epochs" }
            div.scroll {
                table {
                    thead {
                        tr {
                            th.number { "Epoch" } th.number { "Training loss" } th.number { "Validation loss" }
                            th.number { "Learning rate" }
                        }
                    }
                    tbody {
                        @for (epoch, train, validation, rate) in &facts.epochs {
                            tr {
                                td.number { (epoch) }
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
