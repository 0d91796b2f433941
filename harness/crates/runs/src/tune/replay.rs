//! A tuning run reconstructed from the ledger.

use std::collections::BTreeMap;

use miette::Diagnostic;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::Plan;
use super::plan::COMMAND;
use super::state::{IncompletePair, StoredPairs, TunerState};
use crate::report;
use harness_base::text::{self, grouped};
use harness_ledger::{Ledger, LedgerError, RunFacts};
use harness_outcome::tuned::Finding;
use harness_outcome::{PathPoint, TuneReport, TuneSummary};
use harness_tuning::dependence::{Played, dependence};
use harness_tuning::methods::UnknownMethod;
use harness_tuning::trial::UnknownTrial;

/// Points of a path, the first one not counted: enough for a curve, and few enough for a tuner whose
/// recommendation takes long.
const POINTS: u64 = 100;

/// Tolerance between the estimates of the run and of the replay, as a share of the range; more means
/// that another version of the tuner played the run.
const TOLERANCE: f64 = 1e-6;

/// Why a run cannot be replayed.
#[derive(Debug, Error, Diagnostic)]
pub enum ReplayError {
    /// A part of the run is not what this version writes.
    #[error("the {0} of the run cannot be read: {1}")]
    #[diagnostic(help(
        "another version of the harness wrote it; `--format json` shows a finished run as it is"
    ))]
    Unreadable(&'static str, serde_json::Error),
    /// The trials of an unfinished run are not those of this version.
    #[error("an earlier version of the harness began this run, which is not finished")]
    #[diagnostic(help(
        "its tuner had other trials, and cannot continue here: start the run again"
    ))]
    OtherTrials,
    /// A game of a pair is missing.
    #[error("pair {0} lacks a game")]
    #[diagnostic(help("the ledger was changed by another program"))]
    IncompletePair(u64),
    /// The run's method is unknown to this version.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Method(#[from] UnknownMethod),
    /// The tuner refused a result.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trial(#[from] UnknownTrial),
    /// The ledger cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<IncompletePair> for ReplayError {
    fn from(IncompletePair(pair): IncompletePair) -> ReplayError {
        ReplayError::IncompletePair(pair)
    }
}

/// The result of a run so far, and its path: a tuner of the same plan gets the same results again.
///
/// # Errors
/// When the ledger does not have what this version writes.
pub fn replay(ledger: &Ledger, run: &RunFacts) -> Result<TuneReport, ReplayError> {
    let plan: Plan = read("plan", &run.plan)?;
    let finished: Option<TuneSummary> = run.summary.as_ref().map(read_summary).transpose()?;
    if finished.is_none() && !plan.has_our_trials() {
        return Err(ReplayError::OtherTrials);
    }
    let stored = StoredPairs::read::<ReplayError>(ledger, &run.id)?;
    let mut state = TunerState::new(&plan)?;
    let (path, results) = walk(&mut state, &plan, &stored)?;
    let again = state.summary(&run.id, &path, stored.seconds(plan.jobs));
    let mut warnings: Vec<String> = plan.short_run_warning().into_iter().collect();
    let summary = match finished {
        Some(summary) => {
            warnings.extend((!agrees(&summary, &again)).then(|| {
                "another version of the harness played this run: the curves are what the tuner \
                 of this version makes of its games, the numbers are the run's own"
                    .to_owned()
            }));
            summary
        }
        None => {
            warnings.push(report::not_finished(run.status));
            warnings.extend(of_open_batch(stored.games, again.games));
            again
        }
    };
    let best: Vec<f64> = summary.parameters.iter().map(|parameter| parameter.estimate).collect();
    let dependence = match summary.effects {
        Some(_) => None,
        None => {
            let ranges: Vec<[f64; 2]> =
                summary.parameters.iter().map(|parameter| [parameter.min, parameter.max]).collect();
            let space = plan.space.with_ranges(&ranges);
            dependence(&space, &results, &space.to_unit(&best))
        }
    };
    let Plan { games, jobs, seed, command_line, .. } = plan;
    Ok(TuneReport {
        summary,
        games_asked: games,
        games_played: stored.games,
        jobs,
        seed,
        command_line,
        path,
        dependence,
        warnings,
    })
}

/// A running run as its process tells it: `path` is the recommendation after each batch. `None`
/// before the first one.
///
/// # Errors
/// When the plan is not one of this version.
pub fn running(
    run: &RunFacts,
    path: Vec<PathPoint>,
    seconds: f64,
) -> Result<Option<TuneReport>, ReplayError> {
    let plan: Plan = read("plan", &run.plan)?;
    let Some(last) = path.last() else { return Ok(None) };
    let summary = TuneSummary { seconds, ..plan.summary(&run.id, &last.found, &path) };
    let Plan { games, jobs, seed, command_line, .. } = plan;
    let (games_asked, games_played) = (games, summary.games);
    let (dependence, warnings) = (None, Vec::new());
    Ok(Some(TuneReport {
        summary,
        games_asked,
        games_played,
        jobs,
        seed,
        command_line,
        path,
        dependence,
        warnings,
    }))
}

/// How many of the games of an unfinished run count, where these are not all.
fn of_open_batch(played: u64, counted: u64) -> Option<String> {
    (played > counted).then(|| {
        let open = played - counted;
        format!(
            "of {} {} count: the tuner takes whole batches, and the {} of the last one are kept until it is played \
             to its end",
            text::counted(played, "game played", "games played"),
            grouped(counted),
            grouped(open),
        )
    })
}

fn read_summary(value: &Value) -> Result<TuneSummary, ReplayError> {
    let mut summary: TuneSummary = read("summary", value)?;
    summary.decide();
    Ok(summary)
}

fn read<T: DeserializeOwned>(what: &'static str, value: &Value) -> Result<T, ReplayError> {
    T::deserialize(value).map_err(|reason| ReplayError::Unreadable(what, reason))
}

/// Passes the results of whole batches to the tuner, as the run did; gives the recommendations on
/// the way, and the trials with their results.
fn walk(
    state: &mut TunerState<'_>,
    plan: &Plan,
    stored: &StoredPairs,
) -> Result<(Vec<PathPoint>, Vec<Played>), UnknownTrial> {
    let every = (plan.games / POINTS).max(2);
    let (mut path, mut trials_played) = (vec![state.point()], Vec::new());
    let mut pair = 0;
    loop {
        let trials = state.ask();
        let end = pair + trials.iter().map(|trial| trial.pairs).sum::<u64>();
        let results: BTreeMap<_, _> =
            (pair..end).filter_map(|pair| Some((pair, *stored.scores.get(&pair)?))).collect();
        if trials.is_empty() || results.len() as u64 != end - pair {
            break;
        }
        for trial in trials {
            let result = state.tell(&trial, pair, &results)?.result;
            pair += trial.pairs;
            trials_played.push(([trial.first, trial.second], result));
            let last = path.last().map_or(0, |point: &PathPoint| point.games);
            if state.games >= last + every {
                path.push(state.point());
            }
        }
    }
    if path.last().is_some_and(|point| point.games < state.games) {
        path.push(state.point());
    }
    Ok((path, trials_played))
}

fn agrees(kept: &TuneSummary, again: &TuneSummary) -> bool {
    kept.games == again.games
        && kept.parameters.len() == again.parameters.len()
        && kept.parameters.iter().zip(&again.parameters).all(|(kept, again)| {
            kept.name == again.name
                && (kept.estimate - again.estimate).abs() <= TOLERANCE * (kept.max - kept.min)
        })
}

/// The values that a run found.
pub struct FoundValues {
    /// As UCI options.
    pub values: BTreeMap<String, String>,
    /// Warnings about them.
    pub warnings: Vec<String>,
    /// Why the start is kept instead; `None` where they are recommended.
    pub kept: Option<&'static str>,
}

impl FoundValues {
    fn from_summary(summary: TuneSummary, mut warnings: Vec<String>) -> FoundValues {
        warnings.extend(summary.bound_notes());
        let kept = (summary.finding() != Finding::Better).then(|| summary.conclusion());
        let values = if summary.candidate.is_empty() { summary.best } else { summary.candidate };
        FoundValues { values, warnings, kept }
    }
}

/// The result of another kind of run, with values.
#[derive(Deserialize)]
struct OtherResult {
    best: BTreeMap<String, Value>,
}

/// The values that a run found; of an unfinished run, its recommendation now. `None` if the run
/// tunes nothing.
///
/// # Errors
/// As [`replay`].
pub fn found(ledger: &Ledger, run: &RunFacts) -> Result<Option<FoundValues>, ReplayError> {
    if run.summary.is_none() && run.command == COMMAND {
        let report = replay(ledger, run)?;
        return Ok(Some(FoundValues::from_summary(report.summary, report.warnings)));
    }
    let Some(summary) = &run.summary else { return Ok(None) };
    if run.command == COMMAND {
        return Ok(Some(FoundValues::from_summary(read_summary(summary)?, Vec::new())));
    }
    let Ok(OtherResult { best }) = OtherResult::deserialize(summary) else { return Ok(None) };
    let text = |(name, value): (String, Value)| Some((name, value.as_str()?.to_owned()));
    let values = best.into_iter().filter_map(text).collect();
    Ok(Some(FoundValues { values, warnings: Vec::new(), kept: None }))
}
