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

/// Tells the program which commit it is of, where there is a repository.
fn name_commit() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) else { return };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let changed = if changed.is_some_and(|text| !text.is_empty()) { ", changed" } else { "" };
    println!("cargo:rustc-env=TENCH_COMMIT={commit}{changed}");
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
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
