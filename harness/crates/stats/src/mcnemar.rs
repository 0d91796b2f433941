//! McNemar's test: whether two solvers of the same suite differ.

use statrs::function::beta::checked_beta_reg;

/// Exact two-sided p-value of McNemar's test.
///
/// `gained` and `lost` count the positions that only the new and only the old result solved; under
/// the null hypothesis each is a fair coin (Q. McNemar, 1947; exact binomial form). 1 when nothing
/// changed.
///
/// ```
/// let p = harness_stats::mcnemar(0, 6);
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

/// Least difference of gained and lost positions that is significant (5 %) among `changed` of them;
/// `None` if no difference is.
pub fn visible_change(changed: u64) -> Option<u64> {
    // The p-value is increasing in the smaller of the two counts.
    let shows = |fewer: u64| mcnemar(changed - fewer, fewer) < 0.05;
    if changed == 0 || !shows(0) {
        return None;
    }
    let mut low = 0;
    let mut high = changed / 2;
    while low < high {
        let middle = (low + high).div_ceil(2);
        if shows(middle) { low = middle } else { high = middle - 1 }
    }
    Some(changed - 2 * low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_than_six_changes_are_never_significant() {
        for (changed, net) in [(0, None), (5, None), (6, Some(6)), (8, Some(8)), (20, Some(10))] {
            assert_eq!(visible_change(changed), net, "{changed}");
        }
        for changed in 6..300u64 {
            let net = visible_change(changed).expect("six or more");
            let fewer = (changed - net) / 2;
            assert!(mcnemar(changed - fewer, fewer) < 0.05);
            assert!(2 * (fewer + 1) > changed || mcnemar(changed - fewer - 1, fewer + 1) >= 0.05);
        }
    }

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
