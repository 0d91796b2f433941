//! The state of a working tree: whether anything has changed since the engine was built from it.
//!
//! A state is the commit that is checked out, the content of every file that differs from it or that
//! git does not know, and size and time of the files that git ignores. Folders that git ignores are
//! those of build systems, and are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::git::{git_path, output, query};
use super::hash::{sha256, short_hash};
use harness_base::platform;
use harness_base::text::decode;
use harness_base::text::path::encode_path;

/// Content of larger files is not read: size and time stand for it.
const LARGE_FILE: u64 = 1 << 20;

/// Variables that builds read.
const VARIABLES: [&str; 9] =
    ["CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "RUSTFLAGS", "EXE", "EVALFILE"];

/// The state of a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeState {
    head: String,
    /// By path: what stands for the content.
    files: BTreeMap<PathBuf, String>,
}

impl TreeState {
    /// The state of a repository's working tree without the folder `reports`, which the harness
    /// writes itself; `None` where git does not tell, or a changed submodule hides what has changed.
    pub(super) fn read(root: &Path, reports: &Path) -> Option<TreeState> {
        let reports = std::path::absolute(reports).ok()?;
        let head = query(root, &["rev-parse", "--verify", "HEAD"])?;
        let status = [
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--ignored=matching",
            "--no-renames",
        ];
        let mut files = BTreeMap::new();
        for entry in output(root, &status)?.split(|&byte| byte == 0) {
            let Some((how, path)) = entry.split_at_checked(3) else { continue };
            let how = decode(how);
            let path = platform::path_of_bytes(path.to_vec());
            let file = root.join(&path);
            if file.starts_with(&reports) {
                continue;
            }
            let content = match file.symlink_metadata() {
                Err(_) => "gone".to_owned(),
                Ok(facts) if facts.is_dir() && how.starts_with("!!") => continue,
                Ok(facts) if facts.is_dir() => return None,
                Ok(facts) if how.starts_with("!!") || facts.len() > LARGE_FILE => facts_of(&facts),
                Ok(_) => sha256(&file).ok()?,
            };
            files.insert(path, format!("{how}{content}"));
        }
        Some(TreeState { head, files })
    }

    /// Whether a build that began in the state `before` and left this one had unchanged sources: all
    /// that differed or was unknown then is as it was, but for what builds are known to make.
    pub(super) fn has_sources_of(&self, before: &TreeState, products: &BTreeSet<PathBuf>) -> bool {
        let is_same = |(path, content): (&PathBuf, &String)| {
            // What git ignores may be what the build made.
            content.starts_with("!!")
                || products.contains(path)
                || self.files.get(path) == Some(content)
        };
        let is_product = |path: &PathBuf, content: &String| {
            before.files.contains_key(path)
                || content.starts_with("??")
                || content.starts_with("!!")
        };
        self.head == before.head
            && before.files.iter().all(is_same)
            && self.files.iter().all(|(path, content)| is_product(path, content))
    }

    /// Files unknown to git that were not there in the state `before`: what a build made.
    pub(super) fn products_since(&self, before: &TreeState) -> BTreeSet<PathBuf> {
        let is_new = |(path, content): &(&PathBuf, &String)| {
            content.starts_with("??") && !before.files.contains_key(*path)
        };
        self.files.iter().filter(is_new).map(|(path, _)| path.clone()).collect()
    }

    /// A short text that stands for the state, of this folder and built in this way.
    pub(super) fn key(&self, root: &Path, recipe: &str) -> String {
        let mut text = format!("{}\n{recipe}\n{}\n", root.display(), self.head);
        for variable in VARIABLES {
            let value = std::env::var_os(variable).unwrap_or_default();
            text += &format!("{variable}={}\n", value.display());
        }
        for (path, content) in &self.files {
            text += &format!("{}\0{content}\n", encode_path(path));
        }
        short_hash(text.as_bytes())
    }
}

/// Size and time of the last change.
fn facts_of(facts: &fs::Metadata) -> String {
    let time = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {}", facts.len(), time.unwrap_or_default().as_nanos())
}

/// Lets git pass over what a build leaves in the working tree, unless it is known or ignored already: in
/// the user's own clone only, by `.git/info/exclude`.
pub(super) fn let_git_ignore(root: &Path, left: &Path) {
    let names = left.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let name = names.collect::<Vec<_>>().join("/");
    let is_ignored = query(root, &["check-ignore", "-q", &name]).is_some();
    let is_known = query(root, &["ls-files", "--error-unmatch", &name]).is_some();
    let exclude =
        git_path(root, &["rev-parse", "--path-format=absolute", "--git-path", "info/exclude"]);
    let Some(exclude) = exclude.filter(|_| !is_ignored && !is_known) else { return };
    let before = fs::read(&exclude).unwrap_or_default();
    let end = if before.is_empty() || before.ends_with(b"\n") { "" } else { "\n" };
    let text = format!("{end}# Built by the harness from the working tree.\n/{name}\n");
    // Without it the file shows up as untracked, which harms nothing.
    let _ = exclude.parent().map(fs::create_dir_all);
    let file = fs::OpenOptions::new().create(true).append(true).open(&exclude);
    let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::write(root.join("main.c"), "one").expect("written");
        fs::write(root.join(".gitignore"), "*.o\nbuild/\n").expect("written");
        for arguments in [
            &["init", "-q"][..],
            &["add", "-A"],
            &["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", "x"],
        ] {
            query(root, arguments).expect("git");
        }
        folder
    }

    #[test]
    fn every_change_of_the_sources_is_another_state() {
        let folder = repository();
        let root = folder.path();
        let state = || TreeState::read(root, &root.join("reports")).expect("a state");
        let key = || state().key(root, "make");
        let mut seen = vec![key()];
        assert_eq!(key(), seen[0]);
        assert_ne!(state().key(root, "make -j"), seen[0]);
        for (file, content) in [
            ("main.c", "two"),
            ("main.c", "six"),
            ("new.c", "a"),
            ("new.c", "b"),
            ("net.o", "of another size"),
        ] {
            fs::write(root.join(file), content).expect("written");
            assert!(!seen.contains(&key()), "{file}: {content}");
            seen.push(key());
        }
        fs::remove_file(root.join("main.c")).expect("removed");
        assert!(!seen.contains(&key()));
        seen.push(key());
        // What a build system keeps, and what the harness writes, is no source.
        for file in ["build/x/y.c", "reports/ledger.db"] {
            fs::create_dir_all(root.join(file).parent().expect("a folder")).expect("made");
            fs::write(root.join(file), "x").expect("written");
        }
        assert_eq!(Some(&key()), seen.last());
    }

    #[test]
    fn what_a_build_leaves_does_not_change_its_sources_and_what_a_user_writes_meanwhile_does() {
        let folder = repository();
        let root = folder.path();
        fs::write(root.join("new.c"), "new").expect("written");
        let state = || TreeState::read(root, &root.join("reports")).expect("a state");
        let before = state();
        for product in ["main.o", "engine"] {
            fs::write(root.join(product), "x").expect("written");
        }
        let none = BTreeSet::new();
        assert!(state().has_sources_of(&before, &none));
        let products = state().products_since(&before);
        assert_eq!(products.iter().collect::<Vec<_>>(), ["engine"]);
        // The next build makes its product again.
        let second = state();
        fs::write(root.join("engine"), "y").expect("written");
        assert!(!state().has_sources_of(&second, &none));
        assert!(state().has_sources_of(&second, &products));
        for changed in ["new.c", "main.c"] {
            let old = fs::read(root.join(changed)).expect("read");
            fs::write(root.join(changed), "meanwhile").expect("written");
            assert!(!state().has_sources_of(&before, &products), "{changed}");
            fs::write(root.join(changed), old).expect("written");
            assert!(state().has_sources_of(&before, &products), "{changed}");
        }
    }

    #[test]
    fn what_is_built_is_ignored_once_and_what_is_committed_never() {
        let folder = repository();
        let exclude = folder.path().join(".git/info/exclude");
        for name in ["engine-to-test", "engine-to-test", "main.c", "x.o"] {
            let_git_ignore(folder.path(), &Path::new(".").join(name));
        }
        let text = fs::read_to_string(exclude).expect("written");
        let names = |name: &str| text.lines().filter(|line| *line == name).count();
        let counts = ["/engine-to-test", "/main.c", "/x.o"].map(names);
        assert_eq!(counts, [1, 0, 0], "{text}");
    }
}
