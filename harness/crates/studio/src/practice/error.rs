//! Errors of puzzles.

use thiserror::Error;

use super::store::StoreError;

/// Why there is no puzzle, or no verdict on an answer.
#[derive(Debug, Error)]
pub enum PracticeError {
    /// The file of attempts cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine fails.
    #[error("{0}")]
    Engine(String),
    /// The text is no legal move of the position.
    #[error("`{0}` is not a legal move")]
    IllegalMove(String),
    /// No puzzle has this name.
    #[error("there is no puzzle `{0}`")]
    UnknownPuzzle(String),
    /// No candidate is a puzzle of the kind that is asked for.
    #[error("no puzzle like this was found; try another theme")]
    NoneFits,
}
