//! Knockout and Swiss tournaments, whose pairings depend on results.

use std::process::Stdio;

use serde_json::Value;

use crate::common::has_games;
use crate::matches::bench::{Bench, until};

/// Six engines: the first three resign at once, games of the others among themselves are drawn. So some
/// matches are level, and go to their tie-breaks.
fn bench(delay: u32) -> Bench {
    let flags: Vec<(String, String)> = (0..6)
        .map(|number| {
            let score = 600 * (2 * number - 5);
            (format!("e{number}"), format!("--seed {number} --score {score} --delay {delay}"))
        })
        .collect();
    let engines: Vec<(&str, &str)> =
        flags.iter().map(|(name, flags)| (name.as_str(), flags.as_str())).collect();
    Bench::new(&engines)
}

const ENGINES: &str = "e0 e1 e2 e3 e4 e5 --nodes 1 --games 4 --jobs 2";
const RESIGN: &str = "--resign-score 500 --resign-moves 1 --max-moves 3";

fn standings(summary: &Value) -> Vec<(String, f64)> {
    let rows = summary["tournament"]["standings"].as_array().expect("standings");
    rows.iter()
        .map(|row| (row["engine"].as_str().unwrap().to_owned(), row["points"].as_f64().unwrap()))
        .collect()
}

#[test]
fn a_knockout_goes_on_with_the_winners_and_tells_each_round() {
    let bench = bench(0);
    let line = format!("match {ENGINES} {RESIGN} --format knockout");
    let ended = bench.run(&line);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    for line in ["Round 1 | e0 has no opponent", "Round 1 | e1 has no opponent", "Round 3 | "] {
        assert!(ended.stdout.contains(line), "{}", ended.stdout);
    }
    let summary = bench.json(&line);
    let rounds = summary["tournament"]["rounds"].as_array().unwrap();
    assert_eq!(
        rounds.iter().map(|round| round["encounters"].as_array().unwrap().len()).sum::<usize>(),
        5
    );
    let champion = standings(&summary)[0].0.clone();
    assert!(
        ended.stdout.contains(&format!("      1 | {champion}: rounds won")),
        "{}",
        ended.stdout
    );
    // A winner is never in a round after one that it lost.
    let mut out: Vec<String> = Vec::new();
    for encounter in rounds.iter().flat_map(|round| round["encounters"].as_array().unwrap()) {
        let winner = encounter["winner"].as_str().expect("a winner");
        for engine in encounter["engines"].as_array().unwrap() {
            let engine = engine.as_str().unwrap();
            assert!(!out.contains(&engine.to_owned()), "{engine} was out: {summary}");
            if engine != winner {
                out.push(engine.to_owned());
            }
        }
    }
    assert_eq!(out.len(), 5);
    bench.assert_no_engine_left();
}

#[test]
fn a_swiss_tournament_has_its_rounds_and_nobody_meets_twice() {
    let bench = bench(0);
    let line = format!("match {ENGINES} {RESIGN} --format swiss --swiss-rounds 4");
    let summary = bench.json(&line);
    assert_eq!(summary["games"], 4 * 3 * 4);
    let rounds = summary["tournament"]["rounds"].as_array().unwrap();
    let mut met: Vec<String> = rounds
        .iter()
        .flat_map(|round| round["encounters"].as_array().unwrap())
        .map(|encounter| encounter["engines"].to_string())
        .collect();
    assert_eq!(met.len(), 12);
    met.sort();
    met.dedup();
    assert_eq!(met.len(), 12);
    let points: f64 = standings(&summary).iter().map(|(_, points)| points).sum();
    assert!((points - 12.0).abs() < 1e-9, "{summary}");
}

#[test]
fn a_killed_tournament_goes_on_as_if_it_had_never_stopped() {
    for format in ["knockout", "swiss"] {
        let (whole, killed) = (bench(0), bench(3));
        let expected = whole.json(&format!("match {ENGINES} {RESIGN} --format {format}"));
        let line = format!("match {ENGINES} {RESIGN} --format {format}");
        let mut harness = killed
            .harness(&line)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the harness starts");
        until("games are kept", || has_games(killed.path(), 9));
        harness.kill().expect("it runs");
        harness.wait().expect("it ends");
        let kept = killed.games().len();
        assert!(kept < expected["games"].as_u64().unwrap() as usize, "{format}: it was over");
        let resumed = killed.json("resume last");
        assert_eq!(resumed["tournament"], expected["tournament"], "{format}");
        let names = |bench: &Bench| {
            let mut games: Vec<_> = bench
                .games()
                .into_iter()
                .map(|game| (game.pair, game.game, game.white, game.black))
                .collect();
            games.sort();
            games
        };
        assert_eq!(names(&killed), names(&whole), "{format}");
        killed.assert_no_engine_left();
    }
}

#[test]
fn shards_and_a_test_have_no_such_format() {
    let bench = bench(0);
    for format in ["knockout", "swiss"] {
        bench
            .run(&format!("match {ENGINES} --format {format} --shard 1/2"))
            .assert_fails(2, &["cannot be played in shards"]);
    }
}
