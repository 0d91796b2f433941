//! The commits between two revisions of the repository of the current folder.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::git::{git, repository};

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its full hash.
    pub hash: String,
    /// The first line of its message.
    pub subject: String,
}

impl Commit {
    /// The first ten digits of its hash.
    pub fn short(&self) -> &str {
        self.hash.get(..10).unwrap_or(&self.hash)
    }
}

/// Commits that cannot be found.
#[derive(Debug, Error, Diagnostic)]
pub enum HistoryError {
    /// Not in a repository.
    #[error("this folder is in no git repository")]
    #[diagnostic(help("run it in the repository of the engine"))]
    NoRepository,
    /// No such revision.
    #[error("the repository has no revision `{0}`")]
    #[diagnostic(help("a branch, a tag, HEAD~20 or a hash: `git log --oneline` lists commits"))]
    NoRevision(String),
    /// The good one does not come before the bad one.
    #[error("`{good}` is no ancestor of `{bad}`")]
    #[diagnostic(help("the good revision comes first: `harness bisect GOOD BAD`"))]
    NotBefore {
        /// The good revision.
        good: String,
        /// The bad one.
        bad: String,
    },
    /// The clone does not have the whole history.
    #[error("this is a shallow clone: its history does not reach from `{good}` to `{bad}`")]
    #[diagnostic(help(
        "`git fetch --unshallow --tags` gets the rest (in a workflow of GitHub: `fetch-depth: 0`)"
    ))]
    Shallow {
        /// The good revision.
        good: String,
        /// The bad one.
        bad: String,
    },
    /// Nothing to look at.
    #[error("there is no commit between `{good}` and `{bad}`")]
    NoCommit {
        /// The good revision.
        good: String,
        /// The bad one.
        bad: String,
    },
}

/// The good commit, and those after it up to the bad one, oldest first. Of a merge the first parent is
/// followed, as `git bisect --first-parent` does: a merged branch counts as one change.
///
/// # Errors
/// When there is no repository, no such revision, or no commit between them.
pub fn commits_between(good: &str, bad: &str) -> Result<(Commit, Vec<Commit>), HistoryError> {
    let root = repository().ok_or(HistoryError::NoRepository)?;
    commits_in(&root, good, bad)
}

fn commits_in(root: &Path, good: &str, bad: &str) -> Result<(Commit, Vec<Commit>), HistoryError> {
    complete_commits_in(root, good, bad).map_err(|error| match error {
        // What is missing is not known to be wrong.
        HistoryError::NoRevision(_) | HistoryError::NotBefore { .. } if is_shallow(root) => {
            HistoryError::Shallow { good: good.to_owned(), bad: bad.to_owned() }
        }
        other => other,
    })
}

/// Whether the repository is a clone without the whole history.
pub(super) fn is_shallow(root: &Path) -> bool {
    git(root, &["rev-parse", "--is-shallow-repository"]).as_deref() == Some("true")
}

fn complete_commits_in(
    root: &Path,
    good: &str,
    bad: &str,
) -> Result<(Commit, Vec<Commit>), HistoryError> {
    let commit = |text: &str| {
        let revision = format!("{text}^{{commit}}");
        let format = "--format=%H%x09%s";
        let line = git(root, &["show", "-s", format, "--end-of-options", &revision]);
        line.as_deref().and_then(parse).ok_or_else(|| HistoryError::NoRevision(text.to_owned()))
    };
    let (first, last) = (commit(good)?, commit(bad)?);
    let both = || (good.to_owned(), bad.to_owned());
    if git(root, &["merge-base", "--is-ancestor", &first.hash, &last.hash]).is_none() {
        let (good, bad) = both();
        return Err(HistoryError::NotBefore { good, bad });
    }
    let range = format!("{}..{}", first.hash, last.hash);
    let arguments = ["log", "--first-parent", "--reverse", "--format=%H%x09%s", &range];
    let commits: Vec<Commit> =
        git(root, &arguments).unwrap_or_default().lines().filter_map(parse).collect();
    if commits.is_empty() {
        let (good, bad) = both();
        return Err(HistoryError::NoCommit { good, bad });
    }
    Ok((first, commits))
}

/// The last commits of a branch, oldest first; of merges the first parent.
///
/// # Errors
/// When there is no repository or no such branch.
pub fn last_commits(branch: &str, most: u32) -> Result<Vec<Commit>, HistoryError> {
    let root = repository().ok_or(HistoryError::NoRepository)?;
    let most = format!("--max-count={most}");
    let arguments =
        ["log", "--first-parent", &most, "--format=%H%x09%s", "--end-of-options", branch];
    let log = git(&root, &arguments).ok_or_else(|| HistoryError::NoRevision(branch.to_owned()))?;
    let mut commits: Vec<Commit> = log.lines().filter_map(parse).collect();
    commits.reverse();
    Ok(commits)
}

/// Fetches from the remote of the repository of the current folder.
///
/// # Errors
/// When git fails; the text is what it said.
pub fn fetch() -> Result<(), String> {
    let mut command = std::process::Command::new("git");
    command.args(["fetch", "--quiet"]).stdin(std::process::Stdio::null());
    let output = command.output().map_err(|error| error.to_string())?;
    let said = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(said()) }
}

fn parse(line: &str) -> Option<Commit> {
    let (hash, subject) = line.split_once('\t')?;
    Some(Commit { hash: hash.to_owned(), subject: subject.to_owned() })
}

/// The root of the repository of the current folder.
///
/// # Errors
/// When there is none.
pub fn root() -> Result<PathBuf, HistoryError> {
    repository().ok_or(HistoryError::NoRepository)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn run(folder: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(identity).args(arguments);
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    }

    #[test]
    fn commits_come_oldest_first_and_a_wrong_order_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        run(root, &["init", "-q", "-b", "main"]);
        for subject in ["one", "two", "three\twith a tab"] {
            run(root, &["commit", "-q", "--allow-empty", "-m", subject]);
        }
        let (good, commits) = commits_in(root, "HEAD~2", "main").unwrap();
        assert_eq!(good.subject, "one");
        let subjects: Vec<&str> = commits.iter().map(|commit| commit.subject.as_str()).collect();
        assert_eq!(subjects, ["two", "three\twith a tab"]);
        let error = |good, bad| commits_in(root, good, bad).unwrap_err();
        assert!(matches!(error("main", "HEAD~2"), HistoryError::NotBefore { .. }));
        assert!(matches!(error("main", "main"), HistoryError::NoCommit { .. }));
        assert!(matches!(error("main", "nothing"), HistoryError::NoRevision(_)));
        let clone = tempfile::tempdir().unwrap();
        let source = format!("file://{}", root.display());
        run(clone.path(), &["clone", "-q", "--depth", "2", &source, "clone"]);
        let shallow = clone.path().join("clone");
        let first = good.hash.as_str();
        for (good, is_cut) in [(first, true), ("HEAD~2", true), ("HEAD~1", false)] {
            let read = commits_in(&shallow, good, "HEAD");
            assert_eq!(
                matches!(read, Err(HistoryError::Shallow { .. })),
                is_cut,
                "{good}: {read:?}"
            );
        }
    }
}
