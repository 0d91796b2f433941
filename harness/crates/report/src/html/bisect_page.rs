//! The page of a bisection.

use maud::{Markup, html};

use super::super::bisect_text::{seen_text, verdict_text};
use super::layout::{Page, bars, number};
use crate::text::grouped;
use harness_outcome::bisection::{BisectReport, Loss, Verdict};

/// The answer, and what was seen of each commit that was tested.
pub fn bisect_page(report: &BisectReport) -> Page {
    let (class, word) = match report.verdict {
        Verdict::Found => ("bad", "found"),
        Verdict::NoLoss => ("good", "no loss"),
        Verdict::Undecided => ("even", "undecided"),
    };
    let content = html! {
        header {
            span class={ "verdict " (class) } { (word) }
            h1 { "Bisection since " (report.good.short()) }
            p.soft { "The good commit: " (report.good.subject) }
        }
        section.card {
            @for line in verdict_text(report).lines().filter(|line| !line.is_empty()) { p { (line) } }
            dl.numbers {
                (number("Probability", &format!("{:.1} %", 100.0 * report.probability), ""))
                @if let Some(Loss { elo, interval: [low, high] }) = report.loss {
                    (number("Loss", &format!("{elo:.0} Elo"), &format!("95 % in {low:.0} to {high:.0}")))
                }
                @if report.games > 0 { (number("Games", &grouped(report.games), "")) }
                (number("Commits tested", &report.tested.len().to_string(), ""))
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
    html! {
        @if !report.tested.is_empty() {
            section.card {
                h2 { "Commits" }
                div.scroll tabindex="0" role="region" aria-label="Commits" {
                    table {
                        thead {
                            tr { th { "Commit" } th { "Subject" } th.number { "Games" } th { "Result" } }
                        }
                        tbody {
                            @for tested in &report.tested {
                                tr {
                                    td { code { (tested.commit.short()) } }
                                    td.subject { (tested.commit.subject) }
                                    td.number { (grouped(tested.pentanomial.games())) }
                                    td { (seen_text(tested)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
