//! Variants of chess, played by Debian's Fairy-Stockfish and replayed by python-chess.

use crate::common;
use crate::matches::bench::Bench;
use crate::needs::{debian_engine, python_with_chess};

const FAIRY: &str = "/usr/games/fairy-stockfish";

/// A bench with two engines of that name; `None` where it is not installed.
fn bench() -> Option<Bench> {
    debian_engine("fairy-stockfish")?;
    let bench = Bench::new(&[("mock", "")]);
    let yaml = format!(
        "engines:\n  a: {{ cmd: {FAIRY} }}\n  b: {{ cmd: {FAIRY} }}\n  mock: {{ cmd: ./mock }}\n"
    );
    std::fs::write(bench.path().join("harness.yaml"), yaml).expect("writable");
    Some(bench)
}

/// Value of the flag, `Variant` tag, and an opening of its own; Debian's Fairy-Stockfish has no atomic
/// chess.
const VARIANTS: [(&str, &str, &str); 6] = [
    ("antichess", "Antichess", "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b - - 0 1"),
    ("crazyhouse", "Crazyhouse", "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR[P] b KQkq - 0 2"),
    (
        "king-of-the-hill",
        "King of the Hill",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    ),
    ("racing-kings", "Racing Kings", "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1"),
    (
        "three-check",
        "Three-check",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 2+3 0 2",
    ),
    (
        "horde",
        "Horde",
        "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1",
    ),
];

#[test]
fn every_variant_is_played_by_its_rules() {
    let Some(bench) = bench() else { return };
    let python = python_with_chess();
    let mut ends = std::collections::BTreeSet::new();
    for (name, tag, fen) in VARIANTS {
        std::fs::write(bench.path().join("book.epd"), format!("{fen}\n")).expect("writable");
        for (openings, games) in [("", 6), ("--openings book.epd", 2)] {
            let line = format!("match a b --variant {name} --nodes 300 --games {games} {openings}");
            let summary = bench.json(&line);
            assert_eq!(summary["games"], games, "{line}");
            let terminations = summary["terminations"].as_object().expect("counts");
            for bad in ["illegal_move", "no_move", "crash", "stall"] {
                assert_eq!(terminations[bad], 0, "{line}: {terminations:?}");
            }
            let seen = terminations.iter().filter(|(_, count)| **count != 0);
            ends.extend(seen.map(|(key, _)| key.clone()));
            let pgn = bench.pgn();
            let tags = format!("[Variant \"{tag}\"]");
            assert_eq!(pgn.matches(&tags).count(), games, "{pgn}");
            if !openings.is_empty() {
                assert!(pgn.contains(&format!("[FEN \"{fen}\"]")), "{pgn}");
            }
            let path = bench.path().join("games.pgn");
            std::fs::write(&path, &pgn).expect("writable");
            if let Some(python) = &python {
                let told = common::python(python, "variant_games.py", &[path.as_ref()]);
                assert_eq!(told.lines().count(), games, "{told}");
            }
        }
    }
    assert!(ends.contains("variant_end") && ends.contains("checkmate"), "{ends:?}");

    // A test of them as of chess, adjudicated, by another program's flags, and a book of its own games.
    std::fs::rename(bench.path().join("games.pgn"), bench.path().join("book.pgn")).expect("there");
    let book = "--openings book.pgn --opening-plies 3";
    let test = bench.run(&format!(
        "sprt a b --variant horde --nodes 100 --elo0 -100 --elo1 -50 --max-games 4 {book} \
         --resign-score 600 --resign-moves 3 --max-moves 30 --json"
    ));
    // Four games decide nothing.
    assert_eq!(test.status, 3, "{}", test.stderr);
    let summary: serde_json::Value = serde_json::from_str(&test.stdout).expect("JSON");
    assert_eq!((&summary["verdict"], &summary["games"]), (&"inconclusive".into(), &4.into()));
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let [lower, upper] = [0, 1].map(|end| number(&summary["bounds"][end]));
    assert!((lower..upper).contains(&number(&summary["llr"])), "{summary:#}");
    let pairs = summary["pentanomial"].as_array().expect("counts");
    assert_eq!(pairs.iter().map(number).sum::<f64>(), 2.0, "{summary:#}");
    assert_eq!(bench.pgn().matches("[Variant \"Horde\"]").count(), 4);
    let line = "-engine cmd=/usr/games/fairy-stockfish name=x -engine cmd=/usr/games/fairy-stockfish \
                name=y -each nodes=50 -rounds 1 -variant 3check";
    let ended = bench.run(&format!("fastchess {line}"));
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(bench.pgn().matches("[Variant \"Three-check\"]").count(), 2);
    // Openings of another variant are refused.
    bench
        .run("match a b --variant crazyhouse --nodes 50 --games 2 --openings book.pgn")
        .assert_fails(2, &["Horde"]);
}

#[test]
fn an_engine_without_the_variant_is_refused_before_a_game() {
    let Some(bench) = bench() else { return };
    for (engine, says) in [
        ("builtin", "it plays chess and Chess960 only, not horde"),
        ("mock", "it offers no `UCI_Variant` with the value `horde`"),
    ] {
        bench
            .run(&format!("match a {engine} --variant horde --nodes 50 --games 2"))
            .assert_fails(2, &[says]);
    }
    bench.run("match a b --variant shogi --games 2").assert_fails(2, &["king-of-the-hill"]);
}
