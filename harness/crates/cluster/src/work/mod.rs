//! The kinds of work that runs have done, here or on other machines; one a file.
//!
//! [`Work`] is how a task is done on one machine, [`RemoteWork`] what it takes to have it done on others. A
//! new kind is a file beside the others, and its line in [`try_each`].

mod kind;
mod pairs;
mod scores;
mod self_play;
mod suite;

pub use kind::{Done, Finished, Mismatch, Names, Plain, RemoteWork, Work};
pub use pairs::{GamePairs, moves_of};
pub use scores::{Question, ScoredPositions, Scores, ScoresTrouble, ScoringTask};
pub use self_play::{SelfPlay, SentGame};
pub use suite::{SuiteSearch, SuiteTask};

/// Something to try with a kind of work that is not known yet.
pub trait Visitor {
    /// Its result.
    type Output;

    /// `None` if it is another kind.
    fn visit<W: RemoteWork>(&mut self) -> Option<Self::Output>;
}

/// Tries each kind of work, until it is the right one.
pub fn try_each<V: Visitor>(visitor: &mut V) -> Option<V::Output> {
    (visitor.visit::<GamePairs>())
        .or_else(|| visitor.visit::<SuiteSearch>())
        .or_else(|| visitor.visit::<SelfPlay>())
        .or_else(|| visitor.visit::<Scores>())
}
