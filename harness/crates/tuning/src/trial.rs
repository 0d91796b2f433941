//! The ask/tell interface between a tuner and the code that plays its games.

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::space::{Candidate, Space};
pub use harness_outcome::tuned::{Effect, Estimate, Finding, Gain, Measured, Recommendation};
use harness_stats::Pentanomial;

/// Number of a trial within its run; they count up from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialId(pub u64);

/// Two candidates to play against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its number.
    pub id: TrialId,
    /// The candidate whose score `tell` takes.
    pub first: Candidate,
    /// Its opponent.
    pub second: Candidate,
    /// Game pairs to play; a result may have fewer, for instance after a crash.
    pub pairs: u64,
}

/// A result for a trial that is not under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("trial {} is unknown, or has its result already", .0.0)]
pub struct UnknownTrial(pub TrialId);

/// An optimiser of noisy strength, with an ask/tell interface.
///
/// It is a pure value: no I/O, no clock, no thread; its random numbers follow from its seed and the
/// numbers of its trials. Tuners with the same seed and the same calls in the same order are equal,
/// and so is one that was serialised in between.
pub trait Tuner {
    /// `count` trials to play next, in any order, in parallel, or again after a crash. Further
    /// calls give further trials.
    fn ask(&mut self, count: usize) -> Vec<Trial>;

    /// The result of a trial, seen from its first candidate. An empty result ends the trial and
    /// changes nothing else.
    ///
    /// # Errors
    /// When the trial is not under way.
    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial>;

    /// A result of two candidates that the method did not ask for, from which its model may learn.
    fn observe(&mut self, candidates: [&Candidate; 2], result: &Pentanomial) {
        let _any = (candidates, result);
    }

    /// Movement of each parameter's estimate, in its unit, per net win of the first candidate of a
    /// trial under way; fixed ones included, empty for a trial that only measures. `None` where the
    /// method does not move in steps.
    fn step_per_net_win(&self, id: TrialId) -> Option<Vec<f64>> {
        let _any = id;
        None
    }

    /// The best estimate so far, with its uncertainty; before the first result, the start. A bare
    /// method recommends what it found, [a checked one](crate::methods::checked) the start
    /// until that is shown to be better.
    fn recommend(&self) -> Recommendation;

    /// Begins the last phase of the run now, in which the values found play the start; the number of
    /// games after which the run ends. `None` where the method cannot end early.
    fn shorten(&mut self) -> Option<u64> {
        None
    }

    /// Takes the ranges of a wider space of the same parameters from the next trial on. Places in the unit
    /// cube stay what they were ([`Parameter::planned`](crate::space::Parameter::planned)), so that results
    /// of earlier trials count as before.
    fn widen(&mut self, space: &Space);

    /// Names of the parameters that were found not to matter during the run, and keep their start.
    fn frozen(&self) -> Vec<String> {
        Vec::new()
    }

    /// Effect of each free parameter around the start; `None` where the method does not estimate
    /// it, or has too few results.
    fn effects(&self) -> Option<Vec<Effect>> {
        None
    }
}

/// Elo of a net win in a pair, by the slope of the logistic curve at 0: a net win is a quarter of
/// the pair's mean score.
pub const ELO_OF_NET_WIN: f64 = 400.0 / std::f64::consts::LN_10;

/// Pair points won minus lost, in games: `result` in fishtest and OpenBench.
pub fn net_wins(result: &Pentanomial) -> f64 {
    let [lost, half, _, more, won] = result.0.map(|count| count as f64);
    2.0 * (won - lost) + more - half
}
