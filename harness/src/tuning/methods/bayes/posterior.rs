//! What is known of a landscape after some comparisons.
//!
//! A comparison measures the difference of the strengths at two places. That is linear in the
//! landscape, so the posterior is a Gaussian process again and is exact: where `D` takes the
//! differences, observations have the covariance `D K Dᵀ + noise` (C. Rasmussen and C. Williams,
//! "Gaussian Processes for Machine Learning", section 2.2, for a linear map of the values).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::kernel::Shape;

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

/// The posterior of a landscape. Places are in lengths from the start, as [`Shape::scaled`]
/// gives them.
#[derive(Clone, Debug)]
pub struct Posterior {
    shape: Shape,
    points: Vec<Vec<f64>>,
    /// The points of each comparison.
    pairs: Vec<[usize; 2]>,
    /// What each comparison measured beyond the prior mean.
    surprise: Vec<f64>,
    factor: Option<Cholesky<f64, Dyn>>,
    /// How much the covariance with each point adds to the mean.
    weights: Vec<f64>,
}

/// How the slope at a place hangs together with the comparisons made.
pub struct Slopes {
    at: Vec<f64>,
    /// A column a direction: what a comparison's covariance with the rest is worth.
    solved: DMatrix<f64>,
}

impl Posterior {
    /// What is known after these comparisons; `None` if they contradict each other numerically.
    pub fn of(shape: Shape, comparisons: &[Comparison]) -> Option<Posterior> {
        let mut posterior = Posterior {
            shape,
            points: Vec::new(),
            pairs: Vec::new(),
            surprise: Vec::new(),
            factor: None,
            weights: Vec::new(),
        };
        for comparison in comparisons {
            posterior.note(comparison);
        }
        if !comparisons.is_empty() {
            let mut matrix = posterior.prior_covariance();
            for (i, comparison) in comparisons.iter().enumerate() {
                matrix[(i, i)] += comparison.variance;
            }
            posterior.factor = Some(Cholesky::new(matrix)?);
            posterior.weigh();
        }
        Some(posterior)
    }

    /// Learns one more comparison.
    pub fn learn(&mut self, comparison: &Comparison) {
        let [a, b] = comparison.places.each_ref().map(|place| self.shape.scaled(place));
        let mut column: Vec<f64> = self.covariances(&a, &b).as_slice().to_vec();
        column.push(self.prior_variance(&a, &b) + comparison.variance);
        let column = DVector::from_vec(column);
        self.factor = Some(match self.factor.take() {
            Some(factor) => factor.insert_column(column.len() - 1, column),
            None => Cholesky::new(DMatrix::from_element(1, 1, column[0]))
                .expect("a variance is positive"),
        });
        self.note(comparison);
        self.weigh();
    }

    /// The hyperparameters.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Expected strength at `z` and its slope by `z`, up to a constant.
    pub fn mean(&self, z: &[f64]) -> (f64, Vec<f64>) {
        let mut value = self.shape.mean(z);
        let mut slope = self.shape.mean_slope(z);
        for (point, &weight) in self.points.iter().zip(&self.weights) {
            value += weight * self.shape.covariance(z, point);
            self.shape.add_slope_covariance(z, point, weight, &mut slope);
        }
        (value, slope)
    }

    /// Prepares to say how the slope at `z` hangs together with comparisons.
    pub fn slopes(&self, z: &[f64]) -> Slopes {
        let dimension = z.len();
        let mut columns = DMatrix::zeros(self.pairs.len(), dimension);
        let by_point: Vec<Vec<f64>> = self
            .points
            .iter()
            .map(|point| {
                let mut sum = vec![0.0; dimension];
                self.shape.add_slope_covariance(z, point, 1.0, &mut sum);
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
        Slopes { at: z.to_vec(), solved }
    }

    /// Covariance of the slope with the difference between two places that is left after the
    /// comparisons made.
    pub fn slope_covariance(&self, slopes: &Slopes, a: &[f64], b: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; a.len()];
        self.shape.add_slope_covariance(&slopes.at, a, 1.0, &mut sum);
        self.shape.add_slope_covariance(&slopes.at, b, -1.0, &mut sum);
        let covariances = self.covariances(a, b);
        let known = slopes.solved.tr_mul(&covariances);
        for (sum, known) in sum.iter_mut().zip(known.iter()) {
            *sum -= known;
        }
        sum
    }

    /// Covariance of the slope's directions.
    pub fn slopes_covariance(&self, slopes: &Slopes) -> DMatrix<f64> {
        let dimension = slopes.at.len();
        let mut prior = DMatrix::from_fn(dimension, dimension, |i, j| {
            self.shape.slopes_covariance(&slopes.at, i, j)
        });
        let mut columns = DMatrix::zeros(self.pairs.len(), dimension);
        for (row, [first, second]) in self.pairs.iter().enumerate() {
            let mut sum = vec![0.0; dimension];
            self.shape.add_slope_covariance(&slopes.at, &self.points[*first], 1.0, &mut sum);
            self.shape.add_slope_covariance(&slopes.at, &self.points[*second], -1.0, &mut sum);
            for (i, value) in sum.into_iter().enumerate() {
                columns[(row, i)] = value;
            }
        }
        prior -= columns.tr_mul(&slopes.solved);
        0.5 * (&prior + prior.transpose())
    }

    /// Expected value of a weighted sum of strengths, in Elo, and its variance. The weights have to
    /// add up to 0: only differences of strength are known.
    pub fn combination(&self, terms: &[(Vec<f64>, f64)]) -> (f64, f64) {
        let mean = terms.iter().map(|(z, weight)| weight * self.mean(z).0).sum();
        let both = terms.iter().flat_map(|a| terms.iter().map(move |b| (a, b)));
        let prior: f64 = both.map(|((a, v), (b, w))| v * w * self.shape.covariance(a, b)).sum();
        let with = |point: &[f64]| -> f64 {
            terms.iter().map(|(z, weight)| weight * self.shape.covariance(z, point)).sum()
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
            .map(|point| self.shape.covariance(a, point) - self.shape.covariance(b, point))
            .collect();
        DVector::from_iterator(
            self.pairs.len(),
            self.pairs.iter().map(|&[first, second]| by_point[first] - by_point[second]),
        )
    }

    fn prior_variance(&self, a: &[f64], b: &[f64]) -> f64 {
        let k = |a, b| self.shape.covariance(a, b);
        k(a, a) - 2.0 * k(a, b) + k(b, b)
    }

    fn prior_covariance(&self) -> DMatrix<f64> {
        let count = self.points.len();
        let mut points = DMatrix::zeros(count, count);
        for i in 0..count {
            for j in 0..=i {
                let value = self.shape.covariance(&self.points[i], &self.points[j]);
                points[(i, j)] = value;
                points[(j, i)] = value;
            }
        }
        DMatrix::from_fn(self.pairs.len(), self.pairs.len(), |i, j| {
            let ([a, b], [c, d]) = (self.pairs[i], self.pairs[j]);
            points[(a, c)] - points[(a, d)] - points[(b, c)] + points[(b, d)]
        })
    }

    /// Takes the places and the surprise of a comparison in.
    fn note(&mut self, comparison: &Comparison) {
        let scaled = comparison.places.each_ref().map(|place| self.shape.scaled(place));
        self.surprise
            .push(comparison.elo - (self.shape.mean(&scaled[0]) - self.shape.mean(&scaled[1])));
        let pair = scaled.map(|place| {
            self.points.iter().position(|point| *point == place).unwrap_or_else(|| {
                self.points.push(place);
                self.points.len() - 1
            })
        });
        self.pairs.push(pair);
    }

    fn weigh(&mut self) {
        let Some(factor) = &self.factor else { return };
        let solved = factor.solve(&DVector::from_column_slice(&self.surprise));
        self.weights = vec![0.0; self.points.len()];
        for (&[first, second], weight) in self.pairs.iter().zip(solved.iter()) {
            self.weights[first] += weight;
            self.weights[second] -= weight;
        }
    }

    /// Logarithm of the probability of what was measured, and its derivatives by the logarithms
    /// of the hyperparameters (Rasmussen and Williams, equations 2.30 and 5.9).
    pub fn evidence(&self) -> (f64, Vec<f64>) {
        let mut slopes = vec![0.0; self.shape.logs().len()];
        let Some(factor) = &self.factor else { return (0.0, slopes) };
        let surprise = DVector::from_column_slice(&self.surprise);
        let solved = factor.solve(&surprise);
        let half_log_det: f64 = factor.l_dirty().diagonal().iter().map(|x| x.ln()).sum();
        let value = -0.5 * surprise.dot(&solved) - half_log_det;

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
                self.shape.add_log_slopes(a, b, weight, &mut slopes);
            }
            self.shape.add_mean_log_slopes(a, self.weights[i], &mut slopes);
        }
        (value, slopes)
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

    fn shape() -> Shape {
        Shape { amplitude: 25.0, interaction: 0.4, bumps: 0.7, lengths: vec![0.4, 0.8] }
    }

    /// Without bumps, and with both places as far from the start, only the slope `g` is compared:
    /// `1.6 g`, and `g` has the variance 100. So the difference has the variance 256, as much as
    /// the noise: half of what was measured is believed, and half of the variance of `g` is left.
    #[test]
    fn one_comparison_is_weighed_as_by_hand() {
        let shape = Shape { amplitude: 10.0, interaction: 0.3, bumps: 0.0, lengths: vec![0.5] };
        let posterior = Posterior::of(shape, &[comparison(&[0.4], &[-0.4], 32.0, 256.0)]).unwrap();
        let (above, slope_above) = posterior.mean(&[0.8]);
        let (below, _) = posterior.mean(&[-0.8]);
        assert!((above - below - 16.0).abs() < 1e-9);
        // g is 10 now, and the curvature still 10: the slope at 0.8 is 10 - 2 * 10 * 0.8.
        assert!((slope_above[0] + 6.0).abs() < 1e-9);
        let slopes = posterior.slopes(&[0.0]);
        assert!((posterior.slopes_covariance(&slopes)[(0, 0)] - 50.0).abs() < 1e-9);
        let left = posterior.slope_covariance(&slopes, &[0.8], &[-0.8]);
        assert!((left[0] - 80.0).abs() < 1e-9);
        let (mean, variance) = posterior.combination(&[(vec![0.8], 1.0), (vec![-0.8], -1.0)]);
        assert!((mean - 16.0).abs() < 1e-9 && (variance - 128.0).abs() < 1e-9);
    }

    #[test]
    fn learning_one_by_one_is_learning_all_at_once() {
        let at_once = Posterior::of(shape(), &some()).unwrap();
        let mut one_by_one = Posterior::of(shape(), &[]).unwrap();
        for comparison in some() {
            one_by_one.learn(&comparison);
        }
        let z = [0.3, -0.2];
        assert!((at_once.mean(&z).0 - one_by_one.mean(&z).0).abs() < 1e-9);
        let doubt = |posterior: &Posterior| posterior.slopes_covariance(&posterior.slopes(&z));
        assert!((doubt(&at_once) - doubt(&one_by_one)).norm() < 1e-9);
    }

    #[test]
    fn slopes_of_the_evidence_are_those_of_its_values() {
        let logs = shape().logs();
        let evidence =
            |logs: &[f64]| Posterior::of(Shape::of_logs(logs), &some()).unwrap().evidence();
        let slopes = evidence(&logs).1;
        for i in 0..logs.len() {
            let moved = |by: f64| {
                let mut logs = logs.clone();
                logs[i] += by;
                evidence(&logs).0
            };
            let by_steps = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slopes[i] - by_steps).abs() < 1e-6, "{i}: {} {by_steps}", slopes[i]);
        }
    }
}
