//! Whether the files of a run are unchanged: the engines' programs, and the files that their options
//! name, such as a network.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::hash::sha256;
use super::spec::{EngineSpec, Program};

/// Files that options name, and their SHA-256 in hex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamedFiles(#[serde(with = "harness_base::text::path")] BTreeMap<PathBuf, String>);

/// A file that has changed since the start of the run.
#[derive(Debug, Error, Diagnostic)]
pub enum FileChanged {
    /// It is another one.
    #[error("{what} has changed since the run was started: {}", path.display())]
    #[diagnostic(help(
        "games of two different engines must not be counted as one's: put the old file back, or \
         start a new run"
    ))]
    Changed {
        /// Its use in the run.
        what: String,
        /// The file.
        path: PathBuf,
    },
    /// It is gone.
    #[error("{what} cannot be read any more: {}: {source}", path.display())]
    #[diagnostic(help("put the file back, or start a new run"))]
    Gone {
        /// Its use in the run.
        what: String,
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

impl NamedFiles {
    /// The files that the options of these engines name, as they are now. A value that names no
    /// readable file is skipped.
    pub fn new<'a>(engines: impl IntoIterator<Item = &'a EngineSpec>) -> NamedFiles {
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
}

/// Checks that engines and the files of their options are unchanged since the start of a run.
///
/// # Errors
/// When a file is gone or another one.
pub fn check_unchanged<'a>(
    engines: impl IntoIterator<Item = &'a EngineSpec>,
    named: &NamedFiles,
) -> Result<(), FileChanged> {
    for engine in engines {
        if let Program::Executable { path, sha256, .. } = &engine.program {
            check(&format!("engine `{}`", engine.name), path, sha256)?;
        }
    }
    named.0.iter().try_for_each(|(path, hash)| {
        let name = path.file_name().unwrap_or(path.as_os_str()).display();
        check(&format!("an option's file {name}"), path, hash)
    })
}

fn check(what: &str, path: &Path, before: &str) -> Result<(), FileChanged> {
    let what = what.to_owned();
    let path = path.to_owned();
    match sha256(&path) {
        Err(source) => Err(FileChanged::Gone { what, path, source }),
        Ok(now) if now != before => Err(FileChanged::Changed { what, path }),
        Ok(_) => Ok(()),
    }
}
