//! Workers that leave after what they have, or pause while others use the machine.

use std::process::Child;

use serde_json::Value;

use super::{Cluster, games, started};
use crate::common::{MOCK, harness, has_games, json, run, shown, texts, until};

/// A match at fixed nodes that takes a while.
fn long(reports: &str) -> String {
    format!(
        "match builtin {MOCK} --nodes 100 --games 30 --max-moves 30 --no-probe --json --seed 3 --jobs 1 \
         --reports {reports}"
    )
}

/// A worker as `harness workers --json` shows it.
fn shown_worker(cluster: &Cluster, name: &str) -> Option<Value> {
    let there = json(&cluster.command("workers --json").output().expect("it runs"));
    let workers = there["workers"].as_array().expect("a list").clone();
    workers.into_iter().find(|worker| worker["name"] == name)
}

fn is_there(worker: &mut Child) -> bool {
    worker.try_wait().expect("it is ours").is_none()
}

/// Waits for the end of the first worker, which is a good one.
fn assert_leaves(cluster: &mut Cluster) {
    let mut worker = cluster.workers.remove(0);
    until("it ends", || !is_there(&mut worker));
    assert_eq!(worker.wait().expect("it is ours").code(), Some(0));
}

#[test]
fn a_worker_that_drains_finishes_what_it_has_and_no_game_is_lost() {
    for from_elsewhere in [true, false] {
        let Some((folder, mut cluster)) = started(&["one", "two"]) else { return };
        let folder = folder.path();
        let here = json(&run(folder, &long("here")));
        let coordinator = cluster.command(&long("there")).spawn().expect("it starts");
        until("some games are played", || has_games_in(folder, "there", 4));
        let output = if from_elsewhere {
            cluster.command("workers --drain one").output().expect("it runs")
        } else {
            run(folder, "work --drain --dir one --json")
        };
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        if !from_elsewhere {
            let asked = json(&output)["draining"].as_array().expect("a list").clone();
            assert_eq!(asked, [Value::from(cluster.workers[0].id().to_string())]);
        }
        assert_leaves(&mut cluster);
        assert!(is_there(&mut cluster.workers[0]));
        let there = json(&coordinator.wait_with_output().expect("it ends"));
        for key in ["games", "pentanomial", "wins", "losses", "terminations"] {
            assert_eq!(here[key], there[key], "{key}");
        }
        assert_eq!(games(&folder.join("here")), games(&folder.join("there")));
        let warnings = there["warnings"].to_string();
        assert!(!warnings.contains("silent"), "{warnings}");
        // It may join again.
        cluster.work("one");
    }
}

fn has_games_in(folder: &std::path::Path, reports: &str, more_than: u64) -> bool {
    let ledger = harness::ledger::Ledger::open_existing(&folder.join(reports));
    let runs = ledger.and_then(|ledger| ledger.runs());
    runs.is_ok_and(|runs| runs.iter().any(|run| run.games > more_than))
}

#[test]
fn a_worker_that_waits_for_jobs_leaves_at_once() {
    let Some((folder, mut cluster)) = started(&["one"]) else { return };
    assert_eq!(run(folder.path(), "work --drain --dir one").status.code(), Some(0));
    assert_leaves(&mut cluster);
    // Nothing is there any more.
    for (line, reason) in [
        ("work --drain --dir one", "no worker runs"),
        ("work --drain --dir never", "no worker runs"),
        ("work", "<URL>"),
        ("work nats://box --drain", "cannot be used with"),
    ] {
        let (code, _, stderr) = texts(&run(folder.path(), line));
        assert_eq!(code, 2, "{line}: {stderr}");
        assert!(stderr.contains(reason), "{line}: {stderr}");
    }
    let output = cluster.command("workers --drain one").output().expect("it runs");
    assert!(texts(&output).2.contains("no worker is called one"), "{}", shown(&output));
}

#[test]
fn a_worker_pauses_while_others_use_the_machine_and_says_so() {
    let Some((folder, mut cluster)) = started(&[]) else { return };
    let folder = folder.path();
    let mut busy = std::process::Command::new("sh")
        .args(["-c", "while :; do :; done"])
        .spawn()
        .expect("it starts");
    cluster.work_with("polite", "--pause-when-busy=0.01");
    until("it pauses", || {
        let worker = shown_worker(&cluster, "polite").expect("it is there");
        worker["state"].as_str().is_some_and(|state| state.starts_with("paused: other programs"))
    });
    let table = cluster.command("workers").output().expect("it runs");
    assert!(texts(&table).1.contains("paused"), "{}", shown(&table));
    let line = format!("match builtin {MOCK} --nodes 5 --games 4 --no-probe --json");
    let mut coordinator = cluster.command(&line).spawn().expect("it starts");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(coordinator.try_wait().expect("it is ours").is_none() && !has_games(folder, 0));
    // Another that does not mind plays.
    cluster.work_with("patient", "--pause-when-busy=10000");
    let played = json(&coordinator.wait_with_output().expect("it ends"));
    assert_eq!(played["games"], 4);
    let patient = shown_worker(&cluster, "patient").expect("it is there");
    // Some pairs are played again.
    assert!(patient["state"] == "" && patient["games"].as_u64() >= Some(4), "{patient}");
    assert_eq!(run(folder, "work --drain --dir polite").status.code(), Some(0));
    assert_leaves(&mut cluster);
    busy.kill().expect("it runs");
    busy.wait().expect("it is ours");
    let wrong = harness(folder, ["work", "nats://box", "--pause-when-busy=-1"]).output();
    assert_eq!(wrong.expect("it runs").status.code(), Some(2));
}
