//! The results of a tuner: best values, their gain, the effect of each parameter.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use harness_stats::normal_cdf;

/// The values of all parameters of a space, in its order and in the parameters' own units.
pub type Candidate = Vec<f64>;

/// Significance level: probability that a parameter without effect is reported.
pub const ALPHA: f64 = 0.05;

/// The 80 % quantile of the normal distribution, for a power of 80 %.
const POWER: f64 = 0.841_621_233_572_914_4;

/// A tuner's best estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The candidate to use: the values found, or the start as long as they are not shown to be
    /// better.
    pub best: Candidate,
    /// The values found.
    #[serde(default)]
    pub candidate: Candidate,
    /// Evidence for them.
    #[serde(default)]
    pub finding: Finding,
    /// Estimates of all parameters, fixed ones included, in the order of the space.
    pub parameters: Vec<Estimate>,
    /// Expected gain of the values found over the start, by their games against it; `None` before
    /// these, and where they are too few for a number.
    pub gain: Option<Gain>,
    /// Expected Elo that the best values in the ranges are above the values found; `None` if the
    /// method has no estimate.
    #[serde(default)]
    pub left: Option<f64>,
    /// Elo of these that as many games again are expected to gain; `None` as above.
    #[serde(default)]
    pub gain_of_twice: Option<f64>,
    /// Ranges of all parameters where the run has widened some; empty: as they were planned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<[f64; 2]>,
}

impl Recommendation {
    /// Values that a method found, without an estimate of the gain.
    pub fn of_method(best: Candidate, parameters: Vec<Estimate>) -> Recommendation {
        Recommendation {
            candidate: best.clone(),
            best,
            parameters,
            finding: Finding::TooFew,
            gain: None,
            left: None,
            gain_of_twice: None,
            ranges: Vec::new(),
        }
    }
}

/// Evidence for the values found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// They are better: the 80 % interval of the gain is above 0.
    Better,
    /// They are worse: it is below 0, or a test has rejected them.
    Worse,
    /// It holds 0.
    Undecided,
    /// They have too few games against the start.
    #[default]
    TooFew,
    /// They are the start's.
    Start,
}

impl Finding {
    /// That of a gain.
    pub fn from_gain(gain: Gain) -> Finding {
        match gain {
            _ if gain.low80 > 0.0 => Finding::Better,
            _ if gain.high80 < 0.0 => Finding::Worse,
            _ => Finding::Undecided,
        }
    }
}

/// Estimate of a parameter's best value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Best value, not rounded.
    pub value: f64,
    /// Standard error of `value` in the parameter's unit; `None` if the method has no estimate.
    pub error: Option<f64>,
    /// Gradient at the start in standard errors: within 2 or so the parameter does not matter, or
    /// its start was right. `None` if unknown.
    pub z: Option<f64>,
}

/// Expected gain of a candidate over the start, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Expected gain in Elo.
    pub value: f64,
    /// The 10 % quantile.
    pub low80: f64,
    /// The 90 % quantile.
    pub high80: f64,
}

impl Gain {
    /// Half-width of the central 80 % interval of the standard normal distribution.
    pub const HALF80: f64 = 1.281_551_565_544_600_5;

    /// Standard error, by the interval.
    pub fn error(&self) -> f64 {
        (self.high80 - self.low80) / (2.0 * Gain::HALF80)
    }

    /// Probability of a gain, with a normal error.
    pub fn chance(&self) -> f64 {
        let error = self.error();
        if error > 0.0 { normal_cdf(self.value / error) } else { 0.5 }
    }
}

/// A number with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The estimate.
    pub value: f64,
    /// Standard error.
    pub error: f64,
}

/// Effect of a parameter around the start, in Elo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The parameter.
    pub name: String,
    /// Values played, ascending.
    pub tried: Vec<f64>,
    /// First-order effect: gain of a step up.
    pub slope: Measured,
    /// Second-order effect: gain of a step either way, negative near a peak; `None` with two values.
    pub bend: Option<Measured>,
    /// p-value of "no effect".
    pub p_value: f64,
    /// Whether the effect is significant, corrected for all parameters.
    pub matters: bool,
}

/// Elo of a step that a screening of this many parameters detects with a power of 80 %, from the
/// standard error of a step.
pub fn visible_effect(error: f64, parameters: usize) -> f64 {
    let normal = Normal::standard();
    // The first step of Holm's test.
    (normal.inverse_cdf(1.0 - ALPHA / 2.0 / parameters.max(1) as f64) + POWER) * error
}

/// Partial dependence of the strength on the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependence {
    /// One a free parameter, in their order.
    pub curves: Vec<Curve>,
    /// Of pairs of the most important parameters.
    pub maps: Vec<Map>,
}

/// Partial dependence on one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The parameter's number in its space.
    pub parameter: usize,
    /// Values of the parameter, their Elo relative to the best value, and its standard error.
    pub points: Vec<(f64, f64, f64)>,
}

impl Curve {
    /// Elo between its maximum and its minimum: the parameter's importance.
    pub fn height(&self) -> f64 {
        let elo = self.points.iter().map(|point| point.1);
        let (low, high) =
            elo.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        high - low
    }
}

/// Partial dependence on two parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The parameters' numbers in their space.
    pub parameters: [usize; 2],
    /// Values of the first, and of the second.
    pub values: [Vec<f64>; 2],
    /// Elo relative to the best values: a row for each value of the second.
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
