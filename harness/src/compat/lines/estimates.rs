//! The numbers of fastchess: of the counts as they are, without a prior and without error bars where there is
//! no spread. Our own reports have better ones; these are for programs that read fastchess's lines.

use std::f64::consts::LN_10;

use super::counts::Counts;
use super::quotient;
use crate::stats::normal_cdf;

/// The half-width of a 95 % interval in standard deviations, as fastchess has it.
const Z95: f64 = 1.959_963_984_540_054;

/// Normalized Elo of one standard deviation of a game.
const NELO: f64 = 800.0 / LN_10;

/// Estimates from counts.
#[derive(Clone, Copy, Debug)]
pub struct Estimates {
    /// Elo difference.
    pub elo: f64,
    /// Half of its 95 % interval.
    pub elo_error: f64,
    /// Normalized Elo difference.
    pub nelo: f64,
    /// Half of its 95 % interval.
    pub nelo_error: f64,
    /// Likelihood of superiority, 0 to 1.
    pub los: f64,
    /// Mean score, 0 to 1.
    pub score: f64,
}

impl Estimates {
    /// From pairs.
    pub fn of_pairs(counts: &Counts) -> Estimates {
        let pairs = counts.pairs() as f64;
        let share = |count: u64| quotient(count as f64, pairs);
        let [ww, wd, wl] = [counts.penta_WW, counts.penta_WD, counts.penta_WL].map(share);
        let [dd, ld, ll] = [counts.penta_DD, counts.penta_LD, counts.penta_LL].map(share);
        let score = ww + 0.75 * wd + 0.5 * (wl + dd) + 0.25 * ld;
        let variance = ww * (1.0 - score).powi(2)
            + wd * (0.75 - score).powi(2)
            + (wl + dd) * (0.5 - score).powi(2)
            + ld * (0.25 - score).powi(2)
            + ll * (0.0 - score).powi(2);
        Estimates::new(score, variance, pairs, 2.0)
    }

    /// From games.
    pub fn of_games(counts: &Counts) -> Estimates {
        let games = counts.games() as f64;
        let share = |count: u64| quotient(count as f64, games);
        let [wins, draws, losses] = [counts.wins, counts.draws, counts.losses].map(share);
        let score = wins + 0.5 * draws;
        let variance = wins * (1.0 - score).powi(2)
            + draws * (0.5 - score).powi(2)
            + losses * (0.0 - score).powi(2);
        Estimates::new(score, variance, games, 1.0)
    }

    fn new(score: f64, variance: f64, observations: f64, games_each: f64) -> Estimates {
        if score.is_nan() {
            let none = -f64::NAN;
            let (elo, elo_error, nelo, nelo_error, los) = (none, none, none, none, none);
            return Estimates { elo, elo_error, nelo, nelo_error, los, score };
        }
        let deviation = (variance / observations).sqrt();
        let sigma = (games_each * variance).sqrt();
        let nelo_of = |score: f64| quotient(score - 0.5, sigma) * NELO;
        let [low, high] = [score - Z95 * deviation, score + Z95 * deviation];
        let nelo_error = match variance {
            0.0 => -f64::NAN,
            _ => (nelo_of(high) - nelo_of(low)) / 2.0,
        };
        let los = normal_cdf(quotient(score - 0.5, deviation));
        Estimates {
            elo: elo_of(score),
            elo_error: elo_error(low, high),
            nelo: nelo_of(score),
            nelo_error,
            los: if los.is_nan() { -f64::NAN } else { los },
            score,
        }
    }
}

fn elo_of(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Half of the interval in Elo. Where an end is no score, there is none, and its sign is that of C's `log10`.
fn elo_error(low: f64, high: f64) -> f64 {
    match (low, high) {
        _ if low == high && (low == 0.0 || low == 1.0) => -f64::NAN,
        _ if low < 0.0 || high > 1.0 => f64::NAN,
        _ => (elo_of(high) - elo_of(low)) / 2.0,
    }
}
