//! Errors of training data.

use std::io;
use std::path::{Path, PathBuf};

use miette::{Diagnostic, Report};
use thiserror::Error;

use super::formats::{FormatError, supported};
use harness_base::failure::Failure;
use harness_base::hint::reports_command;
use harness_base::yaml::YamlError;
use harness_ledger::LedgerError;

/// Data that cannot be read or written.
#[derive(Debug, Error, Diagnostic)]
pub enum DataError {
    /// Neither a file that can be read nor a run.
    #[error("cannot read {}: {reason}", path.display())]
    #[diagnostic(help(
        "name a file, or a run that {} lists; {}",
        reports_command("runs", ""),
        supported()
    ))]
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

/// A file with the state of a run that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum StateError {
    /// It exists, and the run does not resume.
    #[error("{} is there already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// Advice.
        #[help]
        help: &'static str,
    },
    /// It was made with other settings.
    #[error("{} was made in another way: {what}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The difference.
        what: String,
        /// Advice.
        #[help]
        help: &'static str,
    },
    /// A line is not valid.
    #[error("{}:{line}: `{text}` is no answer", path.display())]
    #[diagnostic(help("the file is damaged; without it all positions are asked again"))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Its text.
        text: String,
    },
    /// It cannot be read or written.
    #[error("cannot {doing} {}: {reason}", path.display())]
    Unusable {
        /// The operation.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        reason: io::Error,
        /// Advice.
        #[help]
        help: Option<String>,
    },
    /// It is not valid JSON of its kind.
    #[error("{} is not what this harness writes: {reason}", path.display())]
    #[diagnostic(help("remove it: its step is done again when the run resumes"))]
    Json {
        /// The file.
        path: PathBuf,
        /// The error.
        reason: serde_json::Error,
    },
    /// The settings cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Card(#[from] YamlError),
    /// The games or positions cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Format(#[from] FormatError),
}

impl StateError {
    /// Turns an error of the operating system with a file into one of these.
    pub fn unusable(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StateError {
        StateError::unusable_but(doing, path, None::<&str>)
    }

    /// The same with an advice.
    pub fn unusable_but(
        doing: &'static str,
        path: &Path,
        help: Option<impl Into<String>>,
    ) -> impl FnOnce(io::Error) -> StateError {
        let path = path.to_owned();
        let help = help.map(Into::into);
        move |reason| StateError::Unusable { doing, path, reason, help }
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Failure {
        match error {
            StateError::Format(error) => error.into(),
            error => Failure::Failed(Report::new(error)),
        }
    }
}

impl From<FormatError> for Failure {
    /// A file that is not there is named wrongly; one that is damaged fails.
    fn from(error: FormatError) -> Failure {
        match error {
            FormatError::Unreadable { .. } | FormatError::Unfit { .. } => {
                Failure::Usage(Report::new(error))
            }
            error => Failure::Failed(Report::new(error)),
        }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Failure {
        match error {
            DataError::Stopped => Failure::Interrupted("nothing was written".to_owned()),
            DataError::Ledger(error) => error.into(),
            DataError::NoSource { .. } | DataError::Unreadable { .. } => {
                Failure::Usage(Report::new(error))
            }
            DataError::Format(error) => error.into(),
            error => Failure::Failed(Report::new(error)),
        }
    }
}
