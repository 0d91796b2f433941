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

/// Coordinates of which the products are features, at most: beyond, the model would think longer than
/// the games take, and on the random family (30 parameters) the products gained nothing.
const MAX_WITH_PRODUCTS: usize = 24;

/// Powers and products of the coordinates of a place, relative to the start and in ranges.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    dimension: usize,
    has_products: bool,
}

impl Features {
    /// Features of places with this many coordinates.
    pub fn new(dimension: usize) -> Features {
        Features { dimension, has_products: dimension <= MAX_WITH_PRODUCTS }
    }

    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        let products = self.dimension * (self.dimension - 1) / 2;
        4 * self.dimension + if self.has_products { products } else { 0 }
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
            for &y in u[..i].iter().filter(|_| self.has_products) {
                sum[product] += factor * x * y;
                product += 1;
            }
        }
    }

    /// The difference of the features of two places.
    pub fn difference(&self, [first, second]: [&[f64]; 2]) -> Vec<f64> {
        let mut difference = vec![0.0; self.len()];
        self.add(first, 1.0, &mut difference);
        self.add(second, -1.0, &mut difference);
        difference
    }

    /// The coordinates that a feature is the product of; those of a power are the same one twice.
    pub fn coordinates(&self, feature: usize) -> [usize; 2] {
        let Some(product) = feature.checked_sub(4 * self.dimension) else {
            return [feature % self.dimension; 2];
        };
        // The last `high` whose first product, number high (high - 1) / 2, is not after this one.
        let high = (1..self.dimension).rfind(|high| high * (high - 1) / 2 <= product);
        let high = high.unwrap_or(1);
        [product - high * (high - 1) / 2, high]
    }

    /// The features that depend on a coordinate, each with its derivative at a place.
    pub fn derivative(&self, axis: usize, u: &[f64]) -> Vec<(usize, f64)> {
        let powers = (0..4).map(|degree| {
            let derivative = (degree + 1) as f64 * u[axis].powi(degree as i32);
            (degree * self.dimension + axis, derivative)
        });
        let others = (0..self.dimension).filter(|&other| other != axis);
        let products = others.filter_map(|other| Some((self.product(axis, other)?, u[other])));
        powers.chain(products).collect()
    }

    /// Number of the feature that is the product of two different coordinates; `None` where products
    /// are no features.
    pub fn product(&self, i: usize, j: usize) -> Option<usize> {
        let low = i.min(j);
        let high = i.max(j);
        self.has_products.then_some(4 * self.dimension + high * (high - 1) / 2 + low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_found_by_its_coordinates_and_they_by_it() {
        let features = Features::new(7);
        for (i, j) in (0..7).flat_map(|j| (0..j).map(move |i| (i, j))) {
            assert_eq!(features.coordinates(features.product(j, i).unwrap()), [i, j]);
        }
        let many = Features::new(MAX_WITH_PRODUCTS + 1);
        assert_eq!((many.len(), many.product(0, 1)), (4 * (MAX_WITH_PRODUCTS + 1), None));
        assert_eq!([0, 8, 16, 27].map(|power| features.coordinates(power)[0]), [0, 1, 2, 6]);
    }
}
