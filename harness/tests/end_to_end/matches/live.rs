//! What is shown while games are played, and what is exported of them.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::common::{MOCK, json, run, shown, write_program};
use crate::matches::bench::Bench;

#[test]
fn the_stream_tells_every_game_and_move_and_ends_with_the_summary() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let play = "match a b --nodes 1 --games 4 --max-moves 5 --jobs 2";
    let printed = bench.run(&format!("{play} --json-stream")).stdout;
    let events: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    assert_eq!(events[0]["event"], "run_started");
    assert_eq!(events[0]["engines"], serde_json::json!(["a", "b"]));
    assert_eq!((of("game_started").len(), of("game_ended").len()), (4, 4));
    let plies: u64 = of("game_ended").iter().filter_map(|game| game["plies"].as_u64()).sum();
    assert_eq!(of("move").len() as u64, plies);
    assert!(of("move").iter().all(|event| event["uci"].is_string() && event["ms"].is_number()));
    assert_eq!(of("statistics").last().expect("counted")["games"], 4);
    let last = events.last().expect("events");
    assert_eq!((&last["event"], &last["summary"]["games"]), (&"run_finished".into(), &4.into()));
}

#[test]
fn results_so_far_are_told_after_so_many_games() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let play = "match a b --nodes 1 --games 8 --max-moves 5 --jobs 1 --report-every 4 --restart";
    let printed = bench.run(&format!("{play} --affinity"));
    assert!(printed.stderr.contains("Games | N: 4 "), "{}", printed.stderr);
    bench.assert_whole(4);
}

#[test]
fn an_engine_is_started_once_or_for_each_game() {
    let starts = ["", " --restart"].map(|flag| {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!("#!/bin/sh\necho started >>starts\nexec {MOCK}\n");
        write_program(&folder.path().join("counted"), &text);
        let line = "match ./counted builtin --nodes 10 --games 6 --max-moves 5 --jobs 1 --no-probe";
        json(&run(folder.path(), &format!("{line} --json{flag}")));
        let counted =
            std::fs::read_to_string(folder.path().join("starts")).expect("it was started");
        counted.lines().count()
    });
    // It is started before the first game, too, when its name and options are read.
    assert_eq!(starts, [2, 7]);
}

#[test]
fn an_engine_that_once_does_not_start_in_a_long_match_gets_a_second_chance() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "#!/bin/sh\necho started >>starts\n[ $(wc -l <starts) = 4 ] && exit 1\nexec {MOCK}\n"
    );
    write_program(&folder.path().join("moody"), &text);
    let line =
        "match ./moody builtin --nodes 10 --games 6 --max-moves 5 --jobs 1 --no-probe --restart";
    let ended = run(folder.path(), &format!("{line} --json"));
    assert!(shown(&ended).contains("trying again"), "{}", shown(&ended));
    assert_eq!(json(&ended)["games"], 6);
}

#[test]
fn a_few_games_of_equals_end_with_what_cannot_be_seen() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let printed = bench.run("match a b --nodes 1 --games 4 --max-moves 5").stdout;
    let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("No difference can be seen with 4 games: +0.0 Elo, 95 % in ["),
        "{words}"
    );
    assert!(words.contains("smallest visible effect: about"), "{words}");
    assert!(!words.contains("-0.0") && words.contains("LOS | 50.0 %"), "{words}");
}

#[test]
fn games_are_exported_without_comments_and_as_final_positions() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    bench.json("match a b --nodes 1 --games 4 --max-moves 5 --event Cup");
    let moves = bench.run("report last --format pgn-moves").stdout;
    assert_eq!(moves.matches("[Result ").count(), 4);
    assert_eq!(moves.matches("[Event \"Cup\"]").count(), 4);
    assert!(!moves.contains('{') && moves.contains("1/2-1/2\n"), "{moves}");
    let positions = bench.run("report last --format epd").stdout;
    let lines: Vec<&str> = positions.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().any(|line| line.ends_with(" id \"1.1\";")), "{positions}");
    // What one writes the other reads.
    std::fs::write(bench.path().join("final.epd"), &positions).expect("written");
    bench.json("match a b --nodes 1 --games 2 --max-moves 2 --openings final.epd");
}

#[test]
fn what_the_stream_has_counted_is_kept_whatever_happens_then() {
    let bench = Bench::new(&[("a", "--delay 2"), ("b", "--seed 2 --delay 2")]);
    let line = "match a b --nodes 1 --games 400 --max-moves 5 --jobs 2 --json-stream";
    for told in [2, 11] {
        let mut harness = bench.harness(line);
        let mut harness =
            harness.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let stdout = BufReader::new(harness.stdout.take().expect("a pipe"));
        let mut counted = 0;
        for line in stdout.lines() {
            let line = line.expect("text");
            let event: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if event["event"] == "statistics" {
                counted = event["games"].as_u64().expect("a number");
                if counted >= told {
                    break;
                }
            }
        }
        harness.kill().expect("it runs");
        harness.wait().expect("it ends");
        assert!(counted >= told, "it ended by itself");
        assert!(bench.games().len() as u64 >= counted, "a game that was counted is lost");
        bench.assert_no_engine_left();
    }
}
