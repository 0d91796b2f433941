//! Workers that are quarantined: their results are taken out of a run, so that others do these tasks
//! again.

use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;

use harness_arena::Unplayed;
use harness_base::failure::{Failure, OrFail};
use harness_base::files::write_atomically;
use harness_base::session::Session;
use harness_cluster::ClusterError;
use harness_cluster::link::Link;
use harness_cluster::quarantine;
use harness_ledger::{Ledger, Run};
use harness_outcome::{SuiteResult, Suspect, TakenOut, name_and_key, token_of};

/// File of a run's folder with the workers whose games were taken out.
const TAKEN_OUT: &str = "taken-out.json";

/// How games are taken out of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// Pairs do not depend on each other: those that the worker played.
    None,
    /// What was played later depends on the results before it: all from the worker's first pair on.
    OnEarlier,
}

/// The workers whose games were taken out of a run, by all of its processes.
///
/// # Errors
/// When the file cannot be read.
pub fn taken_out(run: &Run) -> Result<Vec<TakenOut>, Failure> {
    let path = run.folder().join(TAKEN_OUT);
    match std::fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text)
            .map_err(|error| ClusterError::file("read", &path, error.into()).into()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(ClusterError::file("read", &path, error).into()),
    }
}

/// Passes on a warning of each worker that was taken out.
pub fn warn(taken_out: &[TakenOut], warn: &dyn Fn(&str)) {
    taken_out.iter().for_each(|out| warn(&out.warning()));
}

/// Quarantines workers that were found out, where there is a server, and takes their games out of a run.
///
/// # Errors
/// When the server or the ledger refuses.
pub fn take_out_suspects(
    ledger: &Ledger,
    run: &Run,
    suspects: &[Suspect],
    dependence: Dependence,
    session: &Session,
) -> Result<Vec<TakenOut>, Failure> {
    if let Some(remote) = &session.on {
        let link = Link::of_coordinator(&remote.address, "harness, quarantine")?;
        link.make_streams()?;
        for suspect in suspects {
            let (name, key) = name_and_key(&suspect.worker);
            quarantine::add(&link, key, name)?;
        }
    }
    let taken = suspects.iter().map(|suspect| {
        let (name, key) = name_and_key(&suspect.worker);
        take_out(ledger, run, [name, key], &suspect.reason, dependence)
    });
    let taken: Vec<Option<TakenOut>> = taken.collect::<Result<_, _>>()?;
    Ok(taken.into_iter().flatten().collect())
}

/// Takes the games of quarantined workers out of a run, so that others play them again.
///
/// # Errors
/// When the server cannot be asked, or the ledger not be written.
pub fn take_out_quarantined(
    ledger: &Ledger,
    run: &Run,
    dependence: Dependence,
    session: &Session,
) -> Result<Vec<TakenOut>, Failure> {
    let quarantined = quarantined(session)?;
    let taken = quarantined
        .iter()
        .map(|(key, name)| take_out(ledger, run, [name, key], "it was quarantined", dependence));
    let taken: Vec<Option<TakenOut>> = taken.collect::<Result<_, _>>()?;
    Ok(taken.into_iter().flatten().collect())
}

/// Takes the games of one worker out of a run, and notes that in its folder.
fn take_out(
    ledger: &Ledger,
    run: &Run,
    [name, key]: [&str; 2],
    reason: &str,
    dependence: Dependence,
) -> Result<Option<TakenOut>, Failure> {
    let Some(first) = ledger.first_pair_of(run, key).or_failed()? else { return Ok(None) };
    let games = match dependence {
        Dependence::None => ledger.remove_games_of(run, key),
        Dependence::OnEarlier => ledger.remove_games_from(run, first),
    };
    let [name, key, reason] = [name, key, reason].map(str::to_owned);
    let taken = TakenOut { name, key, games: games.or_failed()? as u64, reason };
    let mut all = taken_out(run)?;
    all.push(taken.clone());
    let path = run.folder().join(TAKEN_OUT);
    write_atomically(&path, serde_json::json!(all).to_string().as_bytes())
        .map_err(|error| ClusterError::file("write", &path, error))?;
    Ok(Some(taken))
}

/// Whether playing ended because a worker that had contributed was quarantined.
pub fn is_quarantine(reason: &Unplayed) -> bool {
    let Unplayed::Elsewhere(error) = reason else { return false };
    let error: &(dyn std::error::Error + 'static) = &**error;
    matches!(error.downcast_ref(), Some(ClusterError::Quarantined { .. }))
}

/// As [`take_out_quarantined`], for the positions of a suite, by engine and position.
///
/// # Errors
/// As [`take_out_quarantined`].
pub fn take_out_positions(
    ledger: &Ledger,
    run: &Run,
    done: &mut HashMap<(usize, usize), SuiteResult>,
    session: &Session,
) -> Result<Option<String>, Failure> {
    let quarantined = quarantined(session)?;
    let is_out = |result: &SuiteResult| {
        let worker = result.worker.as_deref();
        worker.is_some_and(|worker| {
            let token = token_of(worker);
            quarantined.contains_key(name_and_key(worker).1)
                || token.is_some_and(|token| quarantined.contains_key(token))
        })
    };
    let out = done.iter().filter(|(_, result)| is_out(result)).map(|(&place, _)| place);
    let out: Vec<(usize, usize)> = out.collect();
    for place in &out {
        done.remove(place);
        let (engine, position) = (place.0 as u32, place.1 as u32);
        ledger.remove_solution(run, engine, position).or_failed()?;
    }
    let count = out.len();
    let text = format!("{count} positions are searched again: their worker is quarantined");
    Ok((count > 0).then_some(text))
}

/// Names of the quarantined workers by public key; none without a server.
fn quarantined(session: &Session) -> Result<BTreeMap<String, String>, Failure> {
    let Some(remote) = &session.on else { return Ok(BTreeMap::new()) };
    let link = Link::of_coordinator(&remote.address, "harness, quarantine")?;
    link.make_streams()?;
    Ok(quarantine::list(&link)?)
}
