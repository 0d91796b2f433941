//! Elo after a sequential test, where the usual estimate has a stopping bias.
//!
//! A test stops when the LLR is extreme, so the mean score then overstates the difference. The
//! median-unbiased estimate is the Elo under which a worse outcome has probability one half, with
//! the LLR as a Brownian motion between the bounds (M. Van den Bergh, "A practical introduction to
//! the GSPRT" and "GSPRT approximation"; fishtest, `sprt.py` and `brownian.py`).
//!
//! The LLR moves in steps, a pair at a time, and overshoots its bound. The corrected estimate moves
//! the bounds outwards by the mean overshoot, which matches the motion's probabilities to the
//! walk's (D. Siegmund, "Estimation following sequential tests", Biometrika 65, 1978, and
//! "Sequential Analysis", 1985, chapters III and X).
//!
//! Of bounds that fall, or with a line of futility, outcomes have the same order (rejections, the earliest
//! first; no decision, by the LLR; acceptances, the earliest last), and their probabilities are summed on the
//! lattice of the walk, overshoot included.
//!
//! Both hold where the rule that stopped the test was fixed before it. For a test that was stopped by hand, at a
//! look that may depend on the results, there is an interval that holds at all looks together, the confidence
//! sequence of H. Robbins ("Statistical methods related to the law of the iterated logarithm", Annals of
//! Mathematical Statistics 41, 1970), by the mixture of normal distributions.

use serde::{Deserialize, Serialize};

use super::brownian::Brownian;
use super::lattice::{Grain, Lattice, Place, Walk};
use super::sprt::{Decision, Sprt};
use crate::counts::{Regularised, Sample};
use crate::elo::{Elo, check, elo_of_score, score_of_elo};
use crate::posterior::is_few;

/// Limit of the estimates, in logistic Elo.
const MAX_ELO: f64 = 1000.0;

/// Logistic Elo after a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequentialElo {
    /// The Elo for which a worse outcome is as likely as a better one.
    pub median_unbiased: f64,
    /// Ends of the 95 % confidence interval.
    pub ci95: [f64; 2],
    /// Likelihood of superiority: the probability of a worse outcome between equals.
    pub los: f64,
}

impl SequentialElo {
    /// The estimate for `sprt` with these counts, stopped or not, as fishtest prints it: as if the
    /// test had stopped exactly at its bound. `None` where [`super::Elo`] is undefined. Values are
    /// clamped to ±1000 Elo.
    pub fn from_counts(sprt: &Sprt, counts: impl Into<Sample>) -> Option<SequentialElo> {
        SprtState::at_the_bound(sprt, &counts.into()).map(|outcome| outcome.estimate())
    }

    /// The same, corrected for the overshoot of the last step. Requires that the test looked at the
    /// LLR after every observation.
    pub fn corrected_for_overshoot(
        sprt: &Sprt,
        counts: impl Into<Sample>,
    ) -> Option<SequentialElo> {
        SprtState::beyond_the_bound(sprt, &counts.into()).map(|outcome| outcome.estimate())
    }

    /// The same with an interval that reaches at least as far on both sides as that of the plain estimate after few
    /// observations, whose counts have an unreliable variance (0, where all pairs were drawn).
    fn as_wide_as(self, few: Option<Elo>) -> SequentialElo {
        let Some(few) = few else { return self };
        let [low, high] = self.ci95;
        let low = low.min(self.median_unbiased - (few.value - few.low95)).max(-MAX_ELO);
        let high = high.max(self.median_unbiased + (few.high95 - few.value)).min(MAX_ELO);
        SequentialElo { ci95: [low, high], ..self }
    }

    /// Whether a value of the estimate stands at the limit of 1000 Elo.
    pub fn is_clamped(elo: f64) -> bool {
        elo.abs() > MAX_ELO - 1e-3
    }
}

/// Both estimates of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequential {
    /// See [`SequentialElo::from_counts`].
    #[serde(flatten)]
    pub estimate: SequentialElo,
    /// See [`SequentialElo::corrected_for_overshoot`]; after few observations the interval reaches as far as that of
    /// [`Elo::from_counts`]. Of bounds other than Wald's both are by summation.
    pub overshoot_corrected: SequentialElo,
    /// Ends of the interval that holds the truth in 95 of 100 tests whenever and for whatever reason a
    /// test is stopped; wider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any_stop: Option<[f64; 2]>,
}

impl Sequential {
    /// Both estimates; `None` where [`super::Elo`] is undefined.
    pub fn from_counts(sprt: &Sprt, counts: impl Into<Sample>) -> Option<Sequential> {
        let sample = counts.into();
        let few = Elo::from_counts(sample).ok().filter(|_| is_few(&sample));
        let any_stop = any_stop(sprt, &sample).map(|[low, high]| match few {
            Some(elo) => [low.min(elo.low95), high.max(elo.high95)],
            None => [low, high],
        });
        // After a change of bounds the order of outcomes of before is no longer that of the test.
        if sprt.rule.is_some_and(|rule| rule.from == 0) {
            let estimate = by_summation(sprt, &sample)?.as_wide_as(few);
            return Some(Sequential { estimate, overshoot_corrected: estimate, any_stop });
        }
        Some(Sequential {
            estimate: SequentialElo::from_counts(sprt, sample)?,
            overshoot_corrected: SequentialElo::corrected_for_overshoot(sprt, sample)?
                .as_wide_as(few),
            any_stop,
        })
    }
}

/// The estimate on the lattice of the walk, for the rule of the test.
fn by_summation(sprt: &Sprt, sample: &Sample) -> Option<SequentialElo> {
    check(sample).ok()?;
    let counts = sample.regularised();
    let deviation = counts.pair_deviation(sample);
    let walk = Walk::observed(sprt, deviation, Grain::Fine);
    let pairs = sample.pairs();
    let llr = sprt.llr(*sample)?;
    let decision = sprt.decide_at(pairs, llr);
    // What an outcome is worse than lies before it.
    let lattice = Lattice::new(walk, Some((pairs.ceil() as u64).max(1)));
    let place = Place { pairs: reached(sprt, pairs, llr, &walk), llr, decision };
    let sigma = deviation * std::f64::consts::SQRT_2;
    let [score0, score1] = [sprt.elo0, sprt.elo1].map(|elo| sprt.model.score(elo, sigma));
    let gaps = |score: f64| (score - (score0 + score1) / 2.0) / (score1 - score0);
    let worse = |elo: f64| {
        let tilt = walk.tilt_of_drift(gaps(score_of_elo(elo)));
        lattice.worse(tilt, &place)
    };
    let at = |probability: f64| elo_where(probability, MAX_ELO / 1e5, &worse);
    Some(SequentialElo {
        median_unbiased: at(0.5),
        ci95: [at(0.975), at(0.025)],
        los: worse(0.0).clamp(0.0, 1.0),
    })
}

/// The pair that decided. Counts may lie beyond it, as those of games that were under way: then the pair at which
/// a motion straight to them reached the bound.
fn reached(sprt: &Sprt, pairs: f64, llr: f64, walk: &Walk) -> f64 {
    let [lower, upper] = sprt.bounds_at(pairs);
    let beyond = (llr - upper).max(lower - llr);
    if beyond < walk.largest_overshoot() {
        return pairs;
    }
    let (mut before, mut after) = (0.0, pairs);
    for _ in 0..60 {
        let middle = (before + after) / 2.0;
        match sprt.decide_at(middle, llr * middle / pairs) {
            Some(_) => after = middle,
            None => before = middle,
        }
    }
    after
}

/// The Elo at which a function that falls with the Elo has a value, to this precision.
fn elo_where(value: f64, precision: f64, falling: &dyn Fn(f64) -> f64) -> f64 {
    let mut low = -MAX_ELO;
    let mut high = MAX_ELO;
    while high - low > precision {
        let middle = (low + high) / 2.0;
        if falling(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// The confidence sequence at these counts: the mean score, ± σ/n √((n + ρ) ln((n + ρ) / (0.05² ρ))), where ρ
/// makes it narrowest at the usual length of the test. `None` where there is no Elo.
fn any_stop(sprt: &Sprt, sample: &Sample) -> Option<[f64; 2]> {
    /// Information (variance of the LLR) at the usual end of a test.
    const USUAL: f64 = 6.0;
    /// -ln 0.05² + ln(1 - ln 0.05²): the best ratio of the usual length to ρ, about.
    const RATIO: f64 = 7.94;
    check(sample).ok()?;
    let counts = sample.regularised();
    let sigma = (counts.variance * sample.games_each()).sqrt();
    let [score0, score1] = [sprt.elo0, sprt.elo1].map(|elo| sprt.model.score(elo, sigma));
    let information = (score1 - score0).powi(2) / counts.variance;
    let rho = USUAL / information / RATIO;
    let total = counts.total;
    let spread = ((total + rho) * ((total + rho) / (0.0025 * rho)).ln()).sqrt();
    let error = counts.variance.sqrt() * spread / total;
    let elo = |score: f64| elo_of_score(score.clamp(1e-6, 1.0 - 1e-6)).clamp(-MAX_ELO, MAX_ELO);
    Some([elo(counts.mean - error), elo(counts.mean + error)])
}

/// State of a test, running or stopped.
pub(super) struct SprtState {
    bounds: [f64; 2],
    /// Mean score of the two hypotheses.
    scores: [f64; 2],
    counts: Regularised,
    /// Number of observations.
    time: f64,
    llr: f64,
}

impl SprtState {
    /// The current state. `None` where there is no Elo: without variance of the scores there is no
    /// estimate.
    pub(super) fn new(sprt: &Sprt, sample: &Sample) -> Option<SprtState> {
        check(sample).ok()?;
        let counts = sample.regularised();
        let sigma = (counts.variance * sample.games_each()).sqrt();
        let scores = [sprt.elo0, sprt.elo1].map(|elo| sprt.model.score(elo, sigma));
        let mut outcome =
            SprtState { bounds: sprt.wald(), scores, counts, time: counts.total, llr: 0.0 };
        outcome.llr = outcome.observed_motion().drift * outcome.time;
        Some(outcome)
    }

    /// Games under way when the test stopped carry the LLR past the bound: the state is set back to
    /// when the bound was reached.
    fn at_the_bound(sprt: &Sprt, sample: &Sample) -> Option<SprtState> {
        let mut outcome = SprtState::new(sprt, sample)?;
        let [lower, upper] = outcome.bounds;
        let reached = outcome.llr.clamp(lower, upper);
        if reached != outcome.llr {
            outcome.time *= reached / outcome.llr;
            outcome.llr = reached;
        }
        Some(outcome)
    }

    /// A stopped test is put at bounds moved outwards by the mean overshoot, at the time when the
    /// observed motion reaches them.
    fn beyond_the_bound(sprt: &Sprt, sample: &Sample) -> Option<SprtState> {
        let mut outcome = SprtState::new(sprt, sample)?;
        let motion = outcome.observed_motion();
        let Brownian { lower, upper, .. } = motion.corrected_for_overshoot();
        let place = match sprt.decide(*sample) {
            Some(Decision::Accepted) => upper,
            Some(Decision::Rejected) => lower,
            None => outcome.llr.clamp(lower, upper),
        };
        // The approximated LLR has the other sign only where it is close to zero.
        if place != outcome.llr && place * motion.drift > 0.0 {
            outcome.time = place / motion.drift;
        }
        outcome.bounds = [lower, upper];
        outcome.llr = place;
        Some(outcome)
    }

    fn estimate(&self) -> SequentialElo {
        SequentialElo {
            median_unbiased: self.elo_with_worse_probability(0.5),
            ci95: [self.elo_with_worse_probability(0.975), self.elo_with_worse_probability(0.025)],
            los: self.worse_probability(0.0),
        }
    }

    /// The motion with the observed mean score.
    pub(super) fn observed_motion(&self) -> Brownian {
        self.motion(self.counts.mean)
    }

    /// The LLR as a motion, with an observation as the unit of time, for this mean score and the
    /// observed variance (GSPRT approximation).
    fn motion(&self, mean: f64) -> Brownian {
        let variance = self.counts.variance;
        let [score0, score1] = self.scores;
        let distance = score1 - score0;
        Brownian {
            lower: self.bounds[0],
            upper: self.bounds[1],
            drift: (mean - (score0 + score1) / 2.0) * distance / variance,
            variance: distance * distance / variance,
        }
    }

    /// Probability of a worse outcome if the true difference were `elo` (logistic).
    fn worse_probability(&self, elo: f64) -> f64 {
        self.motion(score_of_elo(elo)).worse_than(self.time, self.llr)
    }

    /// Inverse of [`SprtState::worse_probability`], which is decreasing in the Elo.
    fn elo_with_worse_probability(&self, probability: f64) -> f64 {
        elo_where(probability, 1e-9 * MAX_ELO, &|elo| self.worse_probability(elo))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, Pentanomial, Shape};

    fn test() -> Sprt {
        Sprt::new(Model::Normalized, 0.0, 30.0, 0.05, 0.05).expect("valid")
    }

    /// Of bounds that stand still, summation and the Brownian motion are two ways to one number.
    #[test]
    fn summation_agrees_with_the_motion_for_bounds_that_stand_still() {
        let wald = test();
        let same = Sprt { rule: Some(wald.standing(0.5)), ..wald };
        // Accepted, rejected and undecided; the first two far beyond the bound.
        for counts in [[10, 55, 105, 92, 30], [30, 90, 110, 50, 12], [14, 60, 116, 66, 17]] {
            let counts = Pentanomial(counts);
            let motion = Sequential::from_counts(&wald, &counts).expect("games");
            let summed = Sequential::from_counts(&same, &counts).expect("games");
            let [motion, summed] = [motion, summed].map(|both| both.overshoot_corrected);
            let width = motion.ci95[1] - motion.ci95[0];
            let off = (motion.median_unbiased - summed.median_unbiased).abs();
            assert!(off < 0.06 * width, "{motion:?} {summed:?}");
            for side in [0, 1] {
                let off = (motion.ci95[side] - summed.ci95[side]).abs();
                assert!(off < 0.06 * width, "{motion:?} {summed:?}");
            }
            assert!((motion.los - summed.los).abs() < 0.02, "{motion:?} {summed:?}");
        }
    }

    #[test]
    fn intervals_of_few_pairs_are_as_wide_as_that_of_elo() {
        let wald = test();
        let falling = wald.with_bounds(Shape::Falling, 0.5).expect("bounds");
        for counts in [[0, 0, 8, 0, 0], [0, 0, 50, 0, 0], [0, 0, 50, 1, 0], [1, 4, 9, 6, 2]] {
            let counts = Pentanomial(counts);
            let elo = Elo::from_counts(&counts).expect("games");
            for sprt in [wald, falling] {
                let both = Sequential::from_counts(&sprt, &counts).expect("games");
                let [low, high] = both.overshoot_corrected.ci95;
                let width = elo.high95 - elo.low95;
                assert!(high - low > 0.999 * width, "{counts:?} {both:?}");
                let [outer_low, outer_high] = both.any_stop.expect("games");
                assert!(
                    outer_low <= low + 0.2 * width && outer_high >= high - 0.2 * width,
                    "{both:?}"
                );
                assert!(outer_low <= elo.low95 && outer_high >= elo.high95, "{both:?}");
            }
        }
        // Of many the counts alone.
        let counts = Pentanomial([14, 60, 116, 66, 17]);
        let both = Sequential::from_counts(&wald, &counts).expect("games");
        let plain = SequentialElo::corrected_for_overshoot(&wald, &counts).expect("games");
        assert_eq!(both.overshoot_corrected, plain);
    }

    #[test]
    fn an_interval_for_any_stop_is_wider_and_shrinks() {
        let even = Sprt::new(Model::Normalized, -3.0, 3.0, 0.05, 0.05).expect("valid");
        let falling = even.with_bounds(Shape::Falling, 0.5).expect("bounds");
        let mut last = f64::INFINITY;
        for times in [1, 4, 16, 64] {
            let counts = Pentanomial([14, 60, 116, 60, 14].map(|count| count * times));
            let both = Sequential::from_counts(&falling, &counts).expect("games");
            let [low, high] = both.any_stop.expect("games");
            let [inner, outer] = both.estimate.ci95;
            assert!(low < inner && outer < high, "{both:?}");
            assert!(high - low < last, "{both:?}");
            last = high - low;
        }
    }
}
