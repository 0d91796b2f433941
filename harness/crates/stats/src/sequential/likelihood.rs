//! Maximum likelihood of a multinomial distribution under one constraint.

use crate::counts::{Regularised, Sample};

/// A distribution over the cells of a [`Sample`].
type Cells = [f64; 5];

/// The value that a hypothesis fixes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Constraint {
    /// The mean score, strictly between 0 and 1.
    Mean(f64),
    /// The t-value (mean - ½) / σ of one observation.
    TValue(f64),
}

/// Log-likelihood of the sample under the maximum likelihood distribution with this constraint, up
/// to a constant of the sample. `None` if no distribution was found.
///
/// M. Van den Bergh, "Comments on the GSPRT" (multinomial MLE, proposition 1.1) for the mean and
/// "Normalized Elo in practice", section 4.1, for the t-value.
pub(super) fn log_likelihood(sample: &Sample, constraint: Constraint) -> Option<f64> {
    let observed = sample.regularised();
    let problem = Problem {
        cells: sample.counts().len(),
        shares: observed.weights.map(|weight| weight / observed.total),
        scores: std::array::from_fn(|cell| sample.score(cell)),
    };
    let ratios = match constraint {
        Constraint::Mean(mean) => problem.with_zero_mean(&problem.scores.map(|score| score - mean)),
        Constraint::TValue(t) => problem.with_t_value(t, &observed),
    }?;
    let sum: f64 = (0..problem.cells).map(|cell| observed.weights[cell] * ratios[cell].ln()).sum();
    sum.is_finite().then_some(sum)
}

/// Observed shares, none of them zero, of evenly spaced scores.
struct Problem {
    cells: usize,
    shares: Cells,
    scores: Cells,
}

impl Problem {
    /// Fitted over observed share, cell by cell, of the maximum likelihood distribution with
    /// `values` of mean zero: 1 / (1 + x · value), where x solves the secular equation Σ share ·
    /// value / (1 + x · value) = 0. `None` unless values of both signs exist.
    fn with_zero_mean(&self, values: &Cells) -> Option<Cells> {
        let mean: f64 = self.sum(|cell| self.shares[cell] * values[cell]);
        // Flip the sign so that the mean is not above zero: then x lies between the pole of the
        // largest value and zero.
        let sign = if mean > 0.0 { -1.0 } else { 1.0 };
        let signed = |cell: usize| sign * values[cell];
        let largest = (0..self.cells).map(signed).fold(f64::NEG_INFINITY, f64::max);
        let smallest = (0..self.cells).map(signed).fold(f64::INFINITY, f64::min);
        if !(largest > 0.0 && smallest < 0.0) {
            return None;
        }
        let scaled: Cells =
            std::array::from_fn(
                |cell| if cell < self.cells { signed(cell) / largest } else { 0.0 },
            );
        // x · largest = δ - 1 with δ in (0, 1]: the denominators (1 - value) + δ · value keep
        // full precision however near to the pole the solution lies.
        let delta = self.distance_to_pole(&scaled);
        Some(std::array::from_fn(|cell| 1.0 / ((1.0 - scaled[cell]) + delta * scaled[cell])))
    }

    /// Solves the secular equation for values whose largest is 1 and whose mean is not above
    /// zero: Newton's method, kept inside a bracket.
    fn distance_to_pole(&self, values: &Cells) -> f64 {
        let mut low = 0.0;
        let mut high = 1.0;
        let mut delta = 1.0;
        for _ in 0..200 {
            let mut f = 0.0;
            let mut derivative = 0.0;
            for (&share, &value) in self.shares.iter().zip(values).take(self.cells) {
                let denominator = (1.0 - value) + delta * value;
                // δ times the secular function: without its pole, and almost straight near it.
                f += share * value * delta / denominator;
                derivative += share * value * (1.0 - value) / (denominator * denominator);
            }
            if f == 0.0 {
                break;
            }
            if f > 0.0 {
                low = delta
            } else {
                high = delta
            }
            let newton = delta - f / derivative;
            let next = if newton > low && newton < high { newton } else { middle(low, high) };
            let step = (next - delta).abs();
            delta = next;
            if step <= 1e-15 * delta {
                break;
            }
        }
        delta
    }

    /// Fitted over observed share of the maximum likelihood distribution with this t-value.
    ///
    /// A t-value is not linear, but given the mean m and deviation σ of the solution its constraint
    /// is: score - ½ - t·σ/2·(1 + ((score - m)/σ)²) has mean zero. The fixed-point iteration
    /// converges fast for usual hypotheses; otherwise [`Problem::scan`] solves it.
    fn with_t_value(&self, t: f64, observed: &Regularised) -> Option<Cells> {
        if t.abs() < 2.0 {
            let mut mean = observed.mean;
            let mut sigma = observed.variance.sqrt();
            for _ in 0..40 {
                let Some(ratios) = self.with_zero_mean(&self.linearised(t, mean, sigma)) else {
                    break;
                };
                let (new_mean, new_sigma) = self.moments(&ratios);
                let change = (new_mean - mean).abs() + (new_sigma - sigma).abs();
                (mean, sigma) = (new_mean, new_sigma);
                if change < 1e-12 * sigma + 1e-15 {
                    return Some(ratios);
                }
            }
        }
        self.scan(t)
    }

    /// The same by a scan over σ, the only unknown as m = ½ + t·σ at the solution. It lies between
    /// zero and the deviation of the two-point distribution on 0 and 1.
    fn scan(&self, t: f64) -> Option<Cells> {
        const STEPS: i32 = 400;
        // Slightly more, for solutions at that end up to rounding.
        let largest = (1.0 + 1e-6) * 0.5 / (1.0 + t * t).sqrt();
        let sigma_at = |step: i32| {
            // Even steps of the logit: solutions concentrate near both ends.
            let logit = 60.0 * (f64::from(step) / f64::from(STEPS) - 0.5);
            largest / (1.0 + (-logit).exp())
        };
        let mut best: Option<(f64, Cells)> = None;
        let mut low = sigma_at(0);
        let mut low_rises = self.fit(t, low).excess > 0.0;
        for step in 1..=STEPS {
            let high = sigma_at(step);
            let high_rises = self.fit(t, high).excess > 0.0;
            if low_rises != high_rises
                && let Some(ratios) = self.bisect(t, low, high, low_rises)
            {
                let likelihood = self.sum(|cell| self.shares[cell] * ratios[cell].ln());
                if best.is_none_or(|(most, _)| likelihood > most) {
                    best = Some((likelihood, ratios));
                }
            }
            (low, low_rises) = (high, high_rises);
        }
        best.map(|(_, ratios)| ratios)
    }

    /// The solution between two deviations; `None` where the sign of the excess jumps instead.
    fn bisect(&self, t: f64, mut low: f64, mut high: f64, low_rises: bool) -> Option<Cells> {
        let mut nearest: Option<(f64, Cells)> = None;
        for _ in 0..100 {
            let sigma = (low + high) / 2.0;
            let fit = self.fit(t, sigma);
            if let Some(ratios) = fit.ratios {
                let (mean, sigma) = self.moments(&ratios);
                let miss = ((mean - 0.5) / sigma - t).abs();
                if nearest.is_none_or(|(least, _)| miss < least) {
                    nearest = Some((miss, ratios));
                }
            }
            if (fit.excess > 0.0) == low_rises { low = sigma } else { high = sigma }
        }
        nearest.filter(|&(miss, _)| miss < 1e-5 * (1.0 + t.abs())).map(|(_, ratios)| ratios)
    }

    /// The maximum likelihood distribution under the constraint linearised at ½ + t·σ.
    fn fit(&self, t: f64, sigma: f64) -> Fit {
        let mean = 0.5 + t * sigma;
        let values = self.linearised(t, mean, sigma);
        if let Some(ratios) = self.with_zero_mean(&values) {
            let excess =
                self.sum(|cell| self.shares[cell] * ratios[cell] * (self.scores[cell] - mean));
            return Fit { excess, ratios: Some(ratios) };
        }
        // Beyond what is feasible, the limit: all weight on the cell nearest to the constraint.
        let nearest = (0..self.cells).min_by(|&a, &b| values[a].abs().total_cmp(&values[b].abs()));
        let excess = nearest.map_or(0.0, |cell| self.scores[cell] - mean);
        Fit { excess, ratios: None }
    }

    fn linearised(&self, t: f64, mean: f64, sigma: f64) -> Cells {
        self.scores
            .map(|score| score - 0.5 - t * sigma / 2.0 * (1.0 + ((score - mean) / sigma).powi(2)))
    }

    fn moments(&self, ratios: &Cells) -> (f64, f64) {
        let share = |cell: usize| self.shares[cell] * ratios[cell];
        let mean = self.sum(|cell| share(cell) * self.scores[cell]);
        let variance = self.sum(|cell| share(cell) * (self.scores[cell] - mean).powi(2));
        (mean, variance.sqrt())
    }

    fn sum(&self, term: impl Fn(usize) -> f64) -> f64 {
        (0..self.cells).map(term).sum()
    }
}

/// See [`Problem::fit`].
struct Fit {
    /// How far the mean lies above ½ + t·σ; zero at a solution.
    excess: f64,
    /// Fitted over observed shares; `None` where no distribution fulfils the constraint.
    ratios: Option<Cells>,
}

/// Geometric where the bracket spans magnitudes, arithmetic otherwise.
fn middle(low: f64, high: f64) -> f64 {
    if low > 0.0 && high > 4.0 * low { (low * high).sqrt() } else { (low + high) / 2.0 }
}
