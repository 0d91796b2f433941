//! `harness data stats`: what a set of positions looks like.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::sources::Source;
use super::{DataError, finished};
use crate::context::Context;
use crate::data::bulk::BulkError;
use crate::data::flaws::Flaws;
use crate::data::shape::{Bar, Shape};
use crate::failure::{Exit, Failure, OrFail};
use crate::ledger::write_atomically;
use crate::report::Progress;
use crate::report::html::{bar_name, data_page, shown_bars};
use crate::report::terminal::table;
use crate::report::text::grouped;

/// Rows of a histogram at most, on a terminal.
const ROWS: usize = 24;

/// Letters of the longest bar.
const LONGEST: usize = 40;

/// Shows what positions look like: scores, plies, pieces, depths and results.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness data stats train.bin
  harness data stats train.games --html train.html")]
pub struct StatsArgs {
    /// Runs of the ledger or files.
    #[arg(value_name = "RUN|FILE", required = true)]
    sources: Vec<String>,
    /// A page with all histograms.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be read, or the page cannot be written.
pub fn run(args: &StatsArgs, context: &Context) -> Result<Exit, Failure> {
    let sources = Source::find_all(&args.sources, context)?;
    let mut shape = Shape::default();
    let flaws = Flaws::default();
    shape.mover_relative = sources.iter().any(Source::turns_boards);
    let mut progress = Progress::start(None, 0, context.quiet);
    let mut games = 0;
    for source in &sources {
        let mut see = |record| -> Result<(), DataError> {
            shape.see(&record);
            if shape.positions.is_multiple_of(4_096) {
                let read = grouped(shape.positions);
                progress.show(shape.positions, |_| format!("{read} positions"));
                if context.interrupt.is_set() {
                    return Err(DataError::Bulk(BulkError::Stopped));
                }
            }
            Ok(())
        };
        finished(source.each(&mut games, &flaws, &mut see))?;
    }
    drop(progress);
    if let Some(path) = &args.html {
        let page = data_page(&args.sources.join(", "), &shape);
        write_atomically(path, page.as_bytes())
            .map_err(|reason| DataError::Unwritable { path: path.clone(), reason })
            .or_failed()?;
    }
    if context.json {
        let mut told = json!(shape);
        flaws.add_to(&mut told);
        context.print(&format!("{told}\n"))?;
    } else {
        context.print(&(text(&shape) + &flaws.to_string()))?;
    }
    Ok(Exit::Good)
}

fn text(shape: &Shape) -> String {
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

/// A table with a bar a row; neighbours are put together where there are too many.
fn histogram(title: &str, bars: &[Bar], scores: &str) -> String {
    let shown = shown_bars(bars);
    if shown.is_empty() {
        return String::new();
    }
    let grouped_by = shown.len().div_ceil(ROWS);
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
        let length = (LONGEST as u64 * positions).div_ceil(most) as usize;
        let mean = mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}"));
        vec![name, grouped(positions), mean, "█".repeat(length)]
    });
    format!("\n{}", table([title, "Positions", scores, ""], rows, 1))
}
