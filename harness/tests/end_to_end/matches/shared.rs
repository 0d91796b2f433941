//! Several harnesses on one ledger.

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use harness::ledger::Status;

use crate::matches::bench::{Bench, until};

const ENGINES: [(&str, &str); 2] = [("a", "--delay 1"), ("b", "--delay 1 --seed 2")];

#[test]
fn two_harnesses_share_a_ledger_without_harm() {
    let bench = Bench::new(&ENGINES);
    thread::scope(|scope| {
        for seed in [1, 2] {
            let bench = &bench;
            scope.spawn(move || {
                let line = "match a b --nodes 1 --max-moves 10 --games 60 --jobs 2";
                assert_eq!(bench.json(&format!("{line} --seed {seed}"))["games"], 60);
            });
        }
    });
    let runs = bench.ledger().runs().unwrap();
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert_eq!(run.status, Status::Finished);
        bench.assert_kept(&run.run, 30);
    }
    bench.assert_no_engine_left();
}

#[test]
fn a_run_that_another_harness_plays_is_not_played_twice() {
    let bench = Bench::new(&ENGINES);
    let mut playing = bench.harness("match a b --nodes 1 --max-moves 10 --games 40000 --jobs 1");
    let mut playing = playing.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("no game is kept", || bench.has_games());
    let second = bench.run("resume last");
    playing.kill().unwrap();
    playing.wait().unwrap();
    second.assert_fails(2, &["another process"]);
    bench.assert_no_engine_left();
}

#[test]
fn a_ledger_that_somebody_else_locks_for_a_while_is_waited_for() {
    let bench = Bench::new(&ENGINES);
    bench.json("match a b --nodes 1 --max-moves 10 --games 2");
    let path = bench.path().join("reports/ledger.db");
    let connection = rusqlite::Connection::open(path).unwrap();
    let mut locked = false;
    let mut looks = 0;
    let ended =
        bench.run_beside("match a b --nodes 1 --max-moves 10 --games 40 --json", &mut || {
            looks += 1;
            // Games finish meanwhile, and none may be lost.
            if !locked && looks > 4 {
                connection.execute_batch("PRAGMA busy_timeout = 10000; BEGIN EXCLUSIVE").unwrap();
                locked = true;
                thread::sleep(Duration::from_millis(700));
                connection.execute_batch("COMMIT").unwrap();
            }
        });
    assert!(locked, "the match was over too soon");
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    bench.assert_whole(20);
}
