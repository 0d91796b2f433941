//! A network: weights that were checked so that no sum can overflow.

use std::fmt;

use thiserror::Error;

use super::dense::{Dense, Divisor};
use super::first_layer::FirstLayer;
use super::forward::State;
use super::graph::Graph;
use super::kernels::Kernel;
use super::layer::{Layer, LayerWeights, Weights};
use super::shape::Shape;
use crate::board::Position;

/// Weights that make no network.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NetworkError {
    /// An invalid size or scale.
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

/// A network with valid weights.
pub struct Network {
    shape: Shape,
    kernel: Kernel,
    pub(super) graph: Graph,
    pub(super) firsts: Vec<FirstLayer>,
    /// The layers behind them.
    pub(super) dense: Vec<Dense>,
    /// An activation of 1 as an integer.
    pub(super) unit: Divisor,
    /// An output of 1 as an integer, and in centipawns.
    pub(super) output_unit: Divisor,
    pub(super) scale: i32,
    /// Whether the output is that of the side to move.
    pub(super) is_relative: bool,
}

impl Network {
    /// A network of these weights.
    ///
    /// # Errors
    /// If sizes and counts do not match, or some position could make a sum overflow.
    pub fn new(shape: Shape, weights: &Weights) -> Result<Network, NetworkError> {
        shape.check()?;
        let graph = shape.graph();
        check_layers(&graph.layers, weights)?;
        let firsts = graph.firsts.iter().zip(&weights.0);
        let firsts = firsts.map(|(first, weights)| FirstLayer::new(first, weights));
        let firsts = firsts.collect::<Result<_, _>>()?;
        let behind = graph.layers.iter().enumerate().skip(graph.firsts.len());
        let dense = behind.map(|(number, layer)| {
            let weights = &weights.0[number];
            match graph.dense(number) {
                Some((width, input)) => Dense::new(layer, weights, width, input.max),
                None => Dense::squared(layer, weights, graph.unit),
            }
        });
        let dense = dense.collect::<Result<_, _>>()?;
        let output = graph.layers.last().expect("every graph has an output layer");
        Ok(Network {
            scale: shape.scale(),
            shape,
            kernel: Kernel::best(),
            unit: Divisor::new(graph.unit.into()),
            output_unit: Divisor::new(output.bias.unit.into()),
            is_relative: graph.is_relative(),
            graph,
            firsts,
            dense,
        })
    }

    /// Its architecture with sizes and scales.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its instruction set.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The same network with another instruction set.
    pub fn with_kernel(self, kernel: Kernel) -> Network {
        Network { kernel, ..self }
    }

    /// Its weights, as [`Network::new`] takes them.
    pub fn weights(&self) -> Weights {
        let firsts = self.firsts.iter().map(FirstLayer::weights);
        Weights(firsts.chain(self.dense.iter().map(Dense::weights)).collect())
    }

    /// The value of a position in centipawns for the side to move, without accumulators of others.
    pub fn evaluate(&self, position: &Position) -> i32 {
        self.evaluate_with(&mut State::new(self, 1), position, 0)
    }

    /// The same with accumulators, of which those of the ply become the position's.
    #[inline]
    pub(super) fn evaluate_with(&self, state: &mut State, position: &Position, ply: usize) -> i32 {
        if self.graph.output.input.is_none() {
            self.kernel.squared_value(self, state, position, ply)
        } else {
            self.kernel.value(self, state, position, ply)
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network {}, {}", self.shape, self.kernel)
    }
}

/// Whether all layers are there, each with as many numbers as it has, which it can hold.
fn check_layers(layers: &[Layer], weights: &Weights) -> Result<(), NetworkError> {
    let (found, wanted) = (weights.0.len(), layers.len());
    if found != wanted {
        return Err(NetworkError::Layers { found, wanted });
    }
    for (layer, LayerWeights { weights, biases }) in layers.iter().zip(&weights.0) {
        let parts = [
            ("weights", weights, layer.weights(), layer.weight.integer),
            ("biases", biases, layer.biases, layer.bias.integer),
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
