//! Counts of results, from which every statistic is computed.

use std::fmt;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The result of one game for one side: for White or for the first player of a pair, as the place
/// where it stands says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameScore {
    /// No point.
    Loss,
    /// Half a point.
    Draw,
    /// One point.
    Win,
}

impl GameScore {
    /// All, by half points.
    pub const ALL: [GameScore; 3] = [GameScore::Loss, GameScore::Draw, GameScore::Win];

    /// The score of this many half points, if it is one.
    #[inline]
    pub fn from_half_points(half_points: u8) -> Option<GameScore> {
        GameScore::ALL.get(usize::from(half_points)).copied()
    }

    /// 0, 0.5 or 1.
    #[inline]
    pub fn value(self) -> f64 {
        f64::from(self as u8) / 2.0
    }

    /// The score in half points: 0, 1 or 2.
    #[inline]
    pub fn half_points(self) -> usize {
        match self {
            GameScore::Loss => 0,
            GameScore::Draw => 1,
            GameScore::Win => 2,
        }
    }

    /// The same game seen from the other side.
    #[inline]
    pub fn reversed(self) -> GameScore {
        match self {
            GameScore::Loss => GameScore::Win,
            GameScore::Draw => GameScore::Draw,
            GameScore::Win => GameScore::Loss,
        }
    }
}

/// Counts of game pairs by pair score 0, ½, 1, 1½, 2, seen from the first player.
///
/// The two games of a pair share an opening and so are not independent; pairs are. That is why
/// error bars and tests are computed from these counts and not from wins, draws and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts one more pair.
    #[inline]
    pub fn add_pair(&mut self, first: GameScore, second: GameScore) {
        self.0[first.half_points() + second.half_points()] += 1;
    }

    /// Number of pairs.
    #[inline]
    pub fn pairs(&self) -> u64 {
        self.0.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Number of games: two a pair.
    #[inline]
    pub fn games(&self) -> u64 {
        self.pairs().saturating_mul(2)
    }

    /// Mean score of a game, 0 to 1; `None` without a pair.
    #[inline]
    pub fn mean(&self) -> Option<f64> {
        Sample::from(self).mean()
    }

    /// Variance of a pair's mean score (0, ¼, ½, ¾, 1) around [`Pentanomial::mean`]; `None`
    /// without a pair.
    pub fn variance(&self) -> Option<f64> {
        Sample::from(self).variance()
    }

    /// Share of pairs that ended 1 : 1; `None` without a pair.
    pub fn draw_ratio(&self) -> Option<f64> {
        let pairs = self.pairs();
        (pairs > 0).then(|| self.0[2] as f64 / pairs as f64)
    }

    /// Pairs won over pairs lost; `None` when none was lost.
    pub fn pairs_ratio(&self) -> Option<f64> {
        let lost = self.0[0].saturating_add(self.0[1]);
        let won = self.0[3].saturating_add(self.0[4]);
        (lost > 0).then(|| won as f64 / lost as f64)
    }

    /// The same pairs seen from the other player.
    #[inline]
    pub fn reversed(&self) -> Pentanomial {
        let mut counts = self.0;
        counts.reverse();
        Pentanomial(counts)
    }
}

impl Add for Pentanomial {
    type Output = Pentanomial;

    fn add(mut self, other: Pentanomial) -> Pentanomial {
        self += other;
        self
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }
}

/// Counts of single games, seen from the first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// Counts one more game.
    #[inline]
    pub fn add_game(&mut self, score: GameScore) {
        match score {
            GameScore::Loss => self.losses += 1,
            GameScore::Draw => self.draws += 1,
            GameScore::Win => self.wins += 1,
        }
    }

    /// Number of games.
    #[inline]
    pub fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// Mean score of a game, 0 to 1; `None` without a game.
    #[inline]
    pub fn mean(&self) -> Option<f64> {
        Sample::from(self).mean()
    }

    /// Variance of a game's score; `None` without a game.
    pub fn variance(&self) -> Option<f64> {
        Sample::from(self).variance()
    }

    /// Share of games drawn; `None` without a game.
    pub fn draw_ratio(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| self.draws as f64 / games as f64)
    }

    /// The same games seen from the other player.
    #[inline]
    pub fn reversed(&self) -> Wdl {
        Wdl { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl AddAssign for Wdl {
    fn add_assign(&mut self, other: Wdl) {
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
    }
}

/// Independent observations of a score: the common form of [`Pentanomial`] and [`Wdl`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    counts: [u64; 5],
    cells: usize,
}

/// Regularised count of an empty cell, so that a likelihood never takes the logarithm of zero
/// (fishtest, `LLRcalc.regularize`).
const EMPTY_CELL: f64 = 1e-3;

impl From<&Pentanomial> for Sample {
    fn from(pairs: &Pentanomial) -> Sample {
        Sample { counts: pairs.0, cells: 5 }
    }
}

impl From<&Wdl> for Sample {
    fn from(games: &Wdl) -> Sample {
        Sample { counts: [games.losses, games.draws, games.wins, 0, 0], cells: 3 }
    }
}

impl Sample {
    /// Counts by score, in rising order.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts[..self.cells]
    }

    /// Games in one observation: two for a pair.
    pub(super) fn games_each(&self) -> f64 {
        (self.cells - 1) as f64 / 2.0
    }

    /// The score of a cell, 0 to 1.
    pub(super) fn score(&self, cell: usize) -> f64 {
        cell as f64 / (self.cells - 1) as f64
    }

    /// Number of observations.
    pub(super) fn observations(&self) -> f64 {
        self.counts().iter().map(|&count| count as f64).sum()
    }

    /// Number of pairs; half the number of single games.
    pub fn pairs(&self) -> f64 {
        self.observations() * self.games_each() / 2.0
    }

    /// Counts with empty cells regularised, as fishtest does.
    pub(super) fn regularised(&self) -> Regularised {
        let mut weights = [0.0; 5];
        for (weight, &count) in weights.iter_mut().zip(self.counts()) {
            *weight = if count == 0 { EMPTY_CELL } else { count as f64 };
        }
        let total = weights.iter().sum();
        let mean = self.mean_of(&weights, total);
        Regularised { weights, total, mean, variance: self.variance_of(&weights, total, mean) }
    }

    pub(super) fn mean(&self) -> Option<f64> {
        let weights = self.counts.map(|count| count as f64);
        let total = self.observations();
        (total > 0.0).then(|| self.mean_of(&weights, total))
    }

    fn variance(&self) -> Option<f64> {
        let weights = self.counts.map(|count| count as f64);
        let total = self.observations();
        (total > 0.0).then(|| self.variance_of(&weights, total, self.mean_of(&weights, total)))
    }

    fn mean_of(&self, weights: &[f64; 5], total: f64) -> f64 {
        (0..self.cells).map(|cell| weights[cell] * self.score(cell)).sum::<f64>() / total
    }

    fn variance_of(&self, weights: &[f64; 5], total: f64, mean: f64) -> f64 {
        (0..self.cells).map(|cell| weights[cell] * (self.score(cell) - mean).powi(2)).sum::<f64>()
            / total
    }
}

/// A [`Sample`] without empty cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Regularised {
    /// Regularised counts; zero beyond the sample's cells.
    pub weights: [f64; 5],
    /// Their sum.
    pub total: f64,
    /// Mean score, strictly between 0 and 1.
    pub mean: f64,
    /// Variance of one observation's score, above zero.
    pub variance: f64,
}

impl Regularised {
    /// Standard deviation of a pair's mean score; of single games, as if the two of a pair were independent.
    pub fn pair_deviation(&self, sample: &Sample) -> f64 {
        (self.variance * sample.games_each() / 2.0).sqrt()
    }
}

/// Counts that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not {expected}: {reason}")]
pub struct ParseCountsError {
    text: String,
    expected: &'static str,
    reason: String,
}

/// Upper bound of the total of games.
const MAX_GAMES: u64 = u64::MAX;

/// Parses `N` counts of results of `games_each` games, with a total of at most [`MAX_GAMES`].
fn parse_counts<const N: usize>(
    text: &str,
    expected: &'static str,
    games_each: u64,
) -> Result<[u64; N], ParseCountsError> {
    let error = |reason| ParseCountsError { text: text.to_owned(), expected, reason };
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    let parts: Vec<&str> = inner.split([',', ' ']).filter(|part| !part.is_empty()).collect();
    if parts.len() != N {
        return Err(error(format!("expected {} numbers, found {}", N, parts.len())));
    }
    let mut counts = [0; N];
    for (count, part) in counts.iter_mut().zip(parts) {
        let all_digits = part.bytes().all(|byte| byte.is_ascii_digit());
        *count = part.parse().map_err(|_| match all_digits {
            true => error(format!("`{part}` is more than can be counted: {MAX_GAMES}")),
            false => error(format!("`{part}` is not a count")),
        })?;
    }
    let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
    if total.is_none_or(|total| total > MAX_GAMES / games_each) {
        return Err(error(format!(
            "together they are more games than can be counted: {MAX_GAMES}"
        )));
    }
    Ok(counts)
}

impl FromStr for Pentanomial {
    type Err = ParseCountsError;

    /// Parses `10,60,120,75,15`, also with spaces and in brackets.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_counts(text, "five counts of pairs by score 0, 1/2, 1, 3/2, 2", 2).map(Pentanomial)
    }
}

impl FromStr for Wdl {
    type Err = ParseCountsError;

    /// Parses `wins,draws,losses`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let counts = parse_counts(text, "three counts: wins, draws, losses", 1)?;
        let [wins, draws, losses] = counts;
        Ok(Wdl { wins, draws, losses })
    }
}

impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ll, ld, dd, dw, ww] = self.0;
        write!(f, "[{ll}, {ld}, {dd}, {dw}, {ww}]")
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "W {} D {} L {}", self.wins, self.draws, self.losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_counted_by_its_sum() {
        use GameScore::{Draw, Loss, Win};
        let mut counts = Pentanomial::default();
        for (first, second) in [(Loss, Loss), (Draw, Loss), (Win, Loss), (Draw, Draw), (Win, Win)] {
            counts.add_pair(first, second);
        }
        assert_eq!(counts, Pentanomial([1, 1, 2, 0, 1]));
        assert_eq!((counts.pairs(), counts.games()), (5, 10));
        assert_eq!(counts.mean(), Some(0.45));
        assert_eq!(counts.reversed(), Pentanomial([1, 0, 2, 1, 1]));
    }

    #[test]
    fn mean_and_variance_are_those_of_scores_between_zero_and_one() {
        let pairs = Pentanomial([1, 0, 0, 0, 1]);
        assert_eq!((pairs.mean(), pairs.variance()), (Some(0.5), Some(0.25)));
        let games = Wdl { wins: 1, draws: 2, losses: 1 };
        assert_eq!((games.mean(), games.variance()), (Some(0.5), Some(0.125)));
        assert_eq!(Pentanomial::default().mean(), None);
        assert_eq!(Wdl::default().variance(), None);
    }

    #[test]
    fn ratios_are_none_where_they_would_divide_by_zero() {
        assert_eq!(Pentanomial([5, 40, 165, 33, 7]).pairs_ratio(), Some(40.0 / 45.0));
        assert_eq!(Pentanomial([5, 40, 165, 33, 7]).draw_ratio(), Some(165.0 / 250.0));
        assert_eq!(Pentanomial([0, 0, 3, 1, 0]).pairs_ratio(), None);
        assert_eq!(Pentanomial::default().draw_ratio(), None);
    }

    #[test]
    fn counts_are_read_as_other_tools_print_them() {
        for text in ["1,2,3,4,5", "[1, 2, 3, 4, 5]", "1 2 3 4 5"] {
            assert_eq!(text.parse(), Ok(Pentanomial([1, 2, 3, 4, 5])), "{text}");
        }
        assert_eq!("3,2,1".parse(), Ok(Wdl { wins: 3, draws: 2, losses: 1 }));
        for text in ["", "1,2,3", "1,2,3,4,5,6", "1,2,3,4,x", "1,2,3,4,-5", "1,2,3,4,5.5"] {
            assert!(text.parse::<Pentanomial>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_total_of_games_beyond_64_bits_is_refused_and_never_wraps() {
        let half = u64::MAX / 2;
        assert!(format!("{half},0,0,0,0").parse::<Pentanomial>().is_ok());
        for text in
            [format!("{half},1,0,0,0"), format!("0,0,{},0,0", u64::MAX), "1,2,3,4,9e9".into()]
        {
            assert!(text.parse::<Pentanomial>().is_err(), "{text}");
        }
        assert!(format!("{},0,0", u64::MAX).parse::<Wdl>().is_ok());
        for text in [format!("{},1,0", u64::MAX), "18446744073709551616,0,0".to_owned()] {
            let error = text.parse::<Wdl>().expect_err("too many").to_string();
            assert!(error.contains("more") && error.contains("counted"), "{error}");
        }
        let mut sum = Pentanomial([u64::MAX; 5]);
        sum += Pentanomial([1; 5]);
        assert_eq!((sum.pairs(), sum.games()), (u64::MAX, u64::MAX));
    }
}
