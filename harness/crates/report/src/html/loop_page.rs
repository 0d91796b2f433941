//! The page of a loop of self-play, training and tests.

use maud::{Markup, html};

use super::layout::{Page, chart, number, series_card, signed};
use crate::chart::Series;
use crate::text::{grouped, minus_signs};
use harness_outcome::Estimate;
use harness_outcome::loop_summary::{self, Generation, LoopSummary};

/// Elo, losses and data of each generation.
pub fn loop_page(summary: &LoopSummary) -> Page {
    let LoopSummary { run, start, generations, best } = summary;
    let games: u64 = generations.iter().map(|done| done.played.games).sum();
    let positions: u64 = generations.iter().map(|done| done.played.counts.kept).sum();
    let [lead, error] = [best.elo.value, best.elo.error95].map(|elo| elo.unwrap_or(0.0));
    let hours: f64 = generations.iter().map(|done| done.cost.hours()).sum();
    let content = html! {
        header {
            h1 { "Loop: " (run) }
            p.soft { "The first games are played by " code { (start) } }
        }
        section.card {
            dl.numbers {
                (number("Best", &best.generation.to_string(), "of the generations"))
                (number("Elo", &signed(lead, 1), &format!("± {error:.1} over the start")))
                (number("Games", &grouped(games), "for training"))
                (number("Positions", &grouped(positions), "kept of them"))
                (number("Cost", &format!("{hours:.2} h"), "of one core"))
            }
        }
        (series_card(
            "Elo by processor hours",
            "The best network over the start, by the processor time of games, trainings and tests; \
             shaded: 95 %.",
            &Series { points: by_hours(generations), counted: false },
        ))
        (chart(
            "Elo over the start",
            "The sum of the tests on the way, each without stopping bias; shaded: 95 %. Generation 0 \
             is the start.",
            [(0.0, 0.0, 0.0)].into_iter().chain(generations.iter().filter_map(elo)).collect(),
        ))
        (chart(
            "Validation loss",
            "Mean squared error of the expected result, in thousandths. Each generation has its own \
             validation set: stronger play is harder to predict.",
            generations.iter().map(|done| {
                (done.number.into(), 1e3 * done.trained.validation_loss, 0.0)
            }).collect(),
        ))
        (rows(generations))
        section.card {
            h2 { "How to repeat" }
            p {
                a href="run.yaml" { "run.yaml" }
                " has the whole configuration. Each generation has a folder here with its games, \
                 positions and network; each test is a run of its own."
            }
        }
    };
    Page::new(format!("Loop {run}"), content)
}

/// The curve over processor hours; empty if an older version counted none.
fn by_hours(generations: &[Generation]) -> Vec<(f64, f64, f64)> {
    let known = |(hours, elo): (f64, Estimate)| Some((hours, elo.value?, elo.error95?));
    let points: Vec<(f64, f64, f64)> =
        loop_summary::curve(generations).into_iter().filter_map(known).collect();
    match points.last() {
        Some((hours, ..)) if *hours > 0.0 => [(0.0, 0.0, 0.0)].into_iter().chain(points).collect(),
        _ => Vec::new(),
    }
}

fn elo(done: &Generation) -> Option<(f64, f64, f64)> {
    Some((done.number.into(), done.elo.value?, done.elo.error95?))
}

fn rows(generations: &[Generation]) -> Markup {
    html! {
        section.card {
            h2 { "Generations" }
            div.scroll tabindex="0" role="region" aria-label="Generations" {
                table {
                    thead {
                        tr {
                            th.number { "Generation" } th.number { "Games" }
                            th.number { "Training set" } th.number { "Training loss" }
                            th.number { "Validation loss" } th.number { "Material" }
                            th { "Against" } th.number { "W-D-L" } th.number { "Elo" } th { "Best" }
                            th.number { "Over the start" } th.number { "CPU hours" }
                        }
                    }
                    tbody {
                        @for done in generations { (row(done)) }
                    }
                }
            }
            p.soft {
                "Losses: mean squared error of the expected result over the training set and the \
                 validation set; material: that of the material baseline over the latter."
            }
        }
    }
}

fn row(done: &Generation) -> Markup {
    let Generation { played, trained, tested, .. } = done;
    let against = if done.against == 0 { "start".to_owned() } else { done.against.to_string() };
    html! {
        tr {
            td.number { (done.number) }
            td.number { (grouped(played.games)) }
            td.number { (grouped(trained.positions as u64)) }
            td.number { (format!("{:.6}", trained.train_loss)) }
            td.number { (format!("{:.6}", trained.validation_loss)) }
            td.number { (format!("{:.6}", trained.material_loss)) }
            td { a href=(format!("../{}/report.html", tested.run)) { (against) } }
            td.number { (tested.wins) "-" (tested.draws) "-" (tested.losses) }
            td.number { (minus_signs(&format!("{:.1}", tested.elo).replace("+-", "±"))) }
            td { @if done.promoted { "yes" } @else { "no" } }
            td.number { (minus_signs(&format!("{:.1}", done.elo).replace("+-", "±"))) }
            td.number { (format!("{:.2}", done.cost.hours())) }
        }
    }
}
