//! Error rates and lengths of tests by their rules: by summation, and of simulated tests.
//!
//! `cargo bench -p tench-stats --bench bounds [-- TESTS [GAP] [RULE]]`
//!
//! 100,000 tests a point and a gap of 60 nElo between the hypotheses unless given, half of the games drawn,
//! errors of 5 %. Only rules whose name has RULE in it (`triangular`, `futile`). The tables are Markdown.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

#[path = "../tests/simulation/mod.rs"]
mod simulation;

use harness_stats::{Decision, DrawnCourse, Model, PairModel, Shape, Sprt};
use simulation::{error, games, share, simulate};

/// Simulated tests a point.
const TESTS: u64 = 100_000;

/// Distance of the hypotheses in normalized Elo.
const GAP: f64 = 60.0;

const DRAWS: f64 = 0.5;

fn main() {
    let words = || std::env::args().skip(1);
    let numbers: Vec<f64> = words().filter_map(|word| word.parse().ok()).collect();
    // Cargo adds a flag of its own.
    let rule = words().find(|word| word.parse::<f64>().is_err() && !word.starts_with("--"));
    let tests = numbers.first().map_or(TESTS, |&tests| tests as u64);
    let gap = numbers.get(1).copied().unwrap_or(GAP);
    let wald = Sprt::new(Model::Normalized, 0.0, gap, 0.05, 0.05).expect("valid");
    let shaped = |shape| wald.with_bounds(shape, DRAWS).expect("bounds");
    let [falling, triangular] = [Shape::Falling, Shape::Triangular].map(shaped);
    let last = |sprt: &Sprt| sprt.last_pair().unwrap_or(u64::MAX);
    // As many games as Wald's test takes half way, twice.
    let few = (17.4 / (gap / 347.4 * 1.414).powi(2)) as u64;
    let futile = |sprt: &Sprt| sprt.with_futility(0.1, DRAWS, few).expect("a level");
    println!("[0, {gap}] nElo, {tests} tests a point; exact / simulated ± standard error\n");
    println!("| rule | at | accepts, % | undecided, % | games | 95 % | most |");
    println!("|---|---|---|---|---|---|---|");
    for (name, sprt, max) in [
        ("wald", wald, u64::MAX),
        ("falling", falling, last(&falling)),
        ("triangular", triangular, last(&triangular)),
        ("wald, few games", wald, few),
        ("wald, few games, futile below 0.1", futile(&wald), few),
        ("falling, few games", falling, few),
        ("falling, few games, futile below 0.1", futile(&falling), few),
    ] {
        if rule.as_ref().is_some_and(|rule| !name.contains(rule.as_str())) {
            continue;
        }
        for (place, course) in
            ["elo0", "half way", "elo1"].into_iter().zip(courses(&sprt, max, gap))
        {
            row(name, place, &sprt, max, &course, tests);
        }
    }
}

fn courses(sprt: &Sprt, max: u64, gap: f64) -> Vec<DrawnCourse> {
    let max = (max < u64::MAX).then_some(max);
    sprt.summed(DRAWS, max, &[0.0, 0.5, 1.0].map(|share| share * gap)).1
}

fn row(name: &str, place: &str, sprt: &Sprt, max: u64, course: &DrawnCourse, tests: u64) {
    let model = PairModel::new(DRAWS, sprt.model, course.elo);
    let ended = simulate(sprt, max, &model, tests);
    let [mean, mean_error, games95] = games(&ended);
    let percent = |exact: f64, seen: f64| {
        let error = 100.0 * error(seen, tests);
        format!("{:.3} / {:.3} ± {error:.3}", 100.0 * exact, 100.0 * seen)
    };
    let accepts = percent(course.accepts, share(&ended, Some(Decision::Accepted)));
    let open = (1.0 - course.accepts - course.rejects).max(0.0);
    let undecided = percent(open, share(&ended, None));
    let most = if max == u64::MAX { "–".to_owned() } else { (2 * max).to_string() };
    println!(
        "| {name} | {place} | {accepts} | {undecided} | {:.1} / {mean:.1} ± {mean_error:.1} | {:.0} / \
         {games95:.0} | {most} |",
        course.games, course.games95
    );
}
