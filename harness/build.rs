//! Lists the pages of `docs/`, so that `harness docs` has every page of the folder.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
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
