//! The task of an iteration.

use crate::search::score::Value;

/// The task of an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Iteration {
    pub depth: i32,
    /// The value of the previous iteration.
    pub guess: Value,
}
