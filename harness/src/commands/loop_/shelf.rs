//! Where a generation keeps what it has made. A step whose last file is there is done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::ledger::{Run, write_atomically};

/// A file of a loop that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum ShelfError {
    /// It cannot be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    #[diagnostic(help("what was finished is kept; `harness resume RUN` goes on"))]
    File {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is not what this harness writes.
    #[error("{} is not what this harness writes: {reason}", path.display())]
    #[diagnostic(help("remove it: its step is done again when the run goes on"))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: serde_json::Error,
    },
}

/// The files of a generation.
pub struct Shelf {
    folder: PathBuf,
    /// Ending of the files of positions.
    ending: &'static str,
}

impl Shelf {
    /// That of a generation of a run, with files of positions of this ending.
    ///
    /// # Errors
    /// When its folder cannot be made.
    pub fn of(run: &Run, generation: u32, ending: &'static str) -> Result<Shelf, ShelfError> {
        // Absolute, for engines are told of networks in it.
        let folder = absolute(run.folder()).join(format!("generation-{generation:03}"));
        let failed = |source| ShelfError::File { doing: "make", path: folder.clone(), source };
        fs::create_dir_all(&folder).map_err(failed)?;
        Ok(Shelf { folder, ending })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn positions_called(&self, name: &str) -> PathBuf {
        self.path(&format!("{name}.{}", self.ending))
    }

    /// Its games.
    pub fn games(&self) -> PathBuf {
        self.path("train.games")
    }

    /// Their positions to learn from, and to judge by.
    pub fn positions(&self) -> [PathBuf; 2] {
        ["learn", "judge"].map(|name| self.positions_called(name))
    }

    /// What tells that those are whole: [`Played`](crate::outcome::loop_summary::Played).
    pub fn played(&self) -> PathBuf {
        self.path("played.json")
    }

    /// The positions of all generations that count, while they are learnt from.
    pub fn merged(&self) -> [PathBuf; 2] {
        ["all-learn", "all-judge"].map(|name| self.positions_called(name))
    }

    /// On the way there.
    pub fn unshuffled(&self) -> PathBuf {
        self.positions_called("all-unshuffled")
    }

    /// The state of the training.
    pub fn checkpoint(&self) -> PathBuf {
        self.path("net.checkpoint")
    }

    /// The network.
    pub fn network(&self) -> PathBuf {
        self.path("net.nnue")
    }

    /// What tells that it is whole: [`Learnt`](crate::outcome::loop_summary::Learnt).
    pub fn learnt(&self) -> PathBuf {
        self.path("net.json")
    }

    /// Names the run of the test.
    pub fn test(&self) -> PathBuf {
        self.path("test")
    }

    /// What tells that all is done: [`Generation`](crate::outcome::loop_summary::Generation).
    pub fn done(&self) -> PathBuf {
        self.path("generation.json")
    }
}

/// The same path from the root.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// What a file tells; `None` when it is not there.
///
/// # Errors
/// When it cannot be read or tells something else.
pub fn told<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ShelfError> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(ShelfError::File { doing: "read", path: path.to_owned(), source });
        }
        Ok(text) => text,
    };
    let damaged = |reason| ShelfError::Damaged { path: path.to_owned(), reason };
    serde_json::from_slice(&text).map(Some).map_err(damaged)
}

/// Writes what a file is to tell, whole or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn tell(path: &Path, what: &impl Serialize) -> Result<(), ShelfError> {
    write(path, format!("{:#}\n", serde_json::json!(what)).as_bytes())
}

/// Writes a file, whole or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<(), ShelfError> {
    let failed = |source| ShelfError::File { doing: "write", path: path.to_owned(), source };
    write_atomically(path, content).map_err(failed)
}

/// Removes files that may be there.
///
/// # Errors
/// When one is there and cannot be removed.
pub fn remove(paths: &[PathBuf]) -> Result<(), ShelfError> {
    for path in paths {
        match fs::remove_file(path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(ShelfError::File { doing: "remove", path: path.clone(), source });
            }
            _ => {}
        }
    }
    Ok(())
}
