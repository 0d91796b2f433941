//! Git commands: the one place that starts git.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use thiserror::Error;

use crate::secret;

/// Variables that git sets for hooks; in a build they would point into another repository.
pub const HOOK_VARIABLES: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// Why a git command gave nothing.
#[derive(Debug, Error)]
pub enum GitError {
    /// It cannot be started.
    #[error("{0}")]
    Start(#[from] io::Error),
    /// It failed; the text is its own.
    #[error("{0}")]
    Failed(String),
}

/// Standard output of a git command in a folder.
///
/// # Errors
/// When git cannot be started or fails.
pub fn git(
    folder: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<Vec<u8>, GitError> {
    run(command(folder).args(arguments))
}

/// Git in a folder, whatever repository a hook has named in the environment, and without the secrets
/// of the environment. [`run`] starts it.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).stdin(Stdio::null());
    for variable in HOOK_VARIABLES {
        command.env_remove(variable);
    }
    secret::remove_from(&mut command);
    command
}

/// Standard output of a command made by [`command`].
///
/// # Errors
/// When git cannot be started or fails.
pub fn run(command: &mut Command) -> Result<Vec<u8>, GitError> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    // It may quote the address of a remote, with its password.
    let printed = secret::without_secrets(&String::from_utf8_lossy(&output.stderr));
    Err(GitError::Failed(printed.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_gives_its_output_or_the_words_of_git() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(git(folder.path(), ["init", "-q"]).unwrap(), b"");
        let inside = git(folder.path(), ["rev-parse", "--is-inside-work-tree"]).unwrap();
        assert_eq!(inside, b"true\n");
        let error = git(folder.path(), ["rev-parse", "--verify", "HEAD"]).unwrap_err();
        assert!(matches!(&error, GitError::Failed(text) if text.starts_with("fatal: ")), "{error}");
    }
}
