//! Engines that speak xboard's protocol: Phalanx, HoiChess and Fairy-Max, and scripts that misbehave.

use crate::common::write_program;
use crate::matches::bench::Bench;
use crate::needs::debian_engine;

/// A bench with the mock engine, and xboard engines by name, program and further keys.
fn bench(engines: &[(&str, &str, &str)]) -> Bench {
    let bench = Bench::new(&[("mock", "")]);
    let mut yaml = std::fs::read_to_string(bench.path().join("harness.yaml")).unwrap();
    for (name, program, keys) in engines {
        yaml += &format!("  {name}: {{ cmd: {program}, proto: xboard{keys} }}\n");
    }
    std::fs::write(bench.path().join("harness.yaml"), yaml).unwrap();
    bench
}

/// An engine of few words: `go` and each move of the opponent are answered by the next of `moves`.
fn script(bench: &Bench, features: &str, moves: &str) {
    let text = format!(
        r#"#!/bin/sh
moves="{moves}"
next() {{ set -- $moves; echo "5 34 7 4242 $1"; case "$1" in *_*) echo "$1" | tr _ ' ' ;; *) echo "move $1" ;; esac; shift; moves="$*"; }}
force=1
while read -r word rest; do
  case "$word" in
    protover) echo 'feature {features} done=1' ;;
    ping) echo "pong $rest" ;;
    force) force=1 ;;
    new) force=1; moves="{moves}" ;;
    go) force=0; next ;;
    usermove) [ $force = 0 ] && next ;;
    quit) exit 0 ;;
  esac
done
"#
    );
    write_program(&bench.path().join("script"), &text);
}

#[test]
fn phalanx_hoichess_and_fairy_max_play_whole_games() {
    let (Some(phalanx), Some(hoi), Some(max)) =
        (debian_engine("phalanx"), debian_engine("hoichess"), debian_engine("fairymax"))
    else {
        return;
    };
    let bench =
        bench(&[("phalanx", &phalanx, ""), ("hoi", &hoi, ", args: [--xboard]"), ("max", &max, "")]);
    // Positions by setboard, by edit, and the start position with the moves of a book.
    let book = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[Event \"x\"]\n\n1. d4 d5 2. c4 *\n";
    std::fs::write(bench.path().join("book.pgn"), book).unwrap();
    let positions = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -\n\
                     rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n";
    std::fs::write(bench.path().join("book.epd"), positions).unwrap();
    for (engines, openings) in [
        ("phalanx mock", "book.epd"),
        ("hoi mock", "book.epd"),
        ("max mock", "book.epd"),
        ("max phalanx", "book.pgn"),
        ("hoi phalanx", "book.pgn"),
    ] {
        let line = format!(
            "match {engines} --tc 40/4 --games 2 --jobs 1 --max-moves 20 --time-margin 2000 \
             --openings {openings} --order sequential"
        );
        let summary = bench.json(&line);
        assert_eq!(summary["games"], 2, "{engines}");
        for fault in ["illegal_move", "crash", "disconnect", "no_move", "stall"] {
            assert_eq!(summary["terminations"][fault], 0, "{engines}: {summary}\n{}", bench.pgn());
        }
        // Scores and depths are those that the engine printed.
        let plies: u32 = bench.games().iter().map(|game| game.plies).sum();
        assert!(plies > 20, "{plies}");
        let pgn = bench.pgn();
        assert!((4..10).any(|depth| pgn.contains(&format!("/{depth} "))), "{pgn}");
        bench.assert_no_engine_left();
    }
}

#[test]
fn an_xboard_engine_ponders_by_itself_and_hears_of_the_result() {
    let Some(hoi) = debian_engine("hoichess") else { return };
    let bench = bench(&[("hoi", &hoi, ", args: [--xboard]")]);
    let line = "match hoi mock --tc 5+0.1 --games 2 --jobs 1 --max-moves 8 --ponder --log-uci \
                --time-margin 2000";
    let summary = bench.json(line);
    assert_eq!(summary["terminations"]["illegal_move"], 0);
    let folder = bench.ledger().facts("last").expect("a run").folder;
    let log = std::fs::read_to_string(bench.path().join(folder).join("uci/hoi.log")).unwrap();
    for text in ["> protover 2", "> accepted setboard", "> hard", "> otim ", "> result "] {
        assert!(log.contains(text), "{text} is not in\n{log}");
    }
}

#[test]
fn moves_limits_scores_and_results_are_those_of_the_protocol() {
    let bench = bench(&[("script", "./script", ", init: [hello], options: { Hash: 8 }")]);
    script(&bench, "ping=1 setboard=1 usermove=1 memory=1 time=1", "f2f3 g2g4");
    let line = "match script mock --limit script:tc=40/60+0.5,depth=9 --limit mock:nodes=1 --games 2 \
                --jobs 1 --log-uci --openings start.epd --order sequential";
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
    std::fs::write(bench.path().join("start.epd"), start).unwrap();
    let ended = bench.run(&format!("{line} --json"));
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let folder = bench.ledger().facts("last").expect("a run").folder;
    let log = std::fs::read_to_string(bench.path().join(folder).join("uci/script.log")).unwrap();
    let sent: Vec<&str> =
        log.lines().filter_map(|line| line.split_once(" > ")).map(|(_, text)| text).collect();
    assert_eq!(sent[..3], ["hello", "xboard", "protover 2"]);
    for command in [
        "accepted memory",
        "memory 8",
        "new",
        "easy",
        "post",
        "level 40 1:00 0.5",
        "sd 9",
        "time 6050",
        "go",
    ] {
        assert!(sent.contains(&command), "{command} is not in\n{log}");
    }
    assert!(sent.iter().any(|line| line.starts_with("result ")), "{log}");
    assert!(bench.pgn().contains("{+0.34/5 "), "{}", bench.pgn());
}

#[test]
fn whatever_an_xboard_engine_does_wrong_is_its_loss() {
    for (moves, termination, says) in [
        ("e2e5", "illegal_move", "makes an illegal move: e2e5"),
        ("resign_", "resignation", "resigns"),
        ("0-1_{White_resigns}", "resignation", "resigns"),
        ("1-0_{I_win}", "no_move", "it claims"),
        ("Illegal_move:_e7e5", "no_move", "it refuses a legal move"),
        ("Nf3", "no_move", "it printed `move Nf3`"),
    ] {
        let bench = bench(&[("script", "./script", "")]);
        script(&bench, "ping=1 setboard=1 usermove=1", moves);
        let line = "match script mock --tc 20+1 --games 2 --jobs 1 --max-moves 3";
        let summary = bench.json(line);
        // In the second game the moves are those of the wrong side: as bad.
        assert!(summary["terminations"][termination].as_u64() > Some(0), "{moves}: {summary}");
        assert!(bench.pgn().replace('\n', " ").contains(says), "{moves}: {}", bench.pgn());
        assert_eq!(summary["losses"], 2, "{moves}");
        bench.assert_no_engine_left();
    }
}

#[test]
fn what_an_xboard_engine_cannot_do_is_told_before_a_game_counts() {
    let bench = bench(&[("script", "./script", ""), ("mute", "./mute", "")]);
    script(&bench, "ping=1 setboard=1 usermove=1 memory=1", "e2e4");
    write_program(&bench.path().join("mute"), "#!/bin/sh\nwhile read -r line; do :; done\n");
    for (line, status, says) in [
        ("match script mock --nodes 5 --games 2", 2, "no limit in nodes"),
        ("match script mock --depth 5 --chess960 --games 2", 2, "not Chess960"),
        ("match script mock --depth 5 --variant horde --games 2", 2, "UCI engines only"),
        ("match script mock --depth 5 --games 2 --option script.Contempt=5", 2, "Contempt"),
        ("match mute mock --depth 5 --games 2 --patience 300ms", 4, "feature done=1"),
        ("check script", 2, "UCI"),
    ] {
        bench.run(line).assert_fails(status, &[says]);
    }
    bench.assert_no_engine_left();
}
