//! The contract of a method, tried with each of them.

use super::METHODS;
use crate::landscape::Landscapes;
use crate::space::{Kind, Parameter, Space};
use crate::trial::UnknownTrial;
use harness_stats::Pentanomial;
use harness_stats::random;

fn margin() -> Space {
    let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 150.0);
    Space::new(vec![margin]).unwrap()
}

#[test]
fn results_in_any_order_are_taken_once_and_a_replayed_run_is_the_same() {
    let landscapes = Landscapes::built_in();
    let six = &landscapes.landscapes[1];
    for method in METHODS {
        let [mut tuner, mut again] = [0; 2].map(|_| method.start(six.space().unwrap(), 2_000, 7));
        let mut games = random::stream("games", 1, 1);
        for _ in 0..6 {
            let trials = tuner.ask(8);
            assert_eq!(trials, again.ask(8), "{}", method.name);
            for trial in trials.iter().rev() {
                let difference = six.elo(&trial.first) - six.elo(&trial.second);
                let result = landscapes.model.play(difference, trial.pairs, &mut games);
                tuner.tell(trial.id, &result).unwrap();
                again.tell(trial.id, &result).unwrap();
                assert_eq!(tuner.tell(trial.id, &result), Err(UnknownTrial(trial.id)));
            }
        }
        assert_eq!(tuner.recommend(), again.recommend(), "{}", method.name);
        assert!(tuner.recommend().best.iter().all(|value| value.is_finite()));
    }
}

#[test]
fn the_sides_differ_even_where_one_step_is_the_range() {
    let switch = Parameter::new("switch".into(), Kind::Integer, 0.0, 1.0, 0.0);
    let depth = Parameter::new("depth".into(), Kind::Integer, 1.0, 4.0, 4.0);
    let fixed = Parameter { fixed: true, name: "fixed".into(), ..depth.clone() };
    let space = Space::new(vec![switch, fixed, depth]).unwrap();
    let apart_in_all = ["auto", "screened", "spsa", "cmaes", "bayes", "openbench"];
    for method in METHODS {
        for trial in method.start(space.clone(), 1_000, 1).ask(20) {
            assert_eq!([trial.first[1], trial.second[1]], [4.0, 4.0], "{}", method.name);
            if apart_in_all.contains(&method.name) {
                assert_ne!(trial.first[0], trial.second[0], "{}", method.name);
                assert_ne!(trial.first[2], trial.second[2], "{}", method.name);
            }
            // Fishtest's sides may round to the same values, as they do there.
            if method.name != "fishtest" {
                assert_ne!(trial.first, trial.second, "{}", method.name);
            }
        }
    }
}

/// As many parameters as an output layer has: no matrix of them fits.
#[test]
fn the_default_and_spsa_take_hundreds_of_parameters_at_microseconds_each() {
    let weight = |i: usize| Parameter::new(format!("w{i}"), Kind::Integer, -5.0, 5.0, 0.0);
    let space = Space::new((0..600).map(weight).collect()).unwrap();
    let model = Landscapes::built_in().model;
    let off = |values: &[f64]| values.iter().map(|x| (x - 2.0).powi(2)).sum::<f64>();
    // A start 240 Elo below the optimum, and one 24 Elo below it, where noise is all there is.
    let cases =
        [("auto", 0.1, 10.0), ("screened", 0.1, 10.0), ("spsa", 0.1, 10.0), ("spsa", 0.01, -3.0)];
    for (name, curvature, least) in cases {
        let elo = |values: &[f64]| -curvature * off(values);
        let mut tuner = super::Method::find(name).unwrap().start(space.clone(), 6_000, 1);
        let mut games = random::stream("games", 1, 600);
        let mut left = 3_000;
        while left > 0 {
            let trial = tuner.ask(1).remove(0);
            left -= trial.pairs.min(left);
            let ahead = elo(&trial.first) - elo(&trial.second);
            tuner.tell(trial.id, &model.play(ahead, trial.pairs, &mut games)).unwrap();
        }
        let found = tuner.recommend();
        let gained = elo(&found.candidate) - elo(&space.start());
        assert!(gained > least, "{name} {curvature}: {gained}");
    }
}

#[test]
fn one_sided_results_give_finite_estimates_within_the_range() {
    for method in METHODS {
        let mut tuner = method.start(margin(), 700, 1);
        for _ in 0..12 {
            for trial in tuner.ask(2) {
                assert!(trial.first.iter().chain(&trial.second).all(|x| (0.0..=200.0).contains(x)));
                let result = match trial.first[0].total_cmp(&trial.second[0]) {
                    std::cmp::Ordering::Less => [0, 0, 0, 0, 7],
                    std::cmp::Ordering::Equal => [0, 0, 7, 0, 0],
                    std::cmp::Ordering::Greater => [7, 0, 0, 0, 0],
                };
                tuner.tell(trial.id, &Pentanomial(result)).unwrap();
            }
        }
        let found = tuner.recommend();
        assert!(found.candidate[0] < 150.0, "{}: {found:?}", method.name);
        let gain = found.gain.into_iter().flat_map(|gain| [gain.low80, gain.value, gain.high80]);
        let numbers = gain.chain(found.parameters[0].error).chain([found.parameters[0].value]);
        assert!(numbers.into_iter().all(f64::is_finite), "{}: {found:?}", method.name);
    }
}

#[test]
fn without_a_result_the_start_is_recommended() {
    for method in METHODS {
        let mut tuner = method.start(margin(), 1_000, 1);
        let trial = tuner.ask(1).remove(0);
        tuner.tell(trial.id, &Pentanomial::default()).unwrap();
        let found = tuner.recommend();
        assert_eq!((found.best, found.gain), (vec![150.0], None), "{}", method.name);
        assert_eq!(tuner.tell(trial.id, &Pentanomial::default()), Err(UnknownTrial(trial.id)));
    }
}
