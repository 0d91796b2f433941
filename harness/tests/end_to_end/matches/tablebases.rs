//! Games that tablebases adjudicate.

use crate::matches::bench::Bench;

#[path = "../../../../engine/tests/tablebases/mod.rs"]
pub mod tables;

#[test]
fn a_promotion_into_a_known_ending_is_adjudicated() {
    let bench = Bench::new(&[]);
    let folder = bench.path().join("tables");
    std::fs::create_dir(&folder).unwrap();
    tables::write_all(&folder);
    let openings = "8/8/3K4/3P4/8/8/7k/8 w - - 0 1\n";
    std::fs::write(bench.path().join("pawn.epd"), openings).unwrap();
    let line = "match builtin builtin --nodes 300 --games 2 --openings pawn.epd --tb tables";
    let summary = bench.json(line);
    assert_eq!(summary["terminations"]["adjudicated_win"], 2, "{summary}");
    assert_eq!(summary["pentanomial"], serde_json::json!([0, 0, 1, 0, 0]));
    let pgn = bench.pgn();
    assert!(pgn.contains("[Termination \"adjudication\"]"), "{pgn}");
    assert!(pgn.contains("White wins by adjudication: SyzygyTB"), "{pgn}");
    assert!(pgn.contains("d8="), "{pgn}");
}

#[test]
fn a_folder_without_tables_is_told_before_anything_is_played() {
    let bench = Bench::new(&[("a", ""), ("b", "")]);
    std::fs::create_dir(bench.path().join("empty")).unwrap();
    for (folder, says) in [("empty", "no tablebases"), ("missing", "missing")] {
        let ended = bench.run(&format!("match a b --nodes 1 --games 2 --tb {folder}"));
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
}
