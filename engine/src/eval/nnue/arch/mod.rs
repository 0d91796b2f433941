//! The registry of architectures: one a file, listed once.
//!
//! An architecture says what its sizes are and what a network of some sizes computes. The engine's
//! evaluation, the layers of a file and the trainer's gradient follow from that. A new one is a
//! file here and its line in the list; a new kind of feature set or step is added to
//! [`features`](super::features) or [`graph`](super::graph) first.

use super::error::NetworkError;
use super::features::{FeatureSet, Perspectives};
use super::graph::{Activation, Builder, Graph, Select};
use super::layer::{Bounds, Integer, Quantisation};
use super::loops::MAX_SQUARED_UNIT;
use super::shape::{Architecture, Rule, Shape, Size};
use super::vectors::LANE;
use crate::board::Role;

/// Lists the architectures: files here, each with its constant.
macro_rules! architectures {
    ($($file:ident::$architecture:ident)*) => {
        $(
            mod $file;
            pub use $file::$architecture;
        )*

        /// All architectures.
        pub static ARCHITECTURES: &[&Architecture] = &[$(&$architecture),*];
    };
}

architectures! {
    perspective::PERSPECTIVE
    nnueu::NNUEU
    halfkp::HALFKP
    two_path::TWO_PATH
    king_buckets::KING_BUCKETS
    pairwise::PAIRWISE
}

impl Architecture {
    /// The architecture of a name.
    pub fn find(name: &str) -> Option<&'static Architecture> {
        ARCHITECTURES.iter().copied().find(|architecture| architecture.name == name)
    }
}

impl Shape {
    /// The shape of an architecture whose sizes `value` returns, in the order of [`Shape::sizes`];
    /// `None` if there is no such architecture.
    ///
    /// # Errors
    /// Those of `value`.
    pub fn from_sizes<E>(
        name: &str,
        value: impl FnMut(&'static Size) -> Result<i64, E>,
    ) -> Result<Option<Shape>, E> {
        Architecture::find(name).map(|architecture| architecture.with_sizes(value)).transpose()
    }
}

/// Number of output layers; one for each number of pieces at most.
const BUCKETS: Size = Size::new("buckets", "the number of output layers", 1, Rule::Within(1, 31));
/// Unit of a first layer whose activations are squared; commonly called QA.
const INNER_ONE: Size =
    Size::new("inner_one", "the unit of the inner layer", 255, Rule::Unit(MAX_SQUARED_UNIT));
/// Unit of the output layer behind squared activations; commonly called QB.
const OUTPUT_ONE: Size =
    Size::new("output_one", "the unit of the output", 64, Rule::Unit(i16::MAX as i64));

/// Features from both sides' perspectives, squared (SCReLU), and one output by the number of pieces.
fn squared_perspectives(shape: &Shape, features: FeatureSet) -> Graph {
    let output = Quantisation { integer: Integer::I16, unit: shape.get("output_one") as i32 };
    let mut graph = Builder::new(shape.get("inner_one") as i32, output);
    let inner = graph.first("inner", features, Perspectives::Both, shape.get("hidden"));
    graph.squared_output(Select::by_pieces(shape.get("buckets")), inner)
}

/// Widest dense layer.
const MAX_DENSE: i64 = super::dense::MAX_OUTPUTS as i64;
/// Weights of dense layers of 8 bits, as in Bread's networks.
const NARROW: Quantisation = Quantisation { integer: Integer::I8, unit: 64 };
/// The unit of the activations between such layers.
const NARROW_UNIT: i32 = 127;

/// A size of a dense layer.
const fn dense(name: &'static str, what: &'static str, default: i64, most: i64) -> Size {
    Size::new(name, what, default, Rule::Within(1, most))
}
