//! AdamW: steps scaled by how a slope varied, and a pull to zero apart from them.
//!
//! Source: I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization" (2019).

/// Share of the running mean of slopes that is kept.
const MOMENTUM: f32 = 0.9;
/// Share of the running mean of their squares that is kept.
const SQUARES: f32 = 0.999;
const TINY: f32 = 1e-8;

/// Weights that stand together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The place behind its last weight in the list of all.
    pub end: usize,
    /// No weight is farther from zero.
    pub limit: f32,
    /// Its weights stay as they are.
    pub frozen: bool,
}

/// The state of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// Running means of slopes, one a weight.
    pub means: Vec<f32>,
    /// Running means of their squares.
    pub squares: Vec<f32>,
    /// Steps made.
    pub steps: u64,
}

impl AdamW {
    /// For so many weights.
    pub fn new(weights: usize) -> AdamW {
        AdamW { means: vec![0.0; weights], squares: vec![0.0; weights], steps: 0 }
    }

    /// Makes a step with slopes that are `share` of the numbers in `gradient`. The parts follow
    /// each other; what is said of each is kept to.
    pub fn step(
        &mut self,
        weights: &mut [f32],
        gradient: &[f32],
        share: f32,
        rate: f32,
        decay: f32,
        parts: &[Part],
    ) {
        self.steps += 1;
        let steps = self.steps as f64;
        let first = (1.0 - f64::from(MOMENTUM).powf(steps)) as f32;
        let second = (1.0 - f64::from(SQUARES).powf(steps)) as f32;
        let mut start = 0;
        for &Part { end, limit, frozen } in parts {
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
            for (((weight, slope), mean), square) in rows {
                let slope = slope * share;
                *mean = MOMENTUM * *mean + (1.0 - MOMENTUM) * slope;
                *square = SQUARES * *square + (1.0 - SQUARES) * slope * slope;
                let step = (*mean / first) / ((*square / second).sqrt() + TINY);
                *weight = (*weight - rate * (step + decay * *weight)).clamp(-limit, limit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(end: usize, limit: f32) -> Part {
        Part { end, limit, frozen: false }
    }

    #[test]
    fn what_is_frozen_stays() {
        let (mut weights, gradient) = ([1.0, 2.0, 3.0], [1.0; 3]);
        let parts = [part(1, 9.0), Part { frozen: true, ..part(2, 9.0) }, part(3, 9.0)];
        AdamW::new(3).step(&mut weights, &gradient, 1.0, 0.5, 0.1, &parts);
        assert!(weights[0] < 1.0 && weights[1] == 2.0 && weights[2] < 3.0, "{weights:?}");
    }

    #[test]
    fn a_bowl_is_descended_and_the_limits_are_kept() {
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
    fn a_weight_without_slope_decays() {
        let mut weights = [1.0];
        let mut adam = AdamW::new(1);
        let parts = [part(1, 9.0)];
        (0..100).for_each(|_| adam.step(&mut weights, &[0.0], 1.0, 0.01, 0.1, &parts));
        assert!((weights[0] - 0.999_f32.powi(100)).abs() < 1e-4, "{}", weights[0]);
    }
}
