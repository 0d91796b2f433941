//! `harness history`: what was measured of each commit.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::gate::{self, Measured};
use crate::ledger::{Ledger, RunFacts, Status, write_atomically};
use crate::outcome::{MatchSummary, SuiteReport};
use crate::player::{EngineSpec, Program};
use crate::report::history::{CommitRow, EloPoint, History, SuitePoint, history_text};
use crate::report::html::history_page;

/// What was measured of each commit: bench, speed, suites and Elo, with charts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness history                          # a table, and reports/history.html with charts
  harness history --json | jq '.commits[] | [.commit, .bench]'

It knows what the ledger knows: gates, and suites, matches and SPRTs of git revisions (`harness
suite wac HEAD`). A commit that nothing was measured of is left out.")]
pub struct HistoryArgs {
    /// The newest commit to show.
    #[arg(value_name = "REV", default_value = "HEAD")]
    revision: String,
    /// Most commits to look back.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    commits: u32,
    /// Where the page goes [default: history.html in the reports folder].
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When one stands in no repository, or the ledger cannot be read.
pub fn run(args: &HistoryArgs, context: &Context) -> Result<Exit, Failure> {
    let mut commits = log(&args.revision, args.commits)?;
    let ledger = Ledger::open_to_read(&context.reports)?;
    for row in ledger.runs().or_failed()? {
        let kinds = ["gate", "suite", "match", "sprt"];
        if row.status == Status::Finished && kinds.contains(&row.command.as_str()) {
            note(&mut commits, &ledger.facts(&row.run).or_failed()?);
        }
    }
    commits.retain(|row| !row.is_empty());
    let history = History { commits };
    let page = args.output.clone().unwrap_or_else(|| context.reports.join("history.html"));
    write_atomically(&page, history_page(&history).as_bytes()).map_err(|error| {
        Failure::Failed(miette::miette!(
            help = "name a file that can be written with `-o FILE.html`",
            "cannot write {}: {error}",
            page.display()
        ))
    })?;
    if context.json {
        context.print(&format!("{}\n", json!(history)))?;
    } else if history.commits.is_empty() {
        context.print(
            "Nothing was measured of any commit yet. `harness gate` measures HEAD, and so does\n\
             `harness suite wac HEAD`.\n",
        )?;
    } else {
        context.print(&history_text(&history))?;
        context.print(&format!("Charts: {}\n", page.display()))?;
    }
    Ok(Exit::Good)
}

/// The commits of the repository one stands in, the oldest first.
fn log(revision: &str, most: u32) -> Result<Vec<CommitRow>, Failure> {
    let usage = |reason: String| {
        Failure::Usage(miette::miette!(
            help = "stand in the engine's git repository, and name a revision that it has",
            "cannot list the commits of `{revision}`: {reason}"
        ))
    };
    let output = Command::new("git")
        .args(["log", "--reverse", "--first-parent", "--date=short", "--format=%H%x09%cd%x09%s"])
        .args([format!("--max-count={most}"), "--end-of-options".to_owned(), revision.to_owned()])
        .output()
        .map_err(|error| usage(error.to_string()))?;
    if !output.status.success() {
        return Err(usage(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text.lines().filter_map(|line| {
        let mut fields = line.splitn(3, '\t').map(str::to_owned);
        let [commit, date, subject] = [fields.next()?, fields.next()?, fields.next()?];
        Some(CommitRow { commit, date, subject, ..CommitRow::default() })
    });
    Ok(rows.collect())
}

/// Adds what a run tells; one that is written otherwise (an older harness's) tells nothing.
fn note(commits: &mut [CommitRow], run: &RunFacts) {
    let Some(summary) = &run.summary else { return };
    match run.command.as_str() {
        "gate" => note_gate(commits, summary),
        "suite" => note_suite(commits, &engines(&run.plan), summary),
        _ => note_match(commits, &engines(&run.plan), summary),
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

fn note_gate(commits: &mut [CommitRow], summary: &Value) {
    let Ok(report) = gate::Report::deserialize(summary) else { return };
    let Some(row) = row(commits, report.commit.as_ref()) else { return };
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

fn note_suite(commits: &mut [CommitRow], engines: &[Option<String>], summary: &Value) {
    let Ok(report) = SuiteReport::deserialize(summary) else { return };
    for (engine, result) in engines.iter().zip(report.engines()) {
        let Some(row) = row(commits, engine.as_ref()) else { continue };
        row.note_suite(SuitePoint {
            suite: result.suite.clone(),
            limit: result.limit.clone(),
            solved: result.solved,
            positions: result.positions,
        });
    }
}

fn note_match(commits: &mut [CommitRow], engines: &[Option<String>], summary: &Value) {
    let [Some(new), Some(old)] = engines else { return };
    let Ok(summary) = MatchSummary::deserialize(summary) else { return };
    let (Some(value), Some(row)) = (summary.elo.value, row(commits, Some(new))) else { return };
    let (against, error95, games) = (old.clone(), summary.elo.error95, summary.games);
    row.note_elo(EloPoint { against, value, error95, games });
}
