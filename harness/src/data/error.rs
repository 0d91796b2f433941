//! Errors of training data.

use std::io;
use std::path::PathBuf;

use miette::{Diagnostic, Report};
use thiserror::Error;

use super::formats::{FormatError, SUPPORTED};
use crate::failure::Failure;
use crate::ledger::LedgerError;

/// Data that cannot be read or written.
#[derive(Debug, Error, Diagnostic)]
pub enum DataError {
    /// Neither a file that can be read nor a run.
    #[error("cannot read {}: {reason}", path.display())]
    #[diagnostic(help("name a file, or a run that `harness runs` lists; {SUPPORTED}"))]
    NoSource {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// A file of a data set cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    #[diagnostic(help("`data` names files, seen from the folder of the YAML"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file's format is unknown, or something in it is wrong.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Format(#[from] FormatError),
    /// A file cannot be read to its end.
    #[error("cannot read on: {0}")]
    Read(#[from] io::Error),
    /// Positions that do not fit in memory cannot be stored on disk.
    #[error("cannot keep parts on disk: {0}")]
    #[diagnostic(help("they take as much space as the positions; --folder names another place"))]
    Disk(#[source] io::Error),
    /// The ledger failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
    /// The caller stopped it.
    #[error("stopped")]
    Stopped,
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Failure {
        match error {
            DataError::Stopped => Failure::Interrupted("nothing was written".to_owned()),
            DataError::Ledger(error) => error.into(),
            DataError::NoSource { .. } => Failure::Usage(Report::new(error)),
            error => Failure::Failed(Report::new(error)),
        }
    }
}
