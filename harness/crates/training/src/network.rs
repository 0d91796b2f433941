//! The floating-point weights of a network in training, all in one list, and their quantisation.

use engine::board::Position;
use engine::eval::nnue::{Bounds, LayerWeights, Network, NetworkError, Shape, Weights};
use rand::Rng;
use serde::Serialize;

use super::dense::spans;
use super::gradient;
use super::group::{GROUP, Group, Workspace};
use super::model::Model;
use super::optimiser::ParameterGroup;
use super::packed::PackedPosition;
use harness_stats::random;

/// Initial weights.
pub fn start(shape: &Shape, seed: u64) -> Vec<f32> {
    let mut chance = random::stream("training start", seed, 0);
    let mut weights = Vec::with_capacity(shape.parameters());
    let layers = shape.layers();
    for (span, layer) in spans(&layers).into_iter().zip(&layers) {
        let Bounds { spread, bias, .. } = layer.bounds;
        weights.extend(span.weights().map(|_| chance.random_range(-spread..spread)));
        weights.resize(span.biases().end, bias);
    }
    weights
}

/// The dequantised weights of a network.
pub fn weights_of(network: &Network) -> Vec<f32> {
    let layers = network.shape().layers();
    let integers = network.weights();
    let mut weights = Vec::with_capacity(network.shape().parameters());
    for (layer, LayerWeights { weights: integers, biases }) in layers.iter().zip(&integers.0) {
        weights.extend(integers.iter().map(|&integer| integer as f32 / layer.weight.unit as f32));
        weights.extend(biases.iter().map(|&integer| integer as f32 / layer.bias.unit as f32));
    }
    weights
}

/// The weights and the biases of each layer with their limits, and whether they are trained.
pub fn parts(shape: &Shape, frozen: &[String]) -> Vec<ParameterGroup> {
    let layers = shape.layers();
    let parts = layers.iter().zip(spans(&layers)).map(|(layer, span)| {
        let frozen = frozen.iter().any(|name| name == layer.name);
        let Bounds { max_weight, max_bias, .. } = layer.bounds;
        [(span.weights().end, max_weight), (span.biases().end, max_bias)]
            .map(|(end, limit)| ParameterGroup { end, limit, frozen })
    });
    parts.flatten().collect()
}

/// Quantises a network.
///
/// Rounded weights are off by the same in all positions, and so is much of the output: its biases
/// correct the mean error over some positions (M. Nagel and
/// others, "Data-free quantization through weight equalization and bias correction", 2019).
///
/// # Errors
/// If the engine refuses it.
pub fn quantised(
    shape: &Shape,
    weights: &[f32],
    positions: &[Position],
) -> Result<Network, NetworkError> {
    let mut integers = rounded(shape, weights);
    let network = Network::new(shape.without_material_limit(), &integers)?;
    let graph = shape.graph();
    let output = integers.0.last_mut().expect("every architecture has an output layer");
    let buckets = output.biases.len();
    let mut sums = vec![(0.0, 0_u32); buckets];
    for (position, exact) in positions.iter().zip(exactly(shape, weights, positions)) {
        let bucket = graph.output.select.block(|| position.occupied().count(), || [0; 2]);
        let off = exact - f64::from(network.evaluate(position));
        let white = position.side().is_white();
        sums[bucket].0 += if white || graph.is_relative() { off } else { -off };
        sums[bucket].1 += 1;
    }
    let one = graph.layers.last().map_or(1.0, |layer| f64::from(layer.bias.unit));
    for (bias, (sum, count)) in output.biases.iter_mut().zip(sums) {
        let centipawns = sum / f64::from(count.max(1));
        *bias += (centipawns * one / f64::from(shape.scale())).round() as i32;
    }
    Network::new(*shape, &integers)
}

fn rounded(shape: &Shape, weights: &[f32]) -> Weights {
    let rounded = |part: &[f32], one: i32| -> Vec<i32> {
        part.iter().map(|weight| (weight * one as f32).round() as i32).collect()
    };
    let layers = shape.layers();
    let layers = layers.iter().zip(spans(&layers)).map(|(layer, span)| LayerWeights {
        weights: rounded(&weights[span.weights()], layer.weight.unit),
        biases: rounded(&weights[span.biases()], layer.bias.unit),
    });
    Weights(layers.collect())
}

/// The floating-point outputs of positions, in centipawns for the side to move.
fn exactly(shape: &Shape, weights: &[f32], positions: &[Position]) -> Vec<f64> {
    let model = Model::new(shape);
    let mut group = Group::default();
    let mut work = Workspace::default();
    let mut values = Vec::with_capacity(positions.len());
    for positions in positions.chunks(GROUP) {
        group.clear(model.graph.firsts.len());
        for position in positions {
            model.add(&PackedPosition::new(position, 0, 0.5), &mut group);
        }
        let outputs = gradient::outputs(&model, weights, &group, &mut work);
        values.extend(outputs.iter().map(|&output| f64::from(output) * f64::from(shape.scale())));
    }
    values
}

/// The slope of the outputs of some weights against those of others, through the origin, over these positions;
/// 1 where there are none.
pub fn slope(shape: &Shape, from: &[f32], to: &[f32], positions: &[Position]) -> f64 {
    let [from, to] = [from, to].map(|weights| exactly(shape, weights, positions));
    let squares: f64 = from.iter().map(|value| value * value).sum();
    let products: f64 = from.iter().zip(&to).map(|(one, other)| one * other).sum();
    if squares > 0.0 { products / squares } else { 1.0 }
}

/// Divides the output layer by a number above 0, within its limits; gives the number of weights and biases
/// that were cut to them.
pub fn divide_output(shape: &Shape, weights: &mut [f32], by: f64) -> usize {
    let layers = shape.layers();
    let (Some(layer), Some(&span)) = (layers.last(), spans(&layers).last()) else { return 0 };
    if by <= 0.0 {
        return 0;
    }
    let Bounds { max_weight, max_bias, .. } = layer.bounds;
    let mut cut = 0;
    for (part, limit) in [(span.weights(), max_weight), (span.biases(), max_bias)] {
        for weight in &mut weights[part] {
            let wanted = *weight / by as f32;
            *weight = wanted.clamp(-limit, limit);
            cut += usize::from(*weight != wanted);
        }
    }
    cut
}

/// The error of quantisation, in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rounding {
    /// Positions compared.
    pub positions: usize,
    /// Mean absolute error.
    pub mean: f64,
    /// Largest error.
    pub greatest: f64,
}

/// Compares the quantised network with its weights, without the material limit.
///
/// # Errors
/// If the engine refuses the network without its material limit, though it accepted it with one.
pub fn rounding(
    network: &Network,
    weights: &[f32],
    positions: &[Position],
) -> Result<Rounding, NetworkError> {
    let exact = exactly(network.shape(), weights, positions);
    let network = &Network::new(network.shape().without_material_limit(), &network.weights())?;
    let pairs = positions.iter().zip(exact);
    let distances: Vec<f64> = pairs
        .map(|(position, exact)| (exact - f64::from(network.evaluate(position))).abs())
        .collect();
    Ok(Rounding {
        positions: distances.len(),
        mean: distances.iter().sum::<f64>() / distances.len().max(1) as f64,
        greatest: distances.iter().copied().fold(0.0, f64::max),
    })
}
