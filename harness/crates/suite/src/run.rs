//! Searching the positions of a suite.

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::catalog::Scoring;
use super::solve::{Effort, solve};
use harness_notation::epd::EpdPosition;
use harness_outcome::{SuiteFacts, SuiteResult};
use harness_player::pool::{GivenUp, Seats};
use harness_player::{EngineSpec, Fault, Limit};

/// Everything that is needed to run or resume a suite.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// For reports.
    pub facts: SuiteFacts,
    /// How moves are scored.
    pub scoring: Scoring,
    /// Limit of a position.
    pub limit: Limit,
    /// A search ends early once the solution was kept for this many iterations.
    #[serde(default)]
    pub hold: Option<u32>,
    /// Positions searched at the same time.
    pub jobs: usize,
    /// Each position gets an engine that was started for it.
    #[serde(default)]
    pub restart: bool,
    /// The engines; their names are distinct.
    pub engines: Vec<EngineSpec>,
    /// The EPD text: the file may change meanwhile.
    pub epd: String,
}

/// Why a position could not be searched.
#[derive(Debug, Error, Diagnostic)]
pub enum SearchError {
    /// An engine could not be started.
    #[error("{0}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    NotStarted(Fault),
    /// An engine failed several positions in a row.
    #[error(transparent)]
    #[diagnostic(transparent)]
    GivenUp(#[from] GivenUp),
    /// A position that was received cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

/// Searches one position with engine number `engine` of these seats; with `restart` the engine is
/// started for it.
///
/// # Errors
/// When the engine cannot be started, or has failed several positions in a row.
pub fn search(
    seats: &mut Seats<'_>,
    engine: usize,
    spec: &EngineSpec,
    sought: &EpdPosition,
    (scoring, effort, restart): (Scoring, Effort, bool),
) -> Result<SuiteResult, SearchError> {
    let player = seats.one(engine, spec).map_err(SearchError::NotStarted)?;
    let result = solve(player, sought, scoring, effort);
    let result = result.map_err(SearchError::NotStarted)?;
    if restart {
        seats.dismiss(engine);
    }
    match &result.fault {
        None => seats.answered(),
        Some(last) => seats.failed(engine, &spec.name, last)?,
    }
    Ok(result)
}
