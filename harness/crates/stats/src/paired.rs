//! Paired measurements: times of two searches of a position, speeds of two alternating builds.
//!
//! Measurements vary far more between items than between the two of a pair, so differences within
//! pairs are compared. Times and speeds are compared by their logarithms: ratios are comparable
//! between easy and hard positions.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::erf::erfc;
use thiserror::Error;

/// Number of differences up to which [`wilcoxon`] is exact; beyond, the error of the normal
/// approximation is below a thousandth.
const MAX_EXACT: usize = 200;

/// Ratio of the second measurements to the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedRatio {
    /// Geometric mean of the ratios.
    pub value: f64,
    /// Ends of its 95 % interval.
    pub ci95: [f64; 2],
    /// Two-sided p-value of "the ratio is 1" (paired t-test of the logarithms).
    pub p_value: f64,
    /// Number of pairs.
    pub pairs: usize,
    /// Standard error of the logarithm of the ratio.
    pub log_error: f64,
}

/// Result of Wilcoxon's signed-rank test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignedRank {
    /// Sum of the ranks of positive differences.
    pub w_plus: f64,
    /// Sum of the ranks of negative differences.
    pub w_minus: f64,
    /// Differences that are not zero.
    pub differences: usize,
    /// Two-sided p-value of "differences are symmetric around zero".
    pub p_value: f64,
}

/// Why pairs cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum Incomparable {
    /// Lists of different lengths.
    #[error("{first} first and {second} second measurements are no pairs")]
    Unpaired {
        /// Number of first measurements.
        first: usize,
        /// Number of second measurements.
        second: usize,
    },
    /// Fewer than two pairs.
    #[error("{pairs} pairs are too few: two at least are needed")]
    TooFew {
        /// Number of pairs.
        pairs: usize,
    },
    /// A measurement that is not positive.
    #[error("measurement {number} is {value}: a ratio needs numbers above zero")]
    NotPositive {
        /// Number of the pair, from 1.
        number: usize,
        /// Its value.
        value: f64,
    },
}

/// The ratio second over first, by a paired t-test of the logarithms (Student, 1908).
///
/// ```
/// // Nodes a second of two builds, measured in turns.
/// let ratio = harness_stats::paired_ratio(&[100.0, 200.0, 400.0], &[110.0, 220.0, 440.0])?;
/// assert!((ratio.value - 1.1).abs() < 1e-12 && ratio.p_below(1.0) > 0.999);
/// # Ok::<(), harness_stats::Incomparable>(())
/// ```
///
/// # Errors
/// [`Incomparable`] for lists of different lengths, less than two pairs, or a number that is not
/// above zero and finite.
pub fn paired_ratio(first: &[f64], second: &[f64]) -> Result<PairedRatio, Incomparable> {
    let logs = log_ratios(first, second)?;
    if logs.len() < 2 {
        return Err(Incomparable::TooFew { pairs: logs.len() });
    }
    let pairs = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / pairs;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let log_error = (squares / (pairs - 1.0) / pairs).sqrt();
    let margin = log_error * students_t(logs.len()).map_or(0.0, |t| t.inverse_cdf(0.975));
    let mut ratio = PairedRatio {
        value: mean.exp(),
        ci95: [(mean - margin).exp(), (mean + margin).exp()],
        p_value: 1.0,
        pairs: logs.len(),
        log_error,
    };
    ratio.p_value = (2.0 * ratio.p_below(1.0).min(ratio.p_above(1.0))).min(1.0);
    Ok(ratio)
}

impl PairedRatio {
    /// One-sided p-value of "the ratio is `bound` or more": small where the ratio is lower.
    pub fn p_below(&self, bound: f64) -> f64 {
        let distance = self.value.ln() - bound.ln();
        // Identical repetitions leave rounding as the only variance.
        if self.log_error <= 1e-14 * distance.abs().max(1.0) {
            return if distance.abs() < 1e-12 {
                0.5
            } else if distance < 0.0 {
                0.0
            } else {
                1.0
            };
        }
        students_t(self.pairs).map_or(0.5, |t| t.cdf(distance / self.log_error))
    }

    /// One-sided p-value of "the ratio is `bound` or less".
    pub fn p_above(&self, bound: f64) -> f64 {
        1.0 - self.p_below(bound)
    }
}

/// Student's distribution of the mean of `pairs` differences; `None` below two.
fn students_t(pairs: usize) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, pairs as f64 - 1.0).ok()
}

/// Logarithms of second over first, for [`paired_ratio`], and for [`wilcoxon`] where outliers are
/// expected.
///
/// # Errors
/// [`Incomparable`] for lists of different lengths or a number that is not above zero and finite.
pub fn log_ratios(first: &[f64], second: &[f64]) -> Result<Vec<f64>, Incomparable> {
    if first.len() != second.len() {
        return Err(Incomparable::Unpaired { first: first.len(), second: second.len() });
    }
    let log = |(index, (&first, &second)): (usize, (&f64, &f64))| {
        let is_bad = |value: &f64| !(value.is_finite() && *value > 0.0);
        match [first, second].into_iter().find(is_bad) {
            Some(value) => Err(Incomparable::NotPositive { number: index + 1, value }),
            None => Ok(second.ln() - first.ln()),
        }
    };
    first.iter().zip(second).enumerate().map(log).collect()
}

/// Wilcoxon's signed-rank test (F. Wilcoxon, 1945) of "differences are symmetric around zero". It
/// is non-parametric, and an outlier weighs no more than the largest rank.
///
/// Zeros are left out, ties get mean ranks. Up to 200 differences the p-value is exact, also with
/// ties; beyond, normal with correction for ties and continuity. NaN counts as zero.
pub fn wilcoxon(differences: &[f64]) -> SignedRank {
    let mut sizes: Vec<f64> =
        differences.iter().copied().filter(|size| *size != 0.0 && !size.is_nan()).collect();
    sizes.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    // Twice the rank, so that mean ranks of ties are integers.
    let mut doubled = Vec::with_capacity(sizes.len());
    for tied in sizes.chunk_by(|a, b| a.abs() == b.abs()) {
        let before = doubled.len();
        doubled.resize(before + tied.len(), 2 * before + tied.len() + 1);
    }
    let plus: usize =
        sizes.iter().zip(&doubled).filter(|(size, _)| **size > 0.0).map(|(_, rank)| rank).sum();
    let all: usize = doubled.iter().sum();
    let fewer = plus.min(all - plus);
    let tail = if doubled.len() <= MAX_EXACT {
        exact_tail(&doubled, fewer)
    } else {
        normal_tail(&doubled, all, fewer)
    };
    SignedRank {
        w_plus: plus as f64 / 2.0,
        w_minus: (all - plus) as f64 / 2.0,
        differences: sizes.len(),
        p_value: (2.0 * tail).min(1.0),
    }
}

/// Probability that the ranks of one sign sum up to at most `fewer` under random signs.
fn exact_tail(ranks: &[usize], fewer: usize) -> f64 {
    // Larger sums are not needed.
    let mut probabilities = vec![0.0; fewer + 1];
    probabilities[0] = 1.0;
    let mut reached = 0;
    for &rank in ranks {
        reached = (reached + rank).min(fewer);
        for sum in (0..=reached).rev() {
            let with = if sum >= rank { probabilities[sum - rank] } else { 0.0 };
            probabilities[sum] = (probabilities[sum] + with) / 2.0;
        }
    }
    probabilities.iter().sum()
}

fn normal_tail(ranks: &[usize], all: usize, fewer: usize) -> f64 {
    let variance: f64 = ranks.iter().map(|&rank| (rank as f64 / 2.0).powi(2)).sum();
    // A sum moves in steps of two of these units, and half a step belongs to each value.
    let distance = (all as f64 / 2.0 - fewer as f64 - 1.0).max(0.0);
    erfc(distance / variance.sqrt() / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paired_ratio_is_that_of_a_t_test_worked_by_hand() {
        // Differences of logarithms 0.1, 0.3, 0.2: mean 0.2, standard error 0.1 / √3, t = √12.
        // With two degrees of freedom P(T < t) = ½ + t / (2 √(2 + t²)); the quantile is 4.302653.
        let second = [0.1f64, 0.3, 0.2].map(|log| 50.0 * log.exp());
        let ratio = paired_ratio(&[50.0; 3], &second).expect("pairs");
        let error = 0.1 / 3f64.sqrt();
        assert!((ratio.value - 0.2f64.exp()).abs() < 1e-12, "{ratio:?}");
        assert!((ratio.log_error - error).abs() < 1e-12);
        let below = 0.5 + 12f64.sqrt() / (2.0 * 14f64.sqrt());
        assert!((ratio.p_value - 2.0 * (1.0 - below)).abs() < 1e-9, "{ratio:?}");
        assert!((ratio.p_below(1.0) - below).abs() < 1e-9);
        assert!((ratio.ci95[0] - (0.2 - 4.302_653 * error).exp()).abs() < 1e-6, "{ratio:?}");
        assert!((ratio.ci95[1] - (0.2 + 4.302_653 * error).exp()).abs() < 1e-6, "{ratio:?}");
    }

    #[test]
    fn identical_repetitions_do_not_divide_by_zero() {
        let same = paired_ratio(&[3.0, 5.0], &[3.0, 5.0]).expect("pairs");
        assert_eq!((same.value, same.ci95, same.p_value), (1.0, [1.0, 1.0], 1.0));
        let half = paired_ratio(&[4.0, 8.0], &[2.0, 4.0]).expect("pairs");
        assert_eq!((half.p_value, half.p_below(0.9)), (0.0, 0.0));
        assert_eq!(half.p_below(0.4), 1.0);
    }

    #[test]
    fn an_invalid_measurement_is_refused_with_its_number() {
        let refused = |first: &[f64], second: &[f64]| paired_ratio(first, second).unwrap_err();
        assert_eq!(refused(&[1.0], &[]), Incomparable::Unpaired { first: 1, second: 0 });
        assert_eq!(refused(&[1.0], &[2.0]), Incomparable::TooFew { pairs: 1 });
        assert_eq!(
            refused(&[1.0, 2.0], &[1.0, 0.0]),
            Incomparable::NotPositive { number: 2, value: 0.0 }
        );
        assert!(matches!(
            refused(&[1.0, f64::NAN], &[1.0, 1.0]),
            Incomparable::NotPositive { number: 2, .. }
        ));
    }

    #[test]
    fn exact_p_values_of_ranks_are_those_counted_by_hand() {
        // Differences, rank sums, and how many of 2^n signs give the smaller sum or less.
        let cases: [(&[f64], f64, f64, f64); 6] = [
            (&[1.0, 2.0, 3.0, 4.0, 5.0], 15.0, 0.0, 2.0 * 1.0 / 32.0),
            (&[-0.5, 2.0, 3.0, 4.0, 5.0, 6.0], 20.0, 1.0, 2.0 * 2.0 / 64.0),
            (&[1.0, -2.0, 3.0, 4.0, 5.0, 0.0], 13.0, 2.0, 2.0 * 3.0 / 32.0),
            // Ranks 1½, 1½, 3, 4: none, either 1½, both, and the 3 sum up to 3 or less.
            (&[1.0, 1.0, -2.0, 3.0], 7.0, 3.0, 2.0 * 5.0 / 16.0),
            (&[1.0, 1.0, -1.0], 4.0, 2.0, 1.0),
            (&[0.0, f64::NAN], 0.0, 0.0, 1.0),
        ];
        for (differences, plus, minus, p_value) in cases {
            let test = wilcoxon(differences);
            assert_eq!((test.w_plus, test.w_minus), (plus, minus), "{differences:?}");
            assert!((test.p_value - p_value).abs() < 1e-12, "{differences:?}: {test:?}");
        }
    }

    #[test]
    fn the_normal_tail_takes_over_where_the_exact_one_ends() {
        let ranks: Vec<usize> = (1..=MAX_EXACT).map(|rank| 2 * rank).collect();
        let all: usize = ranks.iter().sum();
        for share in [0.40, 0.42, 0.45, 0.5] {
            let fewer = (share * all as f64) as usize;
            let exact = exact_tail(&ranks, fewer);
            let normal = normal_tail(&ranks, all, fewer);
            assert!((exact - normal).abs() < 1e-3, "{share}: {exact} {normal}");
        }
        let many: Vec<f64> = (0..5_000).map(|n| f64::from(n % 7) - 3.0).collect();
        assert!(wilcoxon(&many).p_value > 0.5);
    }
}
