//! Ratings of many players from all of their games at once.
//!
//! The model is that of R. A. Bradley and M. E. Terry (1952) on the Elo scale: against a player
//! who is d weaker one scores 1 / (1 + 10^(-d/400)) on average. A draw is half a win and half a
//! loss, so that ratings are those under which everybody's expected points are the points made
//! (as in Ordo, M. A. Ballicora), and that two players are apart by exactly what
//! [`Elo`](super::Elo) says. What draws do is to make scores vary less: the likelihood is a
//! quasi-likelihood (R. Wedderburn, 1974) whose dispersion is estimated from the residuals of
//! games, or of pairs where openings were played twice. Error bars are those of the inverse
//! Fisher information times that dispersion; after few games they are Student's, and two players
//! whom nothing but their own pairs links are compared by these alone.

mod connected;
mod fit;
mod games;
mod matrix;

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::LN_10;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};
use thiserror::Error;

use super::counts::{Pentanomial, Wdl};
use super::elo::{Elo, Method, Z975, los, normal_cdf};
use fit::Fit;
use games::Games;
use matrix::Symmetric;

/// Elo in one natural unit of the logistic function.
const ELO: f64 = 400.0 / LN_10;

/// What one player got against another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The player whose results these are.
    pub first: usize,
    /// The opponent.
    pub second: usize,
    /// Their games.
    pub results: Results,
}

/// Games of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Results {
    /// Single games, in which the first player had the white pieces.
    White(Wdl),
    /// Pairs of games, in which each had the white pieces once.
    Pairs(Pentanomial),
}

/// Whether the white pieces count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhitePieces {
    /// They are worth some Elo, to be found out too.
    Estimated,
    /// Everybody had them as often as not.
    Ignored,
}

/// Why a player has no rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unrated {
    /// It did not play.
    #[error("no game was played")]
    NoGames,
    /// It won all of its games.
    #[error("every game was won: no upper end")]
    AllWon,
    /// It lost all of its games.
    #[error("every game was lost: no lower end")]
    AllLost,
    /// It belongs to players who only ever won, or only ever lost, against those who are rated,
    /// or who never met them.
    #[error("no chain of points won and lost links it with the others")]
    Apart,
}

/// Ratings of players, the average of those who have one being 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// Each player's, in the order in which they were numbered; its error is that of the distance
    /// from the average.
    pub players: Vec<Result<Elo, Unrated>>,
    /// What the white pieces are worth, where that was estimated.
    pub white: Option<Elo>,
    /// How much more or less scores vary than coins would: below 1 where there are draws.
    pub dispersion: f64,
    /// Row of a player in the covariance.
    rows: Vec<Option<usize>>,
    /// Of rated players, in squared Elo.
    covariance: Symmetric,
    /// Of Student's distribution of the errors; `None` with many games.
    degrees: Option<f64>,
    /// Pairs of two rated players whom nothing but these links, seen from the first of them.
    alone: BTreeMap<(usize, usize), Pentanomial>,
}

impl Ratings {
    /// Rates `players` players, numbered from 0.
    ///
    /// Players are rated as far as points link them in both directions (L. R. Ford, 1957): of
    /// all such groups the one with most games. Meetings of players beyond `players`, or of one
    /// with itself, are left out.
    pub fn of(players: usize, meetings: &[Meeting], white: WhitePieces) -> Ratings {
        let valid = |meeting: &&Meeting| {
            meeting.first.max(meeting.second) < players && meeting.first != meeting.second
        };
        let games: Vec<Games> = meetings.iter().filter(valid).map(Games::of).collect();
        let group = connected::largest(players, &games);
        let mut rows = vec![None; players];
        for (row, &player) in group.iter().enumerate() {
            rows[player] = Some(row);
        }
        let inside: Vec<Games> = games
            .iter()
            .filter_map(|games| games.renumbered(&rows))
            .filter(|games| games.count > 0.0)
            .collect();
        let fit = match white {
            // The colour tells nothing of its own where it goes with the player.
            WhitePieces::Estimated => {
                Fit::of(group.len(), true, &inside).or_else(|| Fit::of(group.len(), false, &inside))
            }
            WhitePieces::Ignored => Fit::of(group.len(), false, &inside),
        };
        let unrated = |player| reason(player, &games);
        let Some(fit) = fit.filter(|_| group.len() > 1) else {
            return Ratings {
                players: (0..players).map(|player| Err(unrated(player))).collect(),
                white: None,
                dispersion: 1.0,
                rows: vec![None; players],
                covariance: Symmetric::zero(0),
                degrees: None,
                alone: BTreeMap::new(),
            };
        };
        let rating = |row: usize| {
            let deviation = fit.covariance.at(row, row).max(0.0).sqrt();
            with_deviation(ELO * fit.values[row], deviation, fit.degrees)
        };
        Ratings {
            players: (0..players)
                .map(|player| rows[player].map(rating).ok_or_else(|| unrated(player)))
                .collect(),
            white: fit.white.then(|| rating(group.len())),
            dispersion: fit.dispersion,
            alone: alone(meetings, &rows),
            rows,
            covariance: fit.covariance,
            degrees: fit.degrees,
        }
    }

    /// How far `first` is above `second`; its error is smaller than the two errors suggest where
    /// they met each other often. Where nothing but their own pairs tells, it is [`Elo::of`]
    /// these. `None` unless both have a rating.
    pub fn difference(&self, first: usize, second: usize) -> Option<Elo> {
        if let Some(pairs) = self.alone(first, second) {
            return Elo::of(&pairs).ok();
        }
        let (value, deviation) = self.distance(first, second)?;
        Some(with_deviation(value, deviation, self.degrees))
    }

    /// Likelihood of superiority: the probability that `first` is the stronger one, from the same
    /// distribution as the interval of [`Ratings::difference`]. `None` unless both have a rating,
    /// and of a player against itself.
    pub fn los(&self, first: usize, second: usize) -> Option<f64> {
        if let Some(pairs) = self.alone(first, second) {
            return los(&pairs);
        }
        let (value, deviation) = self.distance(first, second)?;
        let below = |z: f64| match self.degrees.map(students_t) {
            Some(students) => students.cdf(z),
            None => normal_cdf(z),
        };
        (first != second).then(|| below(value / deviation))
    }

    /// How far `first` is above `second`, and the standard deviation of that, in Elo.
    fn distance(&self, first: usize, second: usize) -> Option<(f64, f64)> {
        let row = |player: usize| self.rows.get(player).copied().flatten();
        let (a, b) = (row(first)?, row(second)?);
        let [above, below] = [first, second].map(|player| self.players[player].ok());
        let at = |i, j| self.covariance.at(i, j);
        let variance = (at(a, a) + at(b, b) - 2.0 * at(a, b)).max(0.0);
        Some((above?.value - below?.value, variance.sqrt()))
    }

    fn alone(&self, first: usize, second: usize) -> Option<Pentanomial> {
        let reversed = || self.alone.get(&(second, first)).map(Pentanomial::reversed);
        self.alone.get(&(first, second)).copied().or_else(reversed)
    }
}

/// An estimate with the 95 % interval of Student's distribution, or the normal one.
fn with_deviation(value: f64, deviation: f64, degrees: Option<f64>) -> Elo {
    match degrees {
        None => Elo::symmetric(value, Z975 * deviation, Method::Normal),
        Some(degrees) => {
            let width = students_t(degrees).inverse_cdf(0.975);
            Elo::symmetric(value, width * deviation, Method::Student)
        }
    }
}

fn students_t(degrees: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, degrees).expect("a fit has one degree of freedom at least")
}

/// The pairs of each two rated players who would not be linked without them.
fn alone(meetings: &[Meeting], rows: &[Option<usize>]) -> BTreeMap<(usize, usize), Pentanomial> {
    let rated = |player: usize| rows.get(player).copied().flatten().is_some();
    let mut linked: BTreeMap<(usize, usize), Option<Pentanomial>> = BTreeMap::new();
    for meeting in meetings.iter().filter(|one| rated(one.first) && rated(one.second)) {
        let (first, second) = (meeting.first, meeting.second);
        let (key, turned) = ((first.min(second), first.max(second)), first > second);
        let sum = linked.entry(key).or_insert_with(|| Some(Pentanomial::default()));
        // Single games tell of the colours too, and so of the others.
        *sum = match (*sum, meeting.results) {
            (Some(sum), Results::Pairs(pairs)) if turned => Some(sum + pairs.reversed()),
            (Some(sum), Results::Pairs(pairs)) => Some(sum + pairs),
            (None, _) | (_, Results::White(_)) => None,
        };
    }
    let others = |without: (usize, usize)| linked.keys().filter(move |key| **key != without);
    let is_bridge = |&(first, second): &(usize, usize)| {
        let (mut reached, mut open) = (BTreeSet::from([first]), vec![first]);
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

/// Why a player who is not among the rated ones is not.
fn reason(player: usize, games: &[Games]) -> Unrated {
    let (mut count, mut points) = (0.0, 0.0);
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
        Unrated::AllWon
    } else if points == 0.0 {
        Unrated::AllLost
    } else {
        Unrated::Apart
    }
}

#[cfg(test)]
mod tests;
