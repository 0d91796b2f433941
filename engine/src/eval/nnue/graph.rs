//! The computation of a network as data: feature sets, layers and steps.
//!
//! The engine executes a graph in integers, the trainer in floating point and backwards.

use super::features::{FeatureSet, Perspectives};
use super::layer::{Bounds, Layer, Quantisation};
use super::vectors::LANE;

/// The largest activation in integers.
pub(super) const MAX_ACTIVATION: i32 = i16::MAX as i32;
/// The unit of accumulators whose products have the unit 127: 255 * 255 / 512.
pub(super) const PRODUCT_UNIT: i32 = 255;
/// Pieces on a board, and none.
const COUNTS: usize = 33;

/// A first layer: layer number `n` is the `n`-th of these.
#[derive(Clone, Debug)]
pub struct First {
    /// Its inputs.
    pub features: FeatureSet,
    /// Whose views it sees.
    pub perspectives: Perspectives,
}

impl First {
    /// Accumulators of a position.
    pub fn lists(&self) -> usize {
        if self.perspectives == Perspectives::Both { 2 } else { 1 }
    }
}

/// Neurons that stand side by side among all activations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neurons {
    /// The first.
    pub start: usize,
    /// How many there are.
    pub len: usize,
    /// Their largest absolute activation as an integer.
    pub max: i32,
}

/// An activation function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    /// None.
    Linear,
    /// `max(0, x)`.
    Relu,
    /// `x` clipped to 0 to 1.
    ClippedRelu,
}

/// Which block of a layer's outputs is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Select {
    /// There is but one.
    One,
    /// By the square of the king of the side to move, as it sees the board.
    OwnKing,
    /// By the square of the opponent's king, as the side to move sees the board.
    TheirKing,
    /// By the number of pieces, kings included.
    Pieces {
        /// Blocks.
        buckets: usize,
        /// The block of each number of pieces.
        block_of: [u8; COUNTS],
    },
}

impl Select {
    /// Output buckets of equal width from 2 to 32 pieces.
    pub fn by_pieces(buckets: usize) -> Select {
        let width = 31_usize.div_ceil(buckets);
        let block = |pieces: usize| (pieces.saturating_sub(2) / width).min(buckets - 1) as u8;
        Select::Pieces { buckets, block_of: std::array::from_fn(block) }
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        match self {
            Select::One => 1,
            Select::OwnKing | Select::TheirKing => 64,
            Select::Pieces { buckets, .. } => *buckets,
        }
    }

    /// The block of a position.
    #[inline(always)]
    pub fn block(
        &self,
        pieces: impl FnOnce() -> usize,
        kings: impl FnOnce() -> [usize; 2],
    ) -> usize {
        match self {
            Select::One => 0,
            Select::OwnKing => kings()[0],
            Select::TheirKing => kings()[1],
            Select::Pieces { block_of, .. } => block_of[pieces().min(COUNTS - 1)].into(),
        }
    }
}

/// One step from the accumulators towards the output.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Step {
    /// The activation function of the accumulators of a first layer.
    Activate {
        /// The first layer.
        first: usize,
        /// Its activation function.
        activation: Activation,
        /// The result.
        output: Neurons,
    },
    /// The products of both halves of the accumulators of a first layer, each clipped to 0 to 1
    /// (pairwise multiplication).
    Product {
        /// The first layer, whose unit is [`PRODUCT_UNIT`].
        first: usize,
        /// The result.
        output: Neurons,
    },
    /// The means of `size` neighbouring accumulators of a first layer, after ReLU.
    Pool {
        /// The first layer.
        first: usize,
        /// Neurons of a mean.
        size: usize,
        /// The result.
        output: Neurons,
    },
    /// The products of neurons with factors, which are repeated.
    Gate {
        /// The neurons.
        input: Neurons,
        /// The factors.
        factors: Neurons,
        /// The result.
        output: Neurons,
    },
    /// A dense layer with its activation function.
    Dense {
        /// The layer.
        layer: usize,
        /// Its block.
        select: Select,
        /// The input.
        input: Neurons,
        /// Its activation function.
        activation: Activation,
        /// The result.
        output: Neurons,
    },
}

/// The output layer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Output {
    /// The layer.
    pub layer: usize,
    /// Its block.
    pub select: Select,
    /// The input; `None`: the accumulators of the only first layer, of both perspectives,
    /// clipped and squared (SCReLU).
    pub input: Option<Neurons>,
}

/// A network without its weights.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The first layers.
    pub firsts: Vec<First>,
    /// All layers, the first ones at the beginning, the output layer last.
    pub layers: Vec<Layer>,
    /// From the accumulators to the input of the output layer.
    pub steps: Vec<Step>,
    /// The output layer.
    pub output: Output,
    /// The integer that stands for 1 in activations.
    pub unit: i32,
    /// With more material than this ahead, in centipawns, material alone is the value.
    pub material_limit: Option<i32>,
    /// Neurons of all steps.
    pub neurons: usize,
}

impl Graph {
    /// Whether the output is that of the side to move rather than White's.
    pub fn is_relative(&self) -> bool {
        self.firsts.iter().all(|first| first.perspectives != Perspectives::White)
    }

    /// The outputs of a block of a dense layer, and its inputs; `None` for an output layer of
    /// squared accumulators.
    pub(super) fn dense(&self, number: usize) -> Option<(usize, Neurons)> {
        let steps = self.steps.iter().find_map(|step| match step {
            Step::Dense { layer, input, output, .. } if *layer == number => {
                Some((output.len, *input))
            }
            _ => None,
        });
        steps.or(self.output.input.map(|input| (1, input)))
    }
}

/// Builds a graph from the features to the output.
pub(super) struct Builder {
    graph: Graph,
    /// Of dense layers.
    weight: Quantisation,
}

impl Builder {
    /// With the unit of activations and the quantisation of the weights of dense layers.
    pub fn new(unit: i32, weight: Quantisation) -> Builder {
        let output = Output { layer: 0, select: Select::One, input: None };
        let firsts = Vec::new();
        let layers = Vec::new();
        let steps = Vec::new();
        let graph = Graph { firsts, layers, steps, output, unit, material_limit: None, neurons: 0 };
        Builder { graph, weight }
    }

    /// Adds a first layer.
    pub fn first(
        &mut self,
        name: &'static str,
        features: FeatureSet,
        perspectives: Perspectives,
        width: usize,
    ) -> usize {
        self.graph.layers.push(Layer::first(name, features.width(), width, self.graph.unit));
        self.graph.firsts.push(First { features, perspectives });
        self.graph.firsts.len() - 1
    }

    /// Replaces the bounds of the last layer.
    pub fn bounds(&mut self, change: impl FnOnce(&mut Bounds)) {
        change(&mut self.graph.layers.last_mut().expect("a layer was added").bounds);
    }

    fn neurons(&mut self, len: usize, activation: Activation) -> Neurons {
        let max =
            if activation == Activation::ClippedRelu { self.graph.unit } else { MAX_ACTIVATION };
        let start = self.graph.neurons.next_multiple_of(LANE);
        self.graph.neurons = start + len;
        Neurons { start, len, max }
    }

    /// The neurons of a first layer, all perspectives.
    fn width(&self, first: usize) -> usize {
        self.graph.layers[first].outputs * self.graph.firsts[first].lists()
    }

    /// Adds the activation function of a first layer.
    pub fn activate(&mut self, first: usize, activation: Activation) -> Neurons {
        let output = self.neurons(self.width(first), activation);
        self.graph.steps.push(Step::Activate { first, activation, output });
        output
    }

    /// Adds the products of both halves of the accumulators of a first layer, whose unit
    /// becomes [`PRODUCT_UNIT`].
    pub fn product(&mut self, first: usize) -> Neurons {
        let unit = PRODUCT_UNIT;
        let layer = &mut self.graph.layers[first];
        (layer.weight.unit, layer.bias.unit) = (unit, unit);
        let output = self.neurons(self.width(first) / 2, Activation::ClippedRelu);
        self.graph.steps.push(Step::Product { first, output });
        output
    }

    /// Adds average pooling of a first layer.
    pub fn pool(&mut self, first: usize, size: usize) -> Neurons {
        let output = self.neurons(self.width(first) / size, Activation::Relu);
        self.graph.steps.push(Step::Pool { first, size, output });
        output
    }

    /// Adds products with factors, which are repeated.
    pub fn gate(&mut self, input: Neurons, factors: Neurons) -> Neurons {
        let output = self.neurons(input.len, Activation::Linear);
        self.graph.steps.push(Step::Gate { input, factors, output });
        output
    }

    /// Adds a dense layer.
    pub fn dense(
        &mut self,
        name: &'static str,
        input: Neurons,
        width: usize,
        activation: Activation,
    ) -> Neurons {
        self.dense_each([(name, Select::One)], input, width, activation)
    }

    /// Adds dense layers of the same input and width, whose outputs stand side by side.
    pub fn dense_each<const N: usize>(
        &mut self,
        layers: [(&'static str, Select); N],
        input: Neurons,
        width: usize,
        activation: Activation,
    ) -> Neurons {
        let all = self.neurons(N * width, activation);
        for (number, (name, select)) in layers.into_iter().enumerate() {
            let layer = self.layer(name, input.len, width, select);
            let output = Neurons { start: all.start + number * width, len: width, ..all };
            self.graph.steps.push(Step::Dense { layer, select, input, activation, output });
        }
        all
    }

    /// Ends with the output layer.
    pub fn output(mut self, select: Select, input: Neurons) -> Graph {
        let layer = self.layer("output", input.len, 1, select);
        self.bounds(|bounds| bounds.bias = 0.0);
        self.graph.output = Output { layer, select, input: Some(input) };
        self.graph
    }

    /// Ends with the output layer of the squares of the clipped accumulators (SCReLU).
    pub fn squared_output(mut self, select: Select, first: usize) -> Graph {
        assert_eq!(self.graph.firsts[first].lists(), 2, "the engine reads both perspectives");
        let inputs = self.width(first);
        let layer = self.layer("output", inputs, 1, select);
        self.bounds(|bounds| (bounds.bias, bounds.spread) = (0.0, 1.0 / (inputs as f32).sqrt()));
        self.graph.output = Output { layer, select, input: None };
        self.graph
    }

    /// Adds a layer with blocks of `width` outputs; returns its number.
    fn layer(&mut self, name: &'static str, inputs: usize, width: usize, select: Select) -> usize {
        let outputs = width * select.blocks();
        let layer = Layer::dense(name, inputs, outputs, self.weight, self.graph.unit);
        // The output layer has a bias for each bucket; a king's block shares its biases.
        let biases = if matches!(select, Select::Pieces { .. }) { outputs } else { width };
        self.graph.layers.push(Layer { biases, ..layer });
        self.graph.layers.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_bucket_has_its_positions() {
        let block = |buckets, pieces| Select::by_pieces(buckets).block(|| pieces, || [0, 0]);
        assert_eq!((2..=32).map(|pieces| block(1, pieces)).max(), Some(0));
        let eight: Vec<usize> = (2..=32).map(|pieces| block(8, pieces)).collect();
        assert!(eight.is_sorted() && eight[0] == 0 && eight[30] == 7);
        assert!((0..8).all(|bucket| eight.contains(&bucket)));
    }
}
