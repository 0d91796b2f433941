//! Workers that are found out while a run is played: their results leave the statistics, and others play
//! their pairs again before there is a result.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use async_nats::jetstream::Message;
use harness::cluster::message::{Batch, unpack};
use harness::cluster::work::GamePairs;
use harness::ledger::Ledger;
use serde_json::Value;

use super::liar::weakened;
use super::raw::{Raw, SetOnDrop};
use super::{Cluster, games, started};
use crate::common::{json, run, shown, until};
use crate::needs::nats_server;

/// Plays legal games in which the first engine is weak.
fn weaken(raw: &Raw, message: &Message) {
    let batch: Batch<GamePairs> = unpack(&message.payload).expect("a batch");
    for assignment in &batch.tasks {
        let games = weakened(&batch.common.rules, assignment, 0);
        // Not faster than the others: a liar with most of the pairs leaves the result undecided.
        thread::sleep(Duration::from_millis(400));
        raw.answer(&batch.run, assignment, games);
    }
    raw.link.wait(message.ack()).expect("it may");
}

/// Who was taken out, as the JSON says.
fn taken_out(summary: &Value) -> Vec<(String, String)> {
    let list = summary["taken_out"].as_array().cloned().unwrap_or_default();
    let text = |one: &Value| one.as_str().expect("a text").to_owned();
    list.iter().map(|out| (text(&out["name"]), text(&out["reason"]))).collect()
}

/// No game is played again by the coordinator: only the results tell, and they tell in time.
#[test]
fn a_liar_is_found_by_its_results_and_the_same_process_plays_its_pairs_again() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // The second one loses nearly every pair, whatever the network: few lost by the first one stand out.
    let line = "match builtin builtin --option builtin#2.EvalFile=classical --nodes 300 \
                --limit builtin#2:nodes=40 --games 300 --seed 7 --no-probe --json";
    let here = json(&run(folder, &format!("{line} --jobs 2 --reports here")));
    let mut cluster = Cluster::start(folder);
    cluster.work("one");
    cluster.work("two");
    let (raw, over) = (Raw::connect(&cluster, "liar"), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| raw.work(&over, &weaken));
        let end = SetOnDrop(&over);
        let output = cluster.command(&format!("{line} --verify 0 --quiet")).output();
        drop(end);
        let there = json(&output.expect("it runs"));
        assert_eq!(there["pentanomial"], here["pentanomial"], "{there}");
        assert_eq!(games(&folder.join("here")), games(&folder.join("reports")));
        let out = taken_out(&there);
        assert!(out.len() == 1 && out[0].0 == "liar", "{out:?}");
        assert!(out[0].1.contains("differ"), "{out:?}");
        let warnings = there["warnings"].to_string();
        assert!(warnings.contains("were taken out and played again"), "{warnings}");
        let report = run(folder, "report last --format markdown");
        assert!(shown(&report).contains("were taken out"), "{}", shown(&report));
    });
}

/// Whoever quarantines it: the run goes on without the worker.
#[test]
fn a_run_continues_without_a_worker_that_is_quarantined() {
    let Some((folder, cluster)) = started(&["one", "two"]) else { return };
    let folder = folder.path();
    let line = "match builtin builtin --option builtin#2.EvalFile=classical --nodes 3000 --games 60 \
                --seed 3 --no-probe --json";
    let here = json(&run(folder, &format!("{line} --jobs 2 --reports here")));
    let coordinator = cluster.command(line).spawn().expect("it starts");
    let has_played = || {
        let ledger = Ledger::open(&folder.join("reports"));
        let games = ledger.ok().and_then(|ledger| ledger.games("last").ok()).unwrap_or_default();
        games.iter().any(|game| game.worker.as_deref().is_some_and(|it| it.starts_with("two@")))
    };
    until("the worker has played", has_played);
    let quarantine = cluster.command("workers --quarantine two").status().expect("it runs");
    assert!(quarantine.success());
    let ended = coordinator.wait_with_output().expect("it ends");
    let there = json(&ended);
    assert_eq!(ended.status.code(), Some(0), "{}", shown(&ended));
    assert_eq!(there["pentanomial"], here["pentanomial"]);
    let out = taken_out(&there);
    assert_eq!(out, [("two".to_owned(), "it was quarantined".to_owned())]);
}
