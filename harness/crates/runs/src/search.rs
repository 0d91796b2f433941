//! Shared parts of audits and of making suites and books: runs that only search positions.

use miette::Report;

use harness_base::failure::Failure;
use harness_player::FaultKind;

/// Something that happened in a run.
pub enum Event<'a, P> {
    /// A reason to trust the result less.
    Warning(&'a str),
    /// Progress of the run.
    Progress(P),
}

/// Takes every event, one after the other.
pub type Sink<'a, P> = dyn Fn(Event<'_, P>) + 'a;

/// The failure of a run that ends with a fault of its engine.
pub(super) fn failure(kind: FaultKind, error: impl Into<Report>) -> Failure {
    match kind {
        FaultKind::Interrupted => Failure::Interrupted("nothing was kept".to_owned()),
        FaultKind::Setting => Failure::Usage(error.into()),
        _ => Failure::Failed(error.into()),
    }
}
