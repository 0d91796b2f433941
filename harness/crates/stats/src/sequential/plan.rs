//! Expected length and power of an SPRT, before the first game and while it runs.
//!
//! The LLR is a random walk with one step a pair, whose mean and variance follow from the true
//! difference; the bounds are moved outwards by the walk's mean overshoot (D. Siegmund, "Sequential
//! Analysis", 1985, chapter X). A. Wald's identity gives the expected length.

use serde::{Deserialize, Serialize};

use strum::VariantArray;

use super::bounds::Shape;
use super::brownian::Brownian;
use super::design::{DrawnCourse, ErrorRates, PLANNED_DRAWS};
use super::estimate::SprtState;
use super::lattice::{Grain, Lattice, Walk};
use super::sprt::{Decision, Model, Sprt, SprtError};
use crate::counts::{Regularised, Sample};
use crate::elo::{Z975, elo_of_score, score_of_elo, sigma_of_draws};
use crate::posterior::{Posterior, is_few};

/// The 80 % quantile of the normal distribution, for a power of 80 %.
const Z80: f64 = 0.841_621_233_572_914_4;

/// Expected course of a test at a true difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// The true difference in logistic Elo.
    pub elo: f64,
    /// The same in normalized Elo.
    pub nelo: f64,
    /// Probability that the test accepts.
    pub pass: f64,
    /// Probability that it gives up without a decision.
    #[serde(default)]
    pub undecided: f64,
    /// Mean number of games until it decides or gives up.
    pub games: f64,
}

/// The course of a test over a range of true differences, before a game is played.
#[derive(Clone, Debug, Serialize)]
pub struct SprtPlan {
    /// The test.
    pub sprt: Sprt,
    /// The bounds of its LLR, before the first game.
    pub bounds: [f64; 2],
    /// Games after which it gives up.
    pub max_games: u64,
    /// By share of drawn games.
    pub plans: Vec<SprtSpread>,
}

/// The plan for one share of drawn games.
#[derive(Clone, Debug, Serialize)]
pub struct SprtSpread {
    /// The share, from 0 to 1.
    pub draw_ratio: f64,
    /// Standard deviation of a game's score.
    pub sigma: f64,
    /// From beyond one hypothesis to beyond the other.
    pub expectations: Vec<Expectation>,
    /// The same test with each form of bounds, by summation.
    pub rules: Vec<RulePlan>,
}

/// A test with one form of bounds, before a game is played: error rates and lengths by summation.
#[derive(Clone, Debug, Serialize)]
pub struct RulePlan {
    /// The form of the bounds.
    pub bounds: Shape,
    /// Conditional power below which it rejects; `None`: it does not.
    pub futile: Option<f64>,
    /// Games after which it has decided for sure, or gives up.
    pub max_games: u64,
    /// Both error rates.
    pub rates: ErrorRates,
    /// Half a gap below `elo0`, at `elo0`, half way, at `elo1`, and half a gap above it.
    pub courses: Vec<DrawnCourse>,
}

/// Most games of a test whose bounds stand still, unless another number is given.
pub const PLANNED_GAMES: u64 = 40_000;

/// Shares of drawn games for which a test is planned by default.
pub const DRAW_RATIOS: [f64; 3] = [0.3, 0.5, 0.7];

impl SprtPlan {
    /// The plan for some shares of drawn games, of a test that gives up after `max_games`.
    ///
    /// # Errors
    /// When the hypotheses are too far apart for a level of futility.
    pub fn new(sprt: Sprt, draw_ratios: &[f64], max_games: u64) -> Result<SprtPlan, SprtError> {
        let variants = variants(&sprt, max_games)?;
        let plan = |&ratio: &f64| SprtSpread::new(&sprt, ratio, &variants, max_games);
        let plans = draw_ratios.iter().map(plan).collect();
        Ok(SprtPlan { sprt, bounds: sprt.bounds(), max_games, plans })
    }
}

/// The same test with each form of bounds that it can have, without and with its futility.
fn variants(sprt: &Sprt, max_games: u64) -> Result<Vec<Sprt>, SprtError> {
    let draw_ratio = sprt.rule.map_or(PLANNED_DRAWS, |rule| rule.draw_ratio);
    let level = sprt.rule.and_then(|rule| rule.futility).map(|futility| futility.level);
    let shapes = Shape::VARIANTS.iter();
    let plain: Vec<Sprt> =
        shapes.filter_map(|&shape| sprt.with_bounds(shape, draw_ratio).ok()).collect();
    let futile = level.map(|level| {
        let max = max_games.div_ceil(2);
        plain.iter().map(move |test| test.with_futility(level, draw_ratio, max))
    });
    let futile = futile.into_iter().flatten().collect::<Result<Vec<Sprt>, SprtError>>()?;
    Ok([plain, futile].concat())
}

impl RulePlan {
    fn new(sprt: &Sprt, draw_ratio: f64, max_games: u64) -> RulePlan {
        let max = max_games.div_ceil(2);
        let last = sprt.last_pair().map_or(max, |last| last.min(max));
        let Sprt { elo0, elo1, .. } = *sprt;
        let gap = elo1 - elo0;
        let elos = [-0.5, 0.0, 0.5, 1.0, 1.5].map(|share| elo0 + share * gap);
        let (rates, courses) = sprt.summed(draw_ratio, Some(max), &elos);
        RulePlan {
            bounds: sprt.rule.map_or(Shape::Wald, |rule| rule.shape),
            futile: sprt.rule.and_then(|rule| rule.futility).map(|futility| futility.level),
            max_games: last.saturating_mul(2),
            rates,
            courses,
        }
    }
}

impl SprtSpread {
    fn new(sprt: &Sprt, draw_ratio: f64, variants: &[Sprt], max_games: u64) -> SprtSpread {
        const STEPS: i32 = 8;
        let sigma = sigma_of_draws(draw_ratio);
        let [from, to] = sprt.logistic_hypotheses(sigma);
        let margin = (to - from) / 2.0;
        let step = (to - from + 2.0 * margin) / f64::from(STEPS);
        let elos = (0..=STEPS).map(|number| from - margin + step * f64::from(number));
        let expectations = sprt.expectations(&elos.collect::<Vec<f64>>(), draw_ratio, max_games);
        let rules =
            variants.iter().map(|test| RulePlan::new(test, draw_ratio, max_games)).collect();
        SprtSpread { draw_ratio, sigma, expectations, rules }
    }
}

/// Expected rest of a test, with the observed difference as the true one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remaining {
    /// Mean number of games until it decides or gives up; 0 once it has.
    pub games: f64,
    /// Probability that it accepts.
    pub pass: f64,
    /// Probability that it gives up without a decision.
    #[serde(default)]
    pub undecided: f64,
}

impl Sprt {
    /// Expected rest of the test at the observed difference; rough for few games. `None` where
    /// [`super::Elo`] is undefined and the test undecided.
    pub fn remaining(&self, counts: impl Into<Sample>) -> Option<Remaining> {
        self.remaining_within(counts, None)
    }

    /// The same of a test that gives up after `max` pairs, those played counted.
    pub fn remaining_within(
        &self,
        counts: impl Into<Sample>,
        max: Option<u64>,
    ) -> Option<Remaining> {
        let sample = counts.into();
        let llr = self.llr(sample)?;
        if let Some(decision) = self.decide_at(sample.pairs(), llr) {
            let pass = if decision == Decision::Accepted { 1.0 } else { 0.0 };
            return Some(Remaining { games: 0.0, pass, undecided: 0.0 });
        }
        if max.is_some_and(|max| sample.pairs() >= max as f64) {
            return Some(Remaining { games: 0.0, pass: 0.0, undecided: 1.0 });
        }
        let walk = SprtState::new(self, &sample)?.observed_motion();
        if self.rule.is_some() || max.is_some() {
            return Some(self.remaining_by_summation(&sample, llr, walk.drift, max));
        }
        let walk = Brownian { lower: walk.lower - llr, upper: walk.upper - llr, ..walk }
            .corrected_for_overshoot();
        let games = walk.mean_time() * sample.games_each();
        Some(Remaining { games: games.max(1.0), pass: walk.upper_probability(), undecided: 0.0 })
    }

    /// The same of bounds that fall, or of a test that gives up; `drift` is that of the LLR with each observation.
    fn remaining_by_summation(
        &self,
        sample: &Sample,
        llr: f64,
        drift: f64,
        max: Option<u64>,
    ) -> Remaining {
        let deviation = sample.regularised().pair_deviation(sample);
        let walk = Walk::observed(self, deviation, Grain::Coarse);
        let pairs = sample.pairs();
        let drift_of_pair = drift * sample.observations() / pairs;
        let rest = Lattice::from(walk, pairs, llr, max);
        let course = rest.course(walk.tilt_of_drift(drift_of_pair / walk.information));
        // A step may be several pairs, and the last one go beyond the end.
        let left = max.map_or(f64::INFINITY, |max| 2.0 * (max as f64 - pairs));
        let games = (2.0 * (course.pairs - pairs)).min(left).max(1.0);
        Remaining { games, pass: course.accepts, undecided: course.undecided() }
    }

    /// Expected course of the test if the first player is `elo` (logistic) stronger, and if no number of games
    /// ends it: in the formulas of Wald and Siegmund.
    ///
    /// `sigma` is the standard deviation of a game's score over pairs, √(2 · variance of the
    /// pair's mean score): see [`sigma_of_draws`] where only a share of draws is known, or take
    /// it from an earlier match.
    pub fn expectation(&self, elo: f64, sigma: f64) -> Expectation {
        let mean = score_of_elo(elo);
        let variance = sigma * sigma / 2.0;
        let [score0, score1] = [self.elo0, self.elo1].map(|elo| self.model.score(elo, sigma));
        let distance = score1 - score0;
        let [lower, upper] = self.wald();
        let walk = Brownian {
            lower,
            upper,
            drift: (mean - (score0 + score1) / 2.0) * distance / variance,
            variance: distance * distance / variance,
        }
        .corrected_for_overshoot();
        Expectation {
            elo,
            nelo: (mean - 0.5) / sigma * crate::elo::NELO_PER_T,
            pass: walk.upper_probability(),
            undecided: 0.0,
            games: 2.0 * walk.mean_time(),
        }
    }

    /// The same of a test that gives up after `max_games`, by summation; `draw_ratio` of the games are drawn.
    fn expectations(&self, elos: &[f64], draw_ratio: f64, max_games: u64) -> Vec<Expectation> {
        let sigma = sigma_of_draws(draw_ratio);
        let walk = Walk::new(self, draw_ratio, Grain::Fine);
        let lattice = Lattice::new(walk, Some(max_games.div_ceil(2)));
        let at = |&elo: &f64| {
            let nelo = (score_of_elo(elo) - 0.5) / sigma * crate::elo::NELO_PER_T;
            let of_test = if self.model == Model::Normalized { nelo } else { elo };
            let course = lattice.course(walk.tilt(of_test));
            let most = 2.0 * max_games.div_ceil(2) as f64;
            let (undecided, games) = (course.undecided(), (2.0 * course.pairs).min(most));
            Expectation { elo, nelo, pass: course.accepts, undecided, games }
        };
        elos.iter().map(at).collect()
    }

    /// The hypotheses `elo0` and `elo1` in logistic Elo, at this spread of scores.
    pub fn logistic_hypotheses(&self, sigma: f64) -> [f64; 2] {
        [self.elo0, self.elo1].map(|elo| elo_of_score(self.model.score(elo, sigma)))
    }
}

/// Logistic Elo difference that as many games with the same variance detect (the 95 % interval
/// leaves out 0) with a power of 80 %. `None` where no difference is detected that often, or
/// without a game.
pub fn visible_effect(counts: impl Into<Sample>) -> Option<f64> {
    let sample = counts.into();
    if sample.observations() == 0.0 {
        return None;
    }
    let deviation = if is_few(&sample) {
        Posterior::from_sample(&sample).deviation()
    } else {
        let Regularised { variance, total, .. } = sample.regularised();
        (variance / total).sqrt()
    };
    effect_of(deviation)
}

/// The same before the first of `pairs` pairs; `sigma` is the standard deviation of a game's score,
/// see [`Sprt::expectation`].
pub fn smallest_effect(pairs: u64, sigma: f64) -> Option<f64> {
    // With the prior of a `Posterior`: one decisive pair, 2 : 0 or 0 : 2.
    let pairs = pairs as f64;
    let variance = (pairs * sigma * sigma / 2.0 + 0.25) / (pairs + 1.0);
    effect_of((variance / (pairs + 2.0)).sqrt())
}

/// Games between equals, half of them drawn, after which half of the 95 % interval is this wide in Elo.
pub fn games_for_error(error95: f64) -> u64 {
    // Elo of a point of score between equals.
    let slope = 4.0 * 400.0 / std::f64::consts::LN_10;
    (Z975 * slope * sigma_of_draws(PLANNED_DRAWS) / error95).powi(2).ceil() as u64
}

/// The Elo difference that this standard deviation of the mean score detects with a power of 80 %.
fn effect_of(deviation: f64) -> Option<f64> {
    let score = 0.5 + (Z975 + Z80) * deviation;
    // Beyond 1,200 Elo the score is 1 within the margin of `Elo`.
    (score < 0.999).then(|| elo_of_score(score))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pentanomial;

    fn sprt() -> Sprt {
        Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).expect("valid")
    }

    #[test]
    fn the_remaining_games_between_equals_are_those_of_a_fresh_test() {
        // Without a drift and half way between the bounds, games played change nothing.
        let sprt = Sprt::new(Model::Normalized, -5.0, 5.0, 0.05, 0.05).expect("valid");
        let counts = Pentanomial([15, 125, 250, 125, 15]);
        let remaining = sprt.remaining(&counts).expect("games");
        let sigma = (2.0 * counts.variance().expect("pairs")).sqrt();
        let fresh = sprt.expectation(0.0, sigma);
        assert!((remaining.games - fresh.games).abs() < 1e-6 * fresh.games, "{remaining:?}");
        assert!((remaining.pass - 0.5).abs() < 1e-9, "{remaining:?}");
        // The nearer bound comes sooner, and more likely.
        let ahead = sprt.remaining(&Pentanomial([12, 118, 250, 141, 19])).expect("games");
        assert!(ahead.pass > 0.9 && ahead.games < fresh.games, "{ahead:?}");
    }

    #[test]
    fn a_test_that_gives_up_has_no_more_games_left_than_it_may_play() {
        let sprt = Sprt::new(Model::Normalized, -5.0, 5.0, 0.05, 0.05).expect("valid");
        let counts = Pentanomial([15, 125, 250, 125, 15]);
        let free = sprt.remaining(&counts).expect("games");
        let within = |max| sprt.remaining_within(&counts, Some(max)).expect("games");
        // As many as it likes: the same by summation.
        let long = within(1_000_000);
        assert!((long.games / free.games - 1.0).abs() < 0.05 && long.undecided < 1e-6, "{long:?}");
        let short = within(580);
        assert!(short.games > 90.0 && short.games <= 100.0, "{short:?}");
        assert!(short.undecided > 0.99 && short.pass < 0.005, "{short:?}");
        let over = Remaining { games: 0.0, pass: 0.0, undecided: 1.0 };
        assert_eq!(within(530), over);
    }

    #[test]
    fn a_decided_test_needs_no_more_games() {
        let won = Pentanomial([0, 0, 10_000, 0, 20_000]);
        assert_eq!(
            sprt().remaining(&won),
            Some(Remaining { games: 0.0, pass: 1.0, undecided: 0.0 })
        );
        let lost = sprt().remaining(&won.reversed());
        assert_eq!(lost, Some(Remaining { games: 0.0, pass: 0.0, undecided: 0.0 }));
        assert_eq!(sprt().remaining(&Pentanomial::default()), None);
    }

    #[test]
    fn more_games_detect_smaller_effects_and_a_plan_predicts_those_of_a_match() {
        let counts = [10, 60, 120, 75, 15];
        let seen = visible_effect(&Pentanomial(counts)).expect("many pairs");
        let sigma = (2.0 * Pentanomial(counts).variance().expect("pairs")).sqrt();
        let planned = smallest_effect(280, sigma).expect("many pairs");
        assert!((seen - planned).abs() < 0.01 * seen, "{seen} {planned}");
        let few = visible_effect(&Pentanomial([0, 0, 2, 0, 0])).expect("some");
        assert!(few > 200.0 && few < 500.0, "{few}");
        assert_eq!(visible_effect(&Pentanomial::default()), None);
        // As many games with half of them drawn have that error.
        let drawn = Pentanomial([36, 145, 219, 145, 36]);
        let error = crate::Elo::from_counts(&drawn).expect("pairs").error95;
        let games = games_for_error(error);
        assert!((games as f64 / drawn.games() as f64 - 1.0).abs() < 0.02, "{games} {error}");
        assert_eq!(smallest_effect(0, 0.5), None);
        let by_pairs = [1u64, 4, 100, 10_000].map(|pairs| smallest_effect(pairs, 0.35));
        assert!(by_pairs.windows(2).all(|two| two[1].is_some_and(|small| {
            two[0].is_none_or(|large| large > small)
        })));
    }
}
