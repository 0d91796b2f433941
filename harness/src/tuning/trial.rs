//! Ask and tell: how a tuner and whoever plays its games talk to each other.

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::space::Candidate;
pub use crate::outcome::tuned::{Effect, Estimate, Gain, Measured, Recommendation};
use crate::stats::Pentanomial;

/// Number of a trial within its run; they count up from 0.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct TrialId(pub u64);

/// Two candidates to play against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number.
    pub id: TrialId,
    /// The candidate whose score is told.
    pub first: Candidate,
    /// Its opponent.
    pub second: Candidate,
    /// Game pairs to play; fewer may be told, for instance when a game was lost to a crash.
    pub pairs: u64,
}

/// A result was told for a trial that is not under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("trial {} was never asked for, or its result was told already", .0.0)]
pub struct UnknownTrial(pub TrialId);

/// Something that finds good candidates from the results of trials.
///
/// It is a pure value: no I/O, no clock, no thread; its random numbers follow from its seed and
/// the numbers of its trials. Two tuners of one seed that are asked and told the same in the same
/// order are equal, and so is one that was written out and read back in between.
pub trait Tuner {
    /// `count` trials to play next, in any order, in parallel, or again after a crash. Until
    /// their results are told, further calls give further trials.
    fn ask(&mut self, count: usize) -> Vec<Trial>;

    /// The result of a trial, seen from its first candidate. An empty result ends the trial
    /// without teaching anything.
    ///
    /// # Errors
    /// When the trial is not under way.
    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial>;

    /// By how much a net win of the first candidate of a trial that is under way moves the
    /// estimate of each parameter, in its unit, fixed ones included; nothing for a trial that
    /// only measures. `None` where the method does not move in steps.
    fn pull(&self, id: TrialId) -> Option<Vec<f64>> {
        let _any = id;
        None
    }

    /// The best estimate so far, with its uncertainty; before the first result, the start.
    fn recommend(&self) -> Recommendation;

    /// What each free parameter does around the start; `None` where the method does not ask, or
    /// has not seen enough.
    fn effects(&self) -> Option<Vec<Effect>> {
        None
    }
}

/// Pair points won minus lost, in games: what the tuners of others call `result`.
pub fn net_wins(result: &Pentanomial) -> f64 {
    let [lost, half, _, more, won] = result.0.map(|count| count as f64);
    2.0 * (won - lost) + more - half
}
