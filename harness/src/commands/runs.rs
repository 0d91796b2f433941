//! `harness runs`: what is in the ledger.

use std::collections::{HashMap, HashSet};

use clap::Args;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds::{Kind, recorded::done_in};
use crate::ledger::{Ledger, LedgerError, RunRow, Status};
use crate::report::terminal::table;
use crate::report::text::counted;

/// Lists all runs, the newest at the end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness runs
  harness runs --json | jq '.[] | select(.status == \"interrupted\") | .run'

`--json` also has who started each run: `user@host`, a page of the studio, or a service such as GitHub
Actions; TENCH_STARTED_BY in the environment names another one, and an empty one is not recorded.

`harness resume RUN` continues an interrupted run, `harness report RUN` shows a run again.
RUN is an id, a beginning that only one has, or `last`.")]
pub struct RunsArgs {}

/// Runs the command.
///
/// # Errors
/// When the ledger cannot be read.
pub fn run(_args: &RunsArgs, context: &Context) -> Result<Exit, Failure> {
    // Before the ledger is read: a run that begins meanwhile has an entry.
    let folders = folders(context);
    let runs = match Ledger::open_to_read(&context.reports).and_then(|ledger| ledger.runs()) {
        // An empty list is a result, too.
        Err(LedgerError::NoRuns { .. }) => Vec::new(),
        runs => runs.or_failed()?,
    };
    warn_of_unlisted(folders, &runs, context);
    context.show(&runs, || text(&runs, context))
}

/// The names of the folders of runs.
fn folders(context: &Context) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(context.reports.join("runs")) else { return Vec::new() };
    let of_runs = entries.flatten().filter(|entry| entry.path().join("run.yaml").is_file());
    of_runs.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Warns of folders that the ledger has no entry of: it was deleted, or is an older copy.
fn warn_of_unlisted(mut folders: Vec<String>, runs: &[RunRow], context: &Context) {
    let known: HashSet<&str> = runs.iter().map(|row| row.run.as_str()).collect();
    folders.retain(|name| !known.contains(name.as_str()));
    folders.sort();
    let Some(newest) = folders.last() else { return };
    context.warn(&format!(
        "{} without an entry in the ledger, which was deleted or is an older copy: {}. Games and \
         pages are there; nothing lists or resumes them",
        counted(folders.len() as u64, "run", "runs"),
        match folders.len() {
            1 => newest.clone(),
            _ => format!("the newest is {newest}"),
        },
    ));
}

/// Games and positions of the parts of each run that has such: a gate, a bisection.
fn parts_done(runs: &[RunRow]) -> HashMap<&str, (u64, u64)> {
    let mut done = HashMap::new();
    for row in runs {
        if let Some(whole) = &row.part_of {
            let (games, positions) = done.entry(whole.as_str()).or_default();
            *games += row.games;
            *positions += row.positions;
        }
    }
    done
}

/// What work without games or positions of its own has done: steps of a training, games of training data.
fn recorded(row: &RunRow, context: &Context) -> Option<String> {
    Kind::by_key(&row.command).filter(|kind| kind.is_recorded)?;
    done_in(&context.reports.join("runs").join(&row.run))
}

fn text(runs: &[RunRow], context: &Context) -> String {
    if runs.is_empty() {
        return format!("no runs in {}\n", context.reports.display());
    }
    let named = runs.iter().any(|row| row.name.is_some());
    let parts = parts_done(runs);
    let rows = runs.iter().map(|row| {
        let (games, positions) = parts.get(row.run.as_str()).copied().unwrap_or_default();
        let done = match (row.games + games, row.positions + positions) {
            (0, 0) => recorded(row, context).unwrap_or_else(|| "-".to_owned()),
            (0, positions) => counted(positions, "position", "positions"),
            (games, _) => counted(games, "game", "games"),
        };
        let started = row.started.replace('T', " ").replace('Z', " UTC");
        let mut cells =
            vec![row.run.clone(), row.command.clone(), started, row.status.to_string(), done];
        if named {
            cells.push(row.name.clone().unwrap_or_default());
        }
        cells
    });
    let columns = ["Run", "Command", "Started", "Status", "Done", "Name"];
    let mut text = table(columns.into_iter().take(if named { 6 } else { 5 }), rows, 4);
    // A part continues with the whole.
    let may_continue = |row: &&RunRow| row.status == Status::Interrupted && row.part_of.is_none();
    if let Some(row) = runs.iter().rev().find(may_continue) {
        text += &format!("\n{} continues.\n", context.command("resume", &row.run));
    }
    text
}
