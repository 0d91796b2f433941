//! Shared by tuners: Polyak averaging of the path, and the measurement of the gain against the
//! start.

use crate::stats::{Pentanomial, elo_of_score};
use crate::tuning::space::{Parameter, Space};
use crate::tuning::trial::{Estimate, Gain, TrialId};

/// Share of the run after which averaging of the path begins.
pub const AVERAGE_FROM: f64 = 0.7;
/// Share of the run after which the recommendation plays the start, ...
pub const MEASURE_FROM: f64 = 0.85;
/// ... in every third trial.
const MEASURE_EVERY: u64 = 3;
/// Prior variance of a pair's net wins: that of openings in which a third of the games is decided.
pub const PRIOR_VARIANCE: f64 = 0.62;
/// Weight of the prior variance, in pairs.
const PRIOR_WEIGHT: f64 = 50.0;

/// Whether a trial measures the recommendation against the start, at progress `over`.
pub fn measures(over: f64, id: TrialId) -> bool {
    over >= MEASURE_FROM && id.0.is_multiple_of(MEASURE_EVERY)
}

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

/// Results of the recommendation against the start, and the variance of all results.
#[derive(Clone, Debug, Default)]
pub struct AgainstStart {
    counts: Pentanomial,
    squares: f64,
    pairs: f64,
}

impl AgainstStart {
    /// Adds a result of the recommendation against the start.
    pub fn add(&mut self, result: &Pentanomial) {
        self.counts += *result;
    }

    /// Adds another result to the estimate of the variance.
    pub fn add_variance(&mut self, result: &Pentanomial) {
        self.pairs += result.pairs() as f64;
        for (count, wins) in result.0.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]) {
            self.squares += *count as f64 * wins * wins;
        }
    }

    /// Variance of a pair's net wins.
    pub fn variance(&self) -> f64 {
        (self.squares + PRIOR_VARIANCE * PRIOR_WEIGHT) / (self.pairs + PRIOR_WEIGHT)
    }

    /// The gain with its 80 % interval; `None` before it was measured.
    pub fn gain(&self) -> Option<Gain> {
        // Variance of a pair's net wins is 16 times that of its mean score.
        gain(&self.counts, self.variance() / 16.0)
    }
}

/// The gain with its 80 % interval from results against the start; `variance` is that of a pair's
/// mean score. `None` without a result.
pub fn gain(against_start: &Pentanomial, variance: f64) -> Option<Gain> {
    let score = against_start.mean()?;
    let error = (variance / against_start.pairs() as f64).sqrt();
    // Clamped, as Elo is unbounded near scores of 0 and 1.
    let elo = |score: f64| elo_of_score(score.clamp(0.001, 0.999));
    Some(Gain {
        value: elo(score),
        low80: elo(score - Gain::HALF80 * error),
        high80: elo(score + Gain::HALF80 * error),
    })
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
        let mut against = AgainstStart::default();
        assert_eq!(against.gain(), None);
        against.add(&Pentanomial([0, 10, 40, 30, 20]));
        let gain = against.gain().expect("games");
        assert!((gain.value - elo_of_score(0.65)).abs() < 1e-9);
        assert!(gain.low80 < gain.value && gain.value < gain.high80);
    }
}
