//! Neural evaluation with an inner layer that is updated rather than computed.
//!
//! The idea is Y. Nasu's ("Efficiently updatable neural-network-based evaluation functions for
//! computer shogi", 2018): a move changes two to four of the inputs, so the sums of the first and
//! by far largest layer are kept and corrected. Everything is computed in integers, so that every
//! path, fresh or incremental, scalar or vectorised, gives the same number.
//!
//! A file says of itself which architecture its network has:
//!
//! | architecture | what it is |
//! |---|---|
//! | [`perspective`] | both sides' views, one wide layer, one output; the usual one |
//! | [`nnueu`] | a few numbers, and a second layer chosen by the kings' squares |
//! | [`halfkp`] | pieces with the own king's square, two layers behind |
//! | [`two_path`] | averages of a wide path, times factors that pawns and kings give |
//!
//! | file | subject |
//! |---|---|
//! | [`shape`] | architecture, sizes, scales, and the layers that follow from them |
//! | [`two_path_shape`] | sizes and inputs of `two-path`, which has more of them than the others |
//! | [`network`] | weights that were checked |
//! | [`format`] | a network as a file |
//! | [`json`] | a network as JSON |
//! | [`features`] | what a network sees of a position |
//! | [`accumulator`] | the sums of the first layer, kept from position to position |
//! | [`first_layer`], [`dense`] | a layer of few inputs that are on, and one of many |
//! | [`loops`], [`vectors`] | the loops, over blocks in registers |
//! | [`kernels`] | an evaluation, for each kind of processor |

mod accumulator;
#[cfg(test)]
mod definition;
mod dense;
mod features;
mod first_layer;
mod format;
pub mod halfkp;
mod json;
mod kernels;
mod loops;
mod network;
pub mod nnueu;
pub mod perspective;
mod shape;
#[cfg(test)]
mod tests;
mod two_path;
pub mod two_path_shape;
mod vectors;

pub use accumulator::NetworkEvaluator;
pub use features::{FeatureSet, INPUTS, View, output_bucket};
pub use format::{FileError, MAGIC};
pub use halfkp::HalfKp;
pub use json::JsonError;
pub use kernels::Kernel;
pub use network::{Network, NetworkError};
pub use nnueu::Nnueu;
pub use perspective::Perspective;
pub use shape::{ARCHITECTURES, Integer, Layer, LayerWeights, Shape, Weights};
pub use two_path_shape::TwoPath;
pub use vectors::LANE;
