//! Work that is recorded around it: books, suites that are made, audits, fits, and what data and trainings share
//! with them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::kind::{Kind, Resume};
use super::running::{Running, losses};
use crate::recorder::{RecordedEnd, RecordedPlan, RecordedProgress, progress_of};
use harness_base::text::{counted, grouped};
use harness_ledger::RunFacts;
use harness_outcome::training::Losses;
use harness_report::html::{Page, RecordedWork, recorded_page};

/// The parts that all such kinds share.
pub(super) const KIND: Kind = Kind {
    title: |plan| read_plan(plan).title,
    limit: |_| String::new(),
    result_line,
    so_far: |_, run| Ok(json!(end_of(run))),
    page: |_, run| Ok(page(run)),
    running: Running::Page(|_, run, live| {
        if !live.losses.is_empty() {
            return Ok(losses(live.losses));
        }
        Ok(page(run).content)
    }),
    is_recorded: true,
    ..Kind::PLAIN
};

/// Opening books that are made.
pub const BOOK: Kind = recorded("openings-generate");

/// Suites that are made from games.
pub const MADE_SUITE: Kind = recorded("suite-make");

/// Audits of suites.
pub const AUDIT: Kind = recorded("suite-audit");

/// Positions that are read from other formats, or scored by an engine.
pub const IMPORT: Kind = recorded("data-import");

/// Evaluations that are fitted to positions.
pub const TEXEL: Kind = recorded("texel");

const fn recorded(key: &'static str) -> Kind {
    Kind {
        key,
        resume: Resume::Refused {
            reason: "this work has no plan from which it could be resumed",
            help: "its page has the command that starts it again",
        },
        finishes_at_once: true,
        ..KIND
    }
}

/// The parts of the end that a line has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EndHead {
    exit: u8,
    error: Option<String>,
    progress: RecordedProgress,
}

fn result_line(summary: &Value) -> String {
    let EndHead { exit, error, progress } = EndHead::deserialize(summary).unwrap_or_default();
    if let Some(error) = error {
        return format!("failed: {error}");
    }
    let done = done_text(&progress);
    match (exit, progress.losses.last()) {
        (_, Some(Losses { validation, .. })) => {
            format!("validation loss {validation:.6}, {done}")
        }
        (0, None) => done,
        (exit, None) => format!("{done}, exit status {exit}"),
    }
}

/// `1,000 games`; of what has no units nothing.
fn done_text(progress: &RecordedProgress) -> String {
    let RecordedProgress { done, unit, .. } = progress;
    match unit.as_str() {
        "" => String::new(),
        unit => counted(*done, unit.strip_suffix('s').unwrap_or(unit), unit),
    }
}

fn read_plan(plan: &Value) -> RecordedPlan {
    RecordedPlan::deserialize(plan).unwrap_or_default()
}

/// The end, or how far a run came that has none.
fn end_of(run: &RunFacts) -> RecordedEnd {
    let stored = run.summary.as_ref().and_then(|end| RecordedEnd::deserialize(end).ok());
    stored.unwrap_or_else(|| RecordedEnd {
        progress: progress_of(&run.folder).unwrap_or_default(),
        ..RecordedEnd::default()
    })
}

fn page(run: &RunFacts) -> Page {
    let plan = read_plan(&run.plan);
    let end = end_of(run);
    let progress = &end.progress;
    let files: Vec<(String, Option<u64>)> = progress
        .files
        .iter()
        .map(|path| {
            let size = std::fs::metadata(path).ok().map(|found| found.len());
            (path.display().to_string(), size)
        })
        .collect();
    let of = progress.of.map(|of| format!("of {}", grouped(of)));
    recorded_page(&RecordedWork {
        command: &run.command,
        title: &plan.title,
        command_line: plan.command_line.as_deref(),
        exit: run.summary.is_some().then_some(end.exit),
        error: end.error.as_deref(),
        seconds: end.seconds,
        done: &done_text(progress),
        of: of.as_deref().unwrap_or_default(),
        files: &files,
        losses: &progress.losses,
        figures: &figures(end.result.as_ref()),
    })
}

/// The figures of a result: its plain values with their keys as people read them.
fn figures(result: Option<&Value>) -> Vec<(String, String)> {
    let Some(Value::Object(keys)) = result else { return Vec::new() };
    let mut figures = Vec::new();
    for (key, value) in keys {
        match value {
            Value::Object(inner) => {
                let parts = inner.iter().filter_map(|(name, value)| {
                    Some((format!("{key} {name}"), plain_text(value)?))
                });
                figures.extend(parts);
            }
            value => figures.extend(plain_text(value).map(|text| (key.clone(), text))),
        }
    }
    figures.iter_mut().for_each(|(key, _)| *key = key.replace('_', " "));
    figures
}

fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(if *value { "yes" } else { "no" }.to_owned()),
        Value::Number(number) => Some(match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => grouped(whole),
            (None, Some(part)) => {
                format!("{part:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            (None, None) => number.to_string(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_done_and_how_it_failed() {
        for (end, line) in [
            (json!({ "exit": 0, "progress": { "done": 1000, "unit": "games" } }), "1,000 games"),
            (json!({ "exit": 0, "progress": { "done": 1, "unit": "games" } }), "1 game"),
            (
                json!({ "exit": 1, "progress": { "done": 300, "unit": "positions" } }),
                "300 positions, exit status 1",
            ),
            (json!({ "exit": 4, "error": "no space", "progress": {} }), "failed: no space"),
            (
                json!({ "exit": 0, "progress": { "done": 60, "unit": "steps", "losses": [[0.5, 0.25]] } }),
                "validation loss 0.250000, 60 steps",
            ),
        ] {
            assert_eq!(result_line(&end), line);
        }
    }

    #[test]
    fn figures_are_the_plain_values_of_a_result() {
        let result = json!({
            "training_set": 1200, "loss": 0.125, "list": [1], "counts": { "wrong": 2 }, "file": "a.epd",
        });
        let figures = figures(Some(&result));
        let mut texts: Vec<String> =
            figures.iter().map(|(key, value)| format!("{key}={value}")).collect();
        texts.sort();
        assert_eq!(texts, ["counts wrong=2", "file=a.epd", "loss=0.125", "training set=1,200"]);
    }
}
