//! AdamW: steps scaled by the moments of the gradient, and weight decay apart from them.
//!
//! Source: I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization" (2019).

/// Decay of the first moment (beta 1).
const BETA1: f32 = 0.9;
/// Decay of the second moment (beta 2).
const BETA2: f32 = 0.999;
/// Avoids a division by zero.
const EPSILON: f32 = 1e-8;

/// Neighbouring parameters with the same limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterGroup {
    /// The place behind its last parameter in the list of all.
    pub end: usize,
    /// The largest absolute value.
    pub limit: f32,
    /// Its parameters are not trained.
    pub frozen: bool,
}

/// The state of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// First moments: running means of the gradient.
    pub means: Vec<f32>,
    /// Second moments: running means of its squares.
    pub squares: Vec<f32>,
    /// Steps taken.
    pub steps: u64,
}

impl AdamW {
    /// Of a number of parameters.
    pub fn new(weights: usize) -> AdamW {
        AdamW { means: vec![0.0; weights], squares: vec![0.0; weights], steps: 0 }
    }

    /// Takes a step along `scale` times `gradient`. The groups of parameters follow each other.
    pub fn step(
        &mut self,
        weights: &mut [f32],
        gradient: &[f32],
        scale: f32,
        rate: f32,
        decay: f32,
        groups: &[ParameterGroup],
    ) {
        self.steps += 1;
        let steps = self.steps as f64;
        let first = (1.0 - f64::from(BETA1).powf(steps)) as f32;
        let second = (1.0 - f64::from(BETA2).powf(steps)) as f32;
        let mut start = 0;
        for &ParameterGroup { end, limit, frozen } in groups {
            let part = start..end;
            start = end;
            if frozen {
                continue;
            }
            let rows = weights[part.clone()]
                .iter_mut()
                .zip(&gradient[part.clone()])
                .zip(&mut self.means[part.clone()])
                .zip(&mut self.squares[part]);
            for (((weight, derivative), mean), square) in rows {
                let derivative = derivative * scale;
                *mean = BETA1 * *mean + (1.0 - BETA1) * derivative;
                *square = BETA2 * *square + (1.0 - BETA2) * derivative * derivative;
                let step = (*mean / first) / ((*square / second).sqrt() + EPSILON);
                *weight = (*weight - rate * (step + decay * *weight)).clamp(-limit, limit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(end: usize, limit: f32) -> ParameterGroup {
        ParameterGroup { end, limit, frozen: false }
    }

    #[test]
    fn frozen_parameters_stay() {
        let mut weights = [1.0, 2.0, 3.0];
        let gradient = [1.0; 3];
        let parts = [part(1, 9.0), ParameterGroup { frozen: true, ..part(2, 9.0) }, part(3, 9.0)];
        AdamW::new(3).step(&mut weights, &gradient, 1.0, 0.5, 0.1, &parts);
        assert!(weights[0] < 1.0 && weights[1] == 2.0 && weights[2] < 3.0, "{weights:?}");
    }

    #[test]
    fn a_parabola_is_minimised_within_the_limits() {
        let mut weights = [3.0, -3.0, 0.5];
        let mut adam = AdamW::new(3);
        for _ in 0..4_000 {
            let gradient: Vec<f32> =
                weights.iter().zip([1.0, -1.0, 9.0]).map(|(w, goal)| 2.0 * (w - goal)).collect();
            adam.step(&mut weights, &gradient, 1.0, 0.01, 0.0, &[part(2, 4.0), part(3, 2.0)]);
        }
        for (weight, goal) in weights.into_iter().zip([1.0, -1.0, 2.0]) {
            assert!((weight - goal).abs() < 1e-2, "{weight} is not {goal}");
        }
    }

    #[test]
    fn a_weight_without_gradient_decays() {
        let mut weights = [1.0];
        let mut adam = AdamW::new(1);
        let parts = [part(1, 9.0)];
        (0..100).for_each(|_| adam.step(&mut weights, &[0.0], 1.0, 0.01, 0.1, &parts));
        assert!((weights[0] - 0.999_f32.powi(100)).abs() < 1e-4, "{}", weights[0]);
    }
}
