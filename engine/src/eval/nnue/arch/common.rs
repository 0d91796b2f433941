//! Shared by the architectures: the names that they use, common sizes, parts of graphs.

use super::super::dense::MAX_OUTPUTS;
pub(super) use super::super::error::NetworkError;
pub(super) use super::super::features::{FeatureSet, Perspectives};
pub(super) use super::super::graph::{Activation, Builder, Graph, Select};
pub(super) use super::super::layer::{Bounds, Integer, Quantisation};
use super::super::loops::MAX_SQUARED_UNIT;
pub(super) use super::super::shape::{Architecture, Rule, Shape, Size};
pub(super) use super::super::vectors::LANE;
pub(super) use crate::board::Role;

/// Number of output layers; one for each number of pieces at most.
pub(super) const BUCKETS: Size =
    Size::new("buckets", "the number of output layers", 1, Rule::Within(1, 31));
/// Unit of a first layer whose activations are squared; commonly called QA.
pub(super) const INNER_ONE: Size =
    Size::new("inner_one", "the unit of the inner layer", 255, Rule::Unit(MAX_SQUARED_UNIT));
/// Unit of the output layer behind squared activations; commonly called QB.
pub(super) const OUTPUT_ONE: Size =
    Size::new("output_one", "the unit of the output", 64, Rule::Unit(i16::MAX as i64));

/// Features from both sides' perspectives, squared (SCReLU), and one output by the number of pieces.
pub(super) fn squared_perspectives(shape: &Shape, features: FeatureSet) -> Graph {
    let output = Quantisation { integer: Integer::I16, unit: shape.get("output_one") as i32 };
    let mut graph = Builder::new(shape.get("inner_one") as i32, output);
    let inner = graph.first("inner", features, Perspectives::Both, shape.get("hidden"));
    graph.squared_output(Select::by_pieces(shape.get("buckets")), inner)
}

/// Widest dense layer.
pub(super) const MAX_DENSE: i64 = MAX_OUTPUTS as i64;
/// Weights of dense layers of 8 bits, as in Bread's networks.
pub(super) const NARROW: Quantisation = Quantisation { integer: Integer::I8, unit: 64 };
/// The unit of the activations between such layers.
pub(super) const NARROW_UNIT: i32 = 127;

/// A size of a dense layer.
pub(super) const fn dense(name: &'static str, what: &'static str, default: i64, most: i64) -> Size {
    Size::new(name, what, default, Rule::Within(1, most))
}
