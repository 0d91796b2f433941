//! Workers that lie: what they send does not count, or they are found out and their pairs are played again.

use std::ops::ControlFlow;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use async_nats::jetstream::Message;
use harness::arena::{Executor, GameRecord, Leg, LocalExecutor};
use harness::cluster::keys::WorkerKey;
use harness::cluster::message::{Assignment, Batch, unpack};
use harness::cluster::work::GamePairs;
use harness::player::{EngineSpec, Limit, StartSettings};
use harness::session::Interrupt;
use harness::stats::GameScore;
use rustix::process::Signal;
use serde_json::Value;

use super::faults::PlayedTwice;
use super::raw::{Raw, SetOnDrop, game};
use super::{Cluster, signal, started};
use crate::common::{MOCK, json, run, shown, until};
use crate::needs::nats_server;

/// A match of two engines of which one is much better.
const MATCH: &str = "match builtin builtin --option builtin#2.EvalFile=classical --nodes 300 \
                     --games 200 --seed 7 --no-probe --json";

/// Says of each pair that the first engine lost both games, in few moves.
fn lie(raw: &Raw, message: &Message) {
    let batch: Batch<GamePairs> = unpack(&message.payload).expect("a batch");
    for assignment in &batch.tasks {
        let lost = |leg| {
            let result = if leg == Leg::First { GameScore::Loss } else { GameScore::Win };
            game(assignment, leg, result, "[Result \"0-1\"]\n\n1. f3 e5 0-1\n\n")
        };
        raw.answer(&batch.run, assignment, Leg::BOTH.map(lost).to_vec());
    }
    raw.link.wait(message.ack()).expect("it may");
}

/// Games of a task that were played, with a player of this side at a node a move.
pub fn weakened(
    rules: &GamePairs,
    assignment: &Assignment<GamePairs>,
    side: usize,
) -> Vec<GameRecord> {
    let mut job = (*assignment.task).clone();
    job.sides[side].limit = Limit::Nodes(1);
    let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
    let start = |engine: &EngineSpec, interrupt: &Interrupt| {
        harness::player::start(engine, &StartSettings::default(), interrupt)
    };
    let executor = LocalExecutor::new(&rules.conduct, &rules.event, 1, &start, &interrupt);
    let mut games = Vec::new();
    executor
        .expect("it starts")
        .play(&mut std::iter::once(Ok(job)), &mut |some| {
            games.extend(some);
            ControlFlow::Continue(())
        })
        .expect("it is played");
    games
}

/// The match as one process plays it, and a cluster in the same folder with these workers.
fn beside_one_process(workers: &[&str]) -> Option<(PlayedTwice, Cluster)> {
    if !nats_server() {
        return None;
    }
    let both = PlayedTwice::here(MATCH);
    let mut cluster = Cluster::start(both.folder.path());
    workers.iter().for_each(|name| cluster.work(name));
    Some((both, cluster))
}

#[test]
fn games_that_could_not_be_played_do_not_count_and_are_counted() {
    let Some((both, cluster)) = beside_one_process(&["one"]) else { return };
    let (raw, over) = (Raw::connect(&cluster, "liar"), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| raw.work(&over, &lie));
        let end = SetOnDrop(&over);
        let output = cluster.command(&format!("{MATCH} --quiet")).output().expect("it runs");
        drop(end);
        let there = json(&output);
        assert_eq!(there["pentanomial"], both.here["pentanomial"]);
        both.compare_games();
        let warnings = there["warnings"].to_string();
        assert!(warnings.contains("no answer to their task"), "{warnings}");
    });
}

/// The games are legal, and their results are those of their moves: only who plays them again finds out.
#[test]
fn a_worker_whose_engines_play_worse_is_found_and_its_pairs_are_played_again() {
    let Some((both, cluster)) = beside_one_process(&["one", "two"]) else { return };
    let (raw, over) = (Raw::connect(&cluster, "liar"), AtomicBool::new(false));
    let weaken = |raw: &Raw, message: &Message| {
        let batch: Batch<GamePairs> = unpack(&message.payload).expect("a batch");
        for assignment in &batch.tasks {
            let games = weakened(&batch.common.rules, assignment, 0);
            raw.answer(&batch.run, assignment, games);
        }
        raw.link.wait(message.ack()).expect("it may");
    };
    thread::scope(|scope| {
        scope.spawn(|| raw.work(&over, &weaken));
        let end = SetOnDrop(&over);
        let mut output = cluster.command(MATCH).output().expect("it runs");
        let text = shown(&output);
        assert!(text.contains("played other moves in pair"), "{text}");
        assert!(text.contains("it is quarantined"), "{text}");
        if output.status.code() == Some(4) {
            output = cluster.command("resume last --json").output().expect("it runs");
        }
        drop(end);
        assert_eq!(json(&output)["pentanomial"], both.here["pentanomial"]);
        both.compare_games();
    });
}

/// A test of identical engines.
const TEST: &str = "sprt builtin builtin --nodes 300 --elo0 0 --elo1 90 --max-games 80 --seed 7 \
                    --no-probe --json";

/// Answers every pair at once as if the second engine searched a node a move; under a new key each if
/// `has_keys`. Calls `answered` after each batch.
fn forge(raw: &mut Raw, over: &AtomicBool, has_keys: bool, answered: &dyn Fn()) {
    while !over.load(Ordering::Relaxed) {
        raw.join(1);
        let Some(message) = raw.pull() else { continue };
        let batch: Batch<GamePairs> = unpack(&message.payload).expect("a batch");
        for assignment in &batch.tasks {
            raw.answer(&batch.run, assignment, weakened(&batch.common.rules, assignment, 1));
            if has_keys {
                raw.key = WorkerKey::random();
            }
        }
        raw.link.wait(message.ack()).expect("it may");
        answered();
    }
}

/// The forger has pairs before the honest worker has some: that one is held until then.
#[test]
fn pairs_that_are_made_up_faster_than_others_play_decide_nothing_and_accuse_nobody() {
    if !nats_server() {
        return;
    }
    for has_keys in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let here = run(folder.path(), &format!("{TEST} --jobs 2 --reports here"));
        let here: Value = serde_json::from_slice(&here.stdout).expect("one JSON object");
        let both = PlayedTwice { folder, here };
        let mut cluster = Cluster::start(both.folder.path());
        cluster.work("honest");
        let honest = &cluster.workers[0];
        signal(honest, Signal::STOP);
        let second = cluster.new_token("worker2.");
        let mut raw = Raw::with_token(&cluster, &second, "forger");
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| forge(&mut raw, &over, has_keys, &|| signal(honest, Signal::CONT)));
            let end = SetOnDrop(&over);
            let output = cluster.command(TEST).output().expect("it runs");
            drop(end);
            let there: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
            assert_eq!(there["pentanomial"], both.here["pentanomial"], "{}", shown(&output));
            assert_eq!(there["verdict"], both.here["verdict"], "{}", shown(&output));
            both.compare_games();
            let text = there["warnings"].to_string();
            assert!(text.contains("forger@worker2"), "{text}");
            let taken = there["taken_out"].as_array().expect("a list");
            assert!(taken.iter().all(|out| out["name"] != "honest"), "{text}");
            if has_keys {
                assert!(text.contains("all its workers are quarantined"), "{text}");
            }
        });
    }
}

#[test]
fn a_worker_that_this_machine_contradicts_decides_nothing_alone() {
    let Some((_folder, cluster)) = started(&[]) else { return };
    let (mut raw, over) = (Raw::connect(&cluster, "forger"), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| forge(&mut raw, &over, false, &|| ()));
        let _end = SetOnDrop(&over);
        let output = cluster.command(TEST).output().expect("it runs");
        assert_eq!(output.status.code(), Some(3), "{}", shown(&output));
        let there: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        let doubt = there["doubt"].as_str().unwrap_or_default();
        assert!(doubt.contains("forger@worker1") && doubt.contains("--verify 0"), "{there}");
    });
}

/// They counted in a process that checked nothing: the one that resumes the run does, also where later pairings
/// follow from them.
#[test]
fn pairs_of_an_earlier_process_are_checked_when_its_run_is_resumed() {
    if !nats_server() {
        return;
    }
    let nodes = "--limit builtin#2:nodes=250 --limit builtin#3:nodes=350 --nodes 300 --seed 7 --no-probe --json";
    let race =
        format!("race builtin builtin builtin --base {MOCK} --batch 8 --max-games 200 {nodes}");
    let swiss = format!("match builtin builtin builtin builtin --format swiss --games 40 {nodes}");
    for line in [MATCH, &race, &swiss] {
        check_earlier_pairs(line);
    }
}

fn check_earlier_pairs(line: &str) {
    let both = PlayedTwice::here_until(line, &[0, 1, 3]);
    let mut cluster = Cluster::start(both.folder.path());
    cluster.work("honest");
    signal(&cluster.workers[0], Signal::STOP);
    let second = cluster.new_token("worker2.");
    let mut raw = Raw::with_token(&cluster, &second, "forger");
    let (over, batches) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let _end = SetOnDrop(&over);
        let (over, batches) = (&over, &batches);
        scope.spawn(move || {
            forge(&mut raw, over, false, &|| {
                batches.fetch_add(1, Ordering::Relaxed);
            });
        });
        let mut run = cluster.command(&format!("{line} --quiet --verify 0"));
        let mut coordinator =
            run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        until("some pairs are made up", || batches.load(Ordering::Relaxed) > 4);
        signal(&coordinator, Signal::INT);
        coordinator.wait().expect("it is ours");
    });
    signal(&cluster.workers[0], Signal::CONT);
    let output = cluster.command("resume last --json").output().expect("it runs");
    let there: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(there["pentanomial"], both.here["pentanomial"], "{line}: {}", shown(&output));
    both.compare_games();
    let out = there["taken_out"].as_array().expect("a list");
    assert!(out.len() == 1 && out[0]["name"] == "forger", "{line}: {there}");
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
