//! Logs of the conversation with engines, start-up lines, and what comments in the PGN have.

use std::path::PathBuf;
use std::process::Command;

use harness::player::Limit;
use jiff::Timestamp;

use crate::matches::bench::Bench;
use crate::needs::python_with_chess;

/// The logs of the newest run.
fn folder(bench: &Bench) -> PathBuf {
    bench.path().join(bench.ledger().facts("last").expect("a run").folder).join("uci")
}

fn read(bench: &Bench, file: &str) -> String {
    let path = folder(bench).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn a_log_has_every_line_of_every_process_with_its_time_and_the_lines_that_come_first() {
    let bench = Bench::new(&[("a", "")]);
    let yaml = std::fs::read_to_string(bench.path().join("harness.yaml")).unwrap();
    let second = "  b: { cmd: ./mock, args: [--seed, 2], init: [debug on, hello] }\n";
    std::fs::write(bench.path().join("harness.yaml"), yaml + second).unwrap();
    bench.json("match a b --nodes 7 --games 8 --max-moves 3 --jobs 2 --log-uci");
    for engine in ["a", "b"] {
        let log = read(&bench, &format!("{engine}.log"));
        let lines: Vec<Vec<&str>> = log.lines().map(|line| line.splitn(4, ' ').collect()).collect();
        let mut processes = std::collections::BTreeMap::<&str, Vec<(&str, &str)>>::new();
        for line in &lines {
            let [time, process, direction, text] = line[..] else { panic!("{line:?}") };
            time.parse::<Timestamp>().unwrap_or_else(|error| panic!("{time}: {error}"));
            processes.entry(process).or_default().push((direction, text));
        }
        let count = |wanted: (&str, &str)| {
            lines.iter().filter(|line| line[2] == wanted.0 && line[3].starts_with(wanted.1)).count()
        };
        // 8 games of 3 moves.
        assert_eq!((count((">", "go nodes 7")), count(("<", "bestmove "))), (24, 24), "{log}");
        assert_eq!(count((">", "ucinewgame")), 8);
        for said in processes.values() {
            let first: &[(&str, &str)] = match engine {
                "a" => &[(">", "uci"), ("<", "id name mock-engine")],
                _ => {
                    &[(">", "debug on"), (">", "hello"), (">", "uci"), ("<", "id name mock-engine")]
                }
            };
            assert_eq!(said[..first.len()], *first, "{log}");
            assert!(said.contains(&(">", "quit")), "{log}");
        }
    }
    // Without the flag there is nothing.
    bench.json("match a b --nodes 7 --games 2 --max-moves 3");
    assert!(!folder(&bench).exists());
}

#[test]
fn a_log_that_grows_is_rotated() {
    let bench = Bench::new(&[("chatty", "--infos 6000"), ("b", "--seed 2")]);
    bench.json("match chatty b --nodes 7 --games 2 --max-moves 6 --jobs 1 --log-uci=1");
    let lengths =
        ["chatty.log", "chatty.log.1", "chatty.log.2"].map(|file| read(&bench, file).len());
    assert!(lengths.iter().all(|&length| length <= 1 << 20), "{lengths:?}");
    assert!(lengths[1] > 1_000_000, "{lengths:?}");
    assert!(!folder(&bench).join("b.log.1").exists());
}

#[test]
fn comments_have_what_is_asked_for_and_are_read_back() {
    let bench = Bench::new(&[("a", "--ponder --delay 20"), ("b", "--seed 2 --score -30")]);
    let line = "match a b --tc 60+0.1 --games 2 --max-moves 4 --jobs 1 --ponder \
                --pgn-comments pv,timeleft,latency,hashfull";
    bench.json(line);
    // Long comments are set in several lines.
    let pgn = bench.pgn().split_whitespace().collect::<Vec<_>>().join(" ");
    let comments: Vec<&str> =
        pgn.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
    let searched: Vec<&&str> = comments.iter().filter(|comment| **comment != "book").collect();
    assert_eq!(searched.len(), 16, "{pgn}");
    for comment in searched {
        assert!(comment.contains("n, pv=\"") && comment.contains(", tl="), "{comment}");
        assert!(comment.contains("s, latency=0."), "{comment}");
        assert!(!comment.contains("hashfull"), "the engine does not report it: {comment}");
    }
    let folder = bench.ledger().facts("last").expect("a run").folder;
    let read = bench.run(&format!("data stats {}/games.pgn --json", folder.display()));
    assert_eq!(read.status, 0, "{}", read.stderr);
    bench.json("match a b --nodes 5 --games 2 --max-moves 2");
    assert!(!bench.pgn().contains("pv="), "comments are as short as ever");
    assert_eq!("nodes=5".parse(), Ok(Limit::Nodes(5)));
}

const READ: &str = "\
import chess.pgn, json, sys
games = open(sys.argv[1], encoding='utf-8')
found = []
while game := chess.pgn.read_game(games):
    for node in game.mainline():
        if node.eval() is not None or node.clock() is not None:
            score = node.eval() and node.eval().white().score(mate_score=100000)
            found.append([score, node.clock(), node.turn()])
print(json.dumps(found))
";

#[test]
fn evaluations_and_clocks_are_read_by_python_chess() {
    let Some(python) = python_with_chess() else { return };
    let bench = Bench::new(&[("a", "--score 41"), ("b", "--seed 2 --score -30")]);
    for (limit, has_clock) in [("--tc 60+0.1", true), ("--nodes 5", false)] {
        bench.json(&format!(
            "match a b {limit} --games 2 --max-moves 4 --jobs 1 --pgn-comments eval,clk,pv"
        ));
        let folder = bench.ledger().facts("last").expect("a run").folder;
        let games = folder.join("games.pgn");
        let output =
            Command::new(&python).args(["-c", READ]).arg(&games).output().expect("started");
        let found: Vec<(f64, Option<f64>, bool)> =
            serde_json::from_slice(&output.stdout).expect("a list");
        assert_eq!(found.len(), 16, "{}", String::from_utf8_lossy(&output.stderr));
        for (score, clock, _) in &found {
            // For White: `a` says +41 of its own moves and `b` -30.
            assert!([41.0, -41.0, 30.0, -30.0].contains(score), "{score}");
            assert_eq!(clock.is_some_and(|clock| (59.0..=61.0).contains(&clock)), has_clock);
        }
        let white = |wanted| found.iter().filter(|(score, ..)| *score == wanted).count();
        assert_eq!([41.0, -41.0, 30.0, -30.0].map(white), [4; 4]);
        // Our own readers take the score beside it, of the side to move.
        let read = bench.run(&format!("data convert {} -o -", games.display()));
        assert_eq!(read.status, 0, "{}", read.stderr);
        let scores: Vec<&str> =
            read.stdout.lines().filter_map(|line| line.split(',').nth(1)).collect();
        for wanted in ["41", "-41", "30", "-30"] {
            let count = scores.iter().filter(|score| **score == wanted).count();
            assert_eq!(count, 4, "{wanted}: {}", read.stdout);
        }
    }
}

#[test]
fn the_seed_is_printed_and_gives_the_same_games() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let line = "match a b --nodes 5 --games 4 --max-moves 5 --jobs 1";
    let first = bench.run(line);
    assert!(first.stdout.contains("Seed  | 1 ("), "{}", first.stdout);
    let starts = |pgn: &str| -> Vec<String> {
        pgn.lines().filter(|line| line.starts_with("[FEN")).map(str::to_owned).collect()
    };
    let openings = starts(&bench.pgn());
    bench.run(&format!("{line} --seed 1"));
    assert_eq!(starts(&bench.pgn()), openings);
    let other = bench.run(&format!("{line} --seed 77"));
    assert!(other.stdout.contains("Seed  | 77 ("), "{}", other.stdout);
    assert_ne!(starts(&bench.pgn()), openings);
}

#[test]
fn a_button_is_pressed_before_the_options_that_it_may_set_back() {
    let bench = Bench::new(&[("a", "")]);
    let yaml = std::fs::read_to_string(bench.path().join("harness.yaml")).unwrap();
    let second = "  b: { cmd: ./mock, options: { Hash: 32, Clear Hash: '', Move Overhead: 5 } }\n";
    std::fs::write(bench.path().join("harness.yaml"), yaml + second).unwrap();
    bench.json("match a b --nodes 10 --games 2 --max-moves 3 --jobs 1 --log-uci");
    let log = read(&bench, "b.log");
    let sent = log.lines().filter_map(|line| line.split_once("setoption name "));
    let sent: Vec<&str> = sent.map(|(_, option)| option).collect();
    assert_eq!(sent[..3], ["Clear Hash", "Hash value 32", "Move Overhead value 5"], "{sent:?}");
}
