//! Counts of the games of two players, and their expectation.

use std::f64::consts::LN_10;

use super::super::counts::{Pentanomial, Sample, Wdl};
use super::super::elo::logistic;

/// Elo in one logit.
pub(super) const ELO: f64 = 400.0 / LN_10;

/// Results of one player against another.
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

/// Counts of a [`Meeting`].
#[derive(Clone, Copy, Debug)]
pub(super) struct MeetingCounts {
    pub first: usize,
    pub second: usize,
    /// 1 where the first player has the white pieces; 0 where both have them.
    pub white: f64,
    /// Number of games.
    pub count: f64,
    /// Points of the first player.
    pub points: f64,
    pub sample: Sample,
}

impl From<&Meeting> for MeetingCounts {
    fn from(meeting: &Meeting) -> MeetingCounts {
        let (white, sample) = match &meeting.results {
            Results::White(games) => (1.0, Sample::from(games)),
            Results::Pairs(pairs) => (0.0, Sample::from(pairs)),
        };
        let count = sample.observations() * sample.games_each();
        let points = sample.mean().unwrap_or(0.0) * count;
        let Meeting { first, second, .. } = *meeting;
        MeetingCounts { first, second, white, count, points, sample }
    }
}

impl MeetingCounts {
    pub fn renumbered(&self, rows: &[Option<usize>]) -> Option<MeetingCounts> {
        let first = rows[self.first]?;
        let second = rows[self.second]?;
        Some(MeetingCounts { first, second, ..*self })
    }

    /// Expectation for the first player.
    pub fn expected(&self, values: &[f64], white: bool) -> Expected {
        let advantage = if white { self.white * values[values.len() - 1] } else { 0.0 };
        Expected::at(values[self.first] - values[self.second] + advantage)
    }

    /// Points above the expected ones.
    pub fn residual(&self, expected: Expected) -> f64 {
        // Without a difference of near-equal numbers where the score is near 1.
        self.points * expected.loss() - (self.count - self.points) * expected.score()
    }

    /// Sum over games or pairs of the squared residual over the Bernoulli variance.
    pub fn chi_square(&self, expected: Expected) -> f64 {
        let counts = self.sample.counts().iter().enumerate();
        let squares: f64 = counts
            .map(|(cell, &count)| {
                let score = self.sample.score(cell);
                let residual = score * expected.loss() - (1.0 - score) * expected.score();
                count as f64 * residual.powi(2)
            })
            .sum();
        squares * self.sample.games_each() / expected.variance()
    }
}

/// The expected score at a distance in logits.
#[derive(Clone, Copy)]
pub(super) struct Expected {
    distance: f64,
}

impl Expected {
    /// At a distance in logits.
    pub fn at(distance: f64) -> Expected {
        Expected { distance }
    }

    pub fn score(self) -> f64 {
        logistic(self.distance)
    }

    /// 1 less the score.
    pub fn loss(self) -> f64 {
        logistic(-self.distance)
    }

    /// Of a game without draws.
    pub fn variance(self) -> f64 {
        self.score() * self.loss()
    }
}
