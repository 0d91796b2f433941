//! Making a book.

use crate::matches::bench::Bench;

#[test]
fn the_same_seed_makes_the_same_book_whatever_the_jobs_and_it_can_be_played() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let make = "openings generate --count 30 --plies 4-6 --nodes 100 --seed 3";
    let made = bench.json(&format!("{make} --jobs 1 -o one.epd"));
    assert_eq!(made["openings"], 30);
    let printed = bench.run(&format!("{make} --jobs 3"));
    let read = |name: &str| std::fs::read_to_string(bench.path().join(name)).unwrap();
    assert_eq!(printed.stdout, read("one.epd"));
    assert!(printed.stdout.contains("c0 \"30 balanced openings: 4-6 random plies"));
    assert_eq!(printed.stdout.lines().count(), 30, "other programs take a comment for a position");
    bench.json("match a b --nodes 1 --games 60 --max-moves 2 --openings one.epd");
    bench.assert_whole(30);
}

#[test]
fn a_book_that_cannot_be_made_is_an_error() {
    let bench = Bench::new(&[("bad", "--crash go")]);
    for (line, status, says) in [
        ("--count 1 --nodes 500 -o missing/book.epd", 4, "missing/book.epd"),
        ("--count 21 --plies 1 --nodes 500 --max-score 2000", 4, "only 20 openings"),
        ("--count 1 --engine bad", 2, "in two processes"),
        ("--plies 8-6", 2, "range"),
        ("--engine nobody", 2, "nobody"),
    ] {
        bench.run(&format!("openings generate {line}")).assert_fails(status, &[says]);
    }
}

#[test]
fn a_book_that_is_too_small_is_told() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let line = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n";
    std::fs::write(bench.path().join("one.epd"), line).unwrap();
    let play = "match a b --nodes 1 --max-moves 2 --openings one.epd";
    let enough = bench.json(&format!("{play} --games 2"));
    assert_eq!(enough["warnings"], serde_json::json!([]));
    let warnings = bench.json(&format!("{play} --games 4"))["warnings"].to_string();
    assert!(warnings.contains("2 rounds were played from 1 openings"), "{warnings}");
}
