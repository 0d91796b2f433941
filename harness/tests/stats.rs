//! Statistics against reference values and against the truth in simulated tests.

use assert_cmd::Command;
use harness::stats::{Decision, Elo, Model, NormalizedElo, Pentanomial, SequentialElo, Sprt, los};
use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_pcg::Pcg64Mcg;
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    pentanomial: Pentanomial,
    model: Model,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    elo: f64,
    elo_error95: f64,
    nelo: f64,
    los: f64,
    llr: f64,
    bounds: [f64; 2],
    sequential: Sequential,
}

#[derive(Deserialize)]
struct Sequential {
    elo_median_unbiased: f64,
    ci95: [f64; 2],
    los: f64,
}

#[test]
fn statistics_agree_with_fishtest() {
    let Vectors { vectors } =
        serde_json::from_str(include_str!("data/sprt_vectors.json")).expect("valid test data");
    assert_eq!(vectors.len(), 70);
    for vector in vectors {
        let counts = vector.pentanomial;
        let sprt = Sprt::new(vector.model, vector.elo0, vector.elo1, vector.alpha, vector.beta)
            .expect("valid test");
        let elo = Elo::of(&counts).expect("defined");
        let nelo = NormalizedElo::of(&counts).expect("defined");
        // The reference cuts a series short and uses an asymptotic form where ours is exact.
        let sequential = SequentialElo::of(&sprt, &counts).expect("defined");
        let theirs = vector.sequential;
        let numbers = [
            ("median", sequential.median_unbiased, theirs.elo_median_unbiased, 1e-3),
            ("lower end", sequential.ci95[0], theirs.ci95[0], 1e-3),
            ("upper end", sequential.ci95[1], theirs.ci95[1], 1e-3),
            ("sequential los", sequential.los, theirs.los, 1e-3),
            ("llr", sprt.llr(&counts).expect("defined"), vector.llr, 1e-8),
            ("elo", elo.value, vector.elo, 1e-9),
            ("elo_error95", elo.error95, vector.elo_error95, 1e-9),
            ("nelo", nelo.value, vector.nelo, 1e-9),
            ("los", los(&counts).expect("defined"), vector.los, 1e-9),
            ("lower bound", sprt.bounds()[0], vector.bounds[0], 1e-12),
            ("upper bound", sprt.bounds()[1], vector.bounds[1], 1e-12),
        ];
        for (name, ours, theirs, tolerance) in numbers {
            assert!(
                (ours - theirs).abs() <= tolerance * theirs.abs().max(1.0),
                "{counts} {:?} [{}, {}]: {name} is {ours}, not {theirs}",
                vector.model,
                vector.elo0,
                vector.elo1,
            );
        }
    }
}

/// Pair probabilities with exactly this mean or t-value, drawish as self-play of engines is.
fn truth(model: Model, elo: f64) -> [f64; 5] {
    let base = [0.03, 0.22, 0.5, 0.22, 0.03];
    // Moving points from the lower to the upper half raises the mean and hardly the deviation.
    let moved = |shift: f64| [-0.03, -0.22, 0.0, 0.22, 0.03].map(|tilt| shift * tilt);
    let at = |shift: f64| {
        let moved = moved(shift);
        std::array::from_fn::<f64, 5, _>(|cell| base[cell] + moved[cell])
    };
    let elo_at = |shift: f64| {
        let shares = at(shift);
        let score = |cell: usize| cell as f64 / 4.0;
        let mean: f64 = (0..5).map(|cell| shares[cell] * score(cell)).sum();
        let variance: f64 = (0..5).map(|cell| shares[cell] * (score(cell) - mean).powi(2)).sum();
        match model {
            Model::Logistic => -400.0 * (1.0 / mean - 1.0).log10(),
            Model::Normalized => {
                (mean - 0.5) / (2.0 * variance).sqrt() * 800.0 / std::f64::consts::LN_10
            }
        }
    };
    let (mut low, mut high) = (-1.0, 1.0);
    for _ in 0..60 {
        let shift = (low + high) / 2.0;
        if elo_at(shift) < elo { low = shift } else { high = shift }
    }
    at(low)
}

/// How many of `tests` simulated tests end in `decision` when the truth is `elo`.
fn simulate(sprt: &Sprt, elo: f64, decision: Decision, tests: u64) -> u64 {
    let pair = WeightedIndex::new(truth(sprt.model, elo)).expect("probabilities");
    let mut random = Pcg64Mcg::seed_from_u64(20_261_101);
    let ends_so = |_: &u64| {
        let mut counts = Pentanomial::default();
        loop {
            for _ in 0..4 {
                counts.0[pair.sample(&mut random)] += 1;
            }
            if let Some(ended) = sprt.decide(&counts) {
                return ended == decision;
            }
        }
    };
    (0..tests).filter(ends_so).count() as u64
}

#[test]
fn error_rates_of_simulated_tests_are_those_asked_for() {
    const TESTS: u64 = 2_000;
    let cases =
        [(Model::Logistic, 0.0, 25.0, 0.05, 0.05), (Model::Normalized, 0.0, 40.0, 0.05, 0.1)];
    for (model, elo0, elo1, alpha, beta) in cases {
        let sprt = Sprt::new(model, elo0, elo1, alpha, beta).expect("valid");
        let wrong = [
            ("accepted", simulate(&sprt, elo0, Decision::Accepted, TESTS), alpha),
            ("rejected", simulate(&sprt, elo1, Decision::Rejected, TESTS), beta),
        ];
        for (name, wrong, rate) in wrong {
            let tests = TESTS as f64;
            let most = rate * tests + 3.0 * (tests * rate * (1.0 - rate)).sqrt();
            println!("{model:?}: wrongly {name} {wrong} of {TESTS}, at most {most:.0} expected");
            assert!(wrong as f64 <= most, "{model:?}: wrongly {name} {wrong} of {TESTS}");
            // A test that never errs waits longer than it need.
            assert!(wrong as f64 >= rate * tests / 3.0, "{model:?}: only {wrong} of {TESTS}");
        }
    }
}

#[test]
fn expectations_agree_with_simulated_tests() {
    const TESTS: u64 = 2_000;
    let sprt = Sprt::new(Model::Normalized, 0.0, 40.0, 0.05, 0.05).expect("valid");
    for nelo in [0.0, 20.0, 40.0] {
        let truth = truth(Model::Normalized, nelo);
        let mean: f64 = (0..5).map(|cell| truth[cell] * cell as f64 / 4.0).sum();
        let variance: f64 =
            (0..5).map(|cell| truth[cell] * (cell as f64 / 4.0 - mean).powi(2)).sum();
        let elo = -400.0 * (1.0 / mean - 1.0).log10();
        let expected = sprt.expectation(elo, (2.0 * variance).sqrt());
        assert!((expected.nelo - nelo).abs() < 1e-6, "{expected:?}");
        let passed = simulate(&sprt, nelo, Decision::Accepted, TESTS) as f64 / TESTS as f64;
        let error = 3.0 * (expected.pass * (1.0 - expected.pass) / TESTS as f64).sqrt();
        println!("{nelo} nElo: {passed} passed, {} expected +- {error}", expected.pass);
        assert!((passed - expected.pass).abs() < error + 0.01, "{nelo}: {passed} {expected:?}");
    }
}

fn stats(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("harness").expect("built").arg("stats").args(args).output().expect("ran")
}

#[test]
fn the_calculator_prints_one_object_with_the_documented_keys() {
    let output = stats(&["--json", "--pentanomial", "5,40,165,33,7", "--elo0=-5", "--elo1", "0"]);
    assert!(output.status.success());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["games"], 500);
    assert_eq!(object["pentanomial"], serde_json::json!([5, 40, 165, 33, 7]));
    assert_eq!(object["verdict"], "inconclusive");
    for key in ["value", "error95"] {
        assert!(object["elo"][key].is_f64() && object["nelo"][key].is_f64(), "{object}");
    }
    assert!(object["llr"].is_f64() && object["los"].is_f64() && object["bounds"][1].is_f64());
}

#[test]
fn the_calculator_explains_what_it_cannot_compute() {
    let output = stats(&["--wdl", "12,0,0"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("every game was won"), "{text}");
    let output = stats(&["--json", "--wdl", "12,0,0"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(object["elo"].is_null() && object["elo_undefined"].is_string(), "{object}");
}

#[test]
fn the_calculator_refuses_wrong_usage_with_status_2() {
    for args in [
        &["--pentanomial", "1,2,3"][..],
        &["--wdl", "1,2,x"],
        &["--wdl", "1,2,3", "--pentanomial", "1,2,3,4,5"],
        &["--wdl", "1,2,3", "--elo0", "0"],
        &["--wdl", "1,2,3", "--elo0", "5", "--elo1", "0"],
        &["--wdl", "1,2,3", "--elo0", "0", "--elo1", "5", "--alpha", "0.7"],
        &["--wdl", "1,2,3", "--elo0", "nan", "--elo1", "5"],
        &[],
    ] {
        let output = stats(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}");
    }
}
