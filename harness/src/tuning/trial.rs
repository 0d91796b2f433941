//! Ask and tell: how a tuner and whoever plays its games talk to each other.

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::space::Candidate;
use crate::stats::{Pentanomial, normal_cdf};

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

/// A tuner's best estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The candidate to use.
    pub best: Candidate,
    /// What is known of each parameter, fixed ones included, in the order of the space.
    pub parameters: Vec<Estimate>,
    /// What the candidate gains on the start; `None` where the method cannot tell.
    pub gain: Option<Gain>,
}

/// What is known of one parameter's best value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Best value, not rounded.
    pub value: f64,
    /// Standard error of `value` in the parameter's unit; `None` where the method cannot tell.
    pub error: Option<f64>,
    /// How many standard errors the slope at the start is away from none; a parameter that stays
    /// within 2 or so does not matter, or its start was right. `None` where it is not known.
    pub z: Option<f64>,
}

/// Elo that a candidate is expected to gain on the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Expected gain in Elo.
    pub value: f64,
    /// The true gain is below this with a chance of 10 %.
    pub low80: f64,
    /// The true gain is above this with a chance of 10 %.
    pub high80: f64,
}

impl Gain {
    /// Half the width of an interval that holds 80 % of a standard normal distribution.
    pub const HALF80: f64 = 1.281_551_565_544_600_5;

    /// Chance that there is a gain at all, the error being normal.
    pub fn chance(&self) -> f64 {
        let error = (self.high80 - self.low80) / (2.0 * Gain::HALF80);
        if error > 0.0 { normal_cdf(self.value / error) } else { 0.5 }
    }
}

/// A number with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The best guess.
    pub value: f64,
    /// Standard error.
    pub error: f64,
}

/// What a parameter does around the start, in Elo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The parameter.
    pub name: String,
    /// The values that were played, in rising order.
    pub tried: Vec<f64>,
    /// Gain of a step up among them.
    pub slope: Measured,
    /// What a step either way gains alike, negative where the start is near a peak; nothing where
    /// only two values were played.
    pub bend: Option<Measured>,
    /// Chance to see as much if it did nothing.
    pub p_value: f64,
    /// Whether it does something, with all parameters looked at.
    pub matters: bool,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_begins_at_zero_has_a_chance_of_a_tenth_below() {
        let gain = |low80, value, high80| Gain { value, low80, high80 }.chance();
        assert!((gain(0.0, 10.0, 20.0) - 0.9).abs() < 1e-9);
        assert_eq!(gain(-5.0, 0.0, 5.0), 0.5);
        assert_eq!(gain(0.0, 0.0, 0.0), 0.5);
    }
}
