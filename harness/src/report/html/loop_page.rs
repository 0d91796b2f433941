//! The page of a loop of games, trainings and tests.

use maud::{Markup, PreEscaped, html};

use super::super::chart::{Series, series_chart};
use super::tune_page::signed;
use super::{number, page};
use crate::outcome::loop_summary::{Generation, LoopSummary};
use crate::report::text::grouped;

/// Elo, losses and data of each generation.
pub fn loop_page(summary: &LoopSummary) -> String {
    let LoopSummary { run, start, generations, best } = summary;
    let games: u64 = generations.iter().map(|done| done.played.games).sum();
    let positions: u64 = generations.iter().map(|done| done.played.counts.kept).sum();
    let [lead, error] = [best.elo.value, best.elo.error95].map(|elo| elo.unwrap_or(0.0));
    let content = html! {
        header {
            h1 { "Loop: " (run) }
            p.soft { "The first games are played by " code { (start) } }
        }
        section.card {
            dl.numbers {
                (number("Best", &best.generation.to_string(), "of the generations"))
                (number("Elo", &signed(lead, 1), &format!("± {error:.1} over the start")))
                (number("Games", &grouped(games), "played to learn from"))
                (number("Positions", &grouped(positions), "kept of them"))
            }
        }
        (chart(
            "Elo over the start",
            "What the tests on the way add up to, each without the bias of a test that stops when \
             luck was with it; shaded: 95 %. Generation 0 is the start.",
            [(0.0, 0.0, 0.0)].into_iter().chain(generations.iter().filter_map(elo)).collect(),
        ))
        (chart(
            "Error of those positions that judge",
            "Mean squared error of the expected result, in thousandths. Each generation has \
             positions of its own: stronger play is harder to foretell.",
            generations.iter().map(|done| {
                (done.number.into(), 1e3 * done.learnt.validation_loss, 0.0)
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
    page(&format!("Loop {run}"), content)
}

fn elo(done: &Generation) -> Option<(f64, f64, f64)> {
    Some((done.number.into(), done.elo.value?, done.elo.error95?))
}

fn chart(title: &str, caption: &str, points: Vec<(f64, f64, f64)>) -> Markup {
    html! {
        @if let Some(svg) = series_chart(&Series { points }) {
            section.card {
                h2 { (title) }
                figure {
                    div.chart { (PreEscaped(svg)) }
                    figcaption { (caption) }
                }
            }
        }
    }
}

fn rows(generations: &[Generation]) -> Markup {
    html! {
        section.card {
            h2 { "Generations" }
            div.scroll {
                table {
                    thead {
                        tr {
                            th.number { "Generation" } th.number { "Games" }
                            th.number { "Learnt from" } th.number { "Learning" }
                            th.number { "Judging" } th.number { "Material" }
                            th { "Against" } th { "W-D-L" } th.number { "Elo" } th { "Best" }
                            th.number { "Over the start" }
                        }
                    }
                    tbody {
                        @for done in generations { (row(done)) }
                    }
                }
            }
            p.soft {
                "Learning, judging: mean squared error of the expected result over the positions \
                 learnt from and over those that only judge; material: what counting pieces \
                 reaches over the latter."
            }
        }
    }
}

fn row(done: &Generation) -> Markup {
    let Generation { played, learnt, tested, .. } = done;
    let against = if done.against == 0 { "start".to_owned() } else { done.against.to_string() };
    html! {
        tr {
            td.number { (done.number) }
            td.number { (grouped(played.games)) }
            td.number { (grouped(learnt.positions as u64)) }
            td.number { (format!("{:.6}", learnt.train_loss)) }
            td.number { (format!("{:.6}", learnt.validation_loss)) }
            td.number { (format!("{:.6}", learnt.material_loss)) }
            td { a href=(format!("../{}/report.html", tested.run)) { (against) } }
            td { (tested.wins) "-" (tested.draws) "-" (tested.losses) }
            td.number { (format!("{:.1}", tested.elo).replace("+-", "±")) }
            td { @if done.promoted { "yes" } @else { "no" } }
            td.number { (format!("{:.1}", done.elo).replace("+-", "±")) }
        }
    }
}
