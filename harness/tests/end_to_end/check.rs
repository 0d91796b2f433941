//! `harness check` on engines that are sound and on engines that are not.

use std::process::{Command, Output};
use std::thread;

use serde_json::Value;

use crate::common::{MOCK, harness};

/// Runs `harness check` on the test engine with these flags.
fn check(flags: &str, more: &[&str]) -> (Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let yaml = format!("engines:\n  mock: {{ cmd: {MOCK}, args: {flags:?} }}\n");
    std::fs::write(folder.path().join("harness.yaml"), yaml).unwrap();
    let output = harness(folder.path(), ["check", "mock"]).args(more).output().unwrap();
    (output, folder)
}

fn json(flags: &str, patience: &str) -> (Value, Option<i32>) {
    let (output, _folder) = check(flags, &["--json", "--patience", patience]);
    let text = String::from_utf8(output.stdout).unwrap();
    (
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{flags}: {text}")),
        output.status.code(),
    )
}

/// Names of the checks that ended so.
fn names<'a>(json: &'a Value, status: &str) -> Vec<&'a str> {
    let checks = json["checks"].as_array().expect("a list of checks");
    let so = checks.iter().filter(|check| check["status"] == status);
    so.map(|check| check["name"].as_str().expect("a name")).collect()
}

#[test]
fn a_sound_engine_passes() {
    let (json, status) = json("", "30");
    assert_eq!(json["passed"], true, "{json:#}");
    assert_eq!(json["id"], "mock-engine");
    assert_eq!(json["options"].as_array().unwrap().len(), 7);
    assert_eq!(names(&json, "failed"), Vec::<&str>::new());
    // It plays any move, and says nothing of what it expects.
    assert_eq!(names(&json, "warning"), ["mate in one"]);
    assert_eq!(names(&json, "skipped"), ["the move to ponder is legal"]);
    assert!(names(&json, "passed").len() > 30, "{json:#}");
    assert_eq!(status, Some(0));
}

#[test]
fn each_defect_is_found_by_the_check_for_it() {
    // The flag, the patience in seconds, how its check ends, and which one it is.
    let defects = [
        ("--bad-option", "30", "failed", "options are declared as UCI has it"),
        ("--bad-pv", "30", "failed", "every PV is legal"),
        ("--twice", "30", "failed", "one `bestmove` a search"),
        ("--moody", "30", "warning", "the same search again"),
        ("--touchy", "30", "failed", "unknown commands are passed over"),
        ("--die-of empty-line", "30", "warning", "empty lines are passed over"),
        ("--die-of bare-setoption", "30", "warning", "`setoption` without a name"),
        ("--die-of unknown-option", "30", "failed", "`setoption` of an unknown option"),
        ("--keep-searchmoves", "30", "failed", "`searchmoves` ends with its search"),
        ("--bounds", "30", "warning", "`go depth`"),
        ("--bounds", "30", "warning", "`go nodes`"),
        ("--grow 1", "30", "failed", "no growth"),
        ("--ignore-quit", "30", "failed", "`quit` ends the process"),
        ("--ignore-quit", "30", "warning", "its input closed, it ends"),
        ("--no-chess960", "30", "skipped", "Chess960"),
        ("--answer illegal", "30", "failed", "`go depth`"),
        ("--answer none", "30", "failed", "promotion"),
        ("--crash newgame", "30", "failed", "new game, `isready`"),
        ("--ignore-nodes", "30", "warning", "`go nodes`"),
        ("--ignore-depth --infos 4", "30", "warning", "`go depth`"),
        ("--instant --infos 5", "30", "warning", "`go depth`"),
        ("--instant --infos 5", "30", "warning", "`go nodes`"),
        ("--instant --infos 5", "30", "warning", "`go movetime`"),
        ("--instant --infos 5", "30", "skipped", "`stop` ends a search"),
        ("--first-nodes 45", "30", "warning", "`go nodes`"),
        ("--odd-infos", "30", "warning", "`info` lines"),
        ("--infos 0", "30", "failed", "`info` lines"),
        ("--endless movetime", "3", "failed", "`go movetime`"),
        ("--slow-start 3000", "1", "failed", "starts, answers `uci`"),
    ];
    thread::scope(|scope| {
        for (flags, patience, status, name) in defects {
            scope.spawn(move || {
                let (json, code) = json(flags, patience);
                assert!(names(&json, status).contains(&name), "{flags}: {name}\n{json:#}");
                let is_bad = !names(&json, "failed").is_empty();
                assert_eq!(json["passed"], !is_bad);
                assert_eq!(code, Some(i32::from(is_bad)), "{flags}");
            });
        }
    });
}

#[test]
fn one_fault_is_one_failure() {
    for (flags, name) in [
        ("--keep-searchmoves", "`searchmoves` ends with its search"),
        ("--die-of unknown-option", "`setoption` of an unknown option"),
        ("--touchy", "unknown commands are passed over"),
        ("--endless all-but-clock", "`go depth`"),
        ("--instant --infos 5", "`go infinite` until `stop`"),
    ] {
        let (json, _) = json(flags, "30");
        assert_eq!(names(&json, "failed"), [name], "{json:#}");
        assert_eq!(names(&json, "order_dependent"), Vec::<&str>::new(), "{json:#}");
    }
}

#[test]
fn an_engine_that_plays_by_the_clock_only_is_checked_by_the_clock_and_told_once() {
    let begun = std::time::Instant::now();
    let (json, _) = json("--endless all-but-clock --infos 5", "10");
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}", begun.elapsed());
    let checks = json["checks"].as_array().expect("a list of checks");
    let failed = checks.iter().find(|check| check["status"] == "failed").expect("one");
    let detail = failed["detail"].as_str().expect("a detail");
    assert!(detail.contains("by the clock only") && detail.contains("--tc 8+0.08"), "{detail}");
    assert!(names(&json, "passed").len() > 25, "{json:#}");
}

#[test]
fn options_with_keywords_for_values_are_listed_and_can_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let engine = folder.path().join("engine.sh");
    let options = "option name Profile type combo default default var default var white_killer \
                   var min var max\noption name About type string default by Max max min\n\
                   option name Threads type spin default 1 min 1 max 18446744073709551615\n";
    let text = format!(
        "#!/bin/sh\nwhile read -r word rest; do case $word in\nuci) printf '{options}uciok\\n';;\n\
         isready) echo readyok;;\nquit) exit;;\nesac; done\n"
    );
    crate::common::write_program(&engine, &text);
    for option in ["Profile=max", "Profile=default", "About=max 3", "Threads=70"] {
        let line = ["check", "./engine.sh", "--options", "--option", option];
        let output = harness(folder.path(), line).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{option}: {}", String::from_utf8_lossy(&output.stderr));
        for part in ["default, white_killer, min, max", "by Max max min", "1 to 92233720368"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}

#[test]
fn what_passes_in_a_fresh_process_is_order_dependent_and_fails_nothing() {
    let (output, folder) = check("--spoilt", &["--json", "--junit", "check.xml"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(names(&json, "order_dependent"), ["mate in one"], "{json:#}");
    assert_eq!((&json["passed"], output.status.code()), (&Value::Bool(true), Some(0)));
    let xml = std::fs::read_to_string(folder.path().join("check.xml")).unwrap();
    assert!(xml.contains("<flakyFailure message=") && xml.contains("failures=\"0\""), "{xml}");
}

#[test]
fn a_failure_shows_what_was_said_and_how_to_say_it_again() {
    let more = ["--json", "--transcript", "check.sh"];
    let (output, folder) = check("--keep-searchmoves", &more);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = json["checks"].as_array().unwrap();
    let failed = checks.iter().find(|check| check["status"] == "failed").unwrap();
    let sent = failed["sent"].as_array().unwrap();
    assert!(sent.iter().any(|line| line == "go depth 2 searchmoves a7a6 h7h6"), "{failed:#}");
    let received = failed["received"].as_array().unwrap();
    assert_eq!(received.last().unwrap(), "bestmove a1a1");
    // By hand it fails in the same way.
    let by_hand = failed["by_hand"].as_str().unwrap();
    let said = Command::new("sh").args(["-c", by_hand]).output().unwrap().stdout;
    let said = String::from_utf8(said).unwrap();
    assert_eq!(said.lines().last(), Some("bestmove a1a1"), "{by_hand}\n{said}");
    let script = std::fs::read_to_string(folder.path().join("check.sh")).unwrap();
    for part in [by_hand, "#   > go depth 2 searchmoves a7a6 h7h6", "#   < bestmove a1a1"] {
        assert!(script.contains(part), "{part} is not in\n{script}");
    }
    let (output, _folder) = check("--keep-searchmoves", &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["    sent      go depth 2\n", "    received  bestmove a1a1\n", "    by hand   ("] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn a_slow_engine_gets_smaller_tasks() {
    let (json, status) = json("--nps 6000", "10");
    assert_eq!(names(&json, "failed"), Vec::<&str>::new(), "{json:#}");
    assert_eq!(status, Some(0));
}

#[test]
fn a_ci_system_gets_junit_and_people_get_lines() {
    let (output, folder) = check("--bad-pv", &["--junit", "check.xml"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("✗ every PV is legal "), "{text}");
    assert!(text.contains("✓ `go depth` "), "{text}");
    let xml = std::fs::read_to_string(folder.path().join("check.xml")).unwrap();
    let checks = text.lines().filter(|line| !line.starts_with("    ")).count();
    for part in [
        &format!("<testsuite name=\"harness check mock\" tests=\"{checks}\" failures=\"1\""),
        "name=\"every PV is legal\"",
        "<failure message=\"ply 1 is illegal in `info depth 1 ",
    ] {
        assert!(xml.contains(part), "{part} is not in\n{xml}");
    }
    let (output, _folder) = check("", &["--junit", "nowhere/check.xml"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nowhere/check.xml"));
}

#[test]
fn options_are_listed_and_wrong_ones_are_wrong_usage() {
    let (output, _folder) = check("", &["--options"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Move Overhead") && text.contains("0 to 5000"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let (output, _folder) = check("", &["--option", "Hsah=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Hsah"));
}
