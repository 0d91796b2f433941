//! Runs that are no games of two engines: suites, and games to train on.

use std::fs;

use rustix::process::Signal;

use super::{signal, started};
use crate::common::{MOCK, harness, json, run, shown, until};

#[test]
fn a_suite_on_workers_has_the_results_of_one_process() {
    let Some((folder, cluster)) = started(&["one", "two"]) else { return };
    let folder = folder.path();
    let line = format!("suite bk builtin {MOCK} --nodes 2000 --no-probe --json");
    let here = json(&run(folder, &format!("{line} --reports here")));
    let there = json(&cluster.command(&line).output().expect("it runs"));
    assert_eq!(here["solved"], there["solved"]);
    let results = |summary: &serde_json::Value| -> Vec<(String, String, String)> {
        let results = summary["results"].as_array().expect("a list").iter();
        let text = |value: &serde_json::Value| value.to_string();
        results.map(|one| (text(&one["id"]), text(&one["move"]), text(&one["nodes"]))).collect()
    };
    assert_eq!(results(&here), results(&there));
    let of_workers = there["results"].as_array().expect("a list").iter();
    let mut workers: Vec<&str> = of_workers.filter_map(|one| one["worker"].as_str()).collect();
    assert_eq!(workers.len(), 24);
    workers.sort_unstable();
    workers.dedup();
    assert_eq!(workers.len(), 2, "{workers:?}");
}

#[test]
fn a_suite_is_searched_again_where_a_quarantined_worker_searched_it() {
    let Some((folder, cluster)) = started(&["one", "two"]) else { return };
    let folder = folder.path();
    let coordinator = cluster.command("suite wac --nodes 30000 --no-probe").spawn().expect("runs");
    let searched = || {
        let ledger = harness::ledger::Ledger::open_existing(&folder.join("reports"));
        ledger.and_then(|ledger| ledger.solutions("last")).map_or(0, |solutions| solutions.len())
    };
    until("some positions are searched", || searched() > 20);
    signal(&coordinator, Signal::INT);
    let output = coordinator.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", shown(&output));
    let quarantine = cluster.command("workers --quarantine one").status().expect("it runs");
    assert!(quarantine.success());
    let output = cluster.command("resume last --json").output().expect("it runs");
    assert!(shown(&output).contains("searched again"), "{}", shown(&output));
    let results = json(&output)["results"].as_array().expect("a list").clone();
    assert_eq!(results.len(), 300);
    let is_of_two = |one: &serde_json::Value| {
        one["worker"].as_str().is_some_and(|worker| worker.starts_with("two@"))
    };
    assert!(results.iter().all(is_of_two));
}

#[test]
fn games_to_train_on_are_those_of_one_process() {
    let Some((folder, cluster)) = started(&["one", "two"]) else { return };
    let folder = folder.path();
    let line = |engine: &str, file: &str| {
        format!("data generate --engine {engine} --nodes 300 --games 12 --no-probe -o {file}")
    };
    // The mock's games have other engine files here and there, but the same moves.
    for (name, engine) in [("builtin", "builtin"), ("mock", MOCK)] {
        let (here, there) = (format!("{name}-here.games"), format!("{name}-there.games"));
        let output = run(folder, &format!("{} --jobs 2", line(engine, &here)));
        assert!(output.status.success(), "{}", shown(&output));
        let output = cluster.command(&line(engine, &there)).output().expect("it runs");
        assert!(output.status.success(), "{}", shown(&output));
        let read = |name: &str| fs::read(folder.join(name)).expect("a file");
        assert_eq!(read(&here), read(&there), "{name}");
    }
}

#[test]
fn an_import_on_workers_has_the_scores_of_one_process() {
    let Some((folder, cluster)) = started(&["one", "two"]) else { return };
    let folder = folder.path();
    let made = run(folder, "data generate --nodes 50 --games 4 --no-probe -o some.games");
    assert!(made.status.success(), "{}", shown(&made));
    let line = |engine: &str, file: &str| {
        format!("data import some.games -o {file} --engine {engine} --nodes 400 --no-probe --json")
    };
    for (name, engine) in [("builtin", "builtin"), ("mock", MOCK)] {
        let (here, there) = (format!("{name}-here.csv"), format!("{name}-there.csv"));
        let here_said = json(&run(folder, &format!("{} --jobs 2", line(engine, &here))));
        let said = cluster.command(&line(engine, &there)).output().expect("it runs");
        let said = json(&said);
        assert!(said["asked"].as_u64().is_some_and(|asked| asked > 50), "{said}");
        for key in ["asked", "known", "positions", "dropped"] {
            assert_eq!(said[key], here_said[key], "{key}");
        }
        let read = |name: &str| fs::read(folder.join(name)).expect("a file");
        assert_eq!(read(&here), read(&there), "{name}");
    }
}

#[test]
fn an_import_that_was_interrupted_goes_on_with_workers() {
    let Some((folder, cluster)) = started(&["one"]) else { return };
    let folder = folder.path();
    let made = run(folder, "data generate --nodes 50 --games 12 --no-probe -o some.games");
    assert!(made.status.success(), "{}", shown(&made));
    let line = |file: &str| {
        format!("data import some.games -o {file} --engine builtin --nodes 4000 --no-probe --json")
    };
    let here = run(folder, &line("here.csv"));
    assert!(here.status.success(), "{}", shown(&here));
    let begun = cluster.command(&line("there.csv")).spawn().expect("it starts");
    let answers = || {
        let text = fs::read_to_string(folder.join("there.csv.answers")).unwrap_or_default();
        text.lines().count()
    };
    until("some positions are searched", || answers() > 20);
    signal(&begun, Signal::INT);
    let output = begun.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", shown(&output));
    let known = answers() as u64 - 1;
    let line = format!("{} --resume", line("there.csv"));
    let said = json(&cluster.command(&line).output().expect("it runs"));
    assert_eq!(said["known"], known, "{said}");
    let read = |name: &str| fs::read(folder.join(name)).expect("a file");
    assert_eq!(read("here.csv"), read("there.csv"));
}

#[test]
fn harness_yaml_names_the_server() {
    let Some((folder, cluster)) = started(&["one"]) else { return };
    let folder = folder.path();
    fs::write(folder.join("harness.yaml"), format!("on: {}\n", cluster.url())).expect("a file");
    let play = |more: &str| {
        let line = format!("match builtin builtin --nodes 5 --games 2 --no-probe --json{more}");
        let mut command = harness(folder, line.split(' '));
        json(&command.env("TENCH_TOKEN", &cluster.coordinator).output().expect("it runs"))
    };
    assert_eq!(play("")["workers"][0]["name"], "one");
    assert_eq!(play(" --on here")["workers"].as_array().map(Vec::len).unwrap_or_default(), 0);
    // Of a command that workers cannot do it is no error.
    let runs = run(folder, "runs");
    assert!(runs.status.success(), "{}", shown(&runs));
}
