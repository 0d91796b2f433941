//! `nnueu`: each king's square chooses a block of the second layer.

use super::dense::{Dense, Tail};
use super::{Bounds, FIRST, Head, Pass, Span, behind, clip, split, unclip};
use crate::training::gradient::Group;
use crate::training::sample::Sample;

/// The architecture.
#[derive(Clone, Copy, Debug)]
pub struct Nnueu {
    inner: Span,
    kings: [Dense; 2],
    tail: Tail,
}

impl Nnueu {
    /// With its layers' places.
    pub fn new(spans: &[Span]) -> Nnueu {
        Nnueu {
            inner: spans[0],
            kings: [Dense(spans[1]), Dense(spans[2])],
            tail: Tail { second: Dense(spans[3]), output: Dense(spans[4]), most: 1.0 },
        }
    }

    /// Sizes of what is kept: what the kings' blocks give and what the second layer gives, then
    /// the slopes of both, and of what goes into the blocks.
    #[inline(always)]
    fn sizes(&self) -> [usize; 5] {
        let [both, second] = self.tail.sizes();
        [both, second, both, second, self.inner.outputs]
    }
}

impl Head for Nnueu {
    fn first(&self) -> [Option<(Span, usize)>; 2] {
        [Some((self.inner, 1)), None]
    }

    #[inline(always)]
    fn see(&self, sample: &Sample, group: &mut Group) {
        group.lists[0].push(sample.kingless_inputs(true));
        group.seen.push(sample.seen());
    }

    fn room(&self) -> usize {
        self.sizes().iter().sum()
    }

    #[inline(always)]
    fn forward(&self, pass: Pass) -> f32 {
        let Pass { weights, seen, numbers: [hidden, _], room } = pass;
        let [both, second, ..] = split(room, self.sizes());
        clip(hidden, 1.0);
        let (own, theirs) = both.split_at_mut(self.kings[0].at_once());
        for ((layer, king), outputs) in self.kings.iter().zip(seen.kings).zip([own, theirs]) {
            layer.forward(weights, king.into(), hidden, outputs);
        }
        self.tail.forward(weights, both, second)
    }

    #[inline(always)]
    fn backward(&self, pass: Pass, slope: f32, gradient: &mut [f32]) {
        let Pass { weights, seen, numbers: [hidden, _], room } = pass;
        let sizes = self.sizes();
        room[sizes[0] + sizes[1]..].fill(0.0);
        let [both, second, both_slopes, second_slopes, slopes] = split(room, sizes);
        let behind = [&mut *both_slopes, second_slopes];
        self.tail.backward(weights, [both, second], slope, behind, gradient);
        let (own, theirs) = both_slopes.split_at(self.kings[0].at_once());
        for ((layer, king), outputs) in self.kings.iter().zip(seen.kings).zip([own, theirs]) {
            layer.backward(weights, king.into(), hidden, outputs, slopes, gradient);
        }
        unclip(slopes, hidden, 1.0);
        hidden.copy_from_slice(slopes);
    }

    fn bounds(&self) -> Vec<Bounds> {
        let [own, theirs] = self.kings.map(|layer| behind(layer.inputs(), 0.25));
        let second = behind(self.tail.second.inputs(), 0.25);
        vec![FIRST, own, theirs, second, behind(self.tail.output.inputs(), 0.0)]
    }
}
