//! `halfkp`: every piece together with the own king's square, two dense layers behind.
//!
//! The features are those of Y. Nasu's first networks for shogi ("half, king, piece"); sizes and
//! integers are those of Bread: the square of the own king times all pieces but the kings, 40960
//! features, make 16-bit accumulators, whose activations go through two layers of 8-bit weights.

use super::common::*;

/// The architecture.
pub static HALFKP: Architecture = Architecture {
    name: "halfkp",
    sizes: &[
        Size::new("hidden", "the width of the inner layer", 256, Rule::Multiple(LANE as i64, 512)),
        dense("dense_1", "the width of the first dense layer", 32, MAX_DENSE),
        dense("dense_2", "the width of the second dense layer", 32, MAX_DENSE),
        Size::SCALE,
    ],
    check: |_| Ok(()),
    describe: |shape| {
        let [hidden, first, second] = ["hidden", "dense_1", "dense_2"].map(|name| shape.get(name));
        format!("(40960 -> {hidden})x2 -> {first} -> {second} -> 1")
    },
    graph: |shape| {
        let mut graph = Builder::new(NARROW_UNIT, NARROW);
        let features = FeatureSet::kingless().by_king(64, |square| square);
        let inner = graph.first("inner", features, Perspectives::Both, shape.get("hidden"));
        let mut neurons = graph.activate(inner, Activation::ClippedRelu);
        for name in ["dense_1", "dense_2"] {
            neurons = graph.dense(name, neurons, shape.get(name), Activation::ClippedRelu);
        }
        graph.output(Select::One, neurons)
    },
};
