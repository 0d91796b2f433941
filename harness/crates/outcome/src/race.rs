//! The course of a race.

use serde::{Deserialize, Serialize};

use harness_stats::Sprt;

/// The course of a race: its heats, and who was dropped when and by whom. Its final is the rest of the summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceSummary {
    /// The base.
    pub base: String,
    /// The question: its error rates are those of the whole race.
    pub test: Sprt,
    /// Pairs of a heat, at least.
    pub batch: u64,
    /// Probability that the best candidate is dropped in the heats, at most.
    pub heats_error: f64,
    /// Heats that are over.
    pub heats: u64,
    /// Games of the heats.
    pub heats_games: u64,
    /// Games of the final.
    pub final_games: u64,
    /// The candidate of the final; `None` before it, and where the base was the best of all.
    pub final_candidate: Option<String>,
    /// The best candidate so far; `None` where the base alone is left.
    pub leader: Option<String>,
    /// Logarithm of the evidence that drops a runner; `None` without heats.
    pub drop_at: Option<f64>,
    /// The runners, the best one first.
    pub runners: Vec<RaceRunner>,
    /// The engines, the base first: the order of the evidence.
    pub engines: Vec<String>,
    /// The evidence after the heats.
    pub evidence: Vec<RacePoint>,
}

/// A runner of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceRunner {
    /// Its name.
    pub name: String,
    /// Whether it is the base.
    pub is_base: bool,
    /// Whether it is left in the heats, or in the final.
    pub runs: bool,
    /// Games that it has played in the heats.
    pub games: u64,
    /// Its mean score in them, 0 to 1; `None` without a game.
    pub score: Option<f64>,
    /// Logarithm of the evidence that it is not the best one, after its last heat; `None` before the first.
    pub evidence: Option<f64>,
    /// How it was dropped.
    pub dropped: Option<RaceDropped>,
}

/// How a runner was dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceDropped {
    /// The heat after which.
    pub heat: u64,
    /// Games of the race until then.
    pub games: u64,
    /// The runner with most evidence against it; `None`: all of its opponents together.
    pub by: Option<String>,
}

/// The evidence after a heat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RacePoint {
    /// Games of the race until then.
    pub games: u64,
    /// By engine: logarithm of the evidence that it is not the best one; `None` of one that does not run.
    pub evidence: Vec<Option<f64>>,
}
