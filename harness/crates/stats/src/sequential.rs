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

use serde::{Deserialize, Serialize};

use super::brownian::Brownian;
use super::counts::{Regularised, Sample};
use super::elo::{check, score_of_elo};
use super::sprt::{Decision, Sprt};

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
    /// See [`SequentialElo::corrected_for_overshoot`].
    pub overshoot_corrected: SequentialElo,
}

impl Sequential {
    /// Both estimates; `None` where [`super::Elo`] is undefined.
    pub fn from_counts(sprt: &Sprt, counts: impl Into<Sample>) -> Option<Sequential> {
        let sample = counts.into();
        Some(Sequential {
            estimate: SequentialElo::from_counts(sprt, sample)?,
            overshoot_corrected: SequentialElo::corrected_for_overshoot(sprt, sample)?,
        })
    }
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
            SprtState { bounds: sprt.bounds(), scores, counts, time: counts.total, llr: 0.0 };
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
        let mut low = -MAX_ELO;
        let mut high = MAX_ELO;
        while high - low > 1e-9 * MAX_ELO {
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
