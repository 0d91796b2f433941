//! The posterior over a grid of spreads of the changes.

use super::super::elo::normal_cdf;
use super::fit::{Fit, Network, Prior};
use super::{Changes, Interval};

/// The grid of standard deviations of changes, in Elo: the first, the ratio of neighbours, their number.
const FIRST_SPREAD: f64 = 0.25;
const SPREAD_RATIO: f64 = 1.4;
const SPREADS: i32 = 18;

/// Scale of the half-Cauchy prior of that standard deviation, in Elo. With it and the prior of the mean,
/// intervals of the sum of accepted changes hold the truth in 93 to 96 % of simulated histories of 1 to 30
/// tests of changes with a standard deviation of 3 to 20 Elo (`tests.rs` has some of them).
const SPREAD_SCALE: f64 = 5.0;

/// Weight below which a place of the grid is left out.
const LEAST_WEIGHT: f64 = 1e-3;

/// A place of the grid.
#[derive(Clone, Debug)]
struct Place {
    weight: f64,
    /// The spread; 0 without tests.
    spread: f64,
    fit: Fit,
}

/// Normal distributions with their weights.
#[derive(Clone, Debug)]
pub(super) struct Mixture {
    places: Vec<Place>,
    mean_column: usize,
    first_scale: usize,
}

impl Mixture {
    /// `None` where the observations do not determine the strengths.
    pub fn new(network: &Network) -> Option<Mixture> {
        let places = if network.tests() == 0 {
            vec![Place { weight: 1.0, spread: 0.0, fit: network.fit(&Prior::None)? }]
        } else {
            Mixture::places(network)?
        };
        let mean_column = network.mean_column();
        Some(Mixture { places, mean_column, first_scale: network.scale_column(0) })
    }

    fn places(network: &Network) -> Option<Vec<Place>> {
        let spreads = (0..SPREADS).map(|number| FIRST_SPREAD * SPREAD_RATIO.powi(number));
        let fits: Vec<(f64, Fit)> = spreads
            .map(|spread| Some((spread, network.fit(&Prior::Spread(spread))?)))
            .collect::<Option<_>>()?;
        // The grid is even in the logarithm of the spread.
        let ln_prior = |spread: f64| spread.ln() - (1.0 + (spread / SPREAD_SCALE).powi(2)).ln();
        let logs: Vec<f64> =
            fits.iter().map(|(spread, fit)| fit.ln_evidence + ln_prior(*spread)).collect();
        let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let both = logs.iter().zip(fits);
        let mut places: Vec<Place> = both
            .map(|(log, (spread, fit))| Place { weight: (log - highest).exp(), spread, fit })
            .filter(|place| place.weight >= LEAST_WEIGHT)
            .collect();
        let sum: f64 = places.iter().map(|place| place.weight).sum();
        places.iter_mut().for_each(|place| place.weight /= sum);
        Some(places)
    }

    /// The mean of a quantity.
    fn mean(&self, value: impl Fn(&Place) -> f64) -> f64 {
        self.places.iter().map(|place| place.weight * value(place)).sum()
    }

    /// How far the player of one row is above that of another.
    pub fn difference(&self, first: usize, second: usize) -> Interval {
        self.interval(|fit| {
            let at = |i, j| fit.covariance.at(i, j);
            let variance = at(first, first) + at(second, second) - 2.0 * at(first, second);
            (fit.values[first] - fit.values[second], variance.max(0.0).sqrt())
        })
    }

    /// The factor of a condition.
    pub fn scale(&self, number: usize) -> Interval {
        let column = self.first_scale + number;
        let log = self.interval(|fit| {
            (fit.values[column], fit.covariance.at(column, column).max(0.0).sqrt())
        });
        let Interval { value, low95, high95 } = log;
        Interval { value: value.exp(), low95: low95.exp(), high95: high95.exp() }
    }

    /// The changes that were tested.
    pub fn changes(&self, tests: usize) -> Option<Changes> {
        (tests > 0).then(|| Changes {
            tests,
            mean: self.mean(|place| place.fit.values[self.mean_column]),
            deviation: self.mean(|place| place.spread.powi(2)).sqrt(),
        })
    }

    /// Of a quantity with a mean and a standard deviation at each place.
    fn interval(&self, quantity: impl Fn(&Fit) -> (f64, f64)) -> Interval {
        let parts: Vec<(f64, f64, f64)> = self
            .places
            .iter()
            .map(|place| {
                let (mean, deviation) = quantity(&place.fit);
                (place.weight, mean, deviation)
            })
            .collect();
        let value = parts.iter().map(|(weight, mean, _)| weight * mean).sum();
        let [low95, high95] = [0.025, 0.975].map(|share| quantile(&parts, share));
        Interval { value, low95, high95 }
    }
}

/// A quantile of a mixture of normal distributions (weight, mean, standard deviation), by bisection.
fn quantile(parts: &[(f64, f64, f64)], share: f64) -> f64 {
    let below = |value: f64| -> f64 {
        let of = |&(weight, mean, deviation): &(f64, f64, f64)| {
            let z = if deviation > 0.0 { (value - mean) / deviation } else { value - mean };
            weight * if deviation > 0.0 { normal_cdf(z) } else { f64::from(u8::from(z >= 0.0)) }
        };
        parts.iter().map(of).sum()
    };
    let ends =
        |sign: f64| parts.iter().map(move |(_, mean, deviation)| mean + sign * 8.0 * deviation);
    let mut low = ends(-1.0).fold(f64::INFINITY, f64::min);
    let mut high = ends(1.0).fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if below(middle) < share { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}
