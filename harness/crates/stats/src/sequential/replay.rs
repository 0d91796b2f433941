//! The pairs of a finished test under another rule: how many would have been played.

use serde::{Deserialize, Serialize};

use super::sprt::Sprt;
use crate::counts::Pentanomial;
use crate::elo::Z975;
use crate::summary::Verdict;

/// A test by one rule over a stream of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replayed {
    /// Games until the verdict, or all there are.
    pub games: u64,
    /// The verdict; `inconclusive` where the pairs, or the games of the test, ran out.
    pub verdict: Verdict,
    /// The pairs ran out before the rule ended the test.
    pub open: bool,
    /// Games that it would take beyond the stream, expected at the Elo seen; 0 where it ended within.
    pub beyond: f64,
}

impl Replayed {
    /// A test of at most `max` pairs over pair scores (half points, 0 to 4) in the order of the pairs.
    pub fn new(sprt: &Sprt, scores: &[u8], max: Option<u64>) -> Replayed {
        let mut counts = Pentanomial::default();
        let limit = max.unwrap_or(u64::MAX);
        for &score in scores.iter().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
            counts.0[usize::from(score).min(4)] += 1;
            if let Some(decision) = sprt.decide(&counts) {
                let verdict = Verdict::from(Some(decision));
                return Replayed { games: counts.games(), verdict, open: false, beyond: 0.0 };
            }
        }
        let open = counts.pairs() < limit;
        let left = limit.saturating_sub(counts.pairs()).saturating_mul(2) as f64;
        // Without an Elo, a pair at least.
        let rest = sprt.remaining(&counts).map_or(2.0, |rest| rest.games);
        let beyond = if open { rest.min(left) } else { 0.0 };
        Replayed { games: counts.games(), verdict: Verdict::Inconclusive, open, beyond }
    }
}

/// Ratio of the sums of the second numbers to the first, with its error: that of a ratio of means of
/// paired observations (W. Cochran, "Sampling Techniques", 1977, section 6.4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SumRatio {
    /// The ratio.
    pub value: f64,
    /// Half of the width of its 95 % interval; `None` of a single pair.
    pub error95: Option<f64>,
}

impl SumRatio {
    /// `None` where the first numbers sum to nothing.
    pub fn new(pairs: &[[f64; 2]]) -> Option<SumRatio> {
        let [first, second] = [0, 1].map(|at| pairs.iter().map(|pair| pair[at]).sum::<f64>());
        if first <= 0.0 {
            return None;
        }
        let value = second / first;
        let squares: f64 = pairs.iter().map(|[old, new]| (new - value * old).powi(2)).sum();
        let count = pairs.len() as f64;
        let error = || Z975 * (squares * count / (count - 1.0)).sqrt() / first;
        Some(SumRatio { value, error95: (pairs.len() > 1).then(error) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, Shape};

    #[test]
    fn a_replay_ends_at_the_pair_that_decides() {
        let wald = Sprt::new(Model::Normalized, -20.0, 20.0, 0.05, 0.05).expect("valid");
        let falling = wald.with_bounds(Shape::Falling, 0.5).expect("bounds");
        // Pairs of equals, in turn: a test whose bounds stand still continues.
        let even: Vec<u8> = (0..4_000).map(|pair| [1, 2, 3, 2][pair % 4]).collect();
        let last = falling.last_pair().expect("they fall");
        let replayed = Replayed::new(&falling, &even, None);
        assert!(replayed.games <= 2 * last && replayed.verdict != Verdict::Inconclusive);
        let open = Replayed::new(&wald, &even, None);
        assert_eq!((open.games, open.verdict), (8_000, Verdict::Inconclusive));
        assert!(open.beyond > 0.0, "{open:?}");
        // Its games ran out, not the stream.
        let out = Replayed::new(&wald, &even, Some(100));
        assert_eq!((out.games, out.beyond), (200, 0.0));
        // All won: no Elo, and no end by a rule that wants more.
        let won = Replayed::new(&falling, &[4, 4], None);
        assert!(won.open && won.beyond > 0.0, "{won:?}");
        let better: Vec<u8> = (0..4_000).map(|pair| [1, 2, 3, 4][pair % 4]).collect();
        for sprt in [wald, falling] {
            let won = Replayed::new(&sprt, &better, None);
            assert_eq!(won.verdict, Verdict::Accepted);
            let mut counts = Pentanomial::default();
            better[..won.games as usize / 2]
                .iter()
                .for_each(|&score| counts.0[usize::from(score)] += 1);
            assert!(sprt.decide(&counts).is_some());
        }
    }

    #[test]
    fn the_error_of_a_ratio_is_none_where_all_ratios_are_the_same() {
        let ratio = SumRatio::new(&[[10.0, 5.0], [30.0, 15.0]]).expect("games");
        assert_eq!((ratio.value, ratio.error95), (0.5, Some(0.0)));
        assert_eq!(SumRatio::new(&[[4.0, 2.0]]).and_then(|ratio| ratio.error95), None);
        assert_eq!(SumRatio::new(&[]), None);
        let spread = SumRatio::new(&[[10.0, 2.0], [10.0, 8.0]]).expect("games");
        assert!(spread.error95.is_some_and(|error| error > 0.3), "{spread:?}");
    }
}
