//! Asking a worker to leave: it finishes what it has, and takes nothing new.
//!
//! On its own machine by a file in its folder, as the workers of fishtest (`fish.exit`) and OpenBench
//! (`openbench.exit`) are asked; from elsewhere by way of the server.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::ClusterError;
use super::link::Link;
use super::results;
use super::subjects;

/// The folder of running workers in a worker's folder.
const RUNNING: &str = "running";

/// The end of the name of a file that asks.
const ASKS: &str = "drain";

/// The message to a worker that is to leave; an empty one ends it at once.
pub(super) const DRAIN: &[u8] = b"drain";

/// A worker that runs: a file of this process, which is locked as long as it lives.
pub struct Running {
    path: PathBuf,
    _locked: File,
}

impl Running {
    /// Says that this process works in a folder.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn announce(folder: &Path) -> io::Result<Running> {
        let running = folder.join(RUNNING);
        fs::create_dir_all(&running)?;
        let path = running.join(std::process::id().to_string());
        let file = File::create(&path)?;
        file.try_lock()?;
        let running = Running { path, _locked: file };
        // Of a process that had this number before.
        running.forget_question();
        Ok(running)
    }

    /// Whether it is asked to leave.
    pub fn is_asked(&self) -> bool {
        self.path.with_extension(ASKS).exists()
    }

    fn forget_question(&self) {
        let _ = fs::remove_file(self.path.with_extension(ASKS));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.forget_question();
        let _ = fs::remove_file(&self.path);
    }
}

/// Asks the workers that run in a folder on this machine to leave; gives their processes.
///
/// # Errors
/// When the folder cannot be read or written.
pub fn ask_here(folder: &Path) -> io::Result<Vec<String>> {
    let running = folder.join(RUNNING);
    let entries = match fs::read_dir(&running) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut asked = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some() {
            continue;
        }
        match File::open(&path).map(|file| file.try_lock_shared()) {
            Ok(Err(TryLockError::WouldBlock)) => {
                File::create(path.with_extension(ASKS))?;
                asked.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
            }
            // One that was killed left it.
            Ok(Ok(())) => drop(fs::remove_file(&path)),
            Ok(Err(TryLockError::Error(error))) => return Err(error),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    asked.sort();
    Ok(asked)
}

/// Asks a worker elsewhere to leave, by its key.
///
/// # Errors
/// When the server refuses.
pub fn ask(link: &Link, key: &str) -> Result<(), ClusterError> {
    let failed = |error: String| ClusterError::request("ask a worker to leave", error);
    for token in results::tokens(link)? {
        let sent = link.wait(link.client.publish(subjects::end(&token, key), DRAIN.into()));
        sent.map_err(|error| failed(error.to_string()))?;
    }
    link.wait(link.client.flush()).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_run_are_asked_and_no_others() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(ask_here(folder.path()).expect("readable"), Vec::<String>::new());
        let running = Running::announce(folder.path()).expect("writable");
        assert!(!running.is_asked());
        // Of a process that was killed.
        let dead = folder.path().join(RUNNING).join("1");
        fs::write(&dead, "").expect("written");
        let me = std::process::id().to_string();
        for _ in 0..2 {
            assert_eq!(ask_here(folder.path()).expect("readable"), [me.clone()]);
        }
        assert!(running.is_asked() && !dead.exists());
        drop(running);
        assert_eq!(ask_here(folder.path()).expect("readable"), Vec::<String>::new());
        let again = Running::announce(folder.path()).expect("writable");
        assert!(!again.is_asked());
    }
}
