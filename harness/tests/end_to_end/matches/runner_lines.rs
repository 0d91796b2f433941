//! `harness fastchess` in the place of fastchess and cutechess-cli: the lines that other programs read.
//!
//! The forms are facts of fastchess 1.8 and cutechess-cli 1.5, written down here as what fishtest's worker,
//! OpenBench's client, weather-factory, chess-tuning-tools and Lakas look for.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use regex::Regex;
use rustix::process::{Pid, Signal, kill_process};

use crate::matches::bench::{Bench, Ended, until};

const BOOK: &str = "\
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
";

/// As fishtest's worker starts a match, shorter.
const WORKER: &str = "-testEnv -recover -repeat -games 2 -rounds 3 -ratinginterval 1 -scoreinterval 1 \
     -autosaveinterval 0 -report penta=true -pgnout file=games.pgn -crc32 pgn=true -site here \
     -event Batch -srand 7 -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 \
     -variant standard -openings file=book.epd format=epd order=random -check-mate-pvs -maxmoves 20";

const ENGINES: &str = "-engine name=New-1 nodes=5 cmd=mock dir=. -engine name=Base-1 nodes=5 cmd=mock \
     dir=. args=--seed=2 -each proto=uci";

fn bench() -> Bench {
    let bench = Bench::new(&[]);
    std::fs::write(bench.path().join("book.epd"), BOOK).expect("writable");
    bench
}

fn run(bench: &Bench, line: &str) -> Ended {
    bench.run(&format!("fastchess {line}"))
}

/// Lines of a text of which each matches its pattern, one after the other, others between them not counted.
#[track_caller]
fn assert_sequence(text: &str, patterns: &[&str]) {
    let mut lines = text.lines();
    for pattern in patterns {
        let regex = Regex::new(&format!("^{pattern}$")).expect("a pattern");
        assert!(
            lines.any(|line| regex.is_match(line)),
            "no line `{pattern}` in its place:\n{text}"
        );
    }
}

/// CRC-32 bit by bit, unlike the program's.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 }
        })
    })
}

fn numbers(text: &str) -> Vec<u64> {
    let numbers = Regex::new("[0-9]+").expect("a pattern");
    numbers.find_iter(text).map(|number| number.as_str().parse().expect("a number")).collect()
}

#[test]
fn a_worker_finds_its_lines_in_their_order() {
    let bench = bench();
    for concurrency in [1, 3] {
        let _ = std::fs::remove_file(bench.path().join("games.pgn"));
        let ended = run(&bench, &format!("{WORKER} -concurrency {concurrency} {ENGINES}"));
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let text = &ended.stdout;
        let number = r"-?(\d+\.\d+|nan|inf)";
        let block = [
            "-{50}".to_owned(),
            r"Results of New-1 vs Base-1 \(5 nodes, NULL, 16MB, book.epd\):".to_owned(),
            format!(r"Elo: {number} \+/- {number}, nElo: {number} \+/- {number}"),
            format!(r"LOS: {number} %, DrawRatio: {number} %, PairsRatio: {number}"),
            format!(
                r"Games: \d+, Wins: \d+, Losses: \d+, Draws: \d+, Points: \d+\.\d \({number} %\)"
            ),
            format!(r"Ptnml\(0-2\): \[\d+, \d+, \d+, \d+, \d+\], WL/DD Ratio: {number}"),
            "-{50}".to_owned(),
        ];
        let block: Vec<&str> = block.iter().map(String::as_str).collect();
        let games = [
            r"Indexing opening suite\.\.\.",
            r"Started game 1 of 6 \(New-1 vs Base-1\)",
            "File games.pgn has CRC32: 0x[0-9a-f]+",
            r"Finished game \d \(.* vs .*\): (1-0|0-1|1/2-1/2) \{.*\}",
        ];
        let end = ["Finished match", r"Total Time: 00:0\d:\d\d \(hours:minutes:seconds\)"];
        let whole = [&games[..], &block, &block, &block, &end].concat();
        assert_sequence(text, &whole);
        // Games are twice the sum of pairs at every block.
        let lines: Vec<&str> = text.lines().collect();
        let mut blocks = 0;
        for pair in lines.windows(2).filter(|pair| pair[0].starts_with("Games: ")) {
            blocks += 1;
            let (counted, pairs) = (numbers(pair[0])[0], &numbers(pair[1])[2..7]);
            assert_eq!(counted, 2 * pairs.iter().sum::<u64>(), "{pair:?}");
            assert_eq!(counted, 2 * blocks, "{text}");
        }
        assert_eq!(blocks, 3);
        // The last checksum is that of the file, which has all games.
        let file = std::fs::read(bench.path().join("games.pgn")).expect("written");
        let printed = lines.iter().rev().find_map(|line| line.split_once("has CRC32: "));
        assert_eq!(printed.expect("printed").1, format!("{:#x}", crc32(&file)));
        let pgn = String::from_utf8(file).expect("text");
        assert_eq!(pgn.matches("[Event \"Batch\"]").count(), 6);
        if concurrency == 1 {
            let of_games = |line: &&&str| line.contains(" game ");
            let order: Vec<&str> = lines.iter().filter(of_games).map(|line| &line[..8]).collect();
            assert_eq!(order, ["Started ", "Finished"].repeat(6));
        }
        // OpenBench's client reads the third and the seventh word.
        for line in lines.iter().filter(|line| line.starts_with("Finished game")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(["1-0", "0-1", "1/2-1/2"].contains(&words[6]), "{line}");
        }
        assert!(!ended.stderr.contains("Games |"), "a worker reads both outputs: {}", ended.stderr);
    }
}

#[test]
fn a_reader_of_a_pipe_sees_each_line_when_it_happens() {
    let bench = bench();
    let slow = "-engine name=a cmd=mock args=--delay=20 dir=. -engine name=b cmd=mock args=--delay=20 \
                dir=. -each nodes=5 -rounds 1 -maxmoves 10";
    let mut harness = bench.harness(&format!("fastchess {slow}"));
    let mut playing =
        harness.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut lines = BufReader::new(playing.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    assert_eq!(next(), "Started game 1 of 2 (a vs b)");
    assert!(playing.try_wait().expect("ours").is_none(), "it ended before its first line was seen");
    assert!(next().starts_with("Finished game 1 (a vs b): "));
    assert!(playing.try_wait().expect("ours").is_none());
    assert_eq!(next(), "Started game 2 of 2 (b vs a)");
    assert!(playing.wait().expect("it ends").success());
}

#[test]
fn cutechess_has_its_own_lines() {
    let bench = bench();
    let line = "-rounds 2 -games 2 -maxmoves 15 -ratinginterval 2";
    let score = r"Score of New-1 vs Base-1: \d - \d - \d  \[[\d.]+\] \d";
    let ended = run(&bench, &format!("-output format=cutechess {line} {ENGINES}"));
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let elo = r"Elo difference: [-\w.]+ \+/- [-\w.]+, LOS: [-\w.]+ %, DrawRatio: [\d.]+ %";
    assert_sequence(
        &ended.stdout,
        &["Finished game 1.*", "Finished game 2.*", score, "Finished match"],
    );
    assert_sequence(&ended.stdout, &["Finished game 4.*", score, elo, "Finished match"]);
    let ended = bench.run(&format!("fastchess --output cutechess {line} {ENGINES}"));
    let sides = [
        score,
        r"\.\.\.      New-1 playing White: \d - \d - \d  \[[\d.]+\] 2",
        r"\.\.\.      New-1 playing Black: \d - \d - \d  \[[\d.]+\] 2",
        r"\.\.\.      White vs Black: \d - \d - \d  \[[\d.]+\] 4",
        elo,
        "Player: New-1",
        r#"   "[\w: -]+": \d"#,
        "Finished match",
    ];
    assert_sequence(&ended.stdout, &sides);
    // Each game counts when it ends.
    let scores: Vec<u64> = ended
        .stdout
        .lines()
        .filter(|line| line.starts_with("Score of"))
        .map(|line| line.rsplit(' ').next().and_then(|text| text.parse().ok()).expect("a number"))
        .collect();
    assert_eq!(scores, [1, 2, 3, 4]);
    assert!(!ended.stdout.contains("Total Time"), "{}", ended.stdout);
}

#[test]
fn a_decided_test_says_so_and_ends_well() {
    let bench = bench();
    // Everybody loses to the engine that resigns nothing: the other one plays illegal moves.
    let engines = "-engine name=a cmd=mock dir=. -engine name=b cmd=mock args=--answer=illegal dir=. \
                   -each nodes=5";
    let line = "-sprt elo0=0 elo1=200 alpha=0.05 beta=0.05 -rounds 200 -ratinginterval 1000";
    for (format, expected) in [
        (
            "",
            [
                r"Warning; Illegal move \w+ played by b",
                r"Finished game 1 \(a vs b\): 1-0 \{Black makes an illegal move\}",
                r"LLR: [\d.]+ \([\d.]+%\) \(-2.94, 2.94\) \[0.00, 200.00\]",
                r"SPRT \(\[0.00, 200.00\]\) completed - H1 was accepted",
                "Finished match",
            ],
        ),
        (
            "-output format=cutechess",
            [
                r"Warning; Illegal move \w+ played by b",
                r"Finished game 1 \(a vs b\): 1-0 \{Black makes an illegal move\}",
                r"SPRT: llr [\d.]+ \([\d.]+%\), lbound -2.94, ubound 2.94 - H1 was accepted",
                "Tournament finished",
                "Finished match",
            ],
        ),
    ] {
        let ended = run(&bench, &format!("{format} {line} {engines}"));
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        assert_sequence(&ended.stdout, &expected);
    }
}

#[test]
fn faults_have_the_words_by_which_workers_count_them() {
    let bench = bench();
    for (flags, more, status, lines) in [
        (
            "--crash=go",
            "-recover",
            0,
            &[r"Finished game 1 .*: 0-1 \{White disconnects\}", "Player: bad", "  Crashed: 2"][..],
        ),
        (
            "--crash=go",
            "",
            1,
            &[
                "Game 1 stalled / disconnected and no recover option set for engine, stopping tournament.",
                r"Finished game 1 .*: 0-1 \{White disconnects\}",
                r"Tournament was interrupted. To resume the tournament, run: .* -config file=config.json",
                "Finished match",
            ],
        ),
        (
            "--delay=400",
            "-recover",
            0,
            &[
                r"Finished game 1 .*: 0-1 \{White loses on time \(\d+ms overrun\)\}",
                "  Timeouts: 2",
            ],
        ),
        (
            "--answer=illegal",
            "",
            0,
            &[
                r"Warning; Illegal move \w+ played by bad",
                r"Finished game 1 .*: 0-1 \{White makes an illegal move\}",
            ],
        ),
    ] {
        let line = format!(
            "-engine name=bad cmd=mock args={flags} dir=. -engine name=good cmd=mock dir=. -each \
             tc=0.2+0.1 -rounds 1 -maxmoves 5 -pgnout file=faults.pgn append=false {more}"
        );
        let ended = run(&bench, &line);
        assert_eq!(ended.status, status, "{flags} {more}\n{}\n{}", ended.stdout, ended.stderr);
        assert_sequence(&ended.stdout, lines);
        let pgn = std::fs::read_to_string(bench.path().join("faults.pgn")).expect("written");
        let tag = match flags {
            "--crash=go" => "abandoned",
            "--delay=400" => "time forfeit",
            _ => "illegal move",
        };
        assert!(pgn.contains(&format!("[Termination \"{tag}\"]")), "{pgn}");
    }
}

#[test]
fn what_engines_print_is_checked_in_one_line_or_several() {
    let bench = bench();
    let engines = |flags: &str| {
        format!(
            "-engine name=bad cmd=mock args={flags} dir=. -engine name=good cmd=mock dir=. -each \
             nodes=5 -rounds 1 -maxmoves 2"
        )
    };
    let ended = run(&bench, &format!("-testEnv {}", engines("--bad-pv")));
    let one = r"Warning; Illegal PV move - move a1a1 from bad :: Info; info .* pv a1a1 :: Position; (fen .*|startpos) :: Moves; .*";
    assert_sequence(&ended.stdout, &["Started game 1.*", one, "Finished game 1.*"]);
    let ended = run(&bench, &engines("--bad-pv"));
    assert_sequence(
        &ended.stdout,
        &[
            "Warning; Illegal PV move - move a1a1 from bad",
            "Info; info .*",
            "Position; .*",
            "Moves; .*",
        ],
    );
    let ended = run(&bench, &format!("-strict {}", engines("--bad-pv")));
    assert_eq!(ended.status, 1, "{}", ended.stdout);
    let good = run(&bench, &format!("-check-mate-pvs {}", engines("--seed=3")));
    assert_eq!((good.status, good.stdout.contains("Warning")), (0, false), "{}", good.stdout);
    // An option that is not there is not set, and the match is played.
    let odd = format!("{} -each option.Nonsense=1 option.Hash=x", engines("--seed=3"));
    let ended = run(&bench, &odd);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_sequence(
        &ended.stdout,
        &["Warning; Invalid value for option Hash; x", "Warning; bad doesn't have option Nonsense"],
    );
}

/// A match that takes some seconds, at conflict with nothing.
fn slow_match(bench: &Bench, more: &str) -> Command {
    bench.harness(&format!(
        "fastchess -engine name=a cmd=mock args=--delay=4 dir=. -engine name=b cmd=mock args=--delay=4 \
         dir=. -each nodes=5 -rounds 30 -maxmoves 8 -ratinginterval 1 -concurrency 2 {more}"
    ))
}

#[test]
fn an_interrupted_match_ends_with_its_results_and_its_configuration_continues_it() {
    let bench = bench();
    let playing = slow_match(&bench, "-pgnout file=games.pgn -config outname=saved.json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    until("no game is kept", || crate::common::has_games(bench.path(), 6));
    kill_process(Pid::from_child(&playing), Signal::INT).expect("it runs");
    let ended = Ended::of(playing.wait_with_output().expect("it ends"));
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    let interrupted =
        "Tournament was interrupted. To resume the tournament, run: .* -config file=saved.json";
    assert_sequence(
        &ended.stdout,
        &["Finished game .*", "Results of a vs b .*", "Ptnml.*", interrupted, "Finished match"],
    );
    let finished = |text: &str| text.matches("Finished game ").count();
    let before = finished(&ended.stdout);
    assert!((6..60).contains(&before), "{before}");
    let again = bench.run("fastchess -config file=saved.json");
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(before + finished(&again.stdout), 60, "{}", again.stdout);
    assert_sequence(
        &again.stdout,
        &["Loading config file: saved.json", "Games: 60, .*", "Finished match"],
    );
    let pgn = std::fs::read_to_string(bench.path().join("games.pgn")).expect("written");
    assert_eq!(pgn.matches("[Result ").count(), 60);
    let saved = std::fs::read_to_string(bench.path().join("saved.json")).expect("saved");
    let saved: serde_json::Value = serde_json::from_str(&saved).expect("JSON");
    let stats = &saved["stats"]["a vs b"];
    let count = |key: &str| stats[key].as_u64().expect("a number");
    assert_eq!(count("wins") + count("losses") + count("draws"), 60, "{saved}");
    assert_eq!(saved["engines"][1]["name"], "b");
    // What another program saved is not continued.
    std::fs::write(bench.path().join("other.json"), "{\"engines\": []}").expect("writable");
    bench
        .run("fastchess -config file=other.json")
        .assert_fails(2, &["was not saved by this program"]);
    bench.run("fastchess -config file=none.json").assert_fails(2, &["none.json"]);
}

#[test]
fn the_last_line_that_matches_is_in_the_comments_of_the_games() {
    let bench = bench();
    let engines: Vec<&str> = ENGINES.split_whitespace().collect();
    let line = format!("-rounds 1 -maxmoves 3 {}", engines.join(" "));
    let nodes = Regex::new(r"s, n=\d+[,}]").expect("a pattern");
    for (pattern, expected) in [("^info\u{a0}depth", "line=\"info depth "), ("nothing", "")] {
        let words = format!(
            "fastchess {line} -pgnout file=lines.pgn append=false nodes=true match_line={pattern}"
        );
        let words = words.split(' ').map(|word| word.replace('\u{a0}', " "));
        let ended = Ended::of(bench.harness("").args(words).output().expect("it starts"));
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let pgn = std::fs::read_to_string(bench.path().join("lines.pgn")).expect("written");
        let flat = pgn.replace('\n', " ");
        assert_eq!(flat.contains("line="), !expected.is_empty(), "{pgn}");
        assert!(flat.contains(expected), "{pgn}");
        // As OpenBench reads it.
        assert!(nodes.is_match(&flat), "{pgn}");
    }
    bench
        .run(&format!("fastchess {line} -pgnout file=x.pgn match_line=("))
        .assert_fails(2, &["--pgn-lines"]);
}

fn called(bench: &Bench, program: &Path, line: &str) -> Ended {
    let mut command = Command::new(program);
    command.current_dir(bench.path()).args(line.split_whitespace()).stdin(Stdio::null());
    Ended::of(command.output().expect("it starts"))
}

#[test]
fn the_name_of_a_link_decides_whose_lines_are_printed() {
    let bench = bench();
    let bin = bench.path().join("bin");
    std::fs::create_dir(&bin).expect("created");
    for (name, version) in [
        ("fastchess", "fastchess 1.8.2 (Tench "),
        ("fastchess-ob", "fastchess 1.8.2 (Tench "),
        ("cutechess-cli", "cutechess-cli 1.5.1 (Tench "),
    ] {
        let made = bench.run(&format!("install-as {name} bin"));
        assert_eq!(made.status, 0, "{}", made.stderr);
        let again = bench.run(&format!("install-as {name} bin"));
        assert_eq!(again.status, 0, "{}", again.stderr);
        assert!(again.stdout.contains("is this program already"), "{}", again.stdout);
        let program = bin.join(name);
        for flag in ["-version", "--version"] {
            let shown = called(&bench, &program, flag);
            assert!(shown.stdout.starts_with(version), "{}{}", shown.stdout, shown.stderr);
        }
        let played = called(&bench, &program, &format!("-rounds 1 -maxmoves 2 {ENGINES}"));
        assert_eq!(played.status, 0, "{}", played.stderr);
        assert_sequence(
            &played.stdout,
            &["Started game 1 of 2 .*", "Finished game 2 .*", "Finished match"],
        );
        let is_cutechess = name == "cutechess-cli";
        assert_eq!(played.stdout.contains("Score of"), is_cutechess, "{}", played.stdout);
        assert_eq!(played.stdout.contains("Ptnml"), !is_cutechess, "{}", played.stdout);
        assert!(!played.stderr.contains("in our own words"), "{}", played.stderr);
        // Wrong command lines end with 1, as there.
        assert_eq!(called(&bench, &program, "-enigne cmd=x").status, 1);
    }
}

#[test]
fn a_link_replaces_nothing_and_says_where_it_cannot_be() {
    let bench = bench();
    let inside = |name: &str| bench.path().join(name);
    std::fs::write(inside("fastchess"), "#!/bin/sh\n").expect("written");
    bench.run("install-as fastchess .").assert_fails(2, &["fastchess exists", "--force"]);
    let text = std::fs::read_to_string(inside("fastchess")).expect("it is there");
    assert_eq!(text, "#!/bin/sh\n");
    bench.run("install-as fastchess nowhere").assert_fails(2, &["there is no folder nowhere"]);
    bench.run("install-as cutechess .").assert_fails(2, &["cutechess-cli"]);
    std::fs::create_dir(inside("fastchess-ob")).expect("created");
    bench.run("install-as fastchess-ob . --force").assert_fails(2, &["is a folder"]);
    // A link to nothing is in the way, too.
    std::os::unix::fs::symlink("gone", inside("cutechess-cli")).expect("linked");
    bench.run("install-as cutechess-cli .").assert_fails(2, &["exists"]);
    for name in ["fastchess", "cutechess-cli"] {
        let forced = bench.run(&format!("install-as {name} . --force"));
        assert_eq!(forced.status, 0, "{}", forced.stderr);
        assert!(called(&bench, &inside(name), "-version").stdout.contains("Tench"));
    }
    // A folder that nobody can write.
    bench.run("install-as fastchess /proc").assert_fails(4, &["cannot make /proc/fastchess"]);
}

#[test]
fn engines_of_cutechess_are_found_by_their_names() {
    let bench = bench();
    let engine = |name: &str, seed: u8| {
        format!(
            r#"{{"command": "./mock --seed {seed}", "name": "{name}", "protocol": "uci",
                "initStrings": ["uci", "setoption name Hash value 3"]}}"#
        )
    };
    let file = format!("[{}, {}]", engine("engine1", 1), engine("engine2", 2));
    std::fs::write(bench.path().join("engines.json"), file).expect("written");
    let line = "-engine conf=engine1 restart=auto tc=inf nodes=5 -engine conf=engine2 restart=auto \
                tc=inf nodes=5 -rounds 1 -games 2 -repeat -recover -debug -pgnout out.pgn -maxmoves 3";
    let ended = bench.run(&format!("fastchess --output cutechess {line}"));
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_sequence(&ended.stdout, &["Score of engine1 vs engine2: .*", "Elo difference: .*"]);
}
