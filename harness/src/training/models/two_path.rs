//! `two-path`: averages of a wide path, times factors that pawns and kings give.

use engine::eval::nnue;

use super::dense::{Dense, Tail};
use super::{Bounds, Head, MOST, Pass, Seen, Span, behind, clip, split, unclip};
use crate::training::gradient::Group;
use crate::training::sample::Sample;

/// The architecture.
#[derive(Clone, Copy, Debug)]
pub struct TwoPath {
    main: Span,
    pool: usize,
    pawns: Span,
    attention: Dense,
    first: Dense,
    tail: Tail,
}

impl TwoPath {
    /// With its layers' places.
    pub fn new(shape: nnue::TwoPath, spans: &[Span]) -> TwoPath {
        TwoPath {
            main: spans[0],
            pool: shape.pool,
            pawns: spans[1],
            attention: Dense(spans[2]),
            first: Dense(spans[3]),
            tail: Tail { second: Dense(spans[4]), output: Dense(spans[5]), most: f32::INFINITY },
        }
    }

    /// Sizes of what is kept: averages, factors, products, what both dense layers give; then the
    /// slopes of factors, products, both layers, and of what goes into the factors' layer.
    #[inline(always)]
    fn sizes(&self) -> [usize; 10] {
        let (averages, factors) = (self.first.inputs(), self.attention.at_once());
        let [first, second] = self.tail.sizes();
        let inputs = self.attention.inputs();
        [averages, factors, averages, first, second, factors, averages, first, second, inputs]
    }
}

impl Head for TwoPath {
    fn first(&self) -> [Option<(Span, usize)>; 2] {
        [Some((self.main, 1)), Some((self.pawns, 1))]
    }

    #[inline(always)]
    fn see(&self, sample: &Sample, group: &mut Group) {
        group.lists[0].push(sample.main_inputs());
        group.lists[1].push(sample.pawn_inputs());
        group.seen.push(sample.seen());
    }

    fn room(&self) -> usize {
        self.sizes().iter().sum()
    }

    #[inline(always)]
    fn forward(&self, pass: Pass) -> f32 {
        let Pass { weights, seen, numbers: [main, pawns], room } = pass;
        let [averages, factors, products, first, second, ..] = split(room, self.sizes());
        clip(main, f32::INFINITY);
        clip(pawns, f32::INFINITY);
        self.attention.forward(weights, 0, pawns, factors);
        for (average, numbers) in averages.iter_mut().zip(main.chunks_exact(self.pool)) {
            *average = numbers.iter().sum::<f32>() / self.pool as f32;
        }
        let repeated = factors.iter().cycle();
        for ((product, average), factor) in products.iter_mut().zip(&*averages).zip(repeated) {
            *product = average * factor;
        }
        self.first.forward(weights, 0, products, first);
        self.tail.forward(weights, first, second) * sign(seen)
    }

    #[inline(always)]
    fn backward(&self, pass: Pass, slope: f32, gradient: &mut [f32]) {
        let Pass { weights, seen, numbers: [main, pawns], room } = pass;
        let sizes = self.sizes();
        room[sizes[..5].iter().sum()..].fill(0.0);
        let [averages, factors, products, first, second, slopes @ ..] = split(room, sizes);
        let [by_factor, by_product, by_first, by_second, by_pawns] = slopes;
        let (slope, behind) = (slope * sign(seen), [&mut *by_first, by_second]);
        self.tail.backward(weights, [first, second], slope, behind, gradient);
        self.first.backward(weights, 0, products, by_first, by_product, gradient);
        let share = 1.0 / self.pool as f32;
        let count = factors.len();
        for (at, numbers) in main.chunks_exact_mut(self.pool).enumerate() {
            let (slope, factor) = (by_product[at], at % count);
            by_factor[factor] += slope * averages[at];
            let slope = slope * factors[factor] * share;
            numbers.iter_mut().for_each(|number| *number = if *number > 0.0 { slope } else { 0.0 });
        }
        self.attention.backward(weights, 0, pawns, by_factor, by_pawns, gradient);
        unclip(by_pawns, pawns, f32::INFINITY);
        pawns.copy_from_slice(by_pawns);
    }

    fn bounds(&self) -> Vec<Bounds> {
        // What so many inputs that are on, and a bias, add up to stays below 32, which is the end
        // of 16 bits: of the main path 32 pieces, their squares and the turn; of the other 18.
        let first = |spread, most| Bounds { spread, bias: 0.1, most, most_bias: most };
        let behind = |layer: Dense, bias| {
            // Numbers below 32 times all weights of a row stay within 32 bits.
            let most = MOST.min(250.0 / layer.inputs() as f32);
            Bounds { most, most_bias: 16.0, ..behind(layer.inputs(), bias) }
        };
        vec![
            first(0.05, 0.48),
            first(0.1, 1.68),
            behind(self.attention, 1.0),
            behind(self.first, 0.1),
            behind(self.tail.second, 0.1),
            behind(self.tail.output, 0.0),
        ]
    }
}

/// The output is White's.
#[inline(always)]
fn sign(seen: Seen) -> f32 {
    if seen.black { -1.0 } else { 1.0 }
}
