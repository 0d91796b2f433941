//! What commands share that learn from labelled positions.

use std::ops::ControlFlow;

use miette::Diagnostic;
use serde::Serialize;
use thiserror::Error;

use crate::context::Context;
use crate::data::collect::Counts;
use crate::report::{Progress, text::grouped};

/// Fewest positions to learn from, and to judge by: with fewer, what is learnt is noise.
const FEWEST: usize = 100;

/// Positions to learn from.
#[derive(Serialize)]
pub struct Positions {
    /// To learn from.
    pub train: usize,
    /// To judge by.
    pub validation: usize,
    /// What became of all.
    #[serde(flatten)]
    pub counts: Counts,
}

/// Too few positions.
#[derive(Debug, Error, Diagnostic)]
#[error("{train} positions to learn from and {validation} to judge by are too few")]
#[diagnostic(help("{FEWEST} of each are the fewest; {dropped}"))]
pub struct TooFew {
    train: usize,
    validation: usize,
    dropped: String,
}

impl Positions {
    /// Whether there are enough of them.
    ///
    /// # Errors
    /// When there are not.
    pub fn check(&self) -> Result<(), TooFew> {
        let &Positions { train, validation, ref counts } = self;
        if train >= FEWEST && validation >= FEWEST {
            return Ok(());
        }
        Err(TooFew { train, validation, dropped: dropped(counts) })
    }

    /// How many there are, of how many games, as a line.
    pub fn text(&self) -> String {
        format!(
            "{} positions of {} games: {} to learn from, {} to judge by\n",
            grouped(self.counts.kept),
            grouped(self.counts.games),
            grouped(self.train as u64),
            grouped(self.validation as u64),
        )
    }
}

/// What was left out, and why.
pub fn dropped(counts: &Counts) -> String {
    let parts: Vec<String> = counts
        .dropped
        .iter()
        .map(|(reason, positions)| format!("{} {reason}", grouped(*positions)))
        .chain(
            counts
                .games_dropped
                .iter()
                .map(|(flaw, games)| format!("{} games dropped ({flaw})", grouped(*games))),
        )
        .collect();
    if parts.is_empty() {
        "none left out".to_owned()
    } else {
        format!("left out: {}", parts.join(", "))
    }
}

/// Shows how much of so many bytes of data was read, and stops at the user's interrupt.
pub fn reading(bytes: u64, context: &Context) -> impl FnMut(u64) -> ControlFlow<()> {
    let mut progress = Progress::start(Some(bytes), 0, context.quiet);
    move |done| {
        let percent = 100.0 * done as f64 / bytes.max(1) as f64;
        progress.show(done, |_| format!("data {percent:.0} % read"));
        if context.interrupt.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
