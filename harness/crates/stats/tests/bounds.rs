//! Error rates, lengths and intervals by summation, against simulated tests.

#![allow(clippy::print_stdout, reason = "figures of a simulation")]

mod simulation;

use harness_stats::{Decision, Model, PairModel, Sequential, Shape, Sprt, elo_of_score};
use simulation::{error, games, share, simulate};

/// Simulated tests a point; `cargo bench -p tench-stats --bench bounds` takes 100,000.
const TESTS: u64 = 1_500;

const DRAWS: f64 = 0.5;

fn test(elo1: f64) -> Sprt {
    Sprt::new(Model::Normalized, 0.0, elo1, 0.05, 0.05).expect("valid")
}

#[test]
fn error_rates_and_lengths_are_those_of_simulated_tests() {
    let max = 1_500;
    let falling = test(40.0).with_bounds(Shape::Falling, DRAWS).expect("bounds");
    let rules = [
        ("wald", test(40.0)),
        ("falling", falling),
        ("triangular", test(40.0).with_bounds(Shape::Triangular, DRAWS).expect("bounds")),
        ("futile", falling.with_futility(0.2, DRAWS, max).expect("a level")),
    ];
    for (name, sprt) in rules {
        let elos = [0.0, 20.0, 40.0];
        let (_, courses) = sprt.summed(DRAWS, Some(max), &elos);
        for course in courses {
            let model = PairModel::new(DRAWS, sprt.model, course.elo);
            let tests = simulate(&sprt, max, &model, TESTS);
            let accepts = share(&tests, Some(Decision::Accepted));
            let [mean, mean_error, _] = games(&tests);
            let point = format!(
                "{name} at {}: accepts {accepts:.4}, by summation {:.4}; {mean:.0} ± {mean_error:.0} \
                 games, by summation {:.0}",
                course.elo, course.accepts, course.games
            );
            println!("{point}");
            // The LLR divides by the spread that is seen, the lattice by the true one.
            let allowed = 3.5 * error(course.accepts, TESTS) + 0.004;
            assert!((accepts - course.accepts).abs() < allowed, "{point}");
            assert!(
                (mean - course.games).abs() < 3.5 * mean_error + 0.02 * course.games,
                "{point}"
            );
        }
    }
}

#[test]
fn the_simulation_leaves_no_deciding_pair_out() {
    let sprt = test(60.0).with_bounds(Shape::Falling, DRAWS).expect("bounds");
    let model = PairModel::new(DRAWS, sprt.model, 20.0);
    for (seed, ended) in simulate(&sprt, u64::MAX, &model, 150).iter().enumerate() {
        let slow = simulation::one_by_one(&sprt, &model, seed as u64);
        assert_eq!(ended.counts, slow.counts, "{seed}");
        assert_eq!(ended.decision, slow.decision, "{seed}");
    }
}

#[test]
fn no_simulated_test_takes_more_games_than_proven() {
    let sprt = test(60.0).with_bounds(Shape::Triangular, DRAWS).expect("bounds");
    let last = sprt.last_pair().expect("they meet");
    let model = PairModel::new(DRAWS, sprt.model, 30.0);
    let tests = simulate(&sprt, u64::MAX, &model, 2_000);
    let longest = tests.iter().map(|test| test.counts.pairs()).max().expect("tests");
    println!("{longest} of at most {last} pairs");
    assert!(longest <= last && tests.iter().all(|test| test.decision.is_some()));
}

/// The interval after each kind of stop holds the truth in 95 of 100 tests.
#[test]
fn intervals_hold_the_truth_whatever_stopped_the_test() {
    const TESTS: u64 = 300;
    let falling = test(80.0).with_bounds(Shape::Falling, DRAWS).expect("bounds");
    let futile = falling.with_futility(0.3, DRAWS, 150).expect("a level");
    for (name, sprt, max) in
        [("bounds", falling, 600), ("games", falling, 60), ("futile", futile, 150)]
    {
        for elo in [0.0, 40.0, 80.0] {
            let model = PairModel::new(DRAWS, sprt.model, elo);
            let shares = model.shares();
            let score: f64 = (0..5).map(|cell| shares[cell] * cell as f64 / 4.0).sum();
            let truth = elo_of_score(score);
            let tests = simulate(&sprt, max, &model, TESTS);
            let estimates = tests
                .iter()
                .map(|test| Sequential::from_counts(&sprt, &test.counts).expect("games"));
            let [mut low, mut inside, mut any] = [0.0; 3];
            for both in estimates {
                let holds =
                    |[from, to]: [f64; 2]| f64::from(u8::from(from <= truth && truth <= to));
                low += f64::from(u8::from(both.estimate.median_unbiased < truth)) / TESTS as f64;
                inside += holds(both.estimate.ci95) / TESTS as f64;
                any += both.any_stop.map_or(0.0, holds) / TESTS as f64;
            }
            let point = format!(
                "{name} at {elo}: median too low {low:.3}, interval holds {inside:.3}, any stop {any:.3}"
            );
            println!("{point}");
            assert!((low - 0.5).abs() < 3.5 * error(0.5, TESTS) + 0.02, "{point}");
            assert!((inside - 0.95).abs() < 3.5 * error(0.95, TESTS) + 0.015, "{point}");
            assert!(any > 0.95 - 3.5 * error(0.95, TESTS), "{point}");
        }
    }
}

/// Who looks after each pair and stops where it suits has an interval that does not hold the truth; the one for any
/// stop does.
#[test]
fn an_interval_for_any_stop_holds_where_the_worst_moment_is_chosen() {
    const TESTS: u64 = 200;
    let sprt = test(60.0);
    let model = PairModel::new(DRAWS, sprt.model, 30.0);
    let shares = model.shares();
    let score: f64 = (0..5).map(|cell| shares[cell] * cell as f64 / 4.0).sum();
    let truth = elo_of_score(score);
    let mut missed = 0;
    for seed in 0..TESTS {
        // Looks at every tenth pair of one stream.
        let mut counts = harness_stats::Pentanomial::default();
        let stream = simulation::stream(&model, 600, seed);
        let is_missed = stream.chunks(10).any(|pairs| {
            pairs.iter().for_each(|&cell| counts.0[cell] += 1);
            let both = Sequential::from_counts(&sprt, &counts);
            let [low, high] = both.and_then(|both| both.any_stop).unwrap_or([-1e9, 1e9]);
            counts.pairs() >= 50 && !(low <= truth && truth <= high)
        });
        missed += u64::from(is_missed);
    }
    println!("missed at some look: {missed} of {TESTS}");
    assert!(missed as f64 <= TESTS as f64 * (0.05 + 3.0 * error(0.05, TESTS)), "{missed}");
}
