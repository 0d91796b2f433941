//! The evidence that a runner of a race is not the best one.
//!
//! Let `d` be the difference that matters (`elo1 - elo0`). The claim "runner x is better than every other one
//! by `d`" is tested by an e-process: a non-negative process with a mean of at most 1 wherever the claim holds,
//! however the opponents of later games follow from earlier ones. By Ville's inequality it then ever reaches
//! `1/b` with a probability of at most `b` (J. Ville, "Étude critique de la notion de collectif", 1939; A.
//! Ramdas, P. Grünwald, V. Vovk and G. Shafer, "Game-theoretic statistics and safe anytime-valid inference",
//! Statistical Science 38, 2023). A runner is dropped as soon as it does, so that the best one is dropped with
//! a probability of at most `b`. There is one claim of a best runner that can be true, so that no correction
//! for the number of runners is due.
//!
//! With S the points of a runner above half, n its pairs and v the variance of a pair, the process is a
//! weighted mean of likelihood ratios of normal distributions (A. Wald, "Sequential Analysis", 1947):
//! - against the field, "x is no better than its opponents": `exp(-(d S_x - d² n / 2) / v)`. Each pair is one
//!   of x and an opponent that is weaker by `d` or more, so that its mean is at most 1;
//! - against each rival y, "y is better than x": `exp(d (S_y - S_x) / v)`. Both have met the same opponents in
//!   each round, and each other; of `m` runners the difference of a round has a mean of at most `-m d` and the
//!   variance `2 m v`, and `exp(d (-m d) / v + d² 2 m v / (2 v²)) = 1`.
//!
//! The part of a rival that is dropped stays as it is. A mean of e-processes is one. That results are normal and
//! `v` is known holds approximately for many pairs, as in every GSPRT (S.-H. Kim and B. Nelson, "On the
//! asymptotic validity of fully sequential selection procedures", Operations Research 54, 2006, of procedures
//! of this kind).

use super::spread::Spread;
use crate::elo::{NELO_PER_T, score_of_elo};
use crate::sequential::sprt::{Model, Sprt};

/// Weight of the field; the rest is that of the rivals together.
const FIELD_SHARE: f64 = 0.25;

/// Results of the heats, and the evidence in them.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Difference of the hypotheses: in t-values of a pair, or in points of it.
    difference: Difference,
    /// Logarithm of the evidence that drops.
    drop_at: f64,
    /// Logarithms of the weights of the field and of each rival.
    field_weight: f64,
    rival_weight: f64,
    runners: Vec<Runner>,
    /// By pairing, `first * runners + second`: the points of a pair above one.
    of_pairs: Vec<Spread>,
    /// By two runners: the differences of their rounds.
    of_differences: Vec<Spread>,
}

/// The difference that matters, of the points of a pair above one.
#[derive(Clone, Copy, Debug)]
enum Difference {
    /// In standard deviations.
    TValue(f64),
    /// In points.
    Points(f64),
}

impl Difference {
    fn new(test: &Sprt) -> Difference {
        let elo = test.elo1 - test.elo0;
        match test.model {
            Model::Normalized => Difference::TValue(std::f64::consts::SQRT_2 * elo / NELO_PER_T),
            Model::Logistic => Difference::Points(2.0 * score_of_elo(elo) - 1.0),
        }
    }

    /// In points, of pairs with this variance.
    fn points(self, variance: f64) -> f64 {
        match self {
            Difference::TValue(t) => t * variance.sqrt(),
            Difference::Points(points) => points,
        }
    }
}

/// Results of a runner.
#[derive(Clone, Copy, Debug)]
struct Runner {
    /// Points above half of its pairs.
    surplus: f64,
    pairs: u64,
    rounds: Spread,
    /// Logarithm of the parts of rivals that are dropped, together.
    frozen: f64,
}

/// Logarithms of the evidence against a runner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Against {
    /// Of all parts together.
    pub total: f64,
    /// The rival with the largest part; `None`: the field has it.
    pub by: Option<usize>,
}

impl Evidence {
    /// Without results; `running` of all runners are in the heats.
    pub fn new(test: Sprt, runners: usize, running: usize, error: f64) -> Evidence {
        let rivals = running.saturating_sub(1).max(1) as f64;
        let runner =
            Runner { surplus: 0.0, pairs: 0, rounds: Spread::default(), frozen: f64::NEG_INFINITY };
        Evidence {
            difference: Difference::new(&test),
            drop_at: -error.ln(),
            field_weight: FIELD_SHARE.ln(),
            rival_weight: ((1.0 - FIELD_SHARE) / rivals).ln(),
            runners: vec![runner; runners],
            of_pairs: vec![Spread::default(); runners * runners],
            of_differences: vec![Spread::default(); runners * runners],
        }
    }

    /// Logarithm of the evidence that drops a runner.
    pub fn drop_at(&self) -> f64 {
        self.drop_at
    }

    /// Points of a runner above half, and its pairs.
    pub fn surplus(&self, runner: usize) -> (f64, u64) {
        let Runner { surplus, pairs, .. } = self.runners[runner];
        (surplus, pairs)
    }

    /// Adds a round in which each of `running` met each other.
    pub fn add_round(
        &mut self,
        running: &[usize],
        pairings: &[(usize, usize)],
        half_points: &[u8],
    ) {
        let mut round = vec![0.0; self.runners.len()];
        for (&(first, second), &half) in pairings.iter().zip(half_points) {
            let points = f64::from(half) / 2.0 - 1.0;
            round[first] += points;
            round[second] -= points;
            let at = self.place(first, second);
            self.of_pairs[at].add(points, 1.0);
        }
        let opponents = running.len().saturating_sub(1);
        for (at, &runner) in running.iter().enumerate() {
            let one = &mut self.runners[runner];
            one.surplus += round[runner];
            one.pairs += opponents as u64;
            one.rounds.add(round[runner], opponents as f64);
            for &other in &running[at + 1..] {
                let at = self.place(runner, other);
                self.of_differences[at].add(round[runner] - round[other], running.len() as f64);
            }
        }
    }

    fn place(&self, first: usize, second: usize) -> usize {
        first.min(second) * self.runners.len() + first.max(second)
    }

    /// The evidence against each of those that run.
    pub fn against(&self, running: &[usize]) -> Vec<Against> {
        let pair = Spread::pooled(self.of_pairs.iter(), 1.0);
        let points = self.difference.points(pair);
        let rounds = Spread::pooled(self.runners.iter().map(|runner| &runner.rounds), 1.0);
        let differences = Spread::pooled(self.of_differences.iter(), 2.0);
        let one = |&runner: &usize| {
            let mut parts = vec![(self.field(runner, points, rounds), None)];
            let rivals = running.iter().filter(|&&rival| rival != runner);
            parts.extend(
                rivals.map(|&rival| (self.rival(runner, rival, points, differences), Some(rival))),
            );
            let frozen = self.runners[runner].frozen;
            let total = log_sum(parts.iter().map(|(part, _)| *part).chain([frozen]));
            let by = parts.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).and_then(|(_, by)| by);
            Against { total, by }
        };
        running.iter().map(one).collect()
    }

    /// The weighted part of the field; `points` is the difference that matters.
    fn field(&self, runner: usize, points: f64, pooled: f64) -> f64 {
        let Runner { surplus, pairs, rounds, .. } = &self.runners[runner];
        let variance = rounds.at_least(pooled);
        self.field_weight - points * (surplus - points * *pairs as f64 / 2.0) / variance
    }

    /// The weighted part of a rival.
    fn rival(&self, runner: usize, rival: usize, points: f64, pooled: f64) -> f64 {
        let variance = self.of_differences[self.place(runner, rival)].at_least(pooled);
        let ahead = self.runners[rival].surplus - self.runners[runner].surplus;
        self.rival_weight + 2.0 * points * ahead / variance
    }

    /// The place in `running` of the runner that is to be dropped, and its rival; `None` if none is. The last
    /// one stays.
    pub fn to_drop(&self, running: &[usize]) -> Option<(usize, Option<usize>)> {
        if running.len() < 2 {
            return None;
        }
        let against = self.against(running).into_iter().enumerate();
        // Of equals the one that was named last.
        let (at, worst) = against.max_by(|a, b| a.1.total.total_cmp(&b.1.total))?;
        (worst.total >= self.drop_at).then_some((at, worst.by))
    }

    /// Keeps the part of a dropped runner in the evidence against those that still run.
    pub fn freeze(&mut self, dropped: usize, running: &[usize]) {
        let pair = Spread::pooled(self.of_pairs.iter(), 1.0);
        let points = self.difference.points(pair);
        let differences = Spread::pooled(self.of_differences.iter(), 2.0);
        for &runner in running {
            let part = self.rival(runner, dropped, points, differences);
            let frozen = &mut self.runners[runner].frozen;
            *frozen = log_sum([*frozen, part].into_iter());
        }
    }
}

/// Logarithm of a sum of numbers, from their logarithms.
fn log_sum(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + terms.map(|term| (term - most).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_logarithms_neither_overflow_nor_lose_nothing() {
        assert_eq!(log_sum([].into_iter()), f64::NEG_INFINITY);
        assert!((log_sum([0.0, 0.0].into_iter()) - 2f64.ln()).abs() < 1e-12);
        assert_eq!(log_sum([5_000.0, -5_000.0].into_iter()), 5_000.0);
    }
}
