//! How far a tournament has come.

use super::super::stage::{Encounter, Stage};

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

/// The stage before the first one: it has no pairs.
pub(super) fn before_the_first() -> Stage {
    Stage { name: String::new(), first: 0, encounters: Vec::new(), rounds: 0, earlier_rounds: 0 }
}
