//! Gaussian process prior of a landscape: a random quadratic plus a Matérn process.
//!
//! With `z = (x - start) / length`, the strength is `Σ gᵢ zᵢ - Σ κᵢ zᵢ² + Σ hᵢⱼ zᵢ zⱼ + r(z)`: a
//! quadratic with normal coefficients, the curvatures `κ` with the amplitude as mean and all others
//! with mean zero, and a Gaussian process `r` with a Matérn 5/2 kernel. The lengths, one a
//! parameter, are relevances (ARD). The sum is a Gaussian process again: means and kernels add up.
//!
//! Formulas: C. Rasmussen and C. Williams, "Gaussian Processes for Machine Learning", sections
//! 2.7 (explicit basis functions) and 4.2.1 (Matérn).

/// Standard deviation of a linear coefficient `g`, in amplitudes.
const LINEAR: f64 = 1.0;
/// Standard deviation of a curvature `κ`, in amplitudes.
const CURVATURE: f64 = 0.5;

/// Hyperparameters. Distances between random points grow with the square root of the dimension, and
/// so does the length scale of `r` (C. Hvarfner and others, "Vanilla Bayesian Optimization Performs
/// Great in High Dimensions").
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    /// Prior mean of the curvature at a length of 1, in Elo.
    pub amplitude: f64,
    /// Standard deviation of an interaction `h`, in amplitudes.
    pub interaction: f64,
    /// Standard deviation of `r`, in amplitudes.
    pub residual: f64,
    /// Length scale of each parameter, in ranges.
    pub lengths: Vec<f64>,
}

/// Terms of a kernel's value, before scaling.
struct Parts {
    linear: f64,
    curvature: f64,
    matern: f64,
    /// Negative derivative of `matern` by half the squared distance.
    matern_decay: f64,
}

impl Prior {
    /// Prior medians of the hyperparameters.
    pub fn median(dimension: usize) -> Prior {
        let logs: Vec<f64> =
            (0..HEAD + dimension).map(|i| Prior::hyperprior(i, dimension).0).collect();
        Prior::of_logs(&logs)
    }

    /// Mean and standard deviation of the logarithm of hyperparameter number `index`. The number of
    /// quadratic terms grows with the dimension, and the scale of `r` with it.
    pub fn hyperprior(index: usize, dimension: usize) -> (f64, f64) {
        match index {
            0 => (30f64.ln(), 1.0),
            1 => (0.3f64.ln(), 0.5),
            2 => ((0.4 * (dimension as f64).sqrt()).ln(), 0.7),
            _ => (0.5f64.ln(), 0.5),
        }
    }

    /// Logarithms of all hyperparameters.
    pub fn logs(&self) -> Vec<f64> {
        let head = [self.amplitude, self.interaction, self.residual];
        head.iter().chain(&self.lengths).map(|value| value.ln()).collect()
    }

    /// Hyperparameters from their logarithms.
    pub fn of_logs(logs: &[f64]) -> Prior {
        Prior {
            amplitude: logs[0].exp(),
            interaction: logs[1].exp(),
            residual: logs[2].exp(),
            lengths: logs[HEAD..].iter().map(|log| log.exp()).collect(),
        }
    }

    /// A place relative to the start, in lengths.
    pub fn scaled(&self, place: &[f64]) -> Vec<f64> {
        place.iter().zip(&self.lengths).map(|(x, length)| x / length).collect()
    }

    /// Prior mean of the strength at `z`, in Elo.
    pub fn mean(&self, z: &[f64]) -> f64 {
        -self.amplitude * z.iter().map(|z| z * z).sum::<f64>()
    }

    /// Gradient of the mean by `z`.
    pub fn mean_gradient(&self, z: &[f64]) -> Vec<f64> {
        z.iter().map(|z| -2.0 * self.amplitude * z).collect()
    }

    fn squared_scale(&self) -> f64 {
        self.lengths.len() as f64
    }

    fn parts(&self, a: &[f64], b: &[f64]) -> Parts {
        let mut linear = 0.0;
        let mut curvature = 0.0;
        let mut distance = 0.0;
        for (a, b) in a.iter().zip(b) {
            let product = a * b;
            linear += product;
            curvature += product * product;
            distance += (a - b) * (a - b);
        }
        let r = (5.0 * distance / self.squared_scale()).sqrt();
        let decay = (-r).exp();
        Parts {
            linear,
            curvature,
            matern: (1.0 + r + r * r / 3.0) * decay,
            matern_decay: 5.0 / 3.0 * (1.0 + r) * decay / self.squared_scale(),
        }
    }

    /// Covariance of the strengths at `a` and `b`, in Elo².
    pub fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        self.covariance_of(&self.parts(a, b))
    }

    /// Adds `weight` times the covariance of the strengths at `a` and `b`, and its derivative by `a`.
    pub fn add_covariance(
        &self,
        a: &[f64],
        b: &[f64],
        weight: f64,
        (value, gradient): (&mut f64, &mut [f64]),
    ) {
        let parts = self.parts(a, b);
        *value += weight * self.covariance_of(&parts);
        self.add_gradient_of(&parts, (a, b), weight, gradient);
    }

    fn covariance_of(&self, parts: &Parts) -> f64 {
        let Parts { linear, curvature, matern, .. } = *parts;
        let quadratic = LINEAR.powi(2) * linear
            + CURVATURE.powi(2) * curvature
            + self.interaction.powi(2) * 0.5 * (linear * linear - curvature);
        self.amplitude.powi(2) * (quadratic + self.residual.powi(2) * matern)
    }

    /// Covariance of the gradient (by `z`) at `a` with the strength at `b`: the derivative of
    /// [`Prior::covariance`] by `a`. Adds `weight` times it to `sum`.
    pub fn add_gradient_covariance(&self, a: &[f64], b: &[f64], weight: f64, sum: &mut [f64]) {
        self.add_gradient_of(&self.parts(a, b), (a, b), weight, sum);
    }

    fn add_gradient_of(
        &self,
        parts: &Parts,
        (a, b): (&[f64], &[f64]),
        weight: f64,
        sum: &mut [f64],
    ) {
        let Parts { linear, matern_decay, .. } = *parts;
        let weight = weight * self.amplitude.powi(2);
        let interaction = self.interaction.powi(2);
        let residual = self.residual.powi(2) * matern_decay;
        for ((a, b), sum) in a.iter().zip(b).zip(sum) {
            let cubic = a * b * b;
            *sum += weight
                * (LINEAR.powi(2) * b
                    + CURVATURE.powi(2) * 2.0 * cubic
                    + interaction * (linear * b - cubic)
                    - residual * (a - b));
        }
    }

    /// Covariance of the components `i` and `j` of the gradient (by `z`) at one place.
    pub fn gradient_covariance(&self, z: &[f64], i: usize, j: usize) -> f64 {
        let cross = self.interaction.powi(2) * z[i] * z[j];
        let value = if i == j {
            let others: f64 = z.iter().map(|z| z * z).sum::<f64>() - z[i] * z[i];
            LINEAR.powi(2)
                + 4.0 * CURVATURE.powi(2) * z[i] * z[i]
                + self.interaction.powi(2) * others
                + self.residual.powi(2) * 5.0 / 3.0 / self.squared_scale()
        } else {
            cross
        };
        self.amplitude.powi(2) * value
    }

    /// Adds `weight` times the derivatives of the covariance of `a` and `b` by the logarithms of
    /// the hyperparameters.
    pub fn add_log_gradient(&self, a: &[f64], b: &[f64], weight: f64, sums: &mut [f64]) {
        let Parts { linear, curvature, matern, matern_decay } = self.parts(a, b);
        let weight = weight * self.amplitude.powi(2);
        let interaction = self.interaction.powi(2);
        let residual = self.residual.powi(2);
        let interactions = interaction * 0.5 * (linear * linear - curvature);
        let quadratic = LINEAR.powi(2) * linear + CURVATURE.powi(2) * curvature + interactions;
        sums[0] += weight * 2.0 * (quadratic + residual * matern);
        sums[1] += weight * 2.0 * interactions;
        sums[2] += weight * 2.0 * residual * matern;
        for ((a, b), sum) in a.iter().zip(b).zip(&mut sums[HEAD..]) {
            let product = a * b;
            *sum += weight
                * (-2.0 * LINEAR.powi(2) * product - 4.0 * CURVATURE.powi(2) * product * product
                    + interaction * 2.0 * (product * product - linear * product)
                    + residual * matern_decay * (a - b) * (a - b));
        }
    }

    /// Adds `weight` times the derivatives of the mean at `z` by the logarithms.
    pub fn add_mean_log_gradient(&self, z: &[f64], weight: f64, sums: &mut [f64]) {
        sums[0] += weight * self.mean(z);
        for (z, sum) in z.iter().zip(&mut sums[HEAD..]) {
            *sum += weight * 2.0 * self.amplitude * z * z;
        }
    }
}

/// Hyperparameters before the lengths.
pub const HEAD: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 3] = [0.3, -0.7, 0.2];
    const B: [f64; 3] = [-0.4, -0.1, 0.9];

    fn prior() -> Prior {
        Prior { amplitude: 40.0, interaction: 0.4, residual: 0.6, lengths: vec![0.5, 0.8, 1.1] }
    }

    fn nearly(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-5 * (1.0 + a.abs())
    }

    #[test]
    fn gradients_by_place_match_finite_differences() {
        let prior = prior();
        let h = 1e-5;
        let moved = |i: usize, by: f64| {
            let mut a = A;
            a[i] += by;
            a
        };
        let gradient_at = |a: &[f64], b: &[f64]| {
            let mut sum = vec![0.0; 3];
            prior.add_gradient_covariance(a, b, 1.0, &mut sum);
            sum
        };
        for i in 0..3 {
            let by_steps = (prior.covariance(&moved(i, h), &B)
                - prior.covariance(&moved(i, -h), &B))
                / (2.0 * h);
            assert!(nearly(gradient_at(&A, &B)[i], by_steps));
            let mean = (prior.mean(&moved(i, h)) - prior.mean(&moved(i, -h))) / (2.0 * h);
            assert!(nearly(prior.mean_gradient(&A)[i], mean));
            for j in 0..3 {
                let up = gradient_at(&A, &moved(j, h));
                let down = gradient_at(&A, &moved(j, -h));
                let twice = (up[i] - down[i]) / (2.0 * h);
                assert!((prior.gradient_covariance(&A, i, j) - twice).abs() < 1.0, "{i} {j}");
            }
        }
    }

    #[test]
    fn gradients_by_hyperparameters_match_finite_differences() {
        let prior = prior();
        let h = 1e-6;
        let x = [0.15, -0.56, 0.22];
        let y = [-0.2, -0.08, 0.99];
        let of = |prior: &Prior| {
            let a = prior.scaled(&x);
            let b = prior.scaled(&y);
            (prior.covariance(&a, &b), prior.mean(&a))
        };
        let mut sums = vec![0.0; 6];
        let mut means = vec![0.0; 6];
        let a = prior.scaled(&x);
        let b = prior.scaled(&y);
        prior.add_log_gradient(&a, &b, 1.0, &mut sums);
        prior.add_mean_log_gradient(&a, 1.0, &mut means);
        for i in 0..6 {
            let moved = |by: f64| {
                let mut logs = prior.logs();
                logs[i] += by;
                of(&Prior::of_logs(&logs))
            };
            let up = moved(h);
            let down = moved(-h);
            assert!(nearly(sums[i], (up.0 - down.0) / (2.0 * h)), "{i}");
            assert!(nearly(means[i], (up.1 - down.1) / (2.0 * h)), "{i}");
        }
    }
}
