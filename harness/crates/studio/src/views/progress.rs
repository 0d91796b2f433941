//! The runs that are running now, and how far they are.

use maud::{Markup, html};
use serde_json::json;

use super::run_path;
use crate::hub::{Hub, LiveRun};
use harness_base::text::{duration, grouped};
use harness_runs::kinds::{Kind, command_words};

/// The runs that are running now.
pub fn running(hub: &Hub) -> Markup {
    let runs = hub.runs();
    let is_known = |whole: &String| runs.iter().any(|(id, _)| id == whole);
    // A part stands below the run that it belongs to.
    let whole = runs.iter().filter(|(_, run)| !run.part_of.as_ref().is_some_and(is_known));
    html! {
        @if !runs.is_empty() {
            section.card aria-labelledby="running-title" {
                h2 #running-title { "Running now" }
                ul.running {
                    @for (id, run) in whole {
                        (running_row(id, run, &hub.parts_of(id)))
                    }
                }
            }
        }
    }
}

fn running_row(id: &str, run: &LiveRun, parts: &[(String, LiveRun)]) -> Markup {
    html! {
        li {
            a href=(run_path(id)) { strong { (command_words(&run.command)) } " " (run.title) }
            (bar(run))
            @if !parts.is_empty() {
                ul.running { @for (id, part) in parts { (running_row(id, part, &[])) } }
            }
        }
    }
}

/// How far a run is, and its parts that are under way: the SPRT of a gate, the batch of a bisection.
pub fn progress(hub: &Hub, id: &str, run: &LiveRun) -> Markup {
    let parts = hub.parts_of(id);
    html! {
        (bar(run))
        @if !parts.is_empty() {
            section.card.under-way aria-labelledby="under-way-title" {
                h2 #under-way-title { "Under way" }
                ul.running {
                    @for (id, part) in &parts { (running_row(id, part, &[])) }
                }
            }
        }
    }
}

/// Units that take as long as they take: a pace of such says nothing of what is left.
const UNEQUAL: [&str; 2] = ["checks", "generations"];

/// How far a run is, with its rate and the time left.
fn bar(run: &LiveRun) -> Markup {
    let now = &run.progress;
    let rate = run.rate().filter(|_| !UNEQUAL.contains(&now.unit.as_str()));
    // A test ends when it has decided.
    let word = if run.is_test() { "at most" } else { "about" };
    let left = now.of.zip(rate).map(|(of, rate)| of.saturating_sub(now.done) as f64 / rate);
    let left = left.filter(|_| !run.is_ending);
    html! {
        div.progress {
            @if let Some(of) = now.of {
                progress max=(of.max(1)) value=(now.done.min(of)) aria-label="done" {}
            }
            span {
                (grouped(now.done))
                @if let Some(of) = now.of { " of " @if run.is_test() { "at most " } (grouped(of)) }
                " " (now.unit)
                @if let Some(rate) = rate {
                    ", " @if rate >= 1.0 { (format!("{rate:.1}")) " a second" }
                    @else { (format!("{:.1}", 60.0 * rate)) " a minute" }
                }
                @if let Some(left) = left { ", " (word) " " (duration(left)) " left" }
                @if !now.text.is_empty() { " · " (now.text) }
            }
        }
        @if run.is_ending { p role="status" { "It ends after what is in progress." } }
        @if let Some(result) = so_far(run) { p.so-far { "So far: " (result) } }
    }
}

/// The result of a match that runs, in a line.
fn so_far(run: &LiveRun) -> Option<String> {
    let summary = run.summary.as_deref().filter(|summary| summary.games > 0)?;
    let kind = Kind::by_key(&run.command)?;
    let line = (kind.result_line)(
        &json!({ "elo": summary.elo, "games": summary.games, "wins": summary.wins, "losses": summary.losses }),
    );
    let llr = summary.llr.zip(summary.bounds).map(|(llr, [lower, upper])| {
        format!(", LLR {llr:.2} of [{lower:.2}, {upper:.2}]").replace('-', "−")
    });
    Some(line + &llr.unwrap_or_default())
}
