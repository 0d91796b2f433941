//! A ledger that an earlier version wrote: its runs are listed, reported and resumed.
//!
//! `tests/data/old-ledger.sql` is its dump. Runs of the 28th are those of the 27th before their end.

use std::path::Path;

use harness::kinds;
use harness::ledger::{Ledger, RunQuery};
use serde_json::{Value, json};

use crate::common::{json, run, shown, texts};

/// Id, title, limit and result of each run, as that version showed them.
const LINES: [&str; 15] = [
    "20261127-020053-gate | c2 against c1 |  | passed",
    "20261127-020312-bisect | 5833d5be20 to 0f5ff0a682 |  | no loss",
    "20261127-020314-loop | 1 generation from embedded |  | 1 generation",
    "20261127-021751-match | builtin vs builtin#2 | nodes=60 | +0.0 ± 250.9 Elo, 4 games",
    "20261127-021802-sprt | builtin vs builtin#2 | nodes=60 | accepted, +0.0 ± 185.5 Elo, 6 games",
    "20261127-021813-suite | bk: builtin | nodes=500 | 3 of 24 solved",
    "20261127-021823-tune | builtin: auto | nodes=40 | 12 games",
    "20261127-030000-play | games on boards |  | ",
    "20261127-030001-lichess | builtin as tench-bot |  | ",
    "20261127-030002-future |  | nodes=5 | ",
    "20261128-020053-gate | c2 against c1 |  | 1 check",
    "20261128-021751-match | builtin vs builtin#2 | nodes=60 | 2 games",
    "20261128-021802-sprt | builtin vs builtin#2 | nodes=60 | 2 games",
    "20261128-021813-suite | bk: builtin | nodes=500 | 9 positions",
    "20261128-021823-tune | builtin: auto | nodes=40 | 4 games",
];

/// Makes the ledger in a folder.
fn old_ledger(folder: &Path) -> Ledger {
    let reports = folder.join("reports");
    std::fs::create_dir(&reports).expect("a folder");
    let database = rusqlite::Connection::open(reports.join("ledger.db")).expect("opens");
    database.execute_batch(include_str!("../data/old-ledger.sql")).expect("a dump");
    drop(database);
    let ledger = Ledger::open_to_read(&reports).expect("opens");
    for row in ledger.runs().expect("read") {
        std::fs::create_dir_all(reports.join("runs").join(&row.run)).expect("a folder");
    }
    ledger
}

#[test]
fn the_runs_of_an_old_ledger_are_listed_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let ledger = old_ledger(folder.path());
    let query = RunQuery { limit: 100, ..RunQuery::default() };
    let rows = ledger.list(&query).expect("read").rows;
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            let title = kinds::title(&row.command, &row.plan);
            let limit = kinds::limit(&row.command, &row.plan);
            format!("{} | {title} | {limit} | {}", row.run, kinds::result_line(row))
        })
        .collect();
    lines.sort();
    assert_eq!(lines, LINES);
}

#[test]
fn the_runs_of_an_old_ledger_have_their_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    old_ledger(folder.path());
    let pages = ["bisect", "gate", "loop", "match", "sprt", "suite", "tune", "play", "lichess"];
    let unfinished = ["bisect", "loop", "future"];
    for line in LINES {
        let id = line.split(' ').next().expect("an id");
        let command = id.rsplit('-').next().expect("a command");
        let page = run(folder.path(), &format!("report {id}"));
        assert_eq!(page.status.success(), pages.contains(&command), "{}", shown(&page));
        let result = run(folder.path(), &format!("report {id} --format json"));
        let is_there =
            id.starts_with("20261127") && command != "future" || !unfinished.contains(&command);
        assert_eq!(result.status.success(), is_there, "{}", shown(&result));
    }
}

/// The parts of a result that depend neither on the time nor on how strong the linked engine is now: the number of
/// games, and the positions of a suite, of which the first nine were searched before.
fn outcome(result: &Value) -> Value {
    let searched = |(row, number): (&Value, i32)| match number {
        0..9 => json!([row["id"], row["solved"], row["move"], row["nodes"]]),
        _ => json!([row["id"]]),
    };
    let results =
        result["results"].as_array().map(|rows| rows.iter().zip(0..).map(searched).collect());
    let results: Vec<Value> = results.unwrap_or_default();
    let names: Vec<&Value> =
        result["parameters"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
    json!([result["games"], result["start"], names, results])
}

#[test]
fn the_runs_of_an_old_ledger_are_resumed_and_end_as_their_twins() {
    let folder = tempfile::tempdir().expect("a folder");
    old_ledger(folder.path());
    for run_id in ["021751-match", "021813-suite", "021823-tune", "021802-sprt"] {
        let resumed = run(folder.path(), &format!("resume 20261128-{run_id} --json --no-probe"));
        let (_, stdout, _) = texts(&resumed);
        let resumed: Value = serde_json::from_str(&stdout).expect("one JSON object");
        let twin = json(&run(folder.path(), &format!("report 20261127-{run_id} --format json")));
        if run_id == "021802-sprt" {
            // It ends when it has decided, or at its most games.
            assert!(
                resumed["verdict"].is_string() && resumed["games"].as_u64() > Some(2),
                "{resumed}"
            );
        } else {
            assert_eq!(outcome(&resumed), outcome(&twin), "{run_id}");
        }
    }
    let cases = [
        ("play", "games on boards go on in the studio"),
        ("lichess", "a bot's run is not resumed"),
        ("future", "a newer harness may know how"),
    ];
    for ((command, text), number) in cases.into_iter().zip(0..) {
        let refused = run(folder.path(), &format!("resume 20261127-03000{number}-{command}"));
        assert_eq!(refused.status.code(), Some(2), "{}", shown(&refused));
        assert!(shown(&refused).contains(text), "{}", shown(&refused));
    }
}
