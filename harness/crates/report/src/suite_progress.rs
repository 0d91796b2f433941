//! Progress of a suite in a terminal: a line, and below it one an engine.

use std::collections::HashMap;

use super::progress::{Pace, clock};
use super::text::grouped;
use harness_outcome::SuiteResult;

/// Results by engine and position, both from 0.
type Done = HashMap<(usize, usize), SuiteResult>;

/// Columns of an engine's name.
const NAME: usize = 30;

/// The line of a suite while it is searched, and below it one an engine.
pub fn suite_lines(
    suite: &str,
    engines: &[String],
    positions: usize,
    done: &Done,
    pace: Pace,
    warning: Option<&str>,
) -> String {
    let count = |keep: &dyn Fn(usize, &SuiteResult) -> bool| {
        done.iter().filter(|((engine, _), result)| keep(*engine, result)).count() as u64
    };
    let searched = done.len() as u64;
    let all = (engines.len() * positions) as u64;
    let solved = count(&|_, result| result.solved);
    let mut text =
        format!("{suite}  {}/{}  {} solved", grouped(searched), grouped(all), grouped(solved));
    if let Some(rate) = pace.per_minute {
        text += &format!("  {rate:.0}/min");
    }
    if let Some(seconds) = pace.seconds_left {
        text += &format!("  ETA {}", clock(seconds));
    }
    for (number, name) in engines.iter().enumerate() {
        let name: String = name.chars().take(NAME).collect();
        let of = |keep: &dyn Fn(&SuiteResult) -> bool| {
            count(&|engine, result| engine == number && keep(result))
        };
        let searched = of(&|_| true);
        let solved = of(&|result| result.solved);
        text += &format!(
            "\n  {name:<NAME$} {:>7} searched {:>7} solved",
            grouped(searched),
            grouped(solved)
        );
        match of(&|result| result.fault.is_some()) {
            0 => {}
            faults => text += &format!(" {:>5} failed", grouped(faults)),
        }
    }
    if let Some(warning) = warning {
        text += &format!("\n  warning: {warning}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(solved: bool, fault: Option<&str>) -> SuiteResult {
        serde_json::from_value(serde_json::json!({
            "id": "1", "solved": solved, "move": "e2e4", "time_ms": 1, "nodes": 1, "depth": 1,
            "score": 1.0, "max_score": 1.0, "fen": "", "san": "e4", "theme": null, "fault": fault
        }))
        .expect("a result")
    }

    #[test]
    fn every_engine_has_a_line_with_what_it_solved_and_how_often_it_failed() {
        let engines = ["a".to_owned(), "an engine with a name that does not end at all".to_owned()];
        let done: Done = [
            ((0, 0), result(true, None)),
            ((0, 1), result(false, None)),
            ((1, 0), result(false, Some("crashed"))),
        ]
        .into();
        let pace = Pace { per_minute: Some(90.0), seconds_left: Some(400.0) };
        let text =
            suite_lines("wac", &engines, 300, &done, pace, Some("the load is 5.2 on 2 cores"));
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0], "wac  3/600  1 solved  90/min  ETA 6:40");
        assert!(rows[1].contains("2 searched") && rows[1].ends_with("1 solved"), "{text}");
        assert!(rows[2].contains("0 solved") && rows[2].ends_with("1 failed"), "{text}");
        assert!(rows[3].contains("warning: the load"), "{text}");
        assert!(rows.iter().all(|row| row.chars().count() <= 98), "{text}");
    }
}
