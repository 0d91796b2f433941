//! `perspective`: the board as both sides see it, one hidden layer, one output.
//!
//! 768 features from each side's perspective, with the same weights. The neurons of the side to
//! move, then the opponent's, are clipped to 0 to 1 and squared (SCReLU).

use super::*;

/// The architecture.
pub static PERSPECTIVE: Architecture = Architecture {
    name: "perspective",
    sizes: &[
        Size::new("hidden", "the width of the inner layer", 64, Rule::Multiple(LANE as i64, 2_048)),
        // The own king is seen on the files a to d.
        Size::new("mirroring", "mirroring", 1, Rule::Flag),
        // One for each number of pieces at most.
        Size::new("buckets", "the number of output layers", 1, Rule::Within(1, 31)),
        // Commonly called QA and QB.
        Size::new("inner_one", "the unit of the inner layer", 255, Rule::Unit(MAX_SQUARED_UNIT)),
        Size::new("output_one", "the unit of the output", 64, Rule::Unit(i16::MAX as i64)),
        Size::SCALE,
    ],
    check: |_| Ok(()),
    describe: |shape| {
        let mirrored = if shape.get("mirroring") == 1 { ", mirrored" } else { "" };
        format!("(768 -> {})x2 -> {}{mirrored}", shape.get("hidden"), shape.get("buckets"))
    },
    graph: |shape| {
        let features = FeatureSet::chess768().mirrored(shape.get("mirroring") == 1);
        let output = Quantisation { integer: Integer::I16, unit: shape.get("output_one") as i32 };
        let mut graph = Builder::new(shape.get("inner_one") as i32, output);
        let inner = graph.first("inner", features, Perspectives::Both, shape.get("hidden"));
        graph.squared_output(Select::by_pieces(shape.get("buckets")), inner)
    },
};
