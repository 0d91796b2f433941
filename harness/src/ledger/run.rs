//! A run that this process works on: its id, its folder, its lock.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::LedgerError;

/// A run that this process works on. Dropping it, or dying, lets another process resume it.
#[derive(Debug)]
pub struct Run {
    id: String,
    number: i64,
    folder: PathBuf,
    // Locked as long as it is open; the kernel lets go when the process ends, however it ends.
    _lock: File,
}

impl Run {
    /// The id, `20261121-143015-sprt` say.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Where its files are: `run.yaml`, `games.pgn`, `summary.json`, `report.html`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    pub(super) fn new(id: String, number: i64, folder: PathBuf, lock: File) -> Run {
        Run { id, number, folder, _lock: lock }
    }
}

/// Takes the run in this folder for this process; `None` when another process has it.
pub(super) fn lock(folder: &Path) -> Result<Option<File>, LedgerError> {
    fs::create_dir_all(folder).map_err(|error| LedgerError::write(folder, error))?;
    let path = folder.join("lock");
    let file = File::create(&path).map_err(|error| LedgerError::write(&path, error))?;
    // Whoever asks `is_locked` holds the lock for an instant; that is no reason to give up.
    for _ in 0..20 {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Some(file)),
            Err(Errno::WOULDBLOCK | Errno::INTR) => thread::sleep(Duration::from_millis(10)),
            Err(error) => return Err(LedgerError::write(&path, error.into())),
        }
    }
    Ok(None)
}

/// Whether some process works on the run in this folder.
pub(super) fn is_locked(folder: &Path) -> bool {
    // A shared lock, so that two who ask do not see each other.
    File::open(folder.join("lock")).is_ok_and(|file| {
        flock(&file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
    })
}
