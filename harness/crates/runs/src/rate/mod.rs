//! An engine's rating on a known scale: a gauntlet against engines with published ratings.
//!
//! The run is a match whose opponents follow from its results ([`harness_arena::course`]), so that it is
//! played, resumed and reported as any match; [`rating`] rates its games.

mod references;

pub use references::{REFERENCES, ReferenceEngine, ReferencesError, of_list, read_references};

use miette::Diagnostic;
use thiserror::Error;

use crate::games::{GamesRun, RatingShowing, Request, Showing, counted};
use crate::preflight::{may_start, start};
use crate::report;
use harness_arena::{PublishedRating, RatingGoal};
use harness_base::config::{Config, Protocol};
use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_ledger::{Ledger, LedgerError};
use harness_outcome::rating::{RatedReference, RatingReport};
use harness_outcome::{MatchFacts, Tally};
use harness_player::{
    self as player, EngineSpec, FaultKind, Limit, NO_NODE_LIMIT, ResolveError, StartSettings,
};

/// Fewest pairs between two choices of an opponent.
const BATCH: u64 = 4;

/// A gauntlet without opponents, or a run without a rating.
#[derive(Debug, Error, Diagnostic)]
pub enum RateError {
    /// None of the references can be used here.
    #[error("none of the references can be played: {}", .0.join("; "))]
    #[diagnostic(help(
        "install one, or name engines with published ratings in a file of your own: --references FILE; \
         `harness rate --print-references` prints an example"
    ))]
    NoReferences(Vec<String>),
    /// Another kind of run.
    #[error("`{0}` is not the run of a rating")]
    #[diagnostic(help("`harness rate ENGINE` plays one"))]
    NotARating(String),
}

/// A reference that can be played.
pub struct Opponent {
    /// The engine.
    pub engine: EngineSpec,
    /// Its published rating.
    pub reference: RatedReference,
}

/// Finds the references on this machine; those that are missing, of another version, or know no such limit
/// are left out, with the reason.
///
/// # Errors
/// When none is left, or the user interrupts.
pub fn opponents(
    references: &[ReferenceEngine],
    limit: Limit,
    config: &Config,
    session: &Session,
) -> Result<(Vec<Opponent>, Vec<String>), Failure> {
    let mut found = Vec::new();
    let mut left_out = Vec::new();
    for reference in references {
        if reference.proto == Protocol::Xboard
            && limit.parts().iter().any(|part| matches!(part, Limit::Nodes(_)))
        {
            left_out.push(format!("{}: {NO_NODE_LIMIT}", reference.name));
            continue;
        }
        match opponent(reference, config, session)? {
            Ok(opponent) => found.push(opponent),
            Err(reason) => left_out.push(format!("{}: {reason}", reference.name)),
        }
    }
    if found.is_empty() {
        return Err(RateError::NoReferences(left_out)).or_usage();
    }
    Ok((found, left_out))
}

/// A reference as it is on this machine, or why it is not.
fn opponent(
    reference: &ReferenceEngine,
    config: &Config,
    session: &Session,
) -> Result<Result<Opponent, String>, Failure> {
    let mut entry = reference.entry();
    // An engine of harness.yaml keeps what it has there.
    if let Some(known) = config.engines.get(&reference.cmd) {
        let mut options = known.options.clone();
        options.extend(reference.options.clone());
        entry = known.clone();
        entry.options = options;
    }
    let mut with = config.clone();
    with.engines.insert(reference.name.clone(), entry);
    let engine = match player::resolve(&reference.name, &with, session) {
        Ok(engine) => EngineSpec { name: reference.name.clone(), ..engine },
        Err(ResolveError::NotFound { .. }) => {
            return Ok(Err(format!("`{}` is not installed", reference.cmd)));
        }
        Err(error) => return Ok(Err(error.to_string())),
    };
    let version = match program_name(&engine, session) {
        Ok(version) => version,
        Err(fault) if fault.kind == FaultKind::Interrupted => {
            return Err(Failure::Interrupted("no game was played".to_owned()));
        }
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    let wanted = &reference.version;
    if let Some(name) = &version
        && !name.to_lowercase().contains(&wanted.to_lowercase())
    {
        return Ok(Err(format!("it is {name}, and the rating is that of {wanted}")));
    }
    let ReferenceEngine { name, rating, error, list, date, source, .. } = reference.clone();
    let version = version.unwrap_or_default();
    let reference = RatedReference { name, version, rating, error, list, date, source };
    Ok(Ok(Opponent { engine, reference }))
}

/// Name of an engine, as it says; `None` where it says nothing, or may not be started here.
fn program_name(engine: &EngineSpec, session: &Session) -> Result<Option<String>, player::Fault> {
    if !may_start(session) {
        return Ok(None);
    }
    let player = start(engine, &StartSettings::default(), session)?;
    Ok(player.program_name().map(str::to_owned))
}

/// The gauntlet of an engine: a match of it and the references. `request` has the engine alone, with how
/// games are played; its games are the most that are played.
///
/// # Errors
/// When the openings cannot be read.
pub fn plan(
    mut request: Request,
    opponents: Vec<Opponent>,
    error95: f64,
) -> Result<GamesRun, Failure> {
    let limit = request.limits.first().copied();
    let mut references = Vec::new();
    for Opponent { engine, reference } in opponents {
        request.engines.push(engine);
        request.limits.extend(limit);
        references.push(reference);
    }
    let published = references
        .iter()
        .map(|reference| PublishedRating { elo: reference.rating, error95: reference.error });
    // A stage keeps all jobs busy.
    let batch = request.jobs.unwrap_or_else(crate::games::cores) as u64;
    request.rating =
        Some(RatingGoal { references: published.collect(), error95, batch: batch.max(BATCH) });
    request.pairing.own_openings = true;
    request.event.get_or_insert_with(|| format!("rating of {}", request.engines[0].name));
    request.showing =
        Showing { rating: Some(RatingShowing { references, error95 }), ..request.showing };
    GamesRun::plan(request)
}

/// Rates the games of a run, finished or not.
///
/// # Errors
/// When there is no such run, or it rates no engine.
pub fn rating(ledger: &Ledger, run: &str) -> Result<RatingReport, Failure> {
    let run = ledger.facts(run)?;
    let facts: MatchFacts = report::facts(&run)?;
    let showing = Showing::of_plan(&run.plan);
    let (Some(RatingShowing { references, error95 }), Some(engine)) =
        (showing.rating, facts.engines.first())
    else {
        return Err(RateError::NotARating(run.id)).or_usage();
    };
    let mut tally = Tally::new(&engine.name);
    let each = ledger.each_result(&run.id, |game| {
        if let Some(score) = game.score() {
            tally.add(&counted(&game, score));
        }
        Ok::<(), LedgerError>(())
    });
    each?;
    let [run, engine, limit] = [&run.id, &engine.name, &facts.limit].map(String::as_str);
    Ok(RatingReport::new([run, engine, limit], &references, error95, &tally))
}
