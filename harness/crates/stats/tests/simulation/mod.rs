//! Simulated tests: pairs are drawn, and the LLR that a run computes decides, pair by pair.

use std::thread;

use harness_stats::{Decision, PairModel, Pentanomial, Sprt};
use rand::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Draws pair scores.
struct PairScores {
    /// Probability of at most each cell.
    sums: [f64; 5],
}

impl PairScores {
    fn new(model: &PairModel) -> PairScores {
        let mut sum = 0.0;
        let sums = model.shares().map(|share| {
            sum += share;
            sum
        });
        PairScores { sums }
    }

    fn sample(&self, random: &mut Pcg64Mcg) -> usize {
        let uniform = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        self.sums.iter().take(4).filter(|&&sum| uniform >= sum).count()
    }
}

/// How a simulated test ended.
#[derive(Clone, Copy)]
pub struct Ended {
    /// `None`: its pairs ran out.
    pub decision: Option<Decision>,
    /// Its pairs.
    pub counts: Pentanomial,
}

/// Simulates tests of at most `max` pairs, on all processors; each has a seed of its own.
pub fn simulate(sprt: &Sprt, max: u64, model: &PairModel, tests: u64) -> Vec<Ended> {
    let pair = PairScores::new(model);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let seeds: Vec<u64> = (0..tests).collect();
    thread::scope(|scope| {
        let workers: Vec<_> = seeds
            .chunks(seeds.len().div_ceil(threads).max(1))
            .map(|seeds| {
                scope.spawn(|| -> Vec<Ended> {
                    seeds.iter().map(|&seed| one(sprt, max, &pair, seed)).collect()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("ran")).collect()
    })
}

fn one(sprt: &Sprt, max: u64, pair: &PairScores, seed: u64) -> Ended {
    let mut random = Pcg64Mcg::seed_from_u64(20_261_127 + seed);
    let mut counts = Pentanomial::default();
    // No pair moves the LLR further, so that nothing is missed by not computing it until a bound is in reach.
    let furthest = (sprt.elo1 - sprt.elo0) / 80.0;
    let mut unreachable = 0;
    for pairs in 1..=max {
        counts.0[pair.sample(&mut random)] += 1;
        if unreachable > 0 {
            unreachable -= 1;
            continue;
        }
        if let Some(next) = far_away(sprt, &counts, furthest) {
            unreachable = next;
            continue;
        }
        let llr = sprt.llr(&counts).expect("pairs");
        let decision = sprt.decide_at(pairs as f64, llr);
        if decision.is_some() {
            return Ended { decision, counts };
        }
        unreachable = out_of_reach(sprt, pairs, llr, furthest);
    }
    Ended { decision: None, counts }
}

/// Pairs that come before any that can decide, if the LLR is plainly between the bounds: its first-order form
/// takes no solver, and is off by less than a third of a nat after these many pairs.
fn far_away(sprt: &Sprt, counts: &Pentanomial, furthest: f64) -> Option<u64> {
    const MANY: u64 = 40;
    const OFF: f64 = 0.33;
    let pairs = counts.pairs();
    let (mean, variance) = (counts.mean()?, counts.variance()?);
    if pairs < MANY || variance < 0.01 {
        return None;
    }
    let [t0, t1] = [sprt.elo0, sprt.elo1].map(|elo| elo / 347.435_585 * std::f64::consts::SQRT_2);
    let t = (mean - 0.5) / variance.sqrt();
    let llr = pairs as f64 * (t1 - t0) * (t - (t0 + t1) / 2.0);
    let [lower, upper] = sprt.bounds_at(pairs as f64);
    let is_far = lower + OFF < llr && llr < upper - OFF;
    // Towards either bound, as far as it may be off.
    let near = if upper - llr < llr - lower { llr + OFF } else { llr - OFF };
    is_far.then(|| out_of_reach(sprt, pairs, near, furthest))
}

/// Pairs that come before any that can decide.
fn out_of_reach(sprt: &Sprt, pairs: u64, llr: f64, furthest: f64) -> u64 {
    let [lower, upper] = sprt.bounds_at(pairs as f64);
    let mut next = ((upper - llr).min(llr - lower) / furthest) as u64;
    // Bounds move inwards.
    while next > 0 {
        let [lower, upper] = sprt.bounds_at((pairs + next) as f64);
        let reach = furthest * next as f64;
        if lower < llr - reach && llr + reach < upper {
            break;
        }
        next = next * 3 / 4;
    }
    next
}

/// Share of tests that end so.
pub fn share(tests: &[Ended], decision: Option<Decision>) -> f64 {
    tests.iter().filter(|test| test.decision == decision).count() as f64 / tests.len() as f64
}

/// Mean number of games with its standard error, and the number that 95 % do not exceed.
pub fn games(tests: &[Ended]) -> [f64; 3] {
    let count = tests.len() as f64;
    let mut games: Vec<f64> = tests.iter().map(|test| test.counts.games() as f64).collect();
    games.sort_by(f64::total_cmp);
    let mean = games.iter().sum::<f64>() / count;
    let variance = games.iter().map(|games| (games - mean).powi(2)).sum::<f64>() / count;
    let last = games.len().saturating_sub(1);
    [mean, (variance / count).sqrt(), games[(0.95 * last as f64) as usize]]
}

/// Standard error of a share of this number of tests.
pub fn error(share: f64, tests: u64) -> f64 {
    (share * (1.0 - share) / tests as f64).sqrt()
}

/// The pair scores of one stream.
#[allow(dead_code, reason = "not every user of this module draws streams")]
pub fn stream(model: &PairModel, pairs: usize, seed: u64) -> Vec<usize> {
    let pair = PairScores::new(model);
    let mut random = Pcg64Mcg::seed_from_u64(20_261_128 + seed);
    (0..pairs).map(|_| pair.sample(&mut random)).collect()
}

/// A test of [`simulate`] with this seed, looked at after each pair.
#[allow(dead_code, reason = "only the tests of this module look so closely")]
pub fn one_by_one(sprt: &Sprt, model: &PairModel, seed: u64) -> Ended {
    let pair = PairScores::new(model);
    let mut random = Pcg64Mcg::seed_from_u64(20_261_127 + seed);
    let mut counts = Pentanomial::default();
    loop {
        counts.0[pair.sample(&mut random)] += 1;
        if let Some(decision) = sprt.decide(&counts) {
            return Ended { decision: Some(decision), counts };
        }
    }
}
