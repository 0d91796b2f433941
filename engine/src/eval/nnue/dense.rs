//! A dense layer, in integers.

use super::first_layer::{lanes, numbers};
use super::layer::{Layer, LayerWeights};
use super::loops::dense;
use super::network::NetworkError;
use super::vectors::{LANE, Lane, Vectors};

/// Widest block of outputs.
pub(super) const MAX_OUTPUTS: usize = 128;

/// Sums of a block of outputs.
type Sums = [i32; MAX_OUTPUTS];

/// A layer with a row of weights for each output; rows are padded to whole blocks of numbers.
pub(super) struct Dense {
    rows: Vec<Lane>,
    bias: Vec<i32>,
    inputs: usize,
    /// Outputs of a block.
    outputs: usize,
    /// Sums are shifted by this to the unit of the inputs.
    shift: u32,
}

impl Dense {
    /// A layer with blocks of `outputs` outputs, whose inputs are at most `max` in absolute value.
    ///
    /// # Errors
    /// If a sum could leave 32 bits.
    pub fn new(
        layer: &Layer,
        weights: &LayerWeights,
        outputs: usize,
        max: i32,
    ) -> Result<Dense, NetworkError> {
        for (number, row) in weights.weights.chunks_exact(layer.inputs).enumerate() {
            let bias = weights.biases[number % layer.biases];
            let weight: i64 = row.iter().map(|&weight| i64::from(weight).abs()).sum();
            // One more for rounding.
            let sum =
                weight * i64::from(max) + i64::from(bias).abs() + i64::from(layer.weight.unit);
            if i32::try_from(sum).is_err() {
                return Err(NetworkError::DenseOverflow { layer: layer.name, number, sum });
            }
        }
        Ok(Dense::unchecked(layer, weights, outputs))
    }

    /// An output layer of squared activations, whose unit is `unit`.
    ///
    /// # Errors
    /// If a weight times an activation could leave 16 bits.
    pub fn squared(
        layer: &Layer,
        weights: &LayerWeights,
        unit: i32,
    ) -> Result<Dense, NetworkError> {
        let most = i16::MAX / unit as i16;
        for (number, &weight) in weights.weights.iter().enumerate() {
            if weight.unsigned_abs() > most.unsigned_abs().into() {
                return Err(NetworkError::OutputOverflow { number, weight, most });
            }
        }
        Ok(Dense::unchecked(layer, weights, 1))
    }

    fn unchecked(layer: &Layer, weights: &LayerWeights, outputs: usize) -> Dense {
        Dense {
            rows: weights.weights.chunks_exact(layer.inputs).flat_map(lanes).collect(),
            bias: weights.biases.clone(),
            inputs: layer.inputs,
            outputs,
            shift: layer.weight.unit.ilog2(),
        }
    }

    /// Its weights, as the constructors take them.
    pub fn weights(&self) -> LayerWeights {
        let rows = self.rows.chunks_exact(self.lanes());
        LayerWeights {
            weights: rows.flat_map(|row| numbers(row, self.inputs)).collect(),
            biases: self.bias.clone(),
        }
    }

    /// Blocks of numbers of its inputs.
    fn lanes(&self) -> usize {
        self.inputs.div_ceil(LANE)
    }

    /// The rows of a block of outputs, and its biases.
    #[inline(always)]
    pub fn block(&self, block: usize) -> (&[Lane], &[i32]) {
        let row = self.outputs * self.lanes();
        // Blocks may share the biases.
        let first = if self.bias.len() > self.outputs { block * self.outputs } else { 0 };
        (&self.rows[block * row..][..row], &self.bias[first..][..self.outputs])
    }

    /// The sums of a block of outputs.
    #[inline(always)]
    pub fn sums<V: Vectors>(&self, vectors: V, inputs: &[Lane], block: usize) -> Sums {
        let mut sums = [0; MAX_OUTPUTS];
        let (rows, bias) = self.block(block);
        sums[..bias.len()].copy_from_slice(bias);
        dense(vectors, &inputs[..self.lanes()], rows, &mut sums[..bias.len()]);
        sums
    }

    /// The activations of a block of outputs: sums rounded to the unit of the inputs and clipped to
    /// `range`, written from the place `from` on.
    #[inline(always)]
    pub fn activate<V: Vectors>(
        &self,
        vectors: V,
        inputs: &[Lane],
        block: usize,
        range: [i32; 2],
        outputs: &mut [Lane],
        from: usize,
    ) {
        let sums = self.sums(vectors, inputs, block);
        let (shift, [least, most]) = (self.shift, range);
        let activation = |sum: i32| ((sum + (1 << shift >> 1)) >> shift).clamp(least, most) as i16;
        if from > 0 {
            for (place, &sum) in (from..).zip(&sums[..self.outputs]) {
                outputs[place / LANE].0[place % LANE] = activation(sum);
            }
            return;
        }
        for (outputs, sums) in outputs.iter_mut().zip(sums[..self.outputs].chunks(LANE)) {
            for (output, &sum) in outputs.0.iter_mut().zip(sums) {
                *output = activation(sum);
            }
        }
    }
}

/// The sum of the output layer in centipawns, when `unit` of it is `scale` centipawns.
#[inline(always)]
pub(super) fn centipawns(sum: i64, unit: i64, scale: i32) -> i32 {
    // A sum is below 2^46 and the scale below 2^15: no overflow before the division.
    let value = sum * i64::from(scale) / unit;
    value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}
