//! Weights that make no network.

use thiserror::Error;

/// Weights that make no network.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NetworkError {
    /// An invalid size or scale.
    #[error("{what} is {value}, and must be {wanted}")]
    Shape {
        /// Which.
        what: &'static str,
        /// The value.
        value: i64,
        /// The values that it may have.
        wanted: String,
    },
    /// More or fewer layers than the architecture has.
    #[error("it has {found} layers instead of {wanted}")]
    Layers {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A layer has more or fewer weights than the sizes ask for.
    #[error("the layer `{layer}` has {found} {what} instead of {wanted}")]
    Count {
        /// The layer.
        layer: &'static str,
        /// Weights or biases.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A weight that its layer cannot hold.
    #[error("a weight or bias of the layer `{layer}` is {number}, which is too large")]
    Number {
        /// The layer.
        layer: &'static str,
        /// The weight.
        number: i32,
    },
    /// The sum of one number of the inner layer could leave 16 bits.
    #[error("number {number} of the inner layer can become {sum}, which is beyond 16 bits")]
    InnerOverflow {
        /// Its place, from 0.
        number: usize,
        /// The greatest that its sum can be.
        sum: i64,
    },
    /// An output weight is so large that its product could leave 16 bits.
    #[error("output weight {number} is {weight}; more than {most} is too much")]
    OutputOverflow {
        /// Its place, from 0.
        number: usize,
        /// The weight.
        weight: i32,
        /// The possible values.
        most: i16,
    },
    /// The sum of one number of a layer behind the first could leave 32 bits.
    #[error("number {number} of the layer `{layer}` can become {sum}, which is beyond 32 bits")]
    DenseOverflow {
        /// The layer.
        layer: &'static str,
        /// Its place, from 0.
        number: usize,
        /// The greatest that its sum can be.
        sum: i64,
    },
}
