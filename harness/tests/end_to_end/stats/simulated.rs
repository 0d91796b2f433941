//! What is promised of a test against many simulated ones.

use std::thread;

use harness::stats::{
    Decision, Model, Pentanomial, Sequential, Sprt, SprtPlan, elo_of_score, score_of_elo,
    sigma_of_draws,
};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_pcg::Pcg64Mcg;

/// Simulated tests a point.
const TESTS: u64 = 2_000;

/// How a simulated test ended.
struct Ended {
    /// `None`: its games ran out.
    decision: Option<Decision>,
    counts: Pentanomial,
}

/// Plays [`TESTS`] tests with these probabilities of pair scores, on all processors; every test
/// has a seed of its own.
fn simulate(sprt: &Sprt, shares: [f64; 5]) -> Vec<Ended> {
    simulate_up_to(sprt, shares, u64::MAX)
}

/// The same of tests that give up after `most` pairs.
fn simulate_up_to(sprt: &Sprt, shares: [f64; 5], most: u64) -> Vec<Ended> {
    let pair = WeightedIndex::new(shares).expect("probabilities");
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let seeds: Vec<u64> = (0..TESTS).collect();
    thread::scope(|scope| {
        let workers: Vec<_> = seeds
            .chunks(seeds.len().div_ceil(threads))
            .map(|seeds| {
                let tests = || seeds.iter().map(|&seed| one(sprt, &pair, seed, most)).collect();
                scope.spawn(tests)
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| -> Vec<Ended> { worker.join().expect("ran") })
            .collect()
    })
}

fn one(sprt: &Sprt, pair: &WeightedIndex<f64>, seed: u64, most: u64) -> Ended {
    let mut random = Pcg64Mcg::seed_from_u64(20_261_101 + seed);
    let mut counts = Pentanomial::default();
    let [lower, upper] = sprt.bounds();
    // No pair of the tests below moves the LLR further: nothing is missed by not computing it
    // until a bound is within reach.
    let furthest = (sprt.elo1 - sprt.elo0) / 80.0;
    let mut out_of_reach = 0;
    loop {
        counts.0[pair.sample(&mut random)] += 1;
        let is_last = counts.pairs() >= most;
        if out_of_reach > 0 && !is_last {
            out_of_reach -= 1;
            continue;
        }
        let llr = sprt.llr(&counts).expect("pairs");
        if let Some(decision) = sprt.decide_at(counts.pairs() as f64, llr) {
            return Ended { decision: Some(decision), counts };
        }
        if is_last {
            return Ended { decision: None, counts };
        }
        out_of_reach = ((upper - llr).min(llr - lower) / furthest) as u32;
    }
}

/// Share of tests that accept.
fn passed(tests: &[Ended]) -> f64 {
    let accepted = tests.iter().filter(|test| test.decision == Some(Decision::Accepted)).count();
    accepted as f64 / tests.len() as f64
}

/// Mean and standard error of the number of games.
fn games(tests: &[Ended]) -> [f64; 2] {
    let count = tests.len() as f64;
    let games = |test: &Ended| test.counts.games() as f64;
    let mean = tests.iter().map(games).sum::<f64>() / count;
    let variance = tests.iter().map(|test| (games(test) - mean).powi(2)).sum::<f64>() / count;
    [mean, (variance / count).sqrt()]
}

/// Probabilities of pair scores when the games of a pair are independent, this share of them is
/// drawn, and the mean score is this.
fn independent(draws: f64, mean: f64) -> [f64; 5] {
    let win = mean - draws / 2.0;
    let loss = 1.0 - draws - win;
    [
        loss * loss,
        2.0 * loss * draws,
        2.0 * loss * win + draws * draws,
        2.0 * draws * win,
        win * win,
    ]
}

/// Mean score of these pairs, and the standard deviation of a game.
fn moments(shares: &[f64; 5]) -> [f64; 2] {
    let score = |cell: usize| cell as f64 / 4.0;
    let mean: f64 = (0..5).map(|cell| shares[cell] * score(cell)).sum();
    let variance: f64 = (0..5).map(|cell| shares[cell] * (score(cell) - mean).powi(2)).sum();
    [mean, (2.0 * variance).sqrt()]
}

/// The mean score at which independent games with this share of draws have exactly this Elo.
fn mean_of(model: Model, elo: f64, draws: f64) -> f64 {
    let (mut low, mut high) = (draws / 2.0, 1.0 - draws / 2.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let [mean, sigma] = moments(&independent(draws, middle));
        let at = match model {
            Model::Logistic => elo_of_score(mean),
            Model::Normalized => (mean - 0.5) / sigma * 800.0 / std::f64::consts::LN_10,
        };
        if at < elo { low = middle } else { high = middle }
    }
    low
}

/// Three standard errors of a share of [`TESTS`].
fn error(share: f64) -> f64 {
    3.0 * (share * (1.0 - share) / TESTS as f64).sqrt()
}

#[test]
fn error_rates_of_simulated_tests_are_those_asked_for() {
    let cases = [(Model::Logistic, 0.0, 60.0, 0.05), (Model::Normalized, 0.0, 70.0, 0.1)];
    for (model, elo0, elo1, beta) in cases {
        let sprt = Sprt::new(model, elo0, elo1, 0.05, beta).expect("valid");
        let pass = |elo| passed(&simulate(&sprt, independent(0.5, mean_of(model, elo, 0.5))));
        let wrongly = [("accepted", pass(elo0), 0.05), ("rejected", 1.0 - pass(elo1), beta)];
        for (name, wrong, rate) in wrongly {
            println!("{model:?}: wrongly {name} {wrong:.4}, asked for {rate}");
            assert!(wrong <= rate + error(rate), "{model:?}: wrongly {name} {wrong}");
            // A test that never errs waits longer than it need.
            assert!(wrong >= rate / 3.0, "{model:?}: wrongly {name} only {wrong}");
        }
    }
}

/// The plan knows the walk's mean and variance and not its shape, and takes the spread of equal
/// players: beyond the error of the simulation it is granted 1 % of passes and 4 % of games.
#[test]
fn a_plan_agrees_with_simulated_tests() {
    let points = [
        (Model::Normalized, 0.3, &[0.0, 25.0, 75.0][..]),
        (Model::Normalized, 0.7, &[-25.0, 25.0, 50.0]),
        (Model::Logistic, 0.5, &[0.0, 25.0, 50.0]),
    ];
    for (model, draws, elos) in points {
        let sprt = Sprt::new(model, 0.0, 50.0, 0.05, 0.05).expect("valid");
        for &elo in elos {
            let mean = mean_of(model, elo, draws);
            let planned = sprt.expectation(elo_of_score(mean), sigma_of_draws(draws));
            let tests = simulate(&sprt, independent(draws, mean));
            let (passed, [games, games_error]) = (passed(&tests), games(&tests));
            let point = format!(
                "{model:?}, {draws} drawn, {elo} Elo: passed {passed:.4}, planned {:.4}; \
                 {games:.0} ± {games_error:.1} games, planned {:.0}",
                planned.pass, planned.games
            );
            println!("{point}");
            assert!((passed - planned.pass).abs() < error(planned.pass) + 0.01, "{point}");
            let games_off = (games - planned.games).abs();
            assert!(games_off < 3.0 * games_error + 0.04 * planned.games, "{point}");
        }
    }
}

/// The plan of a test that may not play as many games as it would: it gives up in half of the cases, and its
/// lengths are those of the games that it plays.
#[test]
fn a_plan_of_few_games_agrees_with_simulated_tests() {
    for (model, elo1, draws, most) in [
        (Model::Normalized, 50.0, 0.5, 200),
        (Model::Normalized, 50.0, 0.3, 800),
        (Model::Normalized, 50.0, 0.5, 40),
        (Model::Logistic, 40.0, 0.5, 300),
    ] {
        let sprt = Sprt::new(model, 0.0, elo1, 0.05, 0.05).expect("valid");
        let plan = SprtPlan::new(sprt, &[draws], most).expect("a plan").plans.remove(0);
        for row in plan.expectations.iter().step_by(2) {
            let mean = score_of_elo(row.elo);
            let tests = simulate_up_to(&sprt, independent(draws, mean), most / 2);
            let (passed, [games, games_error]) = (passed(&tests), games(&tests));
            let open = tests.iter().filter(|test| test.decision.is_none()).count();
            let open = open as f64 / tests.len() as f64;
            let point = format!(
                "{model:?}, at most {most}, {draws} drawn, {:.1} Elo: passed {passed:.3}, planned {:.3}; \
                 undecided {open:.3}, planned {:.3}; {games:.0} ± {games_error:.1} games, planned {:.0}",
                row.elo, row.pass, row.undecided, row.games
            );
            println!("{point}");
            assert!((passed - row.pass).abs() < error(row.pass) + 0.015, "{point}");
            assert!((open - row.undecided).abs() < error(row.undecided) + 0.02, "{point}");
            assert!((games - row.games).abs() < 3.0 * games_error + 0.03 * row.games, "{point}");
            assert!(row.games <= most as f64 + 1e-6, "{point}");
        }
    }
}

/// A test this short, some 40 pairs, oversteps its bounds by a tenth on average: what overshoot
/// does to the estimate can be seen.
#[test]
fn sequential_estimates_hold_the_truth_as_often_as_they_say() {
    let sprt = Sprt::new(Model::Normalized, 0.0, 80.0, 0.05, 0.05).expect("valid");
    for nelo in [0.0, 40.0, 80.0] {
        let mean = mean_of(Model::Normalized, nelo, 0.5);
        let truth = elo_of_score(mean);
        let tests = simulate(&sprt, independent(0.5, mean));
        let share = |holds: &dyn Fn(Sequential) -> bool| {
            let counts = tests.iter().map(|test| test.counts);
            let estimates =
                counts.map(|counts| Sequential::from_counts(&sprt, &counts).expect("games"));
            estimates.filter(|&both| holds(both)).count() as f64 / TESTS as f64
        };
        let too_low = share(&|both| both.overshoot_corrected.median_unbiased < truth);
        let inside = |[low, high]: [f64; 2]| low <= truth && truth <= high;
        let corrected = share(&|both| inside(both.overshoot_corrected.ci95));
        let plain = share(&|both| inside(both.estimate.ci95));
        // Where the mean would overstate it.
        let mean_too_low = share_of_means_below(&tests, mean);
        println!(
            "{nelo} nElo: median too low {too_low:.4} (mean {mean_too_low:.4}), \
             interval holds {corrected:.4} (without correction {plain:.4})"
        );
        assert!((too_low - 0.5).abs() < error(0.5) + 0.02, "{nelo}: {too_low}");
        assert!((corrected - 0.95).abs() < error(0.95) + 0.02, "{nelo}: {corrected}");
        assert!((plain - 0.95).abs() < error(0.95) + 0.025, "{nelo}: {plain}");
    }
}

/// How often the usual estimate, the mean score, is below the truth.
fn share_of_means_below(tests: &[Ended], truth: f64) -> f64 {
    let means = tests.iter().filter_map(|test| test.counts.mean());
    means.filter(|&mean| mean < truth).count() as f64 / tests.len() as f64
}
