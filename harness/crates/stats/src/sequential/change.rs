//! Changes of the rules of a test that is under way, by which no error rate rises.

use miette::Diagnostic;
use thiserror::Error;

use super::bounds::{Bounds, Shape};
use super::design::{Fit, PLANNED_DRAWS};
use super::lattice::{Grain, Lattice, Walk};
use super::sprt::{Sprt, SprtError};
use crate::counts::Sample;

/// A change of the rules of a test that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// Other bounds for the rest.
    pub shape: Option<Shape>,
    /// Another last pair.
    pub max: Option<u64>,
}

/// Why the rules of a test cannot be changed.
#[derive(Clone, Debug, PartialEq, Error, Diagnostic)]
pub enum ChangeError {
    /// It is decided.
    #[error("the test is decided")]
    #[diagnostic(help(
        "a decided test keeps its verdict: start another one, with other openings (--seed)"
    ))]
    Decided,
    /// It has no pair.
    #[error("no pair is played")]
    #[diagnostic(help("start a new test with the bounds that you want"))]
    NoPair,
    /// It would take fewer games than it has.
    #[error("{pairs} pairs are played, more than {max}")]
    #[diagnostic(help(
        "the games of a test may be raised; to end it early validly, `harness stop --futile`"
    ))]
    Played {
        /// Played.
        pairs: u64,
        /// Asked for.
        max: u64,
    },
    /// Bounds that cannot be computed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Sprt(#[from] SprtError),
    /// From here on an error would be likelier than by the rules of before.
    #[error(
        "the error rates would rise: from here on the test would err with {now_alpha:.4} at elo0 and \
         {now_beta:.4} at elo1, by its own rules with {alpha:.4} and {beta:.4}"
    )]
    #[diagnostic(help("continue by the rules that the test was started with"))]
    Rates {
        /// By the new rules.
        now_alpha: f64,
        /// By the new rules.
        now_beta: f64,
        /// By the old rules.
        alpha: f64,
        /// By the old rules.
        beta: f64,
    },
}

impl Sprt {
    /// The same test, of which no pair before these counts can decide any more: what is added to its rule
    /// concerns the rest alone.
    #[must_use]
    pub fn from_here(&self, counts: impl Into<Sample>) -> Sprt {
        let pairs = counts.into().pairs();
        let bounds = self.rule.unwrap_or_else(|| self.standing(PLANNED_DRAWS));
        let [lower, upper] = bounds.lines_at(pairs);
        let rule = Bounds { lower, upper, from: pairs as u64, ..bounds };
        Sprt { rule: Some(rule), ..*self }
    }

    /// The test with other rules from these counts on, and its error rates from there, at `elo0` and
    /// `elo1`, before and after the change. `max` is the last pair of before.
    ///
    /// The change may depend on the results so far: neither conditional error rate rises, so neither
    /// does the whole test's (H. Müller and H. Schäfer, "Adaptive group sequential designs for clinical
    /// trials", Biometrics 57, 2001). More games leave the bounds, and so both rates by Wald's
    /// inequalities, as they are: who stops an undecided test rejects or accepts nothing.
    ///
    /// # Errors
    /// [`ChangeError`] says why not.
    pub fn changed(
        &self,
        counts: impl Into<Sample>,
        max: u64,
        change: Change,
    ) -> Result<(Sprt, [[f64; 2]; 2]), ChangeError> {
        let sample = counts.into();
        let llr = self.llr(sample).ok_or(ChangeError::NoPair)?;
        let pairs = sample.pairs();
        if self.decide_at(pairs, llr).is_some() {
            return Err(ChangeError::Decided);
        }
        let new_max = change.max.unwrap_or(max);
        if (new_max as f64) < pairs {
            return Err(ChangeError::Played { pairs: pairs as u64, max: new_max });
        }
        let deviation = sample.regularised().pair_deviation(&sample);
        let walk_of = |test: &Sprt, grain| Walk::observed(test, deviation, grain);
        let errors = |test: &Sprt, max: Option<u64>| {
            let walk = walk_of(test, Grain::Fine);
            let rest = Lattice::from(walk, pairs, llr, max);
            [rest.course(walk.tilt(self.elo0)).accepts, rest.course(walk.tilt(self.elo1)).rejects]
        };
        // By its bounds alone: where games run out nothing is decided, whatever their number.
        let before = errors(self, None);
        let Some(shape) = change.shape else { return Ok((*self, [before, before])) };
        let draw_ratio = self.rule.map_or(0.5, |rule| rule.draw_ratio);
        let fit = Fit { shape, draw_ratio, from: pairs as u64, llr, rates: before };
        let test = fit.solve(self, walk_of)?;
        let after = errors(&test, None);
        if after[0] > before[0] * 1.001 || after[1] > before[1] * 1.001 {
            let [[alpha, beta], [now_alpha, now_beta]] = [before, after];
            return Err(ChangeError::Rates { now_alpha, now_beta, alpha, beta });
        }
        Ok((test, [before, after]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decision, Model, Pentanomial};

    fn test(elo1: f64) -> Sprt {
        Sprt::new(Model::Normalized, 0.0, elo1, 0.05, 0.05).expect("valid")
    }

    #[test]
    fn a_test_that_gives_up_from_here_on_has_the_same_lines() {
        let falling = test(10.0).with_bounds(Shape::Falling, 0.5).expect("bounds");
        let counts = Pentanomial([105, 510, 800, 510, 105]);
        let later = falling.from_here(&counts);
        let places = [2_030.0, 5_000.0, 15_000.0, 30_000.0];
        for pairs in places {
            for (one, other) in falling.bounds_at(pairs).into_iter().zip(later.bounds_at(pairs)) {
                assert!((one - other).abs() < 1e-9, "{pairs}: {one} {other}");
            }
        }
        assert_eq!(falling.last_pair(), later.last_pair());
        let futile = later.with_futility(0.3, 0.5, 2_500).expect("a level");
        assert_eq!(futile.decide(&counts), Some(Decision::Rejected));
        assert_eq!(
            futile.decide(&Pentanomial([1, 0, 0, 0, 0])),
            None,
            "it is too late to stop there"
        );
        assert_eq!(later.with_futility(0.3, 0.5, 20_000).expect("a level").decide(&counts), None);
        let power = |max| later.conditional_power(&counts, 10.0, Some(max)).expect("games");
        assert!(power(2_500) < 0.3 && power(20_000) > 0.3, "{} {}", power(2_500), power(20_000));
    }

    #[test]
    fn a_changed_test_errs_no_more_often_from_there_on() {
        let sprt = test(10.0);
        let counts = Pentanomial([100, 500, 800, 520, 110]);
        let change = Change { shape: Some(Shape::Falling), max: None };
        let (changed, [before, after]) = sprt.changed(&counts, 20_000, change).expect("possible");
        assert!(after[0] >= 0.8 * before[0] && after[1] >= 0.8 * before[1]);
        assert!(after[0] <= before[0] * 1.001 && after[1] <= before[1] * 1.001);
        assert!(changed.last_pair().is_some());
        assert_eq!(changed.decide(&Pentanomial([0, 0, 10, 0, 3_000])), Some(Decision::Accepted));
        // No earlier pair decides by the new bounds.
        assert_eq!(changed.decide(&Pentanomial([0, 0, 10, 0, 200])), None);
        let more = Change { max: Some(50_000), shape: None };
        assert_eq!(sprt.changed(&counts, 20_000, more).expect("possible").0, sprt);
        let fewer = Change { max: Some(100), shape: None };
        assert!(matches!(sprt.changed(&counts, 20_000, fewer), Err(ChangeError::Played { .. })));
        let decided = Pentanomial([0, 0, 10, 0, 2_000]);
        assert_eq!(sprt.changed(&decided, 20_000, more), Err(ChangeError::Decided));
    }
}
