//! The page on the architecture names files that exist, and crates in the order in which they may
//! depend on each other.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../docs/architecture.md");

/// The page for contributors, with the files that usual additions touch.
const CONTRIBUTING: &str = include_str!("../../../CONTRIBUTING.md");

#[test]
fn every_path_of_the_pages_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["engine/", "harness/", "python/", "suites/"];
    for page in [PAGE, CONTRIBUTING] {
        let quoted = page.split('`').skip(1).step_by(2).filter(|text| !text.contains(' '));
        let is_path = |text: &&str| folders.iter().any(|folder| text.starts_with(folder));
        let paths: Vec<&str> = quoted.filter(is_path).collect();
        assert!(paths.len() > 15, "{paths:?}");
        for path in paths {
            assert!(root.join(path).exists(), "{path} does not exist");
        }
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

/// The crates of the page's table from the top row down, each with the number of its row.
fn rows() -> HashMap<&'static str, usize> {
    let table = PAGE.split("|---|---|\n").nth(1).expect("the page has a table");
    let lines = table.lines().take_while(|line| line.starts_with('|'));
    let crates = |(row, line): (usize, &'static str)| {
        let first = line.split('|').nth(1).expect("a cell");
        first.split('`').skip(1).step_by(2).map(move |name| (name, row))
    };
    lines.enumerate().flat_map(crates).collect()
}

/// The crates of the harness, each with those that it depends on.
fn crates() -> Vec<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let entries = std::fs::read_dir(&folder).expect("the folder of the crates");
    let known = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("readable").path();
        let manifest = std::fs::read_to_string(path.join("Cargo.toml")).expect("a manifest");
        let named = manifest.lines().filter_map(|line| line.strip_prefix("harness-"));
        let others = named.filter_map(|line| line.split_once('.')).map(|(name, _)| name.to_owned());
        (path.file_name().expect("a name").to_string_lossy().into_owned(), others.collect())
    };
    entries.map(known).collect()
}

#[test]
fn a_crate_depends_only_on_those_below_it() {
    let rows = rows();
    let crates = crates();
    assert!(crates.len() > 10, "{crates:?}");
    for (name, others) in &crates {
        let own = rows.get(name.as_str()).unwrap_or_else(|| panic!("`{name}` is not in the table"));
        for other in others {
            let row = rows.get(other.as_str());
            assert!(row.is_some_and(|row| row >= own), "{name} -> {other}, which stands above");
        }
    }
    let names: BTreeSet<&str> = crates.iter().map(|(name, _)| name.as_str()).collect();
    let missing: Vec<_> = rows.keys().filter(|name| !names.contains(*name)).collect();
    assert!(missing.is_empty(), "not in harness/crates: {missing:?}");
}

#[test]
fn commands_do_not_know_the_command_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands");
    for file in sources(&folder) {
        let text = std::fs::read_to_string(&file).expect("readable");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
        let line = code.lines().find(|line| line.contains("crate::cli"));
        assert_eq!(line, None, "{}", file.display());
    }
}

#[test]
fn only_the_commands_know_the_command_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    for (name, _) in crates() {
        let manifest = std::fs::read_to_string(folder.join(&name).join("Cargo.toml"));
        let knows = manifest.expect("a manifest").lines().any(|line| line.starts_with("clap"));
        assert!(!knows, "{name} depends on clap");
    }
}

#[test]
fn what_commands_use_does_not_know_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in sources(&source) {
        let inside = file.strip_prefix(&source).expect("found in it");
        let is_test = inside.iter().any(|part| part == "tests" || part == "tests.rs");
        let is_above = ["commands", "cli", "cli.rs", "lib.rs", "main.rs"]
            .iter()
            .any(|it| inside.starts_with(it));
        if is_test || is_above {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("readable");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            let knows = line.contains("crate::commands") || line.contains("crate::cli");
            assert!(!knows, "{}: {line}", inside.display());
        }
    }
}

/// Crates and modules by which a program talks with one kind of system, and paths of one.
const OF_A_SYSTEM: [&str; 8] =
    ["rustix", "signal_hook", "std::os::", "sysinfo", "ctrlc::", "win32job", "\"/proc", "\"/sys"];

#[test]
fn only_the_platform_knows_the_operating_system() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<PathBuf> =
        ["src", "crates"].iter().flat_map(|folder| sources(&root.join(folder))).collect();
    assert!(files.len() > 500, "{}", files.len());
    for file in files {
        let inside = file.strip_prefix(root).expect("found in it");
        let is_test = inside.iter().any(|part| part == "tests" || part == "tests.rs");
        // The arguments of a sandbox tell another program what an engine may see.
        let may = inside.starts_with("crates/base/src/platform")
            || inside.starts_with("crates/cluster/src/sandbox");
        if is_test || may {
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

/// Words that say less than the term of the field: harness/docs/glossary.md has the terms.
const AVOIDED: [&str; 12] = [
    "anew",
    "learnt",
    "judge",
    "judged",
    "judging",
    "nobody",
    "somebody",
    "told",
    "sees itself",
    "so many",
    "Probcut",
    "went on",
];

/// Files that read what earlier versions wrote.
const OLD_NAMES: [&str; 3] =
    ["outcome/src/loop_summary.rs", "runs/src/loop_/folder.rs", "studio/src/boards/game.rs"];

#[test]
fn names_and_comments_use_the_words_of_the_glossary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "crates", "../engine/src", "../python/src"];
    let files: Vec<PathBuf> =
        folders.iter().flat_map(|folder| sources(&root.join(folder))).collect();
    assert!(files.len() > 600, "{}", files.len());
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !OLD_NAMES.iter().any(|name| file.ends_with(name))) {
        let text = std::fs::read_to_string(file).expect("readable");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
        if file.iter().any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        for (number, line) in code.lines().enumerate() {
            let words: Vec<&str> = line.split(|letter: char| !letter.is_alphabetic()).collect();
            let spaced = format!(" {} ", words.join(" "));
            let avoided = AVOIDED.iter().find(|word| spaced.contains(&format!(" {word} ")));
            found.extend(avoided.map(|word| format!("{}:{}: {word}", file.display(), number + 1)));
        }
    }
    assert!(found.is_empty(), "see harness/docs/glossary.md:\n{}", found.join("\n"));
}
