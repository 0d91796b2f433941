//! `harness rate` with real games: the linked engine at stated strengths is the reference.

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::common::{self, MOCK, has_games, shown, until};

fn harness(folder: &Path, line: &str) -> Output {
    common::harness(folder, line.split_whitespace()).output().expect("ran")
}

/// The object on standard output, whatever the exit status says of the interval.
fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", shown(output)))
}

/// A file of references: the linked engine at 900, 1200 and 1500, and one that is not installed.
fn write_references(folder: &Path) {
    let mut text = String::from("name,cmd,version,rating,error,list,date,source,options\n");
    for elo in [900, 1200, 1500] {
        text += &format!(
            "level-{elo},builtin,,{elo},20,levels,2026-01-01,a test,UCI_LimitStrength=true UCI_Elo={elo} \
             Seed={elo}\n"
        );
    }
    text += "nobody,no-such-engine,,2000,,levels,2026-01-01,a test,\n";
    text += "far,builtin,,3000,,other,2026-01-01,a test,\n";
    std::fs::write(folder.join("references.csv"), text).expect("written");
}

const RATED: &str = "rate builtin --option builtin.UCI_LimitStrength=true --option builtin.UCI_Elo=1200 \
                     --option builtin.Seed=7 --references references.csv --depth 64 --max-moves 100 \
                     --no-probe --seed 3 --jobs 1";

#[test]
fn an_engine_is_rated_by_opponents_that_tell_most_until_the_interval_is_narrow() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_references(folder);
    let played = harness(folder, &format!("{RATED} --error 110 --max-games 200 --json"));
    assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    let text = shown(&played);
    assert!(text.contains("left out: nobody") && text.contains("`no-such-engine`"), "{text}");
    let report = json(&played);
    let rating = &report["rating"];
    let [value, error] = ["value", "error95"].map(|key| rating[key].as_f64().expect("rated"));
    assert!((value - 1200.0).abs() < 2.0 * error && error <= 110.0, "{report}");
    assert_eq!((&report["reached"], &report["list"]), (&true.into(), &"levels".into()));
    let games = report["games"].as_u64().expect("a number");
    assert!((16..200).contains(&games), "{report}");
    let references = report["references"].as_array().expect("a list");
    assert_eq!(references.len(), 3, "{report}");
    let of = |row: &Value| row["games"].as_u64().expect("a number");
    assert_eq!(references.iter().map(of).sum::<u64>(), games, "{report}");
    // Half of the games are with the one that is near, at least as many as with each other one.
    assert!(of(&references[1]) >= of(&references[0]).max(of(&references[2])), "{report}");

    // Rated again from what was kept, and as a match.
    let again = harness(folder, "rate --from last --json");
    assert_eq!(json(&again), report);
    let text = shown(&harness(folder, "rate --from last"));
    assert!(text.contains("(levels)") && text.contains("that of the published ratings"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let page = harness(folder, "report last --format json");
    assert_eq!(json(&page)["games"], report["games"], "{}", shown(&page));
}

#[test]
fn a_rating_goes_on_after_a_kill_with_the_same_opponents() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_references(folder);
    let line = format!("{RATED} --error 1 --max-games 40 --quiet");
    let whole = harness(folder, &format!("{line} --json --reports whole"));
    assert_eq!(whole.status.code(), Some(3), "the interval is wider than asked: {}", shown(&whole));
    let mut playing = common::harness(folder, line.split_whitespace());
    let mut playing = playing.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    until("games are kept", || has_games(folder, 10));
    playing.kill().expect("killed");
    playing.wait().expect("ended");
    let resumed = harness(folder, "resume last --json");
    assert_eq!(resumed.status.code(), Some(3), "{}", shown(&resumed));
    let without_run = |output: &Output| {
        let mut report = json(output);
        report["run"] = Value::Null;
        report
    };
    assert_eq!(without_run(&resumed), without_run(&whole));
}

#[test]
fn one_who_loses_everything_has_a_bound_and_no_rating() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_references(folder);
    // Random moves against a search.
    let line = format!(
        "rate {MOCK} --references references.csv --nodes 500 --no-probe --max-games 8 --jobs 1 --json"
    );
    let played = harness(folder, &line);
    assert_eq!(played.status.code(), Some(3), "{}", shown(&played));
    let report = json(&played);
    assert_eq!(report["games"].as_u64(), Some(8), "{report}");
    let said = String::from_utf8_lossy(&played.stderr);
    assert!(said.contains("--max-games 8 is too few for --error 20"), "{said}");
    let why = report["rating_undefined"].as_str().expect("a reason");
    assert!(why.contains("every game was lost") && why.contains("95 %"), "{why}");
    assert_eq!(report["rating"]["value"], Value::Null, "{report}");
    let references = report["references"].as_array().expect("a list");
    let sum = |key: &str| references.iter().filter_map(|one| one[key].as_u64()).sum::<u64>();
    assert_eq!((sum("games"), sum("losses")), (8, 8), "{report}");
}

#[test]
fn references_that_cannot_be_used_are_errors_that_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write_references(folder);
    let engine = "references: [{ name: mock, cmd: MOCK, version: Other 9, rating: 2000, list: x }]";
    std::fs::write(folder.join("other.yaml"), engine.replace("MOCK", MOCK)).expect("written");
    std::fs::write(folder.join("bad.yaml"), "references: [{ name: a, cmd: b }]").expect("written");
    for (line, says) in [
        ("rate builtin --references other.yaml", "of Other 9"),
        ("rate builtin --references bad.yaml", "bad.yaml:1:"),
        ("rate builtin --references missing.yaml", "missing.yaml"),
        ("rate builtin --references references.csv --list nothing", "levels; other"),
        ("rate builtin --references references.csv --error 0", "0.5 to 1000"),
        ("rate --from last", "no run"),
        ("rate", "ENGINE"),
        ("rate builtin --references references.csv --shard 1/2", "shards"),
    ] {
        let refused = harness(folder, line);
        assert_eq!(refused.status.code(), Some(2), "{line}: {}", shown(&refused));
        assert!(shown(&refused).contains(says), "{line}: {}", shown(&refused));
    }
    let printed = harness(folder, "rate --print-references");
    assert!(shown(&printed).contains("CCRL Blitz"), "{}", shown(&printed));
    std::fs::write(folder.join("own.yaml"), &printed.stdout).expect("written");
    let missing = harness(folder, "rate no-such-engine --references own.yaml");
    assert_eq!(missing.status.code(), Some(2), "{}", shown(&missing));
}
