//! A dense layer, in integers.

use super::error::NetworkError;
use super::first_layer::{lanes, numbers};
use super::layer::{Layer, LayerWeights};
use super::loops::dense;
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
    /// Blocks of numbers of a row.
    lanes: usize,
    /// Sums are shifted by this to the unit of the inputs.
    shift: u32,
    /// Whether the sums of a layer of squared accumulators fit into 32 bits, in units of the
    /// accumulators squared times that of the weights.
    pub is_small: bool,
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
        let rows = weights.weights.chunks_exact(layer.inputs);
        let sum = |row: &[i32]| row.iter().map(|&weight| i64::from(weight).abs()).sum::<i64>();
        let most = rows.map(sum).max().unwrap_or(0) * i64::from(unit) * i64::from(unit);
        let is_small = most <= i32::MAX.into();
        Ok(Dense { is_small, ..Dense::unchecked(layer, weights, 1) })
    }

    fn unchecked(layer: &Layer, weights: &LayerWeights, outputs: usize) -> Dense {
        Dense {
            rows: weights.weights.chunks_exact(layer.inputs).flat_map(lanes).collect(),
            bias: weights.biases.clone(),
            inputs: layer.inputs,
            outputs,
            lanes: layer.inputs.div_ceil(LANE),
            shift: layer.weight.unit.ilog2(),
            is_small: false,
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
    #[inline(always)]
    fn lanes(&self) -> usize {
        self.lanes
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
pub(super) fn centipawns(sum: i64, unit: Divisor, scale: i32) -> i32 {
    // A sum is below 2^46 and the scale below 2^15: no overflow before the division.
    let value = unit.divide(sum * i64::from(scale));
    value.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// A number that others are divided by, most often by a multiplication: a division takes several
/// times as long.
#[derive(Clone, Copy)]
pub(super) struct Divisor {
    divisor: i64,
    /// 2^64 over the divisor, rounded up: the upper half of its product with a number below 2^32 is
    /// the quotient (D. Lemire, O. Kaser and N. Kurz, "Faster remainder by direct computation", 2019).
    /// 0 where there is none.
    reciprocal: u64,
}

impl Divisor {
    /// A positive divisor.
    pub fn new(divisor: i64) -> Divisor {
        let fits = (2..1 << 32).contains(&divisor);
        Divisor { divisor, reciprocal: if fits { u64::MAX / divisor as u64 + 1 } else { 0 } }
    }

    /// The quotient, rounded towards zero.
    #[inline(always)]
    pub fn divide(self, dividend: i64) -> i64 {
        match i32::try_from(dividend) {
            Ok(dividend) if self.reciprocal != 0 => {
                let product = u128::from(dividend.unsigned_abs()) * u128::from(self.reciprocal);
                let quotient = (product >> 64) as i64;
                if dividend < 0 { -quotient } else { quotient }
            }
            _ => dividend / self.divisor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_by_multiplication_is_that_of_the_division() {
        let ends = [0, 1, 2, 254, 255, 256, 16_319, 16_320, 16_321, i64::from(i32::MAX), 1 << 40];
        for unit in [1, 2, 3, 64, 127, 255, 511, 16_320, 511 * 32_767, 1 << 31, 1 << 40] {
            let near = [-1, 0, 1].map(|off| ends.map(|end| (end / unit) * unit + off));
            for dividend in near.into_iter().flatten().chain(ends).chain([i32::MIN.into()]) {
                for dividend in [dividend, -dividend] {
                    let quotient = Divisor::new(unit).divide(dividend);
                    assert_eq!(quotient, dividend / unit, "{dividend} / {unit}");
                }
            }
        }
    }
}
