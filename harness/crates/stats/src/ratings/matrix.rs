//! Symmetric matrices for fits of ratings and strengths.

/// A symmetric matrix, stored as its lower triangle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Symmetric {
    size: usize,
    /// Row after row, each up to the diagonal.
    values: Vec<f64>,
}

impl Symmetric {
    pub fn zero(size: usize) -> Symmetric {
        Symmetric { size, values: vec![0.0; size * (size + 1) / 2] }
    }

    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[index(i, j)]
    }

    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.values[index(i, j)] = value;
    }

    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        self.values[index(i, j)] += value;
    }

    /// Cholesky's factor; `None` unless the matrix is positive definite beyond rounding.
    pub fn factor(&self) -> Option<Factor> {
        let mut lower = self.clone();
        for i in 0..self.size {
            for j in 0..=i {
                let (row, other) = (lower.row(i), lower.row(j));
                let dot: f64 = row[..j].iter().zip(&other[..j]).map(|(a, b)| a * b).sum();
                let rest = self.at(i, j) - dot;
                let value = if i > j {
                    rest / lower.at(j, j)
                } else if rest > 1e-12 * self.at(i, i) {
                    rest.sqrt()
                } else {
                    return None;
                };
                lower.set(i, j, value);
            }
        }
        Some(Factor(lower))
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.values[index(i, 0)..=index(i, i)]
    }
}

fn index(i: usize, j: usize) -> usize {
    let row = i.max(j);
    let column = i.min(j);
    row * (row + 1) / 2 + column
}

/// A lower triangle L of a matrix L·Lᵀ.
pub(crate) struct Factor(Symmetric);

impl Factor {
    /// The x with L·Lᵀ·x = b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let Factor(lower) = self;
        let mut x = b.to_vec();
        for i in 0..lower.size {
            let dot: f64 = lower.row(i)[..i].iter().zip(&x).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - dot) / lower.at(i, i);
        }
        for i in (0..lower.size).rev() {
            x[i] /= lower.at(i, i);
            let solved = x[i];
            for (x, l) in x.iter_mut().zip(&lower.row(i)[..i]) {
                *x -= l * solved;
            }
        }
        x
    }

    /// The logarithm of the determinant of L·Lᵀ.
    pub fn ln_determinant(&self) -> f64 {
        let Factor(lower) = self;
        (0..lower.size).map(|i| 2.0 * lower.at(i, i).ln()).sum()
    }

    /// The inverse of L·Lᵀ.
    pub fn inverse(&self) -> Symmetric {
        let size = self.0.size;
        let mut inverse = Symmetric::zero(size);
        for j in 0..size {
            let mut unit = vec![0.0; size];
            unit[j] = 1.0;
            for (i, value) in self.solve(&unit).into_iter().enumerate().skip(j) {
                inverse.set(i, j, value);
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_worked_by_hand() {
        // [4 2; 2 3] has the determinant 8.
        let mut matrix = Symmetric::zero(2);
        for (i, j, value) in [(0, 0, 4.0), (1, 0, 2.0), (1, 1, 3.0)] {
            matrix.set(i, j, value);
        }
        let factor = matrix.factor().expect("positive definite");
        let inverse = factor.inverse();
        for (i, j, value) in [(0, 0, 3.0), (0, 1, -2.0), (1, 0, -2.0), (1, 1, 4.0)] {
            assert!((inverse.at(i, j) - value / 8.0).abs() < 1e-15);
        }
        assert!((factor.ln_determinant() - 8f64.ln()).abs() < 1e-14);
        let x = factor.solve(&[8.0, 8.0]);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15, "{x:?}");
    }

    #[test]
    fn a_singular_matrix_has_no_factor() {
        let mut matrix = Symmetric::zero(2);
        for (i, j) in [(0, 0), (1, 0), (1, 1)] {
            matrix.set(i, j, 1.0);
        }
        assert!(matrix.factor().is_none());
    }
}
