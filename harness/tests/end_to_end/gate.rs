//! `harness gate` in a repository of another engine, by the real program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use harness::ledger::Ledger;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::{MOCK, git, harness, has_games, until};

/// A repository of an engine: a script around the mock engine that also has a bench.
struct Repository {
    folder: tempfile::TempDir,
}

/// One version of the engine.
#[derive(Clone, Copy)]
struct Version<'a> {
    /// What `ENGINE bench` runs.
    bench: &'a str,
    /// Flags of the mock engine.
    flags: &'a str,
    /// A line that changes nothing but the file.
    comment: &'a str,
}

const GOOD: Version<'static> =
    Version { bench: "echo 1234 nodes 5678 nps", flags: "", comment: "one" };

impl Repository {
    fn new() -> Repository {
        let repository = Repository { folder: tempfile::tempdir().expect("a folder") };
        std::fs::create_dir(repository.root()).expect("created");
        repository.git(&["init", "-q", "-b", "main"]);
        let rule = "$(EXE): engine.sh\n\tcp engine.sh $(EXE) && chmod +x $(EXE)\n";
        repository.write("Makefile", rule);
        repository
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("engine")
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.root().join(name), text).expect("written");
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.root(), arguments);
    }

    fn commit(&self, version: Version<'_>, message: &str) {
        let Version { bench, flags, comment } = version;
        self.write(
            "engine.sh",
            &format!(
                "#!/bin/sh\n# {comment}\nif [ \"$1\" = bench ]; then\n{bench}\nexit\nfi\n\
                 exec {MOCK} {flags}\n"
            ),
        );
        self.git(&["add", "Makefile", "engine.sh"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn harness(&self, line: &[&str]) -> Command {
        let mut command = harness(&self.root(), line);
        command.env("TENCH_CACHE", self.folder.path().join("cache"));
        command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
        command
    }

    fn run(&self, line: &[&str]) -> Output {
        self.harness(line).output().expect("the harness runs")
    }

    /// The gate's exit status and report.
    fn gate(&self, config: &str) -> (i32, Value) {
        self.write("gate.yaml", config);
        report(&self.run(&["gate", "--json"]))
    }

    fn ledger(&self) -> Ledger {
        Ledger::open_existing(&self.root().join("reports")).expect("a ledger")
    }
}

fn report(output: &Output) -> (i32, Value) {
    let json = serde_json::from_slice(&output.stdout);
    let json = json.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().expect("an exit status"), json)
}

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{report:#}"))
}

fn detail(check: &Value) -> &str {
    check["detail"].as_str().expect("a detail")
}

#[test]
fn a_bench_that_does_not_repeat_is_told_to() {
    let repository = Repository::new();
    repository.commit(GOOD, "one");
    let random = Version { bench: "echo $$ nodes 5678 nps", ..GOOD };
    repository.commit(random, "two");
    let (status, report) = repository.gate("bench: {}\n");
    assert_eq!(status, 1);
    let bench = check(&report, "bench");
    assert!(detail(bench).contains("does not repeat"), "{report:#}");
}

#[test]
fn a_bench_that_does_not_end_is_left_and_an_engine_that_heeds_only_a_clock_gets_an_sprt_by_it() {
    let repository = Repository::new();
    let flags = "--instant --infos 5";
    repository.commit(Version { bench: "sleep 1000", flags, ..GOOD }, "one");
    let line = ["gate", "init", "--bench-timeout", "1", "--output", "-"];
    let output = repository.run(&line);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in ["no end within 1 s", "# No suite: ", "sprt: { tc: 1+0.01"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn what_init_finds_passes_an_unchanged_engine_and_fails_planted_faults() {
    let repository = Repository::new();
    repository.commit(GOOD, "one");
    repository.commit(GOOD, "two");
    let output = repository.run(&["gate", "init"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1234 today") && said.contains("gate.yaml is written"), "{said}");
    let config = std::fs::read_to_string(repository.root().join("gate.yaml")).expect("written");
    for key in ["\nbench: {}", "\nspeed:", "\nconformance: {}", "\nsuites:", "\nsprt:"] {
        assert!(config.contains(key), "{config}");
    }
    // It is not written over.
    assert_eq!(repository.run(&["gate", "init"]).status.code(), Some(2));
    let (status, passed) = report(&repository.run(&["gate", "--json"]));
    assert_eq!((status, &passed["verdict"]), (0, &"passed".into()), "{passed:#}");
    let suite = check(&passed, "suite wac")["run"].as_str().expect("a run");
    let page = repository.root().join("reports/runs").join(passed["run"].as_str().expect("a run"));
    let page = std::fs::read_to_string(page.join("report.html")).expect("a page");
    assert!(page.contains(&format!("../{suite}/report.html")), "{page}");

    repository.commit(GOOD, "three\n\nBench: 99\n");
    let (status, failed) = report(&repository.run(&["gate", "--json"]));
    assert_eq!((status, &check(&failed, "bench")["verdict"]), (1, &"failed".into()), "{failed:#}");

    repository.commit(Version { flags: "--crash go --on 7", ..GOOD }, "four");
    let (status, failed) = report(&repository.run(&["gate", "--json"]));
    assert_eq!((status, &failed["verdict"]), (1, &"failed".into()), "{failed:#}");
    let suite = check(&failed, "suite wac");
    assert_eq!(suite["verdict"], "failed", "{failed:#}");
    assert!(detail(suite).contains("gave no move"), "{suite}");
}

#[test]
fn the_same_bench_is_no_reason_for_no_sprt_when_searches_or_games_differ() {
    const CONFIG: &str = "sprt: { nodes: 100, elo0: -400, elo1: 0, max_games: 4 }\n";
    for (change, is_same) in [
        (Version { comment: "two", ..GOOD }, true),
        (Version { flags: "--seed 5", ..GOOD }, false),
        (Version { bench: "echo 99 nodes 5678 nps", ..GOOD }, false),
        // Behind the searches of the suite: in a game.
        (Version { flags: "--crash go --on 60", ..GOOD }, false),
    ] {
        let repository = Repository::new();
        repository.commit(GOOD, "one");
        repository.commit(change, "two");
        let (status, report) = repository.gate(CONFIG);
        let sprt = check(&report, "sprt");
        let same = "no SPRT needed: the same bench as the base, the same searches of 24 positions and the same 4 games";
        assert_eq!(detail(sprt).contains(same), is_same, "{sprt}");
        assert!(sprt["run"].is_string(), "{report:#}");
        let crashes = change.flags.contains("crash");
        assert_eq!(
            detail(sprt).contains("forfeited by the change in 4 games: crash"),
            crashes,
            "{sprt}"
        );
        assert_eq!(status == 1, crashes, "{report:#}");
        if is_same {
            // Of one strength on the curve.
            let (_, curve) = self::report(&repository.run(&["history", "--elo", "--json"]));
            let step = &curve["commits"][1]["step"];
            assert_eq!((&step["low95"], &step["high95"]), (&0.0.into(), &0.0.into()), "{curve:#}");
        }
    }
}

#[test]
fn a_suite_with_an_earlier_result_is_searched_by_the_base_as_well() {
    let repository = Repository::new();
    repository.commit(GOOD, "one");
    let kept = repository.run(&["suite", "bk", "--nodes", "100", "HEAD", "--json"]);
    repository.write("kept.json", &String::from_utf8_lossy(&kept.stdout));
    repository.commit(Version { comment: "two", ..GOOD }, "two");
    let (status, report) = repository.gate(
        "suites: [{ suite: bk, nodes: 100, baseline: kept.json }]\n\
         sprt: { nodes: 100, elo0: -400, elo1: 0, max_games: 4 }\n",
    );
    let sprt = check(&report, "sprt");
    assert_eq!(status, 0, "{report:#}");
    assert!(detail(sprt).contains("the same searches of 48 positions"), "{sprt}");
}

#[test]
fn a_suite_that_is_not_there_is_refused_before_anything_is_built() {
    let repository = Repository::new();
    repository.commit(GOOD, "one");
    repository.commit(GOOD, "two");
    for config in ["{ suite: wacc, nodes: 100 }", "{ suite: bk, nodes: 100, baseline: none.json }"]
    {
        repository.write("gate.yaml", &format!("bench: {{}}\nsuites: [{config}]\n"));
        let output = repository.run(&["gate"]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{config}: {text}");
        assert!(text.contains("wacc") || text.contains("none.json"), "{text}");
        assert!(!repository.folder.path().join("cache").exists(), "{config}");
    }
}

#[test]
fn a_fault_of_the_base_is_named_as_the_bases() {
    let repository = Repository::new();
    repository.commit(Version { bench: "exit 3", flags: "--crash go --on 7", ..GOOD }, "one");
    repository.commit(GOOD, "two");
    let config = "bench: {}\nsuites: [{ suite: bk, nodes: 100 }]\n";
    let (_, report) = repository.gate(config);
    for name in ["bench", "suite bk"] {
        let check = check(&report, name);
        assert!(detail(check).contains("the base"), "{check}");
    }
}

#[test]
fn a_test_that_its_games_cannot_decide_says_so() {
    let repository = Repository::new();
    repository.commit(GOOD, "one");
    repository.commit(Version { flags: "--seed 5", ..GOOD }, "two");
    for (games, cannot) in [(2, true), (4, false)] {
        let (_, report) = repository
            .gate(&format!("sprt: {{ nodes: 1, elo0: -300, elo1: 300, max_games: {games} }}\n"));
        let detail = detail(check(&report, "sprt"));
        assert_eq!(
            detail.contains("no results of 2 games decide it: 4 at least"),
            cannot,
            "{detail}"
        );
    }
}

#[test]
fn a_crash_in_a_few_games_fails_however_the_games_end() {
    let repository = Repository::new();
    repository.commit(GOOD, "one");
    repository.commit(Version { flags: "--seed 5 --crash go --on 150", ..GOOD }, "two");
    // Bounds that a single lost game is far from.
    let (status, report) =
        repository.gate("sprt: { nodes: 1, elo0: -400, elo1: 0, max_games: 8, undecided: pass }\n");
    assert_eq!(status, 1, "{report:#}");
    assert!(
        detail(check(&report, "sprt")).contains("forfeited by the change: crash"),
        "{report:#}"
    );
}

#[test]
fn noisy_speeds_are_undecided_and_count_as_configured() {
    let repository = Repository::new();
    let count = repository.folder.path().join("count");
    let count = count.display();
    repository.commit(Version { bench: "echo 1 nodes 1000000 nps", ..GOOD }, "one");
    let noisy = format!(
        "n=$(cat {count} 2>/dev/null || echo 0); echo $((n + 1)) >{count}\n\
         echo 1 nodes $((700000 + n % 2 * 600000)) nps"
    );
    repository.commit(Version { bench: &noisy, ..GOOD }, "two");
    for (undecided, status, verdict) in
        [("pass", 0, "passed"), ("fail", 1, "failed"), ("undecided", 3, "undecided")]
    {
        let config = format!("speed: {{ runs: 5, max_runs: 9, undecided: {undecided} }}\n");
        let (seen, report) = repository.gate(&config);
        assert_eq!((seen, &report["verdict"]), (status, &verdict.into()), "{report:#}");
        let speed = check(&report, "speed");
        assert_eq!(
            (&speed["verdict"], &speed["counts_as"]),
            (&"undecided".into(), &verdict.into())
        );
        assert!(detail(speed).contains("after 9 runs each"), "{speed}");
    }
}

#[test]
fn faults_that_the_base_has_as_well_are_known_and_new_ones_fail() {
    let known = Version { flags: "--bad-pv", ..GOOD };
    let worse = Version { flags: "--bad-pv --touchy", ..GOOD };
    for (config, change, status, says) in [
        ("conformance: {}\n", known, 0, "known, for the base has them too: every PV is legal"),
        ("conformance: {}\n", worse, 1, "unknown commands are passed over ("),
        ("conformance: { strict: true }\n", known, 1, "every PV is legal ("),
    ] {
        let repository = Repository::new();
        repository.commit(known, "one");
        repository.commit(change, "two");
        let (seen, report) = repository.gate(config);
        assert_eq!(seen, status, "{report:#}");
        assert!(detail(check(&report, "conformance")).contains(says), "{report:#}");
    }
}

#[test]
fn a_bench_of_another_kind_is_run_and_read_as_configured() {
    let repository = Repository::new();
    let odd = "echo \"depth $2: visited=1.234.567\"";
    repository.commit(Version { bench: odd, ..GOOD }, "one");
    repository.commit(Version { bench: odd, comment: "two", ..GOOD }, "two\n\nBench: 1,234,567");
    let (status, unread) = repository.gate("bench: {}\n");
    assert_eq!(status, 1);
    assert!(detail(check(&unread, "bench")).contains("nodes: REGEX"), "{unread:#}");
    let config = "bench: { command: '$ENGINE bench 5 2>&1', nodes: 'depth 5: visited=(\\S+)' }\n";
    let (status, read) = repository.gate(config);
    assert_eq!(status, 0, "{read:#}");
    assert!(detail(check(&read, "bench")).contains("1234567 nodes; the commit message says"));
}

/// How a gate is stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StoppedBy {
    Signal,
    /// `harness stop`: the games in progress are finished.
    Command,
}

/// Starts a gate whose SPRT takes long, and stops it once games are kept.
fn interrupted(repository: &Repository, games: usize, by: StoppedBy) -> Output {
    let config =
        format!("bench: {{}}\nsprt: {{ nodes: 1, elo0: -1, elo1: 0, max_games: {games} }}\n");
    repository.write("gate.yaml", &config);
    let gate = repository
        .harness(&["gate", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the harness starts");
    until("games are kept", || has_games(&repository.root(), 2));
    if by == StoppedBy::Command {
        let asked = repository.run(&["stop", "last"]);
        assert_eq!(asked.status.code(), Some(0), "{}", String::from_utf8_lossy(&asked.stderr));
    } else {
        let pid = Pid::from_raw(i32::try_from(gate.id()).expect("a process id")).expect("not 0");
        kill_process(pid, Signal::INT).expect("it runs");
    }
    gate.wait_with_output().expect("it ends")
}

#[test]
fn an_interrupted_gate_keeps_its_checks_and_goes_on() {
    let slow = Version { flags: "--delay 2", ..GOOD };
    // With more games than are in progress at once where those in progress are finished.
    for (by_resume, by, games) in [
        (false, StoppedBy::Signal, 20),
        (true, StoppedBy::Signal, 20),
        (true, StoppedBy::Command, 80),
    ] {
        let repository = Repository::new();
        repository.commit(slow, "one");
        repository.commit(Version { flags: "--delay 2 --seed 5", ..slow }, "two");
        let stopped = interrupted(&repository, games, by);
        let said = String::from_utf8_lossy(&stopped.stderr).into_owned();
        assert_eq!(stopped.status.code(), Some(130), "{said}");
        assert!(said.contains("1 of 2 checks are kept"), "{said}");
        let runs = repository.ledger().runs().expect("runs");
        let id = |command: &str| {
            let mut of_kind = runs.iter().filter(|run| run.command == command);
            let run = of_kind.next().expect("a run").run.clone();
            assert!(of_kind.next().is_none());
            run
        };
        let (gate, sprt) = (id("gate"), id("sprt"));
        let output = match by_resume {
            true => repository.run(&["resume", &gate, "--json"]),
            false => repository.run(&["gate", "--json"]),
        };
        let (status, report) = report(&output);
        assert_eq!((status, &report["run"]), (0, &gate.as_str().into()), "{report:#}");
        assert_eq!(check(&report, "bench")["verdict"], "passed");
        // The same SPRT went on, too.
        assert_eq!(check(&report, "sprt")["run"], sprt.as_str());
        assert_eq!(repository.ledger().games(&sprt).expect("games").len(), games);
        assert_eq!(repository.ledger().runs().expect("runs").len(), runs.len());
    }
}

#[test]
fn the_summaries_link_to_the_runs() {
    let repository = Repository::new();
    repository.commit(GOOD, "one");
    repository.commit(Version { flags: "--seed 5", ..GOOD }, "two");
    repository.write("gate.yaml", "sprt: { nodes: 1, elo0: -400, elo1: 0, max_games: 2 }\n");
    let output = repository.run(&["gate", "--markdown", "gate.md"]);
    let text = std::fs::read_to_string(repository.root().join("gate.md")).expect("written");
    let link = text.split_once("](").and_then(|(_, rest)| rest.split_once(')')).expect("a link").0;
    assert!(repository.root().join(link).is_file(), "{link}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = said.lines().find_map(|line| line.strip_prefix("sprt: ")).expect("a page");
    assert!(repository.root().join(Path::new(named)).is_file(), "{said}");
}

#[test]
fn a_branch_is_watched_and_a_commit_is_tested_once() {
    let repository = Repository::new();
    repository.commit(GOOD, "one\n\nBench: 1234");
    repository.commit(Version { comment: "two", ..GOOD }, "two\n\nBench: 1234");
    repository.commit(Version { bench: "echo 999 nodes 1 nps", ..GOOD }, "three\n\nBench: 1234");
    repository.write("gate.yaml", "bench: {}\n");
    let line =
        ["watch", "main", "--once", "--last", "2", "--json", "--hook", "cat >> ../hook.json"];
    let output = repository.run(&line);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let commits = result["commits"].as_array().expect("a list");
    let told =
        |key: &str| commits.iter().map(|commit| commit[key].as_str().expect("text")).collect();
    let (subjects, verdicts): (Vec<&str>, Vec<&str>) = (told("subject"), told("verdict"));
    assert_eq!(subjects, ["two", "three"]);
    assert_eq!(verdicts, ["passed", "failed"]);
    let hook = std::fs::read_to_string(repository.folder.path().join("hook.json"));
    assert_eq!(hook.expect("the hook has run").lines().count(), 2);

    let output = repository.run(&line);
    let again: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(again["commits"].as_array().expect("a list").len(), 0);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_watch_waits_for_a_branch_that_is_away() {
    let repository = Repository::new();
    repository.commit(GOOD, "one\n\nBench: 1234");
    repository.commit(Version { comment: "two", ..GOOD }, "two\n\nBench: 1234");
    repository.write("gate.yaml", "bench: {}\n");
    let seen =
        || std::fs::read_to_string(repository.folder.path().join("hook")).unwrap_or_default();
    let mut watching = repository
        .harness(&["watch", "main", "--every", "1", "--hook", "cat >> ../hook"])
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(repository.folder.path().join("said")).expect("a file"))
        .spawn()
        .expect("it starts");
    let said =
        || std::fs::read_to_string(repository.folder.path().join("said")).unwrap_or_default();
    until("the newest commit is tested", || seen().contains("\"two\""));
    repository.git(&["branch", "-m", "main", "trunk"]);
    until("the branch is missed", || said().contains("the watch goes on"));
    repository.commit(Version { comment: "three", ..GOOD }, "three\n\nBench: 1234");
    repository.git(&["branch", "-m", "trunk", "main"]);
    until("the commit that came meanwhile is tested", || seen().contains("\"three\""));
    assert!(!seen().contains("\"one\""), "{}", seen());
    let id = Pid::from_raw(watching.id().try_into().expect("a process id")).expect("a process id");
    kill_process(id, Signal::INT).expect("it runs");
    assert_eq!(watching.wait().expect("it ends").code(), Some(130));
}

#[test]
fn a_watch_goes_on_behind_a_commit_that_does_not_build() {
    let repository = Repository::new();
    repository.commit(GOOD, "one\n\nBench: 1234");
    let rule = std::fs::read_to_string(repository.root().join("Makefile")).expect("readable");
    repository.write("Makefile", "$(EXE): engine.sh\n\tfalse\n");
    repository.commit(Version { comment: "two", ..GOOD }, "broken");
    repository.write("Makefile", &rule);
    repository.commit(Version { comment: "three", ..GOOD }, "mended\n\nBench: 1234");
    repository.commit(Version { comment: "four", ..GOOD }, "four\n\nBench: 1234");
    repository.write("gate.yaml", "bench: {}\n");
    let hook =
        ["watch", "main", "--once", "--last", "3", "--json", "--hook", "cat >> ../hook.json"];
    let output = repository.run(&hook);
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let commits = result["commits"].as_array().expect("a list");
    let verdicts: Vec<&str> =
        commits.iter().filter_map(|commit| commit["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["failed", "undecided", "passed"], "{result:#}");
    let lines = std::fs::read_to_string(repository.folder.path().join("hook.json"));
    assert_eq!(lines.expect("the hook has run").lines().count(), 3);
    assert_eq!(
        repository.run(&["gate", "--engine", "HEAD~2", "--base", "HEAD~3", "--json"]).status.code(),
        Some(4)
    );
}

#[test]
fn a_release_passes_with_a_rating_and_fails_below_it() {
    let repository = Repository::new();
    repository.commit(GOOD, "one");
    repository.commit(GOOD, "two");
    repository.write(
        "references.csv",
        "name,cmd,rating,error,list,date,source,options\n\
         level,builtin,900,20,levels,2026-01-01,a test,UCI_LimitStrength=true UCI_Elo=900\n",
    );
    let config = |at_least: u32| {
        format!(
            "rating: {{ at_least: {at_least}, error: 1000, nodes: 100, max_games: 8, references: \
             references.csv, undecided: undecided }}\n"
        )
    };
    // The mock engine moves at random: it loses every game, and has a bound alone.
    let (status, undecided) = repository.gate(&config(2000));
    let rating = check(&undecided, "rating");
    assert_eq!(status, 3, "{rating}");
    assert!(
        detail(rating).contains("8 games") && detail(rating).contains("every game was lost"),
        "{rating}"
    );
    assert!(rating["run"].as_str().is_some_and(|run| run.ends_with("match")), "{rating}");
}
