//! The page of a run while it runs.

use maud::Markup;

use crate::report::ReportError;
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::PathPoint;
use harness_report::html::{loss_curve, waiting};

/// The content of a page while its run runs.
#[derive(Clone, Copy)]
pub enum Running {
    /// A match: the result that its process tells, and the curve of the ledger.
    Match,
    /// Rendered from the ledger and what its process tells.
    Page(fn(&Ledger, &RunFacts, &LiveState<'_>) -> Result<Markup, ReportError>),
}

/// What the process of a run tells of it.
pub struct LiveState<'a> {
    /// The recommendations of a tuner.
    pub path: &'a [PathPoint],
    /// Training loss and validation loss of each epoch.
    pub losses: &'a [[f64; 2]],
    /// Seconds since it is watched.
    pub seconds: f64,
}

/// The losses of a training.
pub fn losses(epochs: &[[f64; 2]]) -> Markup {
    let rows = (1..).zip(epochs).map(|(epoch, [train, loss])| (f64::from(epoch), *train, *loss));
    let rows: Vec<(f64, f64, f64)> = rows.collect();
    match rows.is_empty() {
        true => waiting("The first results are to come."),
        false => loss_curve(&rows),
    }
}
