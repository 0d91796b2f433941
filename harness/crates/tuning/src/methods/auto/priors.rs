//! Priors of the weights, and how they are learned from the results.
//!
//! The prior of a weight is normal. Its variance is that of its group, times the relevance of the
//! coordinates that the feature is made of: a parameter that does not matter has small weights of
//! every degree (automatic relevance determination, R. Neal, "Bayesian Learning for Neural
//! Networks", section 4.1). The squares have a prior mean as well, as strength falls off in every
//! direction. All of them follow from the results by expectation maximisation.

use nalgebra::DMatrix;

use super::features::{Features, GROUPS, Group};

/// Prior mean of the loss at a whole range from the optimum, divided by the number of parameters,
/// in Elo, ...
const CURVATURE: f64 = 400.0;
/// ... and what each has anyway.
const MIN_CURVATURE: f64 = 20.0;
/// Bound on the prior mean of the loss.
const FLATTEST: f64 = 5.0;
/// First standard deviation of the cubes', fourth powers' and products' weights, as a share of the
/// squares'.
const FIRST_SHARE: f64 = 0.3;
/// How many features count for the first relevance of a parameter, which is 1.
const RELEVANCE_WEIGHT: f64 = 30.0;
/// Bounds on the relevance of a parameter.
const RELEVANCE: [f64; 2] = [1e-3, 1e3];

/// Parts of the priors, but for the relevances.
#[derive(Clone, Copy, Debug)]
struct Scales {
    /// Prior variance of each group, of parameters of relevance 1.
    variances: [f64; GROUPS],
    /// Prior mean of the squares' weights.
    curvature: f64,
}

/// Prior mean and variance of a weight.
#[derive(Clone, Copy, Debug)]
pub struct Prior {
    /// In Elo.
    pub mean: f64,
    /// In Elo².
    pub variance: f64,
}

/// The priors of all weights.
#[derive(Clone, Debug)]
pub struct Priors {
    features: Features,
    /// Before any result. They count as one weight of each group whenever the priors are learned,
    /// which keeps small groups stable.
    first: Scales,
    scales: Scales,
    /// Relevance of each parameter; the geometric mean is 1.
    relevance: Vec<f64>,
}

impl Priors {
    /// The priors before any result.
    pub fn new(features: Features) -> Priors {
        let curvature = CURVATURE / features.dimension() as f64 + MIN_CURVATURE;
        let variances = features.groups().map(|(group, _)| {
            let share = match group {
                Group::Linear | Group::Square => 1.0,
                Group::Cube | Group::Fourth | Group::Product => FIRST_SHARE,
            };
            (share * curvature).powi(2)
        });
        let first = Scales { variances, curvature: -curvature };
        Priors { first, scales: first, relevance: vec![1.0; features.dimension()], features }
    }

    /// Elo that a parameter loses at a whole range from the optimum, by the prior mean.
    pub fn curvature(&self) -> f64 {
        -self.scales.curvature
    }

    /// Factor on the variance of a weight.
    fn relevance(&self, feature: usize) -> f64 {
        let [i, j] = self.features.coordinates(feature);
        (self.relevance[i] * self.relevance[j]).sqrt()
    }

    fn mean(&self, group: Group, feature: usize) -> f64 {
        match group {
            Group::Square => self.scales.curvature * self.relevance(feature).sqrt(),
            Group::Linear | Group::Cube | Group::Fourth | Group::Product => 0.0,
        }
    }

    /// The priors in the order of the features.
    pub fn each(&self) -> impl Iterator<Item = Prior> {
        let groups = self.features.groups().into_iter().zip(self.scales.variances);
        groups.flat_map(move |((group, range), variance)| {
            range.map(move |feature| Prior {
                mean: self.mean(group, feature),
                variance: variance * self.relevance(feature),
            })
        })
    }

    /// One step of expectation maximisation, given the posterior of the weights (C. Bishop,
    /// "Pattern Recognition and Machine Learning", section 9.3.4).
    pub fn learn(&mut self, weights: &[f64], covariance: &DMatrix<f64>) {
        self.learn_relevance(weights, covariance);
        for (number, (group, range)) in self.features.groups().into_iter().enumerate() {
            let count = range.len() as f64 + 1.0;
            if group == Group::Square {
                let squares = range.clone().map(|i| weights[i] / self.relevance(i).sqrt());
                let sum = squares.sum::<f64>() + self.first.curvature;
                self.scales.curvature = (sum / count).min(-FLATTEST);
            }
            let square = |i: usize| {
                let off = weights[i] - self.mean(group, i);
                (off * off + covariance[(i, i)]) / self.relevance(i)
            };
            let sum = range.map(square).sum::<f64>() + self.first.variances[number];
            self.scales.variances[number] = sum / count;
        }
    }

    /// A parameter is as relevant as the weights of its features are larger than their priors'
    /// deviations; those of a product count half for either parameter.
    fn learn_relevance(&mut self, weights: &[f64], covariance: &DMatrix<f64>) {
        let mut squares = vec![RELEVANCE_WEIGHT; self.relevance.len()];
        let mut counts = squares.clone();
        for (feature, prior) in self.each().enumerate() {
            let off = weights[feature] - prior.mean;
            let square = (off * off + covariance[(feature, feature)]) / prior.variance;
            for coordinate in self.features.coordinates(feature) {
                squares[coordinate] += 0.5 * square;
                counts[coordinate] += 0.5;
            }
        }
        let [least, most] = RELEVANCE;
        for (relevance, (square, count)) in
            self.relevance.iter_mut().zip(squares.iter().zip(&counts))
        {
            *relevance = (*relevance * square / count).clamp(least, most);
        }
        let logs: f64 = self.relevance.iter().map(|relevance| relevance.ln()).sum();
        let mean = (logs / self.relevance.len() as f64).exp();
        for relevance in &mut self.relevance {
            *relevance /= mean;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights of a landscape in which the first parameter matters and the other does not.
    #[test]
    fn a_parameter_with_small_weights_loses_relevance() {
        let features = Features::new(2);
        let mut priors = Priors::new(features);
        let mut weights = vec![0.0; features.len()];
        for degree in 0..4 {
            weights[2 * degree] = -300.0;
        }
        let covariance = DMatrix::zeros(features.len(), features.len());
        for _ in 0..30 {
            priors.learn(&weights, &covariance);
        }
        assert!(priors.relevance[0] > 4.0 * priors.relevance[1], "{:?}", priors.relevance);
        assert!((priors.relevance[0] * priors.relevance[1] - 1.0).abs() < 1e-9);
        let of = |feature: usize| priors.each().nth(feature).expect("a feature").variance;
        assert!(of(0) > 4.0 * of(1) && of(8) < of(0));
    }
}
