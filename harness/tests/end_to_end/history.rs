//! `harness history` of a repository with a test engine.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{self, MOCK, git, has_games, json, shown, until};

/// A repository with two commits of the test engine, in a folder.
fn repository(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
    let recipe = "build: { command: cp engine.sh engine && chmod +x engine, binary: engine }\n";
    std::fs::write(folder.join("harness.yaml"), recipe).unwrap();
    std::fs::write(folder.join(".gitignore"), "cache\nreports\n").unwrap();
    for number in 0..2 {
        let program = format!("#!/bin/sh\n# {number}\nexec {MOCK} --seed {number}\n");
        std::fs::write(folder.join("engine.sh"), program).unwrap();
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-q", "-m", &format!("commit {number}")]);
    }
}

fn harness(folder: &Path, line: &str) -> Command {
    let mut command = common::harness(folder, line.split_whitespace());
    command.env("TENCH_CACHE", folder.join("cache"));
    command
}

/// The matches of the newest commit.
fn matches(folder: &Path) -> Vec<Value> {
    let output = harness(folder, "history --json").output().unwrap();
    let history = json(&output);
    let commits = history["commits"].as_array().unwrap_or_else(|| panic!("{}", shown(&output)));
    commits.last().and_then(|row| row["elo"].as_array().cloned()).unwrap_or_default()
}

const MATCH: &str = "match HEAD HEAD~1 --max-moves 6 --jobs 1 --no-probe --quiet";

/// Plays a match until it has more games than this, and kills it.
fn interrupt(folder: &Path, line: &str, more_than: u64) {
    let mut playing = harness(folder, &format!("{MATCH} --games 100000 {line}"));
    let playing = playing.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut playing = playing.unwrap();
    until("games are kept", || {
        assert_eq!(playing.try_wait().unwrap(), None, "it ended by itself");
        has_games(folder, more_than)
    });
    playing.kill().unwrap();
    playing.wait().unwrap();
}

#[test]
fn games_of_runs_that_are_not_finished_count_and_are_said_to_be_of_such() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    repository(folder);
    let whole = harness(folder, &format!("{MATCH} --games 8 --seed 1 --nodes 1")).output().unwrap();
    assert!(whole.status.success(), "{}", shown(&whole));
    let [elo] = &matches(folder)[..] else { panic!("one row") };
    assert_eq!((elo["games"].as_u64(), elo.get("unfinished")), (Some(8), None), "{elo}");

    // Other games under the same conditions are counted together.
    interrupt(folder, "--seed 2 --nodes 1", 8);
    let [elo] = &matches(folder)[..] else { panic!("one row") };
    let of_row = |elo: &Value| [&elo["games"], &elo["unfinished"]].map(|count| count.as_u64());
    let [Some(games), Some(unfinished)] = of_row(elo) else { panic!("{elo}") };
    assert!(unfinished > 8 && games == 8 + unfinished, "{elo}");
    assert_eq!(elo["runs"].as_array().map(Vec::len), Some(2), "{elo}");

    // Under other ones they have a row of their own, and so has the first match still.
    interrupt(folder, "--seed 2 --nodes 2", games);
    let rows = matches(folder);
    let [first, other] = &rows[..] else { panic!("two rows: {rows:?}") };
    assert_eq!(first, elo);
    let [Some(games), unfinished] = of_row(other) else { panic!("{other}") };
    assert_eq!((unfinished, other["limit"].as_str()), (Some(games), Some("nodes=2")), "{other}");
    let text = shown(&harness(folder, "history").output().unwrap());
    assert!(text.contains(" unfinished)"), "{text}");
}
