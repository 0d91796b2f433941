//! Joining the shards of a match or an SPRT into one run.
//!
//! The joined run is that of one process that played all pairs: its plan without the shard, its games
//! in the order of their pairs, its test decided by the same pair.

use std::collections::BTreeSet;

use miette::Diagnostic;
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::event::Sink;
use super::facts::command;
use super::finished::Finished;
use super::play::Part;
use super::stored_plan::StoredPlan;
use harness_arena::{Openings, Plan, Schedule, Shard};
use harness_base::failure::{Failure, OrFail};
use harness_base::hint::reports_command;
use harness_base::session::Session;
use harness_ledger::{Ledger, LedgerError, RunFacts, Status, StoredGame};
use harness_player::Program;

/// Games of one transaction.
const GAMES_PER_TRANSACTION: usize = 1_000;

/// A run with a part of the pairs, in the ledger of the machine that played it.
pub struct Source {
    /// Its ledger.
    pub ledger: Ledger,
    /// Its record in the ledger.
    pub run: RunFacts,
}

/// Why runs cannot be joined.
#[derive(Debug, Error, Diagnostic)]
pub enum PoolError {
    /// There is nothing to join.
    #[error("no run is named")]
    #[diagnostic(help("name the run of each shard, or the reports folder that it is in"))]
    Nothing,
    /// A run that is no match or SPRT, or that another version wrote.
    #[error("`{0}` is no run of a shard: {1}")]
    #[diagnostic(help("`harness sprt NEW OLD --shard 1/8` plays one"))]
    Unreadable(String, serde_json::Error),
    /// A run of all pairs.
    #[error("`{0}` is not the run of a shard: it has all pairs already")]
    #[diagnostic(help("`harness sprt NEW OLD --shard 1/8` plays a shard"))]
    Whole(String),
    /// A run that ended early.
    #[error("`{0}` is {1}, not finished")]
    #[diagnostic(help("{} on its machine continues it", reports_command("resume", _0)))]
    Unfinished(String, Status),
    /// Runs that differ.
    #[error("`{0}` and `{1}` cannot be joined: they differ in `{2}`")]
    #[diagnostic(help("shards of one run have the same command line but for --shard and --jobs"))]
    Different(String, String, String),
    /// A shard that comes twice.
    #[error("shard {0} comes twice: `{1}` and `{2}`")]
    #[diagnostic(help("leave one of them out"))]
    Twice(Shard, String, String),
    /// Shards that do not come.
    #[error("there is no run of shard {0}")]
    #[diagnostic(help("all shards are needed: a test takes the pairs in their order"))]
    Missing(String),
    /// A game that its shard does not have.
    #[error("`{0}` has a game of pair {1}, which is not of shard {2}")]
    #[diagnostic(help("its ledger was changed by another program"))]
    Foreign(String, u64, Shard),
    /// A ledger failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

/// Joins the runs of all shards into a new run, and sums it up. `command_line` is what starts it.
///
/// # Errors
/// When the runs are not all shards of one plan, or a ledger cannot be read or written.
pub fn pool(
    sources: &[Source],
    command_line: String,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Finished, Failure> {
    let mut kept = joined(sources).or_usage()?;
    kept.facts.command_line = Some(command_line);
    let openings = Openings::load(&kept.plan.openings).or_usage()?;
    let mut games: Vec<StoredGame> = Vec::new();
    for source in sources {
        games.extend(own_games(source).or_failed()?);
    }
    games.sort_by_key(|game| (game.pair, game.game));
    let ledger = Ledger::open(&session.reports).or_failed()?;
    let run = ledger.start_run(&kept.facts.command, &json!(kept)).or_failed()?;
    for games in games.chunks(GAMES_PER_TRANSACTION) {
        ledger.record_games(&run, games).or_failed()?;
    }
    let schedule = Schedule::new(&kept.plan, openings);
    let part = Part { ledger: &ledger, run: &run, kept: &kept, schedule: &schedule };
    part.play_rest(Vec::new(), session, sink)
}

/// The plan of all shards together.
fn joined(sources: &[Source]) -> Result<StoredPlan, PoolError> {
    let mut all: Vec<(Shard, &str, StoredPlan)> = Vec::new();
    for Source { run, .. } in sources {
        let kept: StoredPlan = serde_json::from_value(run.plan.clone())
            .map_err(|reason| PoolError::Unreadable(run.id.clone(), reason))?;
        let shard = kept.plan.shard.ok_or_else(|| PoolError::Whole(run.id.clone()))?;
        if run.status != Status::Finished {
            return Err(PoolError::Unfinished(run.id.clone(), run.status));
        }
        all.push((shard, &run.id, kept));
    }
    all.sort_by_key(|(shard, _, _)| *shard);
    let Some((first, first_run, _)) = all.first() else { return Err(PoolError::Nothing) };
    let of = first.of;
    for (shard, run, kept) in &all[1..] {
        if let Some(key) = difference(&all[0].2, kept) {
            return Err(PoolError::Different((*first_run).to_owned(), (*run).to_owned(), key));
        }
        if shard.of != of {
            let key = format!("--shard: {first} and {shard}");
            return Err(PoolError::Different((*first_run).to_owned(), (*run).to_owned(), key));
        }
    }
    for both in all.windows(2) {
        if both[0].0 == both[1].0 {
            let [one, other] = [&both[0], &both[1]].map(|(_, run, _)| (*run).to_owned());
            return Err(PoolError::Twice(both[0].0, one, other));
        }
    }
    let there: BTreeSet<u64> = all.iter().map(|(shard, _, _)| shard.number).collect();
    let missing = (1..=of).filter(|number| !there.contains(number));
    let missing: Vec<String> = missing.map(|number| format!("{number}/{of}")).collect();
    if !missing.is_empty() {
        return Err(PoolError::Missing(missing.join(", ")));
    }
    let (_, _, mut kept) = all.swap_remove(0);
    kept.plan.shard = None;
    kept.facts.sprt = kept.pooled_sprt.take();
    kept.facts.games_asked = Some(kept.plan.pairs().saturating_mul(2));
    kept.facts.command = command(&kept.plan, kept.facts.sprt.as_ref()).to_owned();
    Ok(kept)
}

/// The first key in which two plans differ, other than their shards and what differs between
/// machines: paths, jobs, and the binary of an engine that each built from the same commit.
fn difference(one: &StoredPlan, other: &StoredPlan) -> Option<String> {
    let [one, other] = [one, other].map(|kept| {
        let mut plan = json!(everywhere_alike(&kept.plan));
        plan["sprt"] = json!(kept.pooled_sprt);
        plan
    });
    first_difference(&one, &other)
}

fn everywhere_alike(plan: &Plan) -> Plan {
    let mut plan = Plan { jobs: 1, shard: None, ..plan.clone() };
    if plan.openings.sha256.is_some() {
        plan.openings.file = None;
    }
    for engine in &mut plan.engines {
        if let Program::Executable { path, dir, sha256, revision, .. } = &mut engine.program {
            (*path, *dir) = (std::path::PathBuf::new(), None);
            if revision.as_ref().is_some_and(|revision| revision.commit.is_some()) {
                sha256.clear();
            }
        }
    }
    plan
}

/// The path of the first value in which two JSON documents differ.
fn first_difference(one: &Value, other: &Value) -> Option<String> {
    let Some(keys) = one.as_object().filter(|_| other.is_object()) else {
        return (one != other).then(String::new);
    };
    let others = other.as_object().into_iter().flatten().map(|(key, _)| key);
    let all: BTreeSet<&String> = keys.keys().chain(others).collect();
    all.into_iter().find_map(|key| {
        let inner = first_difference(&one[key], &other[key])?;
        Some(if inner.is_empty() { key.clone() } else { format!("{key}.{inner}") })
    })
}

/// The part of a plan that says which pairs are played.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PlannedShard {
    shard: Option<Shard>,
}

/// The games of a shard.
fn own_games(source: &Source) -> Result<Vec<StoredGame>, PoolError> {
    let Source { ledger, run } = source;
    let games = ledger.games(&run.id)?;
    let PlannedShard { shard } = PlannedShard::deserialize(&run.plan).unwrap_or_default();
    let foreign = |game: &&StoredGame| shard.is_some_and(|shard| !shard.has(game.pair));
    match (games.iter().find(foreign), shard) {
        (Some(game), Some(shard)) => Err(PoolError::Foreign(run.id.clone(), game.pair, shard)),
        _ => Ok(games),
    }
}
