//! Workers that lie: what they send does not count, or they are found out and their pairs are played again.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::thread;

use async_nats::jetstream::Message;
use harness::arena::{Executor, GameRecord, Leg, LocalExecutor};
use harness::cluster::message::{Assignment, Batch, unpack};
use harness::cluster::work::GamePairs;
use harness::player::{EngineSpec, Limit, StartSettings};
use harness::session::Interrupt;
use harness::stats::GameScore;

use super::Cluster;
use super::faults::PlayedTwice;
use super::raw::{Raw, SetOnDrop, game};
use crate::common::{json, shown};
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
