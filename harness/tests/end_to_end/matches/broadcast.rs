//! The file of the games in progress.

use std::path::{Path, PathBuf};

use crate::common::{MOCK, harness, json, python, run, shown, texts, until};
use crate::needs::python_with_chess;

/// A folder with two engines, the first of which takes its time.
fn folder(delay: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let yaml = format!(
        "engines: {{ a: {{ cmd: {MOCK}, args: [{delay}] }}, b: {{ cmd: {MOCK}, args: [--seed, '2'] }} }}\n"
    );
    std::fs::write(folder.path().join("harness.yaml"), yaml).expect("written");
    folder
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

fn results(text: &str) -> Vec<&str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("[Result \""));
    lines.filter_map(|line| line.strip_suffix("\"]")).collect()
}

#[test]
fn the_file_has_all_games_at_the_end_as_the_run_has_them() {
    let folder = folder("");
    for (line, games) in [
        ("match a b --nodes 1 --games 6 --max-moves 5 --jobs 2", 6),
        ("match a b --nodes 1 --games 2 --max-moves 5 --chess960", 2),
        ("sprt a b --nodes 1 --max-games 4 --max-moves 5 --jobs 1", 4),
    ] {
        let line = format!("{line} --no-probe --live-pgn live.pgn --json");
        let output = run(folder.path(), &line);
        let (_, stdout, stderr) = texts(&output);
        let result: serde_json::Value = serde_json::from_str(&stdout).expect(&stderr);
        let live = read(&folder.path().join("live.pgn"));
        assert_eq!(results(&live).len(), games, "{line}: {live}");
        assert!(!live.contains("[Result \"*\"]"), "{live}");
        let run = result["run"].as_str().expect("an id");
        let all = read(&folder.path().join("reports/runs").join(run).join("games.pgn"));
        let sorted = |text: &str| {
            let mut games: Vec<String> =
                text.split("[Event ").map(|game| game.trim().to_owned()).collect();
            games.sort();
            games
        };
        assert_eq!(sorted(&live), sorted(&all), "{line}");
    }
}

#[test]
fn the_book_is_not_replaced_by_live_games() {
    let folder = folder("");
    let book = folder.path().join("book.pgn");
    std::fs::write(&book, "1. e4 e5 *\n").expect("written");
    let line = "match a b --nodes 1 --games 2 --no-probe --openings book.pgn --live-pgn ./book.pgn";
    let (status, _, stderr) = texts(&run(folder.path(), line));
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("--live-pgn ./book.pgn is the book of --openings"), "{stderr}");
    assert_eq!(read(&book), "1. e4 e5 *\n");
}

/// Looks at the file again and again while a match is played.
#[test]
fn at_every_moment_a_reader_finds_whole_games_and_those_in_progress() {
    let folder = folder("--delay, '30'");
    let file = folder.path().join("live.pgn");
    let line = "match a b --movetime 50ms --games 4 --jobs 2 --max-moves 30 --no-probe --quiet \
                --time-margin 5000 --live-pgn live.pgn";
    let mut child = harness(folder.path(), line.split_whitespace()).spawn().expect("it starts");
    let (mut seen_current, mut copies): (bool, Vec<PathBuf>) = (false, Vec::new());
    until("the match ends", || {
        let text = read(&file);
        seen_current |= text.contains("[Result \"*\"]") && text.contains("1. ");
        if copies.len() < 40 && !text.is_empty() {
            let copy = folder.path().join(format!("copy-{}.pgn", copies.len()));
            std::fs::write(&copy, &text).expect("written");
            copies.push(copy);
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        child.try_wait().expect("a child").is_some()
    });
    assert!(seen_current);
    assert_eq!(results(&read(&file)).len(), 4);
    copies.push(file);
    if let Some(chess) = python_with_chess() {
        let names: Vec<&std::ffi::OsStr> = copies.iter().map(|copy| copy.as_os_str()).collect();
        let printed = python(&chess, "live_pgn.py", &names);
        assert_eq!(printed.lines().count(), copies.len(), "{printed}");
    }
    // Nothing is left beside it.
    let parts = std::fs::read_dir(folder.path()).expect("readable").flatten();
    assert!(
        !parts.into_iter().any(|entry| entry.path().extension().is_some_and(|end| end == "part"))
    );
}

#[test]
fn a_resumed_match_has_the_games_of_before() {
    let folder = folder("");
    let file = folder.path().join("live.pgn");
    let line = "match a b --nodes 1 --games 40 --max-moves 20 --jobs 1 --no-probe --quiet \
                --wait 50ms --live-pgn live.pgn";
    let mut child = harness(folder.path(), line.split_whitespace()).spawn().expect("it starts");
    until("games are played", || results(&read(&file)).len() > 3);
    until("it is stopped", || run(folder.path(), "stop last").status.success());
    child.wait().expect("it ends");
    let resumed = run(folder.path(), "resume last --json");
    assert_eq!(json(&resumed)["games"], 40, "{}", shown(&resumed));
    assert_eq!(results(&read(&file)).len(), 40);
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_played() {
    let folder = folder("");
    for file in ["missing/live.pgn", "."] {
        let line = format!("match a b --nodes 1 --games 2 --no-probe --live-pgn {file}");
        let (status, _, stderr) = texts(&run(folder.path(), &line));
        assert_eq!(status, 4, "{stderr}");
        assert!(stderr.contains("cannot write"), "{stderr}");
        assert!(!folder.path().join("reports").exists());
    }
}
