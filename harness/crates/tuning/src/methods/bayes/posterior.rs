//! Gaussian process posterior of a landscape from comparisons.
//!
//! A comparison measures the difference of the strengths at two places. That is linear in the
//! landscape, so the posterior is a Gaussian process again and is exact: where `D` takes the
//! differences, observations have the covariance `D K Dᵀ + noise` (C. Rasmussen and C. Williams,
//! "Gaussian Processes for Machine Learning", section 2.2, for a linear map of the values).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::kernel::Prior;

/// A measured difference of strength between two places; places are relative to the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The two places.
    pub places: [Vec<f64>; 2],
    /// Strength at the first one less that at the second, in Elo.
    pub elo: f64,
    /// Variance of that measurement, in Elo²; above 0.
    pub variance: f64,
}

/// The posterior of a landscape. Places are in lengths from the start, as [`Prior::scaled`]
/// gives them.
#[derive(Clone, Debug)]
pub struct Posterior {
    prior: Prior,
    points: Vec<Vec<f64>>,
    /// The points of each comparison.
    pairs: Vec<[usize; 2]>,
    /// Results minus their prior means.
    residuals: Vec<f64>,
    factor: Option<Cholesky<f64, Dyn>>,
    /// Weight of the covariance with each point in the mean.
    weights: Vec<f64>,
}

/// Gradient at a place, with its covariances to the comparisons.
pub struct Gradient {
    at: Vec<f64>,
    /// K⁻¹ k with the comparisons' covariance K; one column a component.
    solved: DMatrix<f64>,
}

impl Posterior {
    /// The posterior after these comparisons; `None` if their covariance is numerically singular.
    pub fn from_comparisons(prior: Prior, comparisons: &[Comparison]) -> Option<Posterior> {
        let mut posterior = Posterior {
            prior,
            points: Vec::new(),
            pairs: Vec::new(),
            residuals: Vec::new(),
            factor: None,
            weights: Vec::new(),
        };
        for comparison in comparisons {
            posterior.append(comparison);
        }
        if !comparisons.is_empty() {
            let mut matrix = posterior.prior_covariance();
            for (i, comparison) in comparisons.iter().enumerate() {
                matrix[(i, i)] += comparison.variance;
            }
            posterior.factor = Some(Cholesky::new(matrix)?);
            posterior.update_weights();
        }
        Some(posterior)
    }

    /// Adds one more comparison, by a rank-one update.
    pub fn add(&mut self, comparison: &Comparison) {
        let [a, b] = comparison.places.each_ref().map(|place| self.prior.scaled(place));
        let mut column: Vec<f64> = self.covariances(&a, &b).as_slice().to_vec();
        column.push(self.prior_variance(&a, &b) + comparison.variance);
        let column = DVector::from_vec(column);
        self.factor = Some(match self.factor.take() {
            Some(factor) => factor.insert_column(column.len() - 1, column),
            None => Cholesky::new(DMatrix::from_element(1, 1, column[0]))
                .expect("a variance is positive"),
        });
        self.append(comparison);
        self.update_weights();
    }

    /// The hyperparameters.
    pub fn prior(&self) -> &Prior {
        &self.prior
    }

    /// Mean of the strength at `z` and its gradient by `z`, up to a constant.
    pub fn mean(&self, z: &[f64]) -> (f64, Vec<f64>) {
        let mut value = self.prior.mean(z);
        let mut gradient = self.prior.mean_gradient(z);
        for (point, &weight) in self.points.iter().zip(&self.weights) {
            self.prior.add_covariance(z, point, weight, (&mut value, &mut gradient));
        }
        (value, gradient)
    }

    /// Computes the covariances of the gradient at `z` with the comparisons.
    pub fn gradient_at(&self, z: &[f64]) -> Gradient {
        let dimension = z.len();
        let mut columns = DMatrix::zeros(self.pairs.len(), dimension);
        let by_point: Vec<Vec<f64>> = self
            .points
            .iter()
            .map(|point| {
                let mut sum = vec![0.0; dimension];
                self.prior.add_gradient_covariance(z, point, 1.0, &mut sum);
                sum
            })
            .collect();
        for (row, [first, second]) in self.pairs.iter().enumerate() {
            for i in 0..dimension {
                columns[(row, i)] = by_point[*first][i] - by_point[*second][i];
            }
        }
        let solved = match &self.factor {
            Some(factor) => factor.solve(&columns),
            None => columns,
        };
        Gradient { at: z.to_vec(), solved }
    }

    /// Posterior covariance of the gradient with the difference between two places.
    pub fn covariance_with_gradient(&self, gradient: &Gradient, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; a.len()];
        self.prior.add_gradient_covariance(&gradient.at, a, 1.0, &mut sum);
        self.prior.add_gradient_covariance(&gradient.at, b, -1.0, &mut sum);
        let covariances = self.covariances(a, b);
        let known = gradient.solved.tr_mul(&covariances);
        for (sum, known) in sum.iter_mut().zip(known.iter()) {
            *sum -= known;
        }
        sum
    }

    /// Prior covariance of the gradient at `z`.
    pub fn prior_gradient_covariance(&self, z: &[f64]) -> DMatrix<f64> {
        DMatrix::from_fn(z.len(), z.len(), |i, j| self.prior.gradient_covariance(z, i, j))
    }

    /// Posterior covariance of the gradient.
    pub fn gradient_covariance(&self, gradient: &Gradient) -> DMatrix<f64> {
        let dimension = gradient.at.len();
        let mut prior = self.prior_gradient_covariance(&gradient.at);
        let mut columns = DMatrix::zeros(self.pairs.len(), dimension);
        for (row, [first, second]) in self.pairs.iter().enumerate() {
            let mut sum = vec![0.0; dimension];
            self.prior.add_gradient_covariance(&gradient.at, &self.points[*first], 1.0, &mut sum);
            self.prior.add_gradient_covariance(&gradient.at, &self.points[*second], -1.0, &mut sum);
            for (i, value) in sum.into_iter().enumerate() {
                columns[(row, i)] = value;
            }
        }
        prior -= columns.tr_mul(&gradient.solved);
        0.5 * (&prior + prior.transpose())
    }

    /// Mean and variance of a weighted sum of strengths, in Elo. The weights must add up to 0: only
    /// differences of strength are known.
    pub fn combination(&self, terms: &[(Vec<f64>, f64)]) -> (f64, f64) {
        let mean = terms.iter().map(|(z, weight)| weight * self.mean(z).0).sum();
        let both = terms.iter().flat_map(|a| terms.iter().map(move |b| (a, b)));
        let prior: f64 = both.map(|((a, v), (b, w))| v * w * self.prior.covariance(a, b)).sum();
        let with = |point: &[f64]| -> f64 {
            terms.iter().map(|(z, weight)| weight * self.prior.covariance(z, point)).sum()
        };
        let by_point: Vec<f64> = self.points.iter().map(|point| with(point)).collect();
        let known = self.factor.as_ref().map_or(0.0, |factor| {
            let pairs =
                self.pairs.iter().map(|&[first, second]| by_point[first] - by_point[second]);
            let column = DVector::from_iterator(self.pairs.len(), pairs);
            let solved = factor.l_dirty().solve_lower_triangular(&column);
            solved.map_or(0.0, |solved| solved.norm_squared())
        });
        (mean, (prior - known).max(0.0))
    }

    /// Prior covariance of all comparisons with the difference between two places.
    fn covariances(&self, a: &[f64], b: &[f64]) -> DVector<f64> {
        let by_point: Vec<f64> = self
            .points
            .iter()
            .map(|point| self.prior.covariance(a, point) - self.prior.covariance(b, point))
            .collect();
        DVector::from_iterator(
            self.pairs.len(),
            self.pairs.iter().map(|&[first, second]| by_point[first] - by_point[second]),
        )
    }

    fn prior_variance(&self, a: &[f64], b: &[f64]) -> f64 {
        let k = |a, b| self.prior.covariance(a, b);
        k(a, a) - 2.0 * k(a, b) + k(b, b)
    }

    fn prior_covariance(&self) -> DMatrix<f64> {
        let count = self.points.len();
        let mut points = DMatrix::zeros(count, count);
        for i in 0..count {
            for j in 0..=i {
                let value = self.prior.covariance(&self.points[i], &self.points[j]);
                points[(i, j)] = value;
                points[(j, i)] = value;
            }
        }
        DMatrix::from_fn(self.pairs.len(), self.pairs.len(), |i, j| {
            let ([a, b], [c, d]) = (self.pairs[i], self.pairs[j]);
            points[(a, c)] - points[(a, d)] - points[(b, c)] + points[(b, d)]
        })
    }

    /// Appends the points and the residual of a comparison.
    fn append(&mut self, comparison: &Comparison) {
        let scaled = comparison.places.each_ref().map(|place| self.prior.scaled(place));
        self.residuals
            .push(comparison.elo - (self.prior.mean(&scaled[0]) - self.prior.mean(&scaled[1])));
        let pair = scaled.map(|place| {
            self.points.iter().position(|point| *point == place).unwrap_or_else(|| {
                self.points.push(place);
                self.points.len() - 1
            })
        });
        self.pairs.push(pair);
    }

    fn update_weights(&mut self) {
        let Some(factor) = &self.factor else { return };
        let solved = factor.solve(&DVector::from_column_slice(&self.residuals));
        self.weights = vec![0.0; self.points.len()];
        for (&[first, second], weight) in self.pairs.iter().zip(solved.iter()) {
            self.weights[first] += weight;
            self.weights[second] -= weight;
        }
    }

    /// Log marginal likelihood and its gradient by the logarithms of the hyperparameters (Rasmussen
    /// and Williams, equations 2.30 and 5.9).
    pub fn log_marginal_likelihood(&self) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; self.prior.logs().len()];
        let Some(factor) = &self.factor else { return (0.0, gradient) };
        let residuals = DVector::from_column_slice(&self.residuals);
        let solved = factor.solve(&residuals);
        let half_log_det: f64 = factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        let value = -0.5 * residuals.dot(&solved) - half_log_det;

        let mut by_point = DMatrix::zeros(self.points.len(), self.points.len());
        let inverse = factor.inverse();
        for (i, &[a, b]) in self.pairs.iter().enumerate() {
            for (j, &[c, d]) in self.pairs.iter().enumerate() {
                let weight = 0.5 * (solved[i] * solved[j] - inverse[(i, j)]);
                by_point[(a, c)] += weight;
                by_point[(b, d)] += weight;
                by_point[(a, d)] -= weight;
                by_point[(b, c)] -= weight;
            }
        }
        for (i, a) in self.points.iter().enumerate() {
            for (j, b) in self.points[..=i].iter().enumerate() {
                let weight = if i == j { by_point[(i, i)] } else { 2.0 * by_point[(i, j)] };
                self.prior.add_log_gradient(a, b, weight, &mut gradient);
            }
            self.prior.add_mean_log_gradient(a, self.weights[i], &mut gradient);
        }
        (value, gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(a: &[f64], b: &[f64], elo: f64, variance: f64) -> Comparison {
        Comparison { places: [a.to_vec(), b.to_vec()], elo, variance }
    }

    fn some() -> Vec<Comparison> {
        vec![
            comparison(&[0.2, 0.1], &[-0.2, 0.3], 12.0, 400.0),
            comparison(&[0.2, 0.1], &[0.4, -0.3], -30.0, 300.0),
            comparison(&[-0.1, 0.5], &[0.0, 0.0], 5.0, 900.0),
        ]
    }

    fn prior() -> Prior {
        Prior { amplitude: 25.0, interaction: 0.4, residual: 0.7, lengths: vec![0.4, 0.8] }
    }

    /// Without the Matérn process, and with both places as far from the start, only the coefficient
    /// `g` is compared: `1.6 g`, and `g` has the variance 100. So the difference has the variance
    /// 256, equal to the noise: the posterior halves the result and the variance of `g`.
    #[test]
    fn the_posterior_of_one_comparison_is_that_worked_by_hand() {
        let prior = Prior { amplitude: 10.0, interaction: 0.3, residual: 0.0, lengths: vec![0.5] };
        let posterior =
            Posterior::from_comparisons(prior, &[comparison(&[0.4], &[-0.4], 32.0, 256.0)])
                .unwrap();
        let (above, gradient_above) = posterior.mean(&[0.8]);
        let (below, _) = posterior.mean(&[-0.8]);
        assert!((above - below - 16.0).abs() < 1e-9);
        // g is 10 now, and the curvature still 10: the gradient at 0.8 is 10 - 2 * 10 * 0.8.
        assert!((gradient_above[0] + 6.0).abs() < 1e-9);
        let gradient = posterior.gradient_at(&[0.0]);
        assert!((posterior.gradient_covariance(&gradient)[(0, 0)] - 50.0).abs() < 1e-9);
        let left = posterior.covariance_with_gradient(&gradient, &[0.8], &[-0.8]);
        assert!((left[0] - 80.0).abs() < 1e-9);
        let (mean, variance) = posterior.combination(&[(vec![0.8], 1.0), (vec![-0.8], -1.0)]);
        assert!((mean - 16.0).abs() < 1e-9 && (variance - 128.0).abs() < 1e-9);
    }

    #[test]
    fn adding_one_by_one_is_adding_all_at_once() {
        let at_once = Posterior::from_comparisons(prior(), &some()).unwrap();
        let mut one_by_one = Posterior::from_comparisons(prior(), &[]).unwrap();
        for comparison in some() {
            one_by_one.add(&comparison);
        }
        let z = [0.3, -0.2];
        assert!((at_once.mean(&z).0 - one_by_one.mean(&z).0).abs() < 1e-9);
        let doubt =
            |posterior: &Posterior| posterior.gradient_covariance(&posterior.gradient_at(&z));
        assert!((doubt(&at_once) - doubt(&one_by_one)).norm() < 1e-9);
    }

    #[test]
    fn the_gradient_of_the_evidence_matches_finite_differences() {
        let logs = prior().logs();
        let log_marginal_likelihood = |logs: &[f64]| {
            Posterior::from_comparisons(Prior::of_logs(logs), &some())
                .unwrap()
                .log_marginal_likelihood()
        };
        let gradient = log_marginal_likelihood(&logs).1;
        for i in 0..logs.len() {
            let moved = |by: f64| {
                let mut logs = logs.clone();
                logs[i] += by;
                log_marginal_likelihood(&logs).0
            };
            let by_steps = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((gradient[i] - by_steps).abs() < 1e-6, "{i}: {} {by_steps}", gradient[i]);
        }
    }
}
