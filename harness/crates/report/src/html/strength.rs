//! Strength over the commits: the chart, what was gained since each tag, and the table.

use maud::{Markup, PreEscaped, html};

use super::super::chart::strength_chart;
use super::super::strength::{ConditionScale, StrengthCurve, StrengthPoint, basis_text, gain_text};
use super::super::text::{grouped, limit_words, minus_signs};

/// The curve with its tags, and the numbers of each commit.
pub(super) fn strength_section(curve: &StrengthCurve) -> Markup {
    html! {
        section.card {
            h2 { "Strength since " (curve.since) }
            @if let Some(svg) = chart(curve) {
                figure {
                    div.chart { (PreEscaped(svg)) }
                    figcaption { "Elo over the commits in the order of the table below, with their tags; 95 % intervals" }
                }
            }
            @for gain in &curve.tags {
                p { "since " (gain.tag) ": " (minus(&gain_text(&gain.gain))) }
            }
            p.soft { (limit_words(&basis_text(curve), "move")) }
            @for ConditionScale { condition, factor } in &curve.conditions {
                p.soft {
                    (limit_words(condition, "move")) ": differences are " (format!("{:.2}", factor.value)) " times as large ("
                    (format!("{:.2}", factor.low95)) " to " (format!("{:.2}", factor.high95)) ")"
                }
            }
            @for apart in &curve.apart { p.soft { (limit_words(&apart.revision, "move")) ": " (limit_words(&apart.reason, "move")) } }
            @for left_out in &curve.left_out { p.soft { (left_out.run) ": " (minus_signs(&limit_words(&left_out.reason, "move"))) } }
            div.scroll tabindex="0" role="region" aria-label="Strength" { (rows(curve)) }
        }
    }
}

fn minus(text: &str) -> String {
    text.replace("-", "−")
}

fn chart(curve: &StrengthCurve) -> Option<String> {
    let placed = || (1u32..).map(f64::from).zip(&curve.commits);
    let points: Vec<(f64, f64, [f64; 2])> = placed()
        .map(|(place, StrengthPoint { elo, .. })| (place, elo.value, [elo.low95, elo.high95]))
        .collect();
    let tags = placed().filter(|(_, point)| !point.tags.is_empty());
    strength_chart(&points, tags.map(|(place, point)| (place, point.tags.join(", "))).collect())
}

fn rows(curve: &StrengthCurve) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th.number { "#" } th { "Commit" } th.number { "Date" } th { "Tag" } th { "Subject" }
                    th.number { "Elo since " (curve.since) } th.number { "Step" } th.number { "Games" }
                }
            }
            tbody {
                @for (number, point) in (1..).zip(&curve.commits) {
                    tr {
                        td.number { (number) }
                        td { code { (point.commit.chars().take(8).collect::<String>()) } }
                        td.number { (point.date) }
                        td { (point.tags.join(", ")) }
                        td { (point.subject) }
                        td.number { (minus(&gain_text(&point.elo))) }
                        td.number { @if let Some(step) = &point.step { (minus(&gain_text(step))) } }
                        td.number { (grouped(point.games)) }
                    }
                }
            }
        }
    }
}
