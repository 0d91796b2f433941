//! Events of a tuning run.

use super::plan::Plan;
use crate::games;
use harness_outcome::{PathPoint, TuneSummary};

/// Something that happened in a tuning run.
pub enum Event<'a> {
    /// Something that makes the result worth less.
    Warning(&'a str),
    /// Trials begin, or go on.
    Started {
        /// The run's id.
        run: &'a str,
        /// What is tuned, and how.
        plan: &'a Plan,
        /// Games of an earlier process.
        done: u64,
    },
    /// A pair was played.
    Played {
        /// What is tuned, and how.
        plan: &'a Plan,
        /// Games so far.
        games: u64,
        /// The recommendation after each batch.
        path: &'a [PathPoint],
    },
    /// All trials are played; the validation may follow.
    Tuned(&'a TuneSummary),
    /// In the validation: the SPRT of the result against the start.
    Validation(&'a games::Event<'a>),
}

/// Takes every event; those of the validation from several threads at once.
pub type Sink<'a> = dyn Fn(&Event<'_>) + Sync + 'a;
