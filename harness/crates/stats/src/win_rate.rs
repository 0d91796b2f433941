//! The win-rate model: chances of win, draw and loss from a score and the material.
//!
//! The model is that of Stockfish (<https://github.com/official-stockfish/WDL_model>): the chance to
//! win is a logistic function of the score with centre a and scale b, which are cubic polynomials in
//! the material; the chance to lose is its mirror image; the rest are draws. Fitted by maximum
//! likelihood on counts.

use nalgebra::{Cholesky, SMatrix, SVector};
use serde::Serialize;

use super::elo::logistic;

/// Coefficients of a polynomial, the constant first.
pub type Cubic = [f64; 4];

/// Material of the starting position by the values 1, 3, 3, 5, 9; where polynomials are at 1.
const FULL_MATERIAL: f64 = 78.0;
/// Below this much material the model is that of this much.
const MIN_MATERIAL: f64 = 8.0;

/// Games by result of positions with the same score and material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Centipawns.
    pub score: f64,
    /// Pawns (1, 3, 3, 5, 9), of both sides.
    pub material: f64,
    /// Won, drawn and lost by the side whose score it is.
    pub results: [f64; 3],
}

/// A win-rate model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WinRate {
    /// Centipawns at which half of the games are won, as a polynomial in the share of the material.
    pub half: Cubic,
    /// Scale of the logistic function, in centipawns, as such a polynomial.
    pub spread: Cubic,
}

type Vector = SVector<f64, 8>;
type Matrix = SMatrix<f64, 8, 8>;

/// Scores are in pawns while the model is fitted, so that the coefficients are of one size.
const PAWN: f64 = 100.0;
const MAX_STEPS: usize = 200;
/// A probability is never taken as lower.
const MIN_PROBABILITY: f64 = 1e-9;

impl WinRate {
    /// The maximum-likelihood fit; `None` where the cells do not determine it.
    pub fn fit(cells: &[Cell]) -> Option<WinRate> {
        let mut values = Vector::zeros();
        (values[0], values[4]) = (1.5, 1.0);
        let mut likelihood = log_likelihood(cells, &values)?;
        for _ in 0..MAX_STEPS {
            let (gradient, information) = derivatives(cells, &values);
            // A ridge far below the information of one game keeps the step finite.
            let step = Cholesky::new(information + Matrix::identity() * 1e-6)?.solve(&gradient);
            let mut scale = 1.0;
            let gained = loop {
                let tried = values + step * scale;
                match log_likelihood(cells, &tried) {
                    Some(better) if better > likelihood => {
                        let gained = better - likelihood;
                        (values, likelihood) = (tried, better);
                        break gained;
                    }
                    _ if scale < 1e-6 => break 0.0,
                    _ => scale /= 2.0,
                }
            };
            if gained < 1e-7 {
                return Some(WinRate::from_vector(&values));
            }
        }
        Some(WinRate::from_vector(&values))
    }

    fn from_vector(values: &Vector) -> WinRate {
        let cubic = |from: usize| std::array::from_fn(|power| PAWN * values[from + power]);
        WinRate { half: cubic(0), spread: cubic(4) }
    }

    /// Chances of win, draw and loss.
    pub fn chances(&self, score: f64, material: f64) -> [f64; 3] {
        let share = share(material);
        let half = polynomial(&self.half, share);
        let spread = polynomial(&self.spread, share);
        let win = logistic((score - half) / spread);
        let loss = logistic((-score - half) / spread);
        [win, 1.0 - win - loss, loss]
    }

    /// Mean of the negative logarithm of the chance of what came, in nats a position.
    pub fn loss(&self, cells: &[Cell]) -> f64 {
        let mut sums = [0.0; 2];
        for cell in cells {
            let chances = self.chances(cell.score, cell.material);
            for (count, chance) in cell.results.iter().zip(chances) {
                sums[0] += count;
                sums[1] -= count * chance.max(MIN_PROBABILITY).ln();
            }
        }
        sums[1] / f64::max(sums[0], 1.0)
    }
}

/// Share of the starting position's material, within the model's bounds.
fn share(material: f64) -> f64 {
    material.clamp(MIN_MATERIAL, FULL_MATERIAL) / FULL_MATERIAL
}

fn polynomial(terms: &Cubic, x: f64) -> f64 {
    terms.iter().rev().fold(0.0, |sum, term| sum * x + term)
}

/// A cell at some values: centre and scale, the chances, and the powers of the share.
struct At {
    powers: [f64; 4],
    spread: f64,
    /// Distances of both logistic functions from their centres.
    distances: [f64; 2],
    chances: [f64; 3],
}

impl At {
    /// `None` where the scale is not positive.
    fn new(cell: &Cell, values: &Vector) -> Option<At> {
        let share = share(cell.material);
        let powers = [1.0, share, share * share, share * share * share];
        let sum =
            |from: usize| (0..4).map(|power| powers[power] * values[from + power]).sum::<f64>();
        let half = sum(0);
        let spread = sum(4);
        if spread < 0.01 {
            return None;
        }
        let score = cell.score / PAWN;
        let distances = [(score - half) / spread, (-score - half) / spread];
        let [win, loss] = distances.map(logistic);
        Some(At { powers, spread, distances, chances: [win, 1.0 - win - loss, loss] })
    }

    /// Derivatives of the three chances by centre and scale.
    fn gradients(&self) -> [[f64; 2]; 3] {
        let of = |chance: f64, distance: f64| {
            let by_centre = -chance * (1.0 - chance) / self.spread;
            [by_centre, by_centre * distance]
        };
        let win = of(self.chances[0], self.distances[0]);
        let loss = of(self.chances[2], self.distances[1]);
        [win, [-win[0] - loss[0], -win[1] - loss[1]], loss]
    }
}

/// `None` where a chance is negative.
fn log_likelihood(cells: &[Cell], values: &Vector) -> Option<f64> {
    let mut sum = 0.0;
    for cell in cells {
        let chances = At::new(cell, values)?.chances;
        if chances[1] < 0.0 {
            return None;
        }
        let terms = cell.results.iter().zip(chances);
        sum += terms.map(|(count, chance)| count * chance.max(MIN_PROBABILITY).ln()).sum::<f64>();
    }
    Some(sum)
}

/// Gradient of the log-likelihood, and the Fisher information.
fn derivatives(cells: &[Cell], values: &Vector) -> (Vector, Matrix) {
    let mut gradient = Vector::zeros();
    let mut information = Matrix::zeros();
    for cell in cells {
        let Some(at) = At::new(cell, values) else { continue };
        let count: f64 = cell.results.iter().sum();
        for ((gradient_of, chance), came) in
            at.gradients().into_iter().zip(at.chances).zip(cell.results)
        {
            let chance = chance.max(MIN_PROBABILITY);
            let row =
                Vector::from_fn(|at_value, _| gradient_of[at_value / 4] * at.powers[at_value % 4]);
            gradient += row * (came / chance);
            information += row * row.transpose() * (count / chance);
        }
    }
    (gradient, information)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected counts of a model.
    fn cells(model: &WinRate, games: f64) -> Vec<Cell> {
        let materials = (17..=78).step_by(5);
        let all =
            materials.flat_map(|material| (-1500..=1500).step_by(50).map(move |s| (s, material)));
        all.map(|(score, material)| {
            let score = f64::from(score);
            let material = f64::from(material);
            let results = model.chances(score, material).map(|chance| chance * games);
            Cell { score, material, results }
        })
        .collect()
    }

    const TRUTH: WinRate =
        WinRate { half: [120.0, 260.0, -180.0, 90.0], spread: [60.0, 30.0, -10.0, 25.0] };

    #[test]
    fn the_fit_finds_the_model_that_made_the_counts() {
        let cells = cells(&TRUTH, 1000.0);
        let fit = WinRate::fit(&cells).expect("determined");
        for material in [17.0, 30.0, 50.0, 78.0] {
            for score in [-700.0, -120.0, 0.0, 35.0, 400.0] {
                let (found, true_chances) =
                    (fit.chances(score, material), TRUTH.chances(score, material));
                for (a, b) in found.into_iter().zip(true_chances) {
                    assert!((a - b).abs() < 1e-3, "{material} {score}: {a} {b}");
                }
            }
        }
        assert!(fit.loss(&cells) <= TRUTH.loss(&cells) + 1e-9);
    }

    #[test]
    fn gradient_and_likelihood_agree() {
        let cells = cells(&TRUTH, 10.0);
        let mut values = Vector::zeros();
        (values[0], values[1], values[4], values[6]) = (1.4, 0.4, 0.8, 0.2);
        let (gradient, _) = derivatives(&cells, &values);
        for at in 0..8 {
            let moved = |by: f64| {
                let mut moved = values;
                moved[at] += by;
                log_likelihood(&cells, &moved).expect("valid")
            };
            let quotient = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((quotient - gradient[at]).abs() < 1e-3 * quotient.abs().max(1.0), "{at}");
        }
    }

    #[test]
    fn nothing_is_fitted_to_nothing() {
        // Without a game every model is as good: the start is returned, and it is one.
        let model = WinRate::fit(&[]).expect("the start");
        let chances = model.chances(50.0, 40.0);
        assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)), "{chances:?}");
    }
}
