//! What is expected of a landscape before any game: a valley with an unknown bottom, and bumps.
//!
//! With `z = (x - start) / length`, the strength is
//! `Σ gᵢ zᵢ - Σ κᵢ zᵢ² + Σ hᵢⱼ zᵢ zⱼ + bumps(z)`: a quadratic whose coefficients are normal, the
//! curvatures `κ` around the amplitude and all others around none, and a Gaussian process with a
//! Matérn 5/2 kernel. The lengths, one a parameter, say how much each of them matters. All of it
//! is a Gaussian process again: the sums of the terms' means and kernels.
//!
//! Formulas: C. Rasmussen and C. Williams, "Gaussian Processes for Machine Learning", sections
//! 2.7 (explicit basis functions) and 4.2.1 (Matérn).

/// Standard deviation of a slope `g`, in amplitudes.
const SLOPE: f64 = 1.0;
/// Standard deviation of a curvature `κ`, in amplitudes.
const CURVATURE: f64 = 0.5;

/// Hyperparameters. The distances between random points grow with the root of the dimension,
/// and so does the reach of the bumps (C. Hvarfner and others, "Vanilla Bayesian Optimization
/// Performs Great in High Dimensions").
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Curvature to expect at a length of 1, in Elo.
    pub amplitude: f64,
    /// Standard deviation of an interaction `h`, in amplitudes.
    pub interaction: f64,
    /// Standard deviation of the bumps, in amplitudes.
    pub bumps: f64,
    /// Distance over which each parameter matters, in ranges.
    pub lengths: Vec<f64>,
}

/// The parts of a kernel's value, not yet scaled.
struct Parts {
    slope: f64,
    curvature: f64,
    matern: f64,
    /// Derivative of `matern` by half the squared distance, with the sign turned.
    falling: f64,
}

impl Shape {
    /// Hyperparameters before any game.
    pub fn expected(dimension: usize) -> Shape {
        let logs: Vec<f64> = (0..HEAD + dimension).map(|i| Shape::prior(i, dimension).0).collect();
        Shape::of_logs(&logs)
    }

    /// Mean and standard deviation of the logarithm of hyperparameter number `index`.
    /// There are more terms of the quadratic with the dimension, and the bumps with them.
    pub fn prior(index: usize, dimension: usize) -> (f64, f64) {
        match index {
            0 => (30f64.ln(), 1.0),
            1 => (0.3f64.ln(), 0.5),
            2 => ((0.4 * (dimension as f64).sqrt()).ln(), 0.7),
            _ => (0.5f64.ln(), 0.5),
        }
    }

    /// Logarithms of all hyperparameters.
    pub fn logs(&self) -> Vec<f64> {
        let head = [self.amplitude, self.interaction, self.bumps];
        head.iter().chain(&self.lengths).map(|value| value.ln()).collect()
    }

    /// Hyperparameters of their logarithms.
    pub fn of_logs(logs: &[f64]) -> Shape {
        Shape {
            amplitude: logs[0].exp(),
            interaction: logs[1].exp(),
            bumps: logs[2].exp(),
            lengths: logs[HEAD..].iter().map(|log| log.exp()).collect(),
        }
    }

    /// A place relative to the start, in lengths.
    pub fn scaled(&self, place: &[f64]) -> Vec<f64> {
        place.iter().zip(&self.lengths).map(|(x, length)| x / length).collect()
    }

    /// Expected strength at `z`, in Elo.
    pub fn mean(&self, z: &[f64]) -> f64 {
        -self.amplitude * z.iter().map(|z| z * z).sum::<f64>()
    }

    /// Slope of the mean by `z`.
    pub fn mean_slope(&self, z: &[f64]) -> Vec<f64> {
        z.iter().map(|z| -2.0 * self.amplitude * z).collect()
    }

    fn reach(&self) -> f64 {
        self.lengths.len() as f64
    }

    fn parts(&self, a: &[f64], b: &[f64]) -> Parts {
        let (mut slope, mut curvature, mut distance) = (0.0, 0.0, 0.0);
        for (a, b) in a.iter().zip(b) {
            let product = a * b;
            slope += product;
            curvature += product * product;
            distance += (a - b) * (a - b);
        }
        let r = (5.0 * distance / self.reach()).sqrt();
        let decay = (-r).exp();
        Parts {
            slope,
            curvature,
            matern: (1.0 + r + r * r / 3.0) * decay,
            falling: 5.0 / 3.0 * (1.0 + r) * decay / self.reach(),
        }
    }

    /// Covariance of the strengths at `a` and `b`, in Elo².
    pub fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        let Parts { slope, curvature, matern, .. } = self.parts(a, b);
        let quadratic = SLOPE.powi(2) * slope
            + CURVATURE.powi(2) * curvature
            + self.interaction.powi(2) * 0.5 * (slope * slope - curvature);
        self.amplitude.powi(2) * (quadratic + self.bumps.powi(2) * matern)
    }

    /// Covariance of the slope (by `z`) at `a` with the strength at `b`: the derivative of
    /// [`Shape::covariance`] by `a`. Adds `weight` times it to `sum`.
    pub fn add_slope_covariance(&self, a: &[f64], b: &[f64], weight: f64, sum: &mut [f64]) {
        let Parts { slope, falling, .. } = self.parts(a, b);
        let weight = weight * self.amplitude.powi(2);
        let (interaction, bumps) = (self.interaction.powi(2), self.bumps.powi(2) * falling);
        for ((a, b), sum) in a.iter().zip(b).zip(sum) {
            let cubic = a * b * b;
            *sum += weight
                * (SLOPE.powi(2) * b
                    + CURVATURE.powi(2) * 2.0 * cubic
                    + interaction * (slope * b - cubic)
                    - bumps * (a - b));
        }
    }

    /// Covariance of the slopes (by `z`) in directions `i` and `j` at one place.
    pub fn slopes_covariance(&self, z: &[f64], i: usize, j: usize) -> f64 {
        let mixed = self.interaction.powi(2) * z[i] * z[j];
        let value = if i == j {
            let others: f64 = z.iter().map(|z| z * z).sum::<f64>() - z[i] * z[i];
            SLOPE.powi(2)
                + 4.0 * CURVATURE.powi(2) * z[i] * z[i]
                + self.interaction.powi(2) * others
                + self.bumps.powi(2) * 5.0 / 3.0 / self.reach()
        } else {
            mixed
        };
        self.amplitude.powi(2) * value
    }

    /// Adds `weight` times the derivatives of the covariance of `a` and `b` by the logarithms of
    /// the hyperparameters.
    pub fn add_log_slopes(&self, a: &[f64], b: &[f64], weight: f64, sums: &mut [f64]) {
        let Parts { slope, curvature, matern, falling } = self.parts(a, b);
        let weight = weight * self.amplitude.powi(2);
        let (interaction, bumps) = (self.interaction.powi(2), self.bumps.powi(2));
        let crossed = interaction * 0.5 * (slope * slope - curvature);
        let quadratic = SLOPE.powi(2) * slope + CURVATURE.powi(2) * curvature + crossed;
        sums[0] += weight * 2.0 * (quadratic + bumps * matern);
        sums[1] += weight * 2.0 * crossed;
        sums[2] += weight * 2.0 * bumps * matern;
        for ((a, b), sum) in a.iter().zip(b).zip(&mut sums[HEAD..]) {
            let product = a * b;
            *sum += weight
                * (-2.0 * SLOPE.powi(2) * product - 4.0 * CURVATURE.powi(2) * product * product
                    + interaction * 2.0 * (product * product - slope * product)
                    + bumps * falling * (a - b) * (a - b));
        }
    }

    /// Adds `weight` times the derivatives of the mean at `z` by the logarithms.
    pub fn add_mean_log_slopes(&self, z: &[f64], weight: f64, sums: &mut [f64]) {
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

    fn shape() -> Shape {
        Shape { amplitude: 40.0, interaction: 0.4, bumps: 0.6, lengths: vec![0.5, 0.8, 1.1] }
    }

    fn nearly(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-5 * (1.0 + a.abs())
    }

    #[test]
    fn slopes_by_the_place_are_those_of_the_values() {
        let (shape, h) = (shape(), 1e-5);
        let moved = |i: usize, by: f64| {
            let mut a = A;
            a[i] += by;
            a
        };
        let slope_at = |a: &[f64], b: &[f64]| {
            let mut sum = vec![0.0; 3];
            shape.add_slope_covariance(a, b, 1.0, &mut sum);
            sum
        };
        for i in 0..3 {
            let by_steps = (shape.covariance(&moved(i, h), &B)
                - shape.covariance(&moved(i, -h), &B))
                / (2.0 * h);
            assert!(nearly(slope_at(&A, &B)[i], by_steps));
            let mean = (shape.mean(&moved(i, h)) - shape.mean(&moved(i, -h))) / (2.0 * h);
            assert!(nearly(shape.mean_slope(&A)[i], mean));
            for j in 0..3 {
                let (up, down) = (slope_at(&A, &moved(j, h)), slope_at(&A, &moved(j, -h)));
                let twice = (up[i] - down[i]) / (2.0 * h);
                assert!((shape.slopes_covariance(&A, i, j) - twice).abs() < 1.0, "{i} {j}");
            }
        }
    }

    #[test]
    fn slopes_by_the_hyperparameters_are_those_of_the_values() {
        let (shape, h) = (shape(), 1e-6);
        let (x, y) = ([0.15, -0.56, 0.22], [-0.2, -0.08, 0.99]);
        let of = |shape: &Shape| {
            let (a, b) = (shape.scaled(&x), shape.scaled(&y));
            (shape.covariance(&a, &b), shape.mean(&a))
        };
        let (mut sums, mut means) = (vec![0.0; 6], vec![0.0; 6]);
        let (a, b) = (shape.scaled(&x), shape.scaled(&y));
        shape.add_log_slopes(&a, &b, 1.0, &mut sums);
        shape.add_mean_log_slopes(&a, 1.0, &mut means);
        for i in 0..6 {
            let moved = |by: f64| {
                let mut logs = shape.logs();
                logs[i] += by;
                of(&Shape::of_logs(&logs))
            };
            let (up, down) = (moved(h), moved(-h));
            assert!(nearly(sums[i], (up.0 - down.0) / (2.0 * h)), "{i}");
            assert!(nearly(means[i], (up.1 - down.1) / (2.0 * h)), "{i}");
        }
    }
}
