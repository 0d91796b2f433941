//! Epochs and learning rates, as configured or as they fit the data.

use std::fmt;

use serde::Serialize;

use super::config::Learning;

/// Positions for each weight at which a training that starts from a network gains by one more epoch.
const WARM_POSITIONS_PER_EPOCH: f64 = 6.5;
/// Fewest and most epochs of a training that starts from a network.
const WARM_EPOCHS: [f64; 2] = [2.0, 12.0];
/// Rate of the first step of a training from a network at the fewest epochs, and at the most.
const WARM_RATES: [f64; 2] = [3e-4, 6e-4];
/// Fewest and most epochs from random weights: many passes over few positions, few over many.
const FRESH_EPOCHS: [f64; 2] = [10.0, 20.0];
/// Positions for each weight at which the fewest suffice.
const FRESH_POSITIONS: f64 = 40.0;
/// Steps that random weights need, however few positions there are; and the most epochs for that.
const FRESH_STEPS: f64 = 6_000.0;
const FRESH_EPOCHS_OF_FEW: f64 = 60.0;
/// Rates of the first step and of the last, from random weights.
pub const FRESH_RATES: [f64; 2] = [1e-3, 3e-5];
/// Rate of the last step of a training from a network.
const WARM_LAST_RATE: f64 = 1e-5;
/// Steps of the warm-up, unless they are more than a twentieth of all.
const WARM_UP: u64 = 200;

/// Epochs and learning rates of a training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Schedule {
    /// Passes over the training set.
    pub epochs: u32,
    /// Learning rate after the warm-up; it falls along a half cosine.
    pub learning_rate: f64,
    /// Learning rate of the last step.
    pub final_rate: f64,
    /// Steps in which the rate rises linearly from near 0.
    pub warmup: u64,
    /// Steps of an epoch.
    pub steps: u64,
}

impl Schedule {
    /// Schedule of a configuration, and for the rest the one that fits `positions` of a training set, a network of
    /// `weights`, and whether it starts from another network.
    ///
    /// The figures are those of trainings of this engine: from a network, 2 million positions for 200,000
    /// weights are learned by heart after two epochs at 3e-4, 12 million gain for twelve at 6e-4. From random
    /// weights, 350,000 positions in steps of 4,096 had a held-out loss of 0.00489 after 20 epochs, 0.00448 after
    /// 40 and 0.00434 after 60, 1.35 million 0.00395 after 10 and 0.00357 after 20: steps were too few, not
    /// positions.
    pub fn new(
        learning: &Learning,
        positions: usize,
        weights: usize,
        starts_from_network: bool,
        steps: u64,
    ) -> Schedule {
        let ratio = positions as f64 / weights.max(1) as f64;
        let (epochs, rate, last) = if starts_from_network {
            warm(ratio)
        } else {
            (fresh(ratio, steps), FRESH_RATES[0], FRESH_RATES[1])
        };
        let epochs = learning.epochs.unwrap_or(epochs.round() as u32);
        let learning_rate =
            learning.learning_rate.unwrap_or(rate.max(learning.final_rate.unwrap_or(0.0)));
        let final_rate = learning.final_rate.unwrap_or(last.min(learning_rate));
        let all = u64::from(epochs).saturating_mul(steps);
        let warmup = learning.warmup.map_or(WARM_UP.min(all / 20), u64::from);
        Schedule { epochs, learning_rate, final_rate, warmup, steps }
    }

    /// The share of all steps that `done` are, 0 for the first step and 1 for the last.
    pub fn share(&self, done: u64) -> f64 {
        let all = u64::from(self.epochs).saturating_mul(self.steps).max(2) - 1;
        done as f64 / all as f64
    }

    /// Whether an epoch is among the last fifth, where the best one is unless the training set was learned by
    /// heart.
    pub fn is_among_the_last(&self, epoch: u32) -> bool {
        epoch + (self.epochs / 5).max(1) > self.epochs
    }

    /// The learning rate of the step after `done` others: half a cosine from the first to the last, and a
    /// linear warm-up before.
    pub fn rate(&self, done: u64) -> f64 {
        let Schedule { learning_rate, final_rate, warmup, .. } = *self;
        let cosine = (std::f64::consts::PI * self.share(done)).cos();
        let rate = final_rate + (learning_rate - final_rate) * (1.0 + cosine) / 2.0;
        if done < warmup { rate * (done + 1) as f64 / (warmup + 1) as f64 } else { rate }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Schedule { epochs, learning_rate, final_rate, warmup, steps } = self;
        write!(
            f,
            "Schedule: epochs {epochs} of {steps} steps, learning rate {learning_rate:.1e} to \
             {final_rate:.1e}, warm-up of {warmup} steps"
        )
    }
}

/// Epochs from random weights, by the positions for each weight and the steps of an epoch.
fn fresh(ratio: f64, steps: u64) -> f64 {
    let [fewest, most] = FRESH_EPOCHS;
    let by_positions = (fewest * FRESH_POSITIONS / ratio.max(1e-9)).clamp(fewest, most);
    by_positions.max((FRESH_STEPS / steps.max(1) as f64).min(FRESH_EPOCHS_OF_FEW))
}

/// Epochs, first and last rate of a training from a network, by the positions for each weight.
fn warm(ratio: f64) -> (f64, f64, f64) {
    let [fewest, most] = WARM_EPOCHS;
    let epochs = (ratio / WARM_POSITIONS_PER_EPOCH).clamp(fewest, most);
    let share = (epochs / fewest).ln() / (most / fewest).ln();
    let [low, high] = WARM_RATES;
    (epochs, low * (high / low).powf(share), WARM_LAST_RATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(learning: Learning, positions: usize, warm: bool) -> Schedule {
        Schedule::new(&learning, positions, 200_968, warm, (positions / 16_384) as u64)
    }

    #[test]
    fn what_is_not_said_fits_the_data() {
        let usual = Learning::default();
        for (positions, warm, epochs, rate) in [
            (2_000_000, true, 2, 3e-4),
            (17_000_000, true, 12, 6e-4),
            (110_000_000, true, 12, 6e-4),
            (300_000, false, 60, 1e-3),
            (2_000_000, false, 49, 1e-3),
            (5_000_000, false, 20, 1e-3),
            (17_000_000, false, 10, 1e-3),
        ] {
            let found = schedule(usual, positions, warm);
            assert_eq!(found.epochs, epochs, "{positions} {warm}");
            assert!((found.learning_rate - rate).abs() < 1e-9, "{positions} {warm}: {found:?}");
            assert!(found.final_rate < found.learning_rate / 20.0);
        }
        let said = Learning {
            epochs: Some(3),
            learning_rate: Some(2e-5),
            warmup: Some(0),
            ..Learning::default()
        };
        let found = schedule(said, 2_000_000, true);
        assert_eq!((found.epochs, found.learning_rate, found.warmup), (3, 2e-5, 0));
        assert!(found.final_rate <= 2e-5);
    }

    #[test]
    fn the_rate_rises_in_the_warm_up_and_then_falls() {
        let found = schedule(Learning::default(), 17_000_000, true);
        assert_eq!(found.warmup, 200);
        let rates: Vec<f64> = (0..12 * found.steps).map(|done| found.rate(done)).collect();
        let (rising, falling) = rates.split_at(200);
        assert!(rising.is_sorted() && falling.is_sorted_by(|a, b| a >= b));
        assert!(rising[0] < 1e-5 && (falling[0] - 6e-4).abs() < 1e-6);
        assert!((rates[rates.len() - 1] - 1e-5).abs() < 1e-9);
    }
}
