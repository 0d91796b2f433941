//! What an SPRT says about Elo after it stopped, when the usual estimate is biased.
//!
//! A test that stops because the LLR went far stops when luck was with it: the mean score then
//! overstates the difference. The estimate here asks instead for which Elo the observed outcome
//! would have been beaten half of the time (median-unbiased), treating the LLR as a Brownian
//! motion between the bounds (M. Van den Bergh, "A practical introduction to the GSPRT" and
//! "GSPRT approximation"; fishtest, `sprt.py` and `brownian.py`).

use serde::{Deserialize, Serialize};

use super::brownian::Brownian;
use super::counts::{Regularised, Sample};
use super::elo::score_of_elo;
use super::sprt::Sprt;

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
    /// The estimate after `sprt` saw these counts, whether it stopped or not. `None` without a
    /// game. Values are held within ±1000 Elo.
    pub fn of(sprt: &Sprt, counts: impl Into<Sample>) -> Option<SequentialElo> {
        let outcome = Outcome::of(sprt, &counts.into())?;
        Some(SequentialElo {
            median_unbiased: outcome.elo_with_worse_probability(0.5),
            ci95: [
                outcome.elo_with_worse_probability(0.975),
                outcome.elo_with_worse_probability(0.025),
            ],
            los: outcome.worse_probability(0.0),
        })
    }
}

/// Where a test stands or stopped.
struct Outcome {
    bounds: [f64; 2],
    /// Mean score of the two hypotheses.
    scores: [f64; 2],
    counts: Regularised,
    /// Observations when the test was there.
    time: f64,
    llr: f64,
}

impl Outcome {
    fn of(sprt: &Sprt, sample: &Sample) -> Option<Outcome> {
        if sample.observations() <= 0.0 {
            return None;
        }
        let counts = sample.regularised();
        let bounds = sprt.bounds();
        let sigma = (counts.variance * sample.games_each()).sqrt();
        let scores = [sprt.elo0, sprt.elo1].map(|elo| sprt.model.score(elo, sigma));
        let mut outcome = Outcome { bounds, scores, counts, time: counts.total, llr: 0.0 };
        let slope = outcome.motion(counts.mean).drift;
        outcome.llr = slope * outcome.time;
        // Games still under way when the test stopped carry it past the bound: what counts is
        // the moment it was reached.
        let reached = outcome.llr.clamp(bounds[0], bounds[1]);
        if reached != outcome.llr {
            outcome.time = reached / slope;
            outcome.llr = reached;
        }
        Some(outcome)
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
