use std::cell::RefCell;

use super::ask_tell::{AskTell, Costs, Search, View};
use super::*;
use crate::bench::{self, Contestant, Schedule};
use crate::landscape::Landscapes;
use crate::methods::Method;
use crate::methods::bayes::Place;
use harness_stats::Pentanomial;
use harness_stats::random;

const NAMES: [&str; 3] = ["pso", "nelder-mead", "annealing"];
const BOX: [&[f64]; 2] = [&[-2.0, -2.0], &[2.0, 2.0]];

fn view<'a>(cost: &'a dyn Fn(&[f64]) -> f64, best: &'a [f64], progress: f64) -> View<'a> {
    View { cost, best, bounds: BOX, progress, evaluations: 300 }
}

/// Vertices (0,0), (1,0), (0,1) with costs 2, 1, 3: the centre of the better two is (0.5, 0), the
/// worst is reflected to (1,-1), and where that is the best, an expansion to (1.5,-2) is tried.
#[test]
fn a_simplex_requests_the_places_of_nelder_and_mead() {
    let simplex =
        || Simplex::from_vertices([([0.0, 0.0], 2.0), ([1.0, 0.0], 1.0), ([0.0, 1.0], 3.0)], BOX);
    let ask = |known: &[f64]| {
        let mut simplex = simplex();
        let requested = RefCell::default();
        let progress = simplex.iterate(Costs::new(known, &requested)).is_ok();
        (progress, requested.into_inner().pop().expect("a request"), simplex.places())
    };
    assert_eq!(ask(&[]).1, [1.0, -1.0]);
    assert_eq!(ask(&[0.5]).1, [1.5, -2.0]);
    let (progress, _, places) = ask(&[0.5, 0.7]);
    assert!(progress && places == [[1.0, 0.0], [0.0, 0.0], [1.0, -1.0]], "{places:?}");
    // Worse than the worst: halfway back, (0.25, 0.5); no better: all are drawn to the best.
    assert_eq!(ask(&[5.0]).1, [0.25, 0.5]);
    assert_eq!(ask(&[5.0, 4.0]).1, [0.5, 0.0]);
    let (progress, _, places) = ask(&[5.0, 4.0, 1.5, 1.5]);
    assert!(progress && places == [[1.0, 0.0], [0.5, 0.0], [0.5, 0.5]], "{places:?}");
}

#[test]
fn a_swarm_requests_all_its_particles_at_once() {
    let begun = Swarm::start(&view(&|_| 0.0, &[0.0, 0.0], 0.0), 1);
    let mut swarm = AskTell::new(begun);
    for _ in 0..3 {
        let missing = swarm.missing().to_vec();
        assert_eq!(missing.len(), 12);
        assert!(missing.iter().flatten().all(|x| x.abs() <= 2.0));
        swarm.provide(missing.iter().map(|place| place[0]), &view(&|x| x[0], &[0.0, 0.0], 0.0));
    }
}

/// Without noise all of them find the minimum of a quadratic.
fn minimum<S: Search>(evaluations: u64) -> f64 {
    let cost = |x: &[f64]| 100.0 * ((x[0] - 0.4).powi(2) + (x[1] + 0.7).powi(2));
    let mut best = (cost(&[0.0, 0.0]), vec![0.0, 0.0]);
    let mut search = AskTell::new(S::start(&view(&cost, &[0.0, 0.0], 0.0), 1));
    let mut played = 0;
    while played < evaluations {
        let missing: Vec<Place> = search.missing().to_vec();
        played += missing.len() as u64;
        for place in &missing {
            if cost(place) < best.0 {
                best = (cost(place), place.clone());
            }
        }
        let progress = played as f64 / evaluations as f64;
        search.provide(missing.iter().map(|place| cost(place)), &view(&cost, &best.1, progress));
    }
    best.0
}

#[test]
fn every_search_finds_the_minimum_of_a_quadratic() {
    for (name, left) in [
        ("pso", minimum::<Swarm>(300)),
        ("nelder-mead", minimum::<Simplex>(300)),
        ("annealing", minimum::<Annealing>(300)),
    ] {
        assert!(left < 1.0, "{name}: {left} of 65 left");
    }
}

#[test]
fn games_find_most_of_the_elo() {
    let landscapes = Landscapes::built_in();
    let schedule = Schedule::sequential(2_000);
    let two = &landscapes.landscapes[0];
    for name in NAMES {
        let method = Contestant::Method(Method::find(name).unwrap());
        let run = bench::run(&method, two, &landscapes.model, schedule, 1).unwrap();
        assert!(run.gap < 10.0, "{name}: {} of 40 left", run.gap);
    }
}

#[test]
fn a_replayed_run_gives_the_same_trials_and_a_gain() {
    let landscapes = Landscapes::built_in();
    let two = &landscapes.landscapes[0];
    for name in NAMES {
        let start = || Method::find(name).unwrap().start(two.space().unwrap(), 200, 7);
        let mut tuner = start();
        let mut again = start();
        let mut games = random::stream("games", 1, 1);
        for batch in 0..50 {
            let trials = tuner.ask(1 + batch % 5);
            assert_eq!(trials, again.ask(1 + batch % 5), "{name}");
            for trial in trials.iter().rev() {
                assert_ne!(trial.first, trial.second, "{name}");
                let difference = two.elo(&trial.first) - two.elo(&trial.second);
                // A crash now and then.
                let pairs = if trial.id.0 % 9 == 4 { 0 } else { trial.pairs };
                let result = match pairs {
                    0 => Pentanomial::default(),
                    pairs => landscapes.model.play(difference, pairs, &mut games),
                };
                tuner.tell(trial.id, &result).unwrap();
                again.tell(trial.id, &result).unwrap();
            }
        }
        let found = tuner.recommend();
        assert_eq!(found, again.recommend(), "{name}");
        assert!(found.gain.is_some_and(|gain| gain.low80 < gain.high80), "{name}");
        assert!(found.parameters.iter().all(|one| one.error.is_some_and(f64::is_finite)));
    }
}
