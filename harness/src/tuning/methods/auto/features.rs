//! The features that the model of strength is linear in.

use std::ops::Range;

/// Features that share a prior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// `u_i`.
    Linear,
    /// `u_i²`.
    Square,
    /// `u_i³`.
    Cube,
    /// `u_i⁴`.
    Fourth,
    /// `u_i u_j`.
    Product,
}

/// Number of groups.
pub const GROUPS: usize = 5;

/// Powers and products of the coordinates of a place, relative to the start and in ranges.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    dimension: usize,
}

impl Features {
    /// Features of places with this many coordinates.
    pub fn new(dimension: usize) -> Features {
        Features { dimension }
    }

    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        4 * self.dimension + self.dimension * (self.dimension - 1) / 2
    }

    /// The groups with their features' numbers.
    pub fn groups(&self) -> [(Group, Range<usize>); GROUPS] {
        let d = self.dimension;
        [
            (Group::Linear, 0..d),
            (Group::Square, d..2 * d),
            (Group::Cube, 2 * d..3 * d),
            (Group::Fourth, 3 * d..4 * d),
            (Group::Product, 4 * d..self.len()),
        ]
    }

    /// Adds `factor` times the features of a place.
    pub fn add(&self, u: &[f64], factor: f64, sum: &mut [f64]) {
        let d = self.dimension;
        let mut product = 4 * d;
        for (i, &x) in u.iter().enumerate() {
            let mut power = factor;
            for degree in 0..4 {
                power *= x;
                sum[degree * d + i] += power;
            }
            for &y in &u[..i] {
                sum[product] += factor * x * y;
                product += 1;
            }
        }
    }

    /// Value at a place of the model with these weights.
    pub fn value(&self, u: &[f64], weights: &[f64]) -> f64 {
        let mut features = vec![0.0; self.len()];
        self.add(u, 1.0, &mut features);
        features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum()
    }

    /// The model along an axis through a place: coefficients of the powers 1 to 4 of that
    /// coordinate.
    pub fn along(&self, axis: usize, u: &[f64], weights: &[f64]) -> [f64; 4] {
        let d = self.dimension;
        let mut along = [0, 1, 2, 3].map(|degree| weights[degree * d + axis]);
        for (other, &x) in u.iter().enumerate().filter(|&(other, _)| other != axis) {
            along[0] += weights[self.product(axis, other)] * x;
        }
        along
    }

    /// Number of the feature that is the product of two different coordinates.
    pub fn product(&self, i: usize, j: usize) -> usize {
        let (low, high) = (i.min(j), i.max(j));
        4 * self.dimension + high * (high - 1) / 2 + low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn along_an_axis_the_model_is_the_polynomial_of_its_coefficients() {
        let features = Features::new(3);
        let weights: Vec<f64> = (0..features.len()).map(|i| (i as f64 * 1.7).sin()).collect();
        let mut u = [0.2, -0.3, 0.4];
        for axis in 0..3 {
            let [a, b, c, d] = features.along(axis, &u, &weights);
            let at = |x: f64| x * (a + x * (b + x * (c + x * d)));
            let (before, from) = (features.value(&u, &weights), u[axis]);
            u[axis] = -0.15;
            let difference = features.value(&u, &weights) - before;
            assert!((difference - (at(-0.15) - at(from))).abs() < 1e-12);
            u[axis] = from;
        }
        let ranges = features.groups().map(|(_, range)| range);
        assert_eq!(ranges.iter().map(Range::len).sum::<usize>(), features.len());
    }
}
