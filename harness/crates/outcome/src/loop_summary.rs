//! The result of a loop, and of each of its steps.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::positions::Counts;
use super::{Estimate, MatchSummary};
use harness_stats::Verdict;

/// The JSON object of `harness loop --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopSummary {
    /// The id of the run.
    pub run: String,
    /// The evaluation of the first games.
    pub start: String,
    /// Finished generations, oldest first.
    pub generations: Vec<Generation>,
    /// The best one.
    pub best: Best,
}

impl LoopSummary {
    /// A loop that has just begun.
    pub fn begun(run: &str, start: String) -> LoopSummary {
        let elo = Estimate::new(0.0, 0.0);
        let best = Best { generation: 0, eval_file: start.clone(), elo };
        LoopSummary { run: run.to_owned(), start, generations: Vec::new(), best }
    }

    /// Adds a finished generation with its network, which is the best one if it was promoted.
    pub fn add(&mut self, done: Generation, network: &Path) {
        if done.promoted {
            let (generation, eval_file) = (done.number, network.display().to_string());
            self.best = Best { generation, eval_file, elo: done.elo };
        }
        self.generations.push(done);
    }
}

/// The best network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// Its generation; 0 is the start.
    pub generation: u32,
    /// A value for the option `EvalFile`.
    pub eval_file: String,
    /// Elo over the start.
    pub elo: Estimate,
}

/// A finished generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// From 1.
    pub number: u32,
    /// The generation that played and is the opponent of the test; 0 is the start.
    pub against: u32,
    /// Its games.
    pub played: Played,
    /// Its network.
    #[serde(alias = "learnt")]
    pub trained: Trained,
    /// Its test.
    pub tested: Tested,
    /// It is the best one now.
    pub promoted: bool,
    /// Elo over the start: the sum of the tests on the way.
    pub elo: Estimate,
    /// Cost.
    #[serde(default)]
    pub cost: Cost,
}

/// Processor time of a generation's steps, in seconds, of all cores together; that of workers on other
/// machines is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Of its games and of the selection of their positions.
    pub games: f64,
    /// Of its training.
    pub training: f64,
    /// Of its test.
    pub test: f64,
}

impl Cost {
    /// Of all steps, in hours.
    pub fn hours(&self) -> f64 {
        (self.games + self.training + self.test) / 3600.0
    }
}

/// Processor hours spent up to the end of each generation, and the Elo of the best network then over
/// the start: the curve of a loop.
pub fn curve(generations: &[Generation]) -> Vec<(f64, Estimate)> {
    let mut hours = 0.0;
    let mut best = Estimate::new(0.0, 0.0);
    let rest = generations.iter().map(|done| {
        hours += done.cost.hours();
        if done.promoted {
            best = done.elo;
        }
        (hours, best)
    });
    rest.collect()
}

/// Games and their positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Games in the file.
    pub games: u64,
    /// White's wins, draws and losses.
    pub results: [u64; 3],
    /// Counts of their positions.
    pub counts: Counts,
    /// Positions of the training set and of the validation set.
    pub kept: [u64; 2],
}

/// A training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// Kind and sizes.
    pub network: String,
    /// Size of the training set, of all generations used.
    pub positions: usize,
    /// Size of the validation set.
    pub validation: usize,
    /// Training loss: mean squared error of the expected result.
    pub train_loss: f64,
    /// Validation loss.
    pub validation_loss: f64,
    /// Loss of the material baseline.
    pub material_loss: f64,
    /// The best epoch, from 1.
    pub epoch: u32,
    /// Mean quantisation error in centipawns.
    pub rounding: f64,
}

/// A test of a network against the best one before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The id of the test's own run.
    pub run: String,
    /// Games won by the new one.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// Elo difference, median-unbiased: without stopping bias.
    pub elo: Estimate,
    /// Verdict of the test.
    pub verdict: Option<Verdict>,
}

impl From<&MatchSummary> for Tested {
    fn from(summary: &MatchSummary) -> Tested {
        let elo = summary.sequential.as_ref().map_or(summary.elo, |sequential| {
            let found = sequential.overshoot_corrected;
            let [low, high] = found.ci95;
            Estimate::new(found.median_unbiased, (high - low) / 2.0)
        });
        let MatchSummary { wins, draws, losses, verdict, .. } = *summary;
        Tested { run: summary.run.clone(), wins, draws, losses, elo, verdict }
    }
}

impl Tested {
    /// Whether the network is better.
    pub fn is_better(&self) -> bool {
        self.verdict == Some(Verdict::Accepted)
    }
}

/// Name of a generation; 0 is the start.
pub fn generation_name(generation: u32) -> String {
    match generation {
        0 => "start".to_owned(),
        number => format!("generation {number}"),
    }
}

/// The sum of two independent differences; unknown if one of them is.
pub fn sum(first: Estimate, second: Estimate) -> Estimate {
    let both = |a: Option<f64>, b: Option<f64>| Some((a?, b?));
    let value = both(first.value, second.value).map(|(a, b)| a + b);
    let error95 = both(first.error95, second.error95).map(|(a, b)| a.hypot(b));
    match (value, error95) {
        (Some(value), Some(error95)) => Estimate::new(value, error95),
        _ => Estimate { value, error95, ..Estimate::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_of_earlier_versions_are_read() {
        let estimate = Estimate::new(1.0, 2.0);
        let trained = Trained {
            network: "a".into(),
            positions: 1,
            validation: 2,
            train_loss: 0.1,
            validation_loss: 0.2,
            material_loss: 0.3,
            epoch: 1,
            rounding: 0.5,
        };
        let played =
            Played { games: 1, results: [1, 0, 0], counts: Counts::default(), kept: [1, 2] };
        let tested =
            Tested { run: "x".into(), wins: 1, draws: 0, losses: 0, elo: estimate, verdict: None };
        let (cost, elo) = (Cost::default(), estimate);
        let generation = Generation {
            number: 1,
            against: 0,
            played,
            trained,
            tested,
            promoted: true,
            elo,
            cost,
        };
        let text = serde_json::to_string(&generation).expect("plain data");
        assert!(text.contains("\"trained\""), "{text}");
        for key in ["trained", "learnt"] {
            let text = text.replace("trained", key);
            assert_eq!(serde_json::from_str::<Generation>(&text).expect(key), generation);
        }
    }

    #[test]
    fn errors_of_differences_that_were_measured_apart_add_up_as_squares() {
        let total = sum(Estimate::new(40.0, 3.0), Estimate::new(-10.0, 4.0));
        assert_eq!(total, Estimate::new(30.0, 5.0));
        assert_eq!(sum(total, Estimate::default()), Estimate::default());
    }
}
