//! The fit as a whole, on positions of random games.

use std::ops::ControlFlow;

use engine::board::Position;
use engine::eval::{Evaluator, Handcrafted};
use rand::Rng;
use rand::seq::IndexedRandom;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position as _};

use super::config::numbered_terms;
use super::fit::{Fit, fit, scale};
use super::labelled::{Labelled, Optimizer, Settings};
use super::loss::Kind;
use super::sparse::{Builder, Pair, SparseRows, linked_weights};
use harness_data::dataset::Sample;
use harness_stats::logistic;
use harness_stats::random;

const SETTINGS: Settings = Settings {
    loss: Kind::Squared,
    blend: 0.0,
    optimizer: Optimizer::Adam,
    epochs: 200,
    patience: 200,
    rate: 2.0,
    l2: 0.0,
    jobs: 2,
};

/// Positions out of check, some of each of many games of random moves.
fn positions(games: u64) -> Vec<Position> {
    let mut positions = Vec::new();
    for game in 0..games {
        let mut chance = random::stream("texel test", 1, game);
        let mut position = Chess::default();
        for _ in 0..chance.random_range(10..90) {
            let legal = position.legal_moves();
            let Some(&played) = legal.choose(&mut chance) else { break };
            position.play_unchecked(played);
            if !position.is_check() && chance.random_bool(0.2) {
                let fen = Fen::from_position(&position, EnPassantMode::Legal).to_string();
                positions.push(Position::from_fen(&fen).expect("legal"));
            }
        }
    }
    positions
}

fn cache(
    positions: &[Position],
    fitted: &[usize],
    mut result: impl FnMut(usize) -> f64,
) -> SparseRows {
    let mut builder = Builder::new(fitted);
    let mut cache = SparseRows::default();
    for (number, position) in positions.iter().enumerate() {
        let sample = Sample {
            position: *position,
            score: None,
            own_score: None,
            result: result(number),
            game: 1,
        };
        builder.push(&sample, &mut cache);
    }
    cache
}

fn numbers_of(group: &str) -> Vec<usize> {
    let terms = numbered_terms().into_iter().filter(|(term, _)| term.group.name() == group);
    terms.flat_map(|(_, numbers)| numbers).collect()
}

fn chosen(fitted: &[usize]) -> Vec<Pair> {
    let all = linked_weights();
    fitted.iter().map(|&number| all[number]).collect()
}

#[test]
fn a_cached_position_has_the_evaluation_that_the_engine_gives_it() {
    let positions = positions(60);
    for group in ["material", "king", "passed"] {
        let fitted = numbers_of(group);
        let cache = cache(&positions, &fitted, |_| 0.5);
        for (row, position) in positions.iter().enumerate() {
            let side = Handcrafted::new().evaluate(position);
            let white = if position.side().is_white() { side } else { -side };
            let cached = cache.value(row, &chosen(&fitted));
            // The engine rounds twice.
            assert!((cached - f64::from(white)).abs() < 2.01, "{cached} {white}");
        }
    }
}

#[test]
fn the_gradient_matches_finite_differences() {
    let positions = positions(100);
    let fitted: Vec<usize> = (0..linked_weights().len()).collect();
    let cache = cache(&positions, &fitted, |number| [0.0, 0.5, 1.0][number % 3]);
    let data = Labelled::new(&cache, 0.0, None);
    let start = chosen(&fitted);
    for loss in [Kind::Squared, Kind::Logistic] {
        let settings = Settings { loss, ..SETTINGS };
        let (_, gradient) = data.gradient(0.004, &start, &settings);
        for number in (0..start.len()).step_by(7) {
            for phase in 0..2 {
                let at = |h: f64| {
                    let mut weights = start.clone();
                    weights[number][phase] += h;
                    data.loss(0.004, &weights, &settings)
                };
                let estimate = (at(0.01) - at(-0.01)) / 0.02;
                let difference = (estimate - gradient[number][phase]).abs();
                assert!(difference < 1e-9 + 1e-4 * estimate.abs(), "{loss:?} {number} {phase}");
            }
        }
    }
}

/// A fit of a group to the expected results of the same evaluation with other weights.
struct Planted {
    fit: Fit,
    truth: Vec<Pair>,
    occurrences: Vec<u64>,
}

fn planted(group: &str, change: f64, settings: &Settings) -> Planted {
    let positions = positions(700);
    let fitted = numbers_of(group);
    let start = chosen(&fitted);
    let mut chance = random::stream("texel plant", 1, 0);
    let mut moved = |one: f64| one + chance.random_range(-change..change);
    let truth: Vec<Pair> = start.iter().map(|pair| pair.map(&mut moved)).collect();
    let plain = cache(&positions, &fitted, |_| 0.5);
    let label = |row: usize| logistic(0.004 * plain.value(row, &truth));
    let validation_rows = positions.len() / 5;
    let validation = cache(&positions[..validation_rows], &fitted, label);
    let train = cache(&positions[validation_rows..], &fitted, |row| label(validation_rows + row));
    let fit = fit(&train, &validation, &start, settings, &mut |_| ControlFlow::Continue(()));
    let fit = fit.expect("labels vary");
    Planted { fit, truth, occurrences: train.occurrences(fitted.len()) }
}

#[test]
fn planted_weights_are_recovered() {
    let Planted { fit, truth, occurrences } =
        planted("mobility", 30.0, &Settings { rate: 3.0, ..SETTINGS });
    let start = chosen(&numbers_of("mobility"));
    // Middlegame weights only: random games seldom reach an endgame.
    let distance = |weights: &[Pair]| -> f64 {
        let often = (0..occurrences.len()).filter(|&number| occurrences[number] > 200);
        often.map(|number| (weights[number][0] - truth[number][0]).powi(2)).sum::<f64>().sqrt()
    };
    // The scale is fitted to the start weights and so a little off.
    let found = distance(&fit.weights);
    let planted = distance(&start);
    assert!(planted > 50.0 && found < 0.4 * planted, "{found} of {planted}");
    assert!(fit.loss.after.validation < 0.2 * fit.loss.before.validation, "{:?}", fit.loss.after);
    assert!((0.0036..0.0044).contains(&fit.k), "{}", fit.k);
}

/// Twelve L-BFGS steps reach the loss of a few hundred Adam steps; the minima differ little.
#[test]
fn both_optimizers_reach_the_same_loss() {
    let settings = Settings { l2: 1e-5, ..SETTINGS };
    let adam = planted("material", 40.0, &Settings { epochs: 150, rate: 6.0, ..settings }).fit;
    let lbfgs = Settings { optimizer: Optimizer::Lbfgs, epochs: 30, ..settings };
    let lbfgs = planted("material", 40.0, &lbfgs).fit;
    let a = adam.loss.after.train;
    let b = lbfgs.loss.after.train;
    assert!(
        b < 0.2 * lbfgs.loss.before.train && (a - b).abs() < 0.02 * lbfgs.loss.before.train,
        "{a} {b}"
    );
    assert!(lbfgs.epoch < adam.epoch, "{} {}", lbfgs.epoch, adam.epoch);
}

#[test]
fn a_fit_is_the_same_with_any_number_of_threads() {
    let brief = Settings { epochs: 5, ..SETTINGS };
    let one = planted("material", 40.0, &Settings { jobs: 1, ..brief });
    let three = planted("material", 40.0, &Settings { jobs: 3, ..brief });
    assert_eq!(one.fit.weights, three.fit.weights);
    assert_eq!(one.fit.loss.after, three.fit.loss.after);
}

#[test]
fn a_strong_penalty_keeps_the_start() {
    let settings = Settings { epochs: 60, rate: 0.5, ..SETTINGS };
    let free = planted("material", 40.0, &settings);
    let pulled = planted("material", 40.0, &Settings { l2: 100.0, ..settings });
    let start = chosen(&numbers_of("material"));
    let change = |weights: &[Pair]| -> f64 {
        weights.iter().zip(&start).map(|(weight, start)| (weight[0] - start[0]).abs()).sum()
    };
    assert!(change(&pulled.fit.weights) < 0.2 * change(&free.fit.weights));
}

#[test]
fn the_scale_of_the_labels_is_found() {
    let positions = positions(200);
    let fitted = numbers_of("material");
    let start = chosen(&fitted);
    let plain = cache(&positions, &fitted, |_| 0.5);
    let labelled = cache(&positions, &fitted, |row| logistic(0.0062 * plain.value(row, &start)));
    let found = scale(&Labelled::new(&labelled, 0.0, None), &start, &SETTINGS);
    assert!((found - 0.0062).abs() < 1e-5, "{found}");
}
