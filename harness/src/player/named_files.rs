//! The files that engines' options name: a network, a book. A run goes on only with the same ones.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::resolve::sha256;
use super::spec::{EngineSpec, Program};

/// Files and their SHA-256, in hex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamedFiles(BTreeMap<PathBuf, String>);

/// A file that is no longer what the run was started with.
#[derive(Debug, Error, Diagnostic)]
pub enum FileChanged {
    /// It is another one.
    #[error("{} has changed since the run was started; an engine's option names it", path.display())]
    #[diagnostic(help(
        "games with two different files must not be counted as one's: put the old file back, or \
         start a new run"
    ))]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// It is gone.
    #[error("{} cannot be read any more, and an engine's option names it: {source}", path.display())]
    #[diagnostic(help("put the file back, or start a new run"))]
    Gone {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl NamedFiles {
    /// What the options of these engines name, as it is now. A value that is the name of no file
    /// that can be read is the engine's affair.
    pub fn of<'a>(engines: impl IntoIterator<Item = &'a EngineSpec>) -> NamedFiles {
        let named = engines.into_iter().flat_map(|engine| {
            let folder = match &engine.program {
                Program::Executable { dir: Some(dir), .. } => dir,
                Program::Executable { dir: None, .. } | Program::Builtin => Path::new(""),
            };
            engine.options.values().map(move |value| folder.join(value))
        });
        let files = named.filter(|path| path.is_file()).filter_map(|path| {
            let path = std::path::absolute(path).ok()?;
            let hash = sha256(&path).ok()?;
            Some((path, hash))
        });
        NamedFiles(files.collect())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether they are what they were.
    ///
    /// # Errors
    /// When one is gone or another one.
    pub fn check_unchanged(&self) -> Result<(), FileChanged> {
        self.0.iter().try_for_each(|(path, before)| match sha256(path) {
            Err(source) => Err(FileChanged::Gone { path: path.clone(), source }),
            Ok(now) if now != *before => Err(FileChanged::Changed { path: path.clone() }),
            Ok(_) => Ok(()),
        })
    }
}
