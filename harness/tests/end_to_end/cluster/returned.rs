//! Batches that a worker does not play.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};
use harness::cluster::message::WhyReturned;

use super::faults::{PlayedTwice, line};
use super::raw::{Raw, SetOnDrop};
use super::{Cluster, signal};
use crate::common::{has_games, json, shown, until};
use crate::needs::nats_server;

#[test]
fn what_a_worker_cannot_play_is_played_by_others() {
    if !nats_server() {
        return;
    }
    let both = PlayedTwice::here(&line());
    let mut cluster = Cluster::start(both.folder.path());
    cluster.work("one");
    let (raw, over) = (Raw::connect(&cluster, "another"), AtomicBool::new(false));
    let give_back = |raw: &Raw, message: &Message| {
        raw.give_back(message, WhyReturned::CannotPlay("it is\ntoo \u{202e}small".to_owned()));
        thread::sleep(Duration::from_millis(100));
    };
    thread::scope(|scope| {
        scope.spawn(|| raw.work(&over, &give_back));
        let _end = SetOnDrop(&over);
        let output = cluster.command(&line()).output().expect("it runs");
        assert_eq!(json(&output)["pentanomial"], both.here["pentanomial"]);
        // On one line, and in the direction of reading.
        let said = "another cannot play: it is\\ntoo \\u202esmall";
        assert!(shown(&output).contains(said), "{}", shown(&output));
        both.compare_games();
    });
}

/// Whatever a worker says of a task, another plays it.
#[test]
fn a_pair_that_silences_some_workers_is_named_and_played() {
    if !nats_server() {
        return;
    }
    let both = PlayedTwice::here(&line());
    let mut cluster = Cluster::start(both.folder.path());
    let over = &AtomicBool::new(false);
    let leave = |raw: &Raw, message: &Message| {
        if message.info().expect("a job").delivered > 3 {
            raw.give_back(message, WhyReturned::Silent(4));
        } else {
            raw.link.wait(message.ack_with(AckKind::Nak(None))).expect("it may");
        }
    };
    let raws = [(); 4].map(|()| Raw::connect(&cluster, "silent"));
    let end = SetOnDrop(over);
    thread::scope(|scope| {
        for raw in &raws {
            scope.spawn(move || raw.work(over, &leave));
        }
        let coordinator = cluster.command(&line()).spawn().expect("it starts");
        thread::sleep(Duration::from_secs(8));
        cluster.work("one");
        until("some games are played", || has_games(both.folder.path(), 4));
        drop(end);
        let output = coordinator.wait_with_output().expect("it ends");
        assert_eq!(json(&output)["pentanomial"], both.here["pentanomial"]);
        assert!(shown(&output).contains("was given to 4 workers"), "{}", shown(&output));
        both.compare_games();
    });
}

/// While those that have played it are away, one message of another ended a run.
#[test]
fn a_run_that_was_played_waits_for_workers_that_can_play_it() {
    if !nats_server() {
        return;
    }
    let both = PlayedTwice::here(&line());
    let mut cluster = Cluster::start(both.folder.path());
    cluster.work("one");
    let mut coordinator = cluster.command(&line()).spawn().expect("it starts");
    until("some games are played", || has_games(both.folder.path(), 4));
    cluster.kill_worker(0);
    let (raw, over) = (Raw::connect(&cluster, "another"), AtomicBool::new(false));
    let give_back = |raw: &Raw, message: &Message| {
        raw.give_back(message, WhyReturned::CannotPlay("it is too small".to_owned()));
    };
    thread::scope(|scope| {
        scope.spawn(|| raw.work(&over, &give_back));
        let _end = SetOnDrop(&over);
        // Presence ends after 16 seconds; then none is there that can play.
        thread::sleep(Duration::from_secs(26));
        assert!(coordinator.try_wait().expect("it is ours").is_none(), "it has ended");
        cluster.work("two");
        let output = coordinator.wait_with_output().expect("it ends");
        assert_eq!(json(&output)["pentanomial"], both.here["pentanomial"]);
        assert!(shown(&output).contains("waits for those"), "{}", shown(&output));
        both.compare_games();
    });
}

/// Two messages and an invented number of nodes ended a run before.
#[test]
fn no_claim_of_a_worker_ends_a_run() {
    if !nats_server() {
        return;
    }
    let both = PlayedTwice::here(&line());
    let mut cluster = Cluster::start(both.folder.path());
    cluster.work("one");
    let raws = [(); 2].map(|()| Raw::connect(&cluster, "liar"));
    let over = &AtomicBool::new(false);
    let end = SetOnDrop(over);
    let wrong = |raw: &Raw, message: &Message| {
        let bench = serde_json::json!({"wrong_bench": {
            "engine": "mock", "program": "00", "expected": 5, "found": 7}});
        raw.give_back(message, serde_json::from_value(bench).expect("a reason"));
    };
    let silent = |raw: &Raw, message: &Message| raw.give_back(message, WhyReturned::Silent(99));
    thread::scope(|scope| {
        let [first, second] = &raws;
        scope.spawn(move || first.work(over, &wrong));
        scope.spawn(move || second.work(over, &silent));
        for raw in &raws {
            // More cores than there are.
            raw.join(1_000_000_000);
        }
        let coordinator = cluster.command(&line()).spawn().expect("it starts");
        until("some games are played", || has_games(both.folder.path(), 4));
        thread::sleep(Duration::from_secs(3));
        drop(end);
        signal(&coordinator, rustix::process::Signal::CONT);
        let output = coordinator.wait_with_output().expect("it ends");
        assert_eq!(json(&output)["pentanomial"], both.here["pentanomial"]);
        both.compare_games();
    });
}
