//! The most likely ratings, by Newton's method.

use super::ELO;
use super::games::Games;
use super::matrix::Symmetric;

/// The most likely ratings of players who are linked.
pub(super) struct Fit {
    /// Ratings in natural units, then the worth of the white pieces if it is estimated.
    pub values: Vec<f64>,
    /// Whether it is.
    pub white: bool,
    /// See [`super::Ratings::dispersion`].
    pub dispersion: f64,
    /// In squared Elo.
    pub covariance: Symmetric,
    /// Degrees of freedom of Student's distribution of an error; `None` where there are so many
    /// games that it is the normal one.
    pub degrees: Option<f64>,
}

/// With so many games or pairs more than ratings, the dispersion is known.
const MANY: f64 = 200.0;

/// Far more than Newton's method ever needs.
const MOST_STEPS: usize = 200;

impl Fit {
    /// `None` where the games do not determine them.
    pub fn of(players: usize, white: bool, games: &[Games]) -> Option<Fit> {
        let mut values = vec![0.0; players + usize::from(white)];
        let mut likelihood = log_likelihood(&values, white, games);
        for _ in 0..MOST_STEPS {
            let (gradient, information, _) = derivatives(players, &values, white, games);
            let step = information.factor()?.solve(&gradient);
            let largest = step.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
            // The likelihood is concave: a step that is too long is halved until it helps, or is
            // so short that rounding hides whether it does.
            let mut scale = 1.0;
            loop {
                let tried: Vec<f64> =
                    values.iter().zip(&step).map(|(value, step)| value + scale * step).collect();
                let better = log_likelihood(&tried, white, games);
                if better >= likelihood || scale * largest < 1e-6 {
                    (values, likelihood) = (tried, better);
                    break;
                }
                scale /= 2.0;
            }
            if largest < 1e-10 {
                break;
            }
        }
        let (_, information, ridge) = derivatives(players, &values, white, games);
        let mut covariance = information.factor()?.inverse();
        let Dispersion { pearson, cautious, degrees } = Dispersion::of(&values, white, games);
        for i in 0..values.len() {
            for j in 0..=i {
                // Only the distances from the average are known; see `derivatives`.
                let average = if i < players { 1.0 / (ridge * players as f64) } else { 0.0 };
                let value = (covariance.at(i, j) - average) * cautious * ELO * ELO;
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

/// Gradient of the log-likelihood, the Fisher information, and what was added to the latter.
///
/// The information is singular, for a constant added to all ratings changes nothing. A multiple
/// of the projection onto that direction is added, which keeps the average where it is and adds
/// its inverse to the inverse.
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

/// How much more or less scores vary than coins would.
struct Dispersion {
    /// Pearson's estimate: mean squared residual of games or pairs, the variance of coins being 1.
    pearson: f64,
    /// The one that errors are computed with.
    cautious: f64,
    /// See [`Fit::degrees`].
    degrees: Option<f64>,
}

impl Dispersion {
    fn of(values: &[f64], white: bool, games: &[Games]) -> Dispersion {
        let units: f64 = games.iter().map(|games| games.sample.observations()).sum();
        // The ratings without their average.
        let free = units - (values.len() as f64 - 1.0);
        let chi_square: f64 =
            games.iter().map(|games| games.chi_square(games.expected(values, white))).sum();
        // Nothing but draws is no proof that there is never anything else: one game between
        // equals is counted as decided.
        let pearson = if free > 0.0 { chi_square.max(1.0) / free } else { 1.0 };
        if free >= MANY {
            return Dispersion { pearson, cautious: pearson, degrees: None };
        }
        // Of few games the estimate is mostly luck: as in a posterior of the score, one unit more
        // is taken to have been won, or lost, with all of its games.
        let decided = games.iter().map(|games| games.sample.games_each()).fold(1.0, f64::max);
        let degrees = free.max(0.0) + 1.0;
        let cautious = (chi_square + decided) / degrees;
        Dispersion { pearson, cautious, degrees: Some(degrees) }
    }
}
