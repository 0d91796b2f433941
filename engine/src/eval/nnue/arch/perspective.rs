//! `perspective`: the board as both sides see it, one hidden layer, one output.
//!
//! 768 features from each side's perspective, with the same weights. The neurons of the side to
//! move, then the opponent's, are clipped to 0 to 1 and squared (SCReLU).

use super::common::*;

/// The architecture.
pub static PERSPECTIVE: Architecture = Architecture {
    name: "perspective",
    sizes: &[
        Size::new("hidden", "the width of the inner layer", 64, Rule::Multiple(LANE as i64, 2_048)),
        // The own king is seen on the files a to d.
        Size::new("mirroring", "mirroring", 1, Rule::Flag),
        BUCKETS,
        INNER_ONE,
        OUTPUT_ONE,
        Size::SCALE,
    ],
    check: |_| Ok(()),
    describe: |shape| {
        let mirrored = if shape.get("mirroring") == 1 { ", mirrored" } else { "" };
        format!("(768 -> {})x2 -> {}{mirrored}", shape.get("hidden"), shape.get("buckets"))
    },
    graph: |shape| {
        let features = FeatureSet::chess768().mirrored(shape.get("mirroring") == 1);
        squared_perspectives(shape, features)
    },
};
