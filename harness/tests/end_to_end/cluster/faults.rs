//! What fails while a run is played: no pair is lost, none counted twice, and at fixed nodes the
//! games are those of one process.

use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::object_store;
use futures_util::StreamExt;
use harness::cluster::link::Link;
use harness::cluster::message::{Batch, PROTOCOL, pack, unpack};
use harness::cluster::sandbox::Sandbox;
use harness::cluster::work::GamePairs;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::raw::{Raw, SetOnDrop};
use super::wire::Wire;
use super::{Cluster, games, signal};
use crate::common::{MOCK, has_games, json, run, shown, until};
use crate::needs::{first_file, nats_server};

pub fn line() -> String {
    line_of(80)
}

fn line_of(games: u64) -> String {
    format!("match builtin {MOCK} --nodes 300 --games {games} --seed 7 --no-probe --json")
}

/// Plays the match with two workers; `fault` happens after some games. Gives the coordinator as it
/// then is.
pub fn same_games_despite(fault: impl FnOnce(&mut Cluster, Child) -> Child) {
    same_of_many_despite(80, fault);
}

/// As [`same_games_despite`], with this many games.
pub fn same_of_many_despite(count: u64, fault: impl FnOnce(&mut Cluster, Child) -> Child) {
    let line = line_of(count);
    if !nats_server() {
        return;
    }
    let both = PlayedTwice::here(&line);
    let mut cluster = Cluster::start(both.folder.path());
    cluster.work("one");
    cluster.work("two");
    let coordinator = cluster.command(&line).spawn().expect("it starts");
    both.wait_for_games();
    both.compare(fault(&mut cluster, coordinator));
}

/// A match that was played by one process and is played by a cluster in the same folder.
pub struct PlayedTwice {
    pub folder: TempDir,
    /// The result of the process.
    pub here: Value,
}

impl PlayedTwice {
    /// Plays the match by one process.
    pub fn here(line: &str) -> PlayedTwice {
        PlayedTwice::here_until(line, &[0])
    }

    /// Plays a run by one process that ends with one of these statuses.
    pub fn here_until(line: &str, statuses: &[i32]) -> PlayedTwice {
        let folder = tempfile::tempdir().expect("a folder");
        let output = run(folder.path(), &format!("{line} --jobs 2 --reports here"));
        let is_expected = output.status.code().is_some_and(|status| statuses.contains(&status));
        assert!(is_expected, "{line}: {}", shown(&output));
        let here = serde_json::from_slice(&output.stdout).expect("one JSON object");
        PlayedTwice { folder, here }
    }

    pub fn wait_for_games(&self) {
        until("some games are played", || has_games(self.folder.path(), 4));
    }

    /// Checks that a coordinator ends with the same games.
    pub fn compare(&self, coordinator: Child) {
        let there = coordinator.wait_with_output().expect("it ends");
        assert_eq!(self.here["pentanomial"], json(&there)["pentanomial"]);
        self.compare_games();
    }

    /// Checks that both ledgers of the folder have the same games.
    pub fn compare_games(&self) {
        let folder = self.folder.path();
        assert_eq!(games(&folder.join("here")), games(&folder.join("reports")));
    }
}

#[test]
fn a_worker_is_killed_and_another_joins() {
    same_games_despite(|cluster, coordinator| {
        cluster.kill_worker(0);
        cluster.work("three");
        coordinator
    });
}

#[test]
fn a_worker_is_frozen_for_longer_than_its_lease() {
    same_games_despite(|cluster, coordinator| {
        signal(&cluster.workers[0], Signal::STOP);
        thread::sleep(Duration::from_secs(4));
        signal(&cluster.workers[0], Signal::CONT);
        coordinator
    });
}

#[test]
fn the_server_stalls_as_with_a_slow_disk() {
    same_games_despite(|cluster, coordinator| {
        for _ in 0..2 {
            cluster.signal_server(Signal::STOP);
            thread::sleep(Duration::from_millis(2_500));
            cluster.signal_server(Signal::CONT);
            thread::sleep(Duration::from_millis(300));
        }
        coordinator
    });
}

#[test]
fn a_coordinator_is_interrupted_while_the_server_is_away() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut cluster = Cluster::start(folder.path());
    cluster.work("one");
    let coordinator = cluster.command(&line_of(100_000)).spawn().expect("it starts");
    until("some games are played", || has_games(folder.path(), 4));
    // It still holds the connection, and answers nothing.
    cluster.signal_server(Signal::STOP);
    signal(&coordinator, Signal::INT);
    let output = coordinator.wait_with_output().expect("it ends");
    cluster.signal_server(Signal::CONT);
    assert_eq!(output.status.code(), Some(130), "{}", shown(&output));
}

/// Publishes each result again: at once, and when the coordinator may have removed it.
fn repeat_results(link: &Link, over: &AtomicBool) {
    let mut heard = link.wait(link.client.subscribe("tench.results.>")).expect("it may");
    let mut late = std::collections::VecDeque::new();
    while !over.load(Ordering::Relaxed) {
        let message = link.wait_for(Duration::from_millis(100), heard.next()).flatten();
        let Some(message) = message else { continue };
        // Its own repetitions are heard, too.
        let is_own = message.headers.as_ref().is_some_and(|all| all.get("Repeated").is_some());
        if is_own || message.headers.is_none() {
            continue;
        }
        late.push_back((Instant::now(), message.clone()));
        let is_late = |(since, _): &mut (Instant, _)| since.elapsed() > Duration::from_millis(700);
        let again = late.pop_front_if(is_late).map(|(_, message)| message);
        for message in [Some(message), again].into_iter().flatten() {
            let mut headers = message.headers.clone().unwrap_or_default();
            headers.insert("Repeated", "yes");
            link.wait(async {
                let sent =
                    link.jetstream.publish_with_headers(message.subject, headers, message.payload);
                // The server refuses it while it has the first.
                let _ = sent.await.expect("it is sent").await;
            });
        }
    }
}

#[test]
fn results_arrive_twice_and_late() {
    same_games_despite(|cluster, coordinator| {
        let link =
            Link::connect(&cluster.address(&cluster.coordinator), "again").expect("connects");
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| repeat_results(&link, &over));
            let _end = SetOnDrop(&over);
            let id = coordinator.id().try_into().ok().and_then(Pid::from_raw);
            // It is waited for by who has started it.
            until("the match is over", || {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
                let ended = rustix::process::waitid(WaitId::Pid(id.expect("an id")), options);
                ended.is_ok_and(|status| status.is_some())
            });
        });
        coordinator
    });
}

#[test]
fn the_server_loses_its_disk() {
    same_games_despite(|cluster, coordinator| {
        let server = cluster.folder.join("server");
        // The server may be writing there, so that removing it file by file could fail.
        std::fs::rename(server.join("jetstream"), server.join("lost")).expect("it is there");
        cluster.kill_server(false);
        coordinator
    });
}

#[test]
fn a_worker_is_cut_off_for_longer_than_its_lease() {
    same_games_despite(|cluster, coordinator| {
        let wire = Wire::to(cluster.port);
        cluster.work_at("far", wire.port, &[]);
        cluster.kill_worker(0);
        wire.cut.store(true, Ordering::Relaxed);
        thread::sleep(Duration::from_secs(4));
        wire.cut.store(false, Ordering::Relaxed);
        coordinator
    });
}

#[test]
fn the_coordinator_is_cut_off() {
    if !nats_server() {
        return;
    }
    let both = PlayedTwice::here(&line());
    let mut cluster = Cluster::start(both.folder.path());
    cluster.work("one");
    cluster.work("two");
    let wire = Wire::to(cluster.port);
    let coordinator = cluster.command_at(&line(), wire.port).spawn().expect("it starts");
    both.wait_for_games();
    for _ in 0..2 {
        wire.cut.store(true, Ordering::Relaxed);
        thread::sleep(Duration::from_secs(3));
        wire.cut.store(false, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(500));
    }
    both.compare(coordinator);
}

#[test]
fn the_clock_of_a_worker_is_wrong() {
    const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
    if first_file("faketime", &[FAKETIME]).is_none() {
        return;
    }
    same_games_despite(|cluster, coordinator| {
        let wrong = [("LD_PRELOAD", FAKETIME), ("FAKETIME", "-400d"), ("DONT_FAKE_MONOTONIC", "1")];
        cluster.work_at("late", cluster.port, &wrong);
        cluster.kill_worker(0);
        coordinator
    });
}

#[test]
fn the_disk_of_the_server_is_full_until_it_is_started_with_more() {
    if !nats_server() {
        return;
    }
    let line = format!("match builtin {MOCK} --nodes 50 --games 240 --seed 7 --no-probe --json");
    let both = PlayedTwice::here(&line);
    let folder = both.folder.path();
    let engine = std::fs::metadata(MOCK).expect("the engine").len();
    let mut cluster = Cluster::start_with(folder, &format!("--disk {}", engine + 2_000_000));
    cluster.work("one");
    cluster.work("two");
    let coordinator = cluster.command(&line).spawn().expect("it starts");
    both.wait_for_games();
    let link = Link::connect(&cluster.address(&cluster.coordinator), "filler").expect("connects");
    link.wait(async {
        let config = object_store::Config { bucket: "filler".to_owned(), ..Default::default() };
        let store = link.jetstream.create_object_store(config).await.expect("a bucket");
        let some = vec![7; 100_000];
        for number in 0..100 {
            if store.put(number.to_string().as_str(), &mut some.as_slice()).await.is_err() {
                break;
            }
        }
    });
    let log = || std::fs::read_to_string(folder.join("serve.err")).expect("a file");
    until("serve says that it is full", || log().contains("limits exceeded"));
    cluster.kill_server(true);
    both.compare(coordinator);
}

#[test]
fn two_workers_of_one_name_are_two() {
    same_games_despite(|cluster, coordinator| {
        cluster.kill_worker(1);
        cluster.kill_worker(0);
        let names = ["same", "same"];
        for name in names {
            // The second would find the first one's status otherwise.
            let folder = cluster.folder.join(name);
            let _ = std::fs::rename(&folder, folder.with_extension("first"));
            cluster.work(name);
        }
        let there = || {
            let workers = json(&cluster.command("workers --json").output().expect("it runs"));
            workers["workers"].as_array().expect("a list").len() == 2
        };
        until("both are there", there);
        coordinator
    });
}

/// Makes a result of a nonce.
type Forge<'a> = Box<dyn Fn(&str) -> Vec<u8> + 'a>;

#[test]
fn forged_damaged_and_foreign_results_do_not_count() {
    if !nats_server() {
        return;
    }
    let both = PlayedTwice::here(&line());
    let mut cluster = Cluster::start(both.folder.path());
    // Nobody plays yet: the forger is the first.
    let coordinator = cluster.command(&line()).spawn().expect("it starts");
    let (raw, other) = (Raw::connect(&cluster, "forger"), Raw::connect(&cluster, "other"));
    let mut batch = None;
    until("a job comes", || {
        raw.join(4);
        batch = raw.pull();
        batch.is_some()
    });
    let batch: Batch<GamePairs> = unpack(&batch.expect("a job").payload).expect("a batch");
    let (run, task) = (&batch.run, &batch.tasks[0]);
    let games = |pair: u64, legs: &[(&str, u64)]| -> Value {
        let game = |&(leg, white): &(&str, u64)| {
            json!({"pair": pair, "leg": leg, "white": white, "black": 1 - white, "result": "win",
                   "termination": "checkmate", "reason": "", "plies": 1,
                   "took": {"secs": 0, "nanos": 0}, "pgn": "1. e4 1-0\n\n"})
        };
        json!({"games": legs.iter().map(game).collect::<Vec<_>>()})
    };
    let both_legs = [("first", 0), ("second", 1)];
    let pair = task.task.pair;
    let result = |run: &str, protocol: u32, pair: u64, nonce: &str, games: Value| {
        json!({"protocol": protocol, "run": run, "number": pair, "attempt": task.attempt,
               "nonce": nonce, "worker": "x", "took": {"secs": 0, "nanos": 0}, "outcome": games})
    };
    // Of tasks that were not given out to it: the subject is free, as no other may publish there.
    for number in [pair + 1, pair + 2, 1_000_000] {
        let forged = result(run, PROTOCOL, number, &task.nonce, games(number, &both_legs));
        raw.publish(&raw.subject(run, number, 0), &forged).expect("it is stored");
    }
    // Of the one that was, in ways that are each no answer; every attempt comes with a new lease.
    let wrong: Vec<Forge<'_>> = vec![
        Box::new(|_| b"no JSON at all".to_vec()),
        Box::new(|nonce| pack(&result("another", PROTOCOL, pair, nonce, games(pair, &both_legs)))),
        Box::new(|nonce| pack(&result(run, 99, pair, nonce, games(pair, &both_legs)))),
        Box::new(|nonce| pack(&result(run, PROTOCOL, pair, nonce, games(pair + 2, &both_legs)))),
        Box::new(|nonce| pack(&result(run, PROTOCOL, pair, nonce, games(pair, &both_legs[..1])))),
        Box::new(|nonce| {
            let legs = [("first", 1), ("second", 0)];
            pack(&result(run, PROTOCOL, pair, nonce, games(pair, &legs)))
        }),
    ];
    let forged = &wrong[0](&task.nonce);
    raw.publish_bytes(&raw.subject(run, pair, task.attempt), forged.clone()).expect("it is stored");
    for forge in &wrong[1..] {
        let mut next = None;
        until("another batch comes", || {
            other.join(4);
            next = other.pull();
            next.is_some()
        });
        let batch: Batch<GamePairs> = unpack(&next.expect("a job").payload).expect("a batch");
        for assignment in batch.tasks {
            let subject = other.subject(run, assignment.task.pair, assignment.attempt);
            other.publish_bytes(&subject, forge(&assignment.nonce));
        }
    }
    cluster.work("one");
    cluster.work("two");
    let output = coordinator.wait_with_output().expect("it ends");
    let there = json(&output);
    assert_eq!(both.here["pentanomial"], there["pentanomial"]);
    both.compare_games();
    let text = shown(&output);
    for reason in ["it is damaged or forged", "not given out to it"] {
        assert!(text.contains(reason), "{reason}: {text}");
    }
    let warnings = there["warnings"].to_string();
    assert!(warnings.contains("do not count: of tasks that were not given out"), "{warnings}");
}

#[test]
fn an_engine_that_does_not_start_elsewhere_is_an_error_that_names_the_worker() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder: &Path = folder.path();
    // It starts in this folder only, which no other machine has.
    let here = folder.join("only-here");
    std::fs::write(&here, "").expect("a file");
    let text = format!("#!/bin/sh\n[ -e {} ] || exit 3\nexec {MOCK}\n", here.display());
    crate::common::write_program(&folder.join("engine"), &text);
    let mut cluster = Cluster::start(folder);
    cluster.work("one");
    let line = "match builtin ./engine --nodes 10 --games 10 --no-probe";
    let output = cluster.command(&format!("{line} --probe-on-workers")).output().expect("it runs");
    let text = shown(&output);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("worker one cannot play"), "{text}");
    // In the sandbox of this machine it does not start, either, and nothing was played.
    if Sandbox::detect() != Sandbox::None {
        let output = cluster.command(line).output().expect("it runs");
        let text = shown(&output);
        assert_eq!(output.status.code(), Some(4), "{text}");
        assert!(text.contains("nothing was played"), "{text}");
    }
}
