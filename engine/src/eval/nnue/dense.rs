//! A layer of which every input counts, in integers.

use super::first_layer::{lanes, numbers};
use super::loops::dense;
use super::network::NetworkError;
use super::shape::{Integer, Layer, LayerWeights};
use super::vectors::{LANE, Lane, Vectors};

/// Numbers that such a layer gives at most.
pub(super) const MAX_OUTPUTS: usize = 128;
/// A weight of 1 in layers of weights of 8 bits, as in Bread's networks.
pub(super) const WEIGHT_ONE: i32 = 64;
/// A number of 1 between such layers.
pub(super) const NUMBER_ONE: i32 = 127;

/// What a layer gives.
pub(super) type Sums = [i32; MAX_OUTPUTS];
/// The same as numbers for the next layer.
pub(super) type Activated = [Lane; MAX_OUTPUTS / LANE];

/// A layer that numbers of which so many are 1 go into, with weights of such integers of which `one`
/// are 1.
pub(super) fn behind(
    name: &'static str,
    inputs: usize,
    outputs: usize,
    kind: Integer,
    one: i32,
    number_one: i32,
) -> Layer {
    Layer {
        name,
        inputs,
        outputs,
        biases: outputs,
        by_input: false,
        one,
        bias_one: one * number_one,
        kind,
        bias_kind: Integer::I32,
    }
}

/// A layer of 8-bit weights that numbers of [`NUMBER_ONE`] go into, as all of Bread's but the first.
pub(super) fn narrow(name: &'static str, inputs: usize, outputs: usize) -> Layer {
    behind(name, inputs, outputs, Integer::I8, WEIGHT_ONE, NUMBER_ONE)
}

/// A layer of weights, a row an output; the inputs are filled up to whole blocks.
pub(super) struct Dense {
    rows: Vec<Lane>,
    bias: Vec<i32>,
    inputs: usize,
    /// By so many bits a sum is too large, as the numbers times the weights are.
    shift: u32,
}

impl Dense {
    /// A layer whose inputs are from 0 to `greatest`, or so far from 0.
    ///
    /// # Errors
    /// When a sum could leave 32 bits.
    pub fn new(
        layer: &Layer,
        weights: &LayerWeights,
        greatest: i32,
    ) -> Result<Dense, NetworkError> {
        for (number, row) in weights.weights.chunks_exact(layer.inputs).enumerate() {
            let bias = weights.biases[number % layer.biases];
            let weight: i64 = row.iter().map(|&weight| i64::from(weight).abs()).sum();
            // One more for rounding.
            let sum = weight * i64::from(greatest) + i64::from(bias).abs() + i64::from(layer.one);
            if i32::try_from(sum).is_err() {
                return Err(NetworkError::DenseOverflow { layer: layer.name, number, sum });
            }
        }
        Ok(Dense {
            rows: weights.weights.chunks_exact(layer.inputs).flat_map(lanes).collect(),
            bias: weights.biases.clone(),
            inputs: layer.inputs,
            shift: layer.one.ilog2(),
        })
    }

    /// Its weights, as [`Dense::new`] took them.
    pub fn weights(&self) -> LayerWeights {
        let rows = self.rows.chunks_exact(self.blocks());
        LayerWeights {
            weights: rows.flat_map(|row| numbers(row, self.inputs)).collect(),
            biases: self.bias.clone(),
        }
    }

    /// Blocks of its inputs.
    fn blocks(&self) -> usize {
        self.inputs.div_ceil(LANE)
    }

    /// What it gives: as many sums as there are biases.
    #[inline(always)]
    pub fn sums<V: Vectors>(&self, vectors: V, numbers: &[Lane]) -> Sums {
        self.block_sums(vectors, numbers, 0)
    }

    /// What one of several blocks of rows gives, of as many rows as there are biases.
    #[inline(always)]
    pub fn block_sums<V: Vectors>(&self, vectors: V, numbers: &[Lane], block: usize) -> Sums {
        let mut sums = [0; MAX_OUTPUTS];
        let outputs = self.bias.len();
        sums[..outputs].copy_from_slice(&self.bias);
        let row = self.blocks();
        let rows = &self.rows[block * outputs * row..(block + 1) * outputs * row];
        dense(vectors, &numbers[..row], rows, &mut sums[..outputs]);
        sums
    }

    /// What it gives, rounded to the unit of its inputs and clipped.
    #[inline(always)]
    pub fn activated<V: Vectors>(
        &self,
        vectors: V,
        numbers: &[Lane],
        least: i32,
        most: i32,
    ) -> Activated {
        let sums = self.sums(vectors, numbers);
        let mut numbers = [Lane([0; LANE]); MAX_OUTPUTS / LANE];
        self.activate(&sums[..self.bias.len()], least, most, &mut numbers, 0);
        numbers
    }

    /// Rounds sums to the unit of the inputs and clips them, to numbers from one place on.
    #[inline(always)]
    pub fn activate(
        &self,
        sums: &[i32],
        least: i32,
        most: i32,
        numbers: &mut Activated,
        from: usize,
    ) {
        for (number, &sum) in sums.iter().enumerate() {
            let rounded = (sum + (1 << self.shift >> 1)) >> self.shift;
            let place = from + number;
            numbers[place / LANE].0[place % LANE] = rounded.clamp(least, most) as i16;
        }
    }
}

/// The last layer's sum in centipawns, when `one` of it is `scale` centipawns.
#[inline(always)]
pub(super) fn centipawns(sum: i32, one: i32, scale: i32) -> i32 {
    let value = i64::from(sum) * i64::from(scale) / i64::from(one);
    value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// Clips the sums of a first layer to 0 to [`NUMBER_ONE`].
#[inline(always)]
pub(super) fn clip(sums: &[Lane], numbers: &mut [Lane]) {
    for (number, sum) in numbers.iter_mut().zip(sums) {
        number.0 = sum.0.map(|sum| sum.clamp(0, NUMBER_ONE as i16));
    }
}
