//! The page of rated opening books.

use maud::{Markup, html};

use super::super::book_text::{book_name, interval_text, ratio_text};
use super::super::chart::Series;
use super::super::text::{counted, grouped, limit_words, percent};
use super::layout::{Page, series_card, warnings};
use harness_outcome::book::{BookReport, RatedBook, RatedOpening};

/// Openings of a book in its table.
const LISTED: usize = 200;

/// The books side by side, and of each the shares of its openings.
pub fn book_page(report: &BookReport) -> Page {
    let [first, second] = &report.engines;
    let [limit, less] = report.limits.each_ref().map(|limit| limit_words(limit, "move"));
    let content = html! {
        header {
            h1 { "Opening books" }
            p.soft { (first) " at " (limit) " against " (second) " at " (less) }
        }
        (warnings(&report.warnings))
        section.card {
            h2 { "Books" }
            div.scroll tabindex="0" role="region" aria-label="Books" { (books(report)) }
            p.soft {
                "95 % intervals. Games needed for an answer go with the inverse square of normalized Elo. Equal \
                 pairs ended 1 : 1 and decide nothing. Figures are those of these engines at this limit."
            }
        }
        @for book in &report.books { (openings(book)) }
    };
    Page::new("opening books", content)
}

fn books(report: &BookReport) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th { "Book" } th.number { "Openings" } th.number { "Games" } th.number { "nElo" }
                    th.number { "nElo of a pair" } th.number { "Games drawn" } th.number { "Equal pairs" }
                    th.number { "Both drawn" } th.number { "One colour won both" }
                    th.number { "Games over the best" } th { "Matches" }
                }
            }
            tbody {
                @for book in &report.books {
                    @let pairs = book.counts.pairs.pairs().max(1) as f64;
                    tr {
                        td.subject { (book_name(&book.book)) }
                        td.number { (grouped(book.openings)) }
                        td.number { (grouped(book.games)) }
                        td.number { @if let Some(of) = &book.sensitivity { (interval_text(&of.nelo, 0)) } @else { "–" } }
                        td.number {
                            @if let Some(of) = &book.sensitivity { (interval_text(&of.nelo_of_pair, 0)) }
                            @else { "–" }
                        }
                        td.number { (percent(book.draw_rate)) }
                        td.number { (percent(book.equal_share)) }
                        td.number { (percent(Some(book.counts.both_drawn as f64 / pairs))) }
                        td.number {
                            (percent(Some((book.counts.white_both + book.counts.black_both) as f64 / pairs)))
                        }
                        td.number { @if let Some(ratio) = &book.games_over_best { (ratio_text(ratio)) } @else { "–" } }
                        td {
                            @for run in &book.runs {
                                div { a.run-id href={ "../" (run) "/report.html" } { (run) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn openings(book: &RatedBook) -> Markup {
    let mut ranked: Vec<&RatedOpening> = book.each.iter().collect();
    ranked.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    let points = (1u32..).map(f64::from).zip(&ranked).map(|(place, opening)| {
        let share = &opening.share;
        (place, 100.0 * share.value, 50.0 * (share.high95 - share.low95))
    });
    let series = Series { points: points.collect(), counted: true };
    let name = book_name(&book.book);
    html! {
        (series_card(
            &format!("Decided pairs of each opening, in percent: {name}"),
            "openings by their share, shrunk towards the book's; 95 % intervals",
            &series
        ))
        section.card {
            h2 { (name) }
            @if book.dead > 0 { p { (counted(book.dead, "dead opening", "dead openings")) } }
            div.scroll tabindex="0" role="region" aria-label={ "Openings of " (name) } {
                table {
                    thead {
                        tr {
                            th { "Opening" } th.number { "Pairs" } th.number { "Decided" }
                            th.number { "Both drawn" } th.number { "One colour won both" }
                            th.number { "Share, shrunk" } th { "State" }
                        }
                    }
                    tbody {
                        @for opening in ranked.iter().take(LISTED) {
                            tr {
                                td { code.fen { (opening.fen) } }
                                td.number { (opening.pairs) }
                                td.number { (opening.decided) }
                                td.number { (opening.both_drawn) }
                                td.number { (opening.one_colour) }
                                td.number { (percent(Some(opening.share.value))) }
                                td { @if opening.dead { "dead" } }
                            }
                        }
                    }
                }
            }
            @if ranked.len() > LISTED {
                p.soft { "The " (LISTED) " that decide most; summary.json has all." }
            }
        }
    }
}
