//! The course of a race on its page: who was dropped when, and the evidence.

use maud::{Markup, PreEscaped, html};

use super::super::chart::{evidence_chart, series_number};
use super::super::race_text::{evidence_note, leaving};
use super::super::text::{grouped, minus_signs, plus, sprt_text};
use harness_outcome::{RaceRunner, RaceSummary};

/// The heats of a race.
pub fn race_section(race: &RaceSummary) -> Markup {
    html! {
        section.card {
            h2 { "Race" }
            div.scroll tabindex="0" role="region" aria-label="Race" {
                table {
                    thead { tr {
                        th { "Place" } th { "Runner" }
                        @for column in ["Games", "Score", "Evidence"] { th.number { (column) } }
                        th { "Left the heats" }
                    } }
                    tbody {
                        @for (place, runner) in (1..).zip(&race.runners) { (row(race, place, runner)) }
                    }
                }
            }
            p.soft.after { "The whole race: " (minus_signs(&sprt_text(&race.test))) "." }
            (elimination(race))
        }
        @if let Some(svg) = evidence_chart(race) {
            section.card {
                h2 { "Evidence against each runner over games" }
                figure.chart {
                    (PreEscaped(svg))
                    figcaption { (evidence_note(race).unwrap_or_default()) }
                }
            }
        }
    }
}

fn row(race: &RaceSummary, place: u32, runner: &RaceRunner) -> Markup {
    let RaceRunner { name, is_base, games, score, evidence, .. } = runner;
    let dash = || "–".to_owned();
    let curve = race.engines.iter().position(|engine| engine == name).unwrap_or(0);
    let color = format!("#{}", format!("{:02x}", 10 + series_number(curve)).repeat(3));
    html! {
        tr {
            td { (place) }
            td {
                @if evidence.is_some() {
                    svg.series viewBox="0 0 34 10" aria-hidden="true" {
                        line x1="0" y1="5" x2="34" y2="5" stroke-width="3" stroke=(color) {}
                    }
                    " "
                }
                (name) @if *is_base { " (base)" }
            }
            td.number { (grouped(*games)) }
            td.number { (score.map_or_else(dash, |score| format!("{:.2} %", 100.0 * score))) }
            td.number { (evidence.map_or_else(dash, |evidence| plus(evidence, 2).replace('-', "−"))) }
            td { (leaving(race, runner)) }
        }
    }
}

/// The elimination as a tree: a level for each time that runners were dropped.
fn elimination(race: &RaceSummary) -> Markup {
    let mut dropped: Vec<(&RaceRunner, u64)> = race
        .runners
        .iter()
        .filter_map(|runner| Some((runner, runner.dropped.as_ref()?.games)))
        .collect();
    dropped.sort_by_key(|&(_, games)| games);
    let mut games: Vec<u64> = dropped.iter().map(|&(_, games)| games).collect();
    games.dedup();
    let last = race.final_candidate.as_ref();
    html! {
        @if !games.is_empty() {
            ol {
                @for at in games {
                    li {
                        (grouped(at)) " games: "
                        @for (number, (runner, _)) in
                            dropped.iter().filter(|(_, games)| *games == at).enumerate()
                        {
                            @if number > 0 { ", " }
                            (runner.name) " is dropped"
                            @if let Some(by) = runner.dropped.as_ref().and_then(|out| out.by.as_ref()) {
                                " by " (by)
                            }
                        }
                    }
                }
                @if let Some(candidate) = last {
                    li { (candidate) " plays the final against " (race.base) "." }
                }
            }
        }
    }
}
