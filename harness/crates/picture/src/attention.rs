//! Blocks by which all squares of a board see each other: attention, then a layer for each square, each added to what
//! it reads (A. Vaswani et al., 2017), and each after a normalisation (R. Xiong et al., 2020).
//!
//! All pieces of a kind are one drawing, and which kind a strange drawing is shows by the others on the board.

use crate::network::{Layer, dot, softmax};

/// Values of a square.
pub(crate) const WIDTH: usize = 128;

/// Heads of the attention, each with its part of the values.
const HEADS: usize = 4;
const PART: usize = WIDTH / HEADS;

/// Values of the layer for each square.
const INNER: usize = 2 * WIDTH;

/// The layers of a block. The factors of the normalisations are in the weights after them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// Queries, keys and values of all heads.
    mix: Layer,
    out: Layer,
    up: Layer,
    down: Layer,
}

impl Block {
    /// The layers in the order of the file, by a function that reads one by its numbers of inputs and outputs.
    pub(crate) fn read(mut layer: impl FnMut(usize, usize) -> Option<Layer>) -> Option<Self> {
        Some(Self {
            mix: layer(WIDTH, 3 * WIDTH)?,
            out: layer(WIDTH, WIDTH)?,
            up: layer(WIDTH, INNER)?,
            down: layer(INNER, WIDTH)?,
        })
    }
}

/// Applies a block to the values of all squares.
pub(crate) fn apply(block: &Block, squares: &mut [Vec<f32>]) {
    let mixed: Vec<Vec<f32>> = squares.iter().map(|it| block.mix.of(&normalised(it))).collect();
    for (at, square) in squares.iter_mut().enumerate() {
        add(square, &block.out.of(&seen(&mixed, at)));
        let mut inner = block.up.of(&normalised(square));
        for value in &mut inner {
            *value = value.max(0.0);
        }
        add(square, &block.down.of(&inner));
    }
}

/// What a square sees: for each head the mean of all squares' values, by how well their keys fit its query.
fn seen(mixed: &[Vec<f32>], at: usize) -> Vec<f32> {
    let mut seen = vec![0.0; WIDTH];
    for (head, seen) in seen.chunks_exact_mut(PART).enumerate() {
        let of = |square: usize, kind: usize| {
            &mixed[square][kind * WIDTH + head * PART..kind * WIDTH + (head + 1) * PART]
        };
        let fits = |square: usize| dot(of(at, 0), of(square, 1)) / (PART as f32).sqrt();
        let weights = softmax((0..mixed.len()).map(fits).collect());
        for (square, weight) in weights.into_iter().enumerate() {
            for (sum, value) in seen.iter_mut().zip(of(square, 2)) {
                *sum += weight * value;
            }
        }
    }
    seen
}

fn add(values: &mut [f32], more: &[f32]) {
    for (value, more) in values.iter_mut().zip(more) {
        *value += more;
    }
}

/// Values with a mean of 0 and a variance of 1.
fn normalised(values: &[f32]) -> Vec<f32> {
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    let variance =
        values.iter().map(|it| (it - mean) * (it - mean)).sum::<f32>() / values.len() as f32;
    let factor = 1.0 / (variance + 1e-5).sqrt();
    values.iter().map(|it| (it - mean) * factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A layer whose weights are a fixed sequence of numbers about zero.
    fn layer(inputs: usize, outputs: usize) -> Layer {
        let number = |at: usize| ((at * 7919 % 1000) as f32 / 500.0 - 1.0) / (inputs as f32).sqrt();
        Layer::new((0..inputs * outputs).map(number).collect(), (0..outputs).map(number).collect())
    }

    fn squares() -> Vec<Vec<f32>> {
        let value = |square: usize, at: usize| ((square * 31 + at * 17) % 23) as f32 / 11.0 - 1.0;
        (0..64).map(|square| (0..WIDTH).map(|at| value(square, at)).collect()).collect()
    }

    #[test]
    fn squares_in_another_order_become_the_same() {
        let block = Block::read(|inputs, outputs| Some(layer(inputs, outputs))).unwrap();
        let (mut one, mut other) = (squares(), squares());
        other.reverse();
        apply(&block, &mut one);
        apply(&block, &mut other);
        other.reverse();
        for (one, other) in one.iter().flatten().zip(other.iter().flatten()) {
            assert!((one - other).abs() < 1e-4, "{one} {other}");
        }
    }

    #[test]
    fn a_square_depends_on_the_others() {
        let block = Block::read(|inputs, outputs| Some(layer(inputs, outputs))).unwrap();
        let (mut one, mut other) = (squares(), squares());
        other[63].iter_mut().step_by(3).for_each(|value| *value += 1.0);
        apply(&block, &mut one);
        apply(&block, &mut other);
        assert!(one[0].iter().zip(&other[0]).any(|(one, other)| (one - other).abs() > 1e-4));
    }

    #[test]
    fn layers_without_weights_change_nothing() {
        let empty = |inputs: usize, outputs: usize| {
            Some(Layer::new(vec![0.0; inputs * outputs], vec![0.0; outputs]))
        };
        let block = Block::read(empty).unwrap();
        let mut values = squares();
        apply(&block, &mut values);
        assert_eq!(values, squares());
    }
}
