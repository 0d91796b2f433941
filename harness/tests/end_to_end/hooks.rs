//! Commands that get the events of runs, whatever they do.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{MOCK, git, harness, shown, texts, until, write_program};

/// A match that takes a moment.
const MATCH: &str = "match a b --nodes 1 --games 8 --max-moves 5 --jobs 2 --no-probe";

/// A folder with two engines and this beside them in its harness.yaml; its settings are its own.
fn folder(yaml: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let engines = format!("engines: {{ a: {{ cmd: {MOCK} }}, b: {{ cmd: {MOCK} }} }}\n{yaml}");
    std::fs::write(folder.path().join("harness.yaml"), engines).expect("written");
    folder
}

fn command(folder: &Path, line: &str, more: &[&str]) -> Command {
    let mut command = harness(folder, line.split_whitespace().chain(more.iter().copied()));
    command.env("XDG_CONFIG_HOME", folder.join("settings"));
    command
}

fn run(folder: &Path, line: &str, more: &[&str]) -> Output {
    command(folder, line, more).output().expect("it starts")
}

/// The events that a hook has added to a file.
fn events(folder: &Path, file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn names(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event"].as_str().expect("a name")).collect()
}

#[test]
fn a_hook_gets_beginning_progress_and_result_in_their_order() {
    let folder = folder("");
    let hooks = ["--on-event", "cat >>events", "--on-event-every", "2", "--json"];
    let output = run(folder.path(), MATCH, &hooks);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let result: Value = serde_json::from_slice(&output.stdout).expect("one object");
    let events = events(folder.path(), "events");
    let (first, last) = (&events[0], events.last().expect("events"));
    assert_eq!(first["event"], "started");
    assert_eq!(
        (&first["done"], &first["of"], &first["unit"]),
        (&0.into(), &8.into(), &"games".into())
    );
    assert_eq!(last["event"], "finished");
    assert_eq!((&last["summary"], &last["status"]), (&result, &0.into()));
    assert!(names(&events)[1..events.len() - 1].iter().all(|name| *name == "progress"));
    let done: Vec<u64> = events.iter().map(|event| event["done"].as_u64().expect("done")).collect();
    assert!(done.is_sorted() && done.last() == Some(&8), "{done:?}");
    for event in &events {
        assert_eq!((&event["run"], &event["command"]), (&result["run"], &"match".into()));
        assert_eq!(event["title"], "a vs b");
        assert!(event["time"].as_str().expect("a time").ends_with('Z'), "{event}");
        assert!(event["seconds"].is_number());
    }
    let progress = events.iter().filter(|event| event["event"] == "progress");
    assert!(progress.clone().all(|event| event["result"]["pentanomial"].is_array()));
}

#[test]
fn every_kind_of_run_and_every_end_is_told() {
    let folder = folder("");
    write_program(&folder.path().join("broken"), "#!/bin/sh\nexit 1\n");
    std::fs::write(folder.path().join("s.epd"), "4k3/8/8/8/8/8/8/R3K2R w KQ - bm O-O;\n")
        .expect("written");
    for (line, kind, ends, status) in [
        ("suite s.epd builtin --nodes 10", "suite", "finished", 0),
        ("match a b --nodes 1 --games 2 --max-moves 5", "match", "finished", 0),
        ("sprt a b --nodes 1 --max-games 2 --max-moves 5", "sprt", "finished", 3),
        ("match ./broken b --nodes 1 --games 2", "", "failed", 4),
        ("data generate --games 2 --nodes 10 -o g.games", "data", "finished", 0),
    ] {
        let file = format!("events-{kind}");
        let output = run(folder.path(), line, &["--on-event", &format!("cat >>{file}")]);
        assert_eq!(output.status.code(), Some(status), "{line}: {}", shown(&output));
        let events = events(folder.path(), &file);
        let last = events.last().unwrap_or_else(|| panic!("{line}: no event"));
        assert_eq!(last["event"], ends, "{line}: {events:?}");
        assert_eq!(last["status"], status, "{line}");
        if kind.is_empty() {
            assert!(last["error"]["message"].is_string() && last["run"].is_null(), "{last}");
        } else {
            assert_eq!(
                (&events[0]["event"], &events[0]["command"]),
                (&"started".into(), &kind.into())
            );
            assert!(last["summary"].is_object(), "{last}");
        }
    }
}

#[test]
fn a_run_that_is_stopped_and_resumed_says_both() {
    let folder = folder("");
    let line = "match a b --nodes 1 --games 100000 --max-moves 5 --jobs 1 --no-probe";
    let mut child = command(folder.path(), line, &["--on-event", "cat >>events", "-q"])
        .spawn()
        .expect("it starts");
    until("the run began", || names(&events(folder.path(), "events")).contains(&"started"));
    until("it is stopped", || run(folder.path(), "stop last", &[]).status.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let stopped = events(folder.path(), "events");
    let last = stopped.last().expect("an event");
    assert_eq!((&last["event"], &last["status"]), (&"interrupted".into(), &130.into()));
    assert!(last["error"]["help"].as_str().expect("help").contains("resume"), "{last}");
    assert!(last["done"].as_u64().expect("done") > 0 || stopped.len() == 2);
}

#[test]
fn whatever_a_hook_does_the_run_is_the_same() {
    let folder = folder("");
    for (hook, warning) in [
        ("exit 0", None),
        ("echo the reason >&2; exit 3", Some("the reason")),
        ("no-such-program", Some("no-such-program")),
        ("yes | head -c 5000000; yes | head -c 5000000 >&2", None),
        ("exec 0<&-; exit 0", None),
        ("kill -9 $$", Some("signal")),
    ] {
        let output = run(folder.path(), MATCH, &["--on-event", hook, "--on-event-every", "2"]);
        let (status, stdout, stderr) = texts(&output);
        assert_eq!(status, 0, "{hook}: {stderr}");
        assert!(stdout.contains("Elo"), "{hook}: {stdout}");
        match warning {
            None => assert!(!stderr.contains("the hook"), "{hook}: {stderr}"),
            Some(text) => {
                assert!(stderr.contains(text), "{hook}: {stderr}");
                assert_eq!(stderr.matches("failed at").count(), 1, "{hook}: {stderr}");
            }
        }
    }
}

#[test]
fn a_hook_that_hangs_delays_the_end_by_its_time_and_nothing_else() {
    let folder = folder("on-event: [{ command: 'cat >>slow; sleep 60', timeout: 1 }]\n");
    assert!(run(folder.path(), "hooks allow", &[]).status.success());
    let begun = Instant::now();
    let output = run(folder.path(), MATCH, &["--on-event", "cat >>events"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(begun.elapsed() < Duration::from_secs(40));
    assert!(texts(&output).2.contains("did not end within"), "{}", shown(&output));
    // The other one got everything all the same.
    assert_eq!(names(&events(folder.path(), "events")).last(), Some(&"finished"));
}

#[test]
fn the_hooks_of_a_file_are_run_once_they_are_allowed_and_until_they_change() {
    let folder =
        folder("on-event:\n  - cat >>all\n  - { command: cat >>ends, events: [finished] }\n");
    let count = |file: &str| events(folder.path(), file).len();
    let play = |more: &[&str]| {
        let output = run(folder.path(), MATCH, more);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        texts(&output).2
    };
    assert!(play(&[]).contains("harness hooks allow"));
    assert_eq!((count("all"), count("ends")), (0, 0));
    assert_eq!(run(folder.path(), "hooks test", &[]).status.code(), Some(2));
    assert!(run(folder.path(), "hooks allow", &[]).status.success());
    assert!(!play(&[]).contains("hooks allow"));
    let told = count("all");
    assert!(told >= 2 && count("ends") == 1, "{told}");
    play(&["--on-event", "none"]);
    let mut by_hook = command(folder.path(), MATCH, &[]);
    assert!(by_hook.env("TENCH_EVENT", "finished").output().expect("it starts").status.success());
    assert_eq!((count("all"), count("ends")), (told, 1));
    let file = folder.path().join("harness.yaml");
    let text = std::fs::read_to_string(&file).expect("readable");
    std::fs::write(&file, text.replace("cat >>all", "cat >>other")).expect("written");
    assert!(play(&[]).contains("harness hooks allow"));
    assert_eq!((count("other"), count("ends")), (0, 1));
    // In a copy nothing is allowed.
    std::fs::write(&file, text).expect("written");
    let copy = folder.path().join("copy");
    std::fs::create_dir(&copy).expect("made");
    std::fs::copy(&file, copy.join("harness.yaml")).expect("copied");
    let mut copied = harness(&copy, MATCH.split_whitespace());
    copied.env("XDG_CONFIG_HOME", folder.path().join("settings"));
    assert!(shown(&copied.output().expect("it starts")).contains("harness hooks allow"));
    assert!(!copy.join("all").exists());
}

#[test]
fn hooks_are_listed_tried_and_denied() {
    let folder = folder("on-event: [cat >>all, exit 2]\n");
    let listed = |line: &str| texts(&run(folder.path(), line, &[]));
    assert!(listed("hooks").1.contains("not allowed"));
    assert!(!listed("hooks allow").1.contains("not allowed"));
    let (status, stdout, _) = listed("hooks test");
    assert_eq!(status, 1, "{stdout}");
    assert!(stdout.contains("cat >>all: took the event") && stdout.contains("exit 2: it ended"));
    assert_eq!(events(folder.path(), "all")[0]["test"], true);
    assert!(listed("hooks deny").1.contains("not allowed"));
    assert_eq!(run(folder.path(), "hooks test", &["exit 0"]).status.code(), Some(0));
    let empty = tempfile::tempdir().expect("a folder");
    assert_eq!(run(empty.path(), "hooks allow", &[]).status.code(), Some(2));
}

#[test]
fn each_commit_of_a_watched_branch_is_a_run() {
    let folder = folder("");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    std::fs::write(folder.path().join("gate.yaml"), "engine: { cmd: builtin }\n").expect("written");
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-q", "-m", "one"]);
    let line = "watch main --once --against HEAD";
    let output = run(folder.path(), line, &["--on-event", "cat >>events"]);
    // Whatever this gate says: an end follows each beginning.
    let events = events(folder.path(), "events");
    let begun = names(&events).iter().filter(|name| **name == "started").count();
    let ended = names(&events).iter().filter(|name| ["finished", "failed"].contains(name)).count();
    assert!(begun <= ended, "{}\n{events:?}", shown(&output));
}
