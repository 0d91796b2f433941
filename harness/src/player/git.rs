//! Git queries about the repository of the current folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Variables that git sets for hooks; in a build they would point into another repository.
pub(super) const GIT_VARIABLES: [&str; 4] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// The root of the repository of the current folder.
pub(super) fn repository() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    git(&here, &["rev-parse", "--show-toplevel"]).map(PathBuf::from)
}

/// Branches and tags, for suggestions.
pub(super) fn names() -> Vec<String> {
    let Some(root) = repository() else { return Vec::new() };
    let format = "--format=%(refname:short)";
    let names = git(&root, &["for-each-ref", format, "refs/heads", "refs/tags"]);
    names.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// What a git command prints; `None` if it fails.
pub(super) fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim_end().to_owned())
}
