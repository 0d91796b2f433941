//! Results of several engines by position, side by side, with filters that need no script.

use std::collections::HashMap;

use maud::{Markup, html};

use super::super::board::{Arrow, board};
use super::super::text::grouped;
use super::layout::with_code;
use harness_base::text::fen::is_black_to_move;
use harness_outcome::{SuiteReport, SuiteResult, SuiteSummary};

/// A position with the result of each engine; `None` where there is none yet.
struct Row<'a> {
    /// Any of the results: they share position, id and solution.
    position: &'a SuiteResult,
    results: Vec<Option<&'a SuiteResult>>,
}

impl Row<'_> {
    fn missed_by(&self, engine: usize) -> bool {
        self.results[engine].is_some_and(|result| !result.solved)
    }

    fn misses(&self) -> usize {
        (0..self.results.len()).filter(|&engine| self.missed_by(engine)).count()
    }
}

/// Maximum of filters: the style sheet has rules for that many, by their classes `f0`, `f1`, ...
const MAX_FILTERS: usize = 12;

/// A filter: its label and the rows that it shows.
struct Filter {
    class: String,
    label: String,
    shown: Vec<bool>,
}

/// The positions that an engine missed, with every engine's move, and all positions as a table.
pub(super) fn side_by_side(report: &SuiteReport) -> Markup {
    let engines: Vec<&SuiteSummary> = report.engines().collect();
    let rows = rows(&engines);
    let filters = filters(&engines, &rows);
    html! {
        section.card {
            h2 { "Side by side" }
            @for (index, filter) in filters.iter().enumerate() {
                input.filter type="radio" name="filter" id={ "show-" (filter.class) }
                    checked[index == 0];
            }
            div.filters {
                @for filter in &filters {
                    label for={ "show-" (filter.class) } {
                        (filter.label) " (" (filter.shown.iter().filter(|shown| **shown).count()) ")"
                    }
                }
            }
            div.filtered {
                div.positions {
                    @for (index, row) in rows.iter().enumerate() {
                        @if row.misses() > 0 { (card(row, &engines, &classes(&filters, index))) }
                    }
                }
                details {
                    summary { "The same as a table" }
                    (table(&rows, &engines, &filters))
                }
            }
        }
    }
}

fn rows<'a>(engines: &[&'a SuiteSummary]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut places = HashMap::new();
    for (engine, summary) in engines.iter().enumerate() {
        for result in &summary.results {
            let place = *places.entry((&result.id, &result.fen)).or_insert_with(|| {
                rows.push(Row { position: result, results: vec![None; engines.len()] });
                rows.len() - 1
            });
            rows[place].results[engine] = Some(result);
        }
    }
    rows
}

fn filters(engines: &[&SuiteSummary], rows: &[Row<'_>]) -> Vec<Filter> {
    let filter = |label: String, shows: &dyn Fn(&Row<'_>) -> bool| Filter {
        class: String::new(),
        label,
        shown: rows.iter().map(shows).collect(),
    };
    let all = engines.len();
    let everyone = if all == 2 { "missed by both" } else { "missed by all" };
    let mut filters = vec![
        filter("missed by any".to_owned(), &|row| row.misses() > 0),
        filter(everyone.to_owned(), &|row| row.misses() == all),
    ];
    for (index, summary) in engines.iter().enumerate().take(MAX_FILTERS - 3) {
        let label = format!("missed by {} only", summary.engine);
        let shows = |row: &Row<'_>| row.misses() == 1 && row.missed_by(index);
        filters.push(filter(label, &shows));
    }
    filters.push(filter("all positions".to_owned(), &|_| true));
    for (number, filter) in filters.iter_mut().enumerate() {
        filter.class = format!("f{number}");
    }
    filters
}

fn classes(filters: &[Filter], row: usize) -> String {
    let shown = filters.iter().filter(|filter| filter.shown[row]);
    shown.map(|filter| filter.class.as_str()).collect::<Vec<_>>().join(" ")
}

fn card(row: &Row<'_>, engines: &[&SuiteSummary], classes: &str) -> Markup {
    let position = row.position;
    let expected = position.expected_uci.iter().map(|text| (Arrow::Expected, text.as_str()));
    let mut played: Vec<&str> = row
        .results
        .iter()
        .flatten()
        .filter(|result| !result.solved)
        .filter_map(|result| result.r#move.as_deref())
        .collect();
    played.sort_unstable();
    played.dedup();
    let played = played.into_iter().map(|text| (Arrow::Played, text));
    let arrows: Vec<(Arrow, &str)> = expected.chain(played).collect();
    let black_to_move = is_black_to_move(&position.fen);
    html! {
        article class={ "position item " (classes) } {
            h3 {
                (position.id)
                span { (if black_to_move { "black to move" } else { "white to move" }) }
            }
            @if let Some(drawing) = board(&position.fen, &arrows) { (drawing) }
            dl {
                @for (summary, result) in engines.iter().zip(&row.results) {
                    dt { (summary.engine) }
                    (move_of(*result))
                }
                dt { "expected" }
                dd { (expected_text(position)) }
                @if let Some(theme) = &position.theme { dt { "theme" } dd { (theme) } }
            }
            code { (position.fen) }
        }
    }
}

/// The move of an engine, and whether it solves the position.
fn move_of(result: Option<&SuiteResult>) -> Markup {
    html! {
        @match result {
            Some(result) if result.solved => dd.good { (with_code(played_text(result))) " ✓" },
            Some(result) => dd.bad { (with_code(played_text(result))) " ✗" },
            None => dd { "–" },
        }
    }
}

fn table(rows: &[Row<'_>], engines: &[&SuiteSummary], filters: &[Filter]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Side by side as a table" {
            table {
                thead {
                    tr {
                        th { "Position" } th { "Expected" }
                        @for summary in engines {
                            th { (summary.engine) } th.number { "Nodes" } th.number { "Time" }
                        }
                    }
                }
                tbody {
                    @for (index, row) in rows.iter().enumerate() {
                        tr class={ "item " (classes(filters, index)) } {
                            td { (row.position.id) }
                            td { (expected_text(row.position)) }
                            @for result in &row.results { (cells(*result)) }
                        }
                    }
                }
            }
        }
    }
}

fn cells(result: Option<&SuiteResult>) -> Markup {
    html! {
        @if let Some(result) = result {
            td class=(if result.solved { "good" } else { "bad" }) {
                (played_text(result)) (if result.solved { " ✓" } else { " ✗" })
            }
            td.number { @if let Some(nodes) = result.nodes { (grouped(nodes)) } }
            td.number { (grouped(result.time_ms)) " ms" }
        } @else {
            td { "–" } td {} td {}
        }
    }
}

/// The move of an engine, or why there is none.
pub(super) fn played_text(result: &SuiteResult) -> &str {
    let played = result.san.as_deref().or(result.r#move.as_deref());
    played.or(result.fault.as_deref()).unwrap_or("no move")
}

/// The solutions, or the moves to avoid.
pub(super) fn expected_text(result: &SuiteResult) -> String {
    match (result.expected.is_empty(), result.avoid.is_empty()) {
        (true, false) => format!("not {}", result.avoid.join(", ")),
        _ => result.expected.join(", "),
    }
}
