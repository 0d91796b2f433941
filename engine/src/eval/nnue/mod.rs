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
//! | [`network`], [`error`] | weights that were checked; what is wrong with others |
//! | [`format`], [`json`], [`file_error`] | a network as a file, and as JSON; what is wrong with it |
//! | [`evaluator`] | a network as the evaluator of a search |
//! | [`forward`] | the evaluation of a position |
//! | [`accumulator`] | the sums of the first layer, kept from position to position |
//! | [`pieces`] | the pieces of a position, and the features that differ between two |
//! | [`first_layer`], [`dense`] | a layer of few active inputs, and a dense one |
//! | [`kernel`], [`kernels`] | the instruction sets; a whole evaluation compiled for each |
//! | [`loops`], [`vectors`] | the inner loops, over blocks in registers |

mod accumulator;
pub mod arch;
#[cfg(test)]
mod definition;
mod dense;
mod error;
mod evaluator;
mod features;
mod file_error;
mod first_layer;
mod format;
mod forward;
mod graph;
mod json;
mod kernel;
mod kernels;
mod layer;
mod loops;
mod network;
mod pieces;
mod shape;
#[cfg(test)]
mod tests;
mod vectors;

pub use arch::*;
pub use error::NetworkError;
pub use evaluator::NetworkEvaluator;
pub use features::{FeatureSet, Perspectives, View, piece_index};
pub use file_error::{FileError, JsonError};
pub use format::MAGIC;
pub use graph::{Activation, First, Graph, Neurons, Output, Select, Step};
pub use kernel::Kernel;
pub use layer::{Bounds, Integer, Layer, LayerWeights, Quantisation, Weights};
pub use network::Network;
pub use shape::{Architecture, Rule, Shape, Size};
pub use vectors::LANE;
