//! Neural evaluation with an inner layer that is updated rather than computed.
//!
//! The idea is Y. Nasu's ("Efficiently updatable neural-network-based evaluation functions for
//! computer shogi", 2018): a move changes two to four of the inputs, so the sums of the first and
//! by far largest layer are kept and corrected. Everything is computed in integers, so that every
//! path, fresh or incremental, scalar or vectorised, gives the same number.
//!
//! | file | subject |
//! |---|---|
//! | [`features`] | what a network sees of a position |
//! | [`shape`] | its sizes and scales |
//! | [`network`] | its weights, and proof that no sum of them overflows |
//! | [`format`] | a network as a file |
//! | [`json`] | a network as JSON |
//! | [`kernels`] | the loops, for each kind of processor |
//! | [`accumulator`] | the sums of the first layer, kept from position to position |

mod accumulator;
mod features;
mod format;
mod json;
mod kernels;
mod network;
mod shape;
#[cfg(test)]
mod tests;

pub use accumulator::NetworkEvaluator;
pub use features::{INPUTS, View, output_bucket};
pub use format::{FileError, MAGIC};
pub use json::JsonError;
pub use kernels::{Kernel, LANE};
pub use network::{Network, NetworkError, Weights};
pub use shape::Shape;
