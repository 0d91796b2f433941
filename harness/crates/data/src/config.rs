//! YAML files that name a training set and training settings: shared checks and errors.

use std::path::{Path, PathBuf};

use engine::eval::EvalFile;
use miette::Diagnostic;
use thiserror::Error;

use crate::formats::{Format, endings_of};
use harness_base::hint::reports_command;
use harness_base::yaml::YamlError;

/// An invalid configuration.
#[derive(Debug, Error, Diagnostic)]
pub enum ConfigError {
    /// It cannot be read, is not YAML, or has other keys.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Yaml(#[from] YamlError),
    /// Its settings contradict each other.
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help("`harness {command} --help` shows what the file looks like"))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The command that takes such files.
        command: &'static str,
        /// The error.
        reason: String,
    },
    /// No data.
    #[error("{}: `data` names no file", path.display())]
    #[diagnostic(help("`harness match A B` keeps its games in reports/runs/RUN/games.pgn"))]
    NoData {
        /// The file.
        path: PathBuf,
    },
    /// The network has the side to move as an input, and a file does not store it.
    #[error(
        "{}: {} does not store the side to move, which a network of the kind `{architecture}` needs",
        path.display(), data.display()
    )]
    #[diagnostic(help(
        "bulletformat turns every board so that White is to move; {} keep the side to move: {}",
        endings_of(Format::keeps_side_to_move),
        reports_command("data view", "GAMES -o x.marlin")
    ))]
    NoSideToMove {
        /// The configuration.
        path: PathBuf,
        /// The file of positions.
        data: PathBuf,
        /// The network's kind.
        architecture: &'static str,
    },
    /// Scores of later positions are wanted, and a file does not store whole games.
    #[error("{}: {} does not store whole games, which `td_lambda` needs", path.display(), data.display())]
    #[diagnostic(help(".games, .vf and .pgn store them; or leave out `td_lambda`"))]
    NoGames {
        /// The configuration.
        path: PathBuf,
        /// The file of positions.
        data: PathBuf,
    },
    /// A number out of range.
    #[error("{}: `{key}` is {value}", path.display())]
    #[diagnostic(help("`{key}` is {wanted}"))]
    OutOfRange {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// Its value.
        value: f64,
        /// Allowed values.
        wanted: String,
    },
}

/// Bounds of a number: key, value, whether it is valid, and the valid range as text.
pub type Rule = (&'static str, f64, bool, String);

/// A number within inclusive bounds.
pub fn within(key: &'static str, value: f64, low: f64, high: f64) -> Rule {
    (key, value, (low..=high).contains(&value), format!("from {low} to {high}"))
}

/// Checks that a file names data.
///
/// # Errors
/// When it names none.
pub fn names_data(path: &Path, data: &[PathBuf]) -> Result<(), ConfigError> {
    if data.is_empty() {
        return Err(ConfigError::NoData { path: path.to_owned() });
    }
    Ok(())
}

/// Checks every number.
///
/// # Errors
/// At the first rule that does not hold.
pub fn check(path: &Path, rules: impl IntoIterator<Item = Rule>) -> Result<(), ConfigError> {
    match rules.into_iter().find(|(_, _, fine, _)| !fine) {
        None => Ok(()),
        Some((key, value, _, wanted)) => {
            Err(ConfigError::OutOfRange { path: path.to_owned(), key, value, wanted })
        }
    }
}

/// Makes the paths in a file relative to its folder.
pub fn seen_from<'a>(path: &Path, files: impl IntoIterator<Item = &'a mut PathBuf>) {
    let folder = path.parent().unwrap_or(Path::new(""));
    for file in files {
        *file = folder.join(&file);
    }
}

/// A value of the engine's option `EvalFile`; a file name is relative to the folder of `path`.
pub fn eval_file_from(path: &Path, value: &str) -> String {
    match value.parse() {
        Ok(EvalFile::File(mut file)) => {
            seen_from(path, [&mut file]);
            file.display().to_string()
        }
        Ok(EvalFile::Classical | EvalFile::Embedded) => value.to_owned(),
    }
}
