//! What was measured of each commit, from what the ledger has: gates, and suites, matches and SPRTs
//! of git revisions.

use std::collections::HashMap;
use std::path::Path;

use miette::Diagnostic;
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::report::{Measured, Report};
use crate::report::match_so_far;
use harness_arena::Plan;
use harness_base::failure::Failure;
use harness_ledger::{Ledger, LedgerError, RunFacts, RunRow, Status};
use harness_outcome::{MatchSummary, SuiteReport};
use harness_player::{self as player, Commit, EngineSpec, Limit, Program};
use harness_report::history::{CommitRow, EloPoint, History, Series, SuitePoint};
use harness_stats::{Elo, Pentanomial};

/// Why there is no history.
#[derive(Debug, Error, Diagnostic)]
pub enum HistoryError {
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
    let mut runs = Vec::new();
    for row in ledger.runs()? {
        if ["gate", "suite", "match", "sprt"].contains(&row.command.as_str()) {
            runs.extend(result(&ledger, &row)?);
        }
    }
    let of_gates = matches_of_gates(&runs);
    for run in &runs {
        add(&mut commits, run, &of_gates);
    }
    commits.retain(|row| !row.is_empty());
    Ok(History { commits })
}

/// A run with its result; of an unfinished match, that of its games so far. `None` of a part of a suite
/// or of a gate, and of a run that this version cannot read.
fn result(ledger: &Ledger, row: &RunRow) -> Result<Option<RunFacts>, LedgerError> {
    let mut run = ledger.facts(&row.run)?;
    let is_match = ["match", "sprt"].contains(&row.command.as_str());
    if run.summary.is_none() && is_match && row.games > 0 {
        run.summary = match_so_far(ledger, &run).ok().map(|(summary, _)| json!(summary));
    }
    Ok(run.summary.is_some().then_some(run))
}

/// The commit that each run of a gate's games is about: a gate may have built it in its working tree.
fn matches_of_gates(runs: &[RunFacts]) -> HashMap<String, String> {
    let gates = runs.iter().filter(|run| run.command == "gate");
    let reports = gates.filter_map(|run| Report::deserialize(run.summary.as_ref()?).ok());
    let played = reports.flat_map(|report| {
        let checks = report.checks.into_iter().filter_map(|check| check.run);
        checks.filter_map(move |run| Some((run, report.commit.clone()?))).collect::<Vec<_>>()
    });
    let known = played.filter(|(id, _)| runs.iter().any(|run| run.id == *id));
    known.collect()
}

/// The commits of the repository of the current folder, the oldest first.
fn log(revision: &str, most: u32) -> Result<Vec<CommitRow>, HistoryError> {
    let commits = player::dated_commits(revision, most).map_err(HistoryError::NoRevision)?;
    let row = |(commit, date): (Commit, String)| CommitRow {
        commit: commit.hash,
        date,
        subject: commit.subject,
        ..CommitRow::default()
    };
    Ok(commits.into_iter().map(row).collect())
}

/// Adds the results of a run; one that an older version wrote otherwise is left out.
fn add(commits: &mut [CommitRow], run: &RunFacts, of_gates: &HashMap<String, String>) {
    let Some(summary) = &run.summary else { return };
    match run.command.as_str() {
        "gate" => add_gate(commits, &run.id, summary, of_gates),
        "suite" => add_suite(commits, &run.id, &engines(&run.plan), summary),
        _ => {
            let mut engines = engines(&run.plan);
            if let (Some(commit), Some(engine)) = (of_gates.get(&run.id), engines.first_mut()) {
                engine.commit = Some(commit.clone());
            }
            add_match(commits, run, &engines, summary);
        }
    }
}

/// An engine of a plan.
struct Engine {
    name: String,
    /// The commit that it was built from.
    commit: Option<String>,
    /// `Hash=64, Threads=2`
    options: String,
    /// The checksum of its program.
    program: String,
}

/// The engines of a plan.
fn engines(plan: &Value) -> Vec<Engine> {
    let engines = Vec::<EngineSpec>::deserialize(&plan["engines"]).unwrap_or_default();
    let engine = |engine: EngineSpec| {
        let (commit, program) = match engine.program {
            Program::Builtin => (None, String::new()),
            Program::Executable { revision, sha256, .. } => {
                (revision.and_then(|revision| revision.commit), sha256)
            }
        };
        let options = engine.options.iter().map(|(name, value)| format!("{name}={value}"));
        let options = options.collect::<Vec<_>>().join(", ");
        Engine { name: engine.name, commit, options, program }
    };
    engines.into_iter().map(engine).collect()
}

/// The row of a commit; older results may name it by the first digits of its hash.
fn row<'a>(commits: &'a mut [CommitRow], commit: Option<&String>) -> Option<&'a mut CommitRow> {
    let commit = commit.filter(|commit| commit.len() >= 7)?;
    commits.iter_mut().find(|row| row.commit.starts_with(commit.as_str()))
}

/// The whole hash of a commit that is among these.
fn whole(commits: &[CommitRow], revision: &str) -> String {
    let is_short = revision.len() >= 7 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    let found = commits.iter().find(|row| is_short && row.commit.starts_with(revision));
    found.map_or(revision, |row| &row.commit).to_owned()
}

fn add_gate(
    commits: &mut [CommitRow],
    run: &str,
    summary: &Value,
    of_gates: &HashMap<String, String>,
) {
    let Ok(report) = Report::deserialize(summary) else { return };
    let against = whole(commits, &report.base);
    let Some(row) = row(commits, report.commit.as_ref()) else { return };
    row.runs.push(run.to_owned());
    for check in report.checks {
        // Its games are a run of the ledger, which says more about them.
        let is_known = check.run.as_ref().is_some_and(|run| of_gates.contains_key(run));
        match check.measured {
            Some(Measured::Bench { nodes }) => row.bench = Some(nodes),
            Some(Measured::Speed { ratio, .. }) => row.speed = Some(ratio),
            Some(Measured::Suite { suite, nodes, limit, solved, positions }) => {
                let limit = if limit.is_empty() { format!("nodes={nodes}") } else { limit };
                let options = String::new();
                row.note_suite(SuitePoint { suite, limit, solved, positions, options });
            }
            Some(Measured::Elo { value, error95, games }) if games > 0 && !is_known => {
                let (against, runs) = (against.clone(), vec![run.to_owned()]);
                row.note_elo(EloPoint {
                    against,
                    value,
                    error95,
                    games,
                    runs,
                    ..EloPoint::default()
                });
            }
            Some(Measured::Elo { .. }) | None => {}
        }
    }
}

fn add_suite(commits: &mut [CommitRow], run: &str, engines: &[Engine], summary: &Value) {
    let Ok(report) = SuiteReport::deserialize(summary) else { return };
    for (engine, result) in engines.iter().zip(report.engines()) {
        let Some(row) = row(commits, engine.commit.as_ref()) else { continue };
        row.runs.push(run.to_owned());
        row.note_suite(SuitePoint {
            suite: result.suite.clone(),
            limit: result.limit.clone(),
            solved: result.solved,
            positions: result.positions,
            options: engine.options.clone(),
        });
    }
}

fn add_match(commits: &mut [CommitRow], run: &RunFacts, engines: &[Engine], summary: &Value) {
    let (Ok(summary), Ok(plan)) =
        (MatchSummary::deserialize(summary), Plan::deserialize(&run.plan))
    else {
        return;
    };
    if let [first, second] = engines {
        let pairs = Pentanomial(summary.pentanomial);
        let mut reversed = pairs;
        reversed.0.reverse();
        for (own, other, pairs) in [(first, second, pairs), (second, first, reversed)] {
            let point = point(commits, run, (own, other), &plan, (pairs, summary.games));
            if let Some(row) = row(commits, own.commit.as_ref()) {
                row.runs.push(run.id.clone());
                row.note_elo(point);
                return;
            }
        }
        return;
    }
    for engine in engines {
        let Some(row) = row(commits, engine.commit.as_ref()) else { continue };
        let Some(player) = summary.players.iter().find(|player| player.name == engine.name) else {
            continue;
        };
        row.runs.push(run.id.clone());
        row.note_elo(EloPoint {
            against: format!("average of {} players", engines.len()),
            limit: limit(&plan),
            conditions: conditions(engine, engine, &plan),
            value: player.elo.value,
            error95: player.elo.error95,
            games: player.games,
            unfinished: if run.status == Status::Finished { 0 } else { player.games },
            runs: vec![run.id.clone()],
            ..EloPoint::default()
        });
    }
}

/// A match of two engines as a row of the first.
fn point(
    commits: &[CommitRow],
    run: &RunFacts,
    (own, other): (&Engine, &Engine),
    plan: &Plan,
    (pairs, games): (Pentanomial, u64),
) -> EloPoint {
    let is_finished = run.status == Status::Finished;
    let series = Series { name: series(plan), pairs, games, is_finished };
    let elo = Elo::from_counts(&pairs).ok();
    EloPoint {
        against: whole(commits, other.commit.as_ref().unwrap_or(&other.name)),
        limit: limit(plan),
        conditions: conditions(own, other, plan),
        value: elo.map(|elo| elo.value),
        error95: elo.map(|elo| elo.error95),
        games,
        repeated: 0,
        unfinished: if is_finished { 0 } else { games },
        pentanomial: Some(pairs.0),
        runs: vec![run.id.clone()],
        identity: if other.commit.is_some() { String::new() } else { other.program.clone() },
        series: vec![series],
    }
}

/// `nodes=5000`, or both limits where they differ.
fn limit(plan: &Plan) -> String {
    let mut limits: Vec<String> = plan.limits.iter().map(Limit::to_string).collect();
    limits.dedup();
    limits.join(" against ")
}

/// Options, book and variant, where they are not the usual ones.
fn conditions(own: &Engine, other: &Engine, plan: &Plan) -> String {
    let mut all = Vec::new();
    match (&*own.options, &*other.options) {
        (own, other) if own == other => all.push(own.to_owned()),
        (own, "") => all.push(format!("with {own}")),
        ("", other) => all.push(format!("against {other}")),
        (own, other) => all.push(format!("{own} against {other}")),
    }
    all.extend(
        plan.openings.file.as_ref().map(|file| {
            file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
        }),
    );
    all.extend(plan.openings.rules.tag().map(str::to_owned));
    all.retain(|condition| !condition.is_empty());
    all.join(", ")
}

/// Conditions that decide the moves of a run's games beside the engines and their limits; `None` where they are
/// never the same again.
fn series(plan: &Plan) -> Option<String> {
    let repeats = |limit: &Limit| matches!(limit, Limit::Nodes(_) | Limit::Depth(_));
    let has_threads = |engine: &EngineSpec| {
        let threads = engine.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("threads"));
        threads.is_some_and(|(_, value)| value.trim() != "1")
    };
    if !plan.limits.iter().all(repeats) || plan.engines.iter().any(has_threads) {
        return None;
    }
    let Plan { openings, conduct, pairing, shard, .. } = plan;
    serde_json::to_string(&(openings, conduct, pairing, shard)).ok()
}
