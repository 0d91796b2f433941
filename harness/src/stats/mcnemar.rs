//! Whether two solvers of the same suite differ.

use statrs::function::beta::checked_beta_reg;

/// Exact two-sided p-value of McNemar's test.
///
/// `gained` and `lost` count the positions that only the new and only the old result solved;
/// if both are equally able, each of these is a fair coin (Q. McNemar, 1947; exact binomial
/// form). 1 when nothing changed.
///
/// ```
/// let p = harness::stats::mcnemar(0, 6);
/// assert!((p - 2.0 / 64.0).abs() < 1e-9);
/// ```
pub fn mcnemar(gained: u64, lost: u64) -> f64 {
    let fewer = gained.min(lost) as f64;
    let changed = gained as f64 + lost as f64;
    if gained == lost {
        return 1.0;
    }
    // P(X <= k) for n fair coins is the regularised beta function I_1/2(n - k, k + 1).
    let tail = checked_beta_reg(changed - fewer, fewer + 1.0, 0.5).unwrap_or(0.5);
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_those_of_the_binomial_distribution() {
        let cases = [(0, 0, 1.0), (1, 1, 1.0), (0, 1, 1.0), (0, 5, 0.0625), (2, 10, 0.038_574)];
        for (gained, lost, expected) in cases {
            let p = mcnemar(gained, lost);
            assert!((p - expected).abs() < 1e-6, "{gained} {lost}: {p}");
            assert!((p - mcnemar(lost, gained)).abs() < 1e-12);
        }
    }
}
