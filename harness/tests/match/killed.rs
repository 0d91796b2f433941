//! `kill -9` at any instant: nothing is lost, nothing counts twice, nothing is left running.

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use harness::ledger::Ledger;

use crate::bench::{Bench, until};

const KILLS: u64 = 20;
const PAIRS: u64 = 150;

#[test]
fn a_match_that_is_killed_again_and_again_is_whole_in_the_end() {
    let bench = Bench::new(&[("a", "--delay 1"), ("b", "--delay 1 --seed 2")]);
    let start = format!("match a b --nodes 1 --max-moves 15 --jobs 2 --games {}", 2 * PAIRS);
    let mut kept = 0;
    for kill in 0..KILLS {
        let has_run = kept_games(&bench).is_some();
        let line = if has_run { "resume last" } else { start.as_str() };
        let mut harness =
            bench.harness(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Every other time games must come in, the other times it may still be starting.
        if kill % 2 == 1 {
            until("no new game", || kept_games(&bench).is_some_and(|games| games > kept));
        }
        thread::sleep(Duration::from_millis(kill * 137 % 110));
        harness.kill().unwrap();
        harness.wait().unwrap();
        bench.assert_no_engine_left();
        let games = kept_games(&bench).unwrap_or(0);
        assert!(games >= kept, "finished games are lost");
        kept = games;
    }
    assert!(kept < 2 * PAIRS, "it was never killed in the middle");
    let summary = bench.json("resume last");
    assert_eq!(summary["games"], 2 * PAIRS);
    bench.assert_whole(PAIRS);
}

/// Games of the newest run; `None` without a run.
fn kept_games(bench: &Bench) -> Option<u64> {
    let ledger = Ledger::open_existing(&bench.path().join("reports")).ok()?;
    Some(ledger.runs().ok()?.last()?.games)
}
