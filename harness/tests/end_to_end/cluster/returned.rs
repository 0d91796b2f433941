//! Batches that a worker does not play.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use harness::cluster::keys::WorkerKey;
use harness::cluster::link::Link;
use harness::cluster::message::{Assignment, Batch, PROTOCOL, Returned, WhyReturned, pack, unpack};
use harness::cluster::work::GamePairs;

use super::Cluster;
use super::faults::{PlayedTwice, line};
use super::liar::SetOnDrop;
use crate::common::{json, shown};
use crate::needs::nats_server;

/// Pulls batches and lets `answer` have them, until `over`.
fn pull(cluster: &Cluster, over: &AtomicBool, answer: &(dyn Fn(&Link, &Message) + Sync)) {
    let link = Link::connect(&cluster.address(&cluster.worker), "another").expect("connects");
    let consumer = link.jetstream.get_consumer_from_stream("workers", "tench_jobs");
    let consumer: Consumer<pull::Config> = link.wait(consumer).expect("the consumer");
    while !over.load(Ordering::Relaxed) {
        let message = link.wait(async {
            let batch = consumer.batch().max_messages(1).expires(Duration::from_millis(300));
            batch.messages().await.expect("it may").next().await
        });
        if let Some(Ok(message)) = message {
            answer(&link, &message);
        }
    }
}

#[test]
fn what_a_worker_cannot_play_is_played_by_others() {
    if !nats_server() {
        return;
    }
    let both = PlayedTwice::here(&line());
    let mut cluster = Cluster::start(both.folder.path());
    cluster.work("one");
    let (key, over) = (WorkerKey::random(), AtomicBool::new(false));
    let give_back = |link: &Link, message: &Message| {
        let batch: Batch<GamePairs> = unpack(&message.payload).expect("a batch");
        let returned = Returned {
            protocol: PROTOCOL,
            worker: "another".to_owned(),
            tasks: batch.tasks.iter().map(Assignment::number).collect(),
            why: WhyReturned::CannotPlay("it is too small".to_owned()),
        };
        let text = pack(&returned);
        let mut headers = HeaderMap::new();
        headers.insert("Tench-Key", key.public());
        headers.insert("Tench-Signature", key.sign(&text));
        let number = message.info().expect("a job").stream_sequence;
        let subject = format!("tench.results.{}.returned.{}_{number}", batch.run, key.public());
        link.wait(async {
            let sent = link.jetstream.publish_with_headers(subject, headers, text.into()).await;
            sent.expect("it may").await.expect("it is stored");
            message.ack().await.expect("it may");
        });
        thread::sleep(Duration::from_millis(100));
    };
    thread::scope(|scope| {
        scope.spawn(|| pull(&cluster, &over, &give_back));
        let _end = SetOnDrop(&over);
        let output = cluster.command(&line()).output().expect("it runs");
        assert_eq!(json(&output)["pentanomial"], both.here["pentanomial"]);
        assert!(shown(&output).contains("another cannot play"), "{}", shown(&output));
        both.compare_games();
    });
}

#[test]
fn a_pair_that_silences_its_workers_is_named() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut cluster = Cluster::start(folder.path());
    cluster.work("one");
    let (cluster, over) = (&cluster, &AtomicBool::new(false));
    let leave = |link: &Link, message: &Message| {
        link.wait(message.ack_with(AckKind::Nak(None))).expect("it may");
    };
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(move || pull(cluster, over, &leave));
        }
        let _end = SetOnDrop(over);
        let output = cluster.command(&line()).output().expect("it runs");
        let text = shown(&output);
        assert_eq!(output.status.code(), Some(4), "{text}");
        assert!(text.contains("was given to"), "{text}");
    });
}
