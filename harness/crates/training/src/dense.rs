//! Dense layers and activation functions, with their gradients.

use std::ops::Range;

use engine::eval::nnue::{Activation, Layer};

/// Sums that run side by side in a dot product.
const STRIPE: usize = 16;

/// Where the weights of a layer are in the list of all: the weights, then the biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: usize,
    /// Input width.
    pub inputs: usize,
    /// Output width.
    pub outputs: usize,
    biases: usize,
}

impl Span {
    /// The weights.
    pub fn weights(self) -> Range<usize> {
        self.start..self.start + self.inputs * self.outputs
    }

    /// The biases.
    pub fn biases(self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.biases
    }
}

/// Where the weights of each layer are.
pub fn spans(layers: &[Layer]) -> Vec<Span> {
    let mut start = 0;
    let span = |&Layer { inputs, outputs, biases, .. }: &Layer| {
        let span = Span { start, inputs, outputs, biases };
        start = span.biases().end;
        span
    };
    layers.iter().map(span).collect()
}

/// A layer with a row of weights for each output. Of several blocks of outputs one is used.
#[derive(Clone, Copy, Debug)]
pub struct Dense(pub Span);

impl Dense {
    /// Where the bias of the first output of a block is, of blocks that may share the biases.
    #[inline(always)]
    fn bias(self, first: usize) -> usize {
        self.0.biases().start + if self.0.biases == self.0.outputs { first } else { 0 }
    }

    /// Where the row of an output is.
    #[inline(always)]
    fn row(self, output: usize) -> Range<usize> {
        let start = self.0.start + output * self.0.inputs;
        start..start + self.0.inputs
    }

    /// The outputs of a block.
    #[inline(always)]
    pub fn forward(self, weights: &[f32], block: usize, inputs: &[f32], outputs: &mut [f32]) {
        let first = block * outputs.len();
        let bias = self.bias(first);
        for (number, output) in outputs.iter_mut().enumerate() {
            *output = weights[bias + number] + dot(inputs, &weights[self.row(first + number)]);
        }
    }

    /// Adds the gradient of the weights, and `deltas` of the inputs, from the gradient of the
    /// outputs.
    #[inline(always)]
    pub fn backward(
        self,
        weights: &[f32],
        block: usize,
        inputs: &[f32],
        outputs: &[f32],
        deltas: &mut [f32],
        gradient: &mut [f32],
    ) {
        let first = block * outputs.len();
        let bias = self.bias(first);
        for (number, &delta) in outputs.iter().enumerate() {
            // Most are clipped.
            if delta == 0.0 {
                continue;
            }
            gradient[bias + number] += delta;
            let row = self.row(first + number);
            add(deltas, delta, &weights[row.clone()]);
            add(&mut gradient[row], delta, inputs);
        }
    }
}

/// An output layer of squared inputs (SCReLU): clips the inputs; the output of a block.
#[inline(always)]
pub fn squared_forward(span: Span, weights: &[f32], block: usize, inputs: &mut [f32]) -> f32 {
    let row = &weights[Dense(span).row(block)];
    let mut sums = [0.0; STRIPE];
    for (inputs, weights) in inputs.chunks_exact_mut(STRIPE).zip(row.chunks_exact(STRIPE)) {
        for lane in 0..STRIPE {
            let clipped = inputs[lane].clamp(0.0, 1.0);
            inputs[lane] = clipped;
            sums[lane] += clipped * clipped * weights[lane];
        }
    }
    sums.iter().sum::<f32>() + weights[span.biases().start + block]
}

/// Adds the gradient of [`squared_forward`], whose clipped inputs become their gradient.
#[inline(always)]
pub fn squared_backward(
    span: Span,
    weights: &[f32],
    block: usize,
    inputs: &mut [f32],
    delta: f32,
    gradient: &mut [f32],
) {
    let row = Dense(span).row(block);
    gradient[span.biases().start + block] += delta;
    let weights = &weights[row.clone()];
    for ((input, weight), gradient) in inputs.iter_mut().zip(weights).zip(&mut gradient[row]) {
        let clipped = *input;
        *gradient += delta * clipped * clipped;
        // Constant above 1; the derivative at 0 is 0 anyway.
        let inside = if clipped < 1.0 { 2.0 * clipped } else { 0.0 };
        *input = delta * weight * inside;
    }
}

/// The products of both halves of clipped accumulators of this width.
#[inline(always)]
pub fn product_forward(width: usize, sums: &[f32], products: &mut [f32]) {
    let half = width / 2;
    for (sums, products) in sums.chunks_exact(width).zip(products.chunks_exact_mut(half)) {
        let (first, second) = sums.split_at(half);
        for ((product, one), other) in products.iter_mut().zip(first).zip(second) {
            *product = one * other;
        }
    }
}

/// Clipped accumulators become their gradient, from that of [`product_forward`].
#[inline(always)]
pub fn product_backward(width: usize, sums: &mut [f32], deltas: &[f32]) {
    let half = width / 2;
    for (sums, deltas) in sums.chunks_exact_mut(width).zip(deltas.chunks_exact(half)) {
        let (first, second) = sums.split_at_mut(half);
        for ((delta, one), other) in deltas.iter().zip(first).zip(second) {
            let inside = |clipped: f32| if clipped > 0.0 && clipped < 1.0 { *delta } else { 0.0 };
            (*one, *other) = (inside(*one) * *other, inside(*other) * *one);
        }
    }
}

/// The means of blocks of `size` accumulators, which are not negative.
#[inline(always)]
pub fn pool_forward(size: usize, sums: &[f32], means: &mut [f32]) {
    for (mean, sums) in means.iter_mut().zip(sums.chunks_exact(size)) {
        *mean = sums.iter().sum::<f32>() / size as f32;
    }
}

/// Accumulators become their gradient, from that of [`pool_forward`].
#[inline(always)]
pub fn pool_backward(size: usize, sums: &mut [f32], deltas: &[f32]) {
    let share = 1.0 / size as f32;
    for (sums, delta) in sums.chunks_exact_mut(size).zip(deltas) {
        let delta = delta * share;
        for sum in sums {
            *sum = if *sum > 0.0 { delta } else { 0.0 };
        }
    }
}

/// The limit above which an activation function is constant.
fn limit(activation: Activation) -> f32 {
    if activation == Activation::ClippedRelu { 1.0 } else { f32::INFINITY }
}

/// Applies an activation function.
#[inline(always)]
pub fn clip(neurons: &mut [f32], activation: Activation) {
    if activation == Activation::Linear {
        return;
    }
    let most = limit(activation);
    neurons.iter_mut().for_each(|neuron| *neuron = neuron.clamp(0.0, most));
}

/// Turns the gradient of activations into that of the sums: 0 where they were clipped.
#[inline(always)]
pub fn clip_gradient(deltas: &mut [f32], neurons: &[f32], activation: Activation) {
    if activation == Activation::Linear {
        return;
    }
    let most = limit(activation);
    for (delta, &neuron) in deltas.iter_mut().zip(neurons) {
        *delta = if neuron > 0.0 && neuron < most { *delta } else { 0.0 };
    }
}

#[inline(always)]
fn dot(numbers: &[f32], weights: &[f32]) -> f32 {
    let mut sums = [0.0; STRIPE];
    let numbers = numbers.chunks_exact(STRIPE);
    let weights = weights.chunks_exact(STRIPE);
    let rest = numbers.remainder().iter().zip(weights.remainder());
    let rest: f32 = rest.map(|(number, weight)| number * weight).sum();
    for (numbers, weights) in numbers.zip(weights) {
        for lane in 0..STRIPE {
            sums[lane] += numbers[lane] * weights[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Adds some numbers times a factor.
#[inline(always)]
fn add(sums: &mut [f32], factor: f32, numbers: &[f32]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += factor * number;
    }
}
