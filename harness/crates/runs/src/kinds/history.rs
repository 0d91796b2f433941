//! Measurements of each commit, from the runs of the ledger: gates, and suites, matches and SPRTs of
//! git revisions.

use std::path::Path;

use super::kind::{Kind, Measured};
use super::render;
use crate::gate::{Commits, HistoryError};
use harness_ledger::{Ledger, LedgerError, RunFacts, RunRow};
use harness_report::history::History;

/// Measurements in the ledger of the last `most` commits up to a revision.
///
/// # Errors
/// When the current folder is in no repository, or the ledger cannot be read.
pub fn history(reports: &Path, revision: &str, most: u32) -> Result<History, HistoryError> {
    let mut commits = Commits::up_to(revision, most)?;
    let ledger = Ledger::open_to_read(reports)?;
    let mut runs = Vec::new();
    for row in ledger.runs()? {
        let measured = Kind::by_key(&row.command).and_then(|kind| kind.history);
        if let Some(Measured { add, counts_unfinished }) = measured {
            let run = result(&ledger, &row, counts_unfinished)?;
            runs.extend(run.map(|run| (add, run)));
        }
    }
    commits.note_gates(&runs.iter().map(|(_, run)| run).collect::<Vec<_>>());
    for (add, run) in &runs {
        add(&mut commits, run);
    }
    Ok(commits.history())
}

/// A run with its result; with `counts_unfinished`, that of its games so far. `None` of a part of a suite
/// or of a gate, and of a run that this version cannot read.
fn result(
    ledger: &Ledger,
    row: &RunRow,
    counts_unfinished: bool,
) -> Result<Option<RunFacts>, LedgerError> {
    let mut run = ledger.facts(&row.run)?;
    if run.summary.is_none() && counts_unfinished && row.games > 0 {
        run.summary = render::result(ledger, &run).ok();
    }
    Ok(run.summary.is_some().then_some(run))
}
