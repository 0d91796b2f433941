//! Loss functions of a fit.

use serde::{Deserialize, Serialize};

use harness_stats::logistic;

/// Distance between an expected result and a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The square of the difference, as in Texel's method.
    #[default]
    Squared,
    /// Cross entropy, in nats.
    Logistic,
}

impl Kind {
    /// The loss and its derivative by `x`, where `logistic(x)` should be `label`.
    #[inline]
    pub fn at(self, x: f64, label: f64) -> (f64, f64) {
        let expected = logistic(x);
        let gap = expected - label;
        match self {
            Kind::Squared => (gap * gap, 2.0 * gap * expected * (1.0 - expected)),
            // ln(1 + exp(x)) without overflow.
            Kind::Logistic => ((-x.abs()).exp().ln_1p() + x.max(0.0) - label * x, gap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_finite_differences() {
        for kind in [Kind::Squared, Kind::Logistic] {
            for x in [-6.0, -0.7, 0.0, 0.3, 5.0] {
                for label in [0.0, 0.5, 0.8, 1.0] {
                    let h = 1e-5;
                    let derivative =
                        (kind.at(x + h, label).0 - kind.at(x - h, label).0) / (2.0 * h);
                    assert!(
                        (derivative - kind.at(x, label).1).abs() < 1e-8,
                        "{kind:?} {x} {label}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_loss_is_finite_however_far_off_an_evaluation_is() {
        for kind in [Kind::Squared, Kind::Logistic] {
            for x in [-5_000.0, 5_000.0] {
                let (loss, derivative) = kind.at(x, 0.5);
                assert!(loss.is_finite() && derivative.is_finite(), "{kind:?} {x}");
            }
        }
    }
}
