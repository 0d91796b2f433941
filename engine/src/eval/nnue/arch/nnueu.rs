//! `nnueu`: few neurons, and a second layer chosen by the kings' squares.
//!
//! From Tal's Hand (C. Mieres): 640 features, all pieces but the kings as the side to move sees
//! them. The square of either king chooses a block of the second layer's weights; the outputs of
//! both blocks go through two more small layers. A king's move changes only which blocks are used,
//! and only the accumulator of the side to move is needed.

use super::common::*;

/// The architecture.
pub static NNUEU: Architecture = Architecture {
    name: "nnueu",
    sizes: &[
        Size::new("hidden", "the width of the inner layer", 8, Rule::Multiple(8, 256)),
        dense("block", "the width of a king's block", 4, MAX_DENSE / 2),
        dense("second", "the width of the second layer", 4, MAX_DENSE),
        Size::SCALE,
    ],
    check: |_| Ok(()),
    describe: |shape| {
        let [hidden, block, second] = ["hidden", "block", "second"].map(|name| shape.get(name));
        format!("640 -> {hidden} -> (64 x {block})x2 -> {second} -> 1")
    },
    graph: |shape| {
        let mut graph = Builder::new(NARROW_UNIT, NARROW);
        let features = FeatureSet::kingless();
        let hidden = shape.get("hidden");
        let inner = graph.first("inner", features, Perspectives::SideToMove, hidden);
        let inner = graph.activate(inner, Activation::ClippedRelu);
        let kings = [("own_king", Select::OwnKing), ("their_king", Select::TheirKing)];
        let blocks =
            graph.dense_each(kings, inner, shape.get("block"), Activation::ClippedRelu);
        let second =
            graph.dense("second", blocks, shape.get("second"), Activation::ClippedRelu);
        graph.output(Select::One, second)
    },
};
