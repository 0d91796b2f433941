//! Why a check could not be made.

use miette::Diagnostic;
use thiserror::Error;

use crate::rate::ReferencesError;
use harness_base::failure::Failure;
use harness_ledger::LedgerError;
use harness_player::bench::BenchError;
use harness_player::{CaptureError, ParseLimitError, ResolveError};
use harness_stats::{Incomparable, SprtError};
use harness_suite::{BaselineError, SuiteError};

/// A check without a result; it counts as failed.
#[derive(Debug, Error, Diagnostic)]
pub enum CheckError {
    /// The bench of an engine.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A check of the base, which says nothing against the change.
    #[error("the base {0}: {1}")]
    OfBase(String, Box<CheckError>),
    /// Nodes a second that cannot be compared.
    #[error(transparent)]
    Speed(#[from] Incomparable),
    /// The build of `same_bench` did not run to its end.
    #[error("`{0}`: {1}")]
    BuildNotRun(String, CaptureError),
    /// The build of `same_bench` failed: its status and its last lines.
    #[error("`{0}` failed ({1}): {2}")]
    BuildFailed(String, String, String),
    /// An engine is not there any more.
    #[error(transparent)]
    Engine(#[from] ResolveError),
    /// A limit that is none.
    #[error(transparent)]
    Limit(#[from] ParseLimitError),
    /// Bounds of an SPRT that make no sense.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// A suite that cannot be read.
    #[error("suite {0}: {1}")]
    Suite(String, SuiteError),
    /// A baseline that cannot be read.
    #[error("suite {0}: {1}")]
    Baseline(String, BaselineError),
    /// Engines with known ratings that cannot be read.
    #[error(transparent)]
    References(#[from] ReferencesError),
    /// A run of a suite without what was to be compared.
    #[error("suite {0}: {1}")]
    Missing(String, &'static str),
    /// The ledger failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A run failed; with its command line.
    #[error("`harness {0}`: {1}")]
    Run(String, Failure),
    /// `harness check` could not be run.
    #[error("{0}")]
    Conformance(Failure),
}

impl CheckError {
    /// Whether the check was stopped, and has no result for that reason alone.
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(
            self,
            CheckError::Run(_, Failure::Interrupted(_))
                | CheckError::Conformance(Failure::Interrupted(_))
        ) || matches!(self, CheckError::OfBase(_, error) if error.is_interrupted())
    }
}
