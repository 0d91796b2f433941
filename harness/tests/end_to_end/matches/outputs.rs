//! Outputs that cannot be written, and what must not be written to them.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, getuid, kill_process};

use crate::common::write_program;
use crate::matches::bench::{Bench, Ended, until};

/// Where an output goes.
#[derive(Clone, Copy, Debug)]
enum Output {
    /// A disk that is full.
    Full,
    /// A pipe without a reader.
    Closed,
}

impl Output {
    fn open(self) -> Stdio {
        match self {
            Output::Full => File::options().write(true).open("/dev/full").expect("opens").into(),
            Output::Closed => {
                let (reader, writer) = std::io::pipe().expect("a pipe");
                drop(reader);
                writer.into()
            }
        }
    }
}

fn bench() -> Bench {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let tuning = "engine: builtin\noptions: { Hash: 1 }\nlimit: nodes=20\ngames: 8\nbatch: 4\n\
                  max_moves: 10\nparameters:\n  rfp_margin:\nvalidation: { games: 0 }\n";
    std::fs::write(bench.path().join("try.yaml"), tuning).unwrap();
    let suite = "6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8; id \"mate\";\n";
    std::fs::write(bench.path().join("mate.epd"), suite).unwrap();
    let perft = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20\n";
    std::fs::write(bench.path().join("perft.epd"), perft).unwrap();
    bench
}

const MATCH: &str = "match a b --nodes 1 --max-moves 10 --games 8";

#[test]
fn messages_that_cannot_be_written_change_nothing() {
    let match_with_reports = format!("{MATCH} --report-every 2");
    let cases = [
        (match_with_reports.as_str(), 0, "Games"),
        ("sprt a a --nodes 1 --max-moves 4 --max-games 8 --report-every 2", 3, "Games"),
        ("match builtin builtin --nodes 20 --max-moves 4 --games 2", 0, "Games"),
        ("-vv match builtin a --nodes 20 --max-moves 4 --games 2", 0, "Games"),
        ("data generate --games 2 --nodes 20 -o some.games", 0, "2 games"),
        ("tune run try.yaml", 3, "rfp_margin"),
        ("suite mate.epd --nodes 100", 0, "1"),
        ("suite no-such.epd", 2, ""),
        ("no-such-command", 2, ""),
        ("stats --wdl nonsense", 2, ""),
    ];
    for output in [Output::Full, Output::Closed] {
        for (line, status, says) in cases {
            let bench = bench();
            let outputs = [None, Some(output.open())];
            let ended = bench.run_to(bench.harness(line), outputs, &mut || {});
            assert_eq!(ended.status, status, "{line}, {output:?}");
            assert!(ended.stdout.contains(says), "{line}, {output:?}: {}", ended.stdout);
            bench.assert_no_engine_left();
        }
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure_and_a_reader_that_left_is_none() {
    let bench = bench();
    assert_eq!(bench.run("data generate --games 2 --nodes 20 -o some.games").status, 0);
    let stream = format!("{MATCH} --json-stream");
    let json = format!("{MATCH} --json");
    let lines = [
        "--help",
        "--version",
        "stats --help",
        "stats --wdl 5,3,2",
        "stats --wdl 5,3,2 --json",
        "sprt --plan",
        "runs --json",
        "check a --json",
        "perft perft.epd --json",
        "suite mate.epd --nodes 100 --json",
        "data stats some.games --json",
        "data view some.games -o -",
        "tune methods",
        MATCH,
        &json,
        &stream,
        "runs",
        "report last --format pgn",
        "report last --format json",
    ];
    for line in lines {
        let ordinary = bench.run(line);
        assert!([0, 1, 3].contains(&ordinary.status), "{line}: {}", ordinary.stderr);
        let run = |output: Output| {
            bench.run_to(bench.harness(line), [Some(output.open()), None], &mut || {})
        };
        run(Output::Full).assert_fails(4, &["cannot write", "No space left on device"]);
        assert_eq!(run(Output::Closed).status, ordinary.status, "{line}");
    }
}

#[test]
fn a_ledger_that_is_none_is_the_same_failure_to_all_commands() {
    let bench = bench();
    std::fs::create_dir(bench.path().join("reports")).unwrap();
    std::fs::write(bench.path().join("reports/ledger.db"), "no database".repeat(99)).unwrap();
    for line in [
        MATCH,
        "runs",
        "resume last",
        "report last",
        "data view last -o x.csv",
        "data stats last",
        "suite make --from last --engine a --output x.epd",
        "tune apply last",
    ] {
        bench.run(line).assert_fails(4, &["is not a ledger"]);
    }
}

/// Gives the files of a folder, and the folder itself, these rights; folders may be entered.
fn change_rights(folder: &Path, rights: u32) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            change_rights(&entry.path(), rights);
        } else {
            let executable = entry.metadata().unwrap().permissions().mode() & 0o111;
            let rights = Permissions::from_mode(rights | executable);
            std::fs::set_permissions(entry.path(), rights).unwrap();
        }
    }
    std::fs::set_permissions(folder, Permissions::from_mode(rights | 0o111)).unwrap();
}

/// The harness as a user who may read the bench and change nothing there.
fn by_a_reader(bench: &Bench, line: &str) -> Ended {
    let mut harness = bench.harness(line);
    if getuid().is_root() {
        const NOBODY: u32 = 65_534;
        harness.uid(NOBODY).gid(NOBODY);
    }
    bench.run_to(harness, [None, None], &mut || {})
}

#[test]
fn a_reports_folder_that_cannot_be_written_can_be_read() {
    let bench = bench();
    let games = bench.json(MATCH)["games"].clone();
    change_rights(bench.path(), 0o444);
    let runs = by_a_reader(&bench, "runs --json");
    let run = bench.ledger().facts("last").unwrap().id;
    let report = by_a_reader(&bench, "report last --format json");
    let page = by_a_reader(&bench, "report last -o -");
    let into_the_folder = by_a_reader(&bench, "report last");
    let another = by_a_reader(&bench, MATCH);
    change_rights(bench.path(), 0o644);
    assert_eq!(runs.status, 0, "{}", runs.stderr);
    assert!(runs.stdout.contains(&run), "{}", runs.stdout);
    assert_eq!(report.status, 0, "{}", report.stderr);
    let report: serde_json::Value = serde_json::from_str(&report.stdout).expect("one JSON object");
    assert_eq!(report["games"], games);
    assert!(page.status == 0 && page.stdout.contains("</html>"), "{}", page.stderr);
    into_the_folder.assert_fails(4, &["cannot write", "report.html", "-o FILE"]);
    another.assert_fails(4, &["cannot write", "--reports DIR"]);
}

#[test]
fn a_ledger_that_may_not_be_read_is_a_failure_that_names_it() {
    let bench = bench();
    bench.json(MATCH);
    change_rights(bench.path(), 0o444);
    let ledger = bench.path().join("reports/ledger.db");
    std::fs::set_permissions(&ledger, Permissions::from_mode(0o000)).unwrap();
    let lines = ["runs", "resume last", "report last", "data stats last"];
    let ended = lines.map(|line| by_a_reader(&bench, line));
    change_rights(bench.path(), 0o644);
    for ended in ended {
        ended.assert_fails(4, &["cannot read", "ledger.db"]);
    }
}

/// An engine that leaves a file when it is started, and never answers `go`.
fn add_a_stuck_engine(bench: &Bench) {
    let script = "#!/bin/sh\ntouch started\nexec ./mock --hang go\n";
    write_program(&bench.path().join("stuck"), script);
}

#[test]
fn an_interrupt_is_told_as_one_whatever_it_interrupts() {
    for line in [
        "speed ./stuck",
        "suite mate.epd ./stuck --nodes 100",
        "match ./stuck a --nodes 1 --watchdog 1000s",
        "openings generate --engine ./stuck -o x.epd",
        "data generate --engine ./stuck --games 2 -o x.games",
    ] {
        let bench = bench();
        add_a_stuck_engine(&bench);
        let mut harness = bench.harness(line);
        let harness = harness.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until("the engine is not started", || bench.path().join("started").exists());
        kill_process(Pid::from_child(&harness), Signal::INT).unwrap();
        Ended::of(harness.wait_with_output().unwrap()).assert_fails(130, &["interrupted: "]);
        bench.assert_no_engine_left();
    }
}

#[test]
fn names_cannot_command_the_terminal() {
    const EVIL: &str = "a\x1b]0;x\x07\u{9b}2Jb";
    let bench = bench();
    let game = |white: &str, result: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"c\"]\n[Result \"{result}\"]\n\n1. e4 e5 {result}\n\n"
        )
    };
    let pgn = [game(EVIL, "1-0"), game("c", "0-1"), game(EVIL, "1/2-1/2")].concat();
    std::fs::write(bench.path().join("evil.pgn"), pgn).unwrap();
    let suite = format!("6k1/5ppp/8/8/8/8/8/R6K w - - bm Rb1; id \"{EVIL}\";\n");
    std::fs::write(bench.path().join("evil.epd"), suite).unwrap();
    let mock = format!("#!/bin/sh\nexec ./mock --name '{EVIL}'\n");
    write_program(&bench.path().join("evil"), &mock);
    let no_such = format!("no-such-{EVIL}");
    let option = format!("{EVIL}=1");
    let lines: [&[&str]; 9] = [
        &["stats", "--pgn", "evil.pgn"],
        &["stats", "--pgn", "evil.pgn", "--json"],
        &["suite", "evil.epd", "a", "--nodes", "1"],
        &["suite", &no_such],
        &["suite", "evil.epd", "a", "--nodes", "1", "--option", &option],
        &["check", "./evil"],
        &["match", "./evil", "a", "--nodes", "1", "--games", "2", "--max-moves", "2"],
        &["-vv", "match", "./evil", "a", "--nodes", "1", "--games", "2", "--max-moves", "2"],
        &[&no_such],
    ];
    for words in lines {
        let mut harness: Command = bench.harness("");
        harness.args(words);
        let ended = bench.run_to(harness, [None, None], &mut || {});
        assert!([0, 1, 2].contains(&ended.status), "{words:?}: {}", ended.stderr);
        for text in [&ended.stdout, &ended.stderr] {
            let commands = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
            assert!(!text.contains(commands), "{words:?}: {text:?}");
        }
        if words.contains(&"--json") {
            let value: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
            assert!(value.to_string().contains(&serde_json::json!(EVIL).to_string()), "{value}");
        }
    }
}
