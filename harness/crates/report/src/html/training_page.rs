//! The page of a network's training.

use maud::{Markup, PreEscaped, html};

use super::super::chart::loss_chart;
use super::layout::{Page, number};

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
pub fn training_page(facts: &TrainingFacts<'_>) -> Page {
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
    Page::new(facts.name, content)
}

fn chart(facts: &TrainingFacts<'_>) -> Markup {
    let epochs = facts.epochs.iter();
    loss_curve(
        &epochs.map(|&(epoch, train, loss, _)| (epoch.into(), train, loss)).collect::<Vec<_>>(),
    )
}

/// The curve of training loss and validation loss; rows are epoch, training loss, validation loss.
pub fn loss_curve(rows: &[(f64, f64, f64)]) -> Markup {
    let thousandths = |&(epoch, train, loss): &(f64, f64, f64)| (epoch, 1e3 * train, 1e3 * loss);
    let rows: Vec<(f64, f64, f64)> = rows.iter().map(thousandths).collect();
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
