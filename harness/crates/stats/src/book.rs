//! Sensitivity of the openings of a book.
//!
//! A test needs games in proportion to the inverse square of normalized Elo: of two books with which the
//! same two players are compared, the one with the larger normalized Elo tells them apart sooner (M. Van
//! den Bergh, "Normalized Elo"). Its error is that of the ratio of a mean and a standard deviation, both
//! estimated (delta method; R. Miller and E. Pearson, "The estimation of the Sharpe ratio"; A. Lo, "The
//! Statistics of Sharpe Ratios", 2002, has it with skewness and kurtosis).
//!
//! Single openings are played too seldom to be known by their own pairs. The share of pairs that an opening
//! decides has a beta distribution over the book, estimated from all openings together, and the posterior
//! of each is shrunk towards the book's (empirical Bayes: B. Efron and C. Morris, 1975; the beta-binomial
//! model: J. Skellam, 1948).

use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF, Normal};
use statrs::function::beta::ln_beta;

use super::counts::{GameScore, Pentanomial, Sample};
use super::elo::{NELO_PER_T, Z975};
use super::strength::Interval;

/// Pairs of an opening, or of a book, by what they decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookCounts {
    /// Pairs by the score of the stronger player.
    pub pairs: Pentanomial,
    /// Pairs of which both games were drawn.
    pub both_drawn: u64,
    /// Pairs of which White won both games.
    pub white_both: u64,
    /// Pairs of which Black won both games.
    pub black_both: u64,
    /// Games drawn.
    pub drawn: u64,
}

impl BookCounts {
    /// Counts a pair: the first player's score with White, and with Black.
    pub fn add_pair(&mut self, with_white: GameScore, with_black: GameScore) {
        use GameScore::{Draw, Loss, Win};
        self.pairs.add_pair(with_white, with_black);
        self.drawn +=
            [with_white, with_black].iter().filter(|score| **score == Draw).count() as u64;
        match (with_white, with_black) {
            (Draw, Draw) => self.both_drawn += 1,
            (Win, Loss) => self.white_both += 1,
            (Loss, Win) => self.black_both += 1,
            _ => {}
        }
    }

    /// Counts the pairs of others too.
    pub fn add(&mut self, other: &BookCounts) {
        self.pairs += other.pairs;
        self.both_drawn += other.both_drawn;
        self.white_both += other.white_both;
        self.black_both += other.black_both;
        self.drawn += other.drawn;
    }

    /// Pairs that ended 1 : 1, which decide nothing.
    pub fn equal(&self) -> u64 {
        self.pairs.0[2]
    }

    /// Pairs that one of the players won.
    pub fn decided(&self) -> u64 {
        self.pairs.pairs() - self.equal()
    }

    /// Share of games drawn; `None` without a game.
    pub fn draw_rate(&self) -> Option<f64> {
        let games = self.pairs.games();
        (games > 0).then(|| self.drawn as f64 / games as f64)
    }

    /// Share of pairs that ended 1 : 1; `None` without a pair.
    pub fn equal_share(&self) -> Option<f64> {
        self.pairs.draw_ratio()
    }
}

/// How well a book tells two players apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensitivity {
    /// Mean of a pair's score above one half over its standard deviation.
    pub t_of_pair: f64,
    /// Standard error of the logarithm of `t_of_pair`.
    ln_error: f64,
    /// Normalized Elo of a game: as [`super::NormalizedElo`] has it, with the error of its standard
    /// deviation too.
    pub nelo: Interval,
    /// Normalized Elo of a pair: √2 times that of a game.
    pub nelo_of_pair: Interval,
}

impl Sensitivity {
    /// Of pairs in which the first player is the stronger one. `None` without two different results, or
    /// where the score is one half.
    pub fn from_pairs(pairs: &Pentanomial) -> Option<Sensitivity> {
        let sample = Sample::from(pairs);
        let mean = sample.mean()?;
        let count = sample.observations();
        let moment = |power: i32| {
            let cells = sample.counts().iter().enumerate();
            let of = |(cell, &count): (usize, &u64)| {
                count as f64 * (sample.score(cell) - mean).powi(power)
            };
            cells.map(of).sum::<f64>() / count
        };
        let deviation = moment(2).sqrt();
        let t = (mean - 0.5) / deviation;
        if !t.is_finite() || t == 0.0 {
            return None;
        }
        let skewness = moment(3) / deviation.powi(3);
        let kurtosis = moment(4) / deviation.powi(4);
        let variance = (1.0 - t * skewness + t * t * (kurtosis - 1.0) / 4.0).max(1e-3) / count;
        let half_width = Normal::standard().inverse_cdf(0.975) * variance.sqrt();
        // A pair's standard deviation is that of the mean of two games.
        let of_game = NELO_PER_T / std::f64::consts::SQRT_2;
        let interval = |factor: f64| Interval {
            value: factor * t,
            low95: factor * (t - half_width),
            high95: factor * (t + half_width),
        };
        let ln_error = variance.sqrt() / t.abs();
        let nelo = interval(of_game);
        Some(Sensitivity { t_of_pair: t, ln_error, nelo, nelo_of_pair: interval(NELO_PER_T) })
    }

    /// Games that this book needs for an answer for which the other needs one, with a 95 % interval.
    pub fn games_over(&self, other: &Sensitivity) -> Interval {
        let ratio = (other.t_of_pair / self.t_of_pair).powi(2);
        let error = 2.0 * self.ln_error.hypot(other.ln_error);
        let half_width = (Normal::standard().inverse_cdf(0.975) * error).exp();
        Interval { value: ratio, low95: ratio / half_width, high95: ratio * half_width }
    }
}

/// Half of the 95 % interval of the normalized Elo that this many games of near-equal players show.
pub fn nelo_error(games: u64) -> f64 {
    Z975 * NELO_PER_T / (games as f64).sqrt()
}

/// The beta distribution of the share of decided pairs over the openings of a book.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecidedShares {
    /// Mean share.
    pub mean: f64,
    /// Weight of the mean in pairs: an opening that was played that often is half shrunk.
    pub weight: f64,
}

/// Weights that are tried, in pairs: from one that leaves each opening its own share to one that gives all
/// the same.
const WEIGHTS: (f64, f64) = (0.25, 4096.0);
const WEIGHT_RATIO: f64 = 1.25;

impl DecidedShares {
    /// By maximum likelihood from decided and all pairs of each opening; the largest of equally likely
    /// weights, so that openings played once all have the book's share. `None` without a pair.
    pub fn fit(openings: &[(u64, u64)]) -> Option<DecidedShares> {
        let decided: u64 = openings.iter().map(|opening| opening.0).sum();
        let all: u64 = openings.iter().map(|opening| opening.1).sum();
        if all == 0 {
            return None;
        }
        // Half a pair of each kind, since a share of 0 or 1 is no mean of a beta distribution.
        let mean = (decided as f64 + 0.5) / (all as f64 + 1.0);
        let mut best = (f64::NEG_INFINITY, WEIGHTS.1);
        let mut weight = WEIGHTS.1;
        while weight >= WEIGHTS.0 {
            let likelihood = ln_likelihood(openings, mean, weight);
            if likelihood > best.0 + 1e-6 {
                best = (likelihood, weight);
            }
            weight /= WEIGHT_RATIO;
        }
        Some(DecidedShares { mean, weight: best.1 })
    }

    /// The share of an opening by its own pairs and those of the book, with a 95 % interval.
    pub fn of(&self, decided: u64, all: u64) -> Interval {
        let [a, b] = self.parameters(decided, all);
        // Both are above zero.
        let posterior = Beta::new(a, b).expect("shapes above zero");
        let [low95, high95] = [0.025, 0.975].map(|share| posterior.inverse_cdf(share));
        Interval { value: a / (a + b), low95, high95 }
    }

    fn parameters(&self, decided: u64, all: u64) -> [f64; 2] {
        let own = self.weight * self.mean;
        let other = self.weight * (1.0 - self.mean);
        [own + decided as f64, other + all.saturating_sub(decided) as f64]
    }
}

fn ln_likelihood(openings: &[(u64, u64)], mean: f64, weight: f64) -> f64 {
    let shares = DecidedShares { mean, weight };
    let [a, b] = shares.parameters(0, 0);
    let before = ln_beta(a, b);
    let of = |&(decided, all): &(u64, u64)| {
        let [a, b] = shares.parameters(decided, all);
        ln_beta(a, b) - before
    };
    openings.iter().filter(|opening| opening.1 > 0).map(of).sum()
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::super::NormalizedElo;
    use super::*;

    #[test]
    fn pairs_are_counted_by_what_they_decided() {
        use GameScore::{Draw, Loss, Win};
        let mut counts = BookCounts::default();
        for (white, black) in [(Draw, Draw), (Win, Loss), (Loss, Win), (Win, Draw), (Win, Win)] {
            counts.add_pair(white, black);
        }
        assert_eq!(counts.pairs, Pentanomial([0, 0, 3, 1, 1]));
        assert_eq!([counts.both_drawn, counts.white_both, counts.black_both], [1, 1, 1]);
        assert_eq!([counts.equal(), counts.decided(), counts.drawn], [3, 2, 3]);
        assert_eq!(counts.draw_rate(), Some(0.3));
        let mut twice = counts;
        twice.add(&counts);
        assert_eq!((twice.equal(), twice.draw_rate()), (6, Some(0.3)));
        assert_eq!(BookCounts::default().draw_rate(), None);
    }

    #[test]
    fn the_value_is_the_normalized_elo_and_the_error_a_little_larger() {
        for counts in [[10, 100, 400, 200, 60], [2, 30, 300, 90, 20], [100, 50, 200, 150, 500]] {
            let pairs = Pentanomial(counts);
            let sensitivity = Sensitivity::from_pairs(&pairs).expect("two results");
            let plain = NormalizedElo::normal(&pairs).expect("defined");
            assert!((sensitivity.nelo.value - plain.value).abs() < 0.5, "{sensitivity:?} {plain}");
            let error = (sensitivity.nelo.high95 - sensitivity.nelo.low95) / 2.0;
            assert!((0.6..2.0).contains(&(error / plain.error95)), "{error} {plain}");
            let ratio = sensitivity.nelo_of_pair.value / sensitivity.nelo.value;
            assert!((ratio - std::f64::consts::SQRT_2).abs() < 1e-9, "{ratio}");
        }
        for counts in [[0; 5], [0, 0, 9, 0, 0], [3, 0, 0, 0, 3]] {
            assert_eq!(Sensitivity::from_pairs(&Pentanomial(counts)), None, "{counts:?}");
        }
    }

    fn draw(shares: &[f64; 5], pairs: u64, rng: &mut impl Rng) -> Pentanomial {
        let mut counts = Pentanomial::default();
        for _ in 0..pairs {
            let mut left: f64 = rng.random();
            let cell = shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            counts.0[cell.unwrap_or(4)] += 1;
        }
        counts
    }

    #[test]
    fn intervals_of_sensitivity_and_of_ratios_hold_the_truth() {
        let mut rng = crate::random::stream("sensitivity", 1, 0);
        let sharp = [0.05, 0.15, 0.30, 0.30, 0.20];
        let dull = [0.01, 0.10, 0.70, 0.15, 0.04];
        let truth = |shares: &[f64; 5]| {
            let score = |cell: usize| cell as f64 / 4.0;
            let mean: f64 = (0..5).map(|cell| shares[cell] * score(cell)).sum();
            let variance: f64 =
                (0..5).map(|cell| shares[cell] * (score(cell) - mean).powi(2)).sum();
            (mean - 0.5) / variance.sqrt()
        };
        let ratio = (truth(&sharp) / truth(&dull)).powi(2);
        let (mut inside, mut ratios) = (0, 0);
        for _ in 0..400 {
            let [one, other] = [&sharp, &dull].map(|shares| {
                Sensitivity::from_pairs(&draw(shares, 1_500, &mut rng)).expect("two results")
            });
            let nelo = truth(&sharp) * NELO_PER_T;
            inside +=
                usize::from((one.nelo_of_pair.low95..=one.nelo_of_pair.high95).contains(&nelo));
            let over = other.games_over(&one);
            ratios += usize::from((over.low95..=over.high95).contains(&ratio));
        }
        // 95 % of 400, with three standard deviations.
        assert!((367..=393).contains(&inside), "{inside}");
        assert!((367..=396).contains(&ratios), "{ratios}");
    }

    #[test]
    fn shrunken_shares_are_nearer_to_the_truth_and_their_intervals_hold_it() {
        let mut rng = crate::random::stream("openings", 1, 0);
        // A share of the mean of two uniform variables: a beta distribution's, nearly, with weight 6.
        let truth: Vec<f64> =
            (0..800).map(|_| (rng.random::<f64>() + rng.random::<f64>()) / 2.0).collect();
        let played: Vec<(u64, u64)> = truth
            .iter()
            .map(|share| ((0..6).filter(|_| rng.random::<f64>() < *share).count() as u64, 6))
            .collect();
        let shares = DecidedShares::fit(&played).expect("played");
        assert!((shares.mean - 0.5).abs() < 0.03, "{shares:?}");
        assert!((3.0..10.0).contains(&shares.weight), "{shares:?}");
        let (mut inside, mut shrunken, mut plain) = (0, 0.0, 0.0);
        for (truth, &(decided, all)) in truth.iter().zip(&played) {
            let share = shares.of(decided, all);
            inside += usize::from((share.low95..=share.high95).contains(truth));
            shrunken += (share.value - truth).powi(2);
            plain += (decided as f64 / all as f64 - truth).powi(2);
        }
        assert!((735..=785).contains(&inside), "{inside} of 800");
        assert!(shrunken < 0.75 * plain, "{shrunken} {plain}");
    }

    #[test]
    fn one_pair_says_nothing_of_an_opening_and_equal_openings_are_found_equal() {
        let once: Vec<(u64, u64)> = (0..300).map(|number| (number % 3 / 2, 1)).collect();
        let shares = DecidedShares::fit(&once).expect("played");
        let (least, most) = (shares.of(0, 1).value, shares.of(1, 1).value);
        assert!(most - least < 0.001, "{shares:?}");
        let mut rng = crate::random::stream("equal openings", 1, 0);
        let equal: Vec<(u64, u64)> = (0..300)
            .map(|_| ((0..10).filter(|_| rng.random::<f64>() < 0.4).count() as u64, 10))
            .collect();
        let shares = DecidedShares::fit(&equal).expect("played");
        assert!(shares.weight > 60.0, "{shares:?}");
        assert_eq!(DecidedShares::fit(&[(0, 0)]), None);
        let none = DecidedShares::fit(&[(0, 5), (0, 5)]).expect("played").of(0, 5);
        assert!(none.value < 0.1 && none.low95 >= 0.0, "{none:?}");
    }
}
