//! `harness data` on real games, read back with the rules of chess in hand.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

fn harness(folder: &Path, args: &[&str]) -> Output {
    Command::cargo_bin("harness")
        .expect("built")
        .current_dir(folder)
        .args(args)
        .output()
        .expect("ran")
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{:?}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

#[test]
fn positions_of_a_run_are_what_the_filters_allow() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let args = ["match", "builtin", "builtin", "--nodes", "400", "--games", "20", "--quiet"];
    let played = harness(folder, &args);
    assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    let collect = ["data", "collect", "last", "-o", "a.csv", "--json"];
    let told = harness(folder, &collect);
    assert_eq!(told.status.code(), Some(0), "{}", shown(&told));
    let told: Value = serde_json::from_slice(&told.stdout).expect("one JSON object");
    assert_eq!(told["games"], 20);
    let dropped: u64 =
        told["dropped"].as_object().expect("reasons").values().filter_map(Value::as_u64).sum();
    let kept = told["kept"].as_u64().expect("a number");
    assert_eq!(kept + dropped, told["positions"].as_u64().expect("a number"));
    assert!(kept > 50, "{told}");

    // By the rules, and by nothing of ours.
    let mut reader = csv::Reader::from_path(folder.join("a.csv")).expect("CSV");
    let mut rows = 0;
    for row in reader.records() {
        let row = row.expect("a row");
        let fen: Fen = row[0].parse().expect("a FEN");
        let position: Chess = fen.into_position(CastlingMode::Standard).expect("a legal position");
        let uci: UciMove = row[4].parse().expect("a move");
        let played = uci.to_move(&position).expect("a legal move");
        assert!(!position.is_check() && !played.is_capture() && !played.is_promotion(), "{row:?}");
        let (score, result): (i32, f64) = (row[1].parse().unwrap(), row[2].parse().unwrap());
        let ply: u32 = row[3].parse().unwrap();
        assert!(score.abs() <= 2000 && ply >= 16, "{row:?}");
        // Whoever moves won.
        assert_eq!(result, if position.turn().is_white() { 1.0 } else { 0.0 }, "{row:?}");
        rows += 1;
    }
    assert_eq!(rows, kept);

    let again = harness(folder, &["data", "collect", "last", "-o", "b.csv"]);
    assert_eq!(again.status.code(), Some(0), "{}", shown(&again));
    let [a, b] = ["a.csv", "b.csv"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(a, b, "the same games give the same file");

    let good = harness(folder, &["data", "validate", "a.csv"]);
    assert_eq!(good.status.code(), Some(0), "{}", shown(&good));
    let stricter = harness(folder, &["data", "validate", "a.csv", "--max-score", "10"]);
    assert_eq!(stricter.status.code(), Some(1), "{}", shown(&stricter));
    let second = a.lines().nth(1).expect("a record");
    fs::write(folder.join("bad.csv"), format!("{a}{}\n", second.replacen('/', "//", 1))).unwrap();
    let bad = harness(folder, &["data", "validate", "bad.csv"]);
    let place = format!("bad.csv:{}", a.lines().count() + 1);
    assert_eq!(bad.status.code(), Some(4), "{}", shown(&bad));
    assert!(shown(&bad).contains(&place), "{}", shown(&bad));
}

#[test]
fn what_is_no_source_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for (source, word) in [("missing.pgn", "missing.pgn"), ("last", "no runs")] {
        let told = harness(folder.path(), &["data", "collect", source, "-o", "x.csv"]);
        assert_eq!(told.status.code(), Some(2), "{}", shown(&told));
        assert!(shown(&told).contains(word), "{}", shown(&told));
    }
    fs::write(folder.path().join("bad.pgn"), "[White \"a\"]\n\n1. e4 e5 2. Ke3 1-0\n").unwrap();
    let told = harness(folder.path(), &["data", "collect", "bad.pgn", "-o", "x.csv"]);
    assert_eq!(told.status.code(), Some(4), "{}", shown(&told));
    assert!(shown(&told).contains("game 1") && shown(&told).contains("Ke3"), "{}", shown(&told));
}
