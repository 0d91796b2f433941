//! The trainer as a whole: right gradients, exact repetition, learning.

use std::path::PathBuf;
use std::sync::LazyLock;

use engine::board::{Move, Position};
use engine::eval::nnue::{ARCHITECTURES, HALFKP, NNUEU, TWO_PATH};
use engine::eval::{Evaluator, Handcrafted};
use rand::Rng;
use rand::seq::IndexedRandom;

use super::baseline::material_loss;
use super::batch::{Objective, Worker, WorkerPool};
use super::checkpoint::{self, CheckpointError, Key};
use super::config::{Config, Learning, NetworkConfig};
use super::dense::spans;
use super::group::GROUP;
use super::network;
use super::optimiser::ParameterGroup;
use super::packed::PackedPosition;
use super::positions::PositionSet;
use super::rows::{Kernel, RowSums};
use super::sparse::SparseRows;
use super::trainer::{State, Trainer};
use harness_data::bulk::Workspace;
use harness_data::filter::Filters;
use harness_stats::random;

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

fn samples(count: usize, seed: u64) -> Vec<PackedPosition> {
    let labelled = positions(count, seed);
    labelled.iter().map(|(position, value)| PackedPosition::new(position, *value, 0.5)).collect()
}

/// The same on disk.
fn set(count: usize, seed: u64) -> PositionSet {
    PositionSet::collect(samples(count, seed), &TEMPORARY).expect("room")
}

/// The folder of files without a name.
static TEMPORARY: LazyLock<PathBuf> = LazyLock::new(std::env::temp_dir);

fn trainer<'a>(config: &Config, sets: &'a [PositionSet; 2], state: State) -> Trainer<'a> {
    let workspace = Workspace { memory: 1 << 20, folder: &TEMPORARY };
    Trainer::new(config, &sets[0], &sets[1], state, workspace).expect("room")
}

fn finish(trainer: &mut Trainer<'_>) {
    while !trainer.is_finished() {
        trainer.step().expect("read");
    }
}

fn config(network: NetworkConfig, learning: Learning) -> Config {
    let data = Vec::new();
    Config {
        data,
        filters: Filters::default(),
        network,
        learning,
        start: None,
        freeze: Vec::new(),
        validation: 0.1,
        output: None,
        text: String::new(),
    }
}

/// Every architecture of the registry, small.
fn networks() -> Vec<NetworkConfig> {
    let of = NetworkConfig::new;
    let mut networks = vec![
        NetworkConfig::perspective(32).with("buckets", 3),
        of(&NNUEU).with("hidden", 8).with("block", 5).with("second", 7),
        of(&HALFKP).with("hidden", 32).with("dense_1", 11).with("dense_2", 6),
        of(&TWO_PATH).with("hidden", 64).with("pawns", 32).with("attention", 8),
    ];
    networks.extend(ARCHITECTURES.iter().skip(4).map(|it| of(it)));
    networks
}

#[test]
fn gradients_match_finite_differences() {
    let samples = samples(300, 3);
    let on_disk = set(300, 3);
    let mut chance = random::stream("test weights", 1, 0);
    for network in networks() {
        let shape = network.shape();
        let config = config(network, Learning::default());
        let mut weights = network::start(&shape, 5);
        // Larger than at the start, so that some numbers are clipped at either end.
        weights[spans(&shape.layers())[0].weights()].iter_mut().for_each(|weight| *weight *= 3.0);
        let mut pool = WorkerPool::new(Objective::new(&config), 1);
        let derivatives = pool.gradient(&weights, &samples).1.to_vec();
        for (span, layer) in spans(&shape.layers()).into_iter().zip(shape.layers()) {
            for part in [span.weights(), span.biases()] {
                let most = derivatives[part.clone()]
                    .iter()
                    .fold(0.0_f32, |most, derivative| most.max(derivative.abs()));
                // Of weights that count, so that the comparison says something.
                let lively: Vec<usize> =
                    part.filter(|&at| derivatives[at].abs() > most / 50.0).collect();
                assert!(!lively.is_empty(), "{shape}, {}: no gradient", layer.name);
                let mut wrong = 0;
                for _ in 0..25 {
                    let at = *lively.choose(&mut chance).expect("not empty");
                    let kept = weights[at];
                    let mut loss_at = |weight: f32| {
                        weights[at] = weight;
                        pool.loss(&weights, &on_disk).expect("read") * samples.len() as f64
                    };
                    let step = 3e-4;
                    let up = kept + step;
                    let down = kept - step;
                    let numeric = (loss_at(up) - loss_at(down)) / f64::from(up - down);
                    weights[at] = kept;
                    let derivative = f64::from(derivatives[at]);
                    let allowed = 0.03 * derivative.abs() + 0.005 * f64::from(most);
                    wrong += u32::from((numeric - derivative).abs() > allowed);
                }
                // A few steps lead over an edge of the clipping, where a derivative changes.
                assert!(wrong <= 5, "{shape}, {}: {wrong} of 25 derivatives are wrong", layer.name);
            }
        }
    }
}

#[test]
fn every_instruction_set_adds_alike() {
    let mut chance = random::stream("test rows", 1, 0);
    for width in [8, 32, 64, 88, 96, 128, 224, 256, 500] {
        let mut numbers = |rows: usize| -> Vec<f32> {
            (0..width * rows).map(|_| chance.random_range(-1.0..1.0)).collect()
        };
        let matrix = numbers(50);
        let sums = numbers(3);
        let start = numbers(1);
        let mut lists = SparseRows::default();
        for len in [40, 0, 7] {
            lists.push(|row| {
                row[..len].fill_with(|| chance.random_range(0..50));
                len
            });
        }
        let lists = &lists;
        for start in [None, Some(&*start)] {
            let made = Kernel::available().into_iter().map(|kernel| {
                let mut sums = sums.clone();
                kernel.add_rows(RowSums {
                    sums: &mut sums,
                    start,
                    matrix: &matrix,
                    width,
                    rows: lists,
                });
                sums.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
            });
            let made: Vec<Vec<u32>> = made.collect();
            assert!(made.iter().all(|sums| *sums == made[0]), "width {width}");
            let second: Vec<f32> =
                made[0][width..2 * width].iter().map(|&bits| f32::from_bits(bits)).collect();
            assert_eq!(second, start.unwrap_or(&sums[width..2 * width]), "width {width}");
        }
    }
}

#[test]
#[should_panic(expected = "row 3 is beyond the matrix")]
fn a_row_beyond_the_matrix_is_not_read() {
    let matrix = [0.0; 3 * 32];
    let mut sums = [0.0; 32];
    let mut lists = SparseRows::default();
    lists.push(|row| {
        row[..2].copy_from_slice(&[1, 3]);
        2
    });
    let sums = &mut sums;
    let matrix = &matrix;
    let lists = &lists;
    Kernel::best().add_rows(RowSums { sums, start: None, matrix, width: 32, rows: lists });
}

#[test]
fn groups_of_any_size_have_the_gradient_of_their_positions() {
    let samples = samples(GROUP + 3, 9);
    for network in networks() {
        let objective = Objective::new(&config(network.clone(), Learning::default()));
        let shape = network.shape();
        let weights = network::start(&shape, 2);
        let mut worker = Worker::default();
        worker.gradient.resize(shape.parameters());
        worker.gradient.fill(0.0);
        let each = samples.iter().map(std::slice::from_ref);
        let errors: f64 = each.map(|one| objective.learn(&weights, one, &mut worker)).sum();
        let mut pool = WorkerPool::new(objective, 2);
        let (sum, together) = pool.gradient(&weights, &samples);
        assert!((sum - errors).abs() < 1e-9, "{shape}");
        for (one, other) in together.iter().zip(worker.gradient.iter()) {
            assert!((one - other).abs() < 1e-4, "{shape}: {one} {other}");
        }
    }
}

fn small(epochs: u32) -> Config {
    let learning = Learning {
        epochs: Some(epochs),
        batch: 512,
        learning_rate: Some(1e-3),
        final_rate: Some(3e-5),
        ..Learning::default()
    };
    config(NetworkConfig::perspective(32), learning)
}

#[test]
fn a_training_that_was_interrupted_ends_as_one_that_was_not() {
    let config = small(2);
    let sets = [set(3_000, 1), set(500, 2)];
    let begin = |state| trainer(&config, &sets, state);
    let shape = config.network.shape();
    let mut whole = begin(State::new(&shape, config.learning.seed));
    finish(&mut whole);
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("net.checkpoint");
    let key = Key::new(&config, 7);
    let mut first = begin(State::new(&shape, config.learning.seed));
    for _ in 0..whole.steps() + 2 {
        first.step().expect("read");
    }
    checkpoint::write(&path, key, first.state()).expect("written");
    let mut second = begin(checkpoint::read(&path, key, shape.parameters()).expect("read"));
    finish(&mut second);
    assert!(whole.state() == second.state(), "the weights differ");

    let refused = |key, weights| checkpoint::read(&path, key, weights).expect_err("refused");
    for other in [Key::new(&config, 8), Key::new(&small(3), 7)] {
        let error = refused(other, shape.parameters());
        assert!(matches!(error, CheckpointError::Other { .. }), "{error}");
    }
    assert!(matches!(refused(key, shape.parameters() - 1), CheckpointError::Damaged { .. }));
    let mut bytes = std::fs::read(&path).expect("there");
    bytes[100] ^= 1;
    for damaged in [&bytes[..], b"short"] {
        std::fs::write(&path, damaged).expect("written");
        assert!(matches!(refused(key, shape.parameters()), CheckpointError::Damaged { .. }));
    }
}

#[test]
fn a_trained_network_beats_the_material_baseline_and_the_engine_reads_it() {
    let mut config = small(8);
    config.learning.learning_rate = Some(5e-3);
    let sets = [set(60_000, 1), set(2_000, 2)];
    let shape = config.network.shape();
    let state = State::new(&shape, 1);
    let mut trainer = trainer(&config, &sets, state);
    finish(&mut trainer);
    let best = trainer.state().best_epoch().expect("passes were made");
    let by_material = material_loss(&Objective::new(&config), &sets[1], &TEMPORARY);
    let by_material = by_material.expect("read");
    assert!(best.validation < 0.7 * by_material, "{best:?}, material {by_material}");
    let bare = |labelled: Vec<(Position, i32)>| -> Vec<Position> {
        labelled.into_iter().map(|(position, _)| position).collect()
    };
    let weights = &trainer.best_weights();
    let network = network::quantised(&shape, weights, &bare(positions(500, 2))).expect("fits");
    let others = bare(positions(500, 4));
    let rounding = network::rounding(&network, weights, &others).expect("fits");
    assert!(rounding.mean < 5.0 && rounding.greatest < 40.0, "{rounding:?}");
    let queen_up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let value = network.evaluate(&Position::from_fen(queen_up).expect("legal"));
    assert!(value > 300, "a queen is worth {value}");
}

#[test]
fn no_start_or_limit_can_make_a_network_that_the_engine_refuses() {
    let eight = NetworkConfig::perspective(64).with("buckets", 8);
    for network in networks().into_iter().chain([eight]) {
        let shape = network.shape();
        let start = network::start(&shape, 1);
        assert_eq!(start.len(), shape.parameters());
        assert!(network::quantised(&shape, &start, &[]).is_ok(), "{shape}");
        let mut weights = Vec::new();
        for ParameterGroup { end, limit, .. } in network::parts(&shape, &[]) {
            weights.resize(end, limit);
        }
        let refused = network::quantised(&shape, &weights, &[]).err();
        assert!(refused.is_none(), "{shape}: {refused:?}");
    }
}

/// The loss of every architecture falls, and its quantised network is as good as its
/// floating-point weights.
#[test]
fn the_engine_reads_trained_networks_of_every_architecture() {
    let sets = [set(10_000, 1), set(1_000, 2)];
    let compared: Vec<Position> = positions(1_000, 2).into_iter().map(|(at, _)| at).collect();
    for network in networks() {
        let learning = Learning { learning_rate: Some(1e-2), batch: 512, ..small(6).learning };
        let shape = network.shape();
        let config = config(network, learning);
        let state = State::new(&shape, 1);
        let mut trainer = trainer(&config, &sets, state);
        let before = trainer.validation_loss().expect("read");
        finish(&mut trainer);
        let state = trainer.state();
        let first = state.epochs[0];
        let last = state.epochs[5];
        assert!(last.train < 0.8 * first.train, "{shape}: {first:?}, {last:?}");
        let best = state.best_epoch().expect("passes were made");
        assert!(best.validation < before, "{shape}: {before} became {best:?}");
        let weights = trainer.best_weights();
        let network = network::quantised(&shape, &weights, &compared).expect("fits");
        let rounding = network::rounding(&network, &weights, &compared).expect("fits");
        assert!(rounding.mean < 25.0, "{shape}: {rounding:?}");
    }
}
