//! Lists the pages of `docs/`, so that `harness docs` has every page of the folder, and names the commit
//! of a release build.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    list_pages();
    // A debug build would be made again for every commit.
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        name_commit();
    }
}

/// Digits of a commit's hash in the version.
const HASH_DIGITS: usize = 10;

/// Passes the commit of the sources to the program: that of the repository, or the one that
/// `cargo package` noted in its archive.
fn name_commit() {
    println!("cargo:rerun-if-changed=.cargo_vcs_info.json");
    let commit = match fs::read_to_string(".cargo_vcs_info.json") {
        Ok(note) => packaged_commit(&note),
        Err(_) => repository_commit(),
    };
    if let Some(commit) = commit {
        println!("cargo:rustc-env=TENCH_COMMIT={commit}");
    }
}

/// The commit of `{"git": {"sha1": HASH, "dirty": true}, ...}`.
fn packaged_commit(note: &str) -> Option<String> {
    let (_, behind) = note.split_once("\"sha1\"")?;
    let hash = behind.split('"').nth(1)?;
    let is_hash = hash.len() >= HASH_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let changed = if note.contains("\"dirty\": true") { ", changed" } else { "" };
    is_hash.then(|| format!("{}{changed}", &hash[..HASH_DIGITS]))
}

/// The commit of the git repository, where it is that of these sources.
fn repository_commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // Sources that were unpacked within somebody's repository are not of its commit.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    let commit = git(&["rev-parse", &format!("--short={HASH_DIGITS}"), "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let changed = if changed.is_some_and(|text| !text.is_empty()) { ", changed" } else { "" };
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    Some(format!("{commit}{changed}"))
}

/// Writes the list of the pages as Rust source.
fn list_pages() {
    println!("cargo:rerun-if-changed=docs");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("docs");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .expect("the folder docs stands beside build.rs")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
    let mut source = String::from("&[\n");
    for file in files {
        let name = file.file_stem().expect("it ends in .md").to_string_lossy();
        writeln!(source, "    ({name:?}, include_str!({file:?})),").expect("memory");
    }
    source.push_str("]\n");
    let target = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("docs.rs");
    fs::write(target, source).expect("a writable build folder");
}
