//! Tournaments whose pairings depend on earlier results: knockout, Swiss, race, and gauntlets that rate an
//! engine.
//!
//! A tournament is a sequence of stages, each with pairs of consecutive numbers. The pairings of a
//! stage follow from the plan and the results of the pairs before it alone: a resumed run comes to
//! the same ones, and no schedule is stored.

mod course;
mod knockout;
mod race;
mod rating;
mod swiss;

pub use course::Course;
pub use race::RaceCourse;
pub use rating::references;

use super::schedule::{Format, Plan};
use super::stage::PairScores;

/// How far the tournament of a plan has come; of another format nothing.
pub fn course(plan: &Plan, scores: &PairScores<'_>) -> Course {
    if let Some(goal) = &plan.rating {
        return rating::course(goal, plan.rounds, scores);
    }
    match plan.format {
        Format::Knockout => knockout::course(plan.engines.len(), plan.rounds, scores),
        Format::Swiss => {
            swiss::course(plan.engines.len(), plan.rounds, plan.swiss_rounds(), scores)
        }
        Format::Gauntlet | Format::RoundRobin | Format::Pyramid => Course::default(),
    }
}

#[cfg(test)]
mod tests;
