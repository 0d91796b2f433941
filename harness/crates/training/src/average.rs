//! The mean of networks' weights (a model soup; M. Wortsman and others, "Model soups: averaging weights
//! of multiple fine-tuned models improves accuracy without increasing inference time", 2022).

use engine::eval::nnue::{LayerWeights, Network, NetworkError, Weights};
use miette::Diagnostic;
use thiserror::Error;

/// Networks that have no mean.
#[derive(Debug, Error, Diagnostic)]
pub enum AverageError {
    /// They are none.
    #[error("there is no network to average")]
    Nothing,
    /// They have not all one shape.
    #[error("network {number} is {found}, and the first one {first}")]
    #[diagnostic(help("only networks of one architecture and of the same sizes have a mean"))]
    Shape {
        /// Its number, from 1.
        number: usize,
        /// Its shape.
        found: String,
        /// The first network's.
        first: String,
    },
    /// The engine refuses the mean.
    #[error("the engine does not take the mean: {0}")]
    Refused(#[from] NetworkError),
}

/// The network whose weights are the means of those of networks of one shape, rounded to the nearest,
/// halves up.
///
/// Networks that were trained from the same one, on other data or with another seed, differ little, and
/// their errors are partly independent: their mean can be stronger than each of them. That is not to be
/// expected of networks that began with different random weights.
///
/// # Errors
/// When there is no network, or they differ in shape.
pub fn average(networks: &[Network]) -> Result<Network, AverageError> {
    let first = networks.first().ok_or(AverageError::Nothing)?;
    let shape = first.shape();
    let mut sums = vec![0_i64; shape.parameters()];
    for (number, network) in (1..).zip(networks) {
        if network.shape() != shape {
            let [found, first] = [network.shape(), shape].map(ToString::to_string);
            return Err(AverageError::Shape { number, found, first });
        }
        for (sum, weight) in sums.iter_mut().zip(numbers(&mut network.weights())) {
            *sum += i64::from(*weight);
        }
    }
    let count = networks.len() as i64;
    let mut mean = first.weights();
    for (weight, sum) in numbers(&mut mean).zip(sums) {
        // Within the range of the weights.
        *weight = (2 * sum + count).div_euclid(2 * count) as i32;
    }
    Ok(Network::new(*shape, &mean)?)
}

/// All weights and biases.
fn numbers(weights: &mut Weights) -> impl Iterator<Item = &mut i32> {
    weights
        .0
        .iter_mut()
        .flat_map(|LayerWeights { weights, biases }| weights.iter_mut().chain(biases))
}

#[cfg(test)]
mod tests {
    use engine::eval::nnue::Shape;

    use super::*;
    use crate::config::NetworkConfig;
    use crate::network::{quantised, start};

    fn network(shape: &Shape, seed: u64) -> Network {
        quantised(shape, &start(shape, seed), &[]).expect("a network")
    }

    #[test]
    fn each_weight_is_the_rounded_mean() {
        let shape = NetworkConfig::perspective(32).shape();
        let networks = [1, 2, 3].map(|seed| network(&shape, seed));
        let mean = average(&networks).expect("one shape");
        let [mut a, mut b, mut c] = networks.each_ref().map(Network::weights);
        let mut found = mean.weights();
        let all = numbers(&mut a).zip(numbers(&mut b)).zip(numbers(&mut c));
        let mut compared = 0;
        for (((a, b), c), found) in all.zip(numbers(&mut found)) {
            assert!((*a + *b + *c - 3 * *found).abs() <= 1, "{a} {b} {c}: {found}");
            compared += 1;
        }
        assert_eq!(compared, shape.parameters());
        let same = average(&[network(&shape, 1), network(&shape, 1)]).expect("one shape");
        assert!(same.weights() == networks[0].weights());
    }

    #[test]
    fn networks_of_two_shapes_have_no_mean() {
        let shapes = [32, 64].map(|hidden| NetworkConfig::perspective(hidden).shape());
        let networks = shapes.map(|shape| network(&shape, 1));
        let error = average(&networks).err().expect("two shapes").to_string();
        assert!(error.contains("network 2") && error.contains("-> 64"), "{error}");
        assert!(average(&[]).is_err());
    }
}
