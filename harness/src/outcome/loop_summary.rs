//! What came of a loop: what each step leaves behind, and all of it together.

use serde::{Deserialize, Serialize};

use super::positions::Counts;
use super::{Estimate, MatchSummary};
use crate::stats::Verdict;

/// The JSON object of `harness loop --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoopSummary {
    /// The id of the run.
    pub run: String,
    /// Who played the first games.
    pub start: String,
    /// What was done, oldest first.
    pub generations: Vec<Generation>,
    /// The best one.
    pub best: Best,
}

/// The best network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// Its generation; 0 is the start.
    pub generation: u32,
    /// A value for the option `EvalFile`.
    pub eval_file: String,
    /// Better than the start by so much.
    pub elo: Estimate,
}

/// A finished generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// From 1.
    pub number: u32,
    /// The generation that played, and that it was tested against; 0 is the start.
    pub against: u32,
    /// Its games.
    pub played: Played,
    /// Its network.
    pub learnt: Learnt,
    /// Its test.
    pub tested: Tested,
    /// It is the best one now.
    pub promoted: bool,
    /// Better than the start by so much: the sum of what was measured on the way.
    pub elo: Estimate,
}

/// Games and their positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Games in the file.
    pub games: u64,
    /// White's wins, draws and losses.
    pub results: [u64; 3],
    /// What became of their positions.
    pub counts: Counts,
    /// Kept to learn from, and to judge by.
    pub kept: [u64; 2],
}

/// A training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learnt {
    /// Kind and sizes.
    pub network: String,
    /// Positions learnt from, of all generations that count.
    pub positions: usize,
    /// Positions that judged.
    pub validation: usize,
    /// Mean squared error of the expected result, learnt from.
    pub train_loss: f64,
    /// The same, judging.
    pub validation_loss: f64,
    /// What is reached by counting pieces.
    pub material_loss: f64,
    /// The best pass, from 1.
    pub epoch: u32,
    /// How far the integers are from what was learnt, mean, in centipawns.
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
    /// Better by so much, without the bias of a test that stops when luck was with it.
    pub elo: Estimate,
    /// What the test says.
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

/// What a generation is called; 0 is the start.
pub fn generation_name(generation: u32) -> String {
    match generation {
        0 => "start".to_owned(),
        number => format!("generation {number}"),
    }
}

/// The sum of two differences that were measured apart; unknown where one of them is.
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
    fn errors_of_differences_that_were_measured_apart_add_up_as_squares() {
        let total = sum(Estimate::new(40.0, 3.0), Estimate::new(-10.0, 4.0));
        assert_eq!(total, Estimate::new(30.0, 5.0));
        assert_eq!(sum(total, Estimate::default()), Estimate::default());
    }
}
