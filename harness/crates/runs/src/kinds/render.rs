//! Reports of runs of any kind: the result as JSON, the page, and other formats.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Kind;
use crate::report::{self, Format, ReportError};
use harness_base::files::write_file;
use harness_ledger::{Ledger, RunFacts};
use harness_report::html::Page;

/// The result of a run in the form that `--json` prints: what a finished run printed, whatever version
/// wrote it, or the result so far.
///
/// # Errors
/// When its kind has a result only when it is finished, or the ledger cannot be read.
pub fn result(ledger: &Ledger, run: &RunFacts) -> Result<Value, ReportError> {
    match (&run.summary, Kind::by_key(&run.command)) {
        (Some(summary), _) => Ok(summary.clone()),
        (None, Some(kind)) => (kind.so_far)(ledger, run),
        (None, None) => report::summary(run),
    }
}

/// Writes a run's report in a format.
///
/// # Errors
/// When the run has no such report, or `out` cannot be written.
pub fn render(
    ledger: &Ledger,
    run: &RunFacts,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    if format == Format::Json {
        return Ok(writeln!(out, "{}", result(ledger, run)?)?);
    }
    let kind = Kind::by_key(&run.command);
    let rendered = match kind {
        Some(_) if format == Format::Html => Some(file(ledger, run)?),
        Some(kind) => (kind.report)(ledger, run, format)?,
        // Of a kind that this version does not know, the games may be there.
        None => report::summary::<Value>(run).map(|_| None)?,
    };
    if let Some(text) = rendered {
        return Ok(out.write_all(text.as_bytes())?);
    }
    if kind.is_none_or(Kind::has_games) && report::write_games(ledger, &run.id, format, out)? {
        return Ok(());
    }
    Err(ReportError::NoSuchReport(format.to_string(), run.command.clone()))
}

/// Writes the curves of a run as comma-separated values: a line after every `every` pairs, batches
/// or generations.
///
/// # Errors
/// When its kind has no curves, or `out` cannot be written.
pub fn render_curves(
    ledger: &Ledger,
    run: &RunFacts,
    every: NonZeroUsize,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let kind = Kind::by_key(&run.command);
    let curves = kind.map(|kind| (kind.curves)(ledger, run, every)).transpose()?.flatten();
    let text = curves.ok_or_else(|| ReportError::NoCurves(run.command.clone()))?;
    Ok(out.write_all(text.as_bytes())?)
}

/// The page of a run, finished or not.
///
/// # Errors
/// When the run has no page (yet), or this version does not know its kind.
pub fn page(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    match Kind::by_key(&run.command) {
        Some(kind) => (kind.page)(ledger, run),
        None => Err(ReportError::NoSuchReport("html".to_owned(), run.command.clone())),
    }
}

/// The page of a run as one file.
fn file(ledger: &Ledger, run: &RunFacts) -> Result<String, ReportError> {
    Ok(page(ledger, run)?.file_of_run(&run.started, run.started_by.as_deref()))
}

/// Writes a run's report in a format to a file.
///
/// # Errors
/// When the run has no such report, or the file cannot be written.
pub fn write(
    ledger: &Ledger,
    run: &RunFacts,
    format: Format,
    path: &Path,
) -> Result<(), ReportError> {
    let mut text = Vec::new();
    render(ledger, run, format, &mut text)?;
    Ok(write_file(path, &text, Some("name a file that can be written with `-o FILE`"))?)
}

/// Writes `report.html` into the folder of a run; gives its path.
///
/// # Errors
/// When there is no such run, it has no page, or the folder cannot be written.
pub fn write_page(ledger: &Ledger, run: &str) -> Result<PathBuf, ReportError> {
    let run = ledger.facts(run)?;
    let path = run.folder.join("report.html");
    // The ledger has all that the page shows; what fails here is said by the next line.
    let _ = std::fs::create_dir_all(&run.folder);
    write(ledger, &run, Format::Html, &path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::boards;
    use harness_lichess as lichess;
    use serde_json::json;

    #[test]
    fn an_unfinished_run_has_a_result_or_says_that_it_has_none_yet() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(folder.path()).expect("a ledger");
        let has_result = ["gate", lichess::COMMAND, boards::COMMAND, "bisect", "loop"];
        let commit = json!({ "hash": "0123456789", "subject": "a" });
        let plan = json!({
            "config": {},
            "repository": "/a", "good": commit, "commits": [commit], "elo": 10.0, "error": 0.05,
            "measure": { "test": "make {}" },
        });
        for command in has_result.into_iter().chain(["unknown"]) {
            let run = ledger.start_run(command, &plan).expect("started");
            let facts = ledger.facts(run.id()).expect("there");
            match result(&ledger, &facts) {
                Ok(result) => {
                    assert_eq!(result["run"], run.id());
                    assert!(has_result.contains(&command), "{command}");
                }
                Err(error) => {
                    assert!(matches!(error, ReportError::NoSummary(_)), "{command}: {error}");
                    assert!(!has_result.contains(&command), "{command}");
                }
            }
            ledger.finish(&run, &json!({ "run": run.id(), "of": command })).expect("finished");
            let facts = ledger.facts(run.id()).expect("there");
            let mut printed = Vec::new();
            render(&ledger, &facts, Format::Json, &mut printed).expect("printed");
            let printed: Value = serde_json::from_slice(&printed).expect("JSON");
            assert_eq!(printed["of"], command);
        }
    }
}
