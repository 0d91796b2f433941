//! A landscape of the model: a polynomial of the coordinates.

use super::features::Features;

/// Sweeps of coordinate ascent at most.
const SWEEPS: usize = 60;
/// Movement of a sweep that ends it, in ranges.
const CLOSE: f64 = 1e-4;
/// Intervals of a grid along an axis.
const STEPS: usize = 20;
/// Bound on the movement of a coordinate in a sweep, in ranges.
const REACH: f64 = 0.1;

/// Strength as a polynomial of the place relative to the start, in Elo above the start.
#[derive(Clone, Debug)]
pub struct Polynomial {
    /// Features that it is linear in.
    pub features: Features,
    /// Weight of each feature.
    pub weights: Vec<f64>,
}

impl Polynomial {
    /// Strength at a place.
    pub fn value(&self, u: &[f64]) -> f64 {
        let mut features = vec![0.0; self.features.len()];
        self.features.add(u, 1.0, &mut features);
        features.iter().zip(&self.weights).map(|(feature, weight)| feature * weight).sum()
    }

    /// The polynomial along an axis through a place: coefficients of the powers 1 to 4 of that
    /// coordinate.
    fn along(&self, axis: usize, u: &[f64]) -> [f64; 4] {
        let d = self.features.dimension();
        let mut along = [0, 1, 2, 3].map(|degree| self.weights[degree * d + axis]);
        for (other, &x) in u.iter().enumerate().filter(|&(other, _)| other != axis) {
            let product = self.features.product(axis, other);
            along[0] += product.map_or(0.0, |product| self.weights[product]) * x;
        }
        along
    }

    /// Elo lost at a whole range from the optimum along an axis, by the curvature at a place.
    pub fn curvature(&self, axis: usize, u: &[f64]) -> f64 {
        let [_, b, c, d] = self.along(axis, u);
        -(b + u[axis] * (3.0 * c + u[axis] * 6.0 * d))
    }

    /// Elo that the best value of a coordinate within bounds, on a grid, is above the start's, with
    /// the others at a place.
    pub fn worth(&self, axis: usize, u: &[f64], [low, high]: [f64; 2]) -> f64 {
        let [a, b, c, d] = self.along(axis, u);
        let grid = (0..=STEPS).map(|step| low + (high - low) * step as f64 / STEPS as f64);
        grid.map(|x| x * (a + x * (b + x * (c + x * d)))).fold(0.0, f64::max)
    }

    /// The local maximum that coordinate ascent reaches from a place, within bounds.
    pub fn ascend(&self, from: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
        let mut u = from.to_vec();
        for _sweep in 0..SWEEPS {
            let mut moved: f64 = 0.0;
            for (axis, bounds) in bounds.iter().enumerate() {
                let along = self.along(axis, &u);
                let old = u[axis];
                u[axis] = line_search(along, old, bounds);
                moved = moved.max((u[axis] - old).abs());
            }
            if moved < CLOSE {
                break;
            }
        }
        u
    }
}

/// The maximum of a polynomial without a constant term, within bounds and [`REACH`] of a
/// place: the best point of a grid, then Newton's method.
fn line_search([a, b, c, d]: [f64; 4], from: f64, [low, high]: &[f64; 2]) -> f64 {
    let value = |x: f64| x * (a + x * (b + x * (c + x * d)));
    let low = (from - REACH).max(*low);
    let high = (from + REACH).min(*high);
    let mut best = from;
    for step in 0..=STEPS {
        let x = low + (high - low) * step as f64 / STEPS as f64;
        if value(x) > value(best) + 1e-12 {
            best = x;
        }
    }
    let mut x = best;
    for _ in 0..3 {
        let slope = a + x * (2.0 * b + x * (3.0 * c + x * 4.0 * d));
        let bend = 2.0 * b + x * (6.0 * c + x * 12.0 * d);
        if bend < 0.0 {
            x = (x - slope / bend).clamp(low, high);
        }
    }
    if value(x) > value(best) { x } else { best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn along_an_axis_it_is_the_polynomial_of_its_coefficients() {
        let features = Features::new(3);
        let weights = (0..features.len()).map(|i| (i as f64 * 1.7).sin()).collect();
        let polynomial = Polynomial { features, weights };
        let mut u = [0.2, -0.3, 0.4];
        for axis in 0..3 {
            let [a, b, c, d] = polynomial.along(axis, &u);
            let at = |x: f64| x * (a + x * (b + x * (c + x * d)));
            let before = polynomial.value(&u);
            let from = u[axis];
            u[axis] = -0.15;
            let difference = polynomial.value(&u) - before;
            assert!((difference - (at(-0.15) - at(from))).abs() < 1e-12);
            u[axis] = from;
        }
    }
}
