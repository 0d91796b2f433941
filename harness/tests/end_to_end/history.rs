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

/// The commit and its tag of each number; `None`: no tag.
fn tagged(folder: &Path, commits: u32, tags: &[(u32, &str)]) {
    repository(folder);
    for number in 2..commits {
        let program = format!("#!/bin/sh\n# {number}\nexec {MOCK} --seed {number}\n");
        std::fs::write(folder.join("engine.sh"), program).unwrap();
        git(folder, &["commit", "-q", "-a", "-m", &format!("commit {number}")]);
    }
    for (number, tag) in tags {
        git(folder, &["tag", tag, &format!("HEAD~{}", commits - 1 - number)]);
    }
}

#[test]
fn strength_is_one_curve_over_what_games_connect_and_nothing_else_is_chained() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    tagged(folder, 5, &[(0, "v0.1"), (2, "v0.2"), (4, "v0.3")]);
    let elo = |line: &str| harness(folder, &format!("history --elo {line}")).output().unwrap();
    let nothing = elo("");
    assert_eq!(nothing.status.code(), Some(2), "{}", shown(&nothing));
    assert!(shown(&nothing).contains("no runs"), "{}", shown(&nothing));

    let flags = "--max-moves 6 --jobs 1 --no-probe --quiet --nodes 1";
    for line in [
        "match v0.2~1 v0.1 --games 20 --seed 1",
        // The same games again are counted once.
        "match v0.2~1 v0.1 --games 10 --seed 1",
        // At another limit.
        "match v0.2~1 v0.1 --games 20 --depth 1",
        "sprt v0.2 v0.2~1 --max-games 20 --seed 2",
    ] {
        let limit = if line.contains("--depth") {
            flags.replace("--nodes 1", "")
        } else {
            flags.to_owned()
        };
        let played = harness(folder, &format!("{line} {limit}")).output().unwrap();
        assert!(matches!(played.status.code(), Some(0 | 3)), "{}", shown(&played));
    }
    let output = elo("--json");
    let curve = json(&output);
    let commits = curve["commits"].as_array().unwrap_or_else(|| panic!("{}", shown(&output)));
    assert_eq!(commits.len(), 3, "{curve}");
    assert_eq!(curve["games"].as_u64(), Some(60), "{curve}");
    assert_eq!(curve["repeated"].as_u64(), Some(10), "{curve}");
    assert_eq!(curve["changes"]["tests"].as_u64(), Some(1), "{curve}");
    assert_eq!(curve["conditions"].as_array().map(Vec::len), Some(1), "{curve}");
    let tags: Vec<_> = curve["tags"].as_array().unwrap().iter().map(|tag| &tag["tag"]).collect();
    assert_eq!(tags, ["v0.1", "v0.2"], "{curve}");
    let gain = &curve["tags"][0]["gain"];
    let [low, value, high] = ["low95", "value", "high95"].map(|key| gain[key].as_f64().unwrap());
    assert!(low < value && value < high && value.abs() < 60.0, "{gain}");
    // The newest commit has no game: its tag is said to be apart.
    assert_eq!(curve["apart"][0]["revision"], "v0.3", "{curve}");
    let text = shown(&elo(""));
    for part in ["since v0.1:", "since v0.2: 0 (0 to 0)", "v0.3: no game of it is known", "Chart: "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 100 || line.contains("Chart")),
        "{text}"
    );
    let page = std::fs::read_to_string(folder.join("reports/history.html")).unwrap();
    assert!(page.contains("Strength since v0.1") && page.contains("<svg"), "no chart");

    // Two groups without a game between them are not chained.
    let apart = harness(folder, &format!("match HEAD HEAD~1 --games 4 {flags}")).output().unwrap();
    assert!(apart.status.success(), "{}", shown(&apart));
    let text = shown(&elo(""));
    assert!(text.contains("v0.3: no game connects it with the curve"), "{text}");
    let other = json(&elo("--since v0.3 --json"));
    assert_eq!(other["commits"].as_array().map(Vec::len), Some(2), "{other}");
    // A match between the groups connects them.
    let link = harness(folder, &format!("match HEAD v0.1 --games 8 {flags}")).output().unwrap();
    assert!(link.status.success(), "{}", shown(&link));
    let whole = json(&elo("--json"));
    assert_eq!(whole["commits"].as_array().map(Vec::len), Some(5), "{whole}");
    assert_eq!(whole["tags"].as_array().map(Vec::len), Some(3), "{whole}");
    assert_eq!(whole["apart"].as_array().map(Vec::len), Some(0), "{whole}");
}

#[test]
fn a_revision_without_games_is_no_start_of_the_curve() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    tagged(folder, 3, &[(2, "v0.3")]);
    let line = "match HEAD~1 HEAD~2 --games 4 --max-moves 6 --jobs 1 --no-probe --quiet --nodes 1";
    let played = harness(folder, line).output().unwrap();
    assert!(played.status.success(), "{}", shown(&played));
    let refused = harness(folder, "history --elo --since v0.3").output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", shown(&refused));
    assert!(shown(&refused).contains("no game connects v0.3 with"), "{}", shown(&refused));
    // Without --elo nothing is refused.
    let plain = harness(folder, "history").output().unwrap();
    assert!(plain.status.success(), "{}", shown(&plain));
    let without = harness(folder, "history --since v0.3").output().unwrap();
    assert_eq!(without.status.code(), Some(2), "{}", shown(&without));
}
