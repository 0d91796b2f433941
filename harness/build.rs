//! Lists the pages of `docs/`, so that `harness docs` has every page of the folder, and names the commit
//! of a release build.

use std::fmt::Write;
use std::path::{Path, PathBuf};
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
    let out = env::var("OUT_DIR").expect("cargo sets it");
    let out = Path::new(&out);
    let address = address();
    let mut source = String::from("&[\n");
    for file in files {
        let name = file.file_stem().expect("it ends in .md").to_string_lossy();
        let text = match &address {
            Some(address) => addressed(&file, address, out),
            None => file.clone(),
        };
        writeln!(source, "    ({name:?}, include_str!({text:?})),").expect("memory");
    }
    source.push_str("]\n");
    fs::write(out.join("docs.rs"), source).expect("a writable build folder");
}

/// The address of the repository: `packaging/release` sets the variable, a published crate has it in
/// its manifest.
fn address() -> Option<String> {
    println!("cargo:rerun-if-env-changed=TENCH_REPOSITORY");
    ["TENCH_REPOSITORY", "CARGO_PKG_REPOSITORY"].iter().find_map(|name| {
        let address = env::var(name).ok()?;
        let address = address.trim_end_matches('/');
        address.contains("://").then(|| address.to_owned())
    })
}

/// A copy of a page that has this address in place of the one for examples.
fn addressed(file: &Path, address: &str, out: &Path) -> PathBuf {
    let (_, path) = address.split_once("://").expect("it was looked for");
    let (_, path) = path.split_once('/').unwrap_or(("", path));
    let text = fs::read_to_string(file).expect("a readable page");
    let text = text.replace("https://github.com/OWNER/tench", address).replace("OWNER/tench", path);
    let copy = out.join(file.file_name().expect("a file"));
    fs::write(&copy, text).expect("a writable build folder");
    copy
}
