//! Positions of training data as text: what was dropped, and what a data set looks like.

use super::html::{bar_name, visible_bars};
use super::terminal::table;
use super::text::grouped;
use harness_outcome::positions::{Bar, Counts, Shape};

/// Rows of a histogram at most.
const MAX_ROWS: usize = 24;

/// Letters of the longest bar.
const MAX_NAME: usize = 40;

/// Positions read, dropped and kept, and games with flaws, as a table.
pub fn counts_text(counts: &Counts) -> String {
    let row = |what: String, count: u64| vec![what, grouped(count)];
    let mut rows =
        vec![row("games".to_owned(), counts.games), row("positions".to_owned(), counts.positions)];
    for (what, flaws) in
        [("dropped", &counts.games_dropped), ("corrected", &counts.games_corrected)]
    {
        rows.extend(flaws.iter().map(|(flaw, &games)| row(format!("games {what}: {flaw}"), games)));
    }
    let dropped = counts.dropped.iter();
    rows.extend(dropped.map(|(reason, &count)| row(format!("dropped: {reason}"), count)));
    rows.push(row("kept".to_owned(), counts.kept));
    table(["What", "Count"], rows, 1)
}

/// Counts and histograms of a data set.
pub fn shape_text(shape: &Shape) -> String {
    let [wins, draws, losses] = shape.results;
    let view = shape.view();
    let facts = [
        ("positions", shape.positions),
        ("games, or blocks of neighbours", shape.games),
        ("White to move", shape.white_to_move),
        ("in check", shape.in_check),
        (view.won, wins),
        ("drawn", draws),
        (view.lost, losses),
        ("without a result", shape.unfinished),
        ("mate scores", shape.mates),
        ("without a score", shape.unscored),
    ];
    let share =
        |count: u64| format!("{:.1} %", 100.0 * count as f64 / shape.positions.max(1) as f64);
    let known =
        facts.into_iter().filter(|(what, _)| !(shape.mover_relative && *what == "White to move"));
    let rows = known.map(|(what, count)| vec![what.to_owned(), grouped(count), share(count)]);
    let mut text = table(["What", "Count", "Share"], rows, 1);
    for (title, bars) in [
        (view.score, &shape.scores),
        ("Plies before", &shape.plies),
        ("Pieces", &shape.pieces),
        ("Depth", &shape.depths),
    ] {
        text += &histogram(title, bars, view.scores);
    }
    text
}

/// A table with a bar a row; neighbours are merged where there are too many rows.
fn histogram(title: &str, bars: &[Bar], scores: &str) -> String {
    let shown = visible_bars(bars);
    if shown.is_empty() {
        return String::new();
    }
    let grouped_by = shown.len().div_ceil(MAX_ROWS);
    let rows: Vec<(String, u64, Option<f64>)> = shown
        .chunks(grouped_by)
        .map(|chunk| {
            let sum = |of: fn(&Bar) -> u64| chunk.iter().map(of).sum::<u64>();
            let all = Bar {
                from: chunk[0].from,
                positions: sum(|bar| bar.positions),
                halves: sum(|bar| bar.halves),
                results: sum(|bar| bar.results),
            };
            (bar_name(&all), all.positions, all.mean_result())
        })
        .collect();
    let most = rows.iter().map(|row| row.1).max().unwrap_or(0).max(1);
    let rows = rows.into_iter().map(|(name, positions, mean)| {
        let length = (MAX_NAME as u64 * positions).div_ceil(most) as usize;
        let mean = mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}"));
        vec![name, grouped(positions), mean, "█".repeat(length)]
    });
    format!("\n{}", table([title, "Positions", scores, ""], rows, 1))
}
