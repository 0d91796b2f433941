//! Numbers that change within a training, and numbers that the data may set.

use serde::{Deserialize, Serialize};

/// A number that stays, or changes linearly from the first step to the last: `0.2` or `[1, 0.8]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "write a number, or [FIRST, LAST] for one that changes from step to step"
)]
pub enum Ramp {
    /// The same in all steps.
    Constant(f64),
    /// In the first step, and in the last.
    Linear([f64; 2]),
}

impl Ramp {
    /// Its value in the first step and in the last.
    pub fn ends(self) -> [f64; 2] {
        match self {
            Ramp::Constant(value) => [value; 2],
            Ramp::Linear(ends) => ends,
        }
    }

    /// Its value when this share of the steps is done.
    pub fn at(self, share: f64) -> f64 {
        let [first, last] = self.ends();
        first + (last - first) * share.clamp(0.0, 1.0)
    }

    /// The larger of its ends.
    pub fn max(self) -> f64 {
        let [first, last] = self.ends();
        first.max(last)
    }

    /// The smaller of its ends.
    pub fn min(self) -> f64 {
        let [first, last] = self.ends();
        first.min(last)
    }
}

/// Centipawns of a logit of an expected score: a number, or `fit`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a scale is a number of centipawns, or `fit`")]
pub enum Scale {
    /// This many.
    Fixed(f64),
    /// The one by which the scores predict the results of the training set best.
    Fitted(Fit),
}

/// The word `fit`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// `fit`.
    Fit,
}

impl Scale {
    /// The number, unless it is still to be fitted.
    pub fn fixed(self) -> Option<f64> {
        match self {
            Scale::Fixed(scale) => Some(scale),
            Scale::Fitted(Fit::Fit) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_go_from_one_end_to_the_other() {
        let (same, ramp) = (Ramp::Constant(0.25), Ramp::Linear([1.0, 0.8]));
        assert_eq!([0.0, 0.5, 2.0].map(|share| same.at(share)), [0.25; 3]);
        assert_eq!([0.0, 0.5, 2.0].map(|share| ramp.at(share)), [1.0, 0.9, 0.8]);
        assert_eq!((ramp.max(), ramp.min()), (1.0, 0.8));
        assert_eq!(
            (Scale::Fixed(235.0).fixed(), Scale::Fitted(Fit::Fit).fixed()),
            (Some(235.0), None)
        );
    }
}
