//! The page of a suite.

use maud::{Markup, html};

use super::super::board::{Arrow, board, piece_symbols};
use super::super::text::{duration, grouped, limit_words, percent, points};
use super::layout::{Page, bars, how_to_repeat, number, warnings, with_code};
use super::side_by_side::{expected_text, played_text, side_by_side};
use harness_base::text::fen::is_black_to_move;
use harness_outcome::{SuiteReport, SuiteResult, SuiteSummary};

/// The page of a suite, with a diagram of each missed position.
pub fn suite_page(report: &SuiteReport) -> Page {
    let first = &report.first;
    let name = first.title.as_deref().unwrap_or(&first.suite);
    let several = !report.others.is_empty();
    let content = html! {
        (piece_symbols())
        header {
            h1 { (name) @if !several { ": " (first.engine) } }
            p.soft {
                (limit_words(&first.limit, "position"))
                @if let Some(source) = &first.source { " · " (source) }
            }
        }
        @if several { (comparison(report)) }
        @for summary in report.engines() {
            @if several { h2.engine-name { (summary.engine) } }
            (warnings(&summary.warnings))
            (numbers(summary))
            (themes(summary))
            @if !several {
                (missed(summary))
                (all_positions(summary))
            }
        }
        @if several { (side_by_side(report)) }
        (how_to_repeat(&first.run, first.command_line.as_deref()))
        footer { "run " (first.run) }
    };
    Page::new(format!("{}: {}", first.suite, first.engine), content)
}

fn comparison(report: &SuiteReport) -> Markup {
    html! {
        section.card {
            h2 { "Engines" }
            (bars(report.engines().map(|summary| {
                let share = summary.score / summary.max_score.max(f64::MIN_POSITIVE);
                let text = format!(
                    "{} of {}", points(summary.score), points(summary.max_score)
                );
                (summary.engine.as_str(), share, text)
            })))
        }
    }
}

fn numbers(summary: &SuiteSummary) -> Markup {
    let share = summary.solved as f64 / summary.positions.max(1) as f64;
    let solved = format!("{} of {}", grouped(summary.solved), grouped(summary.positions));
    let score = points(summary.score);
    let positions_only = summary.score == summary.solved as f64;
    html! {
        section.card {
            dl.numbers {
                (number("Solved", &solved, &percent(Some(share))))
                @if !positions_only {
                    (number("Score", &score, &format!("of {}", points(summary.max_score))))
                }
                (number("Time", &duration(summary.seconds), ""))
            }
        }
    }
}

fn themes(summary: &SuiteSummary) -> Markup {
    let mut themes: Vec<(&str, u64, u64)> = Vec::new();
    for result in &summary.results {
        let Some(theme) = result.theme.as_deref() else { continue };
        let solved = u64::from(result.solved);
        match themes.iter_mut().find(|(name, ..)| *name == theme) {
            Some((_, done, all)) => {
                *done += solved;
                *all += 1;
            }
            None => themes.push((theme, solved, 1)),
        }
    }
    themes.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(b.0)));
    let column = if themes.len() > 8 { themes.len().div_ceil(2) } else { themes.len().max(1) };
    html! {
        @if !themes.is_empty() {
            section.card {
                h2 { "Themes" }
                div.columns {
                    @for themes in themes.chunks(column) {
                        (bars(themes.iter().map(|&(name, done, all)| {
                            (name, done as f64 / all as f64, format!("{done} of {all}"))
                        })))
                    }
                }
            }
        }
    }
}

fn missed(summary: &SuiteSummary) -> Markup {
    let missed: Vec<&SuiteResult> = summary.missed().collect();
    html! {
        @if !missed.is_empty() {
            section.card {
                h2 { "Missed positions (" (missed.len()) ")" }
                p.soft {
                    span.bad { "Red" } ": the move played. "
                    span.good { "Green" } ": a move looked for."
                }
                div.positions {
                    @for result in missed { (position(result)) }
                }
            }
        }
    }
}

fn position(result: &SuiteResult) -> Markup {
    let expected = result.expected_uci.iter().map(|text| (Arrow::Expected, text.as_str()));
    let played = result.r#move.iter().map(|text| (Arrow::Played, text.as_str()));
    let arrows: Vec<(Arrow, &str)> = expected.chain(played).collect();
    let black_to_move = is_black_to_move(&result.fen);
    html! {
        article.position {
            h3 {
                (result.id)
                span { (if black_to_move { "black to move" } else { "white to move" }) }
            }
            @if let Some(drawing) = board(&result.fen, &arrows) { (drawing) }
            dl {
                dt { "played" }
                dd.bad { (with_code(played_text(result))) }
                @if !result.expected.is_empty() {
                    dt { "expected" }
                    dd.good { (result.expected.join(", ")) }
                }
                @if !result.avoid.is_empty() {
                    dt { "avoid" }
                    dd { (result.avoid.join(", ")) }
                }
                @if let Some(theme) = &result.theme { dt { "theme" } dd { (theme) } }
            }
            code { (result.fen) }
        }
    }
}

fn all_positions(summary: &SuiteSummary) -> Markup {
    html! {
        section.card {
            details {
                summary { "All positions (" (grouped(summary.positions)) ")" }
                div.scroll tabindex="0" role="region" aria-label="All positions" {
                    table {
                        thead {
                            tr {
                                th { "Position" } th { "Solved" } th { "Played" } th { "Expected" }
                                th.number { "Depth" } th.number { "Nodes" } th.number { "Time" } th { "FEN" }
                            }
                        }
                        tbody { @for result in &summary.results { (row(result)) } }
                    }
                }
            }
        }
    }
}

fn row(result: &SuiteResult) -> Markup {
    let class = if result.solved { "good" } else { "bad" };
    html! {
        tr {
            td { (result.id) }
            td class=(class) { (if result.solved { "✓" } else { "✗" }) }
            td { (played_text(result)) }
            td { (expected_text(result)) }
            td.number { @if let Some(depth) = result.depth { (depth) } }
            td.number { @if let Some(nodes) = result.nodes { (grouped(nodes)) } }
            td.number { (grouped(result.time_ms)) " ms" }
            td { code.fen { (result.fen) } }
        }
    }
}
