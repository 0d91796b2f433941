//! The page of a bisection.

use maud::{Markup, html};

use super::super::bisect_text::{loss_text, seen_text, verdict_text};
use super::layout::{Page, bars, number, with_code};
use super::running::Shown;
use crate::text::{grouped, minus_signs};
use harness_outcome::bisection::{BisectReport, Tested, Verdict};

/// The answer, which one that has not ended does not have, and what was seen of each commit that was tested.
pub fn bisect_page(report: &BisectReport, shown: Shown<'_>) -> Page {
    let is_finished = shown == Shown::Finished;
    let (class, word) = match report.verdict {
        Verdict::Found => ("bad", "found"),
        Verdict::NoLoss => ("good", "no loss"),
        Verdict::Undecided => ("even", "undecided"),
    };
    let is_tested = |tested: &&Tested| {
        tested.bad.is_some() || tested.tests.is_some() || tested.pentanomial.games() > 0
    };
    let tested_commits = report.tested.iter().filter(is_tested).count();
    let content = html! {
        header {
            @if is_finished { span class={ "verdict " (class) } { (word) } }
            h1 { "Bisection since " (report.good.short()) }
            p.soft { "The good commit: " (report.good.subject) }
        }
        (shown.warning())
        section.card {
            @if is_finished {
                @for line in verdict_text(report).lines().filter(|line| !line.is_empty()) { p { (with_code(line)) } }
            }
            dl.numbers {
                // Without a game both are what was assumed.
                @if report.games > 0 || report.good_tests.is_some() {
                    (number("Probability", &format!("{:.1} %", 100.0 * report.probability), ""))
                }
                @if let Some(loss) = report.loss.filter(|_| report.games > 0) {
                    @let text = loss_text(&loss);
                    @let (elo, interval) = text.split_once(", ").unwrap_or((&text, ""));
                    (number("Loss", elo, interval))
                }
                (number("Games", &grouped(report.games), ""))
                (number("Commits tested", &tested_commits.to_string(), ""))
            }
        }
        (first_bad(report))
        (tested(report))
        footer { "run " (report.run) }
    };
    Page::new(format!("bisection: {word}"), content)
}

/// How probable each commit is the first bad one.
fn first_bad(report: &BisectReport) -> Markup {
    let named: Vec<(String, f64)> = report
        .tested
        .iter()
        .map(|tested| {
            let name = format!("{} {}", tested.commit.short(), tested.commit.subject);
            (name, tested.probability)
        })
        .collect();
    html! {
        @if report.good_tests.is_none() && !named.is_empty() {
            section.card {
                h2 { "First bad commit" }
                (bars(named.iter().map(|(name, share)| {
                    (name.as_str(), *share, format!("{:.1} %", 100.0 * share))
                })))
            }
        }
    }
}

fn tested(report: &BisectReport) -> Markup {
    let has_matches = report.tested.iter().any(|tested| !tested.runs.is_empty());
    html! {
        @if !report.tested.is_empty() {
            section.card {
                h2 { "Commits" }
                div.scroll tabindex="0" role="region" aria-label="Commits" {
                    table {
                        thead {
                            tr { th { "Commit" } th { "Subject" } th.number { "Games" } th { "Result" } @if has_matches { th { "Matches" } } }
                        }
                        tbody {
                            @for tested in &report.tested {
                                tr {
                                    td { code { (tested.commit.short()) } }
                                    td.subject { (tested.commit.subject) }
                                    td.number { (grouped(tested.pentanomial.games())) }
                                    td { (minus_signs(&seen_text(tested))) }
                                    @if has_matches { td { (matches(&tested.runs)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Links to the matches of a commit, by number.
fn matches(runs: &[String]) -> Markup {
    html! {
        @for (at, run) in runs.iter().enumerate() {
            @if at > 0 { " " }
            a href=(format!("../{run}/report.html")) aria-label=(format!("match {}, {run}", at + 1)) { (at + 1) }
        }
    }
}
