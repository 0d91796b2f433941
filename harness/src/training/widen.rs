//! A larger network that begins as a smaller one: it computes the same, and learns what the smaller
//! one had no room for (T. Chen, I. Goodfellow and J. Shlens, "Net2Net: accelerating learning via
//! knowledge transfer", 2016).

use engine::eval::nnue::{Graph, Network, Shape};

use super::dense::spans;
use super::network;

/// The weights of a network of a shape that evaluates every position as another network does; `None`
/// where no such weights are known.
///
/// They are known for networks of one first layer that read its activations squared (`perspective`
/// and `king-buckets`): it may be wider, its features may be told apart by the own king's square,
/// and one output layer may become several. Weights of the further neurons are random, by the seed,
/// and the output has none for them.
pub fn widened(network: &Network, wanted: &Shape, seed: u64) -> Option<Vec<f32>> {
    let [from, to] = [network.shape().graph(), wanted.graph()];
    if !is_squared(&from) || !is_squared(&to) || network.shape().scale() != wanted.scale() {
        return None;
    }
    let (inner, output) = (spans(&from.layers)[0], spans(&from.layers)[1]);
    let (wide_inner, wide_output) = (spans(&to.layers)[0], spans(&to.layers)[1]);
    let (width, wide) = (inner.outputs, wide_inner.outputs);
    let buckets = output.outputs;
    if !to.firsts[0].features.refines(&from.firsts[0].features)
        || wide < width
        || ![1, wide_output.outputs].contains(&buckets)
    {
        return None;
    }

    let (old, mut new) = (network::weights_of(network), network::start(wanted, seed));
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
    Some(new)
}

/// Whether a network has one first layer and reads its activations squared.
fn is_squared(graph: &Graph) -> bool {
    graph.firsts.len() == 1 && graph.layers.len() == 2 && graph.output.input.is_none()
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
            let weights = widened(&network, &to, 1).expect("kindred shapes");
            let wide = network::quantised(&to, &weights, &[]).expect("small weights");
            for position in &positions {
                assert_eq!(wide.evaluate(position), network.evaluate(position), "{from} {to}");
            }
        }
    }

    #[test]
    fn nothing_is_lost_on_the_way_to_another_shape() {
        let network = random(&shape("king-buckets", 64, 8));
        for to in [
            shape("king-buckets", 32, 8),
            shape("king-buckets", 64, 4),
            shape("perspective", 64, 8),
            shape("king-buckets", 64, 8).with("scale", 200),
        ] {
            assert_eq!(widened(&network, &to, 1), None, "{to}");
        }
        let pairwise = Architecture::find("pairwise").expect("an architecture").shape();
        assert_eq!(widened(&network, &pairwise, 1), None);
    }
}
