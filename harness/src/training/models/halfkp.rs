//! `halfkp`: both sides' numbers, clipped, go through two layers to the output.

use super::dense::{Dense, Tail};
use super::{Bounds, FIRST, Head, Pass, Span, behind, clip, split, unclip};
use crate::training::gradient::Group;
use crate::training::sample::Sample;

/// The architecture.
#[derive(Clone, Copy, Debug)]
pub struct HalfKp {
    inner: Span,
    first: Dense,
    tail: Tail,
}

impl HalfKp {
    /// With its layers' places.
    pub fn new(spans: &[Span]) -> HalfKp {
        HalfKp {
            inner: spans[0],
            first: Dense(spans[1]),
            tail: Tail { second: Dense(spans[2]), output: Dense(spans[3]), most: 1.0 },
        }
    }

    /// Sizes of what is kept: what both dense layers give, then the slopes of that, and of what
    /// goes into the first.
    #[inline(always)]
    fn sizes(&self) -> [usize; 5] {
        let [first, second] = self.tail.sizes();
        [first, second, first, second, self.first.inputs()]
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
    fn forward(&self, pass: Pass) -> f32 {
        let Pass { weights, numbers: [hidden, _], room, .. } = pass;
        let [first, second, ..] = split(room, self.sizes());
        clip(hidden, 1.0);
        self.first.forward(weights, 0, hidden, first);
        self.tail.forward(weights, first, second)
    }

    #[inline(always)]
    fn backward(&self, pass: Pass, slope: f32, gradient: &mut [f32]) {
        let Pass { weights, numbers: [hidden, _], room, .. } = pass;
        let sizes = self.sizes();
        room[sizes[0] + sizes[1]..].fill(0.0);
        let [first, second, first_slopes, second_slopes, slopes] = split(room, sizes);
        let behind = [&mut *first_slopes, second_slopes];
        self.tail.backward(weights, [first, second], slope, behind, gradient);
        self.first.backward(weights, 0, hidden, first_slopes, slopes, gradient);
        unclip(slopes, hidden, 1.0);
        hidden.copy_from_slice(slopes);
    }

    fn bounds(&self) -> Vec<Bounds> {
        let [first, second] =
            [self.first, self.tail.second].map(|layer| behind(layer.inputs(), 0.25));
        vec![FIRST, first, second, behind(self.tail.output.inputs(), 0.0)]
    }
}
