//! What a position is worth by the definition of each architecture: in wide integers, straight from
//! the weights, without blocks, vectors or anything kept. The oracle of the tests.

use super::features::{FeatureSet, View, output_bucket};
use super::*;
use crate::board::{Color, Position, Role};

/// The value of a position in centipawns for the side to move.
pub fn value(shape: &Shape, weights: &Weights, position: &Position) -> i32 {
    match shape {
        Shape::Perspective(shape) => perspective_value(shape, weights, position),
        Shape::Nnueu(shape) => nnueu_value(shape, weights, position),
        Shape::HalfKp(shape) => halfkp_value(shape, weights, position),
        Shape::TwoPath(shape) => two_path_value(shape, weights, position),
    }
}

/// Sums of the rows of these inputs.
fn sums(layer: &LayerWeights, inputs: &[usize]) -> Vec<i64> {
    let width = layer.biases.len();
    let row = |&input: &usize, number: usize| i64::from(layer.weights[input * width + number]);
    let sum = |(number, &bias): (usize, &i32)| {
        i64::from(bias) + inputs.iter().map(|input| row(input, number)).sum::<i64>()
    };
    layer.biases.iter().enumerate().map(sum).collect()
}

/// Sums of a layer with a row an output, of those of its rows that stand in one block.
fn dense(layer: &LayerWeights, numbers: &[i64], block: usize) -> Vec<i64> {
    let outputs = layer.biases.len();
    let rows = layer.weights.chunks(numbers.len()).skip(block * outputs);
    rows.zip(&layer.biases)
        .map(|(row, &bias)| {
            let products =
                row.iter().zip(numbers).map(|(&weight, number)| i64::from(weight) * number);
            i64::from(bias) + products.sum::<i64>()
        })
        .collect()
}

/// To the nearest multiple, halves upward, and clipped.
fn rounded(sums: Vec<i64>, one: i64, least: i64, most: i64) -> Vec<i64> {
    let round = |sum: i64| (2 * sum + one).div_euclid(2 * one).clamp(least, most);
    sums.into_iter().map(round).collect()
}

fn perspective_value(shape: &Perspective, weights: &Weights, position: &Position) -> i32 {
    let [inner, output] = &weights.0[..] else { panic!("two layers") };
    let bucket = output_bucket(position.occupied().count(), shape.buckets);
    let one = i64::from(shape.inner_one);
    let squared: Vec<i64> = [position.side(), !position.side()]
        .into_iter()
        .flat_map(|side| sums(inner, &View::of(position, side, shape.mirroring).inputs(position)))
        .map(|sum| sum.clamp(0, one).pow(2))
        .collect();
    let row = &output.weights[bucket * squared.len()..];
    let sum: i64 =
        row.iter().zip(&squared).map(|(&weight, square)| i64::from(weight) * square).sum();
    let sum = sum / one + i64::from(output.biases[bucket]);
    (sum * i64::from(shape.scale) / (one * i64::from(shape.output_one))) as i32
}

fn nnueu_value(shape: &Nnueu, weights: &Weights, position: &Position) -> i32 {
    let [inner, own, theirs, second, output] = &weights.0[..] else { panic!("five layers") };
    let side = position.side();
    let inputs = nnueu::View { side }.inputs(position);
    let numbers: Vec<i64> = sums(inner, &inputs).into_iter().map(|sum| sum.clamp(0, 127)).collect();
    let king = |color| {
        let square = position.king(color);
        (if side == Color::White { square } else { square.flip_vertical() }) as usize
    };
    let mut both = dense(own, &numbers, king(side));
    both.extend(dense(theirs, &numbers, king(!side)));
    let both = rounded(both, 64, 0, 127);
    let last = rounded(dense(second, &both, 0), 64, 0, 127);
    (dense(output, &last, 0)[0] * i64::from(shape.scale) / (64 * 127)) as i32
}

fn halfkp_value(shape: &HalfKp, weights: &Weights, position: &Position) -> i32 {
    let [inner, first, second, output] = &weights.0[..] else { panic!("four layers") };
    let numbers: Vec<i64> = [position.side(), !position.side()]
        .into_iter()
        .flat_map(|side| sums(inner, &halfkp::View::of(position, side).inputs(position)))
        .map(|sum| sum.clamp(0, 127))
        .collect();
    let numbers = rounded(dense(first, &numbers, 0), 64, 0, 127);
    let numbers = rounded(dense(second, &numbers, 0), 64, 0, 127);
    (dense(output, &numbers, 0)[0] * i64::from(shape.scale) / (64 * 127)) as i32
}

fn two_path_value(shape: &TwoPath, weights: &Weights, position: &Position) -> i32 {
    let [main, pawns, attention, first, second, output] = &weights.0[..] else {
        panic!("six layers")
    };
    let white = position.side() == Color::White;
    let (mut all, mut few, mut material) = (Vec::new(), Vec::new(), 0);
    for square in position.occupied() {
        let piece = position.piece_at(square).expect("occupied");
        let kind = "KPNBRQ".find(piece.role.upper_char()).expect("a kind of piece");
        let (color, place) = (usize::from(piece.color.is_white()), 63 - square as usize);
        all.extend([128 * kind + 64 * color + place, 769 + 64 * color + place]);
        if matches!(piece.role, Role::King | Role::Pawn) {
            few.push(128 * kind + 64 * color + place);
        }
        material += [0, 100, 300, 300, 500, 900][kind] * if color == 1 { 1 } else { -1 };
    }
    all.extend(white.then_some(768));
    let sign = if white { 1 } else { -1 };
    if i32::abs(material) > shape.material_limit {
        return sign * material;
    }
    let positive =
        |sums: Vec<i64>| -> Vec<i64> { sums.into_iter().map(|sum| sum.max(0)).collect() };
    let factors = dense(attention, &positive(sums(pawns, &few)), 0);
    let factors = rounded(factors, 256, -32_767, 32_767);
    let pool = shape.pool as i64;
    let products = positive(sums(main, &all))
        .chunks(shape.pool)
        .zip(factors.iter().cycle())
        .map(|(numbers, factor)| (numbers.iter().sum::<i64>() + pool / 2) / pool * factor)
        .collect();
    let products = rounded(products, 1_024, -32_767, 32_767);
    let numbers = rounded(dense(first, &products, 0), 256, 0, 32_767);
    let numbers = rounded(dense(second, &numbers, 0), 256, 0, 32_767);
    let value = dense(output, &numbers, 0)[0] * i64::from(shape.scale) / (256 * 1_024);
    sign * value as i32
}
