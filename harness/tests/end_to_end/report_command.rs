//! `harness runs` and `harness report`, from a ledger with real rows.

use std::path::Path;

use harness::ledger::{Ledger, Run, StoredGame, StoredSolution};
use serde_json::{Value, json};

use crate::common::{self, texts};

fn harness(reports: &Path, args: &[&str]) -> (i32, String, String) {
    let mut harness = common::harness(
        reports.parent().unwrap_or(reports),
        ["--reports".as_ref(), reports.as_os_str()],
    );
    texts(&harness.args(args).output().expect("runs"))
}

fn facts() -> Value {
    json!({
        "command": "sprt", "limit": "nodes=5000", "games_asked": 1000, "openings": null,
        "engines": [{ "name": "new", "what": "builtin" }, { "name": "old", "what": "builtin" }],
        "jobs": 2, "seed": 1, "command_line": "harness sprt new old",
        "sprt": { "model": "normalized", "elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05 },
    })
}

fn start_test(ledger: &Ledger, pairs: u64) -> Run {
    let run = ledger.start_run("sprt", &json!({ "facts": facts() })).expect("starts");
    for pair in 0..pairs {
        let games = [0, 1].map(|game| StoredGame {
            pair,
            game,
            white: ["new", "old"][usize::from(game)].to_owned(),
            black: ["old", "new"][usize::from(game)].to_owned(),
            first_is_white: game == 0,
            first_half_points: if game == 0 { 2 } else { (pair % 3) as u8 },
            termination: "checkmate".to_owned(),
            plies: 61,
            milliseconds: 1_000,
            pgn: format!("[Round \"{}.{}\"]\n\n*", pair + 1, game + 1),
            worker: None,
        });
        ledger.record_games(&run, &games).expect("recorded");
    }
    run
}

fn start_suite(ledger: &Ledger) -> Run {
    let facts = json!({
        "suite": "wac", "title": "Win at Chess", "source": null, "engines": ["builtin"],
        "limit": "depth=3", "positions": 300, "command_line": null,
    });
    let run = ledger.start_run("suite", &json!({ "facts": facts })).expect("starts");
    let payload = json!({
        "id": "WAC.001", "solved": false, "move": "e2e4", "san": "e4", "time_ms": 5, "nodes": 100,
        "depth": 3, "score": 0.0, "max_score": 1.0, "expected": ["Qg6"], "expected_uci": ["g3g6"],
        "fen": "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
        "theme": null, "fault": null,
    });
    let solution = StoredSolution { engine: 0, position: 0, payload };
    ledger.record_solutions(&run, &[solution]).expect("recorded");
    run
}

#[test]
fn runs_are_listed_with_the_documented_keys() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let reports = folder.path().join("reports");
    assert_eq!(harness(&reports, &["runs", "--json"]), (0, "[]\n".to_owned(), String::new()));
    assert!(!reports.exists(), "listing makes nothing");

    let ledger = Ledger::open(&reports).expect("opens");
    let running = start_test(&ledger, 3);
    let id = start_suite(&ledger).id().to_owned();
    let (code, output, _) = harness(&reports, &["runs", "--json"]);
    let runs: Vec<Value> = serde_json::from_str(&output).expect("one JSON array");
    assert_eq!(code, 0);
    assert_eq!((&runs[0]["run"], &runs[1]["run"]), (&json!(running.id()), &json!(id)));
    assert_eq!((&runs[0]["status"], &runs[0]["games"]), (&json!("running"), &json!(6)));
    assert_eq!((&runs[1]["status"], &runs[1]["command"]), (&json!("interrupted"), &json!("suite")));
    assert!(runs[0]["started"].as_str().is_some_and(|time| time.ends_with('Z')));
    assert_eq!(
        (&runs[0]["title"], &runs[0]["result"]),
        (&json!("new vs old"), &json!("4-1-1 so far"))
    );

    let (code, output, _) = harness(&reports, &["runs"]);
    assert_eq!(code, 0);
    assert!(output.contains("6 games") && output.contains("1 position\n"), "{output}");
    assert!(output.contains(&format!("resume {id}`")), "{output}");
    assert!(output.contains("new vs old") && output.contains("4-1-1 so far"), "{output}");
    assert!(output.lines().all(|line| line.chars().count() <= 100), "{output}");
}

#[test]
fn runs_are_filtered_and_sorted() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let [worse, better] = [-3.0, 12.0].map(|elo| {
        let run = start_test(&ledger, 2);
        let summary = json!({
            "games": 4, "wins": 2, "losses": 1, "verdict": "accepted",
            "elo": { "value": elo, "error95": 8.0 },
        });
        ledger.finish(&run, &summary).expect("finished");
        run.id().to_owned()
    });
    let suite = start_suite(&ledger).id().to_owned();
    ledger.describe(&worse, "late moves", "#lmr").expect("described");
    let listed = |words: &[&str]| {
        let words: Vec<&str> = ["runs", "--json"].iter().chain(words).copied().collect();
        let (code, output, error) = harness(folder.path(), &words);
        assert_eq!(code, 0, "{words:?}: {error}");
        let runs: Vec<Value> = serde_json::from_str(&output).expect("one JSON array");
        let ids = runs.iter().filter_map(|run| run["run"].as_str().map(str::to_owned));
        ids.collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), [worse.clone(), better.clone(), suite.clone()]);
    assert_eq!(listed(&["-n", "1"]), std::slice::from_ref(&suite));
    assert_eq!(listed(&["--command", "sprt"]), [worse.clone(), better.clone()]);
    assert_eq!(listed(&["late", "#lmr"]), std::slice::from_ref(&worse));
    assert_eq!(listed(&["--status", "interrupted"]), std::slice::from_ref(&suite));
    assert!(listed(&["--status", "failed"]).is_empty());
    assert_eq!(listed(&["--command", "sprt", "--sort", "result"]), [worse, better.clone()]);
    assert_eq!(listed(&["--sort", "result", "--last", "1"]), [better]);
    let (code, output, _) = harness(folder.path(), &["runs", "late"]);
    assert!(code == 0 && output.contains("late moves (new vs"), "{output}");
    assert!(output.contains("accepted, −3.0 ± 8.0 Elo\n"), "{output}");
    let (code, output, _) = harness(folder.path(), &["runs", "nothing"]);
    assert!(code == 0 && output.starts_with("no runs like this in"), "{output}");
    let (code, _, error) = harness(folder.path(), &["runs", "--command", "sprit"]);
    assert!(code == 2 && error.contains("there are runs of bisect"), "{error}");
}

#[test]
fn an_unfinished_match_is_reported_in_every_form() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let id = start_test(&ledger, 30).id().to_owned();

    let (code, output, error) = harness(folder.path(), &["report", "last", "--json"]);
    assert_eq!(code, 0, "{error}");
    let summary: Value = serde_json::from_str(&output).expect("one JSON object");
    assert_eq!((&summary["games"], &summary["wins"]), (&json!(60), &json!(40)));
    assert_eq!(summary["pentanomial"], json!([0, 0, 10, 10, 10]));
    assert_eq!(summary["seconds"], json!(30.0), "two games at a time");
    assert!(summary["warnings"][0].as_str().is_some_and(|text| text.contains("interrupted")));

    let (code, output, error) = harness(folder.path(), &["report"]);
    assert_eq!(code, 0, "{error}");
    let page = folder.path().join("runs").join(&id).join("report.html");
    assert_eq!(output.trim(), page.to_string_lossy());
    assert!(std::fs::read_to_string(page).expect("written").contains("new vs old"));

    let (_, output, _) = harness(folder.path(), &["report", "--format", "csv"]);
    assert_eq!(output.lines().count(), 61);
    assert_eq!(output.lines().nth(2), Some("0,1,old,new,1-0,new,0,checkmate,61,1000"));
    let (_, output, _) = harness(folder.path(), &["report", "--format", "pgn"]);
    assert_eq!(output.matches("[Round ").count(), 60);
    let file = folder.path().join("report.md");
    let to_file = ["report", "last", "--format", "markdown", "-o", &file.to_string_lossy()];
    assert_eq!(harness(folder.path(), &to_file), (0, String::new(), String::new()));
    assert!(std::fs::read_to_string(file).expect("written").starts_with("## new vs old\n"));
}

#[test]
fn an_unfinished_suite_is_reported_in_every_form() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    start_suite(&ledger);
    for (format, part) in
        [("json", "\"suite\":\"wac\""), ("markdown", "| WAC.001 | e4 | Qg6 |"), ("csv", "WAC.001")]
    {
        let (code, output, error) = harness(folder.path(), &["report", "--format", format]);
        assert_eq!(code, 0, "{error}");
        assert!(output.contains(part), "{output}");
    }
    let (code, output, _) =
        harness(folder.path(), &["report", "--format", "html", "--output", "-"]);
    assert!(code == 0 && output.contains("class=\"board\""), "{output}");
    let (code, _, error) = harness(folder.path(), &["report", "--format", "pgn"]);
    assert!(code == 2 && error.contains("no pgn report"), "{error}");
}

#[test]
fn a_finished_run_is_reported_as_it_ended() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let run = ledger.start_run("later", &Value::Null).expect("starts");
    let summary = json!({ "games": 0, "run": run.id() });
    ledger.finish(&run, &summary).expect("finished");
    let (code, output, _) = harness(folder.path(), &["report", "--format", "json"]);
    assert_eq!((code, serde_json::from_str::<Value>(&output).expect("JSON")), (0, summary));
    let (code, _, error) = harness(folder.path(), &["report"]);
    assert!(code == 2 && error.contains("`later`"), "{error}");
}

#[test]
fn wrong_runs_and_broken_ledgers_are_explained() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (code, _, error) = harness(folder.path(), &["report"]);
    assert!(code == 2 && error.contains("there are no runs"), "{error}");

    let ledger = Ledger::open(folder.path()).expect("opens");
    let id = start_test(&ledger, 1).id().to_owned();
    let (code, _, error) = harness(folder.path(), &["report", &id.replace("sprt", "sptr")]);
    assert!(code == 2 && error.replace('\n', " ").contains(&id), "{error}");

    let broken = tempfile::tempdir().expect("temporary folder");
    std::fs::write(broken.path().join("ledger.db"), "text ".repeat(1_000)).expect("written");
    for command in ["runs", "report"] {
        let (code, output, error) = harness(broken.path(), &[command]);
        assert!(code != 0 && output.is_empty(), "{output}");
        assert!(error.contains("is not a ledger") && !error.contains("panicked"), "{error}");
    }
}

/// The lines of a table of comma-separated values, by the names of its columns.
fn rows(text: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let row = |line: &str| {
        let cells = line.split(',').map(str::to_owned);
        names.iter().map(|name| (*name).to_owned()).zip(cells).collect()
    };
    lines.map(row).collect()
}

#[test]
fn the_curves_of_a_test_have_every_pair_and_end_with_its_summary() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let reports = folder.path().join("reports");
    let ledger = Ledger::open(&reports).expect("opens");
    start_test(&ledger, 7);
    let curves = |more: &[&str]| {
        let line = [&["report", "last", "--format", "csv", "--curves"], more].concat();
        harness(&reports, &line)
    };
    let (code, text, _) = curves(&[]);
    let all = rows(&text);
    assert_eq!((code, all.len()), (0, 7));
    let summary = harness(&reports, &["report", "last", "--json"]).1;
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    let last = all.last().expect("a row");
    let number = |row: &std::collections::BTreeMap<String, String>, name: &str| {
        row[name].parse::<f64>().unwrap_or_else(|error| panic!("{name}: {error}: {row:?}"))
    };
    for (column, expected) in [
        ("games", &summary["games"]),
        ("wins", &summary["wins"]),
        ("draws", &summary["draws"]),
        ("losses", &summary["losses"]),
        ("pairs_1", &summary["pentanomial"][2]),
        ("pairs_2", &summary["pentanomial"][4]),
        ("elo", &summary["elo"]["value"]),
        ("elo_error95", &summary["elo"]["error95"]),
        ("nelo", &summary["nelo"]["value"]),
        ("los", &summary["los"]),
        ("llr", &summary["llr"]),
        ("llr_lower", &summary["bounds"][0]),
        ("llr_upper", &summary["bounds"][1]),
    ] {
        assert!((number(last, column) - expected.as_f64().expect(column)).abs() < 1e-9, "{column}");
    }
    assert_eq!(last["engine"], "new");
    for (row, pairs) in all.iter().zip(1..) {
        assert_eq!(
            (number(row, "pairs"), number(row, "games")),
            (f64::from(pairs), f64::from(2 * pairs))
        );
        let counted: f64 = ["wins", "draws", "losses"].iter().map(|name| number(row, name)).sum();
        assert_eq!(counted, number(row, "games"));
    }
    let pairs: Vec<String> =
        rows(&curves(&["--every", "3"]).1).into_iter().map(|row| row["pairs"].clone()).collect();
    assert_eq!(pairs, ["3", "6", "7"]);
    let file = folder.path().join("curve.csv");
    let (code, printed, _) = curves(&["-o", file.to_str().expect("a name")]);
    assert_eq!((code, printed.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(&file).expect("written"), text);
}

#[test]
fn what_has_no_curves_says_so() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let reports = folder.path().join("reports");
    let ledger = Ledger::open(&reports).expect("opens");
    start_suite(&ledger);
    for (line, reason) in [
        (&["report", "last", "--format", "csv", "--curves"][..], "no curves"),
        (&["report", "last", "--curves"], "--format csv"),
        (&["report", "last", "--format", "json", "--curves"], "--format csv"),
        (&["report", "last", "--format", "csv", "--curves", "--json"], "--format csv"),
        (&["report", "last", "--format", "csv", "--every", "2"], "--curves"),
        (&["report", "last", "--format", "csv", "--curves", "--every", "0"], "every"),
    ] {
        let (code, _, stderr) = harness(&reports, line);
        assert_eq!(code, 2, "{line:?}: {stderr}");
        assert!(stderr.contains(reason) || line.contains(&"--json"), "{line:?}: {stderr}");
    }
    // A match of which nothing is played has the names of the columns.
    let run = ledger.start_run("match", &json!({ "facts": facts() })).expect("starts");
    let (code, text, _) = harness(&reports, &["report", run.id(), "--format", "csv", "--curves"]);
    assert_eq!((code, text.lines().count()), (0, 1));
}
