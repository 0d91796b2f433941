//! The page on the architecture names files that exist, and modules in the order in which they may
//! import each other.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../docs/architecture.md");

#[test]
fn every_path_of_the_page_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let quoted = PAGE.split('`').skip(1).step_by(2);
    let paths: Vec<&str> =
        quoted.filter(|text| text.starts_with("harness/") || text.starts_with("engine/")).collect();
    assert!(paths.len() > 30, "{paths:?}");
    for path in paths {
        assert!(root.join(path).exists(), "{path} does not exist");
    }
}

/// The table of features, each with its tests as "`file`: `function`, `function`; `file`: ...".
const FEATURES: &str = include_str!("../features.md");

#[test]
fn every_test_of_the_table_of_features_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rows: Vec<&str> = FEATURES.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 60, "{} rows", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
        let [_, _, tests] = cells[..] else { panic!("three columns: {row}") };
        let mut text = String::new();
        for name in tests.split('`').skip(1).step_by(2) {
            if name.ends_with(".rs") {
                let path = if name.contains('/') {
                    root.join(name)
                } else {
                    root.join("tests/end_to_end/matches").join(name)
                };
                text = std::fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
            } else {
                assert!(text.contains(&format!("fn {name}(")), "{name} is not there: {row}");
            }
        }
        assert!(!text.is_empty(), "no test: {row}");
    }
}

/// The modules of the page's table from the top row down, each with the number of its row.
fn rows() -> HashMap<String, usize> {
    let table = PAGE.split("|---|---|\n").nth(1).expect("the page has a table");
    let lines = table.lines().take_while(|line| line.starts_with('|'));
    let modules = |(row, line): (usize, &'static str)| {
        let first = line.split('|').nth(1).expect("a cell");
        let names = first.split('`').skip(1).step_by(2);
        names.map(move |name| (name.trim_end_matches(['/']).replace(".rs", ""), row))
    };
    lines.enumerate().flat_map(modules).collect()
}

/// The modules of the crate that a source file names, outside of its tests.
fn imports(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.flat_map(|line| [line, "\n"]).collect();
    let named = code.split("crate::").skip(1);
    let word = |text: &str| {
        text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>()
    };
    named.map(word).filter(|word| !word.is_empty()).collect()
}

#[test]
fn a_module_imports_only_those_of_its_row_or_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rows = rows();
    let mut wrong = Vec::new();
    let mut beside = BTreeSet::new();
    for file in sources(&source) {
        let inside = file.strip_prefix(&source).expect("found in it");
        let is_test = inside.iter().any(|part| part == "tests" || part == "tests.rs");
        let first = inside.iter().next().expect("a name").to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs");
        if is_test || module == "lib" || module == "main" {
            continue;
        }
        let own = *rows.get(module).unwrap_or_else(|| panic!("`{module}` is not in the table"));
        let text = std::fs::read_to_string(&file).expect("readable");
        for other in imports(&text).iter().filter(|other| *other != module) {
            match rows.get(other) {
                Some(row) if *row < own => wrong.push(format!("{} -> {other}", inside.display())),
                Some(row) if *row == own => {
                    beside.insert((module.to_owned(), other.clone()));
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "imports of modules above: {wrong:#?}");
    // Modules of one row may know each other in one direction; the command line is one subject.
    let mutual: Vec<_> = beside
        .iter()
        .filter(|(from, to)| {
            beside.contains(&(to.clone(), from.clone())) && from != "cli" && to != "cli"
        })
        .collect();
    assert!(mutual.is_empty(), "{mutual:?}");
}

/// Crates and modules by which a program talks with one kind of system, and paths of one.
const OF_A_SYSTEM: [&str; 8] =
    ["rustix", "signal_hook", "std::os::", "sysinfo", "ctrlc::", "win32job", "\"/proc", "\"/sys"];

#[test]
fn only_the_platform_knows_the_operating_system() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in sources(&source) {
        let inside = file.strip_prefix(&source).expect("found in it");
        let is_test = inside.iter().any(|part| part == "tests" || part == "tests.rs");
        // Its arguments tell another program what an engine may see.
        if is_test || inside.starts_with("platform") || inside.ends_with("cluster/sandbox.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("readable");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let found = OF_A_SYSTEM.iter().find(|name| line.contains(**name));
            assert_eq!(found, None, "{}: {line}", inside.display());
        }
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable"));
    let paths = entries.map(|entry| entry.path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
