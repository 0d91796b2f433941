//! Maximum likelihood ratings, by Newton's method.

use super::games::{ELO, Expected, Games};
use super::matrix::Symmetric;
use super::newton;

/// Maximum likelihood ratings of connected players.
pub(super) struct Fit {
    /// Ratings in logits, then the advantage of the white pieces if it is estimated.
    pub values: Vec<f64>,
    /// Whether the advantage is estimated.
    pub white: bool,
    /// See [`super::Ratings::dispersion`].
    pub dispersion: f64,
    /// In squared Elo.
    pub covariance: Symmetric,
    /// Degrees of freedom of the errors' Student distribution; `None` for the normal one.
    pub degrees: Option<f64>,
}

/// Degrees of freedom from which the dispersion is taken as known.
const NORMAL_FROM: f64 = 200.0;

impl Fit {
    /// `None` where the games do not determine the ratings.
    // One parameter fewer is fitted than there are: the average of the ratings is not free.
    pub fn of(players: usize, white: bool, games: &[Games]) -> Option<Fit> {
        let values = newton::maximise(
            vec![0.0; players + usize::from(white)],
            |values| log_likelihood(values, white, games),
            |values| {
                let (gradient, information, _) = derivatives(players, values, white, games);
                (gradient, information)
            },
        )?;
        let (_, information, ridge) = derivatives(players, &values, white, games);
        let mut covariance = information.factor()?.inverse();
        let Dispersion { pearson, regularised, degrees } =
            Dispersion::of(games, values.len().saturating_sub(1), |games| {
                games.expected(&values, white)
            });
        for i in 0..values.len() {
            for j in 0..=i {
                // Only distances from the average are identifiable; see `derivatives`.
                let average = if i < players { 1.0 / (ridge * players as f64) } else { 0.0 };
                let value = (covariance.at(i, j) - average) * regularised * ELO * ELO;
                covariance.set(i, j, value);
            }
        }
        Some(Fit { values, white, dispersion: pearson, covariance, degrees })
    }
}

fn log_likelihood(values: &[f64], white: bool, games: &[Games]) -> f64 {
    let of = |games: &Games| {
        let expected = games.expected(values, white);
        games.points * expected.score().ln() + (games.count - games.points) * expected.loss().ln()
    };
    games.iter().map(of).sum()
}

/// Gradient of the log-likelihood, the Fisher information, and the ridge added to it.
///
/// The information is singular, as a constant added to all ratings changes nothing. A multiple of
/// the projection onto that direction is added: it keeps the average, and adds its inverse to the
/// inverse.
fn derivatives(
    players: usize,
    values: &[f64],
    white: bool,
    games: &[Games],
) -> (Vec<f64>, Symmetric, f64) {
    let mut gradient = vec![0.0; values.len()];
    let mut information = Symmetric::zero(values.len());
    let mut all = 0.0;
    for games in games {
        let expected = games.expected(values, white);
        let residual = games.residual(expected);
        let weight = games.count * expected.variance();
        all += weight;
        let colour = white.then_some((players, games.white));
        let effects = [Some((games.first, 1.0)), Some((games.second, -1.0)), colour];
        let effects: Vec<(usize, f64)> = effects.into_iter().flatten().collect();
        for &(i, effect) in &effects {
            gradient[i] += effect * residual;
            for &(j, other) in effects.iter().filter(|(j, _)| *j <= i) {
                information.add(i, j, weight * effect * other);
            }
        }
    }
    let ridge = all / players as f64;
    for i in 0..players {
        for j in 0..=i {
            information.add(i, j, ridge / players as f64);
        }
    }
    (gradient, information, ridge)
}

/// Dispersion of scores relative to Bernoulli variables.
pub(super) struct Dispersion {
    /// Pearson's estimate: mean squared residual of games or pairs over the Bernoulli variance.
    pub pearson: f64,
    /// Regularised estimate, from which errors are computed.
    pub regularised: f64,
    /// See [`Fit::degrees`].
    pub degrees: Option<f64>,
}

impl Dispersion {
    /// Of games with their expectations, of which `fitted` parameters were fitted.
    pub fn of(games: &[Games], fitted: usize, expected: impl Fn(&Games) -> Expected) -> Dispersion {
        let units: f64 = games.iter().map(|games| games.sample.observations()).sum();
        let free = units - fitted as f64;
        let chi_square: f64 = games.iter().map(|games| games.chi_square(expected(games))).sum();
        // Nothing but draws does not prove a variance of zero: one game between equals is counted
        // as decided.
        let pearson = if free > 0.0 { chi_square.max(1.0) / free } else { 1.0 };
        if free >= NORMAL_FROM {
            return Dispersion { pearson, regularised: pearson, degrees: None };
        }
        // The estimate from few games has a large error: as in the posterior of the score, one
        // decisive unit is added.
        let decided = games.iter().map(|games| games.sample.games_each()).fold(1.0, f64::max);
        let degrees = free.max(0.0) + 1.0;
        let regularised = (chi_square + decided) / degrees;
        Dispersion { pearson, regularised, degrees: Some(degrees) }
    }
}
