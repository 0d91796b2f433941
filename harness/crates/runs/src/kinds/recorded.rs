//! Work that is recorded around it: books, suites that are made, audits, fits, and what data and trainings share
//! with them.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::comparison::{Comparison, Curve};
use super::figures::{self, Figure};
use super::kind::{Kind, Resume};
use super::running::{Running, losses};
use crate::recorder::{RecordedEnd, RecordedPlan, RecordedProgress, progress_of};
use harness_base::text::{counted, grouped};
use harness_base::yaml::parse_text;
use harness_ledger::RunFacts;
use harness_outcome::training::Losses;
use harness_report::html::{Page, RecordedPosition, RecordedWork, recorded_page};

/// The parts that all such kinds share.
pub(super) const KIND: Kind = Kind {
    title: |plan| read_plan(plan).title,
    limit: |_| String::new(),
    result_line,
    unfinished_line: |folder| {
        progress_of(folder).map(|at| unfinished_text(&at)).unwrap_or_default()
    },
    so_far: |_, run| Ok(json!(end_of(run))),
    page: |_, run| Ok(page(run)),
    comparison: |_, run| Ok(comparison(run)),
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
pub const BOOK: Kind = Kind {
    written: "Positions",
    ..recorded("openings-generate", "openings generate", figures::BOOK)
};

/// Suites that are made from games.
pub const MADE_SUITE: Kind =
    Kind { written: "Positions", ..recorded("suite-make", "suite make", figures::MADE_SUITE) };

/// Audits of suites.
pub const AUDIT: Kind =
    Kind { result_line: audited_line, ..recorded("suite-audit", "suite audit", figures::AUDIT) };

/// Positions that are read from other formats, or scored by an engine.
pub const IMPORT: Kind = recorded("data-import", "data import", figures::IMPORTED);

/// Evaluations that are fitted to positions.
pub const TEXEL: Kind =
    Kind { result_line: fitted_line, ..recorded("texel", "tune texel", figures::TEXEL) };

const fn recorded(key: &'static str, words: &'static str, figures: &'static [Figure]) -> Kind {
    Kind {
        key,
        words,
        figures,
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
    match (exit, validation_loss(&progress.losses)) {
        (_, Some(loss)) => format!("validation loss {loss:.6}, {done}"),
        (0, None) => done,
        (exit, None) => format!("{done}, exit status {exit}"),
    }
}

/// The validation loss of the epoch whose network is taken.
fn validation_loss(epochs: &[Losses]) -> Option<f64> {
    let best = Losses::best_epoch(epochs)? as usize;
    epochs.get(best - 1).map(|epoch| epoch.validation)
}

/// The validation loss that a fit reached, and the one before it; of one that failed as of other work.
fn fitted_line(summary: &Value) -> String {
    let loss = |when: &str| summary["result"]["loss"][when]["validation"].as_f64();
    match (loss("before"), loss("after")) {
        (Some(before), Some(after)) => format!("validation loss {after:.6}, before {before:.6}"),
        _ => result_line(summary),
    }
}

/// What an audit found, by kind: `300 positions, 2 illegal, 1 unsound`.
fn audited_line(summary: &Value) -> String {
    let found = figures::findings(&summary["result"]);
    if found.is_empty() {
        return result_line(summary);
    }
    let EndHead { progress, .. } = EndHead::deserialize(summary).unwrap_or_default();
    let done = Some(done_text(&progress)).filter(|done| !done.is_empty());
    done.into_iter().chain(found).collect::<Vec<_>>().join(", ")
}

/// `300 of 1,000 games`, and of a training its validation loss; of what has done nothing yet nothing.
fn unfinished_text(progress: &RecordedProgress) -> String {
    let RecordedProgress { done, of, unit, losses, .. } = progress;
    if *done == 0 || unit.is_empty() {
        return String::new();
    }
    let done = match of {
        Some(of) => format!("{} of {} {unit}", grouped(*done), grouped(*of)),
        None => done_text(progress),
    };
    match validation_loss(losses) {
        Some(loss) => format!("validation loss {loss:.6}, {done}"),
        None => done,
    }
}

/// How far the work of a run's folder came, as a line; `None` where that is not stored.
pub fn done_in(folder: &Path) -> Option<String> {
    let progress = progress_of(folder)?;
    Some(done_text(&progress)).filter(|text| progress.done > 0 && !text.is_empty())
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

/// The files that recorded work has written; none of a run that was planned.
pub fn written_files(run: &RunFacts) -> Vec<PathBuf> {
    if read_plan(&run.plan).recorded { files_of(run, &end_of(run)) } else { Vec::new() }
}

/// Files of recorded work. Failed work lists those that it was to write: older files are not its own, and files that were
/// written after its end are those of other work with the same names.
fn files_of(run: &RunFacts, end: &RecordedEnd) -> Vec<PathBuf> {
    /// The time of an end is that of its entry in the ledger, and of a file that of its last byte.
    const SLACK: SignedDuration = SignedDuration::from_secs(2);
    let time = |text: &str| text.parse::<Timestamp>().ok();
    let started = time(&run.started);
    let finished =
        run.finished.as_deref().and_then(time).and_then(|end| end.checked_add(SLACK).ok());
    let is_own = |path: &&PathBuf| {
        let written = std::fs::metadata(path).and_then(|found| found.modified()).ok();
        let Some(written) = written.and_then(|time| Timestamp::try_from(time).ok()) else {
            return true;
        };
        started.is_none_or(|started| written >= started)
            && finished.is_none_or(|finished| written <= finished)
    };
    let has_failed = end.error.is_some();
    end.progress.files.iter().filter(|path| !has_failed || is_own(path)).cloned().collect()
}

/// The end, or how far a run came that has none.
fn end_of(run: &RunFacts) -> RecordedEnd {
    let stored = run.summary.as_ref().and_then(|end| RecordedEnd::deserialize(end).ok());
    stored.unwrap_or_else(|| RecordedEnd {
        progress: progress_of(&run.folder).unwrap_or_default(),
        ..RecordedEnd::default()
    })
}

/// The settings of a configuration file, or the command line of work without one.
fn settings(run: &RunFacts) -> Value {
    let config = end_of(run).progress.config;
    let settings = config.and_then(|text| parse_text::<Value>(&text).ok());
    settings.unwrap_or_else(|| json!({ "command line": read_plan(&run.plan).command_line }))
}

/// The losses of a training; other work has its line alone, which the page takes from the list of runs.
fn comparison(run: &RunFacts) -> Comparison {
    let losses = end_of(run).progress.losses;
    let curve = |loss: fn(&Losses) -> Option<f64>| -> Option<Curve> {
        let epochs = (1..).zip(&losses);
        let points: Curve =
            epochs.filter_map(|(epoch, of)| Some((f64::from(epoch), 1e3 * loss(of)?))).collect();
        (!points.is_empty()).then_some(points)
    };
    Comparison {
        settings: Some(settings(run)),
        loss: curve(|epoch| Some(epoch.validation)),
        scores_loss: curve(|epoch| epoch.scores),
        ..Comparison::default()
    }
}

fn page(run: &RunFacts) -> Page {
    let plan = read_plan(&run.plan);
    let end = end_of(run);
    let progress = &end.progress;
    let files: Vec<(String, Option<u64>)> = files_of(run, &end)
        .iter()
        .map(|path| {
            let size = std::fs::metadata(path).ok().map(|found| found.len());
            (path.display().to_string(), size)
        })
        .collect();
    let result = end.result.as_ref().unwrap_or(&Value::Null);
    let figures = Kind::by_key(&run.command).map_or(&[][..], |kind| kind.figures);
    let figures = figures::named(figures, result);
    let positions = positions_of(result);
    let of = progress.of.map(|of| format!("of {}", grouped(of)));
    recorded_page(&RecordedWork {
        command: &run.command,
        title: &plan.title,
        command_line: plan.command_line.as_deref(),
        exit: run.summary.is_some().then_some(end.exit),
        error: end.error.as_deref(),
        help: end.help.as_deref(),
        seconds: end.seconds,
        done: &done_text(progress),
        of: of.as_deref().unwrap_or_default(),
        files: &files,
        losses: &progress.losses,
        config: progress.config.as_deref(),
        figures: &figures,
        positions: &positions,
    })
}

/// A position of a result: what an audit found, or a position of a suite that was made.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ResultPosition {
    id: String,
    kind: String,
    what: String,
    line: Option<u64>,
    fen: String,
    epd: String,
    san: String,
    r#move: String,
}

/// The positions of a result; none of one that has no positions.
fn positions_of(result: &Value) -> Vec<RecordedPosition> {
    let lists = ["findings", "results"].into_iter().filter_map(|key| result[key].as_array());
    let read = |value: &Value| {
        let one = ResultPosition::deserialize(value).ok()?;
        let is_finding = !one.kind.is_empty();
        let [name, text] = if is_finding {
            let line = one.line.map_or_else(String::new, |line| format!(" in line {line}"));
            [format!("{}{line}", one.kind), one.what]
        } else {
            ["Move to find".to_owned(), one.san]
        };
        let fen = if one.fen.is_empty() { one.epd } else { one.fen };
        let r#move = if is_finding { String::new() } else { one.r#move };
        Some(RecordedPosition { id: one.id, name, text, fen, r#move })
    };
    lists.flatten().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_unfinished_work_came() {
        for (progress, line) in [
            (json!({ "done": 300, "of": 1000, "unit": "games" }), "300 of 1,000 games"),
            (json!({ "done": 1, "unit": "positions" }), "1 position"),
            (json!({ "done": 0, "of": 1000, "unit": "games" }), ""),
            (json!({}), ""),
            (
                json!({ "done": 20, "of": 60, "unit": "steps", "losses": [[0.5, 0.25]] }),
                "validation loss 0.250000, 20 of 60 steps",
            ),
        ] {
            let progress: RecordedProgress = serde_json::from_value(progress).expect("reads");
            assert_eq!(unfinished_text(&progress), line);
        }
    }

    #[test]
    fn the_line_of_an_audit_has_what_was_found() {
        for (end, line) in [
            (
                json!({ "illegal": 2, "duplicate": 0, "unsound": 1 }),
                "300 positions, 2 illegal, 1 unsound",
            ),
            (json!({ "unscored": 4 }), "300 positions, 4 unscored"),
            (json!({ "illegal": 0 }), "300 positions"),
            (json!(null), "300 positions"),
        ] {
            let progress = json!({ "done": 300, "unit": "positions" });
            let end = json!({ "exit": 0, "result": end, "progress": progress });
            assert_eq!(audited_line(&end), line);
        }
        let failed = json!({ "exit": 4, "error": "no space", "progress": {} });
        assert_eq!(audited_line(&failed), "failed: no space");
    }

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
            // The network of the best epoch is taken, not that of the last one.
            (
                json!({ "exit": 0, "progress": {
                    "done": 60, "unit": "steps", "losses": [[0.5, 0.25], [0.4, 0.3]],
                } }),
                "validation loss 0.250000, 60 steps",
            ),
        ] {
            assert_eq!(result_line(&end), line);
        }
    }

    #[test]
    fn a_line_says_what_a_fit_reached() {
        for (end, line) in [
            (
                json!({ "exit": 0, "result": { "loss": {
                    "before": { "validation": 0.0601 }, "after": { "validation": 0.0573 },
                } } }),
                "validation loss 0.057300, before 0.060100",
            ),
            (json!({ "exit": 4, "error": "no space", "result": null }), "failed: no space"),
            (json!({ "exit": 0, "progress": { "done": 7, "unit": "epochs" } }), "7 epochs"),
        ] {
            assert_eq!(fitted_line(&end), line);
        }
    }
}
