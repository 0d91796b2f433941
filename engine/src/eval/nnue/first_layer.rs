//! The first layer of a network: a row of weights for each feature, of which a position has few.

use super::error::NetworkError;
use super::features::{FeatureSet, Perspectives};
use super::graph::First;
use super::layer::LayerWeights;
use super::loops::{Rows, combine, update};
use super::pieces::{Differences, Step};
use super::vectors::{LANE, Lane, Vectors};

/// Rows of weights, padded to whole blocks of numbers.
pub(super) struct FirstLayer {
    pub features: FeatureSet,
    pub perspectives: Perspectives,
    /// By feature of a piece; the row that its square is occupied is added to it.
    rows: Vec<Lane>,
    /// The rows of occupied squares.
    occupied: Vec<Lane>,
    /// Added when White is to move; empty where that is no feature.
    side_to_move: Vec<Lane>,
    bias: Vec<Lane>,
    width: usize,
}

impl FirstLayer {
    /// The layer of these features.
    ///
    /// # Errors
    /// If a sum could leave 16 bits.
    pub fn new(first: &First, weights: &LayerWeights) -> Result<FirstLayer, NetworkError> {
        let features = &first.features;
        let width = weights.biases.len();
        let mut pieces = weights.weights.clone();
        let behind = pieces.split_off(features.pieces() * width);
        let (side_to_move, occupied) = behind.split_at(width.min(behind.len()));
        for (feature, row) in pieces.chunks_exact_mut(width).enumerate() {
            if let Some(square) = features.occupied(feature) {
                let from = square * width;
                let square = &weights.weights[from..from + width];
                row.iter_mut().zip(square).for_each(|(weight, square)| *weight += square);
            }
        }
        let mut bias = weights.biases.clone();
        check_sums(&pieces, &bias, features)?;
        if !side_to_move.is_empty() {
            bias.iter_mut().zip(side_to_move).for_each(|(bias, weight)| *bias += weight);
            check_sums(&pieces, &bias, features)?;
        }
        let lanes = |rows: &[i32]| rows.chunks_exact(width).flat_map(lanes).collect();
        Ok(FirstLayer {
            features: features.clone(),
            perspectives: first.perspectives,
            rows: lanes(&pieces),
            occupied: lanes(occupied),
            side_to_move: lanes(side_to_move),
            bias: lanes(&weights.biases),
            width,
        })
    }

    /// Its weights, as [`FirstLayer::new`] takes them.
    pub fn weights(&self) -> LayerWeights {
        let numbers = |lanes: &[Lane]| -> Vec<i32> {
            let rows = lanes.chunks_exact(self.lanes());
            rows.flat_map(|row| numbers(row, self.width)).collect()
        };
        let mut weights = numbers(&self.rows);
        let occupied = numbers(&self.occupied);
        for (feature, row) in weights.chunks_exact_mut(self.width).enumerate() {
            if let Some(square) = self.features.occupied(feature) {
                let from = (square - self.features.pieces() - 1) * self.width;
                for (weight, square) in row.iter_mut().zip(&occupied[from..]) {
                    // The sum of both wrapped around where it was beyond 16 bits.
                    *weight = i32::from((*weight as i16).wrapping_sub(*square as i16));
                }
            }
        }
        weights.extend(numbers(&self.side_to_move));
        weights.extend(occupied);
        LayerWeights { weights, biases: numbers(&self.bias) }
    }

    /// Blocks of numbers of an accumulator.
    #[inline(always)]
    pub fn lanes(&self) -> usize {
        self.bias.len()
    }

    /// The accumulator of an empty board.
    pub fn bias(&self) -> &[Lane] {
        &self.bias
    }

    /// Numbers added to an accumulator when White is to move; empty if there are none.
    #[inline(always)]
    pub fn side_to_move(&self) -> &[Lane] {
        &self.side_to_move
    }

    /// The rows of a piece that moves from one square to another and perhaps captures.
    #[inline(always)]
    #[expect(
        clippy::manual_map,
        reason = "a closure may not be inlined into the code of a processor"
    )]
    pub fn rows(&self, [from, to]: [u16; 2], captured: Option<u16>) -> Rows<'_> {
        let captured = match captured {
            Some(captured) => Some(self.row(captured)),
            None => None,
        };
        Rows { added: self.row(to), removed: self.row(from), captured }
    }

    /// Computes the accumulator after any move.
    #[inline(always)]
    pub fn follow<V: Vectors>(
        &self,
        vectors: V,
        before: &[Lane],
        after: &mut [Lane],
        Step { added, removed }: Step,
    ) {
        match (added, removed) {
            ([Some(to), None], [Some(from), captured]) => {
                combine(vectors, before, after, self.rows([from, to], captured), &mut ());
            }
            // Castling, a null move, or a piece that is no feature.
            _ => {
                after.copy_from_slice(before);
                for (add, remove) in added.into_iter().zip(removed) {
                    update(vectors, after, &self.rows, add.as_slice(), remove.as_slice());
                }
            }
        }
    }

    /// Brings an accumulator up to date.
    #[inline(always)]
    pub fn refresh<V: Vectors>(
        &self,
        vectors: V,
        accumulator: &mut [Lane],
        differences: &Differences,
    ) {
        update(vectors, accumulator, &self.rows, differences.added(), differences.removed());
    }

    /// The row of weights of a feature of a piece.
    #[inline(always)]
    fn row(&self, feature: u16) -> &[Lane] {
        &self.rows[usize::from(feature) * self.lanes()..][..self.lanes()]
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

/// The numbers of a row of blocks, without its padding.
pub(super) fn numbers(row: &[Lane], width: usize) -> impl Iterator<Item = i32> + '_ {
    row.iter().flat_map(|lane| lane.0).take(width).map(i32::from)
}

/// Whether every sum stays within 16 bits: a position has at most [`FeatureSet::max_pieces`] features
/// of a king bucket, so the bias and the largest weights of either sign bound every sum.
fn check_sums(weights: &[i32], biases: &[i32], features: &FeatureSet) -> Result<(), NetworkError> {
    let width = biases.len();
    let most = features.max_pieces();
    let mut column = Vec::with_capacity(features.bucket_width());
    for rows in weights.chunks(features.bucket_width() * width) {
        for (number, &bias) in biases.iter().enumerate() {
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

/// The smallest and the largest sum of at most `most` of some numbers.
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
        let features = FeatureSet::kingless();
        let first = First { features, perspectives: Perspectives::Both };
        let weights = LayerWeights { weights: (0..640).collect(), biases: vec![-8] };
        let layer = FirstLayer::new(&first, &weights).expect("small weights");
        assert_eq!((layer.weights(), layer.lanes()), (weights, 1));
    }
}
