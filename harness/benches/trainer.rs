//! Training speed: positions a second of processor time, on one thread, by the width of
//! the hidden layer, with batches of 16,384 and all that a step takes.
//!
//! `cargo bench -p tench-harness --bench trainer`; with `--test`, as `cargo test --benches` calls it, one
//! step a width.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::time::Duration;

use engine::board::{Move, Position};
use harness::data::bulk::Workspace;
use harness::platform::processor_time;
use harness::training::config::{Config, Learning, NetworkConfig};
use harness::training::packed::PackedPosition;
use harness::training::positions::PositionSet;
use harness::training::trainer::{State, Trainer};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

const POSITIONS: usize = 16_384 * 8;

fn main() {
    let short = std::env::args().any(|argument| argument == "--test");
    let folder = std::env::temp_dir();
    let set = |positions| PositionSet::collect(positions, &folder).expect("room");
    let [train, validation] = [set(samples(POSITIONS)), set(Vec::new())];
    println!("{:>6} {:>24}", "hidden", "positions a CPU second");
    for hidden in [32, 64, 128, 256] {
        let network = NetworkConfig::perspective(hidden);
        let learning = Learning { epochs: Some(u32::MAX), ..Learning::default() };
        let config = Config {
            text: String::new(),
            data: Vec::new(),
            filters: Default::default(),
            network,
            learning,
            validation: 0.1,
            start: None,
            freeze: Vec::new(),
            output: None,
        };
        let state = State::new(&config.network.shape(), 1);
        let workspace = Workspace { memory: 1 << 20, folder: &folder };
        let trainer = Trainer::new(&config, &train, &validation, state, workspace);
        let mut trainer = trainer.expect("room");
        trainer.step().expect("read");
        let (begun, mut trained) = (processor_time(), 0);
        while trained == 0 || !short && processor_time() - begun < Duration::from_secs(4) {
            trainer.step().expect("read");
            trained += config.learning.batch;
        }
        let speed = trained as f64 / (processor_time() - begun).as_secs_f64();
        println!("{hidden:>6} {speed:>24.0}");
    }
}

/// Positions of games of random moves .
fn samples(count: usize) -> Vec<PackedPosition> {
    let mut chance = Pcg64Mcg::seed_from_u64(1);
    let mut samples = Vec::with_capacity(count);
    while samples.len() < count {
        let mut position = Position::startpos();
        for _ in 0..100 {
            let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            let Some(&played) = moves.choose(&mut chance) else { break };
            position.play(played);
            let (score, halves) = (chance.random_range(-300..300), chance.random_range(0..3));
            samples.push(PackedPosition::new(&position, score, f64::from(halves) / 2.0));
        }
    }
    samples.truncate(count);
    samples
}
