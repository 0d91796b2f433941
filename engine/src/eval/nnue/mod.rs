//! Neural evaluation with a first layer that is updated rather than computed (NNUE).
//!
//! The idea is Y. Nasu's ("Efficiently updatable neural-network-based evaluation functions for
//! computer shogi", 2018): a move changes two to four of the features, so the accumulators of the
//! first and by far largest layer are kept and updated. Everything is computed in integers, so that
//! every path, from scratch or incremental, scalar or vectorised, gives the same value.
//!
//! An architecture is data: its sizes, and a graph from features to the output. The engine executes
//! the graph in integers, the trainer of the harness in floating point and backwards. A new
//! architecture is a file in [`arch`] and its line in the registry there.
//!
//! | file | subject |
//! |---|---|
//! | [`arch`] | the registry, and the architectures, one a file |
//! | [`shape`] | an architecture with its sizes and scales |
//! | [`graph`] | what a network computes: feature sets, layers, steps |
//! | [`features`] | which features a position has |
//! | [`layer`] | a layer: widths, quantisation, bounds, weights |
//! | [`network`] | weights that were checked |
//! | [`format`], [`json`] | a network as a file, and as JSON |
//! | [`forward`] | the evaluation of a position |
//! | [`accumulator`] | the sums of the first layer, kept from position to position |
//! | [`pieces`] | the pieces of a position, and the features that differ between two |
//! | [`first_layer`], [`dense`] | a layer of few active inputs, and a dense one |
//! | [`loops`], [`vectors`], [`kernels`] | the inner loops, over blocks in registers, for each kind of processor |

mod accumulator;
pub mod arch;
#[cfg(test)]
mod definition;
mod dense;
mod features;
mod first_layer;
mod format;
mod forward;
mod graph;
mod json;
mod kernels;
mod layer;
mod loops;
mod network;
mod pieces;
mod shape;
#[cfg(test)]
mod tests;
mod vectors;

pub use accumulator::NetworkEvaluator;
pub use arch::*;
pub use features::{FeatureSet, Perspectives, View, piece_index};
pub use format::{FileError, MAGIC};
pub use graph::{Activation, First, Graph, Neurons, Output, Select, Step};
pub use json::JsonError;
pub use kernels::Kernel;
pub use layer::{Bounds, Integer, Layer, LayerWeights, Quantisation, Weights};
pub use network::{Network, NetworkError};
pub use shape::{Rule, Shape, Size};
pub use vectors::LANE;
