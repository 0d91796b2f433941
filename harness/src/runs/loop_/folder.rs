//! The folder of a generation. A step whose last file is there is done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::ledger::{Run, write_atomically};

/// Its games.
pub const GAMES: &str = "train.games";

/// Completes the files of positions: [`Played`](crate::outcome::loop_summary::Played).
pub const PLAYED: &str = "played.json";

/// Positions of the training set and of the validation set, without extension.
pub const POSITIONS: [&str; 2] = ["learn", "judge"];

/// The same of all generations in use, while a network is trained.
pub const MERGED: [&str; 2] = ["all-learn", "all-judge"];

/// The merged training set before it is shuffled.
pub const UNSHUFFLED: &str = "all-unshuffled";

/// The state of the training.
pub const CHECKPOINT: &str = "net.checkpoint";

/// The network.
pub const NETWORK: &str = "net.nnue";

/// Completes the network: [`Learnt`](crate::outcome::loop_summary::Learnt).
pub const LEARNT: &str = "net.json";

/// The id of the run of the test.
pub const TEST: &str = "test";

/// Completes the generation: [`Generation`](crate::outcome::loop_summary::Generation).
pub const DONE: &str = "generation.json";

/// A file of a loop that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum FileError {
    /// It cannot be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    #[diagnostic(help("what was finished is kept; `harness resume RUN` goes on"))]
    Unusable {
        /// The operation.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Its content is not valid.
    #[error("{} is not what this harness writes: {reason}", path.display())]
    #[diagnostic(help("remove it: its step is done again when the run goes on"))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: serde_json::Error,
    },
}

/// The folder of a generation.
pub struct Folder {
    path: PathBuf,
    /// Extension of the files of positions.
    ending: &'static str,
}

impl Folder {
    /// The folder of a generation of a run, with files of positions of this extension.
    pub fn of(run: &Run, generation: u32, ending: &'static str) -> Result<Folder, FileError> {
        // Absolute: networks in it become values of an engine's option.
        let path = absolute(run.folder()).join(format!("generation-{generation:03}"));
        fs::create_dir_all(&path).map_err(unusable("make", &path))?;
        Ok(Folder { path, ending })
    }

    /// A file.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A file of positions.
    pub fn positions(&self, name: &str) -> PathBuf {
        self.file(&format!("{name}.{}", self.ending))
    }

    /// Reads a JSON file; `None` when it is not there.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, FileError> {
        let path = self.file(name);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(unusable("read", &path))?,
        };
        let damaged = |reason| FileError::Damaged { path, reason };
        serde_json::from_slice(&text).map(Some).map_err(damaged)
    }

    /// Writes a JSON file, whole or not at all.
    pub fn write(&self, name: &str, content: &impl Serialize) -> Result<(), FileError> {
        write_json(&self.file(name), content)
    }
}

/// An error of the operating system with a file.
pub fn unusable(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Unusable { doing, path, source }
}

/// The absolute path.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Writes a JSON file, whole or not at all.
pub fn write_json(path: &Path, content: &impl Serialize) -> Result<(), FileError> {
    write(path, format!("{:#}\n", serde_json::json!(content)).as_bytes())
}

/// Writes a file, whole or not at all.
pub fn write(path: &Path, content: &[u8]) -> Result<(), FileError> {
    write_atomically(path, content).map_err(unusable("write", path))
}

/// Removes files that may be there.
pub fn remove(paths: &[PathBuf]) -> Result<(), FileError> {
    for path in paths {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(unusable("remove", path))?,
        }
    }
    Ok(())
}
