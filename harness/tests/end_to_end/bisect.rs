//! Bisections of a repository whose engine gets worse with one of its commits.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::common::{MOCK, git, harness, json, shown, until};

/// A repository of the test engine.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    /// Commits `c0` to `c{count}`; the engine crashes from commit `bad` on, and commit `broken` does
    /// not build.
    fn new(count: usize, bad: usize, broken: usize) -> Repository {
        let repository = Repository { folder: tempfile::tempdir().unwrap() };
        let root = repository.root();
        std::fs::create_dir(&root).unwrap();
        git(&root, &["init", "-q", "-b", "main"]);
        let recipe = "build: { command: sh build.sh, binary: engine }\n";
        std::fs::write(root.join("harness.yaml"), recipe).unwrap();
        for number in 0..=count {
            let flags = if number >= bad { "--crash go --on 6" } else { "" };
            let program = format!("#!/bin/sh\n# {number}\nexec {MOCK} {flags}\n");
            std::fs::write(root.join("engine.sh"), program).unwrap();
            let builds = "cp engine.sh engine && chmod +x engine\n";
            let script = if number == broken { "exit 1\n" } else { builds };
            std::fs::write(root.join("build.sh"), script).unwrap();
            git(&root, &["add", "-A"]);
            git(&root, &["commit", "-q", "-m", &format!("commit {number}")]);
            git(&root, &["tag", &format!("c{number}")]);
        }
        repository
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("engine")
    }

    fn harness(&self, line: &str) -> Command {
        let mut command = harness(&self.root(), line.split_whitespace());
        command.env("TENCH_CACHE", self.folder.path().join("cache"));
        command
    }
}

/// Short games of many points.
const GAMES: &str = "--elo 100 --batch 4 --nodes 1 --max-moves 30 --json";

#[test]
fn the_commit_that_loses_games_is_found_also_after_a_kill() {
    let repository = Repository::new(9, 6, 4);
    let mut command = repository.harness(&format!("bisect c0 main {GAMES}"));
    let mut killed = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let steps = || {
        let runs = std::fs::read_dir(repository.root().join("reports/runs"));
        let folders = runs.into_iter().flatten().flatten();
        folders.map(|folder| folder.path().join("steps.json")).any(|path| path.exists())
    };
    until("the first games begin", steps);
    killed.kill().unwrap();
    killed.wait().unwrap();

    let runs = repository.harness("runs --json").output().unwrap();
    let list = json(&runs).to_string();
    let id = list.split('"').find(|word| word.ends_with("-bisect")).expect("it is listed");
    let output = repository.harness(&format!("resume {id} --json")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "found");
    assert_eq!(report["found"][0]["subject"], "commit 6");
    assert_eq!(report["found"].as_array().unwrap().len(), 1);
    assert!(report["loss"]["elo"].as_f64().unwrap() > 100.0);
    assert!(report["games"].as_u64().unwrap() > 0);
}

#[test]
fn a_commit_that_does_not_build_is_named_together_with_the_next() {
    let repository = Repository::new(4, 2, 2);
    let output = repository.harness(&format!("bisect c0 c4 {GAMES}")).output().unwrap();
    let report = json(&output);
    assert_eq!(report["verdict"], "found", "{}", shown(&output));
    let found = report["found"].as_array().unwrap();
    assert_eq!([&found[0]["subject"], &found[1]["subject"]], ["commit 2", "commit 3"]);
    assert!(shown(&output).contains("is skipped"), "{}", shown(&output));
}

#[test]
fn without_a_loss_the_status_is_1_and_with_too_few_games_3() {
    let repository = Repository::new(3, 9, 9);
    let output = repository.harness(&format!("bisect c0 c3 {GAMES}")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdict"], "no_loss");
    let few = format!("bisect c0 c3 {GAMES} --max-games 8");
    assert_eq!(repository.harness(&few).output().unwrap().status.code(), Some(3));
    let wrong = repository.harness("bisect c3 c0").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(shown(&wrong).contains("is no ancestor"), "{}", shown(&wrong));
}

#[test]
fn a_test_without_games_takes_a_commit_each_time_the_half() {
    let repository = Repository::new(9, 7, 3);
    let root = repository.root();
    std::fs::write(root.join("test.sh"), "if grep -q crash \"$1\"; then exit 1; fi\n").unwrap();
    let output = harness(&root, ["bisect", "c0", "main", "--json", "--test", "sh test.sh {}"])
        .env("TENCH_CACHE", repository.folder.path().join("cache"))
        .output()
        .unwrap();
    let report = json(&output);
    assert_eq!(report["found"][0]["subject"], "commit 7", "{}", shown(&output));
    assert_eq!(report["games"], 0);
    let failing = ["bisect", "c0", "main", "--test", "exit 200"];
    let output = harness(&root, failing)
        .env("TENCH_CACHE", repository.folder.path().join("cache"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
    assert!(shown(&output).contains("status 200"), "{}", shown(&output));
}
