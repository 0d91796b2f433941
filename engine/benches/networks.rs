//! How fast networks evaluate, one after the other as a search does: evaluations a second of each
//! architecture with its usual sizes, and as a ratio to `perspective` of the same run.
//!
//! `cargo bench -p engine --bench networks`; with `--test`, as `cargo test --benches` calls it, few
//! positions.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use engine::board::{Move, Position};
use engine::eval::Evaluator;
use engine::eval::nnue::{
    ARCHITECTURES, LayerWeights, Network, NetworkEvaluator, PERSPECTIVE, Shape, Weights,
};

/// A small generator (G. Marsaglia's xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

fn main() {
    let short = std::env::args().any(|argument| argument == "--test");
    let rounds = if short { 1 } else { 400 };
    // Few enough to stay in a cache, as those of a search do.
    let positions = positions(if short { 2 } else { 8 });
    // By the layers alone, without the material limit.
    let usual =
        ARCHITECTURES.iter().map(|architecture| architecture.shape().without_material_limit());
    let shapes = std::iter::once(PERSPECTIVE.shape().with("hidden", 256)).chain(usual);
    println!("{:<62} {:>13} {:>7}", "network", "evaluations/s", "ratio");
    let mut first = None;
    for shape in shapes {
        let network = Network::new(shape, &weights(&shape)).expect("small weights");
        let mut evaluator = NetworkEvaluator::new(Arc::new(network));
        // The best of several rounds: others may use the processor now and then.
        let seconds =
            (0..rounds).map(|_| round(&mut evaluator, &positions)).fold(f64::MAX, f64::min);
        let speed = positions.len() as f64 / seconds;
        let ratio = speed / *first.get_or_insert(speed);
        println!("{:<62} {speed:>13.0} {ratio:>7.2}", shape.to_string());
    }
}

/// Seconds for all positions.
fn round(evaluator: &mut NetworkEvaluator, positions: &[(Position, usize)]) -> f64 {
    let begun = Instant::now();
    for (position, ply) in positions {
        black_box(evaluator.evaluate_at(position, *ply));
    }
    begun.elapsed().as_secs_f64()
}

/// Positions as a search meets them: those of some random games, and after each of them all that
/// one move leads to.
fn positions(games: usize) -> Vec<(Position, usize)> {
    let mut chance = Chance(77);
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut position = Position::startpos();
        for ply in 0..80 {
            let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            if moves.is_empty() {
                break;
            }
            positions.push((position, ply));
            for &played in &moves {
                let mut next = position;
                next.play(played);
                positions.push((next, ply + 1));
            }
            position.play(moves[chance.below(moves.len())]);
        }
    }
    positions
}

/// Small random weights.
fn weights(shape: &Shape) -> Weights {
    let mut chance = Chance(5);
    let mut some = |count| (0..count).map(|_| chance.below(41) as i32 - 20).collect();
    let layers = shape.layers().into_iter();
    let layers = layers
        .map(|layer| LayerWeights { weights: some(layer.weights()), biases: some(layer.biases) });
    Weights(layers.collect())
}
