//! Measurements of commits: those of gates, and of suites, matches and SPRTs of git revisions.

use std::collections::HashMap;

use miette::Diagnostic;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::run::COMMAND;
use harness_arena::Plan;
use harness_base::failure::Failure;
use harness_ledger::{LedgerError, RunFacts, Status};
use harness_outcome::gate::{GateReport, Measured as Measurement};
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

/// The measurements of commits so far.
pub(crate) struct Commits {
    rows: Vec<CommitRow>,
    /// The commit that each run of a gate's games is about.
    of_gates: HashMap<String, String>,
}

/// The commit that each run of a gate's games is about: a gate may have built it in its working tree.
pub(crate) fn matches_of_gates(runs: &[&RunFacts]) -> HashMap<String, String> {
    let gates = runs.iter().filter(|run| run.command == COMMAND);
    let reports = gates.filter_map(|run| read::<GateReport>(run));
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

/// The part of a plan that names its engines.
#[derive(Default, Deserialize)]
struct Engines {
    engines: Vec<EngineSpec>,
}

/// The engines of a plan.
fn engines(plan: &Value) -> Vec<Engine> {
    let Engines { engines } = Engines::deserialize(plan).unwrap_or_default();
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

impl Commits {
    /// The last `most` commits up to a revision, without measurements.
    ///
    /// # Errors
    /// When the current folder is in no repository, or there is no such revision.
    pub(crate) fn up_to(revision: &str, most: u32) -> Result<Commits, HistoryError> {
        Ok(Commits { rows: log(revision, most)?, of_gates: HashMap::new() })
    }

    /// Notes which of all runs are parts of a gate.
    pub(crate) fn note_gates(&mut self, runs: &[&RunFacts]) {
        self.of_gates = matches_of_gates(runs);
    }

    /// The commits with measurements.
    pub(crate) fn history(mut self) -> History {
        self.rows.retain(|row| !row.is_empty());
        History { commits: self.rows }
    }

    /// Adds the checks of a gate.
    pub(crate) fn add_gate(&mut self, run: &RunFacts) {
        let Some(report) = read::<GateReport>(run) else { return };
        let Commits { rows, of_gates } = self;
        let against = whole(rows, &report.base);
        let Some(row) = row(rows, report.commit.as_ref()) else { return };
        row.runs.push(run.id.clone());
        for check in report.checks {
            // Its games are a run of the ledger, which says more about them.
            let is_known = check.run.as_ref().is_some_and(|run| of_gates.contains_key(run));
            match check.measured {
                Some(Measurement::Bench { nodes }) => row.bench = Some(nodes),
                Some(Measurement::Speed { ratio, .. }) => row.speed = Some(ratio),
                Some(Measurement::Suite { suite, nodes, limit, solved, positions }) => {
                    let limit = if limit.is_empty() { format!("nodes={nodes}") } else { limit };
                    let options = String::new();
                    row.note_suite(SuitePoint { suite, limit, solved, positions, options });
                }
                Some(Measurement::Elo { value, error95, games }) if games > 0 && !is_known => {
                    let (against, runs) = (against.clone(), vec![run.id.clone()]);
                    row.note_elo(EloPoint {
                        against,
                        value,
                        error95,
                        games,
                        runs,
                        ..EloPoint::default()
                    });
                }
                Some(Measurement::Elo { .. }) | None => {}
            }
        }
    }

    /// Adds the results of a suite.
    pub(crate) fn add_suite(&mut self, run: &RunFacts) {
        let Some(report) = read::<SuiteReport>(run) else { return };
        for (engine, result) in engines(&run.plan).iter().zip(report.engines()) {
            let Some(row) = row(&mut self.rows, engine.commit.as_ref()) else { continue };
            row.runs.push(run.id.clone());
            row.note_suite(SuitePoint {
                suite: result.suite.clone(),
                limit: result.limit.clone(),
                solved: result.solved,
                positions: result.positions,
                options: engine.options.clone(),
            });
        }
    }

    /// Adds the result of a match or an SPRT.
    pub(crate) fn add_match(&mut self, run: &RunFacts) {
        let Some(summary) = read::<MatchSummary>(run) else { return };
        let Ok(plan) = Plan::deserialize(&run.plan) else { return };
        let mut engines = engines(&run.plan);
        if let (Some(commit), Some(engine)) = (self.of_gates.get(&run.id), engines.first_mut()) {
            engine.commit = Some(commit.clone());
        }
        match engines.as_slice() {
            [first, second] => self.add_two(run, [first, second], &plan, &summary),
            all => self.add_players(run, all, &plan, &summary),
        }
    }

    /// Adds a match of two engines to the row of the first that has one.
    fn add_two(
        &mut self,
        run: &RunFacts,
        [first, second]: [&Engine; 2],
        plan: &Plan,
        summary: &MatchSummary,
    ) {
        let pairs = Pentanomial(summary.pentanomial);
        let mut reversed = pairs;
        reversed.0.reverse();
        for (own, other, pairs) in [(first, second, pairs), (second, first, reversed)] {
            let point = point(&self.rows, run, (own, other), plan, (pairs, summary.games));
            if let Some(row) = row(&mut self.rows, own.commit.as_ref()) {
                row.runs.push(run.id.clone());
                row.note_elo(point);
                return;
            }
        }
    }

    /// Adds a tournament to the row of each of its players.
    fn add_players(
        &mut self,
        run: &RunFacts,
        engines: &[Engine],
        plan: &Plan,
        summary: &MatchSummary,
    ) {
        for engine in engines {
            let Some(row) = row(&mut self.rows, engine.commit.as_ref()) else { continue };
            let Some(player) = summary.players.iter().find(|player| player.name == engine.name)
            else {
                continue;
            };
            row.runs.push(run.id.clone());
            row.note_elo(EloPoint {
                against: format!("average of {} players", engines.len()),
                limit: limit(plan),
                conditions: conditions(engine, engine, plan),
                value: player.elo.value,
                error95: player.elo.error95,
                games: player.games,
                unfinished: if run.status == Status::Finished { 0 } else { player.games },
                runs: vec![run.id.clone()],
                ..EloPoint::default()
            });
        }
    }
}

/// The summary of a run; `None` of one that this version cannot read.
fn read<T: DeserializeOwned>(run: &RunFacts) -> Option<T> {
    T::deserialize(run.summary.as_ref()?).ok()
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
pub(crate) fn series(plan: &Plan) -> Option<String> {
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
