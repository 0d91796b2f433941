//! The network that names the piece of a square: four convolutions and a linear layer, 39,973
//! weights in eight bits, computed by plain loops.

use std::ops::Range;

use crate::square::{CHANNELS, SIDE};

/// Classes: an empty square, then the twelve pieces as in [`LETTERS`].
pub const CLASSES: usize = 13;

/// The letter of each class as in a FEN; `.` for an empty square.
pub const LETTERS: [char; CLASSES] =
    ['.', 'P', 'N', 'B', 'R', 'Q', 'K', 'p', 'n', 'b', 'r', 'q', 'k'];

/// A convolution over a square input, followed by a ReLU and, if it `pools`, the maximum of blocks
/// of two by two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convolution {
    /// Channels that go in.
    pub inputs: usize,
    /// Channels that come out.
    pub outputs: usize,
    /// Side of the kernel.
    pub kernel: usize,
    /// Step of the kernel.
    pub stride: usize,
    /// Zeros around the input.
    pub padding: usize,
    /// Side of the input.
    pub side: usize,
    /// Whether a maximum over blocks of two by two follows.
    pub pools: bool,
}

impl Convolution {
    /// Side of the output before pooling.
    pub const fn output_side(&self) -> usize {
        (self.side + 2 * self.padding - self.kernel) / self.stride + 1
    }

    /// For each line of outputs, the outputs that see the input under one weight of the kernel, and
    /// the inputs that they see, `stride` apart.
    pub fn each_line(
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
    pub const fn fan_in(&self) -> usize {
        self.inputs * self.kernel * self.kernel
    }
}

/// The convolutions in their order.
pub const CONVOLUTIONS: [Convolution; 4] = [
    convolution(CHANNELS, 16, SIDE, 4, false),
    convolution(16, 24, 16, 3, true),
    convolution(24, 40, 8, 3, true),
    convolution(40, 64, 4, 3, true),
];

/// Inputs of the last, linear layer.
pub const LINEAR_INPUTS: usize = 64 * 2 * 2;

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
pub struct Layer {
    /// `outputs` rows of `fan_in` weights.
    pub weights: Vec<f32>,
    /// A bias for each output.
    pub biases: Vec<f32>,
}

/// The weights of all layers; the last one is linear.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The convolutions' layers, then the linear one.
    pub layers: Vec<Layer>,
}

/// Number of weights and number of outputs of each layer.
pub fn shapes() -> Vec<(usize, usize)> {
    let mut shapes: Vec<_> =
        CONVOLUTIONS.iter().map(|layer| (layer.fan_in(), layer.outputs)).collect();
    shapes.push((LINEAR_INPUTS, CLASSES));
    shapes
}

impl Network {
    /// The network that was trained for this program.
    pub fn embedded() -> Option<Self> {
        Self::from_bytes(include_bytes!("weights.bin"))
    }

    /// Reads weights as [`Self::to_bytes`] writes them; `None` if their number is another.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut take = |count: usize| -> Option<&[u8]> {
            let (head, tail) = rest.split_at_checked(count)?;
            rest = tail;
            Some(head)
        };
        let mut layers = Vec::new();
        for (fan_in, outputs) in shapes() {
            let mut layer = Layer { weights: Vec::new(), biases: Vec::new() };
            for _ in 0..outputs {
                let scale = f32::from_le_bytes(take(4)?.try_into().ok()?);
                layer.biases.push(f32::from_le_bytes(take(4)?.try_into().ok()?));
                let weights = take(fan_in)?;
                layer.weights.extend(weights.iter().map(|&it| f32::from(it as i8) * scale));
            }
            layers.push(layer);
        }
        rest.is_empty().then_some(Self { layers })
    }

    /// The weights in eight bits: for each output its scale and bias (32-bit floating-point numbers)
    /// and its weights as multiples of the scale.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (layer, (fan_in, _)) in self.layers.iter().zip(shapes()) {
            for (weights, bias) in layer.weights.chunks_exact(fan_in).zip(&layer.biases) {
                let largest = weights.iter().fold(1e-12_f32, |most, weight| most.max(weight.abs()));
                let scale = largest / 127.0;
                bytes.extend(scale.to_le_bytes());
                bytes.extend(bias.to_le_bytes());
                bytes.extend(weights.iter().map(|weight| (weight / scale).round() as i8 as u8));
            }
        }
        bytes
    }

    /// Logarithms of the probabilities of the classes for an input of [`crate::square::input`].
    pub fn classify(&self, input: &[f32]) -> [f32; CLASSES] {
        self.classes(&self.features(input))
    }

    /// The output of the last convolution for an input of [`crate::square::input`].
    pub fn features(&self, input: &[f32]) -> Vec<f32> {
        let mut values = input.to_vec();
        for (shape, layer) in CONVOLUTIONS.iter().zip(&self.layers) {
            values = convolve(shape, layer, &values);
        }
        values
    }

    /// Logarithms of the probabilities of the classes for these features.
    pub fn classes(&self, values: &[f32]) -> [f32; CLASSES] {
        let last = &self.layers[CONVOLUTIONS.len()];
        let mut logits = [0.0; CLASSES];
        let rows = last.weights.chunks_exact(LINEAR_INPUTS).zip(&last.biases);
        for (logit, (weights, bias)) in logits.iter_mut().zip(rows) {
            *logit = bias + weights.iter().zip(values).map(|(w, v)| w * v).sum::<f32>();
        }
        log_softmax(logits)
    }
}

/// Logarithms of the probabilities of classes with these logits.
pub fn log_softmax<const N: usize>(logits: [f32; N]) -> [f32; N] {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|logit| (logit - most).exp()).sum();
    logits.map(|logit| logit - most - sum.ln())
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
