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
    "20261128-021751-match | builtin vs builtin#2 | nodes=60 | 0-2-0 so far",
    "20261128-021802-sprt | builtin vs builtin#2 | nodes=60 | 0-2-0 so far",
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

/// The parts of a result that do not depend on the time.
fn outcome(result: &Value) -> Value {
    let keys = ["games", "pentanomial", "terminations", "verdict", "best", "parameters", "solved"];
    let keys: Vec<&Value> = keys.iter().map(|key| &result[*key]).collect();
    json!([keys, searched(result)])
}

/// What was found at each position of a suite.
fn searched(result: &Value) -> Vec<Value> {
    let searched = |row: &Value| json!([row["id"], row["solved"], row["move"], row["nodes"]]);
    result["results"].as_array().into_iter().flatten().map(searched).collect()
}

/// The unfinished runs that continue, and how many pairs or positions of them are kept.
const UNFINISHED: [(&str, u32); 4] =
    [("021751-match", 1), ("021802-sprt", 1), ("021813-suite", 9), ("021823-tune", 2)];

fn resumed(folder: &Path, run_id: &str) -> Value {
    let resumed = run(folder, &format!("resume 20261128-{run_id} --json --no-probe"));
    let (_, stdout, stderr) = texts(&resumed);
    serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("one JSON object: {stdout}{stderr}"))
}

/// Makes a run unfinished again, of which the first pairs or positions are kept.
fn cut(folder: &Path, run_id: &str, kept: u32) {
    let reports = folder.join("reports");
    let database = rusqlite::Connection::open(reports.join("ledger.db")).expect("opens");
    let id = format!("20261128-{run_id}");
    for statement in [
        "DELETE FROM games WHERE pair >= ?2 AND run = (SELECT number FROM runs WHERE id = ?1)",
        "DELETE FROM solutions WHERE position >= ?2 AND run = (SELECT number FROM runs WHERE id = ?1)",
        "UPDATE runs SET finished = NULL, summary = NULL WHERE id = ?1 AND ?2 = ?2",
    ] {
        database.execute(statement, rusqlite::params![id, kept]).expect("is executed");
    }
    let run_folder = reports.join("runs").join(&id);
    std::fs::remove_dir_all(&run_folder).expect("removed");
    std::fs::create_dir(&run_folder).expect("a folder");
}

#[test]
fn the_runs_of_an_old_ledger_are_resumed_and_end_as_their_twins() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    old_ledger(folder);
    for (run_id, kept) in UNFINISHED {
        // The twin is played by the linked engine, too, whose games are others with each network.
        cut(folder, run_id, 0);
        let twin = resumed(folder, run_id);
        cut(folder, run_id, kept);
        assert_eq!(outcome(&resumed(folder, run_id)), outcome(&twin), "{run_id}");
    }
}

#[test]
fn what_an_old_ledger_has_of_a_run_is_kept_when_it_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    old_ledger(folder);
    let rows = |id: &str| json(&run(folder, &format!("report {id} --format json")));
    for (run_id, kept) in UNFINISHED {
        let before = rows(&format!("20261128-{run_id}"));
        let after = resumed(folder, run_id);
        assert_eq!(searched(&after).get(..searched(&before).len()), Some(&*searched(&before)));
        let pgn = || run(folder, &format!("report 20261128-{run_id} --format pgn"));
        if run_id != "021813-suite" {
            let (_, games, _) = texts(&pgn());
            // Games are named by the date on which they were played.
            let old = games.matches("[Date \"2026.11.27\"]").count();
            assert_eq!(old as u32, 2 * kept, "{run_id}: {games}");
            assert!(games.matches("[Event ").count() > old, "{run_id}");
        }
    }
}

#[test]
fn runs_that_do_not_continue_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    old_ledger(folder.path());
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
