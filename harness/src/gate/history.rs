//! What was measured of each commit, from what the ledger has: gates, and suites, matches and SPRTs
//! of git revisions.

use std::path::Path;
use std::process::Command;

use miette::Diagnostic;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::report::{Measured, Report};
use crate::failure::Failure;
use crate::ledger::{Ledger, LedgerError, RunFacts, Status};
use crate::outcome::{MatchSummary, SuiteReport};
use crate::player::{self, EngineSpec, Program};
use crate::report::history::{CommitRow, EloPoint, History, SuitePoint};

/// Why there is no history.
#[derive(Debug, Error, Diagnostic)]
pub enum HistoryError {
    /// Git does not list them.
    #[error("cannot list the commits of `{0}`: {1}")]
    #[diagnostic(help("`git log` in this folder shows why"))]
    NoCommits(String, String),
    /// There is no repository, or no such revision.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoRevision(player::HistoryError),
    /// The ledger cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Failure {
        match error {
            HistoryError::Ledger(error) => error.into(),
            error => Failure::Usage(error.into()),
        }
    }
}

/// What the ledger has of the last `most` commits up to a revision.
///
/// # Errors
/// When the current folder is in no repository, or the ledger cannot be read.
pub fn history(reports: &Path, revision: &str, most: u32) -> Result<History, HistoryError> {
    let mut commits = log(revision, most)?;
    let ledger = Ledger::open_to_read(reports)?;
    for row in ledger.runs()?.iter().filter(|row| row.status == Status::Finished) {
        if ["gate", "suite", "match", "sprt"].contains(&row.command.as_str()) {
            add(&mut commits, &ledger.facts(&row.run)?);
        }
    }
    commits.retain(|row| !row.is_empty());
    Ok(History { commits })
}

/// The commits of the repository of the current folder, the oldest first.
fn log(revision: &str, most: u32) -> Result<Vec<CommitRow>, HistoryError> {
    player::commit_of(revision).map_err(HistoryError::NoRevision)?;
    let failed = |reason| HistoryError::NoCommits(revision.to_owned(), reason);
    let output = Command::new("git")
        .args(["log", "--reverse", "--first-parent", "--date=short", "--format=%H%x09%cd%x09%s"])
        .args([format!("--max-count={most}"), "--end-of-options".to_owned(), revision.to_owned()])
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text.lines().filter_map(|line| {
        let mut fields = line.splitn(3, '\t').map(str::to_owned);
        let [commit, date, subject] = [fields.next()?, fields.next()?, fields.next()?];
        Some(CommitRow { commit, date, subject, ..CommitRow::default() })
    });
    Ok(rows.collect())
}

/// Adds the results of a run; one that an older version wrote otherwise is left out.
fn add(commits: &mut [CommitRow], run: &RunFacts) {
    let Some(summary) = &run.summary else { return };
    match run.command.as_str() {
        "gate" => add_gate(commits, &run.id, summary),
        "suite" => add_suite(commits, &run.id, &engines(&run.plan), summary),
        _ => add_match(commits, &run.id, &engines(&run.plan), summary),
    }
}

/// The commit of each engine of a plan.
fn engines(plan: &Value) -> Vec<Option<String>> {
    let engines = Vec::<EngineSpec>::deserialize(&plan["engines"]).unwrap_or_default();
    let commit = |engine: EngineSpec| match engine.program {
        // With options it is another player than the commit.
        Program::Executable { revision: Some(revision), .. } if engine.options.is_empty() => {
            revision.commit
        }
        _ => None,
    };
    engines.into_iter().map(commit).collect()
}

fn row<'a>(commits: &'a mut [CommitRow], commit: Option<&String>) -> Option<&'a mut CommitRow> {
    commits.iter_mut().find(|row| Some(&row.commit) == commit)
}

fn add_gate(commits: &mut [CommitRow], run: &str, summary: &Value) {
    let Ok(report) = Report::deserialize(summary) else { return };
    let Some(row) = row(commits, report.commit.as_ref()) else { return };
    row.runs.push(run.to_owned());
    for measured in report.checks.into_iter().filter_map(|check| check.measured) {
        match measured {
            Measured::Bench { nodes } => row.bench = Some(nodes),
            Measured::Speed { ratio, .. } => row.speed = Some(ratio),
            Measured::Suite { suite, nodes, limit, solved, positions } => {
                let limit = if limit.is_empty() { format!("nodes={nodes}") } else { limit };
                row.note_suite(SuitePoint { suite, limit, solved, positions });
            }
            Measured::Elo { value: Some(value), error95, games } if games > 0 => {
                row.note_elo(EloPoint { against: report.base.clone(), value, error95, games });
            }
            Measured::Elo { .. } => {}
        }
    }
}

fn add_suite(commits: &mut [CommitRow], run: &str, engines: &[Option<String>], summary: &Value) {
    let Ok(report) = SuiteReport::deserialize(summary) else { return };
    for (engine, result) in engines.iter().zip(report.engines()) {
        let Some(row) = row(commits, engine.as_ref()) else { continue };
        row.runs.push(run.to_owned());
        row.note_suite(SuitePoint {
            suite: result.suite.clone(),
            limit: result.limit.clone(),
            solved: result.solved,
            positions: result.positions,
        });
    }
}

fn add_match(commits: &mut [CommitRow], run: &str, engines: &[Option<String>], summary: &Value) {
    let [Some(new), Some(old)] = engines else { return };
    let Ok(summary) = MatchSummary::deserialize(summary) else { return };
    let (Some(value), Some(row)) = (summary.elo.value, row(commits, Some(new))) else { return };
    let (against, error95, games) = (old.clone(), summary.elo.error95, summary.games);
    row.runs.push(run.to_owned());
    row.note_elo(EloPoint { against, value, error95, games });
}
