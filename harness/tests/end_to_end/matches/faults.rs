//! Whatever an engine does wrong is its loss, or an error that says so; never a hang.

use std::thread;

use crate::matches::bench::Bench;

/// Plays four games of `good` against an engine with these flags.
fn play(flags: &str, more: &str) -> Bench {
    let bench = Bench::new(&[("good", "--seed 1"), ("bad", flags)]);
    let line = format!("match good bad --no-probe --games 4 --max-moves 20 {more}");
    let summary = bench.json(&line);
    assert_eq!(summary["games"], 4, "{flags}: {summary}");
    bench.assert_whole(2);
    bench
}

/// Each line: flags of the engine, flags of the match, how all four games end.
const LOSSES: [(&str, &str, &str, &str); 14] = [
    ("--crash go", "--nodes 1", "crash", "crashes"),
    ("--crash go --on 4 --how abort", "--nodes 1", "crash", "signal"),
    ("--crash go --on 2 --how segfault", "--depth 1", "crash", "signal"),
    ("--crash go --how success", "--tc 9", "crash", "crashes"),
    ("--crash newgame", "--nodes 1", "crash", "crashes"),
    ("--close-output", "--nodes 1", "disconnect", "disconnects"),
    ("--hang go", "--nodes 1 --watchdog 100ms", "stall", "connection stalls"),
    ("--hang go --on 3", "--depth 1 --watchdog 100ms", "stall", "connection stalls"),
    ("--answer illegal", "--nodes 1", "illegal_move", "makes an illegal move: a1a1"),
    ("--answer none", "--nodes 1", "no_move", "gives no move"),
    ("--answer null", "--nodes 1", "no_move", "gives no move"),
    ("--answer empty", "--nodes 1", "no_move", "gives no move"),
    ("--answer garbage", "--nodes 1", "no_move", "gives no move"),
    ("--delay 150", "--tc 60 --limit bad:tc=0.1", "time_forfeit", "loses on time (overrun"),
];

#[test]
fn every_fault_is_a_loss_that_is_named() {
    thread::scope(|scope| {
        for (flags, more, key, words) in LOSSES {
            scope.spawn(move || {
                let bench = play(flags, more);
                for game in bench.games() {
                    assert_eq!(game.termination, key, "{flags}");
                    assert_eq!(game.first_half_points, 2, "{flags}: the good engine wins");
                    let text = game.pgn.replace('\n', " ");
                    assert!(text.contains(words), "{flags}: {words} is not in\n{text}");
                }
            });
        }
    });
}

#[test]
fn a_wrong_option_is_told_before_anything_is_played() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let ended = bench.run("match a b --nodes 1 --option b.Hsah=64");
    ended.assert_fails(2, &["Hsah", "Hash"]);
    assert!(!bench.path().join("reports/runs").exists());
}

#[test]
fn an_engine_that_always_crashes_is_warned_about() {
    let bench = Bench::new(&[("good", ""), ("bad", "--crash go")]);
    let summary = bench.json("match good bad --nodes 1 --games 12 --jobs 1 --no-probe");
    assert_eq!(summary["terminations"]["crash"], 12);
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("bad lost 12 games in a row"), "{warnings}");
}

#[test]
fn an_engine_that_ends_at_its_first_search_plays_no_match() {
    let flags = [("--crash go --how success", "exit status 0"), ("--close-output", "output")];
    for (flag, says) in flags {
        let bench = Bench::new(&[("good", ""), ("bad", flag)]);
        let ended = bench.run("sprt bad good --nodes 1");
        ended.assert_fails(2, &["bad", says, "after `go nodes 1`, in two processes", "--no-probe"]);
        assert!(!bench.path().join("reports/runs").exists());
        bench.assert_no_engine_left();
    }
}

#[test]
fn an_engine_whose_file_is_gone_ends_the_run_which_goes_on_once_it_is_back() {
    let bench = Bench::new(&[("good", "--delay 1"), ("bad", "--crash go --on 60")]);
    let [file, elsewhere] = ["mock", "elsewhere"].map(|name| bench.path().join(name));
    let mut gone = false;
    let line = "match good bad --nodes 1 --max-moves 10 --games 60 --jobs 1";
    let ended = bench.run_beside(line, &mut || {
        if !gone && bench.has_games() {
            // At its next crash it cannot be started again.
            std::fs::rename(&file, &elsewhere).unwrap();
            gone = true;
        }
    });
    ended.assert_fails(4, &["bad: would not start", "harness resume"]);
    bench.assert_no_engine_left();
    let kept = bench.games().len();
    assert!(kept > 0 && kept < 60, "{kept}");
    std::fs::rename(&elsewhere, &file).unwrap();
    assert_eq!(bench.json("resume last")["games"], 60);
    bench.assert_whole(30);
}
