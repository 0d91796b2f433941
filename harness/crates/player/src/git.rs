//! Git queries about the repository of the current folder.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use harness_base::git::{self, GitError};
use harness_base::platform;
use harness_base::text::decode;

/// Why the current folder has no usable repository, or why that has no such revision.
#[derive(Debug, Error, Diagnostic)]
#[error("{reason}")]
#[diagnostic(help("{help}"))]
pub struct GitTrouble {
    /// The trouble, as a sentence.
    pub reason: String,
    /// How to fix it.
    pub help: String,
}

/// The root of the repository of the current folder.
pub(super) fn repository() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    git_path(&here, &["rev-parse", "--show-toplevel"])
}

/// The same, or why there is none.
///
/// # Errors
/// When git is missing, refuses the folder, or the folder is in no repository with a working tree.
pub(super) fn find_repository() -> Result<PathBuf, GitTrouble> {
    let mut command = git::command(Path::new("."));
    // Its messages in English are understood.
    command.args(["rev-parse", "--show-toplevel"]).env("LC_ALL", "C");
    let trouble =
        |reason: &str, help: &str| GitTrouble { reason: reason.to_owned(), help: help.to_owned() };
    let message = match git::run(&mut command) {
        Ok(output) => return Ok(platform::path_of_bytes(output.trim_ascii_end().to_vec())),
        Err(GitError::Failed(message)) => message,
        Err(GitError::Start(error)) => {
            return Err(trouble(
                &format!("git cannot be run: {error}"),
                "revisions are built from git: install it",
            ));
        }
    };
    Err(if message.contains("not a git repository") {
        trouble(
            "this folder is in no git repository",
            "run it in the repository of the engine; a program needs none: name its path, such as \
             ./engine, a program on PATH, or an engine of harness.yaml",
        )
    } else if message.contains("work tree") {
        trouble(
            "this folder is a bare git repository, or inside of .git",
            "run it in a repository with a working tree: `git clone` makes one of this",
        )
    } else {
        trouble("git refuses the repository of this folder", &format!("git says: {message}"))
    })
}

/// Why a repository does not have a revision.
pub(super) fn missing_revision(root: &Path, text: &str) -> GitTrouble {
    let shown = root.display();
    let has_commits = query(root, &["rev-list", "--all", "--max-count=1"]);
    if has_commits.is_none_or(|commit| commit.is_empty()) {
        return GitTrouble {
            reason: format!("the git repository {shown} has no commit yet, so no `{text}`"),
            help: "`git add -A && git commit` makes one; `.` is the working tree as it is"
                .to_owned(),
        };
    }
    if is_shallow(root) {
        return GitTrouble {
            reason: format!("the shallow clone {shown} has no revision `{text}`"),
            help: UNSHALLOW.to_owned(),
        };
    }
    GitTrouble {
        reason: format!("the git repository {shown} has no revision `{text}`"),
        help: "a branch, a tag, HEAD~20 or a hash: `git log --oneline --all` lists commits, \
               `git fetch --tags` gets those of the remote"
            .to_owned(),
    }
}

/// The full hash of the commit that a revision names.
pub(super) fn commit(root: &Path, revision: &str) -> Option<String> {
    let hash =
        |of: &str| query(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", of]);
    // The revision alone at first: behind `:/words` everything is one of the words.
    hash(&format!("{}^{{commit}}", hash(revision)?))
}

/// How a shallow clone gets its other commits.
pub(super) const UNSHALLOW: &str = "`git fetch --unshallow --tags` gets the commits that it lacks; a \
                                    workflow's checkout does with `fetch-depth: 0`";

/// Whether a repository is a clone without all its history.
pub(super) fn is_shallow(root: &Path) -> bool {
    query(root, &["rev-parse", "--is-shallow-repository"]).as_deref() == Some("true")
}

/// Tracked files with changes that are in no commit.
pub(super) fn uncommitted_files(root: &Path) -> usize {
    let changes = query(root, &["status", "--porcelain", "--untracked-files=no"]);
    changes.map_or(0, |changes| changes.lines().count())
}

/// Whether a text stands for the commit that is checked out: `HEAD`, or the branch's name.
pub(super) fn is_checked_out(root: &Path, text: &str) -> bool {
    matches!(text, "HEAD" | "@")
        || query(root, &["symbolic-ref", "--quiet", "--short", "HEAD"]).as_deref() == Some(text)
}

/// Branches and tags, for suggestions.
pub(super) fn names() -> Vec<String> {
    let Some(root) = repository() else { return Vec::new() };
    let format = "--format=%(refname:short)";
    let names = query(&root, &["for-each-ref", format, "refs/heads", "refs/tags"]);
    names.unwrap_or_default().lines().map(str::to_owned).collect()
}

/// A commit for people, with the revision that was asked for where that is not the hash itself:
/// `git 1a2b3c4d5e (HEAD~1)`.
pub fn commit_words(commit: &str, asked: Option<&str>) -> String {
    let short = commit.get(..10).unwrap_or(commit);
    match asked.filter(|asked| !is_same_commit(asked, commit)) {
        Some(asked) => format!("git {short} ({asked})"),
        None => format!("git {short}"),
    }
}

/// Whether one of two texts is the beginning of the other, and long enough for the hash of a commit.
pub fn is_same_commit(one: &str, other: &str) -> bool {
    let is_beginning = one.starts_with(other) || other.starts_with(one);
    one.len().min(other.len()) >= 7 && is_beginning
}

/// Output of a git command in the repository of the current folder; `None` if it fails.
pub fn git_here(arguments: &[&str]) -> Option<String> {
    query(&repository()?, arguments)
}

/// Output of a git command; `None` if it fails. Messages of commits may be in any encoding.
pub(super) fn query(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = output(folder, arguments)?;
    Some(decode(&output).trim_end().to_owned())
}

/// The path that a git command prints; `None` if it fails.
pub(super) fn git_path(folder: &Path, arguments: &[&str]) -> Option<PathBuf> {
    let output = output(folder, arguments)?;
    Some(platform::path_of_bytes(output.trim_ascii_end().to_vec()))
}

/// The paths that a git command prints with `-z`, whatever their encoding; `None` if it fails.
pub(super) fn git_paths(folder: &Path, arguments: &[&str]) -> Option<Vec<PathBuf>> {
    let output = output(folder, arguments)?;
    let paths = output.split(|&byte| byte == 0).filter(|path| !path.is_empty());
    Some(paths.map(|path| platform::path_of_bytes(path.to_vec())).collect())
}

/// Standard output of a git command; `None` if it fails.
pub(super) fn output(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    // Others may work in the repository at the same time.
    let command = &mut git::command(folder);
    git::run(command.arg("--no-optional-locks").args(arguments)).ok()
}
