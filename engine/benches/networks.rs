//! How fast networks evaluate, one after the other as a search does: evaluations a second of each
//! architecture with its usual sizes, and as a ratio to `perspective` of the same run.
//!
//! `cargo bench -p tench --bench networks`, of some only with parts of their names (`-- perspective`);
//! with `--test`, as `cargo test --benches` calls it, few positions.

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
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let short = arguments.iter().any(|argument| argument == "--test");
    let names: Vec<&String> = arguments.iter().filter(|it| !it.starts_with('-')).collect();
    let rounds = if short { 1 } else { 1_000 };
    // Few enough to stay in a cache, as those of a search do.
    let positions = positions(if short { 1 } else { 2 });
    // By the layers alone, without the material limit.
    let usual =
        ARCHITECTURES.iter().map(|architecture| architecture.shape().without_material_limit());
    let shapes = std::iter::once(PERSPECTIVE.shape().with("hidden", 256)).chain(usual);
    println!("{:<62} {:>13} {:>7}", "network", "evaluations/s", "ratio");
    let mut first = None;
    for shape in shapes {
        let shown = shape.to_string();
        if !names.is_empty() && !names.iter().any(|&name| shown.contains(name)) {
            continue;
        }
        let network = Network::new(shape, &weights(&shape)).expect("small weights");
        let mut evaluator = NetworkEvaluator::new(Arc::new(network));
        // The best of several rounds: others may use the processor now and then.
        let seconds =
            (0..rounds).map(|_| round(&mut evaluator, &positions)).fold(f64::MAX, f64::min);
        let speed = positions.len() as f64 / seconds;
        let ratio = speed / *first.get_or_insert(speed);
        println!("{shown:<62} {speed:>13.0} {ratio:>7.2}");
    }
}

/// Seconds for all positions.
fn round(evaluator: &mut NetworkEvaluator, positions: &[Visit]) -> f64 {
    let begun = Instant::now();
    for &Visit { ref position, played, ply } in positions {
        if let Some((before, m)) = played {
            evaluator.played(&positions[before].position, Some(m), position, ply);
        }
        black_box(evaluator.evaluate_at(position, ply));
    }
    begun.elapsed().as_secs_f64()
}

/// A position as a search comes to it.
struct Visit {
    position: Position,
    /// The number of the visit before it, and the move.
    played: Option<(usize, Move)>,
    ply: usize,
}

/// Positions as a search meets them: those of some random games, and after each of them all that
/// one move leads to.
fn positions(games: usize) -> Vec<Visit> {
    let mut chance = Chance(77);
    let mut positions = Vec::new();
    for _ in 0..games {
        let mut position = Position::startpos();
        let mut last = None;
        for ply in 0..80 {
            let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
            if moves.is_empty() {
                break;
            }
            let before = positions.len();
            positions.push(Visit { position, played: last, ply });
            for &m in &moves {
                let mut next = position;
                next.play(m);
                positions.push(Visit { position: next, played: Some((before, m)), ply: ply + 1 });
            }
            let m = moves[chance.below(moves.len())];
            last = Some((before, m));
            position.play(m);
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
