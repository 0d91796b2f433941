//! The result of a suite for people, at most 100 columns wide.

use std::collections::BTreeMap;
use std::fmt::Write;

use comfy_table::presets::UTF8_NO_BORDERS;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::baseline::Comparison;
use super::catalog::Catalog;
use crate::report::{SuiteReport, SuiteResult, SuiteSummary};

const WIDTH: u16 = 100;

/// Renders a result, and how it differs from an earlier one.
pub fn text(report: &SuiteReport, comparison: Option<&Comparison>) -> String {
    let SuiteSummary { suite, title, positions, limit, .. } = &report.first;
    let title = title.as_ref().map_or(suite.clone(), |title| format!("{suite}: {title}"));
    let mut text = format!("{title}\n{positions} positions, {limit} each\n\n");
    push(&mut text, &engines(report));
    if let Some(themes) = themes(report) {
        push(&mut text, &themes);
    }
    for engine in report.engines() {
        text += &missed(engine);
    }
    if let Some(comparison) = comparison {
        text += &compared(comparison, &report.first);
    }
    text
}

/// Writing to a `String` cannot fail.
fn push(text: &mut String, table: &Table) {
    text.push_str(&table.trim_fmt());
    text.push_str("\n\n");
}

fn table(header: Vec<String>, right_from: usize) -> Table {
    let columns = header.len();
    let mut table = Table::new();
    table
        .load_style(UTF8_NO_BORDERS)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .force_no_tty()
        .set_header(header);
    for column in right_from..columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
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

/// What one engine did not solve, and what is known to be wrong with these positions.
fn missed(engine: &SuiteSummary) -> String {
    let missed: Vec<&SuiteResult> = engine.missed().collect();
    if missed.is_empty() {
        return format!("{} solved every position.\n\n", engine.engine);
    }
    let mut text = format!("Missed by {}: {}\n", engine.engine, missed.len());
    let mut table = table(words(["Position", "Played", "Expected"]), 3);
    for result in &missed {
        let played = match (&result.san, &result.fault) {
            (Some(san), None) => san.clone(),
            (_, fault) => fault.clone().unwrap_or_else(|| "nothing".to_owned()),
        };
        table.add_row([result.id.clone(), played, wanted(result)]);
    }
    push(&mut text, &table);
    let faults = Catalog::builtin().find(&engine.suite).map(|entry| entry.faults.clone());
    let known = faults.unwrap_or_default().into_iter().filter(|fault| {
        missed.iter().any(|result| fault.starts_with(&format!("{} - ", result.id)))
    });
    for fault in known {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "Known fault: {fault}");
    }
    text
}

fn wanted(result: &SuiteResult) -> String {
    match (result.expected.is_empty(), result.avoid.is_empty()) {
        (_, true) => result.expected.join(" "),
        (true, false) => format!("not {}", result.avoid.join(" ")),
        (false, false) => {
            format!("{}, not {}", result.expected.join(" "), result.avoid.join(" "))
        }
    }
}

fn compared(comparison: &Comparison, now: &SuiteSummary) -> String {
    let list = |ids: &[String]| match ids.len() {
        0 => "none".to_owned(),
        count => format!("{count}: {}", ids.join(", ")),
    };
    let verdict = match (comparison.worse, comparison.p_value < 0.05) {
        (true, _) => "significantly worse",
        (false, true) => "significantly better",
        (false, false) => "no significant difference",
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
    format!("{}\n", table.trim_fmt())
}
