//! The rating of a player from games with references: players with published ratings.
//!
//! The rating itself is that of [`Anchored`]. Its error has three parts: that of the games; that of the
//! published ratings, which is the same in all games with a reference and does not shrink with their
//! number; and the disagreement of the references, by which their games say different ratings (Birge's
//! ratio, as in [`crate::strength`]). Which reference to play next follows from the information of a game:
//! p (1 - p) at an expected score p, averaged over what the rating may be, of which a reference whose own
//! rating is uncertain gives less and less (optimal design: V. Fedorov, "Theory of Optimal Experiments",
//! 1972, chapter 2).

use super::super::counts::{Pentanomial, Sample};
use super::super::elo::{Elo, logistic};
use super::Unrated;
use super::anchored::Anchored;
use super::fit::quantile;
use super::games::{ELO, Meeting, Results};

/// A player with a published rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// In Elo.
    pub elo: f64,
    /// Half of its published 95 % interval; 0 where none was published.
    pub error95: f64,
}

/// Games of a player with references, in their order.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceGames<'a> {
    /// The references.
    pub references: &'a [Reference],
    /// Pairs with each, seen from the rated player.
    pub pairs: &'a [Pentanomial],
}

/// A rating on the scale of the references.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rated {
    /// The rating; its interval has all parts of the error.
    pub elo: Elo,
    /// Half of the 95 % interval by the games alone.
    pub games95: f64,
    /// The same by the published ratings alone.
    pub references95: f64,
    /// By which factor the disagreement of the references widened both; 1 where there is none.
    pub disagreement: f64,
}

/// Standard deviation of what the rating may be before the first game, around the average reference.
const PRIOR_DEVIATION: f64 = 400.0;

/// Places of the grid on either side of the average reference, in Elo, and their distance.
const FURTHEST: f64 = 2_000.0;
const STEP: f64 = 10.0;

/// As of [`crate::strength`]: the degrees of freedom at which references are taken to agree.
const AGREEING: f64 = 4.0;

/// A step of a published rating, to see how far the result follows.
const SHIFT: f64 = 1.0;

impl ReferenceGames<'_> {
    /// The rating; `Err` with a bound where all games were won, or all lost.
    ///
    /// # Errors
    /// [`Unrated`].
    pub fn rating(&self) -> Result<Rated, Unrated> {
        let stated: Vec<f64> = self.references.iter().map(|reference| reference.elo).collect();
        let elo = self.anchored(&stated)?;
        let disagreement = self.disagreement(elo.value);
        let variance = self.reference_variance(&stated, elo.value);
        let references95 = disagreement * quantile(0.975, None) * variance.sqrt();
        let games95 = disagreement * elo.error95;
        let error95 = games95.hypot(references95);
        let whole = Elo::symmetric(elo.value, error95, elo.method);
        Ok(Rated { elo: whole, games95, references95, disagreement })
    }

    /// The rating that the games with one reference alone show, and what is known against it.
    ///
    /// # Errors
    /// [`Unrated`].
    pub fn performance(&self, reference: usize) -> Result<Elo, Unrated> {
        let mut pairs = vec![Pentanomial::default(); self.pairs.len()];
        pairs[reference] = self.pairs[reference];
        let stated: Vec<f64> = self.references.iter().map(|reference| reference.elo).collect();
        ReferenceGames { pairs: &pairs, ..*self }.anchored(&stated)
    }

    /// The reference of which `pairs` more pairs tell most; the first of several. `None` without one.
    pub fn most_informative(&self, pairs: u64) -> Option<usize> {
        let grid = self.posterior();
        let dispersion = self.dispersion();
        let gain = |(number, reference): (usize, &Reference)| {
            let each: f64 = grid
                .iter()
                .map(|(elo, weight)| weight * information(elo - reference.elo))
                .sum::<f64>()
                / dispersion;
            let played = self.pairs[number].games() as f64;
            let known = |games: f64| {
                let of_reference = (reference.error95 / quantile(0.975, None)).powi(2);
                if games > 0.0 { 1.0 / (1.0 / (games * each) + of_reference) } else { 0.0 }
            };
            known(played + 2.0 * pairs as f64) - known(played)
        };
        let gains: Vec<f64> = self.references.iter().enumerate().map(gain).collect();
        // Of equal ones the first.
        let numbered = gains.iter().enumerate().rev();
        numbered.max_by(|a, b| a.1.total_cmp(b.1)).map(|(number, _)| number)
    }

    /// The rating with the published ones taken as exact.
    fn anchored(&self, stated: &[f64]) -> Result<Elo, Unrated> {
        let players: Vec<Option<f64>> =
            std::iter::once(None).chain(stated.iter().map(|&elo| Some(elo))).collect();
        let met = self.pairs.iter().enumerate().filter(|(_, pairs)| pairs.pairs() > 0);
        let meetings: Vec<Meeting> = met
            .map(|(number, &pairs)| Meeting {
                first: 0,
                second: number + 1,
                results: Results::Pairs(pairs),
            })
            .collect();
        Anchored::from_meetings(&players, &meetings).players[0]
    }

    /// Variance that the published ratings bring in: of each times the square of how far the result follows
    /// it.
    fn reference_variance(&self, stated: &[f64], rating: f64) -> f64 {
        let of = |(number, reference): (usize, &Reference)| {
            if reference.error95 <= 0.0 || self.pairs[number].pairs() == 0 {
                return 0.0;
            }
            let mut shifted = stated.to_vec();
            shifted[number] += SHIFT;
            let moved = self.anchored(&shifted).map_or(0.0, |elo| (elo.value - rating) / SHIFT);
            (moved * reference.error95 / quantile(0.975, None)).powi(2)
        };
        self.references.iter().enumerate().map(of).sum()
    }

    /// The square root of chi-square over its degrees of freedom, shrunk towards 1 and never below: how far
    /// the ratings that the references show are apart.
    fn disagreement(&self, rating: f64) -> f64 {
        let mut chi_square = 0.0;
        let mut degrees = -1.0;
        for number in 0..self.references.len() {
            let Ok(elo) = self.performance(number) else { continue };
            let own = elo.error95.hypot(self.references[number].error95) / quantile(0.975, None);
            chi_square += ((elo.value - rating) / own).powi(2);
            degrees += 1.0;
        }
        if degrees < 1.0 {
            return 1.0;
        }
        ((chi_square + AGREEING) / (degrees + AGREEING)).sqrt().max(1.0)
    }

    /// Variance of scores over that of games without draws, of all games together; 1 of few.
    fn dispersion(&self) -> f64 {
        let mut squares = 0.0;
        let mut expected = 0.0;
        for pairs in self.pairs {
            let sample = Sample::from(pairs);
            let (Some(mean), Some(variance)) = (sample.mean(), pairs.variance()) else { continue };
            squares += pairs.games() as f64 * 2.0 * variance;
            expected += pairs.games() as f64 * mean * (1.0 - mean);
        }
        // Forty games without draws beforehand.
        ((squares + 10.0) / (expected + 10.0)).clamp(0.1, 2.0)
    }

    /// Distribution of the rating: places in Elo with their weights.
    fn posterior(&self) -> Vec<(f64, f64)> {
        let count = self.references.len().max(1) as f64;
        let average = self.references.iter().map(|reference| reference.elo).sum::<f64>() / count;
        let places = (2.0 * FURTHEST / STEP) as usize;
        let place = |number: usize| average - FURTHEST + STEP * number as f64;
        let ln_density = |elo: f64| {
            let prior = -0.5 * ((elo - average) / PRIOR_DEVIATION).powi(2);
            let of = |(reference, pairs): (&Reference, &Pentanomial)| {
                let points: f64 =
                    (0..).zip(pairs.0).map(|(half, count)| f64::from(half) * count as f64).sum();
                let points = points / 2.0;
                let apart = (elo - reference.elo) / ELO;
                points * logistic(apart).ln()
                    + (pairs.games() as f64 - points) * logistic(-apart).ln()
            };
            prior + self.references.iter().zip(self.pairs).map(of).sum::<f64>()
        };
        let logs: Vec<f64> = (0..places).map(|number| ln_density(place(number))).collect();
        let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - highest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let kept = weights.into_iter().enumerate().filter(|(_, weight)| *weight > 1e-9);
        kept.map(|(number, weight)| (place(number), weight / sum)).collect()
    }
}

/// Fisher information of a game without draws about the rating, per squared Elo.
fn information(apart: f64) -> f64 {
    let logits = apart / ELO;
    logistic(logits) * logistic(-logits) / (ELO * ELO)
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::super::super::elo::score_of_elo;
    use super::*;

    fn references(ratings: &[f64], error95: f64) -> Vec<Reference> {
        ratings.iter().map(|&elo| Reference { elo, error95 }).collect()
    }

    /// A gauntlet of a player of this strength against references whose true strengths are given, until
    /// the error is small enough: its pairs, by reference.
    fn play(
        references: &[Reference],
        truth: &[f64],
        strength: f64,
        error95: f64,
        rng: &mut impl Rng,
    ) -> Vec<Pentanomial> {
        let mut pairs = vec![Pentanomial::default(); references.len()];
        for _ in 0..60 {
            let games = ReferenceGames { references, pairs: &pairs };
            if games.rating().is_ok_and(|rated| rated.elo.error95 <= error95) {
                break;
            }
            let next = games.most_informative(20).expect("there are references");
            let score = score_of_elo(strength - truth[next]);
            for _ in 0..20 {
                let won = (0..2).filter(|_| rng.random::<f64>() < score).count();
                pairs[next].0[2 * won] += 1;
            }
        }
        pairs
    }

    #[test]
    fn ratings_hold_the_truth_as_often_as_they_say_with_the_errors_of_the_references() {
        let mut rng = crate::random::stream("references", 1, 0);
        let stated = references(&[1800.0, 2200.0, 2600.0, 3000.0], 30.0);
        let (mut inside, mut bias) = (0, 0.0);
        for number in 0..120 {
            let strength = 1900.0 + 10.0 * f64::from(number);
            let truth: Vec<f64> = stated
                .iter()
                .map(|reference| {
                    let sum: f64 = (0..12).map(|_| rng.random::<f64>()).sum();
                    reference.elo + (sum - 6.0) * reference.error95 / 1.96
                })
                .collect();
            let pairs = play(&stated, &truth, strength, 45.0, &mut rng);
            let rated = ReferenceGames { references: &stated, pairs: &pairs }.rating();
            let rated = rated.expect("it won and lost");
            assert!(rated.elo.error95 <= 45.0 && rated.references95 > 0.0, "{rated:?}");
            inside += usize::from((rated.elo.value - strength).abs() <= rated.elo.error95);
            bias += (rated.elo.value - strength) / 120.0;
        }
        assert!((110..=120).contains(&inside), "{inside} of 120");
        assert!(bias.abs() < 6.0, "{bias}");
    }

    #[test]
    fn the_opponent_that_tells_most_is_near_and_not_always_the_same_one() {
        let stated = references(&[1500.0, 2000.0, 2500.0, 3000.0], 20.0);
        let mut pairs = vec![Pentanomial::default(); 4];
        // Nothing is known: one of the middle.
        let first = ReferenceGames { references: &stated, pairs: &pairs }.most_informative(10);
        assert!(matches!(first, Some(1 | 2)), "{first:?}");
        // It won everything: a stronger one.
        pairs[1] = Pentanomial([0, 0, 0, 0, 20]);
        let stronger = ReferenceGames { references: &stated, pairs: &pairs }.most_informative(10);
        assert!(matches!(stronger, Some(2 | 3)), "{stronger:?}");
        // It is near 2,500, whose own error has been reached: another one.
        pairs[2] = Pentanomial([2000, 0, 0, 0, 2000]);
        pairs[3] = Pentanomial([20, 0, 0, 0, 1]);
        let other = ReferenceGames { references: &stated, pairs: &pairs }.most_informative(10);
        assert!(matches!(other, Some(1 | 3)), "{other:?}");
        // With exact references the near one stays the best.
        let exact = references(&[1500.0, 2000.0, 2500.0, 3000.0], 0.0);
        let near = ReferenceGames { references: &exact, pairs: &pairs }.most_informative(10);
        assert_eq!(near, Some(2));
        assert_eq!(ReferenceGames { references: &[], pairs: &[] }.most_informative(10), None);
    }

    #[test]
    fn one_who_wins_everything_has_a_bound_and_references_that_disagree_widen_the_error() {
        let stated = references(&[2000.0, 2400.0], 0.0);
        let all = [Pentanomial([0, 0, 0, 0, 10]), Pentanomial([0, 0, 0, 0, 10])];
        let won = ReferenceGames { references: &stated, pairs: &all }.rating();
        let Err(Unrated::AllWon { above: Some(above) }) = won else { panic!("{won:?}") };
        assert!(above > 2300.0, "{above}");
        let none = [Pentanomial::default(); 2];
        let nothing = ReferenceGames { references: &stated, pairs: &none }.rating();
        assert_eq!(nothing, Err(Unrated::NoGames));
        // Even with 2,000 and with 2,400.
        let even = [Pentanomial([50, 0, 100, 0, 50]); 2];
        let apart = ReferenceGames { references: &stated, pairs: &even }.rating().expect("rated");
        assert!((apart.elo.value - 2200.0).abs() < 1.0, "{apart:?}");
        assert!(apart.disagreement > 3.0 && apart.elo.error95 > 80.0, "{apart:?}");
        let near = references(&[2000.0, 2000.0], 0.0);
        let same = ReferenceGames { references: &near, pairs: &even }.rating().expect("rated");
        assert_eq!(same.disagreement, 1.0);
        assert!(same.references95 == 0.0 && same.elo.error95 < 40.0, "{same:?}");
    }
}
