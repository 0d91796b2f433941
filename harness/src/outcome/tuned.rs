//! What a tuner finds: the best values, their gain, and what each parameter does.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::stats::normal_cdf;

/// The values of all parameters of a space, in its order and in the parameters' own units.
pub type Candidate = Vec<f64>;

/// Chance that a parameter without any effect is said to matter.
pub const ALPHA: f64 = 0.05;

/// Effects that are larger are seen with this probability: its quantile of the normal
/// distribution (80 %).
const POWER: f64 = 0.841_621_233_572_914_4;

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

/// Elo of a step that is seen in four of five screenings of so many parameters, from the standard
/// error of a step.
pub fn visible_effect(error: f64, parameters: usize) -> f64 {
    let normal = Normal::standard();
    // The first step of Holm's test, which every single parameter has to pass.
    (normal.inverse_cdf(1.0 - ALPHA / 2.0 / parameters.max(1) as f64) + POWER) * error
}

/// What a run's results say of the landscape.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// One a free parameter, in their order.
    pub curves: Vec<Curve>,
    /// For each two of the parameters that matter most, those first.
    pub maps: Vec<Map>,
    /// Chance that the best values are better than the start.
    pub chance: f64,
}

/// What one parameter does.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The parameter's number in its space.
    pub parameter: usize,
    /// Values of the parameter, with the Elo that each gains on the best value, and the standard
    /// error of that.
    pub points: Vec<(f64, f64, f64)>,
}

/// What two parameters do together.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The parameters' numbers in their space.
    pub parameters: [usize; 2],
    /// Values of the first, and of the second.
    pub values: [Vec<f64>; 2],
    /// Elo that values gain on the best ones: a row for each value of the second.
    pub elo: Vec<Vec<f64>>,
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
