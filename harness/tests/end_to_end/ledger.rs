//! The ledger among processes: shared, killed, resumed.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use harness::ledger::{Ledger, LedgerError, Status, StoredGame, StoredSolution};
use serde_json::{Value, json};

use crate::common::{run, shown};

fn pair(number: u64) -> [StoredGame; 2] {
    [0, 1].map(|game| StoredGame {
        pair: number,
        game,
        white: ["new", "old"][usize::from(game)].to_owned(),
        black: ["old", "new"][usize::from(game)].to_owned(),
        first_is_white: game == 0,
        first_half_points: (number % 3) as u8,
        termination: "checkmate".to_owned(),
        plies: 61,
        milliseconds: 900,
        pgn: format!("[Round \"{number}.{game}\"]\n\n1. e4 {{0.10/12}} *\n").repeat(20),
        worker: None,
    })
}

#[test]
fn what_is_recorded_comes_back_as_it_was() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let run = ledger.start_run("match", &json!({ "games": 6 })).expect("starts");
    let pairs = [pair(7), pair(0), pair(u64::MAX)];
    for games in &pairs {
        assert_eq!(ledger.record_games(&run, games).expect("recorded"), 2);
    }
    assert_eq!(ledger.games(run.id()).expect("readable"), pairs.concat());
    let solution = |position| StoredSolution {
        engine: 0,
        position,
        payload: json!({ "id": "x", "solved": true, "nodes": 3 }),
    };
    let solutions = [solution(3), solution(1)];
    assert_eq!(ledger.record_solutions(&run, &solutions).expect("recorded"), 2);
    let read = ledger.solutions(run.id()).expect("readable");
    assert_eq!(read, [solution(1), solution(3)], "in the order of the suite");
}

#[test]
fn a_game_stored_twice_counts_once() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let run = ledger.start_run("match", &Value::Null).expect("starts");
    let [first, second] = pair(5);
    assert_eq!(ledger.record_games(&run, std::slice::from_ref(&first)).expect("recorded"), 1);
    let mut again = first.clone();
    again.first_half_points = 2;
    assert_eq!(ledger.record_games(&run, &[again, second.clone()]).expect("recorded"), 1);
    assert_eq!(ledger.games(run.id()).expect("readable"), [first, second], "the first one stays");
}

#[test]
fn a_score_that_no_game_has_is_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let run = ledger.start_run("match", &Value::Null).expect("starts");
    let mut games = pair(0);
    games[1].first_half_points = 3;
    assert!(ledger.record_games(&run, &games).is_err());
    assert_eq!(ledger.games(run.id()).expect("readable"), [], "and the whole call with it");
}

#[test]
fn harnesses_that_start_at_once_share_a_new_ledger() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let reports = folder.path().join("reports");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let ledger = Ledger::open(&reports).expect("opens");
                let run = ledger.start_run("sprt", &Value::Null).expect("starts");
                for number in 0..25 {
                    ledger.record_games(&run, &pair(number)).expect("recorded");
                }
                ledger.finish(&run, &json!({ "games": 50 })).expect("finished");
            });
        }
    });
    let runs = Ledger::open(&reports).expect("opens").runs().expect("readable");
    assert_eq!(runs.len(), 4);
    for run in &runs {
        assert_eq!((run.games, run.status), (50, Status::Finished), "{}", run.run);
        assert!(reports.join("runs").join(&run.run).join("summary.json").is_file());
    }
}

#[test]
fn a_run_is_resumed_by_one_process_and_until_it_is_finished() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let plan = json!({ "games": 4, "engines": ["a", "b"] });
    let run = ledger.start_run("match", &plan).expect("starts");
    let id = run.id().to_owned();
    let status = || ledger.runs().expect("readable")[0].status;
    assert_eq!(status(), Status::Running);
    let error = ledger.resume_run(&id).expect_err("it is running");
    assert!(matches!(error, LedgerError::RunningNow(..)), "{error}");

    drop(run);
    assert_eq!(status(), Status::Interrupted);
    let resumed = ledger.resume_run("last").expect("interrupted");
    assert_eq!((resumed.command.as_str(), &resumed.plan), ("match", &plan));
    assert_eq!(status(), Status::Running);

    let summary = json!({ "games": 4, "elo": null });
    ledger.finish(&resumed.run, &summary).expect("finished");
    drop(resumed);
    assert_eq!(status(), Status::Finished);
    let error = ledger.resume_run(&id[..id.len() - 1]).expect_err("it is finished");
    assert!(matches!(error, LedgerError::AlreadyFinished(..)), "{error}");
    assert_eq!(ledger.summary(&id).expect("readable"), Some(summary.clone()));
    let file = fs::read_to_string(folder.path().join("runs").join(&id).join("summary.json"));
    let file: Value = serde_json::from_str(&file.expect("written")).expect("JSON");
    assert_eq!(file, summary);
}

#[test]
fn a_run_file_tells_how_to_repeat_the_run() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let plan = json!({
        "limit": { "nodes": 5000 }, "seed": 18_446_744_073_709_551_615_u64, "none": null,
        "engines": [{ "name": "it's: a \"name\"", "options": { "Hash": "16" } }], "elo1": 5.0,
    });
    let run = ledger.start_run("sprt", &plan).expect("starts");
    let text = fs::read_to_string(run.folder().join("run.yaml")).expect("written");
    let read: Value = serde_yaml::from_str(&text).expect("YAML");
    assert_eq!(read["plan"], plan, "{text}");
    assert_eq!((&read["run"], &read["command"]), (&json!(run.id()), &json!("sprt")));
    assert!(read["machine"]["cores"].as_u64().is_some_and(|cores| cores > 0), "{text}");
    assert!(read["started"].as_str().is_some_and(|time| time.ends_with('Z')), "{text}");
}

#[test]
fn a_run_whose_folder_was_deleted_can_go_on() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let id = ledger.start_run("match", &Value::Null).expect("starts").id().to_owned();
    fs::remove_dir_all(folder.path().join("runs")).expect("deleted");
    let resumed = ledger.resume_run(&id).expect("the ledger knows it");
    assert!(resumed.run.folder().join("run.yaml").is_file());
}

#[test]
fn an_unknown_run_comes_with_the_ids_there_are() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    let error = ledger.games("last").expect_err("none yet");
    assert!(matches!(error, LedgerError::NoRuns { .. }), "{error}");
    let run = ledger.start_run("match", &Value::Null).expect("starts");
    let wrong = run.id().replace("match", "macth");
    let error = ledger.resume_run(&wrong).expect_err("unknown");
    assert!(error.to_string().contains(run.id()), "{error}");
}

/// Where the child of the test below writes; unset in an ordinary run of the tests.
const CHILD_FOLDER: &str = "HARNESS_TEST_LEDGER_CHILD";

/// Not a test: the process that is killed in the test below.
#[test]
fn child_that_records_until_it_is_killed() {
    let Some(folder) = env::var_os(CHILD_FOLDER) else { return };
    let ledger = Ledger::open(Path::new(&folder)).expect("opens");
    let resumed = ledger.resume_run("last").map(|resumed| resumed.run);
    let run = resumed.unwrap_or_else(|_| ledger.start_run("match", &Value::Null).expect("starts"));
    let next = ledger.games(run.id()).expect("readable").len() as u64 / 2;
    for number in next.. {
        ledger.record_games(&run, &pair(number)).expect("recorded");
        // Past the test's capture of output, as a harness reports progress.
        let written = writeln!(std::io::stdout(), "recorded {number}").is_ok();
        assert!(written, "the parent reads");
    }
}

#[test]
fn kill_9_loses_nothing_that_was_reported() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut reported = 0;
    for kill_after in [1, 2, 7, 30, 3, 60] {
        let mut child = Command::new(env::current_exe().expect("this test"))
            .args(["--exact", "ledger::child_that_records_until_it_is_killed", "--nocapture"])
            .env(CHILD_FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut lines = output
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| line.split("recorded ").nth(1)?.trim().parse::<u64>().ok());
        reported = lines.by_ref().take(kill_after).last().expect("it records");
        child.kill().expect("SIGKILL");
        // What it still said before it died counts as well.
        reported = lines.last().unwrap_or(reported);
        child.wait().expect("ended");

        let ledger = Ledger::open(folder.path()).expect("opens");
        let games = ledger.games("last").expect("readable");
        assert!(games.len() as u64 > 2 * reported + 1, "{} games, {reported}", games.len());
        let whole: Vec<StoredGame> = (0..games.len() as u64 / 2).flat_map(pair).collect();
        assert_eq!(games, whole, "whole pairs, none twice");
        assert_eq!(ledger.runs().expect("readable")[0].status, Status::Interrupted);
    }
    assert!(reported >= 100, "every child went on where the last one stopped: {reported}");
}

#[test]
fn runs_without_a_ledger_are_said_and_a_page_needs_no_folder() {
    let outer = tempfile::tempdir().expect("temporary folder");
    let folder = outer.path();
    let play = || {
        let played = run(folder, "match builtin builtin --nodes 10 --games 2 --no-probe --quiet");
        assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    };
    play();
    let runs = run(folder, "runs");
    assert!(!shown(&runs).contains("without an entry"), "{}", shown(&runs));
    fs::remove_dir_all(folder.join("reports/runs")).expect("removed");
    let page = run(folder, "report last");
    assert_eq!(page.status.code(), Some(0), "{}", shown(&page));
    let delete = || {
        for file in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
            let _ = fs::remove_file(folder.join("reports").join(file));
        }
    };
    delete();
    fs::remove_dir_all(folder.join("reports/runs")).expect("removed");
    play();
    delete();
    let runs = run(folder, "runs");
    assert!(shown(&runs).contains("1 run without an entry in the ledger"), "{}", shown(&runs));
    assert_eq!(runs.status.code(), Some(0));
}
