//! The first layer of a network: rows of weights, of which a position turns on a few.

use super::loops::{Change, update};
use super::network::NetworkError;
use super::shape::{Integer, Layer, LayerWeights};
use super::vectors::{LANE, Lane, Vectors};

/// A first layer: a row an input, in integers of 16 bits of which so many are 1.
pub(super) fn inner(inputs: usize, outputs: usize, one: i32) -> Layer {
    Layer {
        name: "inner",
        inputs,
        outputs,
        biases: outputs,
        by_input: true,
        one,
        bias_one: one,
        kind: Integer::I16,
        bias_kind: Integer::I16,
    }
}

/// Rows of weights in blocks that processors like; a narrow layer is filled up with zeros.
pub(super) struct FirstLayer {
    rows: Vec<Lane>,
    bias: Vec<Lane>,
    width: usize,
}

impl FirstLayer {
    /// A layer of so many numbers.
    pub fn new(weights: &LayerWeights, width: usize) -> FirstLayer {
        let lanes = |numbers: &[i32]| numbers.chunks_exact(width).flat_map(lanes).collect();
        FirstLayer { rows: lanes(&weights.weights), bias: lanes(&weights.biases), width }
    }

    /// Its weights, as [`FirstLayer::new`] took them.
    pub fn weights(&self) -> LayerWeights {
        let numbers = |lanes: &[Lane]| {
            let rows = lanes.chunks_exact(self.blocks());
            rows.flat_map(|row| numbers(row, self.width)).collect()
        };
        LayerWeights { weights: numbers(&self.rows), biases: numbers(&self.bias) }
    }

    /// Blocks that hold the sums of one view.
    #[inline]
    pub fn blocks(&self) -> usize {
        self.bias.len()
    }

    /// The sums of an empty board.
    pub fn bias(&self) -> &[Lane] {
        &self.bias
    }

    /// Computes the sums at the second place from those at the first.
    #[inline(always)]
    pub fn update<V: Vectors>(
        &self,
        vectors: V,
        sums: &mut [Lane],
        places: [usize; 2],
        change: Change<'_>,
    ) {
        update(vectors, sums, places, &self.rows, self.blocks(), change);
    }
}

/// A row of numbers that fit into 16 bits, as blocks.
pub(super) fn lanes(row: &[i32]) -> impl Iterator<Item = Lane> + '_ {
    row.chunks(LANE).map(|part| {
        let mut lane = Lane([0; LANE]);
        for (number, &weight) in lane.0.iter_mut().zip(part) {
            *number = weight as i16;
        }
        lane
    })
}

/// The numbers of a row of blocks, without what it was filled up with.
pub(super) fn numbers(row: &[Lane], width: usize) -> impl Iterator<Item = i32> + '_ {
    row.iter().flat_map(|lane| lane.0).take(width).map(i32::from)
}

/// Whether every sum stays within 16 bits when a position turns on at most `most` of the rows of
/// one of the groups, each of so many rows, in which they stand: the bias and the greatest weights
/// of either sign bound every sum.
pub(super) fn check_sums(
    weights: &LayerWeights,
    group: usize,
    most: usize,
) -> Result<(), NetworkError> {
    let width = weights.biases.len();
    let mut column = Vec::with_capacity(group);
    for rows in weights.weights.chunks(group * width) {
        for (number, &bias) in weights.biases.iter().enumerate() {
            column.clear();
            column.extend(rows[number..].iter().step_by(width).map(|&weight| i64::from(weight)));
            let bias = i64::from(bias);
            for sum in extremes(&mut column, most).map(|extreme| bias + extreme) {
                if i16::try_from(sum).is_err() {
                    return Err(NetworkError::InnerOverflow { number, sum });
                }
            }
        }
    }
    Ok(())
}

/// The least and the greatest sum of at most so many of some numbers.
fn extremes(numbers: &mut [i64], most: usize) -> [i64; 2] {
    if numbers.len() > 2 * most {
        let last = numbers.len() - most;
        numbers.select_nth_unstable(most);
        numbers[most..].select_nth_unstable(last - most);
        let least = numbers[..most].iter().filter(|&&number| number < 0).sum();
        return [least, numbers[last..].iter().filter(|&&number| number > 0).sum()];
    }
    numbers.sort_unstable();
    let least = numbers.iter().take(most).filter(|&&number| number < 0).sum();
    [least, numbers.iter().rev().take(most).filter(|&&number| number > 0).sum()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_few_numbers_is_between_its_extremes() {
        let numbers: Vec<i64> = (0..100).map(|number| number * 37 % 101 - 50).collect();
        for most in [1, 3, 40, 60, 200] {
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            let negative = sorted.iter().take(most).filter(|&&number| number < 0).sum::<i64>();
            let positive = sorted.iter().rev().take(most).filter(|&&number| number > 0).sum();
            assert_eq!(extremes(&mut numbers.clone(), most), [negative, positive], "{most}");
        }
    }

    #[test]
    fn a_narrow_layer_keeps_its_numbers() {
        let weights = LayerWeights { weights: (0..80).collect(), biases: (-8..0).collect() };
        let layer = FirstLayer::new(&weights, 8);
        assert_eq!((layer.weights(), layer.blocks()), (weights, 1));
    }
}
