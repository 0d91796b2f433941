//! Tournaments whose pairings depend on earlier results: knockout and Swiss.
//!
//! A tournament is a sequence of stages, each with pairs of consecutive numbers. The pairings of a
//! stage follow from the plan and the results of the pairs before it alone: a resumed run comes to
//! the same ones, and no schedule is stored.

mod knockout;
mod swiss;

use super::schedule::{Format, Plan};
use super::stage::{Encounter, PairScores, Stage};

/// A round that is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Who met.
    pub encounters: Vec<Encounter>,
    /// The engines that had no opponent.
    pub byes: Vec<usize>,
}

/// How far a tournament has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Rounds that are over.
    pub rounds: Vec<Round>,
    /// The stage to play; `None`: the tournament is over.
    pub next: Option<Stage>,
    /// The engines, the best one first, each with a figure: of a knockout the rounds that it has
    /// won, of a Swiss tournament its points (2 a match won, 1 a level one).
    pub standings: Vec<(usize, u64)>,
}

/// How far the tournament of a plan has come; of another format nothing.
pub fn course(plan: &Plan, scores: &PairScores<'_>) -> Course {
    match plan.format {
        Format::Knockout => knockout::course(plan.engines.len(), plan.rounds, scores),
        Format::Swiss => {
            swiss::course(plan.engines.len(), plan.rounds, plan.swiss_rounds(), scores)
        }
        Format::Gauntlet | Format::RoundRobin | Format::Pyramid => Course::default(),
    }
}

/// The stage before the first one: it has no pairs.
fn before_the_first() -> Stage {
    Stage { name: String::new(), first: 0, encounters: Vec::new(), rounds: 0, earlier_rounds: 0 }
}

#[cfg(test)]
mod tests;
