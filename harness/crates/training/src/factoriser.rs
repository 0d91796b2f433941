//! Factorised features: of a first layer with weights for each king bucket, a part that all buckets share.
//!
//! While it is trained, the weight of a feature is the sum of its bucket's own and of one for all buckets, so
//! that rare king squares learn from frequent ones ("factoriser" of Y. Nasu's trainer and of nnue-pytorch).
//! The network that is written has the sums.

use engine::eval::nnue::Shape;

use super::dense::spans;

/// The shared part of a first layer: it stands behind all other parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factoriser {
    /// Parameters without the shared part.
    parameters: usize,
    /// Weights of a bucket.
    width: usize,
    buckets: usize,
}

impl Factoriser {
    /// That of a shape whose first layer has king buckets.
    pub fn of(shape: &Shape) -> Option<Factoriser> {
        let graph = shape.graph();
        let features = &graph.firsts.first()?.features;
        let buckets = features.pieces() / features.bucket_width();
        let span = *spans(&shape.layers()).first()?;
        (buckets > 1 && graph.firsts.len() == 1).then(|| Factoriser {
            parameters: shape.parameters(),
            width: features.bucket_width() * span.outputs,
            buckets,
        })
    }

    /// Parameters with the shared part.
    pub fn parameters(&self) -> usize {
        self.parameters + self.width
    }

    /// The weights of a network, the shared part taken out: the mean of all buckets, or for random weights
    /// (`fresh`) those of the first bucket, so that all buckets begin alike.
    pub fn split(&self, mut weights: Vec<f32>, fresh: bool) -> Vec<f32> {
        let Factoriser { width, buckets, .. } = *self;
        let mut shared = weights[..width].to_vec();
        if fresh {
            weights[..width * buckets].fill(0.0);
        } else {
            for bucket in weights[width..width * buckets].chunks_exact(width) {
                shared.iter_mut().zip(bucket).for_each(|(sum, weight)| *sum += weight);
            }
            shared.iter_mut().for_each(|sum| *sum /= buckets as f32);
            for bucket in weights[..width * buckets].chunks_exact_mut(width) {
                bucket.iter_mut().zip(&shared).for_each(|(weight, mean)| *weight -= mean);
            }
        }
        weights.extend(shared);
        weights
    }

    /// The weights of the network: those of its buckets with the shared part, within `limit`.
    pub fn fold(&self, weights: &[f32], limit: f32, into: &mut Vec<f32>) {
        let (own, shared) = weights.split_at(self.parameters);
        into.clear();
        into.extend_from_slice(own);
        for bucket in into[..self.width * self.buckets].chunks_exact_mut(self.width) {
            for (weight, shared) in bucket.iter_mut().zip(shared) {
                *weight = (*weight + shared).clamp(-limit, limit);
            }
        }
    }

    /// The gradient with that of the shared part: the sum of all buckets.
    pub fn extend_gradient(&self, gradient: &[f32], into: &mut Vec<f32>) {
        let width = self.width;
        into.clear();
        into.extend_from_slice(gradient);
        into.extend_from_slice(&gradient[..width]);
        let shared = &mut into[self.parameters..];
        for bucket in gradient[width..width * self.buckets].chunks_exact(width) {
            shared.iter_mut().zip(bucket).for_each(|(sum, derivative)| *sum += derivative);
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::eval::nnue::ARCHITECTURES;

    use super::*;
    use crate::network;

    #[test]
    fn folded_weights_are_those_of_the_network() {
        let mut factorised = Vec::new();
        for architecture in ARCHITECTURES {
            let shape = architecture.shape();
            let Some(factoriser) = Factoriser::of(&shape) else { continue };
            factorised.push(architecture.name);
            let start = network::start(&shape, 3);
            let mut folded = Vec::new();
            let split = factoriser.split(start.clone(), false);
            assert_eq!(split.len(), factoriser.parameters());
            factoriser.fold(&split, 1.98, &mut folded);
            let far = folded.iter().zip(&start).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 1e-6, "{shape}: {far}");
            factoriser.fold(&factoriser.split(start.clone(), true), 1.98, &mut folded);
            let width = factoriser.width;
            assert!(
                folded[..width] == start[..width] && folded[width..2 * width] == start[..width]
            );
            assert!(folded[width * factoriser.buckets..] == start[width * factoriser.buckets..]);
            let mut gradient = Vec::new();
            factoriser.extend_gradient(&vec![1.0; shape.parameters()], &mut gradient);
            assert!(
                gradient[factoriser.parameters..].iter().all(|&it| it == factoriser.buckets as f32)
            );
        }
        factorised.sort_unstable();
        assert_eq!(factorised, ["halfkp", "king-buckets"]);
    }
}
