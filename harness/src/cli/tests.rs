use std::fs;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::*;
use crate::text::shell_split;

/// The files below a folder whose names end so.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let below = |path: PathBuf| if path.is_dir() { files(&path, end) } else { vec![path] };
    let all = entries.flat_map(below);
    all.filter(|path| path.to_string_lossy().ends_with(end)).collect()
}

/// The commands between backticks in a text, in one line each; placeholders of formats are words.
fn commands(text: &str) -> Vec<String> {
    let mut joined = String::new();
    for line in text.lines() {
        match line.trim_end().strip_suffix('\\') {
            Some(start) => joined.push_str(start.trim_start()),
            None => {
                joined.push_str(&format!("{}\n", line.trim_start_matches([' ', '/', '!', '#'])))
            }
        }
    }
    let marked = joined.split("`harness ").skip(1);
    let commands = marked.filter_map(|rest| rest.split_once('`').map(|(command, _)| command));
    let is_whole = |command: &&str| !command.contains(['"', '{', ';', '(', '<']);
    commands.filter(is_whole).map(|command| command.replace('\n', " ")).collect()
}

#[test]
fn commands_that_hints_and_the_manual_name_are_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = files(&root.join("src"), ".rs");
    paths.extend(files(&root.join("crates"), ".rs"));
    paths.extend(files(&root.join("docs"), ".md"));
    let mut seen = 0;
    for path in paths.iter().filter(|path| !path.to_string_lossy().contains("tests")) {
        let text = fs::read_to_string(path).expect("readable");
        for line in commands(text.split("#[cfg(test)]").next().unwrap_or_default()) {
            let words = shell_split(line.split(" > ").next().unwrap_or_default());
            let words = words.unwrap_or_default();
            let words = words.iter().map(String::as_str);
            let words: Vec<&str> =
                words.filter(|word| *word != "..." && *word != "ARGS...").collect();
            let unknown = [ErrorKind::UnknownArgument, ErrorKind::InvalidSubcommand];
            let words = || std::iter::once("harness").chain(words.iter().copied());
            let parsed = Cli::try_parse_from(words());
            // As `of_process` does it first.
            let called = CommandLine::<Called>::try_parse_from(words()).map(Cli::from);
            assert_eq!(
                format!("{:?}", called.ok()),
                format!("{:?}", parsed.as_ref().ok()),
                "{line}"
            );
            if let Err(error) = parsed {
                // `tune METHOD FILE` stands for commands.
                let is_placeholder = matches!(
                    error.get(ContextKind::InvalidSubcommand),
                    Some(ContextValue::String(name)) if name.chars().all(char::is_uppercase)
                );
                let is_unknown = unknown.contains(&error.kind()) && !is_placeholder;
                assert!(!is_unknown, "{}: {line}: {error}", path.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn fastchess_with_v_asks_for_its_version() {
    let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
    for (line, expected) in [
        ("fastchess -v", "fastchess -- -v"),
        ("fastchess -v -dry-run", "fastchess -v -dry-run"),
        ("match -v", "match -v"),
    ] {
        assert_eq!(version_of_runner(words(line)), words(expected), "{line}");
    }
}
