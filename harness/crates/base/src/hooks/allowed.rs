//! The hooks of files that the user has allowed.
//!
//! A `harness.yaml` may come with a foreign repository. Its commands are run only if the user has allowed
//! them, and only as they stood then: the file of the user's settings has them in full.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use crate::config::{Config, Hook};
use crate::failure::Failure;
use crate::files::write_atomically;
use crate::system;

/// The name of the file in the user's settings.
const FILE: &str = "allowed-hooks.json";

/// Allowed hooks that cannot be read or written.
#[derive(Debug, Error, Diagnostic)]
pub enum AllowedError {
    /// There is no folder for settings.
    #[error("there is no folder for the user's settings")]
    #[diagnostic(help("set HOME or XDG_CONFIG_HOME"))]
    NoFolder,
    /// The file of the configuration cannot be found.
    #[error("cannot find {}: {source}", path.display())]
    NoFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The list cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    #[diagnostic(help("remove the file, and allow hooks again with `harness hooks allow`"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The list cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl From<AllowedError> for Failure {
    fn from(error: AllowedError) -> Failure {
        Failure::Failed(error.into())
    }
}

/// Hooks by the file that names them.
type ByFile = BTreeMap<String, Vec<Hook>>;

/// The list of what the user has allowed.
pub struct Allowed {
    list: PathBuf,
}

impl Allowed {
    /// That of this user.
    ///
    /// # Errors
    /// When there is no folder of settings.
    pub fn of_user() -> Result<Allowed, AllowedError> {
        let folder = system::settings().ok_or(AllowedError::NoFolder)?;
        Ok(Allowed { list: folder.join(FILE) })
    }

    /// Whether the hooks of a configuration are allowed as they stand there.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn has(&self, config: &Config) -> Result<bool, AllowedError> {
        let Some(file) = &config.file else { return Ok(false) };
        Ok(self.read()?.get(&key(file)?) == Some(&config.hooks))
    }

    /// Allows the hooks of a configuration as they stand there; `false`: allows none of its file.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn set(&self, config: &Config, is_allowed: bool) -> Result<(), AllowedError> {
        let Some(file) = &config.file else { return Ok(()) };
        let mut all = self.read()?;
        match is_allowed {
            true => drop(all.insert(key(file)?, config.hooks.clone())),
            false => drop(all.remove(&key(file)?)),
        }
        let text = serde_json::to_string_pretty(&all).map_err(io::Error::other);
        let folder = self.list.parent().map_or(Ok(()), fs::create_dir_all);
        folder
            .and(text)
            .and_then(|text| write_atomically(&self.list, format!("{text}\n").as_bytes()))
            .map_err(|source| AllowedError::Unwritable { path: self.list.clone(), source })
    }

    fn read(&self) -> Result<ByFile, AllowedError> {
        let unreadable =
            |reason: String| AllowedError::Unreadable { path: self.list.clone(), reason };
        match fs::read(&self.list) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(ByFile::new()),
            Err(error) => Err(unreadable(error.to_string())),
        }
    }
}

/// A file without links: another one that a link leads to later is not allowed with it.
fn key(file: &Path) -> Result<String, AllowedError> {
    let path = fs::canonicalize(file)
        .map_err(|source| AllowedError::NoFile { path: file.to_owned(), source })?;
    Ok(path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_allowed_as_they_stand_in_their_file_and_no_others() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let allowed = Allowed { list: folder.path().join("settings/list.json") };
        let config = |name: &str, text: &str| {
            let file = folder.path().join(name).join("harness.yaml");
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(&file, text).expect("written");
            Config::read(&file).expect("valid")
        };
        let has = |config: &Config| allowed.has(config).expect("readable");
        let ours = config("ours", "on-event: ./tell\n");
        assert!(!has(&ours));
        allowed.set(&ours, true).expect("written");
        for (name, text, is_allowed) in [
            ("ours", "on-event: ./tell\n", true),
            ("ours", "on-event: [./tell]\nengines: {}\n", true),
            ("ours", "on-event: ./other\n", false),
            ("ours", "on-event: [./tell, ./other]\n", false),
            ("ours", "on-event: { command: ./tell, events: [started] }\n", false),
            ("theirs", "on-event: ./tell\n", false),
        ] {
            assert_eq!(has(&config(name, text)), is_allowed, "{name}: {text}");
        }
        let ours = config("ours", "on-event: ./tell\n");
        allowed.set(&ours, false).expect("written");
        assert!(!has(&ours));
        fs::write(&allowed.list, "{").expect("written");
        assert!(allowed.has(&ours).is_err());
    }
}
