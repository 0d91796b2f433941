//! A network: weights that were checked so that no sum can overflow.

use std::fmt;

use super::dense::{Dense, Divisor};
use super::error::NetworkError;
use super::first_layer::FirstLayer;
use super::graph::Graph;
use super::kernel::Kernel;
use super::layer::{Layer, LayerWeights, Weights};
use super::shape::Shape;

/// A network with valid weights.
pub struct Network {
    shape: Shape,
    pub(super) kernel: Kernel,
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
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network {}, {}", self.shape, self.kernel)
    }
}

/// Whether all layers are there, each with as many numbers as it has, which it can hold.
fn check_layers(layers: &[Layer], weights: &Weights) -> Result<(), NetworkError> {
    let found = weights.0.len();
    let wanted = layers.len();
    if found != wanted {
        return Err(NetworkError::Layers { found, wanted });
    }
    for (layer, LayerWeights { weights, biases }) in layers.iter().zip(&weights.0) {
        let parts = [
            ("weights", weights, layer.weights(), layer.weight.integer),
            ("biases", biases, layer.biases, layer.bias.integer),
        ];
        for (what, numbers, wanted, kind) in parts {
            let layer = layer.name;
            let found = numbers.len();
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
