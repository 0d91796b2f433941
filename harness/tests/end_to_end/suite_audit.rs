//! `harness suite audit` as users run it, on a file in which every fault is planted.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::{engine_that_plays, harness, shown, write_program};
use crate::needs::debian_engine;

/// Mates and won pieces, so that any engine agrees at once.
const PLANTED: &str = r#"# every fault once, and sound ones between
6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id "sound";
6k1/5ppp/8/8/8/8/7P/R3K3 w - - bm Kd2; id "unsound";
6k1/5ppp/8/8/8/8/8/R2RK3 w - - bm Ra8#; id "ambiguous";
6k1/5ppp/8/8/8/8/8/R3K3 w - - 7 31 bm Ra8#; id "again";
4k3/8/8/8/8/8/8/4K3 w - - bm Ke5; id "illegal move";
4k3/8/8/8/8/8/8/8 w - - bm Kd1;
6k1/5ppp/8/8/8/8/6P1/R3K3 w K - bm Ra8; id "no rook to castle with";
3q2k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - am Qxd8; id "nothing to avoid";
3q2k1/5ppp/8/8/8/8/5PPP/1Q4K1 w - - am Qxh7+; id "to be avoided";
3q2k1/5ppp/8/8/8/8/5PPP/2Q3K1 w - - bm Qc8; am Qc8; id "contradiction";
3q2k1/5ppp/8/8/8/8/5PP1/2Q3K1 w - - id "silent";
"#;

/// What is planted: line, id, kind, and a piece of what is to be said.
const FINDINGS: [(u64, &str, &str, &str); 9] = [
    (3, "unsound", "unsound", "but Ra8# mates in 1"),
    (4, "ambiguous", "ambiguous", "but Rd8# mates in 1"),
    (5, "again", "duplicate", "sound (line 2)"),
    (6, "illegal move", "illegal", "`Ke5` is not legal here"),
    (7, "line 7", "illegal", "missing king"),
    (8, "no rook to castle with", "illegal", "castling rights"),
    (9, "nothing to avoid", "unsound", "Qxd8# mates in 1, to be avoided"),
    (11, "contradiction", "unsolvable", "no legal move"),
    (12, "silent", "unsolvable", "no move to find"),
];

fn audit(folder: &Path, args: &[&str]) -> Output {
    let line = ["suite", "audit", "planted.epd", "--nodes", "3000"];
    harness(folder, line).args(args).output().expect("ran")
}

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("planted.epd"), text).expect("written");
    folder
}

fn planted_faults_are_found_by(engine: &str) {
    let folder = folder(PLANTED);
    let output = audit(folder.path(), &["--engine", engine, "--jobs", "2", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    let json: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let found = json["findings"].as_array().expect("findings");
    assert_eq!(found.len(), FINDINGS.len(), "{json:#}");
    for (finding, (line, id, kind, what)) in found.iter().zip(FINDINGS) {
        assert_eq!(
            (&finding["line"], &finding["id"], &finding["kind"]),
            (&line.into(), &id.into(), &kind.into()),
            "{json:#}"
        );
        assert!(finding["what"].as_str().is_some_and(|said| said.contains(what)), "{finding}");
    }
    let evidence = &found[0];
    assert_eq!(evidence["solving"]["move"], "e1d2");
    assert_eq!(
        (&evidence["failing"]["move"], &evidence["failing"]["mate"]),
        (&"a1a8".into(), &1.into())
    );
    assert_eq!((&json["positions"], &json["engine"]), (&9.into(), &engine.into()));
    let counts = ["illegal", "duplicate", "unsolvable", "unsound", "ambiguous"];
    assert_eq!(counts.map(|kind| json[kind].as_u64().expect("a number")), [3, 1, 2, 2, 1]);
}

#[test]
fn the_linked_engine_finds_every_planted_fault() {
    planted_faults_are_found_by("builtin");
}

#[test]
fn a_real_engine_finds_every_planted_fault() {
    if debian_engine("stockfish").is_some() {
        planted_faults_are_found_by("stockfish");
    }
}

#[test]
fn the_table_fits_100_columns_and_taste_alone_is_no_fault() {
    let bad =
        folder(&PLANTED.replace("id \"silent\"", &format!("id \"{}\"", "very long ".repeat(30))));
    let text = String::from_utf8(audit(bad.path(), &[]).stdout).expect("UTF-8");
    assert!(text.contains("very long") && text.contains("unsolvable"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let lines: Vec<&str> = PLANTED.lines().collect();
    for (text, expected) in [(lines[1], "0 ambiguous"), (lines[3], "1 ambiguous")] {
        let output = audit(folder(text).path(), &[]);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        assert!(shown(&output).contains(expected), "{}", shown(&output));
    }
}

#[test]
fn an_engine_that_cannot_be_asked_is_no_judge() {
    let folder = folder(PLANTED);
    let headstrong = engine_that_plays("headstrong", "a1a8");
    write_program(&folder.path().join("headstrong"), &headstrong);
    let output = audit(folder.path(), &["--engine", "./headstrong"]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(
        shown(&output).contains("searchmoves") && output.stdout.is_empty(),
        "{}",
        shown(&output)
    );
    std::fs::write(folder.path().join("planted.epd"), "# nothing\n").expect("written");
    assert_eq!(audit(folder.path(), &[]).status.code(), Some(2));
}

#[test]
fn a_position_for_which_the_engine_has_no_score_has_its_own_line() {
    // Within ten nodes the engine has a bound alone, which is no score to compare moves by.
    let folder = folder(
        "2b5/K1p1pk2/6pb/8/8/8/8/8 b - - bm Bb7; id \"no score\";\n\
         6k1/5ppp/8/8/8/8/8/R2RK3 w - - bm Ra8#; id \"another\";\n",
    );
    let line = ["suite", "audit", "planted.epd", "--nodes", "10", "--json"];
    let output = harness(folder.path(), line).output().expect("ran");
    let json: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!((&json["unscored"], &json["positions"]), (&2.into(), &2.into()), "{json:#}");
    assert_eq!(json["findings"][0]["kind"], "unscored", "{json:#}");
}
