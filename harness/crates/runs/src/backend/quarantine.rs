//! Workers that are quarantined: their results are taken out of a run, so that others do these tasks
//! again.

use std::collections::{BTreeMap, HashMap};

use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_cluster::link::Link;
use harness_cluster::quarantine;
use harness_ledger::{Ledger, Run};
use harness_outcome::SuiteResult;

/// Takes the games of quarantined workers out of a run, so that others play them again; gives a
/// warning for each such worker.
///
/// # Errors
/// When the server cannot be asked, or the ledger not be written.
pub fn take_out_quarantined(
    ledger: &Ledger,
    run: &Run,
    session: &Session,
) -> Result<Vec<String>, Failure> {
    let mut warnings = Vec::new();
    for (key, name) in quarantined(session)? {
        let games = ledger.remove_games_of(run, &key).or_failed()?;
        if games > 0 {
            warnings.push(format!("{games} games are played again: {name} is quarantined"));
        }
    }
    Ok(warnings)
}

/// As [`take_out_quarantined`], for a run whose later games depend on the earlier ones: takes out all
/// games from the first on that a quarantined worker played.
///
/// # Errors
/// As [`take_out_quarantined`].
pub fn take_out_from_quarantined(
    ledger: &Ledger,
    run: &Run,
    session: &Session,
) -> Result<Vec<String>, Failure> {
    let mut warnings = Vec::new();
    for (key, name) in quarantined(session)? {
        let Some(pair) = ledger.first_pair_of(run, &key).or_failed()? else { continue };
        let games = ledger.remove_games_from(run, pair).or_failed()?;
        warnings.push(format!(
            "{games} games are played again, all from pair {pair} on, whose results decided what \
             was played after them: {name} is quarantined"
        ));
    }
    Ok(warnings)
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
        let key = result.worker.as_deref().and_then(key_of);
        key.is_some_and(|key| quarantined.contains_key(key))
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

/// The public key of a worker that is named with it.
pub fn key_of(worker: &str) -> Option<&str> {
    worker.rsplit(' ').next()
}

/// Names of the quarantined workers by public key; none without a server.
fn quarantined(session: &Session) -> Result<BTreeMap<String, String>, Failure> {
    let Some(remote) = &session.on else { return Ok(BTreeMap::new()) };
    let link = Link::of_coordinator(&remote.address, "harness, quarantine")?;
    link.make_streams()?;
    Ok(quarantine::list(&link)?)
}
