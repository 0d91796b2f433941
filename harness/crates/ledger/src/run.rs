//! A run locked by this process: its id, its folder, its lock.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::LedgerError;
use super::runs::RunKey;

/// A run locked by this process. The lock ends with the value or the process.
#[derive(Debug)]
pub struct Run {
    id: String,
    number: i64,
    folder: PathBuf,
    started: String,
    started_by: Option<String>,
    // Locked as long as it is open; the kernel releases the lock when the process ends.
    _lock: File,
}

impl Run {
    /// The id, for example `20261121-143015-sprt`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where its files are: `run.yaml`, `games.pgn`, `summary.json`, `report.html`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// When it started, RFC 3339 in UTC.
    pub fn started(&self) -> &str {
        &self.started
    }

    /// Who started it; `None`: unknown.
    pub fn started_by(&self) -> Option<&str> {
        self.started_by.as_deref()
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// A run of a key, whose folder is locked; with when it started, and by whom.
    pub(super) fn new(
        RunKey { id, number }: RunKey,
        folder: PathBuf,
        lock: File,
        (started, started_by): (String, Option<String>),
    ) -> Run {
        Run { id, number, folder, started, started_by, _lock: lock }
    }
}

/// Locks the run in this folder; `None` if another process holds the lock.
pub(super) fn lock(folder: &Path) -> Result<Option<File>, LedgerError> {
    fs::create_dir_all(folder).map_err(|error| LedgerError::write(folder, error))?;
    refuse_links(folder)?;
    let path = folder.join("lock");
    let file = File::create(&path).map_err(|error| LedgerError::write(&path, error))?;
    // `is_locked` in another process holds the lock for an instant: try again.
    for _ in 0..20 {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::Error(error)) => return Err(LedgerError::write(&path, error)),
        }
    }
    Ok(None)
}

/// Refuses a run whose folder is a link, or has some: the files of the run are written there, and those of a
/// foreign ledger may lead anywhere.
fn refuse_links(folder: &Path) -> Result<(), LedgerError> {
    let failed = |error| LedgerError::write(folder, error);
    let refused = |path: &Path| {
        Err(LedgerError::Damaged {
            path: path.to_owned(),
            what: "the folder of a run".to_owned(),
            reason: "this is a link to elsewhere, which no run makes; remove it".to_owned(),
        })
    };
    if folder.symlink_metadata().map_err(failed)?.is_symlink() {
        return refused(folder);
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_symlink() {
            return refused(&entry.path());
        }
        if kind.is_dir() {
            refuse_links(&entry.path())?;
        }
    }
    Ok(())
}

/// Whether a process holds the lock of the run in this folder.
pub(super) fn is_locked(folder: &Path) -> bool {
    // A shared lock, so that two callers do not block each other.
    File::open(folder.join("lock"))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}
