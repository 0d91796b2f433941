//! Bisections of a repository whose engine gets worse with one of its commits.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
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

impl Repository {
    /// A bisection of all commits by a test.
    fn test(&self, test: &str) -> std::process::Output {
        harness(&self.root(), ["bisect", "c0", "main", "--json", "--test", test])
            .env("TENCH_CACHE", self.folder.path().join("cache"))
            .output()
            .unwrap()
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

    // Not the match that was under way for it.
    let runs = repository.harness("runs").output().unwrap();
    let advice = shown(&runs);
    let advice = advice.lines().find(|line| line.contains("continues")).expect("an advice");
    assert!(advice.contains("-bisect"), "{advice}");
    let output = repository.harness("resume last --json").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let report = json(&output);
    assert_eq!(report["verdict"], "found");
    assert_eq!(report["found"][0]["subject"], "commit 6");
    assert_eq!(report["found"].as_array().unwrap().len(), 1);
    assert!(report["loss"]["elo"].as_f64().unwrap() > 100.0);
    assert!(report["games"].as_u64().unwrap() > 0);

    // The page leads to the matches.
    let runs = repository.root().join("reports/runs");
    let id = report["run"].as_str().unwrap();
    let made = repository.harness(&format!("report {id} -o page.html")).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
    let page = std::fs::read_to_string(repository.root().join("page.html")).unwrap();
    let tested = report["tested"].as_array().unwrap();
    let matches: Vec<&str> = tested
        .iter()
        .flat_map(|commit| commit["runs"].as_array().into_iter().flatten())
        .map(|run| run.as_str().unwrap())
        .collect();
    assert!(!matches.is_empty(), "{report}");
    for run in matches {
        assert!(page.contains(&format!("href=\"../{run}/report.html\"")), "{run}");
        assert!(runs.join(run).is_dir(), "{run}");
    }
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
    let output = repository.test("if grep -q crash {}; then exit 1; fi");
    let report = json(&output);
    assert_eq!(report["found"][0]["subject"], "commit 7", "{}", shown(&output));
    assert_eq!(report["games"], 0);
    // The ends and the neighbours of the answer are tested twice.
    assert_eq!(report["good_tests"], serde_json::json!({ "run": 2, "failed": 0 }));
    for (subject, failed) in [("commit 6", 0), ("commit 7", 2), ("commit 9", 2)] {
        let tested = report["tested"].as_array().unwrap();
        let row = tested.iter().find(|row| row["subject"] == subject).expect(subject);
        assert_eq!(row["tests"], serde_json::json!({ "run": 2, "failed": failed }), "{subject}");
    }
}

#[test]
fn nothing_is_taken_for_granted_by_a_test() {
    let repository = Repository::new(5, 3, 9);
    let count = repository.folder.path().join("count");
    let flaky = format!("echo x >> {0}; test $(($(wc -l < {0}) % 2)) = 1", count.display());
    let crash = "grep -q crash {} && exit 1; exit 0";
    for (test, status, says) in [
        ("exit 200", 4, "ended with status 200"),
        ("kill -9 $$", 4, "was ended by a signal"),
        ("nosuchprogram {}", 4, "(status 127)"),
        ("./build.sh", 4, "(status 126)"),
        ("exit 125", 4, "skips it (status 125), which is said to be good"),
        ("exit 1", 2, "fails at"),
        ("grep -q crash {} && exit 125; exit 0", 2, "which is said to be bad: the test skips it"),
        ("exit 0", 1, "\"verdict\":\"no_loss\""),
        (&*flaky, 3, "\"flaky\":[{"),
        // Two commits in the middle cannot be tested.
        ("grep -Eq '^# [23]' {} && exit 125; grep -q crash {} && exit 1; exit 0", 0, "commit 4"),
        (crash, 0, "commit 3"),
    ] {
        let output = repository.test(test);
        assert_eq!(output.status.code(), Some(status), "{test}: {}", shown(&output));
        assert!(shown(&output).contains(says), "{test}: {}", shown(&output));
    }
}

#[test]
fn an_interrupt_ends_the_test_with_all_that_it_started_and_the_bisection_goes_on() {
    let repository = Repository::new(5, 3, 9);
    let [pid, go] = ["pid", "go"].map(|name| repository.folder.path().join(name));
    let (pid_file, go_file) = (pid.display(), go.display());
    let test = format!(
        "if [ -e {go_file} ]; then if grep -q crash {{}}; then exit 1; else exit 0; fi; fi; \
         sleep 1000 & echo $! > {pid_file}; wait"
    );
    let command = harness(&repository.root(), ["bisect", "c0", "main", "--test", &test])
        .env("TENCH_CACHE", repository.folder.path().join("cache"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = || std::fs::read_to_string(&pid).unwrap_or_default();
    until("the test runs", || started().ends_with('\n'));
    let harness_pid = Pid::from_raw(i32::try_from(command.id()).unwrap()).unwrap();
    kill_process(harness_pid, Signal::INT).unwrap();
    let stopped = command.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130), "{}", shown(&stopped));
    assert!(shown(&stopped).contains("harness resume"), "{}", shown(&stopped));
    let stat = format!("/proc/{}/stat", started().trim());
    let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
    until("what the test started is gone", is_gone);

    std::fs::write(&go, "").unwrap();
    let output = repository.harness("resume last --json").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!(json(&output)["found"][0]["subject"], "commit 3");
}

#[test]
fn the_program_is_one_word_of_a_test_whatever_quotes_are_around_it() {
    let repository = Repository::new(3, 2, 9);
    for test in ["! grep -q crash {}", "! grep -q crash \"{}\"", "! grep -q crash '{}'"] {
        let output =
            harness(&repository.root(), ["bisect", "c0", "main", "--json", "--test", test])
                .env("TENCH_CACHE", repository.folder.path().join("a $cache's folder"))
                .output()
                .unwrap();
        assert_eq!(json(&output)["found"][0]["subject"], "commit 2", "{}", shown(&output));
    }
    let output = repository.test(" ");
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(shown(&output).contains("an empty command passes always"), "{}", shown(&output));
}

#[test]
fn a_shallow_clone_is_named_as_such() {
    let repository = Repository::new(3, 9, 9);
    let source = format!("file://{}", repository.root().display());
    git(repository.folder.path(), &["clone", "-q", "--depth", "2", &source, "shallow"]);
    for good in ["c0", "HEAD~3"] {
        let shallow = repository.folder.path().join("shallow");
        let output =
            harness(&shallow, ["bisect", good, "HEAD", "--test", "true"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        assert!(shown(&output).contains("shallow clone"), "{}", shown(&output));
    }
}
