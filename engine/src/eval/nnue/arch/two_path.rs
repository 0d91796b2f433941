//! `two-path`: a wide path, and one of pawns and kings that says what counts.
//!
//! From Sturddle as of January 2024: pieces, occupied squares and the side to move, 897 features as
//! White sees them, make `hidden` neurons, of which every `pool` are averaged. Pawns and kings
//! alone go through two small layers and, repeated as often as needed, are factors of the means
//! ("attention"). Two small layers lead to the output. With much more material on one side,
//! material alone is the value.
//!
//! There most layers compute in floating point; here all are integers, so that every path gives the
//! same value.

use super::common::*;

/// The unit of activations, as in Sturddle's first layers.
const UNIT: i32 = 1_024;
/// Weights behind the first layers.
const WEIGHTS: Quantisation = Quantisation { integer: Integer::I16, unit: 256 };
/// Most means.
const MAX_POOLED: i64 = 512;

/// The architecture.
pub static TWO_PATH: Architecture = Architecture {
    name: "two-path",
    sizes: &[
        Size::new("hidden", "the width of the main path", 640, Rule::Multiple(LANE as i64, 2_048)),
        dense("pool", POOL, 4, 64),
        Size::new(
            "pawns",
            "the width of the path of pawns and kings",
            64,
            Rule::Multiple(LANE as i64, 128),
        ),
        dense("attention", FACTORS, 32, MAX_DENSE),
        dense("dense_1", "the width of the first dense layer", 16, MAX_DENSE),
        dense("dense_2", "the width of the second dense layer", 16, MAX_DENSE),
        Size::new("material_limit", "the limit of material", 496, Rule::Within(0, 32_767)),
        Size::SCALE,
    ],
    check,
    describe: |shape| {
        let sizes = ["hidden", "pool", "pawns", "attention", "dense_1", "dense_2"];
        let [hidden, pool, pawns, attention, first, second] = sizes.map(|name| shape.get(name));
        let means = hidden / pool;
        format!(
            "(897 -> {hidden} -> {means}) * (256 -> {pawns} -> {attention}) -> {first} -> {second} -> 1"
        )
    },
    graph,
};

const POOL: &str = "the number of numbers that are averaged";
const FACTORS: &str = "the number of factors";

fn check(shape: &Shape) -> Result<(), NetworkError> {
    let [hidden, pool, attention] = ["hidden", "pool", "attention"].map(|name| shape.get(name));
    let means = hidden / pool;
    let rules = [
        (POOL, pool, hidden.is_multiple_of(pool), format!("a divisor of the width of the main path, {hidden}")),
        ("the number of averages", means, means as i64 <= MAX_POOLED, format!("from 1 to {MAX_POOLED}")),
        (FACTORS, attention, means.is_multiple_of(attention), format!("a divisor of the number of averages, {means}")),
    ];
    match rules.into_iter().find(|(_, _, allowed, _)| !allowed) {
        None => Ok(()),
        Some((what, value, _, wanted)) => {
            Err(NetworkError::Shape { what, value: value as i64, wanted })
        }
    }
}

fn graph(shape: &Shape) -> Graph {
    // Kings, pawns, knights and so on to queens, Black's before White's, h8 to a1.
    let plane = |role, white| 2 * (role as usize % 6) + usize::from(white);
    let pieces = FeatureSet::new(|role, white| Some(plane(role, white)));
    let pawns = FeatureSet::new(|role, white| {
        matches!(role, Role::King | Role::Pawn).then(|| plane(role, white))
    });
    let mut graph = Builder::new(UNIT, WEIGHTS);
    for (name, features, width, spread, max_weight) in [
        ("main", pieces.with_occupancy(), "hidden", 0.05, 0.48),
        ("pawns", pawns, "pawns", 0.1, 1.68),
    ] {
        graph.first(name, features.turned(63), Perspectives::White, shape.get(width));
        // The sum of all active features and a bias stays below 32, the end of 16 bits: 32 pieces,
        // their squares and the side to move; 18 pawns and kings.
        graph.bounds(|it| *it = Bounds { spread, bias: 0.1, max_weight, max_bias: max_weight });
    }
    let pawns = graph.activate(1, Activation::Relu);
    let factors = graph.dense("attention", pawns, shape.get("attention"), Activation::Linear);
    let means = graph.pool(0, shape.get("pool"));
    let mut neurons = graph.gate(means, factors);
    for name in ["dense_1", "dense_2"] {
        neurons = graph.dense(name, neurons, shape.get(name), Activation::Relu);
    }
    let mut graph = graph.output(Select::One, neurons);
    for (layer, bias) in graph.layers[2..].iter_mut().zip([1.0, 0.1, 0.1, 0.0]) {
        // Activations below 32 times all weights of a row stay within 32 bits.
        let max_weight = layer.bounds.max_weight.min(250.0 / layer.inputs as f32);
        layer.bounds = Bounds { bias, max_weight, max_bias: 16.0, ..layer.bounds };
    }
    graph.material_limit = Some(shape.get("material_limit") as i32);
    graph
}
