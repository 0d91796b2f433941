//! Simulated matches of few games: what the intervals of [`harness::stats::Elo`] are measured with.

use std::collections::BTreeMap;

use harness::stats::{Elo, Pentanomial, Posterior, score_of_elo};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_pcg::Pcg64Mcg;

/// Two players and their openings.
#[derive(Clone, Copy, Debug)]
pub struct Players {
    /// The first player's true mean score.
    pub score: f64,
    /// Probabilities of the pair scores.
    pub shares: [f64; 5],
}

impl Players {
    /// Who draw this share of their games, `elo` (logistic) apart; `imbalance` is how much better
    /// one side of an opening is, in parts of what the draws leave room for. `None` where so many draws leave no room for the difference.
    pub fn new(draws: f64, elo: f64, imbalance: f64) -> Option<Players> {
        let score = score_of_elo(elo);
        let room = (1.0 - draws / 2.0 - score).min(score - draws / 2.0);
        if room < 0.0 {
            return None;
        }
        let game = |mean: f64| {
            let win = mean - draws / 2.0;
            [(1.0 - draws - win).max(0.0), draws, win.max(0.0)]
        };
        let (with, against) = (game(score + imbalance * room), game(score - imbalance * room));
        let mut shares = [0.0; 5];
        for (i, a) in with.into_iter().enumerate() {
            for (j, b) in against.into_iter().enumerate() {
                shares[i + j] += a * b;
            }
        }
        Some(Players { score, shares })
    }

    /// Results of `matches` matches of `pairs` pairs, with how often each came up.
    pub fn play(&self, pairs: u64, matches: u64, seed: u64) -> BTreeMap<[u64; 5], u64> {
        let pair = WeightedIndex::new(self.shares).expect("probabilities");
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut results = BTreeMap::new();
        for _ in 0..matches {
            let mut counts = [0; 5];
            for _ in 0..pairs {
                counts[pair.sample(&mut random)] += 1;
            }
            *results.entry(counts).or_default() += 1;
        }
        results
    }
}

/// Share of the matches for which `covers` holds.
pub fn share(results: &BTreeMap<[u64; 5], u64>, covers: impl Fn(&Pentanomial) -> bool) -> f64 {
    let all: u64 = results.values().sum();
    let held = results.iter().filter(|(counts, _)| covers(&Pentanomial(**counts)));
    held.map(|(_, times)| times).sum::<u64>() as f64 / all as f64
}

/// Whether the normal interval holds the true score; a match without an Elo says nothing wrong.
pub fn normal_covers(pairs: &Pentanomial, score: f64) -> bool {
    Elo::normal(pairs)
        .map_or(true, |elo| score_of_elo(elo.low95) <= score && score <= score_of_elo(elo.high95))
}

/// Whether the interval of a posterior does, which has no end where all was won or lost.
pub fn posterior_covers(pairs: &Pentanomial, score: f64, prior: f64) -> bool {
    let below = Posterior::with_prior(&pairs.into(), prior).below(score);
    let [all_lost, .., all_won] = pairs.0.map(|count| count == pairs.pairs());
    (below >= 0.025 || all_lost) && (below <= 0.975 || all_won)
}
