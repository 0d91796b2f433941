//! A network: weights that were checked, so that no sum of them can overflow.

use std::fmt;

use thiserror::Error;

use super::accumulator::Half;
use super::kernels::Kernel;
use super::shape::{LayerWeights, Shape, Weights};
use super::vectors::Vectors;
use super::{halfkp, nnueu, perspective, two_path};
use crate::board::{Color, Position};

/// Pieces on a board at most.
pub(super) const MOST_PIECES: usize = 32;

/// Weights that make no network.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NetworkError {
    /// A size or scale that cannot be.
    #[error("{what} is {value}, and must be {wanted}")]
    Shape {
        /// Which.
        what: &'static str,
        /// What it says.
        value: i64,
        /// What it may be.
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
        /// What is possible.
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

/// A position whose value is asked for, and what is known of others.
pub(super) struct Asked<'a> {
    /// The sums of the first layer, of which those of the ply become the position's.
    pub halves: &'a mut [Half; 2],
    pub at: &'a Position,
    pub ply: usize,
}

/// What an architecture does with its layers.
pub(super) trait Architecture: Send + Sync {
    /// Room for the sums of the first layer at so many plies.
    fn halves(&self, plies: usize) -> [Half; 2];

    /// The value of a position in centipawns for the side to move.
    fn value<V: Vectors>(&self, vectors: V, asked: Asked<'_>) -> i32
    where
        Self: Sized;

    /// The weights that the layers were made of.
    fn weights(&self) -> Weights;
}

/// An architecture whose evaluation is compiled for every kind of instructions.
trait Compiled: Architecture {
    fn value_by(&self, kernel: Kernel, asked: Asked<'_>) -> i32;
}

impl<A: Architecture> Compiled for A {
    fn value_by(&self, kernel: Kernel, asked: Asked<'_>) -> i32 {
        kernel.value(self, asked)
    }
}

/// A network that can be asked.
pub struct Network {
    shape: Shape,
    kernel: Kernel,
    layers: Box<dyn Compiled>,
}

impl Network {
    /// A network of these weights.
    ///
    /// # Errors
    /// When sizes and counts do not fit together, or some position could make a sum overflow.
    pub fn new(shape: impl Into<Shape>, weights: &Weights) -> Result<Network, NetworkError> {
        let shape = shape.into();
        shape.check()?;
        check_layers(&shape, weights)?;
        let layers: Box<dyn Compiled> = match shape {
            Shape::Perspective(shape) => Box::new(perspective::Layers::new(shape, weights)?),
            Shape::Nnueu(shape) => Box::new(nnueu::Layers::new(shape, weights)?),
            Shape::HalfKp(shape) => Box::new(halfkp::Layers::new(shape, weights)?),
            Shape::TwoPath(shape) => Box::new(two_path::Layers::new(shape, weights)?),
        };
        Ok(Network { shape, kernel: Kernel::best(), layers })
    }

    /// Its architecture with sizes and scales.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The instructions that it uses.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The same network with other instructions.
    pub fn with_kernel(self, kernel: Kernel) -> Network {
        Network { kernel, ..self }
    }

    /// Its weights, as [`Network::new`] took them.
    pub fn weights(&self) -> Weights {
        self.layers.weights()
    }

    /// The value of a position in centipawns for the side to move, computed from nothing.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluate_with(Asked { halves: &mut self.halves(1), at: position, ply: 0 })
    }

    /// Room for the sums of the first layer at so many plies.
    pub(super) fn halves(&self, plies: usize) -> [Half; 2] {
        self.layers.halves(plies)
    }

    /// The same value with what is known of other positions.
    #[inline]
    pub(super) fn evaluate_with(&self, asked: Asked<'_>) -> i32 {
        self.layers.value_by(self.kernel, asked)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network {}, {}", self.shape, self.kernel)
    }
}

/// White's and Black's as one's own and the other's.
#[inline(always)]
pub(super) fn by_side(halves: &[Half; 2], side: Color) -> [&Half; 2] {
    let [white, black] = halves;
    if side == Color::White { [white, black] } else { [black, white] }
}

/// Whether all layers are there, each with as many numbers as it has, which it can hold.
fn check_layers(shape: &Shape, weights: &Weights) -> Result<(), NetworkError> {
    let layers = shape.layers();
    let (found, wanted) = (weights.0.len(), layers.len());
    if found != wanted {
        return Err(NetworkError::Layers { found, wanted });
    }
    for (layer, LayerWeights { weights, biases }) in layers.iter().zip(&weights.0) {
        let parts = [
            ("weights", weights, layer.weights(), layer.kind),
            ("biases", biases, layer.biases, layer.bias_kind),
        ];
        for (what, numbers, wanted, kind) in parts {
            let (layer, found) = (layer.name, numbers.len());
            if found != wanted {
                return Err(NetworkError::Count { layer, what, found, wanted });
            }
            if let Some(&number) = numbers.iter().find(|&&number| !kind.holds(number)) {
                return Err(NetworkError::Number { layer, number });
            }
        }
    }
    Ok(())
}
