//! A worker that lies: it is named by its results, and taken out.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use async_nats::jetstream::Message;
use harness::arena::Leg;
use harness::cluster::message::{Batch, unpack};
use harness::cluster::work::GamePairs;
use harness::stats::GameScore;

use super::raw::{Raw, SetOnDrop, game};
use super::{Cluster, games};
use crate::common::{json, run, shown};
use crate::needs::nats_server;

/// Says of each pair that the first engine lost both games.
fn lie(raw: &Raw, message: &Message) {
    let batch: Batch<GamePairs> = unpack(&message.payload).expect("a batch");
    for assignment in &batch.tasks {
        let lost = |leg| {
            let result = if leg == Leg::First { GameScore::Loss } else { GameScore::Win };
            game(assignment, leg, result, "[Result \"0-1\"]\n\n1. f3 e5 0-1\n\n")
        };
        thread::sleep(Duration::from_millis(100));
        raw.answer(&batch.run, assignment, Leg::BOTH.map(lost).to_vec());
    }
    raw.link.wait(message.ack()).expect("it may");
}

#[test]
fn a_worker_that_lies_is_named_and_its_pairs_are_played_again() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let line = "match builtin builtin --option builtin#2.EvalFile=classical --nodes 300 \
                --games 400 --seed 7 --no-probe --json";
    let here = json(&run(folder, &format!("{line} --jobs 2 --reports here")));
    let mut cluster = Cluster::start(folder);
    cluster.work("one");
    cluster.work("two");
    let (raw, over) = (Raw::connect(&cluster, "liar"), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| raw.work(&over, &lie));
        let end = SetOnDrop(&over);
        let named = cluster.command(line).output().expect("it runs");
        let summary = json(&named);
        let warnings = summary["warnings"].as_array().expect("a list").clone();
        let of_workers: Vec<&str> = warnings
            .iter()
            .filter_map(|warning| warning.as_str().filter(|text| text.contains("of worker")))
            .collect();
        assert!(of_workers.len() == 1 && of_workers[0].contains("worker liar"), "{warnings:?}");
        // Some pairs were played twice: the moves differ.
        assert!(shown(&named).contains("played different moves"), "{}", shown(&named));

        let coordinator = cluster.command(line).spawn().expect("it starts");
        thread::sleep(Duration::from_secs(3));
        let quarantine = format!("workers --quarantine {}", raw.key.public());
        assert!(cluster.command(&quarantine).status().expect("it runs").success());
        let ended = coordinator.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(4), "{}", shown(&ended));
        assert!(shown(&ended).contains("quarantined"), "{}", shown(&ended));
        let resumed = cluster.command("resume last --json").output().expect("it runs");
        drop(end);
        assert_eq!(json(&resumed)["pentanomial"], here["pentanomial"]);
        assert_eq!(games(&folder.join("here")), games(&folder.join("reports")));
    });
}

#[test]
fn a_quarantined_worker_ends() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut cluster = Cluster::start(folder.path());
    cluster.work("one");
    let quarantine = cluster.command("workers --quarantine one").status().expect("it runs");
    assert!(quarantine.success());
    let ended = cluster.workers.remove(0).wait().expect("it ends");
    assert_eq!(ended.code(), Some(4));
    let text = std::fs::read_to_string(folder.path().join("one.log")).expect("a file");
    // It is wrapped.
    assert!(text.contains("worker one") && text.contains("quarantined"), "{text}");
    let listed = json(&cluster.command("workers --json").output().expect("it runs"));
    assert!(listed["quarantined"][0].as_str().is_some_and(|it| it.starts_with("one ")), "{listed}");
}
