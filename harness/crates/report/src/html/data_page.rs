//! The page of a set of positions.

use maud::{Markup, html};

use super::layout::{Page, bars, number};
use crate::text::{grouped, percent};
use harness_outcome::positions::{Bar, Shape};

/// Histograms of scores, plies, pieces, depths and results.
pub fn data_page(title: &str, shape: &Shape) -> Page {
    let share = |count: u64| percent(Some(count as f64 / shape.positions.max(1) as f64));
    let [wins, draws, losses] = shape.results;
    let view = shape.view();
    let results = [(view.won, wins), ("drawn", draws), (view.lost, losses)];
    let most = results.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    Page::new(
        title,
        html! {
            h1 { (title) }
            section.card {
                div.numbers {
                    (number("positions", &grouped(shape.positions), ""))
                    (number("games or blocks", &grouped(shape.games), ""))
                    @if !shape.mover_relative {
                        (number("White to move", &share(shape.white_to_move), ""))
                    }
                    (number("in check", &share(shape.in_check), ""))
                    (number("mate scores", &share(shape.mates), ""))
                    (number("without a score", &share(shape.unscored), ""))
                    (number("without a result", &share(shape.unfinished), ""))
                }
            }
            section.card {
                h2 { "Results" }
                (bars(results.iter().map(|(name, count)| {
                    (*name, *count as f64 / most as f64, grouped(*count))
                })))
            }
            (histogram(&format!("{}, in centipawns", view.score), &shape.scores, Some(view.scores)))
            (histogram("Plies played before", &shape.plies, None))
            (histogram("Pieces on the board", &shape.pieces, None))
            (histogram("Depth of the search", &shape.depths, None))
        },
    )
}

fn histogram(title: &str, all: &[Bar], scores: Option<&str>) -> Markup {
    let visible_bars = visible_bars(all);
    let most = visible_bars.iter().map(|bar| bar.positions).max().unwrap_or(0).max(1);
    let names: Vec<String> = visible_bars.iter().map(name).collect();
    let rows = visible_bars.iter().zip(&names).map(|(bar, name)| {
        let mean = bar.mean_result().zip(scores);
        let mean = mean.map_or_else(String::new, |(mean, whose)| format!(", {whose} {mean:.3}"));
        let text = format!("{}{mean}", grouped(bar.positions));
        (name.as_str(), bar.positions as f64 / most as f64, text)
    });
    html! {
        @if !visible_bars.is_empty() {
            section.card {
                h2 { (title) }
                (bars(rows))
            }
        }
    }
}

/// From the first bar that is not empty to the last.
pub(crate) fn visible_bars(bars: &[Bar]) -> &[Bar] {
    let first = bars.iter().position(|bar| bar.positions > 0);
    let last = bars.iter().rposition(|bar| bar.positions > 0);
    match (first, last) {
        (Some(first), Some(last)) => &bars[first..=last],
        _ => &[],
    }
}

/// The label of a bar.
pub(crate) fn name(bar: &Bar) -> String {
    bar.from.map_or_else(|| "less".to_owned(), |from| from.to_string())
}
