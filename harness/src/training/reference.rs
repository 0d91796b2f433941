//! What is reached by counting pieces: a network that does no better has learnt nothing.

use super::sample::Sample;
use super::step::Teacher;

/// The mean squared error of the expected result by material alone, `1 / (1 + exp(-k m))` with the
/// best `k` for these positions.
pub fn material_loss(teacher: &Teacher, samples: &[Sample]) -> f64 {
    let rows: Vec<(f64, f64)> = samples
        .iter()
        .map(|sample| (f64::from(sample.material()), f64::from(teacher.target(sample))))
        .collect();
    let loss = |k: f64| {
        let error = |&(material, target): &(f64, f64)| {
            let error = 1.0 / (1.0 + (-k * material).exp()) - target;
            error * error
        };
        rows.iter().map(error).sum::<f64>() / rows.len().max(1) as f64
    };
    // One valley: closer and closer around its bottom.
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        if loss(low + third) < loss(high - third) { high -= third } else { low += third }
    }
    loss((low + high) / 2.0)
}
