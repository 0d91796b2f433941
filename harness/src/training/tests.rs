//! What all of the room promises together: right slopes, exact repetition, learning.

use std::sync::Arc;

use engine::board::{Move, Position};
use engine::eval::{Evaluator, Handcrafted};
use rand::Rng;
use rand::seq::IndexedRandom;

use super::checkpoint::{self, CheckpointError, Key};
use super::config::{Config, Learning, NetworkConfig};
use super::gradient::{self, GROUP, Group, Workspace};
use super::network::{self, Layout};
use super::reference::material_loss;
use super::rows::Kernel;
use super::sample::Sample;
use super::step::{Teacher, Team};
use super::trainer::{State, Trainer};
use crate::data::dataset::Filters;
use crate::tuning::random;

/// Positions of random games with what the hand-crafted evaluation says of them.
fn positions(count: usize, seed: u64) -> Vec<(Position, i32)> {
    let mut chance = random::stream("test positions", seed, 0);
    let mut evaluator = Handcrafted::new();
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Position::startpos();
        for ply in 0..120 {
            let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            let Some(&played) = moves.choose(&mut chance) else { break };
            position.play(played);
            if ply > 8 && !position.in_check() && chance.random_range(0..3) == 0 {
                let value = evaluator.evaluate(&position);
                let white = if position.side().is_white() { value } else { -value };
                found.push((position, white));
            }
        }
    }
    found.truncate(count);
    found
}

fn samples(count: usize, seed: u64) -> Arc<[Sample]> {
    let labelled = positions(count, seed);
    labelled.iter().map(|(position, value)| Sample::new(position, *value, 0.5)).collect()
}

fn config(network: NetworkConfig, learning: Learning) -> Config {
    let data = Vec::new();
    Config { data, filters: Filters::default(), network, learning, validation: 0.1, output: None }
}

#[test]
fn slopes_are_those_that_small_changes_show() {
    let network = NetworkConfig { hidden: 32, mirroring: true, buckets: 3, scale: 400 };
    let config = config(network, Learning::default());
    let layout = network.layout();
    let samples = samples(300, 3);
    let mut weights = network::start(layout, 5);
    // Larger than at the start, so that some numbers are clipped at either end.
    weights.iter_mut().for_each(|weight| *weight *= 3.0);
    let mut team = Team::new(Teacher::new(&config), 1);
    let slopes = team.slopes(&weights, &samples).1.to_vec();
    let mut chance = random::stream("test weights", 1, 0);
    let greatest = slopes.iter().fold(0.0_f32, |most, slope| most.max(slope.abs()));
    let parts = [
        0..layout.inner_bias().start,
        layout.inner_bias(),
        layout.output(0),
        layout.output(2),
        layout.output_bias(0)..layout.count(),
    ];
    for part in parts {
        // Of weights that count, so that the comparison says something.
        let least = greatest / 2_000.0;
        let lively: Vec<usize> = part.clone().filter(|&at| slopes[at].abs() > least).collect();
        assert!(!lively.is_empty(), "{part:?}");
        for _ in 0..25 {
            let at = *lively.choose(&mut chance).expect("not empty");
            let kept = weights[at];
            let mut loss_at = |weight: f32| {
                weights[at] = weight;
                team.loss(&weights, &samples) * samples.len() as f64
            };
            let step = 2e-3;
            let (up, down) = (kept + step, kept - step);
            let numeric = (loss_at(up) - loss_at(down)) / f64::from(up - down);
            weights[at] = kept;
            let slope = f64::from(slopes[at]);
            let allowed = 0.02 * slope.abs() + 1e-3 * f64::from(greatest);
            assert!((numeric - slope).abs() < allowed, "weight {at}: {slope} is not {numeric}");
        }
    }
}

#[test]
fn every_kind_of_processor_adds_alike() {
    let mut chance = random::stream("test rows", 1, 0);
    for width in [32, 64, 96, 128, 224, 256] {
        let matrix: Vec<f32> = (0..width * 50).map(|_| chance.random_range(-1.0..1.0)).collect();
        let rows: Vec<u16> = (0..40).map(|_| chance.random_range(0..50)).collect();
        let start: Vec<f32> = (0..width).map(|_| chance.random_range(-1.0..1.0)).collect();
        let sums: Vec<Vec<u32>> = Kernel::available()
            .into_iter()
            .map(|kernel| {
                let mut row = start.clone();
                kernel.add_rows(&mut row, &matrix, &rows);
                row.into_iter().map(f32::to_bits).collect()
            })
            .collect();
        assert!(sums.iter().all(|sum| *sum == sums[0]), "width {width}");
    }
}

#[test]
fn groups_of_any_size_have_the_slopes_of_their_positions() {
    let config =
        config(NetworkConfig { hidden: 32, ..NetworkConfig::default() }, Learning::default());
    let (teacher, layout) = (Teacher::new(&config), config.network.layout());
    let weights = network::start(layout, 2);
    let samples = samples(GROUP + 3, 9);
    let (mut group, mut work) = (Group::default(), Workspace::default());
    let mut apart = vec![0.0; layout.count()];
    let mut errors = 0.0;
    for sample in samples.iter() {
        teacher.group(std::slice::from_ref(sample), &mut group);
        errors += gradient::learn(layout, &weights, &group, &mut work, &mut apart);
    }
    let mut team = Team::new(teacher, 2);
    let (sum, together) = team.slopes(&weights, &samples);
    assert!((sum - errors).abs() < 1e-9);
    for (one, other) in together.iter().zip(&apart) {
        assert!((one - other).abs() < 1e-4, "{one} {other}");
    }
}

fn small(epochs: u32) -> Config {
    let learning = Learning { blend: 1.0, epochs, batch: 512, ..Learning::default() };
    config(NetworkConfig { hidden: 32, mirroring: true, ..NetworkConfig::default() }, learning)
}

#[test]
fn a_training_that_was_interrupted_ends_as_one_that_was_not() {
    let config = small(2);
    let (train, validation) = (samples(3_000, 1), samples(500, 2));
    let begin = |state| Trainer::new(&config, Arc::clone(&train), Arc::clone(&validation), state);
    let layout = config.network.layout();
    let mut whole = begin(State::new(layout, config.learning.seed));
    while !whole.is_finished() {
        whole.step();
    }
    let folder = tempfile::tempdir().expect("temporary folder");
    let (path, key) = (folder.path().join("net.checkpoint"), Key::new(&config, 7));
    let mut first = begin(State::new(layout, config.learning.seed));
    for _ in 0..whole.steps() + 2 {
        first.step();
    }
    checkpoint::write(&path, key, first.state()).expect("written");
    let mut second = begin(checkpoint::read(&path, key, layout.count()).expect("read"));
    while !second.is_finished() {
        second.step();
    }
    assert!(whole.state() == second.state(), "the weights differ");

    let refused = |key, weights| checkpoint::read(&path, key, weights).expect_err("refused");
    assert!(matches!(refused(Key::new(&config, 8), layout.count()), CheckpointError::Other { .. }));
    assert!(matches!(
        refused(Key::new(&small(3), 7), layout.count()),
        CheckpointError::Other { .. }
    ));
    assert!(matches!(refused(key, layout.count() - 1), CheckpointError::Damaged { .. }));
    let mut bytes = std::fs::read(&path).expect("there");
    bytes[100] ^= 1;
    std::fs::write(&path, &bytes).expect("written");
    assert!(matches!(refused(key, layout.count()), CheckpointError::Damaged { .. }));
    std::fs::write(&path, b"short").expect("written");
    assert!(matches!(refused(key, layout.count()), CheckpointError::Damaged { .. }));
}

#[test]
fn a_network_learns_more_than_counting_pieces_and_the_engine_reads_what_it_learnt() {
    let mut config = small(8);
    config.learning.learning_rate = 5e-3;
    let (train, validation) = (samples(60_000, 1), samples(2_000, 2));
    let layout = config.network.layout();
    let state = State::new(layout, 1);
    let mut trainer = Trainer::new(&config, train, Arc::clone(&validation), state);
    while !trainer.is_finished() {
        trainer.step();
    }
    let best = trainer.state().best_epoch().expect("passes were made");
    let by_material = material_loss(&Teacher::new(&config), &validation);
    assert!(best.validation < 0.7 * by_material, "{best:?}, material {by_material}");
    let bare = |labelled: Vec<(Position, i32)>| -> Vec<Position> {
        labelled.into_iter().map(|(position, _)| position).collect()
    };
    let (shape, weights) = (config.network.shape(), &trainer.state().best);
    let network = network::quantised(shape, weights, &bare(positions(500, 2))).expect("fits");
    let others = bare(positions(500, 4));
    let rounding = network::rounding(&network, weights, &others);
    assert!(rounding.mean < 5.0 && rounding.greatest < 40.0, "{rounding:?}");
    let queen_up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let value = network.evaluate(&Position::from_fen(queen_up).expect("legal"));
    assert!(value > 300, "a queen is worth {value}");
}

#[test]
fn no_start_or_limit_can_make_a_network_that_the_engine_refuses() {
    for layout in [Layout { hidden: 32, buckets: 1 }, Layout { hidden: 64, buckets: 8 }] {
        let config = NetworkConfig {
            hidden: layout.hidden,
            buckets: layout.buckets,
            ..NetworkConfig::default()
        };
        assert!(network::quantised(config.shape(), &network::start(layout, 1), &[]).is_ok());
        let mut weights = Vec::new();
        for (end, limit) in network::limits(layout) {
            weights.resize(end, limit);
        }
        assert!(network::quantised(config.shape(), &weights, &[]).is_ok());
    }
}
