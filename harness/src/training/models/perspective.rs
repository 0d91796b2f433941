//! `perspective`: numbers are squared after clipping, and added up.

use engine::eval::nnue::{self, output_bucket};

use super::{Bounds, FIRST, Head, MOST, MOST_WIDE_BIAS, Pass, Seen, Span};
use crate::training::gradient::Group;
use crate::training::sample::Sample;

/// Sums that run side by side in a dot product.
const STRIPE: usize = 16;

/// The architecture.
#[derive(Clone, Copy, Debug)]
pub struct Perspective {
    inner: Span,
    output: Span,
    mirroring: bool,
}

impl Perspective {
    /// With its layers' places.
    pub fn new(shape: nnue::Perspective, spans: &[Span]) -> Perspective {
        Perspective { inner: spans[0], output: spans[1], mirroring: shape.mirroring }
    }

    /// The weights of an output layer, those of the own half first.
    #[inline(always)]
    fn row(&self, bucket: u8) -> std::ops::Range<usize> {
        let start = self.output.start + usize::from(bucket) * self.output.inputs;
        start..start + self.output.inputs
    }
}

impl Head for Perspective {
    fn first(&self) -> [Option<(Span, usize)>; 2] {
        [Some((self.inner, 2)), None]
    }

    #[inline(always)]
    fn see(&self, sample: &Sample, group: &mut Group) {
        group.lists[0].push(sample.own_inputs(self.mirroring));
        group.lists[0].push(sample.their_inputs(self.mirroring));
        let bucket = output_bucket(sample.count(), self.output.biases) as u8;
        group.seen.push(Seen { bucket, ..sample.seen() });
    }

    fn room(&self) -> usize {
        0
    }

    #[inline(always)]
    fn forward(&self, pass: Pass) -> f32 {
        let Pass { weights, seen, numbers: [hidden, _], .. } = pass;
        let output = clip_and_dot(hidden, &weights[self.row(seen.bucket)]);
        output + weights[self.output.biases().start + usize::from(seen.bucket)]
    }

    #[inline(always)]
    fn backward(&self, pass: Pass, slope: f32, gradient: &mut [f32]) {
        let Pass { weights, seen, numbers: [hidden, _], .. } = pass;
        let row = self.row(seen.bucket);
        gradient[self.output.biases().start + usize::from(seen.bucket)] += slope;
        let weights = &weights[row.clone()];
        for ((hidden, weight), gradient) in hidden.iter_mut().zip(weights).zip(&mut gradient[row]) {
            let clipped = *hidden;
            *gradient += slope * clipped * clipped;
            // Flat where it was clipped; from below its slope is 0 anyway.
            let inside = if clipped < 1.0 { 2.0 * clipped } else { 0.0 };
            *hidden = slope * weight * inside;
        }
    }

    fn bounds(&self) -> Vec<Bounds> {
        let spread = 1.0 / (self.output.inputs as f32).sqrt();
        vec![FIRST, Bounds { spread, bias: 0.0, most: MOST, most_bias: MOST_WIDE_BIAS }]
    }
}

/// Clips the numbers of an inner layer to 0 to 1, and adds up their squares times the weights.
#[inline(always)]
fn clip_and_dot(hidden: &mut [f32], weights: &[f32]) -> f32 {
    let mut sums = [0.0; STRIPE];
    for (hidden, weights) in hidden.chunks_exact_mut(STRIPE).zip(weights.chunks_exact(STRIPE)) {
        for lane in 0..STRIPE {
            let clipped = hidden[lane].clamp(0.0, 1.0);
            hidden[lane] = clipped;
            sums[lane] += clipped * clipped * weights[lane];
        }
    }
    sums.iter().sum()
}
