//! Players who won, or lost, all of their games: their rating has one end.

use super::super::elo::logistic;
use super::games::MeetingCounts;

/// Probability that the rating is beyond its bound.
const OUTSIDE: f64 = 0.05;

/// Games that the prior counts as won, and as many as lost, against the average opponent. Chosen on
/// one half of simulated tournaments; see `coverage.rs`.
const PRIOR_GAMES: f64 = 5.0;

/// Furthest rating from an opponent that is integrated over, in logits, and the step.
const FURTHEST: f64 = 40.0;
const STEP: f64 = 0.02;

/// The rating in logits that a player who won every game exceeds with 95 % confidence, or that one
/// who lost every game does not reach: a quantile of its posterior with a weak prior, without which
/// the few of many players who win everything would seem too strong. A pair counts once, since a
/// player wins both of its games no more often than one. `rating` is that of an opponent in logits,
/// where it has one; `white` the advantage of the white pieces. `None` without a rated opponent.
pub(super) fn bound(
    player: usize,
    won: bool,
    games: &[MeetingCounts],
    rating: impl Fn(usize) -> Option<f64>,
    white: f64,
) -> Option<Bound> {
    let met: Vec<MetOpponent> =
        games.iter().filter_map(|games| MetOpponent::new(player, games, &rating, white)).collect();
    let total: f64 = met.iter().map(|met| met.count).sum();
    if total == 0.0 {
        return None;
    }
    let average = met.iter().map(|met| met.count * met.rating).sum::<f64>() / total;
    let sign = if won { 1.0 } else { -1.0 };
    // Distances are those in favour of the results, so that both ends are one case.
    let log_density = |at: f64| {
        let of = |met: &MetOpponent| met.count * logistic(sign * (at - met.rating)).ln();
        let prior = logistic(at - average).ln() + logistic(average - at).ln();
        met.iter().map(of).sum::<f64>() + PRIOR_GAMES * prior
    };
    let at = quantile(log_density, average - sign * FURTHEST, sign * STEP);
    let weights = met.iter().map(|met| (met.opponent, met.count / total)).collect();
    Some(Bound { at, weights })
}

/// The value up to which a density has the share [`OUTSIDE`], from `first` on.
fn quantile(log_density: impl Fn(f64) -> f64, first: f64, step: f64) -> f64 {
    let steps = (2.0 * FURTHEST / STEP) as usize;
    let place = |number: usize| first + step * number as f64;
    let logs: Vec<f64> = (0..steps).map(|number| log_density(place(number))).collect();
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let densities: Vec<f64> = logs.iter().map(|log| (log - highest).exp()).collect();
    let mut left = OUTSIDE * densities.iter().sum::<f64>();
    let inside = densities.iter().position(|density| {
        left -= density;
        left < 0.0
    });
    place(inside.unwrap_or(0))
}

/// A bound, and the opponents whose ratings it is from.
pub(super) struct Bound {
    /// In logits.
    pub at: f64,
    /// Opponents with their shares of the games.
    pub weights: Vec<(usize, f64)>,
}

/// Games against a rated opponent.
struct MetOpponent {
    opponent: usize,
    /// Rating of the opponent, less what the colours gave the player.
    rating: f64,
    /// Games or pairs.
    count: f64,
}

impl MetOpponent {
    fn new(
        player: usize,
        games: &MeetingCounts,
        rating: impl Fn(usize) -> Option<f64>,
        white: f64,
    ) -> Option<MetOpponent> {
        let (opponent, sign) = match player {
            _ if games.first == player => (games.second, 1.0),
            _ if games.second == player => (games.first, -1.0),
            _ => return None,
        };
        let rating = rating(opponent)? - sign * games.white * white;
        Some(MetOpponent { opponent, rating, count: games.sample.observations() })
    }
}
