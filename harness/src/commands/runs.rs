//! `harness runs`: what is in the ledger.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds::{self, KINDS, Kind};
use crate::ledger::{Ledger, LedgerError, ListedRun, RunQuery, RunRow, RunSort, Status};
use crate::report::terminal::table;
use crate::report::text::counted;

/// Lists runs and their results, the newest at the end.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness runs
  harness runs -n 20                         # the twenty newest
  harness runs lmr --command sprt            # SPRTs with the word in an engine, a name, a note
  harness runs --status interrupted
  harness runs --command sprt --sort result  # the best at the end
  harness runs --json | jq '.[] | select(.games > 1000) | .run'

The result of a match or an SPRT that is not finished is its wins, draws and losses so far.
`--json` also has who started each run: `user@host`, a page of the studio, or a service such as GitHub
Actions; TENCH_STARTED_BY in the environment names another one, and an empty one is not recorded.

`harness resume RUN` continues an interrupted run, `harness report RUN` shows a run again.
RUN is an id, a beginning that only one has, or `last`.")]
pub struct RunsArgs {
    /// Words of which each occurs in the id, the name, the note, the engines or who started it.
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Runs of this command alone.
    #[arg(long, value_name = "COMMAND", value_parser = command_key)]
    command: Option<&'static str>,
    /// Runs in this state alone.
    #[arg(long, value_name = "STATE", value_parser = PossibleValuesParser::new(RunQuery::STATES))]
    status: Option<String>,
    /// Key of the list; the greatest is at the end.
    #[arg(long, value_name = "KEY", default_value = "started")]
    sort: SortKey,
    /// The last N of the list.
    #[arg(short = 'n', long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..))]
    last: Option<u32>,
}

/// Keys of the list.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SortKey {
    /// When they were started.
    Started,
    /// Elo, or positions solved; those without come first.
    Result,
    /// Games and positions recorded.
    Games,
    /// The name, else what they are about.
    Name,
}

/// The key of a command: `tune texel` is `texel` in the ledger.
fn command_key(text: &str) -> Result<&'static str, String> {
    let is_it = |kind: &&&Kind| kind.key == text || kind.command() == text;
    KINDS.iter().find(is_it).map(|kind| kind.key).ok_or_else(|| {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.command()).collect();
        format!("there are runs of {}", names.join(", "))
    })
}

impl RunsArgs {
    /// The query of these words and flags: the list from its end.
    fn query(&self) -> RunQuery {
        let query = RunQuery {
            text: self.words.join(" "),
            command: self.command.map(str::to_owned),
            title: Some(kinds::title),
            sort: match self.sort {
                SortKey::Started => RunSort::Started,
                SortKey::Result => RunSort::Result,
                SortKey::Games => RunSort::Games,
                SortKey::Name => RunSort::Name,
            },
            limit: self.last.unwrap_or(u32::MAX),
            ..RunQuery::default()
        };
        query.in_state(self.status.as_deref().unwrap_or_default())
    }

    /// Whether all runs are wanted.
    fn is_plain(&self) -> bool {
        self.words.is_empty() && self.command.is_none() && self.status.is_none()
    }
}

/// A run with its title and its result.
#[derive(Debug, Serialize)]
pub struct Entry {
    #[serde(flatten)]
    row: RunRow,
    /// The engines, the suite, what is tuned; may be empty.
    title: String,
    /// Games, positions, steps, with those of its parts; may be empty.
    #[serde(skip)]
    done: String,
    /// The result in a line, or the results so far; may be empty.
    result: String,
}

/// All runs of a folder, the newest at the end; none without a ledger.
///
/// # Errors
/// When the ledger cannot be read.
pub fn all(reports: &Path) -> Result<Vec<Entry>, LedgerError> {
    let (runs, listed) = read(reports, &RunQuery { limit: u32::MAX, ..RunQuery::default() })?;
    Ok(entries(&runs, listed))
}

/// All runs, and those that a query asks for; none without a ledger, since an empty list is a result, too.
fn read(reports: &Path, query: &RunQuery) -> Result<(Vec<RunRow>, Vec<ListedRun>), LedgerError> {
    let read = Ledger::open_to_read(reports)
        .and_then(|ledger| Ok((ledger.runs()?, ledger.list(query)?.rows)));
    match read {
        Err(LedgerError::NoRuns { .. }) => Ok(Default::default()),
        read => read,
    }
}

/// Runs the command.
///
/// # Errors
/// When the ledger cannot be read.
pub fn run(args: &RunsArgs, context: &Context) -> Result<Exit, Failure> {
    // Before the ledger is read: a run that begins meanwhile has an entry.
    let folders = folders(context);
    let (runs, listed) = read(&context.reports, &args.query()).or_failed()?;
    warn_of_unlisted(folders, &runs, context);
    let entries = entries(&runs, listed);
    context.show(&entries, || text(&entries, args, context))
}

/// The listed runs, the last one of the list first, with their rows; as lists show them, the last one at the end.
fn entries(runs: &[RunRow], listed: Vec<ListedRun>) -> Vec<Entry> {
    let rows: HashMap<&str, &RunRow> = runs.iter().map(|row| (row.run.as_str(), row)).collect();
    let parts = parts_done(runs);
    let entry = |run: &ListedRun| {
        let row = (*rows.get(run.run.as_str())?).clone();
        let title = kinds::title(&run.command, &run.plan);
        let parts = parts.get(run.run.as_str()).copied().unwrap_or_default();
        let done = kinds::done_line(run, parts);
        Some(Entry { row, title, done, result: kinds::result_line(run) })
    };
    listed.iter().rev().filter_map(entry).collect()
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

fn text(entries: &[Entry], args: &RunsArgs, context: &Context) -> String {
    if entries.is_empty() {
        let like_this = if args.is_plain() { "" } else { " like this" };
        return format!("no runs{like_this} in {}\n", context.reports.display());
    }
    let rows = entries.iter().map(|Entry { row, title, done, result }| {
        let done = if done.is_empty() { "-" } else { done };
        let about = match &row.name {
            Some(name) if title.is_empty() => name.clone(),
            Some(name) => format!("{name} ({title})"),
            None => title.clone(),
        };
        // How many games there are is in the column before.
        let result = result.strip_suffix(&format!(", {done}")).unwrap_or(result).to_owned();
        vec![row.run.clone(), about, row.status.to_string(), done.to_owned(), result]
    });
    let mut text = table(["Run", "About", "Status", "Done", "Result"], rows, 5);
    // A part continues with the whole.
    let may_continue = |row: &&RunRow| row.status == Status::Interrupted && row.part_of.is_none();
    let listed = entries.iter().map(|entry| &entry.row);
    if let Some(row) = listed.rev().find(may_continue) {
        text += &format!("\n{} continues.\n", context.command("resume", &row.run));
    }
    text
}
