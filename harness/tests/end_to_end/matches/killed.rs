//! `kill -9` at any instant: nothing is lost, nothing counts twice, nothing is left running.

use std::process::Stdio;
use std::thread;
use std::time::Duration;

use harness::ledger::Ledger;

use crate::matches::bench::{Bench, until};

#[test]
fn a_match_that_is_killed_again_and_again_is_whole_in_the_end() {
    kill_again_and_again(20, 150);
}

/// `cargo test -p tench-harness --test match -- --ignored --nocapture`, with `KILLS=500` or so.
#[test]
#[ignore = "takes minutes"]
fn a_match_that_is_killed_hundreds_of_times_is_whole_in_the_end() {
    let kills = std::env::var("KILLS").map_or(500, |kills| kills.parse().expect("a number"));
    kill_again_and_again(kills, 5 * kills);
}

fn kill_again_and_again(kills: u64, pairs: u64) {
    let bench = Bench::new(&[("a", "--delay 1 --escape"), ("b", "--delay 1 --seed 2")]);
    let start = format!("match a b --nodes 1 --max-moves 15 --jobs 2 --games {}", 2 * pairs);
    let mut kept = 0;
    for kill in 0..kills {
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
    assert!(kept < 2 * pairs, "it was never killed in the middle");
    let summary = bench.json("resume last");
    assert_eq!(summary["games"], 2 * pairs);
    bench.assert_whole(pairs);
    println!(
        "{kills} kills; {} games, {kept} of them before the last kill; none lost, none twice, \
         ledger and PGN agree; no process left",
        2 * pairs
    );
}

/// Games of the newest run; `None` without a run.
fn kept_games(bench: &Bench) -> Option<u64> {
    let ledger = Ledger::open_existing(&bench.path().join("reports")).ok()?;
    Some(ledger.runs().ok()?.last()?.games)
}
