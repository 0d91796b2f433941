//! `king-buckets`: `perspective` with weights of its own for each bucket of the own king's squares.
//!
//! The board is mirrored so that the own king is on the files a to d, and its square chooses one of
//! eight blocks of the first layer's weights. When a king changes its bucket, that side's
//! accumulator is refreshed from the last one of the new bucket.

use super::common::*;

/// The bucket of each square of the files a to d, rank by rank from the own side: exact squares at
/// home, areas elsewhere.
const KING_BUCKET: [usize; 32] = [
    0, 1, 2, 3, //
    4, 4, 5, 5, //
    6, 6, 6, 6, //
    6, 6, 6, 6, //
    7, 7, 7, 7, //
    7, 7, 7, 7, //
    7, 7, 7, 7, //
    7, 7, 7, 7, //
];

/// The architecture.
pub static KING_BUCKETS: Architecture = Architecture {
    name: "king-buckets",
    sizes: &[
        Size::new("hidden", "the width of the inner layer", 64, Rule::Multiple(LANE as i64, 2_048)),
        BUCKETS,
        INNER_ONE,
        OUTPUT_ONE,
        Size::SCALE,
    ],
    check: |_| Ok(()),
    describe: |shape| {
        format!("(8 x 768 -> {})x2 -> {}", shape.get("hidden"), shape.get("buckets"))
    },
    graph: |shape| {
        let bucket = |king: usize| KING_BUCKET[king / 8 * 4 + king % 8];
        let features = FeatureSet::chess768().mirrored(true).by_king(8, bucket);
        squared_perspectives(shape, features)
    },
};
