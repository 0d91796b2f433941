//! The page of a network's training.

use maud::{Markup, PreEscaped, html};

use super::super::chart::loss_chart;
use super::super::text::grouped;
use super::layout::{Page, number};
use harness_outcome::training::TrainingSummary;

/// The losses over the epochs, the final figures, and the text of the configuration.
pub fn training_page(summary: &TrainingSummary, config: &str) -> Page {
    let content = html! {
        header {
            h1 { "Training: " (summary.name) }
            p.soft { (summary.network) ", " (grouped(summary.weights)) " weights" }
        }
        section.card {
            dl.numbers {
                @for (label, value, beside) in &figures(summary) { (number(label, value, beside)) }
            }
        }
        (chart(summary))
        (epochs(summary))
        section.card {
            h2 { "Configuration" }
            pre { (config) }
        }
    };
    Page::new(&*summary.name, content)
}

/// Figures for the top: label, value, remark.
fn figures(summary: &TrainingSummary) -> [(&'static str, String, String); 5] {
    let share = 100.0 * summary.validation_loss / summary.material_loss;
    let validation = format!("{:.6}", summary.validation_loss);
    let mean = format!("{:.2} cp", summary.mean_rounding);
    let speed = grouped(summary.positions_per_cpu_second as u64);
    [
        ("Validation loss", validation, format!("{share:.1} % of the material baseline")),
        ("Epoch", summary.epoch.to_string(), format!("of {}", summary.planned_epochs)),
        ("Positions", grouped(summary.training_set), "in the training set".to_owned()),
        ("Rounding", mean, format!("at most {:.1}", summary.max_rounding)),
        ("Speed", speed, "positions a CPU second".to_owned()),
    ]
}

fn chart(summary: &TrainingSummary) -> Markup {
    let rows = summary.epochs.iter();
    let rows = rows.map(|epoch| (epoch.number.into(), epoch.train, epoch.validation));
    loss_curve(&rows.collect::<Vec<_>>())
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

fn epochs(summary: &TrainingSummary) -> Markup {
    html! {
        section.card {
            h2 { "Epochs" }
            div.scroll tabindex="0" role="region" aria-label="Epochs" {
                table {
                    thead {
                        tr {
                            th.number { "Epoch" } th.number { "Training loss" } th.number { "Validation loss" }
                            th.number { "Learning rate" }
                        }
                    }
                    tbody {
                        @for epoch in &summary.epochs {
                            tr {
                                td.number { (epoch.number) }
                                td.number { (format!("{:.6}", epoch.train)) }
                                td.number { (format!("{:.6}", epoch.validation)) }
                                td.number { (format!("{:.2e}", epoch.rate)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
