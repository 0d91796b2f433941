//! The page of measurements over the commits.

use maud::{Markup, html};

use super::super::history::{CommitRow, EloPoint, History};
use super::super::strength::StrengthCurve;
use super::super::text::{counted, limit_words, minus_signs};
use super::layout::{Page, chart};
use super::strength::strength_section;

/// Charts of suites, speed and strength over the commits, and the table of all numbers; with the curve of
/// strength, where games connect the commits.
pub fn history_page(history: &History, strength: Option<&StrengthCurve>) -> Page {
    let content = html! {
        header {
            h1 { "History" }
            p.soft { (counted(history.commits.len() as u64, "commit", "commits")) " with any measurement, the oldest first" }
        }
        @if let Some(curve) = strength { (strength_section(curve)) }
        @for name in history.suites() {
            (curve(&format!("Solved: {}", limit_words(&name, "position")), history, |row| {
                let point = row.suites.iter().find(|point| point.name() == name)?;
                Some((point.solved as f64, 0.0))
            }))
        }
        (curve("Elo against the base, 95 %, of the match with the most games", history, |row| {
            let point = row.elo.iter().max_by_key(|point| point.games)?;
            Some((point.value?, point.error95.unwrap_or(0.0)))
        }))
        (curve("Nodes a second over the base's", history, |row| Some((row.speed?, 0.0))))
        (curve("Bench, in thousands of nodes", history, |row| Some((row.bench? as f64 / 1e3, 0.0))))
        (rows(history))
    };
    Page::new("history", content)
}

/// A curve over the commits that have a value, with its error.
fn curve(
    title: &str,
    history: &History,
    value: impl Fn(&CommitRow) -> Option<(f64, f64)>,
) -> Markup {
    let points = (1..)
        .zip(&history.commits)
        .filter_map(|(number, row)| value(row).map(|(value, error)| (number as f64, value, error)));
    chart(title, "commits in the order of the table below", points.collect())
}

fn rows(history: &History) -> Markup {
    html! {
        section.card {
            h2 { "Commits" }
            div.scroll tabindex="0" role="region" aria-label="Commits" {
                table {
                    thead {
                        tr {
                            th.number { "#" } th { "Commit" } th.number { "Date" } th { "Subject" }
                            th.number { "Bench" } th.number { "Speed" } th { "Suites" }
                            th { "Elo" } th { "Runs" }
                        }
                    }
                    tbody {
                        @for (number, row) in (1..).zip(&history.commits) {
                            tr {
                                td.number { (number) }
                                td { code { (row.commit.chars().take(8).collect::<String>()) } }
                                td.number { (row.date) }
                                td.subject { (row.subject) }
                                td.number { @if let Some(bench) = row.bench { (bench) } }
                                td.number { @if let Some(speed) = row.speed { (format!("{speed:.3}")) } }
                                td {
                                    @for point in &row.suites {
                                        div { (limit_words(&point.name(), "position")) ": " (point.solved) " of " (point.positions) }
                                    }
                                }
                                td {
                                    @for point in &row.elo {
                                        div { (elo_line(point)) }
                                    }
                                }
                                td {
                                    @for run in &row.runs {
                                        div { a.run-id href={ "runs/" (run) "/report.html" } { (run) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `+4.2 ± 3.1 against 1a2b3c4d, 5,000 nodes a move, 1,234 games`
fn elo_line(point: &EloPoint) -> String {
    let elo = minus_signs(&point.elo());
    let against = point.opponent();
    let limit = limit_words(&point.limit, "move");
    let games = point.games();
    let conditions = if point.conditions.is_empty() { "" } else { ", " };
    format!("{elo} against {against}, {limit}{conditions}{}, {games} games", point.conditions)
}
