//! The material baseline: the loss of an evaluation by material alone, which a network must beat.

use super::batch::Objective;
use super::packed::PackedPosition;
use harness_stats::logistic;

/// The mean squared error of the expected score by material alone, `1 / (1 + exp(-k m))` with the
/// best `k` for these positions.
pub fn material_loss(objective: &Objective, samples: &[PackedPosition]) -> f64 {
    let rows: Vec<(f64, f64)> = samples
        .iter()
        .map(|sample| (f64::from(sample.material()), f64::from(objective.target(sample))))
        .collect();
    let loss = |k: f64| {
        let error = |&(material, target): &(f64, f64)| {
            let error = logistic(k * material) - target;
            error * error
        };
        rows.iter().map(error).sum::<f64>() / rows.len().max(1) as f64
    };
    // Ternary search: the loss has one minimum.
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        if loss(low + third) < loss(high - third) { high -= third } else { low += third }
    }
    loss((low + high) / 2.0)
}
