//! Evidence that some workers' results follow another law than those of the rest.
//!
//! An e-value (Grünwald, de Heide and Koolen, "Safe testing", 2024): its expectation is at most 1 if all
//! workers are alike, so that one of 1,000 or more comes once in 1,000 fleets (Markov's inequality), however
//! few pairs either side has. Given the pair scores of all together, the scores of a part of the workers
//! have a multivariate hypergeometric law; the likelihood ratio of a lie over that law is free of the
//! unknown strength of the engines. It is averaged over kinds and rates of lies, and over the parts that
//! may be lying: thereby it needs no correction for the number of workers.
//!
//! It is looked at again and again while a run is played. A likelihood ratio hardly notices that (it is
//! nearly a martingale), unlike a p-value; the simulation in `harness/benches/fleets.rs` counts the false
//! alarms of whole runs.

/// Counts of pairs by pair score.
pub(super) type Counts = [u64; 5];

/// Pair law of two games with random results.
const RANDOM: [f64; 5] = [1.0 / 9.0, 2.0 / 9.0, 3.0 / 9.0, 2.0 / 9.0, 1.0 / 9.0];

/// Shares of its pairs of which a worker lies.
const RATES: [f64; 4] = [0.1, 0.3, 0.6, 0.97];

/// Factors by which the odds of a fault are higher.
const FAULT_ODDS: [f64; 3] = [3.0, 10.0, 40.0];

/// A kind of lie: the law of a pair that is lied about, by the true law.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// The other engine's result.
    Reversed,
    /// Random results.
    Random,
    /// Always the same pair score.
    Only(usize),
    /// Half a point more.
    Up,
    /// Half a point less.
    Down,
}

const LIES: [Lie; 9] = [
    Lie::Reversed,
    Lie::Random,
    Lie::Only(0),
    Lie::Only(1),
    Lie::Only(2),
    Lie::Only(3),
    Lie::Only(4),
    Lie::Up,
    Lie::Down,
];

impl Lie {
    /// The law of the pairs of which it lies.
    fn law(self, truth: &[f64; 5]) -> [f64; 5] {
        let shifted = |score: usize, from: Option<usize>, end: usize| {
            let moved = from.and_then(|from| truth.get(from)).copied().unwrap_or(0.0);
            moved + if score == end { truth[end] } else { 0.0 }
        };
        std::array::from_fn(|score| match self {
            Lie::Reversed => truth[4 - score],
            Lie::Random => RANDOM[score],
            Lie::Only(one) => f64::from(u8::from(score == one)),
            Lie::Up => shifted(score, score.checked_sub(1), 4),
            Lie::Down => shifted(score, Some(score + 1), 0),
        })
    }
}

/// Results that are comparable: those of the same two engines. Counts by worker.
pub(super) struct Stratum {
    by_worker: Vec<Counts>,
    all: Counts,
    /// Factors by which a lie changes the odds of each pair score, ...
    odds: Vec<[f64; 5]>,
    /// ... and their logarithms.
    log_odds: Vec<[f64; 5]>,
}

impl Stratum {
    /// Of counts by worker, all strata in the same order of workers.
    pub fn new(by_worker: Vec<Counts>) -> Stratum {
        let all = by_worker.iter().fold([0; 5], |sum, counts| plus(&sum, counts));
        let pairs = all.iter().sum::<u64>() as f64;
        let truth = all.map(|count| (count as f64 + 0.5) / (pairs + 2.5));
        let of_lie = |lie: Lie, rate: f64| {
            let law = lie.law(&truth);
            std::array::from_fn(|score| 1.0 - rate + rate * law[score] / truth[score])
        };
        let odds: Vec<[f64; 5]> =
            LIES.iter().flat_map(|&lie| RATES.map(|rate| of_lie(lie, rate))).collect();
        let log_odds = odds.iter().map(|odds| odds.map(f64::ln)).collect();
        Stratum { by_worker, all, odds, log_odds }
    }

    fn of_part(&self, part: &[usize]) -> Counts {
        part.iter().fold([0; 5], |sum, &worker| plus(&sum, &self.by_worker[worker]))
    }

    /// Logarithm of the likelihood ratio of a lie of a part with these counts.
    fn log_ratio(&self, lie: usize, own: &Counts) -> f64 {
        let pairs = own.iter().sum::<u64>();
        let gain: f64 = (0..5).map(|score| own[score] as f64 * self.log_odds[lie][score]).sum();
        gain - log_normalisation(&self.odds[lie], &self.all, pairs)
    }
}

fn plus(one: &Counts, other: &Counts) -> Counts {
    std::array::from_fn(|at| one[at] + other[at])
}

/// Logarithm of the mean of Π odds^count under the hypergeometric law of `drawn` out of `all`: the
/// coefficient of z^drawn in Π (1 + odds z)^count over that in Π (1 + z)^count, both by the saddlepoint
/// approximation (Daniels 1954), whose error nearly cancels in the ratio.
fn log_normalisation<const N: usize>(odds: &[f64; N], all: &[u64; N], drawn: u64) -> f64 {
    let pairs = all.iter().sum::<u64>();
    if drawn == 0 {
        return 0.0;
    }
    if drawn >= pairs {
        // All of them: there is nothing to compare with.
        return (0..N).map(|at| all[at] as f64 * odds[at].ln()).sum();
    }
    let (total, drawn) = (pairs as f64, drawn as f64);
    let null = drawn / (total - drawn);
    let mut z = null;
    let mut variance = 0.0;
    for _ in 0..50 {
        let (mut mean, mut spread) = (0.0, 0.0);
        for at in 0..N {
            let share = odds[at] * z / (1.0 + odds[at] * z);
            mean += all[at] as f64 * share;
            spread += all[at] as f64 * share * (1.0 - share);
        }
        variance = spread;
        // Newton's method in the logarithm of z, in steps that cannot run away.
        let step = ((drawn - mean) / spread.max(f64::MIN_POSITIVE)).clamp(-2.0, 2.0);
        if step.abs() < 1e-9 {
            break;
        }
        z *= step.exp();
    }
    let at_z: f64 = (0..N).map(|at| all[at] as f64 * (odds[at] * z).ln_1p()).sum();
    let at_null = total * null.ln_1p();
    let spread_of_null = total * (drawn / total) * (1.0 - drawn / total);
    (at_z - drawn * z.ln()) - (at_null - drawn * null.ln()) - 0.5 * (variance / spread_of_null).ln()
}

/// A part of the workers, and the logarithm of the evidence against it: the prior weight of the part is
/// in it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub workers: Vec<usize>,
    pub log_evidence: f64,
    /// The lie that all of a set tell.
    lie: Option<usize>,
}

/// The parts of a fleet that are compared with the rest.
pub(super) struct Parts<'a> {
    /// Number of workers.
    pub workers: usize,
    /// Workers of one token, where it has several: each is a part.
    pub tokens: &'a [Vec<usize>],
}

/// Evidence against each worker and each token, in their order, and against the most conspicuous set of
/// workers that lie alike.
pub(super) fn results(strata: &[Stratum], parts: &Parts<'_>) -> Vec<Part> {
    let singles = (0..parts.workers).map(|worker| vec![worker]);
    let mut found: Vec<Part> = singles
        .chain(parts.tokens.iter().cloned())
        .enumerate()
        .map(|(at, workers)| {
            let of = if at < parts.workers { parts.workers } else { parts.tokens.len() };
            let prior = (1.0 / 3.0 / of as f64).ln();
            let own: Vec<Counts> = strata.iter().map(|of| of.of_part(&workers)).collect();
            let ratios = (0..lies()).map(|lie| ratio(strata, lie, &own));
            Part { workers, log_evidence: prior + log_mean(ratios), lie: None }
        })
        .collect();
    if parts.workers >= 4 {
        let sets = (0..lies()).filter_map(|lie| colluding(strata, lie, parts.workers));
        found.extend(sets.max_by(|a, b| a.log_evidence.total_cmp(&b.log_evidence)));
    }
    found
}

fn lies() -> usize {
    LIES.len() * RATES.len()
}

fn ratio(strata: &[Stratum], lie: usize, own: &[Counts]) -> f64 {
    strata.iter().zip(own).map(|(stratum, own)| stratum.log_ratio(lie, own)).sum()
}

/// The set of two or more workers that most likely tell this lie, all sizes of sets being as likely
/// beforehand, and all sets of a size.
fn colluding(strata: &[Stratum], lie: usize, workers: usize) -> Option<Part> {
    let mut by_gain: Vec<(usize, f64)> =
        (0..workers).map(|worker| (worker, gain(strata, lie, worker))).collect();
    by_gain.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut own = vec![[0; 5]; strata.len()];
    let mut log_sets = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for (at, (worker, gain)) in by_gain.iter().enumerate().take(workers - 2) {
        if *gain <= 0.0 {
            break;
        }
        let size = at as f64 + 1.0;
        log_sets += ((workers as f64 - size + 1.0) / size).ln();
        own.iter_mut().zip(strata).for_each(|(sum, of)| *sum = plus(sum, &of.by_worker[*worker]));
        let log_evidence = ratio(strata, lie, &own) - log_sets;
        if size >= 2.0 && best.is_none_or(|(most, _)| log_evidence > most) {
            best = Some((log_evidence, at + 1));
        }
    }
    let (log_evidence, size) = best?;
    let prior = -(3.0 * lies() as f64 * workers as f64).ln();
    let workers = by_gain[..size].iter().map(|(worker, _)| *worker).collect();
    Some(Part { workers, log_evidence: prior + log_evidence, lie: Some(lie) })
}

/// Logarithm of the likelihood ratio of a lie of one worker, against the law of all.
fn gain(strata: &[Stratum], lie: usize, worker: usize) -> f64 {
    let of = |stratum: &Stratum| -> f64 {
        let own = &stratum.by_worker[worker];
        (0..5).map(|score| own[score] as f64 * stratum.log_odds[lie][score]).sum()
    };
    strata.iter().map(of).sum()
}

/// The workers of a part that are surely of it: without each of them the evidence is weaker. Those that
/// hardly tell are left to a later look.
pub(super) fn accused(strata: &[Stratum], part: &Part) -> Vec<usize> {
    let Some(lie) = part.lie else { return part.workers.clone() };
    let counts = |without: Option<usize>| -> Vec<Counts> {
        let rest: Vec<usize> =
            part.workers.iter().copied().filter(|worker| Some(*worker) != without).collect();
        strata.iter().map(|of| of.of_part(&rest)).collect()
    };
    let all = ratio(strata, lie, &counts(None));
    let weight = |worker: usize| all - ratio(strata, lie, &counts(Some(worker)));
    let weights: Vec<(usize, f64)> =
        part.workers.iter().map(|&worker| (worker, weight(worker))).collect();
    let most = weights.iter().map(|(_, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
    weights.into_iter().filter(|(_, of)| *of >= MIN_WEIGHT.min(most)).map(|(one, _)| one).collect()
}

/// Logarithm of the evidence that one worker adds to that against a set, above which it is accused: an
/// honest one is with a probability of one in a hundred.
const MIN_WEIGHT: f64 = 5.0;

/// Evidence that each worker has more faults than the rest: games with and without one, by worker.
pub(super) fn faults(games: &[[u64; 2]]) -> Vec<f64> {
    let all = games.iter().fold([0; 2], |sum, of| [sum[0] + of[0], sum[1] + of[1]]);
    let prior = (1.0 / games.len().max(1) as f64).ln();
    let of = |own: &[u64; 2]| {
        let ratio = |odds: f64| {
            own[0] as f64 * odds.ln() - log_normalisation(&[odds, 1.0], &all, own[0] + own[1])
        };
        prior + log_mean(FAULT_ODDS.into_iter().map(ratio))
    };
    games.iter().map(of).collect()
}

/// Logarithm of the mean of numbers whose logarithms are given.
fn log_mean(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    let (count, sum) =
        logs.fold((0.0, 0.0), |(count, sum), log| (count + 1.0, sum + (log - largest).exp()));
    largest + (sum / count).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the convolution of the coefficients.
    fn slow(odds: &[f64; 5], all: &Counts, drawn: usize) -> f64 {
        let coefficient = |odds: &[f64; 5]| {
            let mut polynomial = vec![1.0f64];
            for (&odds, &count) in odds.iter().zip(all) {
                for _ in 0..count {
                    let mut next = polynomial.clone();
                    next.push(0.0);
                    for (at, term) in polynomial.iter().enumerate() {
                        next[at + 1] += odds * term;
                    }
                    polynomial = next;
                }
            }
            polynomial[drawn]
        };
        (coefficient(odds) / coefficient(&[1.0; 5])).ln()
    }

    #[test]
    fn the_normalisation_is_that_of_the_hypergeometric_law() {
        let cases = [
            ([1.0, 1.0, 1.0, 1.0, 1.0], [3, 9, 20, 8, 2], 7),
            ([0.4, 0.7, 1.0, 1.5, 3.0], [3, 9, 20, 8, 2], 1),
            ([0.4, 0.7, 1.0, 1.5, 3.0], [3, 9, 20, 8, 2], 20),
            ([0.03, 0.03, 0.03, 0.03, 30.0], [3, 9, 20, 8, 2], 5),
            ([0.03, 0.03, 2.0, 0.03, 0.03], [12, 90, 200, 80, 15], 380),
            ([9.0, 2.0, 0.9, 0.5, 0.1], [12, 90, 200, 80, 15], 12),
        ];
        for (odds, all, drawn) in cases {
            let found = log_normalisation(&odds, &all, drawn);
            let slow = slow(&odds, &all, usize::try_from(drawn).expect("small"));
            assert!((found - slow).abs() < 0.1, "{odds:?} {all:?} {drawn}: {found} {slow}");
        }
        let all = [3, 9, 20, 8, 2];
        assert!((log_normalisation(&[2.0; 5], &all, 42) - 42.0 * 2f64.ln()).abs() < 1e-9);
    }
}
