//! Training that starts from a smaller network: the larger one computes the same function at first
//! (function-preserving initialisation; T. Chen, I. Goodfellow and J. Shlens, "Net2Net: accelerating
//! learning via knowledge transfer", 2016). Where Net2Net replicates neurons, the further neurons here
//! have random weights, and output weights of 0.

use engine::eval::nnue::{Graph, Network, Shape};

use super::dense::spans;
use super::network;

/// Whether training of a shape can start from a network of another: the same shape, or a smaller one. Their
/// scales may differ: the output layer is linear.
///
/// A smaller one is known for networks with one first layer whose squared activations (SCReLU) are the
/// input of the output layer, `perspective` and `king-buckets`: the first layer may become wider, its
/// features may be divided into king buckets, and one output bucket may become several.
pub fn can_start_from(network: &Shape, wanted: &Shape) -> bool {
    is_rescaled(network, wanted) || is_smaller(network, wanted)
}

/// Whether two shapes are the same but for their scales.
fn is_rescaled(network: &Shape, wanted: &Shape) -> bool {
    network.with("scale", wanted.scale().into()) == *wanted
}

fn is_smaller(network: &Shape, wanted: &Shape) -> bool {
    let [from, to] = [network.graph(), wanted.graph()];
    if !is_squared(&from) || !is_squared(&to) {
        return false;
    }
    let [(width, buckets), (wide, wide_buckets)] =
        [&from, &to].map(|graph| (graph.layers[0].outputs, graph.layers[1].outputs));
    to.firsts[0].features.refines(&from.firsts[0].features)
        && width <= wide
        && [1, wide_buckets].contains(&buckets)
}

/// Whether a network has one first layer, whose squared activations are the input of the output layer.
fn is_squared(graph: &Graph) -> bool {
    graph.firsts.len() == 1 && graph.layers.len() == 2 && graph.output.input.is_none()
}

/// The dequantised weights of a network of a shape that evaluates every position as another network
/// does, but for rounding where their quantisation units differ; `None` unless it
/// [can start](can_start_from) from that. `seed`: of the random weights. With another scale output weights
/// may be beyond the limit of the engine's integers: they are cut to it, and their number is given.
pub fn widened(network: &Network, wanted: &Shape, seed: u64) -> Option<(Vec<f32>, usize)> {
    let mut old = network::weights_of(network);
    let cut = rescale(network.shape(), wanted, &mut old);
    if is_rescaled(network.shape(), wanted) {
        return Some((old, cut));
    }
    if !is_smaller(network.shape(), wanted) {
        return None;
    }
    let mut new = network::start(wanted, seed);
    let [old_spans, new_spans] = [network.shape(), wanted].map(|shape| spans(&shape.layers()));
    let ([inner, output], [wide_inner, wide_output]) =
        ([old_spans[0], old_spans[1]], [new_spans[0], new_spans[1]]);
    let width = inner.outputs;
    let wide = wide_inner.outputs;
    let buckets = output.outputs;
    let rows = &old[inner.weights()];
    for (feature, row) in new[wide_inner.weights()].chunks_exact_mut(wide).enumerate() {
        row[..width].copy_from_slice(&rows[feature % inner.inputs * width..][..width]);
    }
    new[wide_inner.biases()][..width].copy_from_slice(&old[inner.biases()]);
    // Of each output, the neurons of the side to move, then the opponent's.
    let halves = &old[output.weights()];
    for (half, weights) in new[wide_output.weights()].chunks_exact_mut(wide).enumerate() {
        weights[..width].copy_from_slice(&halves[half % (2 * buckets) * width..][..width]);
        weights[width..].fill(0.0);
    }
    for (bucket, bias) in new[wide_output.biases()].iter_mut().enumerate() {
        *bias = old[output.biases()][bucket % buckets];
    }
    Some((new, cut))
}

/// Multiplies the output layer so that its output has the wanted scale, within the limits of training: beyond
/// them the engine could not compute with its integers. Gives the number of those that were cut.
fn rescale(shape: &Shape, wanted: &Shape, weights: &mut [f32]) -> usize {
    if shape.scale() == wanted.scale() {
        return 0;
    }
    let by = f64::from(wanted.scale()) / f64::from(shape.scale());
    network::divide_output(shape, weights, by)
}

#[cfg(test)]
mod tests {
    use engine::board::Position;
    use engine::eval::nnue::Architecture;

    use super::*;

    fn shape(name: &str, hidden: i64, buckets: i64) -> Shape {
        let architecture = Architecture::find(name).expect("an architecture");
        architecture.shape().with("hidden", hidden).with("buckets", buckets)
    }

    fn random(shape: &Shape) -> Network {
        network::quantised(shape, &network::start(shape, 5), &[]).expect("small weights")
    }

    #[test]
    fn a_widened_network_evaluates_alike() {
        let positions = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "8/8/4kp2/p6p/P4K1P/6P1/8/8 b - - 0 50",
        ]
        .map(|fen| Position::from_fen(fen).expect("valid"));
        let small = shape("perspective", 32, 1);
        for (from, to) in [
            (small, shape("perspective", 96, 1)),
            (small, shape("king-buckets", 32, 1)),
            (small, shape("king-buckets", 64, 8)),
            (shape("king-buckets", 32, 4), shape("king-buckets", 64, 4)),
        ] {
            let network = random(&from);
            assert!(can_start_from(&from, &to), "{from} {to}");
            let (weights, cut) = widened(&network, &to, 1).expect("a smaller network");
            assert_eq!(cut, 0, "{from} {to}");
            let wide = network::quantised(&to, &weights, &[]).expect("small weights");
            for position in &positions {
                assert_eq!(wide.evaluate(position), network.evaluate(position), "{from} {to}");
            }
        }
    }

    #[test]
    fn a_network_of_another_scale_evaluates_nearly_alike() {
        let network = random(&shape("perspective", 32, 1));
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1";
        let position = Position::from_fen(fen).expect("valid");
        let value = f64::from(network.evaluate(&position));
        for (hidden, scale) in [(32, 235), (32, 800), (64, 300)] {
            let wanted = shape("perspective", hidden, 1).with("scale", scale);
            assert!(can_start_from(network.shape(), &wanted));
            let (weights, cut) = widened(&network, &wanted, 1).expect("the same but for the scale");
            assert_eq!(cut, 0, "{scale}");
            let other = network::quantised(&wanted, &weights, &[]).expect("small weights");
            let found = f64::from(other.evaluate(&position));
            assert!((found - value).abs() <= 5.0 + 0.02 * value.abs(), "{scale}: {value} {found}");
        }
        // Weights beyond the engine's limit are cut to it.
        let extreme = shape("perspective", 32, 1).with("scale", 20);
        let (weights, cut) = widened(&network, &extreme, 1).expect("the same but for the scale");
        assert!(cut > 0);
        network::quantised(&extreme, &weights, &[]).expect("within the limit");
    }

    #[test]
    fn nothing_is_lost_on_the_way_to_another_shape() {
        let network = random(&shape("king-buckets", 64, 8));
        for to in [
            shape("king-buckets", 32, 8),
            shape("king-buckets", 64, 4),
            shape("perspective", 64, 8),
        ] {
            assert!(!can_start_from(network.shape(), &to), "{to}");
            assert_eq!(widened(&network, &to, 1), None, "{to}");
        }
        let pairwise = Architecture::find("pairwise").expect("an architecture").shape();
        assert_eq!(widened(&network, &pairwise, 1), None);
    }
}
