//! `harness.yaml`: engines by name, and how to build a revision.
//!
//! ```yaml
//! engines:
//!   sf:
//!     cmd: stockfish        # a program on PATH, a path seen from this file, or builtin
//!     args: []
//!     dir: .
//!     options: { Hash: 16, Threads: 1 }
//! on: nats://box            # workers play (`harness docs many-machines`)
//! on-event: ./tell-the-chat # a command that gets events of runs (`harness docs hooks`)
//! build:
//!   command: make -C src EXE=engine
//!   binary: src/engine
//! ```

mod definition;
mod entry;
mod hook;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf, absolute};

use miette::{Diagnostic, Report};
use serde::Deserialize;
use thiserror::Error;

pub use definition::{Definition, ParseDefinitionError};
pub use entry::{EngineEntry, Protocol};
pub use hook::{DEFAULT_EVERY, DEFAULT_TIMEOUT, Hook, HookEvent};

use self::entry::KIND;
use crate::address::ServerAddress;
use crate::failure::Failure;
use crate::text::path::{decode_path, encode_path};
use crate::yaml::{self, YamlError};

/// The file's name.
pub const FILE_NAME: &str = "harness.yaml";

/// Content of `harness.yaml`; empty without one.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// Engines by name.
    pub engines: BTreeMap<String, EngineEntry>,
    /// How to build a git revision; `None`: the harness finds out by itself.
    pub build: Option<Build>,
    /// Address of the server whose workers play, unless `--on` says otherwise.
    pub on: Option<ServerAddress>,
    /// Commands that get the events of runs; they are run only if the user has allowed it.
    pub hooks: Vec<Hook>,
}

/// How to build a git revision.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// A shell command, run at the root of a checkout of the revision; none for a script.
    #[serde(default)]
    pub command: String,
    /// The engine that the command leaves, or the script, seen from the root of the checkout.
    pub binary: PathBuf,
    /// Files and folders that the engine needs beside it, seen from there: it is started in a copy of
    /// them. `.` is the whole checkout.
    #[serde(default)]
    pub files: Vec<PathBuf>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    engines: BTreeMap<String, EngineEntry>,
    #[serde(default)]
    build: Option<Build>,
    #[serde(default)]
    on: Option<ServerAddress>,
    #[serde(default, rename = "on-event")]
    hooks: hook::Hooks,
}

/// An invalid `harness.yaml`.
#[derive(Debug, Error, Diagnostic)]
pub enum ConfigError {
    /// The current folder cannot be named.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not YAML, or not what a `harness.yaml` holds.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Yaml(#[from] YamlError),
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::Usage(Report::new(error))
    }
}

impl Config {
    /// Reads the `harness.yaml` of the current folder or of the nearest parent that has one.
    ///
    /// # Errors
    /// When the file is there but cannot be read or understood; not when there is none.
    pub fn find() -> Result<Config, ConfigError> {
        let here = std::env::current_dir()
            .map_err(|source| ConfigError::Unreadable { path: PathBuf::from("."), source })?;
        Config::find_from(&here)
    }

    /// As [`Config::find`], from another folder.
    ///
    /// # Errors
    /// As [`Config::find`].
    pub fn find_from(folder: &Path) -> Result<Config, ConfigError> {
        match folder.ancestors().map(|folder| folder.join(FILE_NAME)).find(|file| file.exists()) {
            Some(file) => Config::read(&file),
            None => Ok(Config::default()),
        }
    }

    /// Reads one file.
    ///
    /// # Errors
    /// When it cannot be read or understood.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let text = yaml::read_text(path, KIND)?;
        let File { engines, build, on, hooks } = yaml::parse_or_default(path, &text, KIND)?;
        Ok(Config { file: Some(path.to_owned()), engines, build, on, hooks: hooks.0 })
    }

    /// The folder from which the file's paths are seen; the current one without a file.
    pub fn folder(&self) -> &Path {
        self.file.as_deref().and_then(Path::parent).unwrap_or(Path::new("."))
    }

    /// With further engines, which win over those of the file.
    #[must_use]
    pub fn with(&self, definitions: &[Definition]) -> Config {
        let mut config = self.clone();
        for Definition { name, entry } in definitions {
            let mut entry = entry.clone();
            if entry.cmd.contains('/') {
                entry.cmd = encode_path(&from_here(&decode_path(&entry.cmd)));
            }
            entry.dir = entry.dir.as_deref().map(from_here);
            config.engines.insert(name.clone(), entry);
        }
        config
    }
}

fn from_here(path: &Path) -> PathBuf {
    absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANUAL: &str = include_str!("../../../docs/harness-yaml.md");

    fn write(text: &str) -> (tempfile::TempDir, Result<Config, ConfigError>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE_NAME), text).unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        let config = Config::find_from(&deep);
        (folder, config)
    }

    #[test]
    fn the_file_of_a_parent_folder_is_found() {
        let (folder, config) = write(
            "engines:\n  sf:\n    cmd: ./sf\n    options: {Hash: 16, Ponder: false, Style: Solid}\n",
        );
        let config = config.unwrap();
        assert_eq!(config.folder(), folder.path());
        let options = &config.engines["sf"].options;
        assert_eq!(options["Hash"], "16");
        assert_eq!(options["Ponder"], "false");
        assert_eq!(options["Style"], "Solid");
    }

    #[test]
    fn an_empty_file_says_nothing() {
        let (_folder, config) = write("# nothing yet\n\n");
        assert!(config.unwrap().engines.is_empty());
    }

    #[test]
    fn a_misspelt_key_is_an_error_that_says_where() {
        let (_folder, config) = write("engines:\n  sf:\n    comand: stockfish\n");
        let message = config.unwrap_err().to_string();
        assert!(message.contains("comand"), "{message}");
        assert!(message.contains("harness.yaml"), "{message}");
        assert!(message.contains('3'), "{message}");
    }

    #[test]
    fn an_address_with_a_secret_is_refused_and_not_repeated() {
        for text in
            ["nats://me:hush@box", "me:hush@box", "nats://hush@box:1", "\"nats://hush@box\""]
        {
            let (_folder, config) = write(&format!("engines: {{}}\non: {text}\n"));
            let error = config.expect_err(text);
            let shown = format!("{:?}", Report::new(error));
            assert!(!shown.contains("hush"), "{shown}");
            assert!(shown.contains("TENCH_TOKEN") && shown.contains("harness.yaml:2"), "{shown}");
        }
        let (_folder, config) = write("on: box\n");
        let server = config.expect("valid").on.expect("a server");
        assert_eq!(server.to_string(), "nats://box:4222");
    }

    /// The keys that a struct takes, from serde's error for an unknown key.
    fn keys<T: serde::de::DeserializeOwned>() -> Vec<String> {
        let error =
            serde_json::from_str::<T>(r#"{"no such key": 1}"#).err().expect("it is unknown");
        let message = error.to_string();
        let (_, expected) = message.split_once("expected").expect("it names the known keys");
        let mut keys: Vec<String> =
            expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        keys.sort();
        keys
    }

    #[test]
    fn schema_and_manual_have_the_keys_of_the_code() {
        let schema: serde_json::Value =
            serde_json::from_str(include_str!("../../../docs/harness.schema.json")).unwrap();
        let listed = |properties: &serde_json::Value| {
            let mut keys: Vec<String> = properties.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        let cases = [
            (keys::<File>(), &schema["properties"]),
            (keys::<EngineEntry>(), &schema["$defs"]["engine"]["properties"]),
            (keys::<Build>(), &schema["$defs"]["build"]["properties"]),
            (keys::<Hook>(), &schema["$defs"]["hook"]["properties"]),
        ];
        for (keys, properties) in cases {
            assert_eq!(keys, listed(properties));
            for key in keys {
                assert!(
                    MANUAL.contains(&format!("`{key}`")),
                    "the manual does not describe `{key}`"
                );
            }
        }
    }

    #[test]
    fn the_example_of_the_manual_is_read() {
        let (_, example) = MANUAL.split_once("```yaml\n").expect("an example");
        let (example, _) = example.split_once("```").expect("its end");
        let (_folder, config) = write(example);
        let config = config.unwrap();
        assert_eq!(config.engines.len(), 2);
        assert_eq!(config.hooks.len(), 2);
        assert_eq!(config.build.expect("a build").binary, Path::new("src/engine"));
    }
}
