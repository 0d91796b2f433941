//! Transformer blocks over the 64 squares of a board (A. Vaswani et al., 2017), with layer normalisation before the
//! attention and before the hidden layer (R. Xiong et al., 2020).
//!
//! All pieces of a kind on a board are one drawing. The kind of a strange drawing, and which colour is the lighter one, shows
//! by the other squares.

use crate::network::{Layer, dot, softmax};

/// Width of the embedding of a square.
pub(crate) const EMBEDDING: usize = 128;

/// Attention heads, each with its part of the embedding.
const HEADS: usize = 4;
const HEAD_WIDTH: usize = EMBEDDING / HEADS;

/// Neurons of the hidden layer.
const HIDDEN: usize = 2 * EMBEDDING;

/// Weights of a block. The gains and biases of the layer normalisations are folded into the layers after them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// Queries, then keys, then values of all heads.
    qkv: Layer,
    /// From the attended values to the residual.
    projection: Layer,
    hidden: Layer,
    output: Layer,
}

impl Block {
    /// Reads the layers in the order of the file; `layer` reads one by its input and output width.
    pub(crate) fn read(mut layer: impl FnMut(usize, usize) -> Option<Layer>) -> Option<Self> {
        Some(Self {
            qkv: layer(EMBEDDING, 3 * EMBEDDING)?,
            projection: layer(EMBEDDING, EMBEDDING)?,
            hidden: layer(EMBEDDING, HIDDEN)?,
            output: layer(HIDDEN, EMBEDDING)?,
        })
    }

    /// Applies the block to the embeddings of all squares.
    pub(crate) fn apply(&self, squares: &mut [Vec<f32>]) {
        let qkv: Vec<Vec<f32>> =
            squares.iter().map(|square| self.qkv.forward(&layer_norm(square))).collect();
        for (at, square) in squares.iter_mut().enumerate() {
            add(square, &self.projection.forward(&attend(&qkv, at)));
            let mut hidden = self.hidden.forward(&layer_norm(square));
            for value in &mut hidden {
                *value = value.max(0.0);
            }
            add(square, &self.output.forward(&hidden));
        }
    }
}

/// Scaled dot-product attention of the square `at` to all squares: the heads' values, one after the other.
fn attend(qkv: &[Vec<f32>], at: usize) -> Vec<f32> {
    let mut attended = vec![0.0; EMBEDDING];
    for (head, sums) in attended.chunks_exact_mut(HEAD_WIDTH).enumerate() {
        let start = head * HEAD_WIDTH;
        let query = &qkv[at][start..start + HEAD_WIDTH];
        let key = |square: &Vec<f32>| dot(query, &square[EMBEDDING + start..][..HEAD_WIDTH]);
        let scale = (HEAD_WIDTH as f32).sqrt();
        let weights = softmax(qkv.iter().map(|square| key(square) / scale).collect());
        for (square, weight) in qkv.iter().zip(weights) {
            let values = &square[2 * EMBEDDING + start..][..HEAD_WIDTH];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += weight * value;
            }
        }
    }
    attended
}

/// Adds to the residual.
fn add(residual: &mut [f32], values: &[f32]) {
    for (sum, value) in residual.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Layer normalisation without gain and bias: mean 0, variance 1.
fn layer_norm(values: &[f32]) -> Vec<f32> {
    /// Keeps a constant embedding finite, as in PyTorch.
    const EPSILON: f32 = 1e-5;
    let count = values.len() as f32;
    let mean = values.iter().sum::<f32>() / count;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / count;
    let factor = 1.0 / (variance + EPSILON).sqrt();
    values.iter().map(|value| (value - mean) * factor).collect()
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
        (0..64).map(|square| (0..EMBEDDING).map(|at| value(square, at)).collect()).collect()
    }

    #[test]
    fn squares_in_another_order_become_the_same() {
        let block = Block::read(|inputs, outputs| Some(layer(inputs, outputs))).unwrap();
        let (mut one, mut other) = (squares(), squares());
        other.reverse();
        block.apply(&mut one);
        block.apply(&mut other);
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
        block.apply(&mut one);
        block.apply(&mut other);
        assert!(one[0].iter().zip(&other[0]).any(|(one, other)| (one - other).abs() > 1e-4));
    }

    #[test]
    fn layers_without_weights_change_nothing() {
        let empty = |inputs: usize, outputs: usize| {
            Some(Layer::new(vec![0.0; inputs * outputs], vec![0.0; outputs]))
        };
        let block = Block::read(empty).unwrap();
        let mut values = squares();
        block.apply(&mut values);
        assert_eq!(values, squares());
    }
}
