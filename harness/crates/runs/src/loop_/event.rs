//! Events of a loop.

use crate::{games, generate, train};
use harness_outcome::loop_summary::Generation;

/// A step of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Games of the network of this generation with itself.
    Games(u32),
    /// Training.
    Training,
    /// The test against the network of this generation.
    Test(u32),
}

/// Something that happened in a loop.
pub enum Event<'a> {
    /// The run begins or continues.
    Started {
        /// Its id.
        run: &'a str,
        /// Its generations.
        generations: u32,
    },
    /// A step begins.
    Step {
        /// The generation, from 1.
        generation: u32,
        /// Generations of the loop.
        of: u32,
        /// The step.
        step: Step,
    },
    /// Something happened in self-play.
    Generate(&'a generate::Event<'a>),
    /// Something happened in a training.
    Train(&'a train::Event<'a>),
    /// Something happened in a test; by several threads at once.
    Games(&'a games::Event<'a>),
    /// A generation is done.
    Done {
        /// The generation.
        generation: &'a Generation,
        /// Generations of the loop.
        of: u32,
    },
}

/// Takes every event; those of games from several threads at once.
pub type Sink<'a> = dyn Fn(&Event<'_>) + Sync + 'a;
