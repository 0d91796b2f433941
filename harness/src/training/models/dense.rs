//! A layer of which every input counts, with its slopes.

use super::Span;

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
