//! The result of a suite for people, at most 100 columns wide.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::Table;

use super::plain_table::{push, table, words};
use super::table::wrap;
use super::text::two_digits;
use harness_outcome::{SuiteComparison, SuiteReport, SuiteResult, SuiteSummary};
use harness_stats::visible_change;

/// Renders a result and its comparison. `faults` are the known faults of the suite, each beginning
/// with the id of its position: those of missed positions are shown.
pub fn suite_text(
    report: &SuiteReport,
    faults: &[String],
    comparison: Option<&SuiteComparison>,
) -> String {
    let SuiteSummary { suite, title, positions, limit, .. } = &report.first;
    let title = title.as_ref().map_or(suite.clone(), |title| format!("{suite}: {title}"));
    let mut text = format!("{title}\n{positions} positions, {limit} each\n\n");
    push(&mut text, &engines(report));
    for warning in report.engines().flat_map(|engine| &engine.warnings) {
        text += &wrap(&format!("Warning: {warning}"));
        text.push('\n');
    }
    if let Some(themes) = themes(report) {
        push(&mut text, &themes);
    }
    text += &missed(report, faults);
    if let Some(comparison) = comparison {
        text += &comparison_text(comparison, &report.first);
    }
    text
}

/// `3 of 4  75.0 %`
fn share(part: f64, whole: f64) -> String {
    let percent = if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    format!("{part} of {whole}  {percent:.1} %")
}

fn engines(report: &SuiteReport) -> Table {
    let scored = report.engines().any(|engine| engine.max_score > engine.positions as f64);
    let mut header = words(["Engine", "Solved", "Time to solve", "Total time"]);
    if scored {
        header.insert(2, "Score".to_owned());
    }
    let mut table = table(header, 1);
    for engine in report.engines() {
        let found: Vec<u64> = engine.results.iter().filter_map(|result| result.found_ms).collect();
        let mean = match found.len() {
            0 => "-".to_owned(),
            count => format!("{:.0} ms", found.iter().sum::<u64>() as f64 / count as f64),
        };
        let solved = share(engine.solved as f64, engine.positions as f64);
        let mut row = vec![engine.engine.clone(), solved, mean, format!("{:.1} s", engine.seconds)];
        if scored {
            row.insert(2, share(engine.score, engine.max_score));
        }
        table.add_row(row);
    }
    table
}

/// Points by theme, where the suite has themes.
fn themes(report: &SuiteReport) -> Option<Table> {
    let mut themes: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    let engines = report.engines().count();
    for (index, engine) in report.engines().enumerate() {
        for result in &engine.results {
            let Some(theme) = result.theme.as_deref() else { continue };
            let points = themes.entry(theme).or_insert_with(|| vec![(0.0, 0.0); engines]);
            points[index].0 += result.score;
            points[index].1 += result.max_score;
        }
    }
    if themes.len() < 2 {
        return None;
    }
    let mut header = vec!["Theme".to_owned()];
    header.extend(report.engines().map(|engine| engine.engine.clone()));
    let mut table = table(header, 1);
    let mut rows: Vec<_> = themes.into_iter().collect();
    let size = |row: &(&str, Vec<(f64, f64)>)| row.1.iter().map(|points| points.1).sum::<f64>();
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.0.cmp(b.0)));
    for (theme, points) in rows {
        let mut row = vec![theme.to_owned()];
        row.extend(points.iter().map(|(score, most)| format!("{score}/{most}")));
        table.add_row(row);
    }
    Some(table)
}

/// Missed positions with expected and played moves, and their known faults.
fn missed(report: &SuiteReport, faults: &[String]) -> String {
    let engines: Vec<&SuiteSummary> = report.engines().collect();
    let rows: Vec<usize> = (0..report.first.results.len())
        .filter(|&row| engines.iter().any(|engine| !engine.results[row].solved))
        .collect();
    if rows.is_empty() {
        return "Every position was solved.\n\n".to_owned();
    }
    let mut header = words(["Missed", "Expected"]);
    header.extend(engines.iter().map(|engine| format!("Played by {}", engine.engine)));
    let columns = header.len();
    let mut table = table(header, columns);
    for &row in &rows {
        let first = &report.first.results[row];
        let mut cells = vec![first.id.clone(), expected_moves(first)];
        cells.extend(engines.iter().map(|engine| played_move(&engine.results[row])));
        table.add_row(cells);
    }
    let mut text = String::new();
    push(&mut text, &table);
    let known = faults.iter().filter(|fault| {
        rows.iter().any(|&row| fault.starts_with(&format!("{} - ", report.first.results[row].id)))
    });
    for fault in known {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "Known fault: {fault}");
    }
    text
}

fn played_move(result: &SuiteResult) -> String {
    match (&result.san, &result.fault) {
        (_, Some(fault)) => fault.clone(),
        (Some(san), None) if result.solved => format!("{san}, solved"),
        (Some(san), None) => match result.rank {
            Some(rank) => format!("{san}, solution is line {rank}"),
            None => san.clone(),
        },
        (None, None) => "nothing".to_owned(),
    }
}

fn expected_moves(result: &SuiteResult) -> String {
    match (result.expected.is_empty(), result.avoid.is_empty()) {
        (_, true) => result.expected.join(" "),
        (true, false) => format!("not {}", result.avoid.join(" ")),
        (false, false) => {
            format!("{}, not {}", result.expected.join(" "), result.avoid.join(" "))
        }
    }
}

/// The text for a result without significance.
fn no_difference_text(changed: usize) -> String {
    match visible_change(changed as u64) {
        None => format!(
            "no difference can be seen: only {changed} positions changed, and fewer than 6 never \
             show one"
        ),
        Some(net) => format!(
            "no difference can be seen; smallest visible effect where {changed} change: {net} more \
             gained than lost, or lost than gained"
        ),
    }
}

fn comparison_text(comparison: &SuiteComparison, now: &SuiteSummary) -> String {
    let list = |ids: &[String]| match ids.len() {
        0 => "none".to_owned(),
        count => format!("{count}: {}", ids.join(", ")),
    };
    let verdict = match (comparison.worse, comparison.p_value < 0.05) {
        (true, _) => "significantly worse".to_owned(),
        (false, true) => "significantly better".to_owned(),
        (false, false) => no_difference_text(comparison.gained.len() + comparison.lost.len()),
    };
    let mut table = table(words(["Against the baseline", ""]), 2);
    let engine = &comparison.engine;
    table.add_row([
        "Solved".to_owned(),
        format!("{} now, {} by {engine}", now.solved, comparison.solved),
    ]);
    table.add_row(["Gained".to_owned(), list(&comparison.gained)]);
    table.add_row(["Lost".to_owned(), list(&comparison.lost)]);
    table.add_row([
        "McNemar's test".to_owned(),
        format!("p = {:.4}: {verdict}", comparison.p_value),
    ]);
    if let Some(effort) = &comparison.effort {
        // The width does not depend on the ratio: it gives the detectable effect.
        let smallest = 100.0 * ((effort.ci95[1] / effort.ci95[0]).sqrt() - 1.0);
        let verdict = match (effort.p_value < 0.05, effort.ratio > 1.0) {
            // Both searched the same.
            (false, _) if smallest < 0.05 => "no difference".to_owned(),
            (false, _) => format!(
                "no difference can be seen at so few; smallest visible effect: about {} %",
                two_digits(smallest)
            ),
            (true, true) => "found significantly later".to_owned(),
            (true, false) => "found significantly sooner".to_owned(),
        };
        table.add_row([
            format!("{} to the solution", if effort.unit == "ms" { "Time" } else { "Nodes" }),
            format!(
                "{:.2} times [{:.2}, {:.2}] at {} positions, p = {:.4} (Wilcoxon): {verdict}",
                effort.ratio, effort.ci95[0], effort.ci95[1], effort.positions, effort.p_value
            ),
        ]);
    }
    let errors =
        "An engine that is as good is called significantly worse in at most 1 of 40 tests.";
    format!("{}\n{errors}\n", table.trim_fmt())
}
