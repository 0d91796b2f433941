//! The probe before a run: misbehaving engines are warned about or refused before the first game.

use std::process::Stdio;
use std::thread;

use serde_json::Value;

use crate::common::{MOCK, harness, has_games, run, texts, until};
use crate::needs::debian_engine;

/// Whether a text holds some words; an error is wrapped to the width of the terminal, at hyphens
/// too.
fn holds(text: &str, words: &str) -> bool {
    let bare = |text: &str| text.replace(|c: char| c.is_whitespace() || c == '│', "");
    bare(text).contains(&bare(words))
}

/// Runs the harness in a fresh folder with the test engine `mock`, with these flags.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(flags: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let flags: Vec<&str> = flags.split_whitespace().collect();
        let yaml = format!(
            "engines:\n  mock: {{ cmd: {MOCK}, args: {flags:?} }}\n  good: {{ cmd: {MOCK}, args: \
             [\"--infos\", \"5\"] }}\n"
        );
        std::fs::write(folder.path().join("harness.yaml"), yaml).unwrap();
        Bench { folder }
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn run(&self, line: &str) -> (i32, String, String) {
        texts(&run(self.folder.path(), line))
    }

    /// It must be refused as wrong usage, with these words.
    fn assert_refused(&self, line: &str, words: &[&str]) {
        let (status, _, stderr) = self.run(line);
        assert_eq!(status, 2, "{line}\n{stderr}");
        for word in words.iter().chain(&["--no-probe"]) {
            assert!(holds(&stderr, word), "{line}: `{word}` is not in\n{stderr}");
        }
    }

    /// There is no run.
    fn assert_no_run(&self) {
        let runs = std::fs::read_dir(self.folder.path().join("reports/runs"));
        let runs: Vec<_> = runs.into_iter().flatten().flatten().map(|run| run.path()).collect();
        assert!(runs.is_empty(), "{runs:?}");
    }

    /// It must end well; gives its warnings and what it printed on standard error.
    fn warnings(&self, line: &str) -> (String, String) {
        let (status, stdout, stderr) = self.run(&format!("{line} --json"));
        assert_eq!(status, 0, "{line}\n{stderr}");
        let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}"));
        (json["warnings"].to_string(), stderr)
    }
}

const POSITION: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"1\";\n";

#[test]
fn an_engine_that_never_stops_is_refused_with_a_limit_that_it_respects() {
    let match_ = "match mock good --games 2 --max-moves 2";
    let cases = [
        (
            "--endless nodes --infos 5",
            "--nodes 2000",
            "`go nodes 2000`",
            "--movetime 100ms and --depth 8",
        ),
        (
            "--endless depth --infos 5",
            "--depth 4",
            "`go depth 4`",
            "--nodes 5000 and --movetime 100ms",
        ),
        (
            "--endless movetime --infos 5",
            "--movetime 50ms",
            "`go movetime 50`",
            "--nodes 5000 and --depth 8",
        ),
        ("--endless any", "--tc 9+0.1", "`go wtime 1000 ", "respects no other limit"),
        ("--overshoot 1000", "--nodes 2000", "ended by itself", "--movetime 100ms"),
        // It says nothing at all until it is stopped.
        ("--hang go --obey-stop", "--nodes 2000", "had to be stopped", "no other limit"),
        // It plays by the clock alone.
        (
            "--endless all-but-clock --infos 5",
            "--nodes 2000",
            "had to be stopped",
            "it respects --tc 8+0.08",
        ),
        (
            "--endless all-but-clock --infos 5",
            "--depth 5",
            "had to be stopped",
            "it respects --tc 8+0.08",
        ),
        // Not even then.
        ("--hang go", "--nodes 2000", "no bestmove after `stop`", "harness check ENGINE"),
    ];
    thread::scope(|scope| {
        for (flags, limit, what, advice) in cases {
            scope.spawn(move || {
                let bench = Bench::new(flags);
                bench.assert_refused(&format!("{match_} {limit}"), &["mock", what, advice]);
                bench.assert_no_run();
            });
        }
    });
}

#[test]
fn every_command_that_searches_refuses_an_engine_that_never_stops() {
    let bench = Bench::new("--endless nodes --infos 5");
    bench.file("one.epd", POSITION);
    bench.file(
        "tune.yaml",
        "engine: mock\nlimit: nodes=2000\ngames: 4\nparameters: { Hash: { min: 1, max: 64 } }\n",
    );
    let bench = &bench;
    thread::scope(|scope| {
        for line in [
            "sprt mock good --nodes 2000 --max-games 2",
            "suite one.epd mock --nodes 2000",
            "suite audit one.epd --engine mock --nodes 2000",
            "tune run tune.yaml",
            "openings generate --count 1 --engine mock --nodes 2000",
            "data generate --games 1 --engine mock --nodes 2000 -o a.games",
            "data import one.epd -o b.epd --engine mock --nodes 2000",
        ] {
            scope
                .spawn(move || bench.assert_refused(line, &["mock", "does not stop at `go nodes"]));
        }
    });
}

#[test]
fn what_is_odd_is_warned_about_and_the_run_goes_on() {
    let nodes = "--nodes 2000";
    let cases = [
        ("--overshoot 20 --infos 5", nodes, "overshoots `go nodes 2000`"),
        ("--ignore-nodes", nodes, "stops far short of `go nodes 2000`"),
        ("--ignore-nodes --infos 2", "--depth 5", ""),
        ("--ignore-depth", "--depth 5", "stops far short of `go depth 5`"),
        ("--ignore-depth --infos 9", "--depth 5", "overshoots `go depth 5`"),
        ("--ignore-depth --infos 4", "--depth 5", "does not heed `go depth 5`"),
        ("--ignore-depth --infos 4", "--depth 1", "overshoots `go depth 1`"),
        ("--instant --infos 5", "--depth 5", "at `go depth 2` "),
        ("--instant --infos 5", "--depth 5", "; it respects --tc 8+0.08"),
        ("--instant --infos 5", "--movetime 100ms", "at `go movetime 240` "),
        ("--instant --infos 15", nodes, "does not heed `go nodes 2000`"),
        ("--instant --infos 5", "--nodes 500", "does not heed `go nodes 500`"),
        ("--first-nodes 45 --infos 5", nodes, "stops far short of `go nodes 2000`"),
        ("--first-nodes 45 --infos 5", "--nodes 100", "does not heed `go nodes 100`"),
        ("--first-nodes 45 --infos 5", "--depth 5", ""),
        ("--infos 5", "--nodes 1", ""),
        ("--infos 5", "--nodes 100", ""),
        ("--infos 5", "--depth 1", ""),
        ("--infos 5", "--movetime 100ms", ""),
        ("--remember --infos 5", nodes, "does not clear its state on `ucinewgame`"),
        ("--remember --infos 5", "--nodes 2000 --restart", ""),
        ("--remember --infos 5", "--movetime 5ms", ""),
        ("--crash go --on 2 --infos 5", nodes, "exit status 3"),
        ("--infos 5", nodes, ""),
    ];
    thread::scope(|scope| {
        for (flags, limit, what) in cases {
            scope.spawn(move || {
                let bench = Bench::new(flags);
                let line = format!("match mock good --games 2 --max-moves 1 {limit}");
                let (warnings, stderr) = bench.warnings(&line);
                let is_probe = |text: &str| text.contains("`go ");
                if what.is_empty() {
                    assert!(!is_probe(&warnings), "{flags} {limit}: {warnings}");
                } else {
                    assert!(warnings.contains(what), "{flags} {limit}: {warnings}");
                    assert!(holds(&stderr, what), "{flags} {limit}: {stderr}");
                    let (without, _) = bench.warnings(&format!("{line} --no-probe"));
                    assert!(!without.contains(what), "{flags} {limit}: {without}");
                }
            });
        }
    });
}

#[test]
fn an_engine_that_never_repeats_is_not_told_to_restart() {
    let bench = Bench::new("--moody --remember --infos 5");
    let (warnings, _) = bench.warnings("match mock good --games 2 --max-moves 1 --nodes 2000");
    assert!(warnings.contains("not even with --restart"), "{warnings}");
}

#[test]
fn a_suite_warns_of_what_a_position_leaves_behind() {
    let bench = Bench::new("--remember --infos 5");
    bench.file("one.epd", POSITION);
    let (warnings, _) = bench.warnings("suite one.epd mock --nodes 2000");
    assert!(warnings.contains("does not clear its state"), "{warnings}");
}

#[test]
fn a_range_that_the_engine_does_not_take_is_refused_before_the_first_game() {
    // The engine's flags, the parameters, what is said.
    let cases = [
        ("--die-at Hash=1024", "Hash: { min: 1, max: 1024 }", "`setoption name Hash value 1024`"),
        (
            "--die-at Hash=64 --die-later",
            "Hash: { min: 1, max: 64 }",
            "in a search with every tuned option at its largest",
        ),
    ];
    thread::scope(|scope| {
        for (flags, parameters, what) in cases {
            scope.spawn(move || {
                let bench = Bench::new(&format!("{flags} --infos 5"));
                let yaml = format!(
                    "engine: mock\nlimit: nodes=100\ngames: 4\nparameters: {{ {parameters} }}\n"
                );
                bench.file("tune.yaml", &yaml);
                bench.assert_refused("tune run tune.yaml", &["mock", what, "narrow the range"]);
                bench.assert_no_run();
            });
        }
    });
}

#[test]
fn a_range_beyond_what_the_engine_says_is_refused_before_it_is_tried() {
    let bench = Bench::new("");
    let yaml = "engine: mock\nlimit: nodes=100\ngames: 4\nparameters: { Hash: { max: 4096 } }\n";
    bench.file("tune.yaml", yaml);
    let (status, _, stderr) = bench.run("tune run tune.yaml");
    assert_eq!(status, 2, "{stderr}");
    assert!(holds(&stderr, "`Hash`: max 4096 is outside the engine's 1 to 1024"), "{stderr}");
}

#[test]
fn a_resumed_run_is_probed_again_and_says_how_to_go_on_without() {
    let bench = Bench::new("--endless nodes");
    let line = "match mock good --nodes 2000 --games 100 --watchdog 100ms --jobs 1 --no-probe";
    let mut command = harness(bench.folder.path(), line.split_whitespace());
    let mut playing = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("games are kept", || {
        assert_eq!(playing.try_wait().unwrap(), None, "it ended by itself");
        has_games(bench.folder.path(), 0)
    });
    playing.kill().unwrap();
    playing.wait().unwrap();
    let (status, _, stderr) = bench.run("resume last");
    assert_eq!(status, 2, "{stderr}");
    assert!(holds(&stderr, "does not stop") && holds(&stderr, "--no-probe"), "{stderr}");
}

/// Engines of others, where they are installed.
#[test]
fn engines_of_others_are_seen_for_what_they_are() {
    let installed = |name: &str| debian_engine(name).is_some();
    let bench = Bench::new("");
    bench.file("one.epd", POSITION);
    if installed("toga2") {
        let words = ["toga2 does not stop at `go nodes 2000`", "--movetime 100ms and --depth 8"];
        bench.assert_refused("suite one.epd toga2 --nodes 2000", &words);
    }
    if installed("ethereal-chess") {
        let (warnings, _) = bench.warnings("suite one.epd ethereal-chess --nodes 2000");
        assert!(warnings.contains("stops far short of `go nodes 2000`"), "{warnings}");
    }
    if installed("stockfish") {
        for limit in ["--nodes 20000", "--movetime 100ms", "--depth 6"] {
            let (warnings, _) = bench.warnings(&format!("suite one.epd stockfish {limit}"));
            assert!(!warnings.contains("`go "), "{limit}: {warnings}");
        }
        bench.file(
            "skill.yaml",
            "engine: stockfish\nlimit: nodes=100\ngames: 4\nparameters: { Skill Level: { min: 0, \
             max: 50 } }\n",
        );
        let (status, _, stderr) = bench.run("tune run skill.yaml");
        assert_eq!(status, 2, "{stderr}");
        assert!(
            holds(&stderr, "`Skill Level`: max 50 is outside the engine's 0 to 20"),
            "{stderr}"
        );
    }
}
