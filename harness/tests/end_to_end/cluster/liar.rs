//! A worker that lies: it is named by its results, and taken out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{Consumer, pull};
use futures_util::StreamExt;
use harness::arena::{GameRecord, Leg, Termination};
use harness::cluster::keys::WorkerKey;
use harness::cluster::link::Link;
use harness::cluster::message::{Batch, Outcome, PROTOCOL, Status, Task, TaskResult, pack, unpack};
use harness::stats::GameScore;

use super::{Cluster, games};
use crate::common::{json, run, shown};
use crate::needs::nats_server;

/// Takes batches, and says of each pair that the first engine lost both games.
fn lie(link: &Link, key: &WorkerKey, over: &AtomicBool) {
    let consumer = link.jetstream.get_consumer_from_stream("workers", "tench_jobs");
    let consumer: Consumer<pull::Config> = link.wait(consumer).expect("the consumer");
    while !over.load(Ordering::Relaxed) {
        let status = Status {
            protocol: PROTOCOL,
            name: "liar".to_owned(),
            key: key.public(),
            cores: 1,
            speed: 1e6,
            noise: 0.0,
            sandbox: "none".to_owned(),
            runs: Vec::new(),
            games: 0,
            faults: 0,
            seconds: 1.0,
        };
        let status = serde_json::to_vec(&status).expect("plain data");
        let subject = format!("tench.status.{}", key.public());
        link.wait(link.client.publish(subject, status.into())).expect("it may");
        let message = link.wait(async {
            let batch = consumer.batch().max_messages(1).expires(Duration::from_millis(300));
            batch.messages().await.expect("it may").next().await
        });
        let Some(Ok(message)) = message else { continue };
        let batch: Batch = unpack(&message.payload).expect("a batch");
        for assignment in &batch.tasks {
            let Task::Pair(job) = &assignment.task else { continue };
            let game = |leg: Leg| {
                let [white, black] = match leg {
                    Leg::First => [0, 1],
                    Leg::Second => [1, 0],
                };
                GameRecord {
                    pair: job.pair,
                    leg,
                    white: job.sides[white].number,
                    black: job.sides[black].number,
                    result: if leg == Leg::First { GameScore::Loss } else { GameScore::Win },
                    termination: Termination::Checkmate,
                    reason: "a lie".to_owned(),
                    plies: 2,
                    took: Duration::from_millis(400),
                    nodes: [None; 2],
                    pgn: "[Result \"0-1\"]\n\n1. f3 e5 0-1\n\n".to_owned(),
                    worker: None,
                }
            };
            let result = TaskResult {
                protocol: PROTOCOL,
                run: batch.run.clone(),
                number: job.pair,
                attempt: assignment.attempt,
                worker: "liar".to_owned(),
                took: Duration::from_millis(800),
                outcome: Outcome::Games(Leg::BOTH.map(game).to_vec()),
            };
            let text = pack(&result);
            let mut headers = HeaderMap::new();
            headers.insert("Tench-Key", key.public());
            headers.insert("Tench-Signature", key.sign(&text));
            let subject =
                format!("tench.results.{}.{}.{}", batch.run, job.pair, assignment.attempt);
            thread::sleep(Duration::from_millis(100));
            link.wait(async {
                let sent = link.jetstream.publish_with_headers(subject, headers, text.into()).await;
                // It may have been quarantined, or the pair played by another.
                let _ = sent.expect("it is sent").await;
            });
        }
        link.wait(message.ack()).expect("it may");
    }
}

/// Ends the liar, also when an assertion fails.
pub struct SetOnDrop<'a>(pub &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
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
    let link = Link::connect(&cluster.address(&cluster.worker), "liar").expect("connects");
    let (key, over) = (WorkerKey::random(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| lie(&link, &key, &over));
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
        let quarantine = format!("workers --quarantine {}", key.public());
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
