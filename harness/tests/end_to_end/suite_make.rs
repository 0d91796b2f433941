//! `harness suite make` as users run it, with real engines.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{engine_that_plays, json, run, shown, write_program};

/// P. Morphy against the Duke of Brunswick and Count Isouard, Paris 1858; Ed. Lasker against
/// G. Thomas, London 1912: 11. Qxh7+ mates, and nothing else does.
const GAMES: &str = "\
[White \"Morphy\"]\n[Black \"Allies\"]\n[Result \"1-0\"]\n\n\
1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 \
9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 \
16. Qb8+ Nxb8 17. Rd8# 1-0\n\n\
[White \"Lasker, Ed.\"]\n[Black \"Thomas\"]\n[Result \"1-0\"]\n\n\
1. d4 e6 2. Nf3 f5 3. Nc3 Nf6 4. Bg5 Be7 5. Bxf6 Bxf6 6. e4 fxe4 7. Nxe4 b6 8. Ne5 O-O \
9. Bd3 Bb7 10. Qh5 Qe7 11. Qxh7+ Kxh7 12. Nxf6+ Kh6 13. Neg4+ Kg5 14. h4+ Kf4 15. g3+ Kf3 \
16. Be2+ Kg2 17. Rh2+ Kg1 18. Kd2# 1-0\n";

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("games.pgn"), GAMES).expect("written");
        Bench { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, line: &str) -> Output {
        run(self.folder.path(), line)
    }

    fn json(&self, line: &str) -> Value {
        json(&self.run(&format!("{line} --json")))
    }
}

#[test]
fn the_shot_of_a_game_is_found_and_the_suite_can_be_solved() {
    let bench = Bench::new();
    let make = "suite make --engine stockfish --from games.pgn --every 1 --nodes 20000 \
                --verify-nodes 100000";
    let made = bench.json(&format!("{make} -o shots.epd"));
    let found = made["positions"].as_u64().expect("a number");
    assert_eq!((&made["games"], &made["verified"]), (&2.into(), &found.into()), "{made}");
    assert!(made["kept"].as_u64() >= Some(found) && made["searched"] == made["candidates"]);
    let results = made["results"].as_array().expect("results");
    let shot = results.iter().find(|result| result["ply"] == 20 && result["game"] == 2);
    assert_eq!(shot.expect("the shot")["san"], "Qxh7+", "{made}");
    let text = fs::read_to_string(bench.path("shots.epd")).expect("written");
    assert!(text.contains("bm Qxh7+; id \"shots."), "{text}");
    assert!(text.contains("c0 \"from game 2 (Lasker, Ed. - Thomas), ply 20, mate in "), "{text}");

    // It has verified them with more nodes, so it solves most of them again.
    let solved = bench.json("suite shots.epd stockfish --nodes 100000");
    assert_eq!(solved["positions"].as_u64(), Some(found));
    assert!(2 * solved["solved"].as_u64().expect("a number") > found, "{solved}");

    fs::create_dir(bench.path("again")).expect("a folder");
    bench.json(&format!("{make} --jobs 3 -o again/shots.epd"));
    let again = fs::read_to_string(bench.path("again/shots.epd")).expect("written");
    let positions = |text: &str| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(positions(&again), positions(&text));
}

#[test]
fn the_games_of_a_run_are_taken() {
    let bench = Bench::new();
    bench.json("match builtin builtin --nodes 100 --games 12 --jobs 1");
    // How many depends on how the engine plays; with a margin so small there are always some.
    let make = "suite make --engine builtin --nodes 1000 --verify-nodes 2000 --margin 30 --every 1";
    let made = bench.json(&format!("{make} -o mine.epd"));
    let found = made["positions"].as_u64().expect("a number");
    assert!(made["games"] == 12 && found > 0, "{made}");
    let output = bench.run(&format!("{make} -o mine.epd"));
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.contains("Kept at first") && table.contains("mine.epd"), "{table}");
    assert_eq!(bench.json("suite mine.epd --nodes 100")["positions"], found);
}

#[test]
fn what_makes_no_suite_is_refused_with_a_reason() {
    let bench = Bench::new();
    fs::write(bench.path("empty.pgn"), "").expect("written");
    fs::write(bench.path("short.pgn"), "1. e4 e5 *\n").expect("written");
    for (name, played) in [("a3", "a2a3"), ("illegal", "a5b1")] {
        write_program(&bench.path(name), &engine_that_plays(name, played));
    }
    for (arguments, status, says) in [
        ("--engine builtin", 2, "--output"),
        ("-o x.epd", 2, "--engine"),
        ("--engine builtin -o x.epd", 2, "run"),
        ("--engine builtin -o x.epd --from none.pgn", 2, "none.pgn"),
        ("--engine builtin -o x.epd --from empty.pgn", 2, "no games"),
        ("--engine builtin -o x.epd --from short.pgn", 2, "candidate"),
        ("--engine no-such -o x.epd --from games.pgn", 2, "no-such"),
        ("--engine ./a3 -o x.epd --from games.pgn --every 1", 2, "searchmoves"),
        ("--engine ./illegal -o x.epd --from games.pgn --every 1", 4, "illegal"),
        (
            "--engine builtin -o x.epd --from games.pgn --nodes 9 --verify-nodes 9 --margin 9000 \
             --every 1000",
            4,
            "clear enough",
        ),
    ] {
        let output = bench.run(&format!("suite make {arguments}"));
        let error = shown(&output);
        assert_eq!(output.status.code(), Some(status), "{arguments}: {error}");
        assert!(error.contains(says) && !bench.path("x.epd").exists(), "{arguments}: {error}");
    }
}
