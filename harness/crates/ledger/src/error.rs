//! Errors of the ledger, with help.

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use rusqlite::ErrorCode;
use thiserror::Error;

use harness_base::failure::Failure;
use harness_base::hint::reports_command;

/// An error of the ledger.
#[derive(Debug, Error, Diagnostic)]
pub enum LedgerError {
    /// The reports folder, or a file in it, cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    #[diagnostic(help(
        "choose a folder that you may write to with `--reports DIR`, or change the permissions"
    ))]
    Unwritable(PathBuf, io::Error),
    /// The ledger is there and cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    #[diagnostic(help("change its permissions, or name another folder with `--reports DIR`"))]
    Unreadable(PathBuf, io::Error),
    /// The file is no SQLite database, or one of another program, or a damaged one.
    #[error("{} is not a ledger: {}", .0.display(), .1)]
    #[diagnostic(help(
        "move the file away (a new ledger is made then), or name another folder with `--reports DIR`"
    ))]
    NotALedger(PathBuf, String),
    /// A newer harness wrote the ledger.
    #[error(
        "{} has schema {found}, written by a newer harness; this one supports schemas up to {supported}",
        path.display()
    )]
    #[diagnostic(help("update the harness, or name another folder with `--reports DIR`"))]
    NewerSchema {
        /// The ledger.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema of this program.
        supported: i64,
    },
    /// No space left.
    #[error("no space left for {}", .0.display())]
    #[diagnostic(help(
        "free some space; everything recorded so far is kept, and {} shows what can be resumed",
        reports_command("runs", "")
    ))]
    Full(PathBuf),
    /// Another process kept the database locked for longer than the patience of this one.
    #[error("{} stayed locked by another process", .0.display())]
    #[diagnostic(help(
        "end the program that holds it open (a database browser, a backup?), then try again"
    ))]
    Locked(PathBuf),
    /// No run has this id.
    #[error("there is no run `{query}`{}", near_text(near))]
    #[diagnostic(help("{} lists all runs; `last` names the newest", reports_command("runs", "")))]
    UnknownRun {
        /// The query, as the user wrote it.
        query: String,
        /// Similar ids, best first; without any, the newest.
        near: Vec<String>,
    },
    /// Several runs have this prefix.
    #[error("`{query}` is a prefix of several runs: {}", matches.join(", "))]
    #[diagnostic(help("write more of the id"))]
    AmbiguousRun {
        /// The query, as the user wrote it.
        query: String,
        /// Ids with this prefix, a few at most.
        matches: Vec<String>,
    },
    /// There is no run at all yet.
    #[error("there are no runs in {}", reports.display())]
    #[diagnostic(help(
        "start one, for example `harness suite wac`, or name the folder with `--reports DIR`"
    ))]
    NoRuns {
        /// The reports folder.
        reports: PathBuf,
    },
    /// Another process holds the run's lock.
    #[error("run `{0}` is running now, in another process")]
    #[diagnostic(help("wait until it ends, or stop that process first"))]
    RunningNow(String),
    /// The run is finished.
    #[error("run `{0}` is finished already")]
    #[diagnostic(help("{} shows its result", reports_command("report", _0)))]
    AlreadyFinished(String),
    /// A stored value cannot be decoded.
    #[error("{what} in {} is damaged: {reason}", path.display())]
    #[diagnostic(help("restore the file from a backup, or move it away"))]
    Damaged {
        /// The ledger.
        path: PathBuf,
        /// Which value.
        what: String,
        /// Description of the fault.
        reason: String,
    },
    /// Any other error of SQLite.
    #[error("the ledger {} failed: {}", .0.display(), .1)]
    #[diagnostic(help(
        "everything recorded before is kept; {} continues",
        reports_command("resume", "last")
    ))]
    Sqlite(PathBuf, rusqlite::Error),
}

fn near_text(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; is it one of {}?", near.join(", ")) }
}

impl LedgerError {
    /// Whether the request is wrong, rather than that something failed.
    pub fn is_usage(&self) -> bool {
        match self {
            LedgerError::UnknownRun { .. }
            | LedgerError::AmbiguousRun { .. }
            | LedgerError::NoRuns { .. }
            | LedgerError::RunningNow(..)
            | LedgerError::AlreadyFinished(..) => true,
            LedgerError::Unwritable(..)
            | LedgerError::Unreadable(..)
            | LedgerError::NotALedger(..)
            | LedgerError::NewerSchema { .. }
            | LedgerError::Full(..)
            | LedgerError::Locked(..)
            | LedgerError::Damaged { .. }
            | LedgerError::Sqlite(..) => false,
        }
    }

    /// Sorts an error of SQLite by what the user can do about it.
    pub(super) fn sqlite(path: &Path, source: rusqlite::Error) -> LedgerError {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => LedgerError::Full(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LedgerError::Locked(path),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                LedgerError::NotALedger(path, source.to_string())
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                LedgerError::Unwritable(path, io::Error::other(source))
            }
            _ => LedgerError::Sqlite(path, source),
        }
    }

    /// Sorts a failed write to a file.
    pub(super) fn write(path: &Path, source: io::Error) -> LedgerError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => LedgerError::Full(path),
            _ => LedgerError::Unwritable(path, source),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Failure {
        if error.is_usage() { Failure::Usage(error.into()) } else { Failure::Failed(error.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_differs_from_a_folder_without_permission() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let error = LedgerError::write(Path::new("runs/a"), full);
        assert!(matches!(error, LedgerError::Full(..)), "{error}");
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = LedgerError::write(Path::new("runs/a"), denied);
        assert!(matches!(error, LedgerError::Unwritable(..)), "{error}");
    }
}
