//! Git queries about the repository of the current folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::platform;
use crate::text::decode;

/// Variables that git sets for hooks; in a build they would point into another repository.
pub(super) const GIT_VARIABLES: [&str; 4] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// The root of the repository of the current folder.
pub(super) fn repository() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    git_path(&here, &["rev-parse", "--show-toplevel"])
}

/// Branches and tags, for suggestions.
pub(super) fn names() -> Vec<String> {
    let Some(root) = repository() else { return Vec::new() };
    let format = "--format=%(refname:short)";
    let names = git(&root, &["for-each-ref", format, "refs/heads", "refs/tags"]);
    names.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// What a git command prints; `None` if it fails. Messages of commits may be in any encoding.
pub(super) fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = output(folder, arguments)?;
    Some(decode(&output).trim_end().to_owned())
}

/// The path that a git command prints; `None` if it fails.
pub(super) fn git_path(folder: &Path, arguments: &[&str]) -> Option<PathBuf> {
    let output = output(folder, arguments)?;
    Some(platform::path_of_bytes(output.trim_ascii_end().to_vec()))
}

fn output(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(output.stdout)
}
