//! Contribution of each worker to a run, and whether its results differ from those of the others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF};

/// Expected pairs of a class below which it does not count in the test of the results.
const LEAST_EXPECTED: f64 = 5.0;

/// Probability, corrected for the number of workers, below which a worker is named.
pub const SUSPICIOUS: f64 = 0.001;

/// The part of one worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerShare {
    /// Its name.
    pub name: String,
    /// Its public key.
    pub key: String,
    /// Finished pairs.
    pub pairs: u64,
    /// Its pairs by pair score 0, 1/2, 1, 3/2, 2 of the first engine.
    pub pentanomial: [u64; 5],
    /// Games that ended by an engine's fault.
    pub faults: u64,
    /// Probability of results that differ as much from those of the others by chance, times the
    /// number of workers; `None` if there are too few.
    pub results_p: Option<f64>,
    /// The same of as many faults.
    pub faults_p: Option<f64>,
}

impl WorkerShare {
    /// Whether its results or faults are not chance.
    pub fn is_suspicious(&self) -> bool {
        let is_low = |p: Option<f64>| p.is_some_and(|p| p < SUSPICIOUS);
        is_low(self.results_p) || is_low(self.faults_p)
    }

    /// In words, if it is suspicious.
    pub fn warning(&self) -> Option<String> {
        self.is_suspicious().then(|| {
            let key = self.key.get(..9).unwrap_or(&self.key);
            format!(
                "the results of worker {} ({key}) differ from those of the others: quarantine it \
                 (`harness workers --quarantine {key}`) and play again",
                self.name
            )
        })
    }
}

/// Sums up the games of a run by worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerTally {
    workers: BTreeMap<String, (BTreeMap<u64, Vec<u8>>, u64)>,
}

impl WorkerTally {
    /// Adds a game. `worker` is name and key.
    pub fn add(&mut self, worker: &str, pair: u64, first_half_points: u8, is_fault: bool) {
        let (pairs, faults) = self.workers.entry(worker.to_owned()).or_default();
        pairs.entry(pair).or_default().push(first_half_points);
        *faults += u64::from(is_fault);
    }

    /// The shares, by name.
    pub fn shares(&self) -> Vec<WorkerShare> {
        let mut shares: Vec<WorkerShare> = self
            .workers
            .iter()
            .map(|(worker, (pairs, faults))| {
                let (name, key) = worker.split_once(' ').unwrap_or((worker, ""));
                let mut pentanomial = [0; 5];
                for games in pairs.values().filter(|games| games.len() == 2) {
                    pentanomial[usize::from(games[0] + games[1]).min(4)] += 1;
                }
                WorkerShare {
                    name: name.to_owned(),
                    key: key.to_owned(),
                    pairs: pentanomial.iter().sum(),
                    pentanomial,
                    faults: *faults,
                    results_p: None,
                    faults_p: None,
                }
            })
            .collect();
        let workers = shares.len() as f64;
        let corrected = |p: f64| (p * workers).min(1.0);
        // One at a time, the most conspicuous first: what a liar has sent makes the others differ.
        let mut left: Vec<usize> = (0..shares.len()).collect();
        while let Some(most) = left
            .iter()
            .map(|&at| {
                let others = left.iter().filter(|&&other| other != at).map(|&other| &shares[other]);
                let (results_p, faults_p) = compare(&shares[at], others);
                (at, results_p.map(corrected), faults_p.map(corrected))
            })
            .min_by(|a, b| lowest(a).total_cmp(&lowest(b)))
        {
            let (at, results_p, faults_p) = most;
            (shares[at].results_p, shares[at].faults_p) = (results_p, faults_p);
            left.retain(|&other| other != at);
            if !shares[at].is_suspicious() {
                // None of the others is.
                let honest = left.clone();
                for &at in &honest {
                    let others = honest.iter().chain([&most.0]).filter(|&&other| other != at);
                    let (results_p, faults_p) =
                        compare(&shares[at], others.map(|&other| &shares[other]));
                    (shares[at].results_p, shares[at].faults_p) =
                        (results_p.map(corrected), faults_p.map(corrected));
                }
                break;
            }
        }
        shares
    }
}

/// The lower of two probabilities.
fn lowest((_, results_p, faults_p): &(usize, Option<f64>, Option<f64>)) -> f64 {
    results_p.unwrap_or(1.0).min(faults_p.unwrap_or(1.0))
}

/// Probabilities of results and of faults that differ as much from those of others by chance.
fn compare<'a>(
    own: &WorkerShare,
    others: impl Iterator<Item = &'a WorkerShare>,
) -> (Option<f64>, Option<f64>) {
    let mut rest = [0; 5];
    let mut pairs = 0;
    let mut faults = 0;
    for other in others {
        rest.iter_mut().zip(other.pentanomial).for_each(|(sum, count)| *sum += count);
        pairs += other.pairs;
        faults += other.faults;
    }
    let faults_p = too_many(own.faults, 2 * own.pairs, faults, 2 * pairs);
    (differs(&own.pentanomial, &rest), faults_p)
}

/// Pearson's test of homogeneity on pairs that the first engine lost, drew and won, as fishtest has
/// it; classes with few expected pairs are left out.
fn differs(own: &[u64; 5], rest: &[u64; 5]) -> Option<f64> {
    let classes = |counts: &[u64; 5]| {
        [counts[0] + counts[1], counts[2], counts[3] + counts[4]].map(|count| count as f64)
    };
    let own = classes(own);
    let rest = classes(rest);
    let kept: Vec<(f64, f64)> = {
        let sum = own.iter().sum::<f64>();
        let all = own.iter().chain(&rest).sum::<f64>();
        let expected = |at: usize| sum * (own[at] + rest[at]) / all.max(1.0);
        (0..3).filter(|&at| expected(at) >= LEAST_EXPECTED).map(|at| (own[at], rest[at])).collect()
    };
    if kept.len() < 2 {
        return None;
    }
    let own: f64 = kept.iter().map(|(own, _)| own).sum();
    let rest: f64 = kept.iter().map(|(_, rest)| rest).sum();
    let statistic: f64 = kept
        .iter()
        .map(|(a, b)| {
            let share = (a + b) / (own + rest);
            (a - own * share).powi(2) / (own * share) + (b - rest * share).powi(2) / (rest * share)
        })
        .sum();
    if !statistic.is_finite() {
        return None;
    }
    let law = ChiSquared::new(kept.len() as f64 - 1.0).ok()?;
    Some(law.sf(statistic))
}

/// Probability of at least as many faults at the rate of the others, of which one more is assumed.
fn too_many(faults: u64, games: u64, of_rest: u64, games_of_rest: u64) -> Option<f64> {
    if faults == 0 || games_of_rest == 0 {
        return None;
    }
    let rate = (of_rest + 1) as f64 / (games_of_rest + 2) as f64;
    let law = Binomial::new(rate, games).ok()?;
    Some(law.sf(faults - 1))
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use harness_stats::random;

    /// A fleet of honest workers with many pairs each, of an engine that is a little better; `lie`
    /// changes the points of a game of the first worker.
    fn fleet(seed: u64, workers: u64, pairs: u64, lie: impl Fn(u8) -> u8) -> Vec<WorkerShare> {
        let mut random = random::stream("fleet", seed, 0);
        let mut tally = WorkerTally::default();
        for worker in 0..workers {
            for pair in 0..pairs {
                for _ in 0..2 {
                    let points = match random.random_range(0..100) {
                        0..28 => 2,
                        28..78 => 1,
                        _ => 0,
                    };
                    let points = if worker == 0 { lie(points) } else { points };
                    let name = format!("w{worker} KEY{worker}");
                    tally.add(&name, worker * pairs + pair, points, false);
                }
            }
        }
        tally.shares()
    }

    #[test]
    fn honest_workers_are_named_rarely() {
        let fleets = 400;
        let alarms = (0..fleets)
            .filter(|&seed| fleet(seed, 10, 100, |it| it).iter().any(WorkerShare::is_suspicious))
            .count();
        // One fleet in a thousand is expected.
        assert!(alarms <= 3, "{alarms} of {fleets}");
    }

    #[test]
    fn a_worker_that_lies_is_named_and_no_other() {
        for seed in 0..40 {
            // Losses are reported as wins.
            let shares = fleet(seed, 10, 60, |points| if points == 0 { 2 } else { points });
            let named: Vec<_> = shares.iter().filter(|it| it.is_suspicious()).collect();
            assert!(named.len() == 1 && named[0].name == "w0", "{named:?}");
        }
    }

    #[test]
    fn a_worker_with_many_faults_is_named() {
        let mut tally = WorkerTally::default();
        for (worker, faults) in [("a A", 0), ("b B", 1), ("c C", 9)] {
            for pair in 0..50 {
                for game in 0..2 {
                    tally.add(worker, pair, 1, 2 * pair + game < faults);
                }
            }
        }
        let named: Vec<_> = tally.shares().into_iter().filter(WorkerShare::is_suspicious).collect();
        assert!(named.len() == 1 && named[0].name == "c", "{named:?}");
        assert!(named[0].warning().is_some());
    }
}
