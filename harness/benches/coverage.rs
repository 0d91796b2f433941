//! Coverage of 95 % intervals from few games.
//!
//! `cargo bench -p tench-harness --bench coverage [-- MATCHES]`
//!
//! Matches are simulated for shares of draws from 10 to 95 %, true differences from 0 to 240 Elo,
//! and openings that are balanced or favour one side. The prior's weight is chosen on every other
//! case; the tables below that are of the cases that were left out. All are printed as Markdown.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

#[path = "../tests/end_to_end/stats/few.rs"]
mod few;
use std::thread;

use harness::stats::{
    Elo, Meeting, Pentanomial, Posterior, Ratings, Results, Wdl, WhiteAdvantage, score_of_elo,
};
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use few::{Players, normal_covers, posterior_covers, share};

/// Simulated matches a case.
const MATCHES: u64 = 4_000;

/// Pairs of the main table.
const PAIRS: [u64; 11] = [2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50];

/// Shares of drawn games.
const DRAWS: [f64; 7] = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95];

/// True differences in logistic Elo.
const ELOS: [f64; 6] = [0.0, 10.0, 30.0, 60.0, 120.0, 240.0];

/// Advantage of one side of an opening, as a share of the range that the draws allow.
const IMBALANCES: [f64; 2] = [0.0, 0.6];

/// Pairs that the prior counts at each end of the scale; single games are twice as many.
const PRIOR: f64 = 0.5;

/// Matches of which widths are averaged: a width takes two quantiles.
const WIDTHS: usize = 60;

fn main() {
    let number = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let matches = number.unwrap_or(MATCHES);
    println!("{matches} matches a case.\n");
    choose_prior(matches);
    main_table(matches);
    many_pairs(matches);
    single_games(matches);
    three_players(matches.min(1_000));
}

/// A case of the grid.
struct Case {
    number: usize,
    draws: f64,
    players: Players,
}

/// All of the grid, in its order.
fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for draws in DRAWS {
        for elo in ELOS {
            for imbalance in IMBALANCES {
                let Some(players) = Players::new(draws, elo, imbalance) else { continue };
                cases.push(Case { number: cases.len(), draws, players });
            }
        }
    }
    cases
}

/// The cases with this parity.
fn half(parity: usize) -> Vec<Case> {
    all().into_iter().filter(|case| case.number % 2 == parity).collect()
}

/// Runs the work of each item on all cores; results in the order of the items.
fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let size = items.len().div_ceil(cores).max(1);
    thread::scope(|scope| {
        let work = &work;
        let chunks = items.chunks(size);
        let workers: Vec<_> = chunks
            .map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>()))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    })
}

fn seed(number: usize, pairs: u64) -> u64 {
    20_261_123 + 1_000 * number as u64 + pairs
}

fn worst(shares: impl Iterator<Item = f64>) -> f64 {
    shares.fold(1.0, f64::min)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn choose_prior(matches: u64) {
    println!("The prior's weight at each end, on one half of the cases:\n");
    println!("| weight | worst coverage | mean coverage |\n|---|---|---|");
    let cases = half(0);
    for prior in [0.1, 0.25, 0.35, 0.5, 0.7, 1.0] {
        let shares = parallel(&cases, |Case { number, players, .. }| {
            PAIRS.map(|pairs| {
                let results = players.play(pairs, matches, seed(*number, pairs));
                share(&results, |counts| posterior_covers(counts, players.score, prior))
            })
        })
        .concat();
        println!("| {prior} | {:.3} | {:.3} |", worst(shares.iter().copied()), mean(&shares));
    }
}

fn main_table(matches: u64) {
    println!("\nCoverage on the other half, the worst case of a cell: normal, posterior. Then the");
    println!("posterior's mean half-width between equals with balanced openings, in Elo.\n");
    print!("| pairs |");
    DRAWS.iter().for_each(|draws| print!(" {:.0} % drawn |", 100.0 * draws));
    println!("\n|---|{}", "---|".repeat(DRAWS.len()));
    let cases = half(1);
    let (mut all, mut worst_of_all) = ([Vec::new(), Vec::new()], [1.0f64; 2]);
    for pairs in PAIRS {
        let shares = parallel(&cases, |Case { number, players, .. }| {
            let results = players.play(pairs, matches, seed(*number, pairs));
            [
                share(&results, |counts| normal_covers(counts, players.score)),
                share(&results, |counts| posterior_covers(counts, players.score, PRIOR)),
            ]
        });
        let widths = parallel(&DRAWS, |&draws| width(draws, pairs));
        print!("| {pairs} |");
        for (draws, width) in DRAWS.into_iter().zip(widths) {
            let here = || cases.iter().zip(&shares).filter(move |(of, _)| of.draws == draws);
            let [normal, posterior] = [0, 1].map(|at| worst(here().map(|(_, both)| both[at])));
            print!(" {normal:.2} {posterior:.3} ±{width:.0} |");
        }
        println!();
        for both in shares {
            for at in 0..2 {
                all[at].push(both[at]);
                worst_of_all[at] = worst_of_all[at].min(both[at]);
            }
        }
    }
    let [normal, posterior] = all.map(|shares| mean(&shares));
    println!("\nWorst and mean of all: normal {:.3} {normal:.3},", worst_of_all[0]);
    println!("posterior {:.3} {posterior:.3}.", worst_of_all[1]);
}

fn width(draws: f64, pairs: u64) -> f64 {
    let players = Players::new(draws, 0.0, 0.0).expect("room");
    let results = players.play(pairs, WIDTHS as u64, 5);
    let width = |(counts, times): (&[u64; 5], &u64)| {
        let error = Elo::from_counts(&Pentanomial(*counts)).ok()?.error95;
        Some(vec![error; *times as usize])
    };
    mean(&results.iter().filter_map(width).collect::<Vec<_>>().concat())
}

fn many_pairs(matches: u64) {
    println!("\nFrom how many pairs on the normal interval holds, all cases:\n");
    println!("| pairs | normal, worst | normal, mean | posterior, worst | posterior, mean |");
    println!("|---|---|---|---|---|");
    let cases = all();
    for pairs in [50, 100, 150, 200, 300] {
        let shares = parallel(&cases, |Case { number, players, .. }| {
            let results = players.play(pairs, matches, seed(*number, pairs));
            [
                share(&results, |counts| normal_covers(counts, players.score)),
                share(&results, |counts| posterior_covers(counts, players.score, PRIOR)),
            ]
        });
        let [normal, posterior] =
            [0, 1].map(|at| shares.iter().map(|both| both[at]).collect::<Vec<f64>>());
        println!(
            "| {pairs} | {:.3} | {:.3} | {:.3} | {:.3} |",
            worst(normal.iter().copied()),
            mean(&normal),
            worst(posterior.iter().copied()),
            mean(&posterior)
        );
    }
}

fn single_games(matches: u64) {
    println!("\nSingle games (`--wdl`), balanced openings, all differences:\n");
    println!("| games | posterior, worst | posterior, mean | normal, worst |\n|---|---|---|---|");
    for games in [2u64, 4, 7, 12, 20, 50, 100, 200] {
        let cases: Vec<Case> = all().into_iter().step_by(2).collect();
        let shares = parallel(&cases, |Case { number, draws, players }| {
            let win = players.score - draws / 2.0;
            let shares = [win, *draws, (1.0 - draws - win).max(0.0)];
            let game = WeightedIndex::new(shares).expect("probabilities");
            let mut random = Pcg64Mcg::seed_from_u64(seed(*number, games));
            let mut held = [0u64; 2];
            for _ in 0..matches {
                let mut counts = [0; 3];
                (0..games).for_each(|_| counts[game.sample(&mut random)] += 1);
                let [wins, draws, losses] = counts;
                let wdl = Wdl { wins, draws, losses };
                let below = Posterior::with_prior(&(&wdl).into(), 2.0 * PRIOR).below(players.score);
                let in_it =
                    (below >= 0.025 || losses == games) && (below <= 0.975 || wins == games);
                let normal = Elo::normal(&wdl).map_or(true, |elo| {
                    score_of_elo(elo.low95) <= players.score
                        && players.score <= score_of_elo(elo.high95)
                });
                held[0] += u64::from(in_it);
                held[1] += u64::from(normal);
            }
            held.map(|held| held as f64 / matches as f64)
        });
        let [posterior, normal] =
            [0, 1].map(|at| shares.iter().map(|both| both[at]).collect::<Vec<f64>>());
        println!(
            "| {games} | {:.3} | {:.3} | {:.3} |",
            worst(posterior.iter().copied()),
            mean(&posterior),
            worst(normal.iter().copied())
        );
    }
}

fn three_players(matches: u64) {
    println!("\nRatings of three players who are 0, 40 and 100 Elo strong: coverage of their");
    println!("distances, the worst of the three.\n");
    print!("| pairs of each two |");
    let draws = [0.1, 0.5, 0.8, 0.9];
    draws.iter().for_each(|draws| print!(" {:.0} % drawn |", 100.0 * draws));
    println!("\n|---|{}", "---|".repeat(draws.len()));
    for pairs in [2u64, 4, 8, 16, 32, 64] {
        let shares = parallel(&draws, |&draws| ratings(draws, pairs, matches));
        print!("| {pairs} |");
        shares.into_iter().for_each(|share| print!(" {share:.3} |"));
        println!();
    }
}

fn ratings(draws: f64, pairs: u64, matches: u64) -> f64 {
    // Many draws allow small differences only.
    let scale = if draws > 0.75 { 0.2 } else { 1.0 };
    let strength = [0.0, 40.0, 100.0].map(|elo| scale * elo);
    let mut held = [0u64; 3];
    let mut rated = [0u64; 3];
    for number in 0..matches {
        let mut random = Pcg64Mcg::seed_from_u64(seed(number as usize, pairs));
        let all = [(0, 1), (0, 2), (1, 2)];
        let meetings = all.map(|(first, second)| {
            let apart = strength[first] - strength[second];
            let players = Players::new(draws, apart, 0.0).expect("room");
            let results = players.play(pairs, 1, random.random());
            let counts = results.into_keys().next().expect("one match");
            Meeting { first, second, results: Results::Pairs(Pentanomial(counts)) }
        });
        let ratings = Ratings::from_meetings(3, &meetings, WhiteAdvantage::Ignored);
        for (at, (first, second)) in all.into_iter().enumerate() {
            let Some(elo) = ratings.difference(first, second) else { continue };
            let truth = strength[first] - strength[second];
            rated[at] += 1;
            held[at] += u64::from(elo.low95 <= truth && truth <= elo.high95);
        }
    }
    let shares = held.into_iter().zip(rated).filter(|(_, rated)| *rated > 0);
    worst(shares.map(|(held, rated)| held as f64 / rated as f64))
}
