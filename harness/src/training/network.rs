//! The weights of a network while it learns: numbers with a point, all in one list.

use std::ops::Range;

use engine::board::Position;
use engine::eval::nnue::{INPUTS, Network, NetworkError, Shape, Weights, output_bucket};
use rand::Rng;
use serde::Serialize;

use super::gradient::{self, GROUP, Group, Workspace};
use super::sample::Sample;
use crate::tuning::random;

/// Where the weights of each layer are in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Width of the inner layer for one side.
    pub hidden: usize,
    /// Output layers.
    pub buckets: usize,
}

impl Layout {
    /// Weights in all.
    pub fn count(self) -> usize {
        self.output_bias(self.buckets)
    }

    /// The biases of the inner layer; its weights are before them, a row an input.
    pub fn inner_bias(self) -> Range<usize> {
        INPUTS * self.hidden..(INPUTS + 1) * self.hidden
    }

    /// The weights of an output layer, those of the own half first.
    pub fn output(self, bucket: usize) -> Range<usize> {
        let start = (INPUTS + 1) * self.hidden + bucket * 2 * self.hidden;
        start..start + 2 * self.hidden
    }

    /// The bias of an output layer.
    pub fn output_bias(self, bucket: usize) -> usize {
        self.output(self.buckets).start + bucket
    }
}

/// Farther from zero no weight goes, so that as integers they and their sums fit into 16 bits:
/// 127/64, the limit of public trainers.
pub const MOST: f32 = 1.98;

/// Weights to start from.
pub fn start(layout: Layout, seed: u64) -> Vec<f32> {
    let mut chance = random::stream("training start", seed, 0);
    let mut within = |limit: f32, count: usize| -> Vec<f32> {
        (0..count).map(|_| chance.random_range(-limit..limit)).collect()
    };
    // About thirty inputs are on: their sum is spread by a third around the bias, between the
    // ends of the clipping.
    let mut weights = within(0.1, INPUTS * layout.hidden);
    weights.resize(layout.inner_bias().end, 0.25);
    let spread = 1.0 / (2.0 * layout.hidden as f32).sqrt();
    weights.extend(within(spread, layout.buckets * 2 * layout.hidden));
    weights.resize(layout.count(), 0.0);
    weights
}

/// How far from zero the weights of each part may be: the end of each part, and its limit.
pub fn limits(layout: Layout) -> [(usize, f32); 2] {
    // A bias of an output is kept in 32 bits.
    [(layout.output_bias(0), MOST), (layout.count(), 1e3)]
}

/// The network in integers.
///
/// Rounded weights are off by the same in all positions, and so is much of what comes of them: the
/// output's biases take up what the outputs are off in the mean over some positions (M. Nagel and
/// others, "Data-free quantization through weight equalization and bias correction", 2019).
///
/// # Errors
/// When the engine would not take it.
pub fn quantised(
    shape: Shape,
    weights: &[f32],
    positions: &[Position],
) -> Result<Network, NetworkError> {
    let mut integers = rounded(&shape, weights);
    let network = Network::new(shape, &integers)?;
    let mut sums = vec![(0.0, 0_u32); shape.buckets];
    for (position, exact) in positions.iter().zip(exactly(&shape, weights, positions)) {
        let bucket = output_bucket(position.occupied().count(), shape.buckets);
        sums[bucket].0 += exact - f64::from(network.evaluate(position));
        sums[bucket].1 += 1;
    }
    let one = f64::from(shape.inner_one) * f64::from(shape.output_one);
    for (bias, (sum, count)) in integers.output_bias.iter_mut().zip(sums) {
        let centipawns = sum / f64::from(count.max(1));
        *bias += (centipawns * one / f64::from(shape.scale)).round() as i32;
    }
    Network::new(shape, &integers)
}

fn rounded(shape: &Shape, weights: &[f32]) -> Weights {
    let layout = Layout { hidden: shape.hidden, buckets: shape.buckets };
    let rounded = |range: Range<usize>, one: i16| -> Vec<i16> {
        weights[range].iter().map(|weight| (weight * f32::from(one)).round() as i16).collect()
    };
    let one = f32::from(shape.inner_one) * f32::from(shape.output_one);
    let bias = &weights[layout.output_bias(0)..];
    Weights {
        inner: rounded(0..layout.inner_bias().start, shape.inner_one),
        inner_bias: rounded(layout.inner_bias(), shape.inner_one),
        output: rounded(layout.inner_bias().end..layout.output_bias(0), shape.output_one),
        output_bias: bias.iter().map(|bias| (bias * one).round() as i32).collect(),
    }
}

/// What the weights say of positions, in centipawns for the side to move.
fn exactly(shape: &Shape, weights: &[f32], positions: &[Position]) -> Vec<f64> {
    let layout = Layout { hidden: shape.hidden, buckets: shape.buckets };
    let (mut group, mut work) = (Group::default(), Workspace::default());
    let mut values = Vec::with_capacity(positions.len());
    for positions in positions.chunks(GROUP) {
        group.clear();
        for position in positions {
            let sample = Sample::new(position, 0, 0.5);
            let (own, theirs) =
                (sample.own_inputs(shape.mirroring), sample.their_inputs(shape.mirroring));
            group.push(own, theirs, sample.bucket(layout), 0.5);
        }
        let outputs = gradient::judge(layout, weights, &group, &mut work);
        values.extend(outputs.iter().map(|&output| f64::from(output) * f64::from(shape.scale)));
    }
    values
}

/// How far the integers are from the numbers that they stand for, in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rounding {
    /// Positions that were looked at.
    pub positions: usize,
    /// Mean distance.
    pub mean: f64,
    /// The greatest.
    pub greatest: f64,
}

/// Compares both on some positions.
pub fn rounding(network: &Network, weights: &[f32], positions: &[Position]) -> Rounding {
    let exact = exactly(network.shape(), weights, positions);
    let pairs = positions.iter().zip(exact);
    let distances: Vec<f64> = pairs
        .map(|(position, exact)| (exact - f64::from(network.evaluate(position))).abs())
        .collect();
    Rounding {
        positions: distances.len(),
        mean: distances.iter().sum::<f64>() / distances.len().max(1) as f64,
        greatest: distances.iter().copied().fold(0.0, f64::max),
    }
}
