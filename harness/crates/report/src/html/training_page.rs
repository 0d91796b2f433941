//! The page of a network's training.

use maud::{Markup, PreEscaped, html};

use super::super::chart::loss_chart;
use super::super::text::grouped;
use super::layout::{Page, number};
use harness_outcome::training::{Losses, TrainingSummary};

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
                @if let Some(loss) = summary.scores_loss {
                    (number("By scores alone", &format!("{loss:.6}"), "which chooses the epoch"))
                }
                @if let Some(loss) = summary.start_loss {
                    (number("The network it starts from", &format!("{loss:.6}"), "on the validation set"))
                }
            }
            p.soft { (summary.schedule) }
            @for note in &summary.notes { p { (note) } }
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
    let has_more = summary.scores_loss.is_some();
    let losses = summary.epochs.iter().map(|epoch| Losses {
        train: epoch.train,
        validation: epoch.validation,
        scores: has_more.then_some(epoch.scores),
    });
    loss_curve(&losses.collect::<Vec<_>>())
}

/// The curves of training loss and validation loss over the epochs, that of scores alone where labels have
/// more parts, and the epoch that is chosen.
pub fn loss_curve(epochs: &[Losses]) -> Markup {
    let by_scores = epochs.iter().any(|epoch| epoch.scores.is_some());
    html! {
        @if let Some(svg) = loss_chart(epochs) {
            section.card {
                h2 { "Loss over the epochs" }
                figure {
                    div.chart { (PreEscaped(svg)) }
                    figcaption {
                        "Mean squared error of the expected result, in thousandths. "
                        span.accent { "Blue" } ": validation loss. "
                        span.good { "Green" } ": training loss."
                        @if by_scores { " " span.bad { "Red" } ": validation loss by scores alone." }
                        @if let Some(best) = Losses::best_epoch(epochs) {
                            " Dashed: epoch " (best) ", which has the least"
                            @if by_scores { " by scores alone" }
                            "; its network is taken."
                        }
                    }
                }
            }
        }
    }
}

fn epochs(summary: &TrainingSummary) -> Markup {
    let by_scores = summary.scores_loss.is_some();
    html! {
        section.card {
            h2 { "Epochs" }
            div.scroll tabindex="0" role="region" aria-label="Epochs" {
                table {
                    thead {
                        tr {
                            th.number { "Epoch" } th.number { "Training loss" } th.number { "Validation loss" }
                            @if by_scores { th.number { "By scores alone" } }
                            th.number { "Learning rate" } th { "Chosen" }
                        }
                    }
                    tbody {
                        @for epoch in &summary.epochs {
                            tr {
                                td.number { (epoch.number) }
                                td.number { (format!("{:.6}", epoch.train)) }
                                td.number { (format!("{:.6}", epoch.validation)) }
                                @if by_scores { td.number { (format!("{:.6}", epoch.scores)) } }
                                td.number { (format!("{:.2e}", epoch.rate)) }
                                td { @if epoch.number == summary.epoch { "yes" } }
                            }
                        }
                    }
                }
            }
        }
    }
}
