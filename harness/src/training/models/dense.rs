//! A layer of which every input counts, with its slopes.

use super::{Span, clip, unclip};

/// Sums that run side by side in a dot product.
const STRIPE: usize = 16;

/// A layer with a row of weights an output. Outputs may stand in several blocks, of which one is
/// used; they share the biases.
#[derive(Clone, Copy, Debug)]
pub struct Dense(pub Span);

impl Dense {
    /// Outputs that are used at once: those of a block.
    pub fn at_once(self) -> usize {
        self.0.biases
    }

    /// Numbers that go in.
    pub fn inputs(self) -> usize {
        self.0.inputs
    }

    /// Where the row of an output is.
    #[inline(always)]
    fn row(self, block: usize, output: usize) -> std::ops::Range<usize> {
        let start = self.0.start + (block * self.0.biases + output) * self.0.inputs;
        start..start + self.0.inputs
    }

    /// The outputs of a block.
    #[inline(always)]
    pub fn forward(self, weights: &[f32], block: usize, numbers: &[f32], outputs: &mut [f32]) {
        let bias = self.0.biases().start;
        for (number, output) in outputs.iter_mut().enumerate() {
            *output = weights[bias + number] + dot(numbers, &weights[self.row(block, number)]);
        }
    }

    /// Adds the slopes by the weights, and by the numbers that went in, from those by the outputs.
    #[inline(always)]
    pub fn backward(
        self,
        weights: &[f32],
        block: usize,
        numbers: &[f32],
        outputs: &[f32],
        slopes: &mut [f32],
        gradient: &mut [f32],
    ) {
        let bias = self.0.biases().start;
        for (number, &slope) in outputs.iter().enumerate() {
            // Most are clipped.
            if slope == 0.0 {
                continue;
            }
            gradient[bias + number] += slope;
            let row = self.row(block, number);
            add(slopes, slope, &weights[row.clone()]);
            add(&mut gradient[row], slope, numbers);
        }
    }
}

/// The end of a network: numbers, clipped below 0 and above a limit, go through a layer and,
/// clipped again, to the output.
#[derive(Clone, Copy, Debug)]
pub struct Tail {
    /// The layer before the output.
    pub second: Dense,
    /// The output.
    pub output: Dense,
    /// Numbers are clipped above this, which may be infinite.
    pub most: f32,
}

impl Tail {
    /// How many numbers go in, and how many come out of the layer before the output.
    #[inline(always)]
    pub fn sizes(self) -> [usize; 2] {
        [self.second.inputs(), self.output.inputs()]
    }

    /// The output. Clips the numbers that go in, and keeps those that come out of the layer.
    #[inline(always)]
    pub fn forward(self, weights: &[f32], first: &mut [f32], second: &mut [f32]) -> f32 {
        clip(first, self.most);
        self.second.forward(weights, 0, first, second);
        clip(second, self.most);
        let mut output = [0.0];
        self.output.forward(weights, 0, second, &mut output);
        output[0]
    }

    /// Adds the slopes by the weights and, to `slopes` of the same sizes, by the numbers that
    /// [`Tail::forward`] left, before they were clipped.
    #[inline(always)]
    pub fn backward(
        self,
        weights: &[f32],
        numbers: [&[f32]; 2],
        slope: f32,
        slopes: [&mut [f32]; 2],
        gradient: &mut [f32],
    ) {
        let ([first, second], [first_slopes, second_slopes]) = (numbers, slopes);
        self.output.backward(weights, 0, second, &[slope], second_slopes, gradient);
        unclip(second_slopes, second, self.most);
        self.second.backward(weights, 0, first, second_slopes, first_slopes, gradient);
        unclip(first_slopes, first, self.most);
    }
}

#[inline(always)]
fn dot(numbers: &[f32], weights: &[f32]) -> f32 {
    let mut sums = [0.0; STRIPE];
    let (numbers, weights) = (numbers.chunks_exact(STRIPE), weights.chunks_exact(STRIPE));
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
