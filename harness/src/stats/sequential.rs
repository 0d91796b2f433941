//! What an SPRT says about Elo after it stopped, when the usual estimate is biased.
//!
//! A test that stops because the LLR went far stops when luck was with it: the mean score then
//! overstates the difference. The estimate here asks instead for which Elo the observed outcome
//! would have been beaten half of the time (median-unbiased), treating the LLR as a Brownian
//! motion between the bounds (M. Van den Bergh, "A practical introduction to the GSPRT" and
//! "GSPRT approximation"; fishtest, `sprt.py` and `brownian.py`).
//!
//! The LLR moves in steps, a pair at a time, and ends a little beyond its bound. The corrected
//! estimate moves the bounds outwards by the mean of that overshoot, which makes the motion's
//! probabilities those of the walk (D. Siegmund, "Estimation following sequential tests",
//! Biometrika 65, 1978, and "Sequential Analysis", 1985, chapters III and X).

use serde::{Deserialize, Serialize};

use super::brownian::Brownian;
use super::counts::{Regularised, Sample};
use super::elo::{check, score_of_elo};
use super::sprt::{Decision, Sprt};

/// Beyond this nothing is estimated, in logistic Elo.
const LARGEST: f64 = 1000.0;

/// Logistic Elo as a sequential test leaves it.
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
    /// The estimate after `sprt` saw these counts, whether it stopped or not, as fishtest prints
    /// it: as if the test had stopped exactly at its bound. `None` where [`super::Elo`] is
    /// undefined. Values are held within ±1000 Elo.
    pub fn of(sprt: &Sprt, counts: impl Into<Sample>) -> Option<SequentialElo> {
        Outcome::at_the_bound(sprt, &counts.into()).map(|outcome| outcome.estimate())
    }

    /// The same with the overshoot of the last step corrected for. The test must have looked at
    /// the LLR after every observation, as ours does.
    pub fn corrected_for_overshoot(
        sprt: &Sprt,
        counts: impl Into<Sample>,
    ) -> Option<SequentialElo> {
        Outcome::beyond_the_bound(sprt, &counts.into()).map(|outcome| outcome.estimate())
    }

    /// Whether nothing better than "beyond 1000 Elo" can be said of a part of the estimate.
    pub fn is_clamped(elo: f64) -> bool {
        elo.abs() > LARGEST - 1e-3
    }
}

/// Both ways to look at a test that stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequential {
    /// See [`SequentialElo::of`].
    #[serde(flatten)]
    pub estimate: SequentialElo,
    /// See [`SequentialElo::corrected_for_overshoot`].
    pub overshoot_corrected: SequentialElo,
}

impl Sequential {
    /// Both estimates; `None` where [`super::Elo`] is undefined.
    pub fn of(sprt: &Sprt, counts: impl Into<Sample>) -> Option<Sequential> {
        let sample = counts.into();
        Some(Sequential {
            estimate: SequentialElo::of(sprt, sample)?,
            overshoot_corrected: SequentialElo::corrected_for_overshoot(sprt, sample)?,
        })
    }
}

/// Where a test stands or stopped.
pub(super) struct Outcome {
    bounds: [f64; 2],
    /// Mean score of the two hypotheses.
    scores: [f64; 2],
    counts: Regularised,
    /// Observations when the test was there.
    time: f64,
    llr: f64,
}

impl Outcome {
    /// Where the test stands now. `None` where there is no Elo: without a spread of scores
    /// nothing tells how far luck goes.
    pub(super) fn of(sprt: &Sprt, sample: &Sample) -> Option<Outcome> {
        check(sample).ok()?;
        let counts = sample.regularised();
        let sigma = (counts.variance * sample.games_each()).sqrt();
        let scores = [sprt.elo0, sprt.elo1].map(|elo| sprt.model.score(elo, sigma));
        let mut outcome =
            Outcome { bounds: sprt.bounds(), scores, counts, time: counts.total, llr: 0.0 };
        outcome.llr = outcome.motion_as_seen().drift * outcome.time;
        Some(outcome)
    }

    /// Games still under way when the test stopped carry it past the bound: what counts is the
    /// moment it was reached.
    fn at_the_bound(sprt: &Sprt, sample: &Sample) -> Option<Outcome> {
        let mut outcome = Outcome::of(sprt, sample)?;
        let [lower, upper] = outcome.bounds;
        let reached = outcome.llr.clamp(lower, upper);
        if reached != outcome.llr {
            outcome.time *= reached / outcome.llr;
            outcome.llr = reached;
        }
        Some(outcome)
    }

    /// A test that stopped did so at bounds that lie as far out as its walk comes on average, at
    /// the moment when the motion as seen comes there.
    fn beyond_the_bound(sprt: &Sprt, sample: &Sample) -> Option<Outcome> {
        let mut outcome = Outcome::of(sprt, sample)?;
        let motion = outcome.motion_as_seen();
        let Brownian { lower, upper, .. } = motion.corrected_for_overshoot();
        let place = match sprt.decide(*sample) {
            Some(Decision::Accepted) => upper,
            Some(Decision::Rejected) => lower,
            None => outcome.llr.clamp(lower, upper),
        };
        // The approximated LLR could have the other sign only if it were all but zero.
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

    /// The motion with the mean score that was seen.
    pub(super) fn motion_as_seen(&self) -> Brownian {
        self.motion(self.counts.mean)
    }

    /// The LLR as a motion, an observation being the unit of time, if scores had this mean and
    /// the variance that was seen (GSPRT approximation).
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

    /// The Elo for which a worse outcome has this probability; it falls as the Elo rises.
    fn elo_with_worse_probability(&self, probability: f64) -> f64 {
        let (mut low, mut high) = (-LARGEST, LARGEST);
        while high - low > 1e-9 * LARGEST {
            let middle = (low + high) / 2.0;
            if self.worse_probability(middle) > probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low + high) / 2.0
    }
}
