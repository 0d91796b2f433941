//! The page of a run while it runs.

use maud::Markup;

use crate::report::ReportError;
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::PathPoint;
use harness_outcome::training::Losses;
use harness_report::html::{loss_curve, waiting};

/// The content of a page while its run runs.
#[derive(Clone, Copy)]
pub enum Running {
    /// A match: the result that its process tells, and the curve of the ledger.
    Match,
    /// Rendered from the ledger and what its process tells.
    Page(fn(&Ledger, &RunFacts, &LiveState<'_>) -> Result<Markup, ReportError>),
}

/// State of a run that its process sends.
pub struct LiveState<'a> {
    /// The recommendations of a tuner.
    pub path: &'a [PathPoint],
    /// Losses of each epoch.
    pub losses: &'a [Losses],
    /// Seconds since it is watched.
    pub seconds: f64,
}

/// The losses of a training.
pub fn losses(epochs: &[Losses]) -> Markup {
    match epochs.is_empty() {
        true => waiting("The first results are to come."),
        false => loss_curve(epochs),
    }
}
