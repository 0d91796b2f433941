//! `king-buckets`: `perspective` with weights of its own for each bucket of the own king's squares.
//!
//! The board is mirrored so that the own king is on the files a to d, and its square chooses one of
//! eight blocks of the first layer's weights. When a king changes its bucket, that side's
//! accumulator is refreshed from the last one of the new bucket.

use super::*;

/// The bucket of each square of the files a to d, rank by rank from the own side: exact squares at
/// home, areas elsewhere.
const BUCKETS: [usize; 32] = [
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
        Size::new("buckets", "the number of output layers", 1, Rule::Within(1, 31)),
        Size::new("inner_one", "the unit of the inner layer", 255, Rule::Unit(MAX_SQUARED_UNIT)),
        Size::new("output_one", "the unit of the output", 64, Rule::Unit(i16::MAX as i64)),
        Size::SCALE,
    ],
    check: |_| Ok(()),
    describe: |shape| {
        format!("(8 x 768 -> {})x2 -> {}", shape.get("hidden"), shape.get("buckets"))
    },
    graph: |shape| {
        let bucket = |king: usize| BUCKETS[king / 8 * 4 + king % 8];
        let features = FeatureSet::chess768().mirrored(true).by_king(8, bucket);
        let output = Quantisation { integer: Integer::I16, unit: shape.get("output_one") as i32 };
        let mut graph = Builder::new(shape.get("inner_one") as i32, output);
        let inner = graph.first("inner", features, Perspectives::Both, shape.get("hidden"));
        graph.squared_output(Select::by_pieces(shape.get("buckets")), inner)
    },
};
