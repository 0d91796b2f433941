//! Maximum likelihood ratings, by Newton's method.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::super::counts::{Pentanomial, Sample};
use super::super::posterior::{NORMAL_FROM, is_few};
use super::games::{ELO, Expected, MeetingCounts};
use super::matrix::Symmetric;
use super::{newton, one_sided};

/// How the advantage of the white pieces is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum White {
    /// It is 0.
    Ignored,
    /// By maximum likelihood.
    Free,
    /// With a prior of games won and lost by White against an equal: where games do not determine
    /// it, the likelihood has no maximum, or many.
    Prior,
}

/// Games that the prior counts as won, and as many as lost, by White: a standard deviation of about
/// 140 Elo. Chosen on one half of simulated tournaments; see `coverage.rs`.
const PRIOR_GAMES: f64 = 3.0;

impl White {
    fn is_fitted(self) -> bool {
        self != White::Ignored
    }

    /// Games won and lost beforehand.
    fn prior(self) -> f64 {
        if self == White::Prior { PRIOR_GAMES } else { 0.0 }
    }
}

/// Maximum likelihood ratings of connected players.
pub(super) struct Fit {
    /// Ratings in logits, then the advantage of the white pieces if it is fitted.
    pub values: Vec<f64>,
    /// See [`super::Ratings::dispersion`].
    pub dispersion: f64,
    /// In squared Elo.
    pub covariance: Symmetric,
    /// Degrees of freedom of the errors' Student distribution; `None` for the normal one.
    pub degrees: Option<f64>,
}

impl Fit {
    /// `None` where the games do not determine the ratings.
    // One parameter fewer is fitted than there are: the average of the ratings is not free.
    pub fn new(players: usize, white: White, games: &[MeetingCounts]) -> Option<Fit> {
        let values = newton::maximise(
            vec![0.0; players + usize::from(white.is_fitted())],
            |values| log_likelihood(values, white, games),
            |values| {
                let (gradient, information, _) = derivatives(players, values, white, games);
                (gradient, information)
            },
        )?;
        let (_, information, ridge) = derivatives(players, &values, white, games);
        let mut covariance = information.factor()?.inverse();
        let Dispersion { pearson, regularised, degrees } = match white {
            White::Ignored | White::Free => {
                Dispersion::estimate(games, values.len().saturating_sub(1), |games| {
                    games.expected(&values, white.is_fitted())
                })
            }
            // Separated results are near their expectations whatever the spread of a game is.
            White::Prior => Dispersion::largest(games),
        };
        for i in 0..values.len() {
            for j in 0..=i {
                // Only distances from the average are identifiable; see `derivatives`.
                let average = if i < players { 1.0 / (ridge * players as f64) } else { 0.0 };
                let value = (covariance.at(i, j) - average) * regularised * ELO * ELO;
                covariance.set(i, j, value);
            }
        }
        Some(Fit { values, dispersion: pearson, covariance, degrees })
    }

    /// The end of the rating of a player who won, or lost, every game, in logits; `rows` are those of
    /// the rated players. It allows for the error of the opponents' ratings.
    pub fn bound(
        &self,
        player: usize,
        won: bool,
        games: &[MeetingCounts],
        rows: &[Option<usize>],
    ) -> Option<f64> {
        let rating = |opponent: usize| Some(self.values[rows[opponent]?]);
        let rated = rows.iter().flatten().count();
        let white = self.values.get(rated).copied().unwrap_or(0.0);
        let bound = one_sided::bound(player, won, games, rating, white)?;
        let known = |(opponent, share): &(usize, f64)| Some((rows[*opponent]?, *share));
        let shares: Vec<(usize, f64)> = bound.weights.iter().filter_map(known).collect();
        let both = shares.iter().flat_map(|one| shares.iter().map(move |other| (one, other)));
        let variance: f64 =
            both.map(|((i, a), (j, b))| a * b * self.covariance.at(*i, *j)).sum::<f64>();
        let error = quantile(0.95, self.degrees) * variance.max(0.0).sqrt() / ELO;
        Some(if won { bound.at - error } else { bound.at + error })
    }
}

fn log_likelihood(values: &[f64], white: White, games: &[MeetingCounts]) -> f64 {
    let of = |games: &MeetingCounts| {
        let expected = games.expected(values, white.is_fitted());
        games.points * expected.score().ln() + (games.count - games.points) * expected.loss().ln()
    };
    let prior = match white {
        White::Ignored | White::Free => 0.0,
        White::Prior => {
            let advantage = Expected::at(values[values.len() - 1]);
            white.prior() * (advantage.score().ln() + advantage.loss().ln())
        }
    };
    games.iter().map(of).sum::<f64>() + prior
}

/// Gradient of the log-likelihood, the Fisher information, and the ridge added to it.
///
/// The information is singular, as a constant added to all ratings changes nothing. A multiple of
/// the projection onto that direction is added: it keeps the average, and adds its inverse to the
/// inverse.
fn derivatives(
    players: usize,
    values: &[f64],
    white: White,
    games: &[MeetingCounts],
) -> (Vec<f64>, Symmetric, f64) {
    let mut gradient = vec![0.0; values.len()];
    let mut information = Symmetric::zero(values.len());
    let mut all = 0.0;
    for games in games {
        let expected = games.expected(values, white.is_fitted());
        let residual = games.residual(expected);
        let weight = games.count * expected.variance();
        all += weight;
        let colour = white.is_fitted().then_some((players, games.white));
        let effects = [Some((games.first, 1.0)), Some((games.second, -1.0)), colour];
        let effects: Vec<(usize, f64)> = effects.into_iter().flatten().collect();
        for &(i, effect) in &effects {
            gradient[i] += effect * residual;
            for &(j, other) in effects.iter().filter(|(j, _)| *j <= i) {
                information.add(i, j, weight * effect * other);
            }
        }
    }
    if white == White::Prior {
        let advantage = Expected::at(values[players]);
        gradient[players] += white.prior() * (advantage.loss() - advantage.score());
        information.add(players, players, 2.0 * white.prior() * advantage.variance());
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
    pub fn estimate(
        games: &[MeetingCounts],
        fitted: usize,
        expected: impl Fn(&MeetingCounts) -> Expected,
    ) -> Dispersion {
        let units: f64 = games.iter().map(|games| games.sample.observations()).sum();
        let free = units - fitted as f64;
        let chi_square: f64 = games.iter().map(|games| games.chi_square(expected(games))).sum();
        // Nothing but draws does not prove a variance of zero: one game between equals is counted
        // as decided.
        let pearson = if free > 0.0 { chi_square.max(1.0) / free } else { 1.0 };
        if free >= NORMAL_FROM && !is_few(&total(games)) {
            return Dispersion { pearson, regularised: pearson, degrees: None };
        }
        // The estimate from few games has a large error: as in the posterior of the score, one
        // decisive unit is added.
        let degrees = free.max(0.0) + 1.0;
        let regularised = (chi_square + games_each(games)) / degrees;
        let estimated = Dispersion { pearson, regularised, degrees: Some(degrees) };
        let largest = Dispersion { pearson, ..Dispersion::largest(games) };
        if estimated.half_width() < largest.half_width() { estimated } else { largest }
    }

    /// The largest possible one: of games without draws, and pairs that one side wins twice.
    fn largest(games: &[MeetingCounts]) -> Dispersion {
        Dispersion { pearson: 1.0, regularised: games_each(games), degrees: None }
    }

    /// Of a 95 % interval, in standard deviations of games without draws.
    fn half_width(&self) -> f64 {
        quantile(0.975, self.degrees) * self.regularised.sqrt()
    }
}

/// Most games in an observation.
fn games_each(games: &[MeetingCounts]) -> f64 {
    games.iter().map(|games| games.sample.games_each()).fold(1.0, f64::max)
}

/// The observations of all players together, by score.
fn total(games: &[MeetingCounts]) -> Sample {
    let mut total = Pentanomial::default();
    for games in games {
        for (cell, &count) in games.sample.counts().iter().enumerate() {
            let score = 4.0 * games.sample.score(cell);
            let sum = &mut total.0[score as usize];
            *sum = sum.saturating_add(count);
        }
    }
    Sample::from(&total)
}

/// A quantile of Student's distribution, or of the normal one.
pub(super) fn quantile(probability: f64, degrees: Option<f64>) -> f64 {
    match degrees {
        Some(degrees) => students_t(degrees).inverse_cdf(probability),
        None => Normal::standard().inverse_cdf(probability),
    }
}

pub(super) fn students_t(degrees: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, degrees).expect("a fit has one degree of freedom at least")
}
