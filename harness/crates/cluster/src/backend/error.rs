//! Why not all tasks of a run were done.

use std::fmt;

use std::convert::Infallible;

use crate::ClusterError;
use crate::coordinator::Unfinished;
use harness_player::Fault;

/// Why not all tasks were done; answers that were kept stay valid. `T` is the trouble of this process's
/// players, `E` an error of the caller, in giving a task or in keeping an answer.
#[derive(Debug)]
pub enum BackendError<T, E> {
    /// The user interrupted it.
    Interrupted,
    /// Players of this process could not be started: nothing was done.
    NotStarted(Fault),
    /// A task could not be done in this process.
    Here(T),
    /// Workers on other machines could not do them.
    Elsewhere(ClusterError),
    /// A task could not be given, or an answer not be kept.
    Caller(E),
}

impl<T, E> From<ClusterError> for BackendError<T, E> {
    fn from(error: ClusterError) -> BackendError<T, E> {
        BackendError::Elsewhere(error)
    }
}

impl<T, E> From<Unfinished> for BackendError<T, E> {
    fn from(unfinished: Unfinished) -> BackendError<T, E> {
        match unfinished {
            Unfinished::Interrupted => BackendError::Interrupted,
            Unfinished::Failed(error) => BackendError::Elsewhere(error),
        }
    }
}

impl<T> BackendError<T, Infallible> {
    /// The same, for a caller that may fail.
    pub fn widen<E>(self) -> BackendError<T, E> {
        match self {
            BackendError::Interrupted => BackendError::Interrupted,
            BackendError::NotStarted(fault) => BackendError::NotStarted(fault),
            BackendError::Here(trouble) => BackendError::Here(trouble),
            BackendError::Elsewhere(error) => BackendError::Elsewhere(error),
            BackendError::Caller(never) => match never {},
        }
    }
}

impl<T: fmt::Display, E: fmt::Display> fmt::Display for BackendError<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackendError::Interrupted => f.write_str("interrupted"),
            BackendError::NotStarted(fault) => fault.fmt(f),
            BackendError::Here(trouble) => trouble.fmt(f),
            BackendError::Elsewhere(error) => error.fmt(f),
            BackendError::Caller(error) => error.fmt(f),
        }
    }
}
