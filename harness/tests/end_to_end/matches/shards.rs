//! A test whose pairs are played in any order, or in several places, has one verdict.

use std::path::Path;

use harness::ledger::{Ledger, StoredGame};
use serde_json::Value;

use crate::common::{harness, json, run, shown};
use crate::matches::games::moves;

const TEST: &str = "sprt builtin builtin --option old.EvalFile=classical --nodes 200 --elo0 0 \
                    --elo1 100 --max-games 200 --seed 5 --no-probe";

/// The result of a test, whatever its exit status, and its games in their order.
fn result(folder: &Path, line: &str) -> (Value, Vec<(u64, u8, String)>) {
    let words = format!("{line} --json");
    let output = run(folder, &words);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let ledger = Ledger::open(&folder.join("reports")).expect("a ledger");
    let games = ledger.games("last").expect("games");
    let mut games: Vec<_> = games.iter().map(|game: &StoredGame| moves(game)).collect();
    games.sort();
    (summary, games)
}

#[test]
fn the_verdict_and_the_games_do_not_depend_on_the_jobs_or_the_shards() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (alone, games) = result(folder, &format!("{TEST} --jobs 1"));
    assert!(alone["games"].as_u64().is_some_and(|games| games < 200), "{alone}");
    assert_eq!(games.len() as u64, alone["games"].as_u64().expect("a number"));
    let same = |other: &Value| {
        for key in ["games", "pentanomial", "llr", "wins", "losses", "command", "sprt"] {
            assert_eq!(other[key], alone[key], "{key}");
        }
    };
    let (together, others) = result(folder, &format!("{TEST} --jobs 5"));
    same(&together);
    assert_eq!(others, games);

    for shard in 1..=3 {
        let line = format!("{TEST} --shard {shard}/3 --jobs 2 --reports machine-{shard} --json");
        let part = json(&run(folder, &line));
        assert_eq!(part["games"], [68, 66, 66][shard - 1]);
        assert_eq!(part["command"], "match");
    }
    let (pooled, others) = result(folder, "pool machine-2 machine-1 machine-3");
    same(&pooled);
    assert_eq!(others, games);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let play = |line: &str| {
        let words = format!("match builtin builtin --games 8 --nodes 1 --no-probe {line}");
        json(&run(folder, &format!("{words} --json")))
    };
    play("--shard 1/2 --reports one");
    play("--shard 2/2 --reports two");
    play("--shard 2/2 --reports other --seed 2");
    play("--reports whole");
    for (sources, said) in [
        ("one", "there is no run of shard 2/2"),
        ("one one two", "shard 1/2 comes twice"),
        ("one other", "they differ in `openings.seed`"),
        ("one whole", "is not the run of a shard"),
        ("one nowhere", "there are no runs in reports"),
    ] {
        let words = format!("pool {sources}");
        let output = harness(folder, words.split(' ')).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        let text = shown(&output).replace('│', " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(said), "{sources}: {text}");
    }
    assert_eq!(json(&run(folder, "pool one two --json"))["games"], 8);
}
