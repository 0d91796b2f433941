//! Bounds of a test's LLR over its pairs: Wald's, or lines that fall towards each other.
//!
//! Wald's bounds stand still, and a test of players half way between its hypotheses is long. Lines that
//! fall by `slope` nats a unit of information (the variance of the LLR) meet, so that a test has a last
//! pair. A slope of 1/4 is the 2-SPRT with its third hypothesis half way between the two (G. Lorden,
//! "2-SPRT's and the modified Kiefer-Weiss problem of minimizing an expected sample size", Annals of
//! Statistics 4, 1976), the triangular test of J. Whitehead ("The Design and Analysis of Sequential Clinical
//! Trials", 1983): nearly the shortest test half way. At 1/10 a test at a hypothesis is hardly longer than
//! Wald's.

use serde::{Deserialize, Serialize};

/// The form of a test's bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Bounds that stand still (A. Wald, 1945); a test has no last pair.
    #[default]
    Wald,
    /// Lines that meet after a known number of pairs; 2 % more games at a hypothesis, 11 % fewer half way.
    Falling,
    /// Steeper lines, the 2-SPRT: the shortest longest test.
    Triangular,
}

impl Shape {
    /// Nats by which each bound moves inwards in a unit of information.
    pub(super) fn slope(self) -> f64 {
        match self {
            Shape::Wald => 0.0,
            Shape::Falling => 0.1,
            Shape::Triangular => 0.25,
        }
    }
}

/// Bounds of a test's LLR as lines over the number of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Their form.
    pub shape: Shape,
    /// LLR at which the test rejects at the pair [`from`](Bounds::from).
    pub lower: f64,
    /// LLR at which it accepts there.
    pub upper: f64,
    /// Nats by which each bound moves inwards with each pair.
    pub fall: f64,
    /// The pair where the lines begin: 0, or where the bounds of a running test were changed. No earlier pair
    /// decides.
    #[serde(default)]
    pub from: u64,
    /// Share of drawn games, 0 to 1, for which the error rates were computed.
    pub draw_ratio: f64,
    /// When the test gives up; `None`: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub futility: Option<Futility>,
}

/// Knots of the line below which a test is futile.
const KNOTS: usize = 32;

/// A test rejects early where the probability that it still accepts, were `elo1` the truth (its conditional
/// power), is below a level.
///
/// That is a further lower bound, fixed before the first pair. The error of the first kind falls; that of the
/// second kind is at most beta / (1 - level), wherever one looks (K. Lan, R. Simon and M. Halperin,
/// "Stochastically curtailed tests in long-term clinical trials", Sequential Analysis 1, 1982).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Futility {
    /// The level, between 0 and 1.
    pub level: f64,
    /// The pair of the last knot: where the test ends.
    pub last: u64,
    /// LLR at which the test is futile, at pairs that lie closer together towards the last.
    pub knots: [f64; KNOTS],
}

impl Futility {
    /// Pairs of the knots of a test with this last pair.
    pub(super) fn places(last: u64) -> [f64; KNOTS] {
        std::array::from_fn(|knot| {
            let left = 1.0 - knot as f64 / (KNOTS - 1) as f64;
            last as f64 * (1.0 - left * left)
        })
    }

    /// The LLR at which the test is futile after `pairs` pairs.
    pub fn at(&self, pairs: f64) -> f64 {
        let done = (pairs / (self.last.max(1)) as f64).clamp(0.0, 1.0);
        let place = (1.0 - (1.0 - done).sqrt()) * (KNOTS - 1) as f64;
        let knot = (place as usize).min(KNOTS - 2);
        // Straight between the knots' pairs.
        let places = |knot: usize| 1.0 - (1.0 - knot as f64 / (KNOTS - 1) as f64).powi(2);
        let [from, to] = [places(knot), places(knot + 1)];
        let share = (done - from) / (to - from);
        self.knots[knot] + share * (self.knots[knot + 1] - self.knots[knot])
    }
}

impl Bounds {
    /// Lower and upper bound after `pairs` pairs; equal where the lines have met. Infinite before
    /// [`from`](Bounds::from).
    pub fn at(&self, pairs: f64) -> [f64; 2] {
        let [lower, upper] = self.lines_at(pairs);
        // No earlier pair decides, be it futile or not.
        let futility = self.futility.filter(|_| pairs >= self.from as f64);
        let futile = futility.map_or(lower, |futility| futility.at(pairs));
        [lower.max(futile).min(upper), upper]
    }

    /// The same without what is futile.
    pub fn lines_at(&self, pairs: f64) -> [f64; 2] {
        let from = self.from as f64;
        if pairs < from {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let fall = self.fall * (pairs - from);
        let [lower, upper] = [self.lower + fall, self.upper - fall];
        if lower < upper { [lower, upper] } else { [(self.lower + self.upper) / 2.0; 2] }
    }

    /// The last pair, where the lines meet; `None` of Wald's bounds.
    pub fn last_pair(&self) -> Option<u64> {
        let width = self.upper - self.lower;
        (self.fall > 0.0).then(|| self.from + (width / (2.0 * self.fall)).ceil().max(1.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Bounds {
        Bounds {
            shape: Shape::Falling,
            lower: -3.0,
            upper: 3.5,
            fall: 0.01,
            from: 0,
            draw_ratio: 0.5,
            futility: None,
        }
    }

    #[test]
    fn lines_meet_at_the_last_pair_and_not_before() {
        let bounds = lines();
        let last = bounds.last_pair().expect("they fall");
        assert_eq!(last, 325);
        let [lower, upper] = bounds.at(last as f64 - 1.0);
        assert!(lower < upper);
        assert_eq!(bounds.at(last as f64), [0.25, 0.25]);
        assert_eq!(bounds.at(1e9), [0.25, 0.25]);
        assert_eq!(Bounds { fall: 0.0, ..bounds }.last_pair(), None);
    }

    #[test]
    fn no_pair_before_the_change_of_bounds_decides() {
        let bounds = Bounds { from: 100, ..lines() };
        assert_eq!(bounds.at(99.0), [f64::NEG_INFINITY, f64::INFINITY]);
        assert_eq!(bounds.at(100.0), [-3.0, 3.5]);
        assert_eq!(bounds.last_pair(), Some(425));
    }

    #[test]
    fn what_is_futile_is_a_lower_bound_between_its_knots() {
        let knots = std::array::from_fn(|knot| knot as f64 / 31.0 - 2.0);
        let futility = Futility { level: 0.1, last: 200, knots };
        for (knot, pairs) in Futility::places(200).into_iter().enumerate() {
            assert!((futility.at(pairs) - knots[knot]).abs() < 1e-9, "{knot}");
        }
        assert!((futility.at(1e6) + 1.0).abs() < 1e-12);
        let bounds = Bounds { futility: Some(futility), ..lines() };
        assert_eq!(bounds.at(0.0), [-2.0, 3.5]);
        let later = Bounds { from: 100, ..bounds };
        assert_eq!(later.at(99.0), [f64::NEG_INFINITY, f64::INFINITY]);
        // Where the line is above, it counts.
        assert_eq!(bounds.at(300.0)[0], bounds.lines_at(300.0)[0]);
    }
}
