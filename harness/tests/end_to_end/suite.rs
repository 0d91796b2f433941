//! `harness suite` as users run it: with the linked engine and with real processes.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use harness::context::{Interrupt, Session};
use harness::ledger::Ledger;
use harness::runs;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{engine_that_plays, harness, json, shown, until, write_program};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// Plays a2a3 everywhere.
fn always_a3() -> String {
    engine_that_plays("always a3", "a2a3")
}

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("written");
        path
    }

    fn engine(&self, name: &str, script: &str) -> PathBuf {
        let path = self.path(name);
        write_program(&path, script);
        path
    }

    fn suite<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Output {
        let mut harness = harness(self.folder.path(), ["--reports", "reports", "suite"]);
        harness.args(args).output().expect("ran")
    }

    fn json<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Value {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        json(&self.suite(args.chain(["--json".into()])))
    }
}

fn ids(results: &Value, solved: bool) -> Vec<&str> {
    let results = results["results"].as_array().expect("results");
    let wanted = results.iter().filter(|result| result["solved"] == solved);
    wanted.filter_map(|result| result["id"].as_str()).collect()
}

#[test]
fn a_real_process_solves_misses_and_plays_illegal_moves() {
    let bench = Bench::new();
    let engine = bench.engine("always-a3", &always_a3());
    bench.file(
        "test.epd",
        &format!(
            "{START} bm a3; id \"found\";\n{START} bm e4; id \"missed\";\n\
             {START} am a3; id \"avoided\";\n8/8/8/8/8/8/4k3/7K b - - bm Kf2; id \"illegal\";\n\
             {START} bm a3; c0 \"e4=10, a3=4\"; id \"scored\";\n"
        ),
    );
    let json = bench.json([Path::new("test.epd"), &engine, Path::new("--depth=3")]);
    assert_eq!(json["suite"], "test.epd");
    assert_eq!(json["engine"], "always-a3");
    assert_eq!(json["limit"], "depth=3");
    assert_eq!((&json["positions"], &json["solved"]), (&5.into(), &1.into()));
    assert_eq!((&json["score"], &json["max_score"]), (&5.0.into(), &14.0.into()));
    assert_eq!(ids(&json, true), ["found"]);
    let first = &json["results"][0];
    assert_eq!(
        (&first["move"], &first["nodes"], &first["depth"]),
        (&"a2a3".into(), &42.into(), &3.into())
    );
    assert!(first["time_ms"].is_u64() && json["seconds"].is_f64() && json["run"].is_string());
    let illegal = &json["results"][3];
    assert!(illegal["fault"].as_str().is_some_and(|fault| fault.contains("a2a3")), "{illegal}");
}

#[test]
fn the_table_names_what_was_missed_within_100_columns() {
    let bench = Bench::new();
    let engine = bench.engine("always-a3", &always_a3());
    let long = "a very long name of a position that goes on and on ".repeat(4);
    bench
        .file("test.epd", &format!("{START} bm e4 d4; id \"{long}\";\n{START} am a3; id \"b\";\n"));
    let output = bench.suite([Path::new("test.epd"), &engine, &engine, Path::new("--nodes=9")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("Played by always-a3#2"), "{text}");
    assert!(text.contains("e4 d4") && text.contains("not a3"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn broken_input_is_refused_with_its_place() {
    let bench = Bench::new();
    bench.file("broken.epd", &format!("{START} bm e4;\n{START} bm e5;\n"));
    bench.file("nothing.epd", &format!("{START} id \"no solution\";\n"));
    for (suite, expected) in [
        ("broken.epd", "broken.epd:2:57"),
        ("nothing.epd", "nothing.epd:1"),
        ("missing.epd", "missing.epd"),
        ("wax", "wac, eret, bk"),
    ] {
        let output = bench.suite([suite, "--depth", "1"]);
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        let error = String::from_utf8_lossy(&output.stderr).replace("\n", " ");
        assert!(error.contains(expected) && output.stdout.is_empty(), "{suite}: {error}");
    }
    for args in [
        &["bk", "no-such-engine"][..],
        &["bk", "--movetime", "0"],
        &["bk", "--nodes", "1", "--depth", "1"],
        &["bk", "--jobs", "0"],
        &["bk", "--option", "Hash"],
        &["bk", "--baseline", "missing.json"],
    ] {
        let output = bench.suite(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", shown(&output));
    }
}

#[test]
fn an_engine_that_never_searches_is_no_result_and_one_that_crashes_is() {
    let bench = Bench::new();
    bench.file("test.epd", &format!("{START} bm a3;\n").repeat(3));
    let silent = bench.engine("silent", "#!/bin/sh\nexit 3\n");
    let output = bench.suite([Path::new("test.epd"), &silent, Path::new("--depth=1")]);
    assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
    assert!(output.stdout.is_empty());
    let crash = bench.engine("crash", &always_a3().replace("go*) echo", "go*) exit 1; echo"));
    let limit = Path::new("--depth=1");
    let refused = bench.suite([Path::new("test.epd"), &crash, limit]);
    assert_eq!(refused.status.code(), Some(2), "{}", shown(&refused));
    let flags = ["--no-probe", "--json"].map(Path::new);
    let crashed = bench.suite([Path::new("test.epd"), &crash, limit].into_iter().chain(flags));
    assert_eq!(crashed.status.code(), Some(1), "{}", shown(&crashed));
    let json: Value = serde_json::from_slice(&crashed.stdout).expect("one JSON object");
    assert_eq!((&json["positions"], &json["solved"]), (&3.into(), &0.into()));
    assert!(json["results"][2]["fault"].is_string(), "{json}");
}

#[test]
fn a_baseline_of_the_same_suite_and_limit_decides_the_exit_status() {
    let bench = Bench::new();
    let a3 = bench.engine("always-a3", &always_a3());
    let h3 = bench.engine("always-h3", &always_a3().replace("a2a3", "h2h3"));
    bench.file("test.epd", &format!("{START} bm a3;\n").repeat(8));
    let good = bench.json([Path::new("test.epd"), &a3, Path::new("--depth=1")]);
    bench.file("good.json", &good.to_string());
    let against = |engine: &Path, limit: &str| {
        let arguments = ["--baseline", "good.json", limit, "--json"].map(Path::new);
        bench.suite([Path::new("test.epd"), engine].into_iter().chain(arguments))
    };
    let same = against(&a3, "--depth=1");
    assert_eq!(same.status.code(), Some(0), "{}", shown(&same));
    let worse = against(&h3, "--depth=1");
    assert_eq!(worse.status.code(), Some(1), "{}", shown(&worse));
    let json: Value = serde_json::from_slice(&worse.stdout).expect("one JSON object");
    assert_eq!(json["baseline"]["lost"].as_array().map(Vec::len), Some(8));
    assert!(json["baseline"]["p_value"].as_f64().is_some_and(|p| p < 0.01));
    let other = against(&a3, "--depth=2");
    assert_eq!(other.status.code(), Some(2), "{}", shown(&other));
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let bench = Bench::new();
    let log = bench.path("log");
    let slow = format!("go*) echo go >> {}; sleep 0.1; echo", log.display());
    let engine = bench.engine("slow", &always_a3().replace("go*) echo", &slow));
    bench.file("test.epd", &format!("{START} bm a3;\n").repeat(12));
    let searched = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    // A probe would search too.
    let args = ["--quiet", "--no-probe", "suite", "test.epd", "--depth=1"];
    let mut harness = harness(bench.folder.path(), args).arg(&engine).spawn().expect("started");
    until("five positions are searched", || searched() >= 5);
    harness.kill().expect("killed");
    harness.wait().expect("ended");

    let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
    let reports = bench.path("reports");
    let session =
        Session { reports: reports.clone(), quiet: true, probe: false, on: None, interrupt };
    let ledger = Ledger::open(&reports).expect("a ledger");
    // The file may change or go: the plan has what it said.
    fs::remove_file(bench.path("test.epd")).expect("removed");
    let resumed = ledger.resume_run("last").expect("interrupted");
    let run = resumed.run.id().to_owned();
    runs::suite::resume(&ledger, &resumed.run, resumed.plan, &session, &|_| ()).expect("searched");
    let summary = ledger.summary(&run).expect("readable").expect("finished");
    assert_eq!((&summary["positions"], &summary["solved"]), (&12.into(), &12.into()));
    // Searched again are at most the position that was being searched and the one before it,
    // which was being recorded.
    assert!((12..=14).contains(&searched()), "{} searches", searched());
}

#[test]
fn the_hash_is_cleared_between_positions() {
    let bench = Bench::new();
    let text = include_str!("../../../suites/bk.epd");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let reversed: Vec<&str> = lines.iter().rev().copied().collect();
    bench.file("forward.epd", &lines.join("\n"));
    bench.file("backward.epd", &reversed.join("\n"));
    let searched = |file: &str, jobs: &str| {
        let json = bench.json([file, "builtin", "--nodes", "5000", "--jobs", jobs]);
        let results = json["results"].as_array().expect("results");
        let mut rows: Vec<String> = results
            .iter()
            .map(|result| format!("{} {} {}", result["id"], result["move"], result["nodes"]))
            .collect();
        rows.sort();
        rows
    };
    let forward = searched("forward.epd", "1");
    assert_eq!(forward.len(), 24);
    assert_eq!(forward, searched("backward.epd", "1"));
    assert_eq!(forward, searched("forward.epd", "3"));
}

#[test]
fn the_linked_engine_solves_mates() {
    let bench = Bench::new();
    bench.file(
        "mates.epd",
        "6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#; id \"back rank\";\n\
         7k/8/5KQ1/8/8/8/8/8 w - - bm Qg7#; id \"queen\";\n",
    );
    let json = bench.json(["mates.epd", "--depth", "3"]);
    assert_eq!((&json["engine"], &json["solved"]), (&"builtin".into(), &2.into()), "{json}");
    assert!(json["results"][0]["found_depth"].is_u64());
}

#[test]
fn a_kept_solution_ends_the_search_and_further_lines_show_where_it_stood() {
    let bench = Bench::new();
    bench.file(
        "two.epd",
        "6k1/5ppp/8/8/8/5N2/5PPP/3R2K1 w - - bm Rd8+; id \"mate\";\n\
         4k3/pp3ppp/8/3q4/4P3/8/PPP2PPP/4K3 w - - bm exd5; id \"queen\";\n",
    );
    for engine in ["stockfish", "builtin"] {
        // Without the early end this would take the best part of an hour.
        let held = bench.json(["two.epd", engine, "--nodes", "2000000000", "--hold", "3"]);
        assert_eq!(ids(&held, true), ["mate", "queen"], "{engine}");
        for result in held["results"].as_array().expect("results") {
            let depth = |key: &str| result[key].as_u64().expect("a number");
            assert!(depth("depth") >= depth("found_depth") + 3, "{engine}: {result}");
            assert!(depth("nodes") >= depth("found_nodes"), "{engine}: {result}");
        }
    }
    let lines = bench.json(["two.epd", "stockfish", "--nodes", "3000", "--multipv", "3"]);
    let first = &lines["results"][0];
    assert_eq!(first["lines"].as_array().map(Vec::len), Some(3), "{first}");
    assert_eq!(first["lines"][0]["move"], first["move"]);
}

#[test]
fn results_at_fixed_nodes_do_not_depend_on_order_or_jobs() {
    let bench = Bench::new();
    let of = |jobs: &str| {
        let output = bench.json(["bk", "builtin", "stockfish", "--nodes", "5000", "--jobs", jobs]);
        let results = |summary: &Value| -> Vec<Value> {
            let mut results = summary["results"].as_array().expect("results").clone();
            for result in &mut results {
                let result = result.as_object_mut().expect("an object");
                // Times are the machine's.
                result.remove("time_ms");
                result.remove("found_ms");
            }
            results
        };
        [results(&output), results(&output["others"][0])]
    };
    assert_eq!(of("1"), of("3"));
}
