//! Why a worker has no answer to a task.

use std::fmt::Display;

use crate::ClusterError;
use crate::backend::BackendError;
use crate::manifest::WrongBench;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum NotDone {
    /// The run, or the worker, is over.
    Interrupted,
    /// It cannot be done here.
    Failed(String),
    /// The bench of an engine has another number of nodes than at the coordinator's.
    WrongBench(WrongBench),
}

impl From<ClusterError> for NotDone {
    fn from(error: ClusterError) -> NotDone {
        match error {
            ClusterError::Interrupted => NotDone::Interrupted,
            ClusterError::WrongBench(wrong) => NotDone::WrongBench(wrong),
            error => NotDone::Failed(error.to_string()),
        }
    }
}

impl<T: Display, E: Display> From<BackendError<T, E>> for NotDone {
    fn from(error: BackendError<T, E>) -> NotDone {
        match error {
            BackendError::Interrupted => NotDone::Interrupted,
            BackendError::Elsewhere(error) => error.into(),
            other => NotDone::Failed(other.to_string()),
        }
    }
}
