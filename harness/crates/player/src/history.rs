//! The commits between two revisions of the repository of the current folder.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

use super::git::{
    GitTrouble, UNSHALLOW, commit, find_repository, is_shallow, missing_revision, query,
};
use harness_base::git;
use harness_outcome::Commit;

/// Commits that cannot be found.
#[derive(Debug, Error, Diagnostic)]
pub enum HistoryError {
    /// Not in a repository.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoRepository(GitTrouble),
    /// No such revision.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoRevision(GitTrouble),
    /// The good one does not come before the bad one.
    #[error("`{good}` is no ancestor of `{bad}`")]
    #[diagnostic(help(
        "the good revision comes first: `harness bisect GOOD BAD`{}",
        shallow_help(*is_shallow)
    ))]
    NotBefore {
        /// The good revision.
        good: String,
        /// The bad one.
        bad: String,
        /// Whether the clone lacks commits.
        is_shallow: bool,
    },
    /// It is the first one.
    #[error("`{revision}` {}", if *is_shallow {
        "has no commit before it in this shallow clone"
    } else {
        "is the first commit: none comes before it"
    })]
    #[diagnostic(help(
        "name the revision to compare with: --base REV{}",
        shallow_help(*is_shallow)
    ))]
    NoCommitBefore {
        /// The revision.
        revision: String,
        /// Whether the clone lacks commits.
        is_shallow: bool,
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

fn shallow_help(is_shallow: bool) -> String {
    if is_shallow { format!("; this clone is shallow: {UNSHALLOW}") } else { String::new() }
}

/// The good commit, and those after it up to the bad one, oldest first. Of a merge the first parent is
/// followed, as `git bisect --first-parent` does: a merged branch counts as one change.
///
/// # Errors
/// When there is no repository, no such revision, or no commit between them.
pub fn commits_between(good: &str, bad: &str) -> Result<(Commit, Vec<Commit>), HistoryError> {
    let root = root()?;
    commits_in(&root, good, bad)
}

fn commits_in(root: &Path, good: &str, bad: &str) -> Result<(Commit, Vec<Commit>), HistoryError> {
    let first = commit_in(root, good)?;
    let last = commit_in(root, bad)?;
    let both = || (good.to_owned(), bad.to_owned());
    if query(root, &["merge-base", "--is-ancestor", &first.hash, &last.hash]).is_none() {
        let (good, bad) = both();
        return Err(HistoryError::NotBefore { good, bad, is_shallow: is_shallow(root) });
    }
    let range = format!("{}..{}", first.hash, last.hash);
    let arguments = ["log", "--first-parent", "--reverse", "--format=%H%x09%s", &range];
    let commits: Vec<Commit> =
        query(root, &arguments).unwrap_or_default().lines().filter_map(parse).collect();
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
    let commits = dated_commits(branch, most)?;
    Ok(commits.into_iter().map(|(commit, _)| commit).collect())
}

/// As [`last_commits`], each with its date.
///
/// # Errors
/// As [`last_commits`].
pub fn dated_commits(branch: &str, most: u32) -> Result<Vec<(Commit, String)>, HistoryError> {
    let root = root()?;
    let most = format!("--max-count={most}");
    let format = "--format=%cd%x09%H%x09%s";
    let arguments =
        ["log", "--first-parent", "--date=short", &most, format, "--end-of-options", branch];
    let log = query(&root, &arguments).ok_or_else(|| no_revision(&root, branch))?;
    let commits = log.lines().rev().filter_map(|line| {
        let (date, rest) = line.split_once('\t')?;
        Some((parse(rest)?, date.to_owned()))
    });
    Ok(commits.collect())
}

/// The tags of the repository of the current folder with the full hashes of their commits, the oldest first.
///
/// # Errors
/// When there is no repository.
pub fn tags() -> Result<Vec<(String, String)>, HistoryError> {
    Ok(tags_in(&root()?))
}

fn tags_in(root: &Path) -> Vec<(String, String)> {
    // Of an annotated tag the object that it points at, then the tag's own.
    let format = "--format=%(*objectname)%09%(objectname)%09%(refname:short)";
    let list = query(root, &["for-each-ref", "--sort=creatordate", format, "refs/tags"]);
    let list = list.unwrap_or_default();
    let tags = list.lines().filter_map(|line| {
        let mut parts = line.splitn(3, '\t');
        let (pointed, own) = (parts.next()?, parts.next()?);
        let hash = if pointed.is_empty() { own } else { pointed };
        Some((parts.next()?.to_owned(), hash.to_owned()))
    });
    tags.collect()
}

/// Fetches from the remote of the repository of the current folder.
///
/// # Errors
/// When git fails; the text is what it said.
pub fn fetch() -> Result<(), String> {
    let fetched = git::git(Path::new("."), ["fetch", "--quiet"]);
    fetched.map(drop).map_err(|error| error.to_string())
}

fn commit_in(root: &Path, text: &str) -> Result<Commit, HistoryError> {
    let hash = commit(root, text).ok_or_else(|| no_revision(root, text))?;
    let line = query(root, &["show", "-s", "--format=%H%x09%s", &hash]);
    line.as_deref().and_then(parse).ok_or_else(|| no_revision(root, text))
}

fn no_revision(root: &Path, text: &str) -> HistoryError {
    HistoryError::NoRevision(missing_revision(root, text))
}

fn parse(line: &str) -> Option<Commit> {
    let (hash, subject) = line.split_once('\t')?;
    Some(Commit { hash: hash.to_owned(), subject: subject.to_owned() })
}

/// The commit with the hash of a revision.
///
/// # Errors
/// When there is no repository or no such revision.
pub fn commit_of(text: &str) -> Result<Commit, HistoryError> {
    commit_in(&root()?, text)
}

/// The commit before a revision.
///
/// # Errors
/// As [`commit_of`]; and when it is the first one.
pub fn commit_before(text: &str) -> Result<Commit, HistoryError> {
    let root = root()?;
    let commit = commit_in(&root, text)?;
    commit_in(&root, &format!("{}~1", commit.hash)).map_err(|_| {
        let is_shallow = is_shallow(&root);
        HistoryError::NoCommitBefore { revision: text.to_owned(), is_shallow }
    })
}

/// The root of the repository of the current folder.
///
/// # Errors
/// When there is none.
pub fn root() -> Result<PathBuf, HistoryError> {
    find_repository().map_err(HistoryError::NoRepository)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        git::git(folder, identity.iter().chain(arguments)).unwrap();
    }

    #[test]
    fn tags_of_both_kinds_name_their_commits() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        run(root, &["init", "-q", "-b", "main"]);
        run(root, &["commit", "-q", "--allow-empty", "-m", "one"]);
        let hash = commit_in(root, "HEAD").unwrap().hash;
        assert_eq!(tags_in(root), []);
        run(root, &["tag", "v0.1"]);
        run(root, &["tag", "-a", "v0.2", "-m", "annotated"]);
        let mut tags = tags_in(root);
        tags.sort();
        assert_eq!(tags, [("v0.1".to_owned(), hash.clone()), ("v0.2".to_owned(), hash)]);
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
    }
}
