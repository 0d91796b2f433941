//! `halfkp`: both sides' numbers, clipped, go through two layers to the output.

use super::dense::Dense;
use super::{Bounds, FIRST, Head, Numbers, Seen, Span, behind, clip, split, unclip};
use crate::training::gradient::Group;
use crate::training::sample::Sample;

/// The architecture.
#[derive(Clone, Copy, Debug)]
pub struct HalfKp {
    inner: Span,
    dense: [Dense; 2],
    output: Dense,
}

impl HalfKp {
    /// With its layers' places.
    pub fn new(spans: &[Span]) -> HalfKp {
        HalfKp {
            inner: spans[0],
            dense: [Dense(spans[1]), Dense(spans[2])],
            output: Dense(spans[3]),
        }
    }

    /// Sizes of what is kept: what both dense layers give, then the slopes of that, and of what
    /// goes into the first.
    #[inline(always)]
    fn sizes(&self) -> [usize; 5] {
        let [first, second] = self.dense.map(Dense::at_once);
        [first, second, first, second, self.dense[0].inputs()]
    }
}

impl Head for HalfKp {
    fn first(&self) -> [Option<(Span, usize)>; 2] {
        [Some((self.inner, 2)), None]
    }

    #[inline(always)]
    fn see(&self, sample: &Sample, group: &mut Group) {
        group.lists[0].push(sample.king_inputs(true));
        group.lists[0].push(sample.king_inputs(false));
        group.seen.push(sample.seen());
    }

    fn room(&self) -> usize {
        self.sizes().iter().sum()
    }

    #[inline(always)]
    fn forward(&self, weights: &[f32], _: Seen, numbers: Numbers, room: &mut [f32]) -> f32 {
        let [hidden, _] = numbers;
        let [first, second, ..] = split(room, self.sizes());
        clip(hidden);
        self.dense[0].forward(weights, 0, hidden, first);
        clip(first);
        self.dense[1].forward(weights, 0, first, second);
        clip(second);
        let mut output = [0.0];
        self.output.forward(weights, 0, second, &mut output);
        output[0]
    }

    #[inline(always)]
    fn backward(
        &self,
        weights: &[f32],
        _: Seen,
        slope: f32,
        numbers: Numbers,
        room: &mut [f32],
        gradient: &mut [f32],
    ) {
        let [hidden, _] = numbers;
        let sizes = self.sizes();
        room[sizes[0] + sizes[1]..].fill(0.0);
        let [first, second, first_slopes, second_slopes, slopes] = split(room, sizes);
        self.output.backward(weights, 0, second, &[slope], second_slopes, gradient);
        unclip(second_slopes, second);
        self.dense[1].backward(weights, 0, first, second_slopes, first_slopes, gradient);
        unclip(first_slopes, first);
        self.dense[0].backward(weights, 0, hidden, first_slopes, slopes, gradient);
        unclip(slopes, hidden);
        hidden.copy_from_slice(slopes);
    }

    fn bounds(&self) -> Vec<Bounds> {
        let [first, second] = self.dense.map(|layer| behind(layer.inputs(), 0.25));
        vec![FIRST, first, second, behind(self.output.inputs(), 0.0)]
    }
}
