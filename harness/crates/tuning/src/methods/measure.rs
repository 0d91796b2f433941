//! Shared by tuners: Polyak averaging of the path, and the measurement of the gain against the
//! start.

use crate::space::{Parameter, Space};
use crate::trial::{Estimate, Gain};
use harness_stats::{Pentanomial, elo_of_score};

/// Share of the run after which averaging of the path begins.
pub const AVERAGE_FROM: f64 = 0.7;
/// Prior variance of a pair's net wins: that of openings in which a third of the games is decided.
pub const PRIOR_VARIANCE: f64 = 0.62;
/// Weight of the prior variance, in pairs.
const PRIOR_WEIGHT: f64 = 50.0;
/// Weight of the variance of a tuner's trials for that of its games against the start, in pairs.
const TRIALS_WEIGHT: f64 = 20.0;
/// Scores nearer to 0 and 1 than this are no number in Elo.
const CLAMP: f64 = 0.001;

/// Weighted mean of places.
#[derive(Clone, Debug)]
pub struct PathAverage {
    weight: f64,
    mean: Vec<f64>,
}

impl PathAverage {
    /// Of no place in `dimension` dimensions.
    pub fn new(dimension: usize) -> PathAverage {
        PathAverage { weight: 0.0, mean: vec![0.0; dimension] }
    }

    /// Adds a place.
    pub fn add(&mut self, place: &[f64], weight: f64) {
        self.weight += weight;
        for (mean, value) in self.mean.iter_mut().zip(place) {
            *mean += (value - *mean) * weight / self.weight;
        }
    }

    /// The mean; `None` of no place.
    pub fn mean(&self) -> Option<&[f64]> {
        (self.weight > 0.0).then_some(&*self.mean)
    }
}

/// Variance of the net wins of a tuner's pairs.
#[derive(Clone, Debug, Default)]
pub struct PairVariance {
    squares: f64,
    pairs: f64,
}

impl PairVariance {
    /// Adds a result.
    pub fn add(&mut self, result: &Pentanomial) {
        self.pairs += result.pairs() as f64;
        self.squares += squares(result);
    }

    /// Variance of a pair's net wins.
    pub fn value(&self) -> f64 {
        (self.squares + PRIOR_VARIANCE * PRIOR_WEIGHT) / (self.pairs + PRIOR_WEIGHT)
    }
}

/// Sum of the squares of the pairs' net wins.
fn squares(result: &Pentanomial) -> f64 {
    let square = |(count, wins): (&u64, f64)| *count as f64 * wins * wins;
    result.0.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]).map(square).sum()
}

/// The gain over the start by the results against it, with its 80 % interval; `None` without a result,
/// and where they are too few for a number: one side has nearly all points, or may have them by the
/// interval. `trials` is the variance of the tuner's other pairs.
pub fn gain(against_start: &Pentanomial, trials: &PairVariance) -> Option<Gain> {
    let score = against_start.mean()?;
    let pairs = against_start.pairs() as f64;
    if !(CLAMP..=1.0 - CLAMP).contains(&score) {
        return None;
    }
    // Net wins are four times the score, less 2.
    let own = squares(against_start) - pairs * (4.0 * score - 2.0).powi(2);
    let variance = (own + trials.value() * TRIALS_WEIGHT) / (pairs + TRIALS_WEIGHT);
    let error = (variance / 16.0 / pairs).sqrt();
    let reach = Gain::HALF80 * error;
    if score - reach < CLAMP || score + reach > 1.0 - CLAMP {
        return None;
    }
    // By the slope of the curve there, so that both ends are numbers.
    let slope = 400.0 / std::f64::consts::LN_10 / (score * (1.0 - score));
    let value = elo_of_score(score);
    let half = reach * slope;
    Some(Gain { value, low80: value - half, high80: value + half })
}

/// Estimates of all parameters of a space: fixed ones keep their start, the others are computed
/// from their axis and number.
pub fn estimates(
    space: &Space,
    mut of: impl FnMut(usize, &Parameter) -> Estimate,
) -> Vec<Estimate> {
    let mut axis = 0;
    let estimate = |parameter: &Parameter| {
        if parameter.fixed {
            return Estimate { value: parameter.start, error: None, z: None };
        }
        axis += 1;
        of(axis - 1, parameter)
    };
    space.parameters().iter().map(estimate).collect()
}

/// An error along an axis in the parameter's own unit.
pub fn error_at(parameter: &Parameter, place: f64, error: f64) -> f64 {
    0.5 * (parameter.of_unit(place + error) - parameter.of_unit(place - error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_weighted() {
        let mut average = PathAverage::new(1);
        assert_eq!(average.mean(), None);
        average.add(&[1.0], 1.0);
        average.add(&[4.0], 2.0);
        assert_eq!(average.mean(), Some(&[3.0][..]));
    }

    #[test]
    fn a_gain_is_the_elo_of_the_score_and_is_not_there_before_games() {
        let gain = |counts| super::gain(&Pentanomial(counts), &PairVariance::default());
        assert_eq!(gain([0; 5]), None);
        let gain = gain([0, 10, 40, 30, 20]).expect("games");
        assert!((gain.value - elo_of_score(0.65)).abs() < 1e-9);
        assert!(gain.low80 < gain.value && gain.value < gain.high80);
    }

    #[test]
    fn a_score_that_is_or_may_be_nothing_or_all_is_no_number() {
        for (counts, known) in [
            ([5, 0, 0, 0, 0], false),
            ([0, 0, 0, 0, 99], false),
            ([0, 0, 5, 0, 0], true),
            // Its 80 % interval ends beyond all points.
            ([0, 0, 0, 1, 9], false),
            ([9, 1, 0, 0, 0], false),
            ([2, 10, 30, 40, 18], true),
            ([0, 0, 1, 9, 90], true),
        ] {
            let gain = gain(&Pentanomial(counts), &PairVariance::default());
            assert_eq!(gain.is_some(), known, "{counts:?}");
        }
    }
}
