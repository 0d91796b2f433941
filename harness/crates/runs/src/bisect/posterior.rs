//! Where a loss of strength came in, as a probability for each commit.
//!
//! Noisy bisection: a result moves probability instead of deciding, so that no step has to be certain
//! (M. Burnashev and K. Zigangirov, "An interval estimation problem for controlled observations",
//! 1974; M. Ben-Or and A. Hassidim, "The Bayesian learner is optimal for noisy binary search", 2008).
//! The model: up to some commit the engine is as strong as the good one, from it on it is weaker by a
//! loss that is not known. Start reading at [`Posterior::new`].

use harness_stats::{Pentanomial, score_of_elo};

/// Losses of strength that are considered, from half of the one asked for to eight times it.
const LOSSES: usize = 41;

/// Pairs that the variance of a pair's score is known for before any is played.
const PRIOR_PAIRS: f64 = 16.0;

/// Variance of a pair's mean score with half of the games drawn, before any pair is played.
const PRIOR_VARIANCE: f64 = 0.0625;

/// Log-odds of a test that says good or bad by itself: it is wrong once in 160,000 times.
const CERTAIN: f64 = 12.0;

/// A built commit is preferred while its games carry this share of the information of the best one's.
const BUILT: f64 = 0.8;

/// Evidence of one commit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Its pairs against the good commit.
    pub pairs: Pentanomial,
    /// The result of a test without noise.
    pub is_bad: Option<bool>,
    /// It cannot be built or tested.
    pub skipped: bool,
    /// Its engine is there.
    pub built: bool,
}

/// The question, and how sure the answer shall be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The loss that is looked for, in Elo.
    pub elo: f64,
    /// Probability that the answer is wrong.
    pub error: f64,
    /// The last commit is known to be bad.
    pub known_bad: bool,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The loss came with one of these commits: the first and the last of them, from 0. More than one
    /// where commits between them were skipped.
    Found {
        /// The first of them.
        first: usize,
        /// The last of them.
        last: usize,
        /// How probable that is.
        probability: f64,
    },
    /// The last commit is as strong as the good one.
    NoLoss {
        /// How probable that is.
        probability: f64,
    },
}

/// Probabilities after the evidence.
#[derive(Clone, Debug)]
pub struct Posterior {
    question: Question,
    /// Of each commit: that it is the first bad one. One more at the end: that none is.
    first_bad: Vec<f64>,
    /// Of each loss in [`losses`].
    losses: Vec<(f64, f64)>,
    skipped: Vec<bool>,
    built: Vec<bool>,
}

impl Posterior {
    /// Before any evidence each commit is as probable, and a loss as probable as none, unless the last
    /// commit is known to be bad.
    pub fn new(question: Question, evidence: &[Evidence]) -> Posterior {
        let count = evidence.len();
        // Log-likelihood of the evidence of each commit if it is good, and if it lost `loss` Elo.
        let likelihood = |evidence: &Evidence, loss: f64| {
            let pairs = evidence.pairs.pairs() as f64;
            let games = evidence.pairs.mean().map_or(0.0, |mean| {
                -pairs * (mean - score_of_elo(-loss)).powi(2) / (2.0 * variance(&evidence.pairs))
            });
            let test = evidence.is_bad.map_or(0.0, |bad| {
                if bad == (loss > 0.0) { CERTAIN / 2.0 } else { -CERTAIN / 2.0 }
            });
            games + test
        };
        let good: Vec<f64> = evidence.iter().map(|commit| likelihood(commit, 0.0)).collect();
        let prior_of_one = if question.known_bad { 1.0 } else { 0.5 } / count.max(1) as f64;
        let prior_of_none = if question.known_bad { 0.0 } else { 0.5_f64 };
        let grid = losses(question.elo);
        let mut joint = vec![vec![f64::NEG_INFINITY; count + 1]; grid.len()];
        for (row, &loss) in joint.iter_mut().zip(&grid) {
            let prior = (prior_of_one / grid.len() as f64).ln();
            let mut bad_from_here = 0.0;
            let mut good_before: f64 = good.iter().sum();
            for first in (0..count).rev() {
                good_before -= good[first];
                bad_from_here += likelihood(&evidence[first], loss);
                row[first] = prior + good_before + bad_from_here;
            }
            row[count] = (prior_of_none / grid.len() as f64).ln() + good.iter().sum::<f64>();
        }
        let top = joint.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let weight = |value: f64| (value - top).exp();
        let total: f64 = joint.iter().flatten().map(|&value| weight(value)).sum();
        let of_commit =
            |first: usize| joint.iter().map(|row| weight(row[first])).sum::<f64>() / total;
        let first_bad = (0..=count).map(of_commit).collect();
        let of_loss = |row: &Vec<f64>| row[..count].iter().map(|&value| weight(value)).sum::<f64>();
        let losses = grid.iter().copied().zip(joint.iter().map(of_loss)).collect();
        Posterior {
            question,
            first_bad,
            losses,
            skipped: evidence.iter().map(|commit| commit.skipped).collect(),
            built: evidence.iter().map(|commit| commit.built).collect(),
        }
    }

    /// The probability of each commit to be the first bad one.
    pub fn first_bad(&self) -> &[f64] {
        &self.first_bad[..self.skipped.len()]
    }

    /// The probability that no commit lost strength.
    pub fn no_loss(&self) -> f64 {
        self.first_bad[self.skipped.len()]
    }

    /// The answer, once it is sure enough.
    pub fn answer(&self) -> Option<Answer> {
        let sure = 1.0 - self.question.error;
        if self.no_loss() >= sure {
            return Some(Answer::NoLoss { probability: self.no_loss() });
        }
        let group =
            |(first, last): &(usize, usize)| self.first_bad[*first..=*last].iter().sum::<f64>();
        let groups = self.groups().into_iter().map(|range| (range, group(&range)));
        let best: Option<((usize, usize), f64)> = groups.max_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|(_, probability)| *probability >= sure)
            .map(|((first, last), probability)| Answer::Found { first, last, probability })
    }

    /// The commit whose games carry the most information on where the loss came in: the one that is bad
    /// with a probability nearest to a half. A built one is preferred while its games carry nearly as
    /// much, since a build may take longer than its games. `None` if all are skipped.
    pub fn next(&self) -> Option<usize> {
        let mut bad = 0.0;
        let mut values = Vec::with_capacity(self.skipped.len());
        for (commit, probability) in self.first_bad().iter().enumerate() {
            bad += probability;
            if !self.skipped[commit] {
                values.push((commit, bad * (1.0 - bad)));
            }
        }
        let best = |values: &mut dyn Iterator<Item = (usize, f64)>| {
            values.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let of_all = best(&mut values.iter().copied())?;
        let built = best(&mut values.iter().copied().filter(|(commit, _)| self.built[*commit]));
        Some(match built {
            Some((commit, value)) if value >= BUILT * of_all.1 => commit,
            _ => of_all.0,
        })
    }

    /// The loss in Elo, if there is one: its median, and the bounds of its 95 % interval.
    pub fn loss(&self) -> (f64, [f64; 2]) {
        let total: f64 = self.losses.iter().map(|(_, weight)| weight).sum();
        let quantile = |share: f64| {
            let mut sum = 0.0;
            let reached = self.losses.iter().find(|(_, weight)| {
                sum += weight / total;
                sum >= share
            });
            reached.or(self.losses.last()).map_or(0.0, |(loss, _)| *loss)
        };
        (quantile(0.5), [quantile(0.025), quantile(0.975)])
    }

    /// The largest loss in Elo that is looked at: a larger one counts as it.
    pub fn largest_loss(&self) -> f64 {
        self.losses.last().map_or(0.0, |(loss, _)| *loss)
    }

    /// Commits that no test can tell apart: a skipped one and the next.
    fn groups(&self) -> Vec<(usize, usize)> {
        let mut groups = Vec::new();
        let mut first = 0;
        for (commit, skipped) in self.skipped.iter().enumerate() {
            if !skipped || commit + 1 == self.skipped.len() {
                groups.push((first, commit));
                first = commit + 1;
            }
        }
        groups
    }
}

/// Losses from half of `elo` to eight times it, evenly by their logarithm.
fn losses(elo: f64) -> Vec<f64> {
    let of = |index: usize| elo * 2_f64.powf(-1.0 + 4.0 * index as f64 / (LOSSES - 1) as f64);
    (0..LOSSES).map(of).collect()
}

/// The variance of a pair's mean score. Each commit has its own: one that plays the same moves as the
/// good one draws every pair, and must not make others seem as certain.
fn variance(counts: &Pentanomial) -> f64 {
    let pairs = counts.pairs() as f64;
    let seen = counts.variance().unwrap_or(0.0);
    (PRIOR_PAIRS * PRIOR_VARIANCE + pairs * seen) / (PRIOR_PAIRS + pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: Question = Question { elo: 10.0, error: 0.05, known_bad: false };

    fn level(pairs: u64) -> Evidence {
        let side = pairs / 4;
        let pairs = Pentanomial([0, side, pairs - 2 * side, side, 0]);
        Evidence { pairs, built: true, ..Evidence::default() }
    }

    /// Of a commit that lost some 40 Elo.
    fn weaker(pairs: u64) -> Evidence {
        let (lost, won) = (pairs * 4 / 10, pairs * 17 / 100);
        let pairs = Pentanomial([0, lost, pairs - lost - won, won, 0]);
        Evidence { pairs, built: true, ..Evidence::default() }
    }

    #[test]
    fn the_last_commit_comes_first_then_the_middle() {
        let mut evidence = vec![Evidence::default(); 8];
        assert_eq!(Posterior::new(QUESTION, &evidence).next(), Some(7));
        evidence[7] = weaker(400);
        let next = Posterior::new(QUESTION, &evidence).next().unwrap();
        assert!((3..=4).contains(&next), "{next}");
    }

    #[test]
    fn a_loss_between_two_neighbours_is_found_there() {
        let mut evidence = vec![Evidence::default(); 8];
        (evidence[7], evidence[4], evidence[3]) = (weaker(600), weaker(600), level(600));
        let posterior = Posterior::new(QUESTION, &evidence);
        let Some(Answer::Found { first: 4, last: 4, probability }) = posterior.answer() else {
            panic!("{:?}", posterior.first_bad());
        };
        assert!(probability > 0.99);
        let (loss, [low, high]) = posterior.loss();
        assert!((30.0..50.0).contains(&loss) && low < loss && loss < high, "{loss} {low} {high}");
    }

    #[test]
    fn a_skipped_commit_is_found_together_with_the_next_one() {
        let mut evidence = vec![Evidence::default(); 4];
        (evidence[3], evidence[2], evidence[0]) = (weaker(600), weaker(600), level(600));
        evidence[1].skipped = true;
        let answer = Posterior::new(QUESTION, &evidence).answer();
        assert!(matches!(answer, Some(Answer::Found { first: 1, last: 2, .. })), "{answer:?}");
    }

    #[test]
    fn no_loss_is_an_answer_unless_the_last_commit_is_known_to_be_bad() {
        let mut evidence = vec![Evidence::default(); 3];
        evidence[2] = level(4000);
        let answer = Posterior::new(QUESTION, &evidence).answer();
        assert!(matches!(answer, Some(Answer::NoLoss { .. })), "{answer:?}");
        let known = Question { known_bad: true, ..QUESTION };
        assert_eq!(Posterior::new(known, &evidence).no_loss(), 0.0);
    }

    #[test]
    fn a_test_without_noise_halves_the_commits() {
        let question = Question { known_bad: true, ..QUESTION };
        let mut evidence = vec![Evidence::default(); 64];
        let mut tests = 0;
        while Posterior::new(question, &evidence).answer().is_none() {
            let next = Posterior::new(question, &evidence).next().unwrap();
            evidence[next].is_bad = Some(next >= 41);
            tests += 1;
        }
        let answer = Posterior::new(question, &evidence).answer();
        assert!(matches!(answer, Some(Answer::Found { first: 41, last: 41, .. })), "{answer:?}");
        assert_eq!(tests, 6);
    }

    #[test]
    fn a_built_commit_is_preferred_to_one_with_little_more_information() {
        let mut evidence = vec![Evidence::default(); 9];
        evidence[8] = weaker(600);
        let other = Posterior::new(QUESTION, &evidence).next().unwrap();
        evidence[other + 1].built = true;
        assert_eq!(Posterior::new(QUESTION, &evidence).next(), Some(other + 1));
        evidence[other + 1].built = false;
        evidence[0].built = true;
        assert_eq!(Posterior::new(QUESTION, &evidence).next(), Some(other));
    }
}
