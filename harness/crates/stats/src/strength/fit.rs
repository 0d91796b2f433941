//! The most probable strengths for a given prior of the changes, by Gauss-Newton steps.

use std::collections::BTreeSet;

use super::super::ratings::matrix::Symmetric;
use super::super::ratings::newton;

/// Standard deviation of the prior of the logarithm of a condition's scale, as of the stretch in
/// [`super::super::Anchored`]: differences rarely shrink or grow by more than a factor of 2.7.
const SCALE_DEVIATION: f64 = 0.5;

/// Standard deviation of the prior of the mean change, in Elo.
const MEAN_DEVIATION: f64 = 5.0;

/// Degrees of freedom at a ratio of 1 that a Birge ratio is shrunk by: of few comparisons it says little.
const BIRGE_PRIOR: f64 = 4.0;

/// A measured difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation {
    /// Of both players.
    pub rows: [usize; 2],
    /// Which scale applies; `None`: that of the reference.
    pub scale: Option<usize>,
    /// In Elo.
    pub value: f64,
    pub deviation: f64,
    pub is_test: bool,
}

/// Prior of changes that were tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Prior {
    /// Nothing.
    None,
    /// They are normal around a common mean, with this standard deviation in Elo.
    Spread(f64),
}

/// Observations, and the columns of the unknowns: strengths, the mean change, logarithms of scales.
#[derive(Clone, Debug)]
pub(super) struct Network {
    players: usize,
    scales: usize,
    observations: Vec<Observation>,
    /// Changes that were tested, each once.
    changes: Vec<[usize; 2]>,
}

/// The most probable values, and their covariance.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub values: Vec<f64>,
    pub covariance: Symmetric,
    /// Logarithm of the probability of the observations under the prior, up to a constant.
    pub ln_evidence: f64,
}

impl Network {
    pub fn new(players: usize, scales: usize, observations: Vec<Observation>) -> Network {
        let tested = observations.iter().filter(|one| one.is_test).map(|one| one.rows);
        // A change that was tested twice, or the other way round, is one change.
        let mut seen = BTreeSet::new();
        let changes =
            tested.filter(|[a, b]| seen.insert([*a.min(b), *a.max(b)])).collect::<Vec<_>>();
        Network { players, scales, observations, changes }
    }

    /// Number of changes that were tested.
    pub fn tests(&self) -> usize {
        self.changes.len()
    }

    /// The column of the mean change.
    pub fn mean_column(&self) -> usize {
        self.players
    }

    /// The column of a scale's logarithm.
    pub fn scale_column(&self, scale: usize) -> usize {
        self.players + 1 + scale
    }

    fn columns(&self) -> usize {
        self.players + 1 + self.scales
    }

    /// The same with all variances multiplied by a factor.
    #[must_use]
    pub fn with_disagreement(mut self, factor: f64) -> Network {
        self.observations.iter_mut().for_each(|one| one.deviation *= factor.sqrt());
        self
    }

    /// The factor of all variances at which comparisons agree within their errors: chi-square over the
    /// degrees of freedom, shrunk towards 1 and never below.
    pub fn birge_ratio(&self, fit: &Fit) -> f64 {
        let chi_square: f64 = self
            .observations
            .iter()
            .map(|one| (self.residual(one, &fit.values) / one.deviation).powi(2))
            .sum();
        // A scale counts as one observation, its prior, and one unknown.
        let scales = (0..self.scales).map(|scale| fit.values[self.scale_column(scale)]);
        let of_scales: f64 = scales.map(|log| (log / SCALE_DEVIATION).powi(2)).sum();
        let degrees = (self.observations.len() + 1).saturating_sub(self.players) as f64;
        ((chi_square + of_scales + BIRGE_PRIOR) / (degrees + BIRGE_PRIOR)).max(1.0)
    }

    /// `None` where the observations do not determine the strengths.
    pub fn fit(&self, prior: &Prior) -> Option<Fit> {
        let values = newton::maximise(
            vec![0.0; self.columns()],
            |values| self.ln_posterior(values, prior),
            |values| self.derivatives(values, prior),
        )?;
        let factor = self.derivatives(&values, prior).1.factor()?;
        let ln_evidence = self.ln_posterior(&values, prior) - 0.5 * factor.ln_determinant();
        Some(Fit { covariance: factor.inverse(), values, ln_evidence })
    }

    fn scale(&self, one: &Observation, values: &[f64]) -> f64 {
        one.scale.map_or(1.0, |scale| values[self.scale_column(scale)].exp())
    }

    fn residual(&self, one: &Observation, values: &[f64]) -> f64 {
        let [first, second] = one.rows;
        one.value - self.scale(one, values) * (values[first] - values[second])
    }

    fn ln_posterior(&self, values: &[f64], prior: &Prior) -> f64 {
        let square = |distance: f64, deviation: f64| -0.5 * (distance / deviation).powi(2);
        let observed = self.observations.iter();
        let observed = observed.map(|one| square(self.residual(one, values), one.deviation));
        let scales = (0..self.scales).map(|scale| values[self.scale_column(scale)]);
        let scales = scales.map(|log| square(log, SCALE_DEVIATION));
        let mean = values[self.mean_column()];
        let changes = self.changes.iter().map(|&[new, old]| match *prior {
            Prior::None => 0.0,
            Prior::Spread(spread) => square(values[new] - values[old] - mean, spread) - spread.ln(),
        });
        observed.chain(scales).chain(changes).sum::<f64>()
            + square(mean, MEAN_DEVIATION)
            + square(self.total(values), self.anchor())
    }

    /// The sum of all strengths, which comparisons do not determine: a prior around 0 fixes it.
    fn total(&self, values: &[f64]) -> f64 {
        values[..self.players].iter().sum()
    }

    /// Standard deviation of that prior: of the size of other terms, so that the matrix is well conditioned.
    fn anchor(&self) -> f64 {
        self.players as f64
    }

    /// Gradient, and the information: the second derivative without the residuals' (Gauss-Newton).
    fn derivatives(&self, values: &[f64], prior: &Prior) -> (Vec<f64>, Symmetric) {
        let mut system = System::new(self.columns());
        for one in &self.observations {
            let [first, second] = one.rows;
            let scale = self.scale(one, values);
            let apart = scale * (values[first] - values[second]);
            let effects = [(first, scale), (second, -scale)];
            let log = one.scale.map(|scale| (self.scale_column(scale), apart));
            let effects: Vec<(usize, f64)> = effects.into_iter().chain(log).collect();
            system.add(&effects, one.value - apart, one.deviation);
        }
        for scale in 0..self.scales {
            let column = self.scale_column(scale);
            system.add(&[(column, 1.0)], -values[column], SCALE_DEVIATION);
        }
        let mean = self.mean_column();
        if let Prior::Spread(spread) = *prior {
            for &[new, old] in &self.changes {
                let rest = values[mean] - (values[new] - values[old]);
                system.add(&[(new, 1.0), (old, -1.0), (mean, -1.0)], rest, spread);
            }
        }
        system.add(&[(mean, 1.0)], -values[mean], MEAN_DEVIATION);
        let all: Vec<(usize, f64)> = (0..self.players).map(|player| (player, 1.0)).collect();
        system.add(&all, -self.total(values), self.anchor());
        (system.gradient, system.information)
    }
}

/// Normal equations of weighted least squares.
struct System {
    gradient: Vec<f64>,
    information: Symmetric,
}

impl System {
    fn new(columns: usize) -> System {
        System { gradient: vec![0.0; columns], information: Symmetric::zero(columns) }
    }

    /// An equation: its derivatives by column, what is left of it, and its standard deviation.
    fn add(&mut self, effects: &[(usize, f64)], rest: f64, deviation: f64) {
        let weight = deviation.powi(-2);
        for &(i, effect) in effects {
            self.gradient[i] += weight * effect * rest;
            for &(j, other) in effects.iter().filter(|(j, _)| *j <= i) {
                self.information.add(i, j, weight * effect * other);
            }
        }
    }
}
