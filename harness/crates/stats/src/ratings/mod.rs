//! Ratings of many players from all of their games at once.
//!
//! The model is that of R. A. Bradley and M. E. Terry (1952) on the Elo scale: against a player who
//! is d weaker the expected score is 1 / (1 + 10^(-d/400)). A draw is half a win and half a loss,
//! so expected points equal scored points at the fit (as in Ordo, M. A. Ballicora), and two players
//! are apart by exactly their [`Elo`](super::Elo). Draws lower the variance of scores: the
//! likelihood is a quasi-likelihood (R. Wedderburn, 1974) whose dispersion is estimated from the
//! residuals of games, or of pairs where openings were played twice. Errors follow from the inverse
//! Fisher information times the dispersion; after few games they are Student's, and two players
//! linked by their own pairs only are compared by these alone.

mod anchored;
mod connected;
mod fit;
mod games;
pub(crate) mod matrix;
pub(crate) mod newton;
mod one_sided;
mod reference;
mod separation;

pub use anchored::Anchored;
pub use games::{Meeting, Results};
pub use reference::{Rated, Reference, ReferenceGames};
pub use separation::Favoured;

use std::collections::{BTreeMap, BTreeSet};

use statrs::distribution::ContinuousCDF;
use thiserror::Error;

use super::counts::Pentanomial;
use super::elo::{Elo, Method, los, normal_cdf};
use fit::{Fit, White};
use games::{ELO, MeetingCounts};
use matrix::Symmetric;
use separation::Colours;

/// Whether the advantage of the white pieces is a parameter of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhiteAdvantage {
    /// Estimated with the ratings.
    Estimated,
    /// Left out: colours are balanced.
    Ignored,
}

/// Why a player has no rating.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum Unrated {
    /// It did not play.
    #[error("no game was played")]
    NoGames,
    /// It won all of its games.
    #[error("every game was won: no upper end{}", bound_text("above", *above))]
    AllWon {
        /// Elo that is exceeded with 95 % confidence, if it met a rated player.
        above: Option<f64>,
    },
    /// It lost all of its games.
    #[error("every game was lost: no lower end{}", bound_text("below", *below))]
    AllLost {
        /// Elo that is not reached with 95 % confidence, if it met a rated player.
        below: Option<f64>,
    },
    /// It only won, or only lost, against the rated players and those linked with them, or never
    /// met them.
    #[error("no chain of points won and lost links it with the others")]
    Apart,
}

fn bound_text(side: &str, bound: Option<f64>) -> String {
    bound.map_or_else(String::new, |elo| format!(" (95 % sure to be {side} {elo:.0})"))
}

/// Why there is no advantage of the white pieces.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum WhiteUndefined {
    /// Every result is explained the better, the larger the advantage is.
    #[error(
        "colours separate the results: the advantage of {favoured} has no upper end (95 %: above \
         {beyond:.0} Elo)"
    )]
    Separated {
        /// The colour with the advantage.
        favoured: Favoured,
        /// The advantage in Elo that is exceeded with 95 % confidence.
        beyond: f64,
    },
    /// Who had which colour goes with the players.
    #[error(
        "colours go with the players: the advantage of White cannot be separated from their strength"
    )]
    Confounded,
}

/// Ratings of players; the average of the rated players is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// Each player's, in the order in which they were numbered; its error is that of the distance
    /// from the average.
    pub players: Vec<Result<Elo, Unrated>>,
    /// Advantage of the white pieces, where it was estimated.
    pub white: Option<Elo>,
    /// Why it was not, although it was asked for. The ratings then have a prior of three games
    /// won and three lost by White against an equal.
    pub white_undefined: Option<WhiteUndefined>,
    /// Variance of scores over that of a Bernoulli variable: below 1 where there are draws.
    pub dispersion: f64,
    /// Row of a player in the covariance.
    rows: Vec<Option<usize>>,
    /// Of rated players, in squared Elo.
    covariance: Symmetric,
    /// Degrees of freedom of the errors' Student distribution; `None` with many games.
    degrees: Option<f64>,
    /// Pairs of two rated players whose only link they are, seen from the first of them.
    bridges: BTreeMap<(usize, usize), Pentanomial>,
}

impl Ratings {
    /// Rates `players` players, numbered from 0.
    ///
    /// A rating exists within a strongly connected component of the graph of points won (L. R.
    /// Ford, 1957); the component with most games is rated. Meetings of players beyond `players`,
    /// or of one with itself, are left out.
    pub fn from_meetings(players: usize, meetings: &[Meeting], white: WhiteAdvantage) -> Ratings {
        let valid = |meeting: &&Meeting| {
            meeting.first.max(meeting.second) < players && meeting.first != meeting.second
        };
        let games: Vec<MeetingCounts> =
            meetings.iter().filter(valid).map(MeetingCounts::from).collect();
        let group = connected::largest(players, &games);
        let mut rows = vec![None; players];
        for (row, &player) in group.iter().enumerate() {
            rows[player] = Some(row);
        }
        let inside: Vec<MeetingCounts> = games
            .iter()
            .filter_map(|games| games.renumbered(&rows))
            .filter(|games| games.count > 0.0)
            .collect();
        let colours = separation::colours(group.len(), &inside);
        let fitted = match (white, colours) {
            (WhiteAdvantage::Ignored, _) => White::Ignored,
            (WhiteAdvantage::Estimated, Colours::Determined) => White::Free,
            (WhiteAdvantage::Estimated, _) => White::Prior,
        };
        let fit = Fit::new(group.len(), fitted, &inside);
        let Some(fit) = fit.filter(|_| group.len() > 1) else {
            let unrated = |player| Err(reason(player, &games, |_| None));
            return Ratings {
                players: (0..players).map(unrated).collect(),
                white: None,
                white_undefined: None,
                dispersion: 1.0,
                rows: vec![None; players],
                covariance: Symmetric::zero(0),
                degrees: None,
                bridges: BTreeMap::new(),
            };
        };
        let rating = |row: usize| {
            let deviation = fit.covariance.at(row, row).max(0.0).sqrt();
            with_deviation(ELO * fit.values[row], deviation, fit.degrees)
        };
        let unrated = |player| {
            reason(player, &games, |won| Some(ELO * fit.bound(player, won, &games, &rows)?))
        };
        Ratings {
            players: (0..players)
                .map(|player| rows[player].map(rating).ok_or_else(|| unrated(player)))
                .collect(),
            white: (fitted == White::Free).then(|| rating(group.len())),
            white_undefined: (fitted == White::Prior).then(|| undefined(&fit, colours)),
            dispersion: fit.dispersion,
            bridges: bridges(meetings, &rows),
            rows,
            covariance: fit.covariance,
            degrees: fit.degrees,
        }
    }

    /// How far `first` is above `second`; its error is smaller than the two errors suggest where
    /// they met often. Where their own pairs are the only link, it is [`Elo::from_counts`] these. `None`
    /// unless both have a rating.
    pub fn difference(&self, first: usize, second: usize) -> Option<Elo> {
        if let Some(pairs) = self.bridges(first, second) {
            return Elo::from_counts(&pairs).ok();
        }
        let (value, deviation) = self.distance(first, second)?;
        Some(with_deviation(value, deviation, self.degrees))
    }

    /// Likelihood of superiority: the probability that `first` is the stronger one, from the same
    /// distribution as the interval of [`Ratings::difference`]. `None` unless both have a rating,
    /// and of a player against itself.
    pub fn los(&self, first: usize, second: usize) -> Option<f64> {
        if let Some(pairs) = self.bridges(first, second) {
            return los(&pairs);
        }
        let (value, deviation) = self.distance(first, second)?;
        let below = |z: f64| match self.degrees.map(fit::students_t) {
            Some(students) => students.cdf(z),
            None => normal_cdf(z),
        };
        (first != second).then(|| below(value / deviation))
    }

    /// How far `first` is above `second`, and the standard deviation of that, in Elo.
    fn distance(&self, first: usize, second: usize) -> Option<(f64, f64)> {
        let row = |player: usize| self.rows.get(player).copied().flatten();
        let a = row(first)?;
        let b = row(second)?;
        let [above, below] = [first, second].map(|player| self.players[player].ok());
        let at = |i, j| self.covariance.at(i, j);
        let variance = (at(a, a) + at(b, b) - 2.0 * at(a, b)).max(0.0);
        Some((above?.value - below?.value, variance.sqrt()))
    }

    fn bridges(&self, first: usize, second: usize) -> Option<Pentanomial> {
        let reversed = || self.bridges.get(&(second, first)).map(Pentanomial::reversed);
        self.bridges.get(&(first, second)).copied().or_else(reversed)
    }
}

/// Why an advantage that was fitted with a prior is not known.
fn undefined(fit: &Fit, colours: Colours) -> WhiteUndefined {
    let Colours::Separating(favoured) = colours else { return WhiteUndefined::Confounded };
    let row = fit.values.len() - 1;
    let deviation = fit.covariance.at(row, row).max(0.0).sqrt();
    let advantage = favoured.sign() * ELO * fit.values[row];
    let beyond = advantage - fit::quantile(0.95, fit.degrees) * deviation;
    WhiteUndefined::Separated { favoured, beyond }
}

/// An estimate with a 95 % interval from Student's or the normal distribution.
fn with_deviation(value: f64, deviation: f64, degrees: Option<f64>) -> Elo {
    let method = if degrees.is_some() { Method::Student } else { Method::Normal };
    Elo::symmetric(value, fit::quantile(0.975, degrees) * deviation, method)
}

/// Pairs of each two rated players that are a bridge of the graph of meetings.
fn bridges(meetings: &[Meeting], rows: &[Option<usize>]) -> BTreeMap<(usize, usize), Pentanomial> {
    let rated = |player: usize| rows.get(player).copied().flatten().is_some();
    let mut linked: BTreeMap<(usize, usize), Option<Pentanomial>> = BTreeMap::new();
    for meeting in meetings.iter().filter(|one| rated(one.first) && rated(one.second)) {
        let first = meeting.first;
        let second = meeting.second;
        let key = (first.min(second), first.max(second));
        let turned = first > second;
        let sum = linked.entry(key).or_insert_with(|| Some(Pentanomial::default()));
        // Single games inform the white advantage too, and so other ratings.
        *sum = match (*sum, meeting.results) {
            (Some(sum), Results::Pairs(pairs)) if turned => Some(sum + pairs.reversed()),
            (Some(sum), Results::Pairs(pairs)) => Some(sum + pairs),
            (None, _) | (_, Results::White(_)) => None,
        };
    }
    let others = |without: (usize, usize)| linked.keys().filter(move |key| **key != without);
    let is_bridge = |&(first, second): &(usize, usize)| {
        let mut reached = BTreeSet::from([first]);
        let mut open = vec![first];
        while let Some(player) = open.pop() {
            for &(a, b) in others((first, second)) {
                let next = if a == player { b } else { a };
                if (a == player || b == player) && reached.insert(next) {
                    open.push(next);
                }
            }
        }
        !reached.contains(&second)
    };
    let known = linked.iter().filter_map(|(&key, sum)| Some((key, (*sum)?)));
    known.filter(|(key, _)| is_bridge(key)).collect()
}

/// Why a player has no rating; `bound` is that of its rating in Elo where it won (true) or lost every
/// game.
fn reason(player: usize, games: &[MeetingCounts], bound: impl Fn(bool) -> Option<f64>) -> Unrated {
    let mut count = 0.0;
    let mut points = 0.0;
    for games in games {
        if games.first == player {
            count += games.count;
            points += games.points;
        } else if games.second == player {
            count += games.count;
            points += games.count - games.points;
        }
    }
    if count == 0.0 {
        Unrated::NoGames
    } else if points == count {
        Unrated::AllWon { above: bound(true) }
    } else if points == 0.0 {
        Unrated::AllLost { below: bound(false) }
    } else {
        Unrated::Apart
    }
}

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod tests;
