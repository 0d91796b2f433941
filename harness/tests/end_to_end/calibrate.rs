//! `harness calibrate` with real games.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::{self, has_games, shown, until};

fn harness(folder: &Path, args: &[&str]) -> Output {
    common::harness(folder, args).output().expect("ran")
}

/// The linked engine is its own anchor: the tests need no other program.
const ARGS: [&str; 11] = [
    "calibrate",
    "--levels",
    "1000,1300",
    "--anchor",
    "builtin@1200:depth=64",
    "--games",
    "20",
    "--seed",
    "5",
    "--max-moves",
    "120",
];

#[test]
fn levels_are_rated_by_games_with_each_other_and_with_anchors() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let played = harness(folder, &[&ARGS[..], &["--json", "-o", "levels.json"]].concat());
    assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    let calibration: Value = serde_json::from_slice(&played.stdout).expect("one JSON object");
    assert_eq!((&calibration["games"], &calibration["seed"]), (&60.into(), &5.into()));
    let [low, high] = [&calibration["levels"][0], &calibration["levels"][1]];
    assert_eq!((&low["stated"], &high["stated"]), (&1000.0.into(), &1300.0.into()));
    let elo = |level: &Value| level["elo"]["value"].as_f64().expect("rated");
    assert!(elo(low) < elo(high), "{calibration}");
    assert!(low["elo"]["error95"].as_f64().is_some_and(|error| error > 10.0), "{calibration}");
    assert_eq!(calibration["anchors"][0]["stated"], 1200.0);
    assert_eq!(calibration["pairings"].as_array().map(Vec::len), Some(3));
    let written = std::fs::read_to_string(folder.join("levels.json")).expect("-o");
    assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), calibration);

    let again = harness(folder, &["calibrate", "--from", "last", "--json"]);
    assert_eq!(again.status.code(), Some(0), "{}", shown(&again));
    assert_eq!(serde_json::from_slice::<Value>(&again.stdout).expect("JSON"), calibration);
    let strict = harness(folder, &["calibrate", "--from", "last", "--within", "0.001"]);
    assert_eq!(strict.status.code(), Some(1), "{}", shown(&strict));
    assert!(shown(&strict).contains("Elo off"), "{}", shown(&strict));
}

#[test]
fn the_same_seed_plays_the_same_games() {
    let games = || {
        let folder = tempfile::tempdir().expect("a folder");
        let args = [&ARGS[..], &["--jobs", "2", "--json"]].concat();
        let played = harness(folder.path(), &args);
        let calibration: Value = serde_json::from_slice(&played.stdout).expect("one JSON object");
        calibration["pairings"].clone()
    };
    assert_eq!(games(), games());
}

#[test]
fn a_killed_calibration_is_resumed_and_rated_as_if_nothing_had_been() {
    let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
    let [whole, killed] = folders.each_ref().map(|folder| folder.path());
    let args = [&ARGS[..], &["--within", "0.001", "--json"]].concat();
    let mut run = common::harness(killed, &args).spawn().expect("it starts");
    until("games are kept", || has_games(killed, 2));
    run.kill().expect("it runs");
    run.wait().expect("killed");

    let rated = |folder: &Path, args: &[&str]| {
        let output = harness(folder, args);
        assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
        let mut calibration: Value = serde_json::from_slice(&output.stdout).expect("one object");
        calibration["run"].take();
        calibration
    };
    assert_eq!(rated(killed, &["resume", "last", "--json"]), rated(whole, &args));
    let table = harness(killed, &["calibrate", "--from", "last"]);
    assert!(shown(&table).contains("level 1000"), "{}", shown(&table));
}

#[test]
fn what_is_no_calibration_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let args = ["match", "builtin", "builtin", "--nodes", "50", "--games", "2", "-q"];
    let played = harness(folder, &args);
    assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    for (args, says) in [
        (&["--from", "last"][..], "not the run of a calibration"),
        (&["--anchor", "stockfish@1500"], "write ENGINE@ELO:LIMIT"),
        (&["--games", "0"], "0"),
    ] {
        let output = harness(folder, &[&["calibrate"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        assert!(shown(&output).contains(says), "{}", shown(&output));
    }
}
