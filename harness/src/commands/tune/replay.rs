//! A tuning run again, from what the ledger has of it.

use std::collections::BTreeMap;

use miette::Diagnostic;
use thiserror::Error;

use super::learner::{HalfAPair, Learner, StoredPairs};
use super::run::Plan;
use crate::ledger::{Ledger, LedgerError, RunFacts};
use crate::outcome::{PathPoint, TuneReport, TuneSummary};
use crate::tuning::dependence::{Played, dependence};
use crate::tuning::methods::UnknownMethod;
use crate::tuning::trial::UnknownTrial;

/// Points of a path, the first one not counted: enough for a curve, and few for a tuner that
/// takes its time to recommend.
const POINTS: u64 = 100;

/// Share of its range by which a parameter's end may differ from what the run has noted; more
/// means that another version of the tuner played it.
const SAME: f64 = 1e-6;

/// Why a run cannot be replayed.
#[derive(Debug, Error, Diagnostic)]
pub enum ReplayError {
    #[error("the {what} of the run cannot be read: {reason}")]
    #[diagnostic(help(
        "another version of the harness wrote it; `--format json` shows a finished run as it is"
    ))]
    Unreadable { what: &'static str, reason: serde_json::Error },
    #[error("pair {0} lacks a game")]
    #[diagnostic(help("the ledger was changed by another program"))]
    HalfAPair(u64),
    #[error(transparent)]
    #[diagnostic(transparent)]
    Method(#[from] UnknownMethod),
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trial(#[from] UnknownTrial),
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<HalfAPair> for ReplayError {
    fn from(HalfAPair(pair): HalfAPair) -> ReplayError {
        ReplayError::HalfAPair(pair)
    }
}

/// What a run has come to, finished or not, and the way there: its tuner is told once more what
/// it was told.
///
/// # Errors
/// When the ledger does not have what a run of this version has.
pub fn replay(ledger: &Ledger, run: &RunFacts) -> Result<TuneReport, ReplayError> {
    let unreadable = |what| move |reason| ReplayError::Unreadable { what, reason };
    let plan: Plan = serde_json::from_value(run.plan.clone()).map_err(unreadable("plan"))?;
    let finished: Option<TuneSummary> = run.summary.clone().map_or(Ok(None), |summary| {
        serde_json::from_value(summary).map(Some).map_err(unreadable("summary"))
    })?;
    let stored = StoredPairs::read::<ReplayError>(ledger, &run.id)?;
    let mut learner = Learner::new(&plan)?;
    let (path, results) = walk(&mut learner, &plan, &stored)?;
    let again = learner.summary(&run.id, &path, stored.seconds(plan.jobs));
    let mut warnings: Vec<String> = plan.too_short().into_iter().collect();
    let summary = match finished {
        Some(summary) => {
            warnings.extend((!ends_alike(&summary, &again)).then(|| {
                "another version of the harness played this run: the curves are what the tuner \
                 of this version makes of its games, the numbers are the run's own"
                    .to_owned()
            }));
            summary
        }
        None => {
            warnings.push(format!("the run is {}, not finished", run.status));
            again
        }
    };
    let best: Vec<f64> = summary.parameters.iter().map(|parameter| parameter.estimate).collect();
    let dependence = match summary.effects {
        Some(_) => None,
        None => dependence(&plan.space, &results, &plan.space.to_unit(&best)),
    };
    let Plan { games, jobs, seed, .. } = plan;
    Ok(TuneReport { summary, games_asked: games, jobs, seed, path, dependence, warnings })
}

/// Tells the tuner the results of whole batches, as the run did, as far as they go: where it stood
/// on the way, and what was played.
fn walk(
    learner: &mut Learner<'_>,
    plan: &Plan,
    stored: &StoredPairs,
) -> Result<(Vec<PathPoint>, Vec<Played>), UnknownTrial> {
    let every = (plan.games / POINTS).max(2);
    let (mut path, mut told) = (vec![learner.point()], Vec::new());
    let (mut pair, pairs) = (0, plan.games / 2);
    while pair < pairs {
        let trials = learner.ask(pairs - pair);
        let end = pair + trials.iter().map(|trial| trial.pairs).sum::<u64>();
        let results: BTreeMap<_, _> =
            (pair..end).filter_map(|pair| Some((pair, *stored.scores.get(&pair)?))).collect();
        if trials.is_empty() || results.len() as u64 != end - pair {
            break;
        }
        for trial in trials {
            let result = learner.tell(&trial, pair, &results)?.result;
            pair += trial.pairs;
            told.push(([trial.first, trial.second], result));
            let noted = path.last().map_or(0, |point: &PathPoint| point.games);
            if learner.games >= noted + every || pair == pairs {
                path.push(learner.point());
            }
        }
    }
    if path.last().is_some_and(|point| point.games < learner.games) {
        path.push(learner.point());
    }
    Ok((path, told))
}

fn ends_alike(noted: &TuneSummary, again: &TuneSummary) -> bool {
    noted.games == again.games
        && noted.parameters.len() == again.parameters.len()
        && noted.parameters.iter().zip(&again.parameters).all(|(noted, again)| {
            noted.name == again.name
                && (noted.estimate - again.estimate).abs() <= SAME * (noted.max - noted.min)
        })
}
