//! The network that names the pieces of squares, with weights in eight bits, computed by plain loops.
//!
//! Four convolutions make the features of each square, and a linear layer its embedding. Two blocks of
//! [`crate::transformer`] attend from each square to all others before the output layer names their pieces.

use std::ops::Range;

use crate::square::{CHANNELS, SIDE};
use crate::transformer::{Block, EMBEDDING};

/// Classes: an empty square, then the twelve pieces as in [`LETTERS`].
pub const CLASSES: usize = 13;

/// The letter of each class as in a FEN; `.` for an empty square.
pub const LETTERS: [char; CLASSES] =
    ['.', 'P', 'N', 'B', 'R', 'Q', 'K', 'p', 'n', 'b', 'r', 'q', 'k'];

/// A convolution over a square input, followed by a ReLU and, if it `pools`, the maximum of blocks
/// of two by two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Convolution {
    /// Channels that go in.
    inputs: usize,
    /// Channels that come out.
    outputs: usize,
    /// Side of the kernel.
    kernel: usize,
    /// Step of the kernel.
    stride: usize,
    /// Zeros around the input.
    padding: usize,
    /// Side of the input.
    side: usize,
    /// Whether a maximum over blocks of two by two follows.
    pools: bool,
}

impl Convolution {
    /// Side of the output before pooling.
    const fn output_side(&self) -> usize {
        (self.side + 2 * self.padding - self.kernel) / self.stride + 1
    }

    /// For each line of outputs, the outputs that see the input under one weight of the kernel, and
    /// the inputs that they see, `stride` apart.
    fn each_line(
        &self,
        down: usize,
        right: usize,
        mut line: impl FnMut(Range<usize>, Range<usize>),
    ) {
        let side = self.output_side();
        // Outputs whose place `at * stride + offset - padding` is inside.
        let inside = |offset: usize| {
            let first = self.padding.saturating_sub(offset).div_ceil(self.stride);
            let end = (self.side + self.padding - offset).div_ceil(self.stride).min(side);
            first..end
        };
        let columns = inside(right);
        if columns.is_empty() {
            return;
        }
        let place = |at: usize, offset: usize| at * self.stride + offset - self.padding;
        for row in inside(down) {
            let source = place(row, down) * self.side;
            let last = source + place(columns.end - 1, right);
            line(
                row * side + columns.start..row * side + columns.end,
                source + place(columns.start, right)..last + 1,
            );
        }
    }

    /// Weights of an output channel.
    const fn fan_in(&self) -> usize {
        self.inputs * self.kernel * self.kernel
    }
}

/// The convolutions in their order.
const CONVOLUTIONS: [Convolution; 4] = [
    convolution(CHANNELS, 32, SIDE, 4, false),
    convolution(32, 48, 16, 3, true),
    convolution(48, 80, 8, 3, true),
    convolution(80, 128, 4, 3, true),
];

/// Features of a square: outputs of the last convolution.
const FEATURES: usize = 128 * 2 * 2;

/// Transformer blocks.
const BLOCKS: usize = 2;

const fn convolution(
    inputs: usize,
    outputs: usize,
    side: usize,
    kernel: usize,
    pools: bool,
) -> Convolution {
    let stride = if kernel == 4 { 2 } else { 1 };
    Convolution { inputs, outputs, kernel, stride, padding: 1, side, pools }
}

/// Weights of a layer by output channel, and a bias for each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layer {
    /// `outputs` rows of `fan_in` weights.
    weights: Vec<f32>,
    /// A bias for each output.
    biases: Vec<f32>,
}

impl Layer {
    /// A layer of `outputs` rows of weights, and as many biases.
    #[cfg(test)]
    pub(crate) fn new(weights: Vec<f32>, biases: Vec<f32>) -> Self {
        Self { weights, biases }
    }

    /// Takes a layer from the front of what [`Network::from_bytes`] reads.
    fn read(rest: &mut &[u8], fan_in: usize, outputs: usize) -> Option<Self> {
        let mut take = |count: usize| -> Option<&[u8]> {
            let (head, tail) = rest.split_at_checked(count)?;
            *rest = tail;
            Some(head)
        };
        let mut layer = Self { weights: Vec::new(), biases: Vec::new() };
        for _ in 0..outputs {
            let scale = f32::from_le_bytes(take(4)?.try_into().ok()?);
            layer.biases.push(f32::from_le_bytes(take(4)?.try_into().ok()?));
            layer.weights.extend(take(fan_in)?.iter().map(|&it| f32::from(it as i8) * scale));
        }
        Some(layer)
    }

    /// The outputs of a linear layer.
    pub(crate) fn forward(&self, inputs: &[f32]) -> Vec<f32> {
        let rows = self.weights.chunks_exact(inputs.len()).zip(&self.biases);
        rows.map(|(weights, bias)| bias + dot(weights, inputs)).collect()
    }
}

/// The sum of products, in eight sums that a processor computes at once.
pub(crate) fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (one, other) in ones.zip(others) {
        for ((sum, a), b) in sums.iter_mut().zip(one).zip(other) {
            *sum += a * b;
        }
    }
    rest + sums.iter().sum::<f32>()
}

/// The weights of all layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    convolutions: Vec<Layer>,
    /// From the features of a square to its embedding.
    embedding: Layer,
    blocks: Vec<Block>,
    /// From the embedding of a square to the logits of its class.
    output: Layer,
}

impl Network {
    /// The network that was trained for this program.
    pub fn embedded() -> Option<Self> {
        Self::from_bytes(include_bytes!("weights.bin"))
    }

    /// Reads weights: for each output of each layer its scale and bias (32-bit floating-point numbers) and its weights as
    /// multiples of the scale, bytes with a sign; `None` if their number is another.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut layer = |fan_in: usize, outputs: usize| Layer::read(&mut rest, fan_in, outputs);
        let convolutions: Option<Vec<Layer>> =
            CONVOLUTIONS.iter().map(|it| layer(it.fan_in(), it.outputs)).collect();
        let network = Self {
            convolutions: convolutions?,
            embedding: layer(FEATURES, EMBEDDING)?,
            blocks: (0..BLOCKS).map(|_| Block::read(&mut layer)).collect::<Option<_>>()?,
            output: layer(EMBEDDING, CLASSES)?,
        };
        rest.is_empty().then_some(network)
    }

    /// The features of an input of [`crate::square::input`].
    pub fn features(&self, input: &[f32]) -> Vec<f32> {
        let mut values = input.to_vec();
        for (shape, layer) in CONVOLUTIONS.iter().zip(&self.convolutions) {
            values = convolve(shape, layer, &values);
        }
        values
    }

    /// Logarithms of the probabilities of the classes of all squares of a board, each with these features.
    pub fn classify(&self, features: &[Vec<f32>]) -> Vec<[f32; CLASSES]> {
        let mut embeddings: Vec<Vec<f32>> =
            features.iter().map(|features| self.embedding.forward(features)).collect();
        for block in &self.blocks {
            block.apply(&mut embeddings);
        }
        let logits = embeddings.iter().map(|embedding| self.output.forward(embedding));
        logits.map(|logits| log_softmax(std::array::from_fn(|class| logits[class]))).collect()
    }
}

/// Logarithms of the probabilities of classes with these logits.
pub(crate) fn log_softmax<const N: usize>(logits: [f32; N]) -> [f32; N] {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|logit| (logit - most).exp()).sum();
    logits.map(|logit| logit - most - sum.ln())
}

/// Probabilities with these logits.
pub(crate) fn softmax(mut logits: Vec<f32>) -> Vec<f32> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for logit in &mut logits {
        *logit = (*logit - most).exp();
    }
    let sum: f32 = logits.iter().sum();
    for logit in &mut logits {
        *logit /= sum;
    }
    logits
}

/// A convolution with its ReLU and pooling.
fn convolve(shape: &Convolution, layer: &Layer, input: &[f32]) -> Vec<f32> {
    let side = shape.output_side();
    let patches = patches(shape, input);
    let mut output = vec![0.0; shape.outputs * side * side];
    let rows = layer.weights.chunks_exact(shape.fan_in()).zip(&layer.biases);
    for (plane, (weights, &bias)) in output.chunks_exact_mut(side * side).zip(rows) {
        plane.fill(bias);
        for (&weight, patch) in weights.iter().zip(patches.chunks_exact(side * side)) {
            for (sum, value) in plane.iter_mut().zip(patch) {
                *sum += weight * value;
            }
        }
        for value in plane {
            *value = value.max(0.0);
        }
    }
    if shape.pools { pool(&output, side) } else { output }
}

/// The input as a matrix: a row for each weight of the kernel, a column for each output.
fn patches(shape: &Convolution, input: &[f32]) -> Vec<f32> {
    let output = shape.output_side();
    let mut patches = vec![0.0; shape.fan_in() * output * output];
    let mut rows = patches.chunks_exact_mut(output * output);
    for plane in input.chunks_exact(shape.side * shape.side) {
        for down in 0..shape.kernel {
            for right in 0..shape.kernel {
                let Some(row) = rows.next() else { return patches };
                shape.each_line(down, right, |to, from| {
                    let sources = plane[from.start..from.end].iter().step_by(shape.stride);
                    for (value, source) in row[to].iter_mut().zip(sources) {
                        *value = *source;
                    }
                });
            }
        }
    }
    patches
}

/// The maximum of each block of two by two.
fn pool(values: &[f32], side: usize) -> Vec<f32> {
    let half = side / 2;
    let mut pooled = Vec::with_capacity(values.len() / 4);
    for plane in values.chunks_exact(side * side) {
        for at in 0..half * half {
            let corner = at / half * 2 * side + at % half * 2;
            let upper = plane[corner].max(plane[corner + 1]);
            pooled.push(upper.max(plane[corner + side]).max(plane[corner + side + 1]));
        }
    }
    pooled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_another_number_are_refused() {
        let bytes = include_bytes!("weights.bin");
        assert!(Network::from_bytes(bytes).is_some());
        assert!(Network::from_bytes(&bytes[1..]).is_none());
        assert!(Network::from_bytes(&[&bytes[..], &[0]].concat()).is_none());
        assert!(Network::from_bytes(&[]).is_none());
    }

    #[test]
    fn probabilities_sum_to_one() {
        let network = Network::embedded().unwrap();
        let features: Vec<Vec<f32>> = (0..64).map(|at| vec![at as f32 / 64.0; FEATURES]).collect();
        for logs in network.classify(&features) {
            let sum: f32 = logs.iter().map(|log| log.exp()).sum();
            assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        }
    }

    #[test]
    fn a_convolution_sums_what_it_sees_and_pools_the_largest() {
        let shape = Convolution {
            inputs: 1,
            outputs: 1,
            kernel: 3,
            stride: 1,
            padding: 1,
            side: 4,
            pools: true,
        };
        let layer = Layer::new(vec![1.0; 9], vec![-10.0]);
        let input: Vec<f32> = (0..16).map(|at| at as f32).collect();
        // The sums of the neighbourhoods in the upper left quarter are 10, 18, 27 and 45, less the bias.
        assert_eq!(convolve(&shape, &layer, &input), [35.0, 44.0, 71.0, 80.0]);
    }
}
