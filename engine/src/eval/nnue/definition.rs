//! The value of a position by the definition of a graph: in wide integers, straight from the weights,
//! without blocks, vectors or accumulators. The oracle of the tests.

use super::features::Perspectives;
use super::graph::{Activation, Neurons, PRODUCT_UNIT, Step};
use super::*;
use crate::board::{Color, Position};

/// The value of a position in centipawns for the side to move.
pub fn value(shape: &Shape, weights: &Weights, position: &Position) -> i32 {
    let graph = shape.graph();
    let side = position.side();
    let sign = if side.is_white() { 1 } else { -1 };
    let material = i32::from(material(position));
    if graph.material_limit.is_some_and(|limit| material.abs() > limit) {
        return sign * material;
    }
    let accumulators = graph.firsts.iter().zip(&weights.0).map(|(first, layer)| {
        let sides = match first.perspectives {
            Perspectives::Both => vec![side, !side],
            Perspectives::SideToMove => vec![side],
            Perspectives::White => vec![Color::White],
        };
        let seen = sides.into_iter().map(|side| first.features.active(position, side));
        seen.flat_map(|features| sums(layer, &features)).collect()
    });
    let accumulators: Vec<Vec<i64>> = accumulators.collect();
    let flip = if side.is_white() { 0 } else { 56 };
    let kings = || [side, !side].map(|color| position.king(color) as usize ^ flip);
    let block = |select: &Select| select.block(|| position.occupied().count(), kings);
    let unit = i64::from(graph.unit);
    let mut neurons = vec![0; graph.neurons];
    let of = |neurons: &[i64], at: Neurons| neurons[at.start..at.start + at.len].to_vec();
    for step in &graph.steps {
        let (output, numbers) = match *step {
            Step::Activate { first, output, .. } => {
                (output, rounded(accumulators[first].clone(), 1, 0, output.max.into()))
            }
            Step::Product { first, output } => {
                let width = weights.0[first].biases.len();
                let clipped = rounded(accumulators[first].clone(), 1, 0, PRODUCT_UNIT.into());
                let products = clipped.chunks(width).flat_map(|sums| {
                    let (one, other) = sums.split_at(width / 2);
                    one.iter().zip(other).map(|(one, other)| one * other).collect::<Vec<_>>()
                });
                (output, rounded(products.collect(), 512, 0, unit))
            }
            Step::Pool { first, size, output } => {
                let positive = rounded(accumulators[first].clone(), 1, 0, i64::MAX);
                let size = size as i64;
                let mean = |part: &[i64]| (part.iter().sum::<i64>() + size / 2) / size;
                (output, positive.chunks(size as usize).map(mean).collect())
            }
            Step::Gate { input, factors, output } => {
                let input = of(&neurons, input);
                let factors = of(&neurons, factors);
                let pairs = input.iter().zip(factors.iter().cycle());
                let products = pairs.map(|(number, factor)| number * factor).collect();
                let most = i64::from(output.max);
                (output, rounded(products, unit, -most, most))
            }
            Step::Dense { layer, ref select, input, activation, output } => {
                let sums = dense(&weights.0[layer], &of(&neurons, input), block(select));
                let one = graph.layers[layer].weight.unit;
                let most = i64::from(output.max);
                let least = if activation == Activation::Linear { -most } else { 0 };
                (output, rounded(sums, one.into(), least, most))
            }
        };
        neurons[output.start..output.start + output.len].copy_from_slice(&numbers);
    }
    let layer = &weights.0[graph.output.layer];
    let block = block(&graph.output.select);
    let bias = i64::from(layer.biases[block % layer.biases.len()]);
    let inputs = match graph.output.input {
        Some(input) => of(&neurons, input),
        None => accumulators[0].iter().map(|sum| sum.clamp(&0, &unit).pow(2)).collect(),
    };
    let row = &layer.weights[block * inputs.len()..];
    let sum: i64 = row.iter().zip(&inputs).map(|(&weight, input)| i64::from(weight) * input).sum();
    let sum = if graph.output.input.is_some() { sum } else { sum / unit } + bias;
    let one = unit * i64::from(graph.layers[graph.output.layer].weight.unit);
    let value = (sum * i64::from(shape.scale()) / one) as i32;
    if graph.is_relative() { value } else { sign * value }
}

/// White's material minus Black's.
fn material(position: &Position) -> i16 {
    let value = |piece: char| match piece.to_ascii_lowercase() {
        'p' => 100,
        'n' | 'b' => 300,
        'r' => 500,
        'q' => 900,
        _ => 0,
    };
    let fen = position.fen(false);
    let board = fen.split(' ').next().expect("the board").chars();
    board.map(|piece| if piece.is_uppercase() { value(piece) } else { -value(piece) }).sum()
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
