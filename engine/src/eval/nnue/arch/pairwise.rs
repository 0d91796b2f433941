//! `pairwise`: products of neurons, two small dense layers behind.
//!
//! The board as both sides see it, mirrored so that the own king is on the files a to d. Of each
//! side's accumulator, clipped to 0 to 1, one half is multiplied with the other, as Stockfish does
//! since 2022 and Reckless. The products go through two dense layers of 8-bit weights; the output
//! layer is chosen by the number of pieces.

use super::common::*;

/// The architecture.
pub static PAIRWISE: Architecture = Architecture {
    name: "pairwise",
    sizes: &[
        Size::new("hidden", "the width of the inner layer", 128, HIDDEN),
        dense("dense_1", "the width of the first dense layer", 16, MAX_DENSE),
        dense("dense_2", "the width of the second dense layer", 32, MAX_DENSE),
        BUCKETS,
        Size::SCALE,
    ],
    check: |_| Ok(()),
    describe: |shape| {
        let sizes = ["hidden", "dense_1", "dense_2", "buckets"];
        let [hidden, first, second, buckets] = sizes.map(|name| shape.get(name));
        format!("(768 -> {hidden} -> {})x2 -> {first} -> {second} -> {buckets}", hidden / 2)
    },
    graph: |shape| {
        let mut graph = Builder::new(NARROW_UNIT, NARROW);
        let features = FeatureSet::chess768().mirrored(true);
        let hidden = shape.get("hidden");
        let inner = graph.first("inner", features, Perspectives::Both, hidden);
        let mut neurons = graph.product(inner);
        for name in ["dense_1", "dense_2"] {
            neurons = graph.dense(name, neurons, shape.get(name), Activation::ClippedRelu);
        }
        graph.output(Select::by_pieces(shape.get("buckets")), neurons)
    },
};

/// Both halves are whole blocks of numbers.
const HIDDEN: Rule = Rule::Multiple(2 * LANE as i64, 2_048);
