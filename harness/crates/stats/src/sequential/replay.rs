//! The pairs of a finished test under another rule: how many would have been played.

use serde::{Deserialize, Serialize};

use super::sprt::Sprt;
use crate::counts::Pentanomial;
use crate::elo::Z975;
use crate::summary::Verdict;

/// How a stream of pairs is tested: a test, with its number of pairs if it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// The test.
    pub sprt: Sprt,
    /// Most pairs.
    pub max: Option<u64>,
}

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
    /// A test over pair scores (half points, 0 to 4) in the order of the pairs.
    pub fn new(rule: &Rule, scores: &[u8]) -> Replayed {
        let Rule { sprt, max } = rule;
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

/// A stream as consecutive tests, each by two rules: the pair that each begins with, from 0, and its course by
/// both. A test begins where the longer of the two ended the one before. Of the last one the pairs may run out.
///
/// Where a test begins depends on pairs before it alone, so that its pairs are those of a test of its own.
pub fn consecutive(scores: &[u8], rules: &[Rule; 2]) -> Vec<(usize, [Replayed; 2])> {
    let mut tests = Vec::new();
    let mut first = 0;
    while let Some(rest) = scores.get(first..).filter(|rest| !rest.is_empty()) {
        let both = rules.map(|rule| Replayed::new(&rule, rest));
        tests.push((first, both));
        let pairs = both[0].games.max(both[1].games) / 2;
        first += usize::try_from(pairs).unwrap_or(usize::MAX).max(1);
        if both.iter().any(|test| test.open) {
            break;
        }
    }
    tests
}

/// What tests by one rule came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestTotals {
    /// Tests that accepted.
    pub accepted: u64,
    /// Tests that rejected.
    pub rejected: u64,
    /// Tests whose games were not enough.
    pub inconclusive: u64,
    /// Mean number of games.
    pub mean: f64,
    /// Half of the width of the 95 % interval of the mean; `None` of a single test.
    pub error95: Option<f64>,
    /// Games that half of the tests do not exceed.
    pub median: u64,
    /// Games that 95 of 100 tests do not exceed.
    pub games95: u64,
    /// Games of the longest test.
    pub most: u64,
}

impl TestTotals {
    /// `None` without a test.
    pub fn new(tests: &[Replayed]) -> Option<TestTotals> {
        let mut games: Vec<u64> = tests.iter().map(|test| test.games).collect();
        games.sort_unstable();
        let most = *games.last()?;
        // The smallest number that is not exceeded by this share of them.
        let quantile = |percent: usize| games[(games.len() * percent).div_ceil(100) - 1];
        let count = games.len() as f64;
        let mean = games.iter().map(|&games| games as f64).sum::<f64>() / count;
        let squares: f64 = games.iter().map(|&games| (games as f64 - mean).powi(2)).sum();
        let error = || Z975 * (squares / (count - 1.0) / count).sqrt();
        let verdicts =
            |verdict: Verdict| tests.iter().filter(|test| test.verdict == verdict).count() as u64;
        Some(TestTotals {
            accepted: verdicts(Verdict::Accepted),
            rejected: verdicts(Verdict::Rejected),
            inconclusive: verdicts(Verdict::Inconclusive),
            mean,
            error95: (games.len() > 1).then(error),
            median: quantile(50),
            games95: quantile(95),
            most,
        })
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
        let replayed = Replayed::new(&Rule { sprt: falling, max: None }, &even);
        assert!(replayed.games <= 2 * last && replayed.verdict != Verdict::Inconclusive);
        let open = Replayed::new(&Rule { sprt: wald, max: None }, &even);
        assert_eq!((open.games, open.verdict), (8_000, Verdict::Inconclusive));
        assert!(open.beyond > 0.0, "{open:?}");
        // Its games ran out, not the stream.
        let out = Replayed::new(&Rule { sprt: wald, max: Some(100) }, &even);
        assert_eq!((out.games, out.beyond), (200, 0.0));
        // All won: no Elo, and no end by a rule that wants more.
        let won = Replayed::new(&Rule { sprt: falling, max: None }, &[4, 4]);
        assert!(won.open && won.beyond > 0.0, "{won:?}");
        let better: Vec<u8> = (0..4_000).map(|pair| [1, 2, 3, 4][pair % 4]).collect();
        for sprt in [wald, falling] {
            let won = Replayed::new(&Rule { sprt, max: None }, &better);
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

    #[test]
    fn consecutive_tests_begin_where_the_longer_of_both_ended() {
        let wald = Sprt::new(Model::Normalized, 0.0, 100.0, 0.05, 0.05).expect("valid");
        let falling = wald.with_bounds(Shape::Falling, 0.5).expect("bounds");
        let rules = [wald, falling].map(|sprt| Rule { sprt, max: None });
        let stream: Vec<u8> =
            (0..3_000).map(|pair| [1, 3, 2, 4, 0, 3, 2][pair * pair % 7]).collect();
        let tests = consecutive(&stream, &rules);
        assert!(tests.len() > 5, "{}", tests.len());
        for (number, (first, both)) in tests.iter().enumerate() {
            for (rule, test) in rules.iter().zip(both) {
                assert_eq!(Replayed::new(rule, &stream[*first..]), *test);
            }
            let next = tests.get(number + 1).map_or(stream.len(), |(next, _)| *next);
            let longer = both[0].games.max(both[1].games) as usize / 2;
            let is_last = number + 1 == tests.len();
            assert!(first + longer == next || is_last, "{number}");
            assert!(is_last || both.iter().all(|test| !test.open));
        }
        assert_eq!(consecutive(&[], &rules), []);
        // A test without a verdict has an end, too.
        let short = rules.map(|rule| Rule { max: Some(2), ..rule });
        let firsts: Vec<usize> =
            consecutive(&[2, 2, 2, 2, 2], &short).iter().map(|(first, _)| *first).collect();
        assert_eq!(firsts, [0, 2, 4]);
    }

    #[test]
    fn totals_have_the_verdicts_and_the_spread_of_the_games() {
        let test = |games, verdict| Replayed { games, verdict, open: false, beyond: 0.0 };
        let tests: Vec<Replayed> = (1..=20)
            .map(|number| match number {
                20 => test(200, Verdict::Inconclusive),
                even if even % 2 == 0 => test(2 * number, Verdict::Accepted),
                _ => test(2 * number, Verdict::Rejected),
            })
            .collect();
        let totals = TestTotals::new(&tests).expect("tests");
        assert_eq!((totals.accepted, totals.rejected, totals.inconclusive), (9, 10, 1));
        assert_eq!((totals.median, totals.games95, totals.most), (20, 38, 200));
        assert_eq!(totals.mean, (2.0 * 190.0 + 200.0) / 20.0);
        assert!(totals.error95.is_some_and(|error| error > 15.0 && error < 22.0), "{totals:?}");
        assert_eq!(TestTotals::new(&[]), None);
        assert_eq!(TestTotals::new(&tests[..1]).and_then(|totals| totals.error95), None);
    }
}
