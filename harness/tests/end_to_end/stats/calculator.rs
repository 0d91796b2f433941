//! `harness stats`, as users and programs see it.

use assert_cmd::Command;

fn stats(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("harness").expect("built").arg("stats").args(args).output().expect("ran")
}

#[test]
fn the_calculator_prints_one_object_with_the_documented_keys() {
    let output = stats(&["--json", "--pentanomial", "5,40,165,33,7", "--elo0=-5", "--elo1", "0"]);
    assert!(output.status.success());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["games"], 500);
    assert_eq!(object["pentanomial"], serde_json::json!([5, 40, 165, 33, 7]));
    assert_eq!(object["verdict"], "inconclusive");
    for key in ["value", "error95"] {
        assert!(object["elo"][key].is_f64() && object["nelo"][key].is_f64(), "{object}");
    }
    assert!(object["llr"].is_f64() && object["los"].is_f64() && object["bounds"][1].is_f64());
}

#[test]
fn few_games_have_an_interval_that_agrees_with_the_likelihood_of_superiority() {
    for (counts, method) in
        [("0,0,1,0,3", "dirichlet"), ("0,0,2,0,0", "dirichlet"), ("5,40,165,33,7", "normal")]
    {
        let output = stats(&["--json", "--pentanomial", counts]);
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let number = |key: &str| object["elo"][key].as_f64().expect("a number");
        let (low, high) = (number("low95"), number("high95"));
        assert_eq!(object["elo"]["method"], method, "{object}");
        assert!(low <= number("value") && number("value") <= high, "{object}");
        assert!((number("error95") - (high - low) / 2.0).abs() < 1e-9, "{object}");
        let los = object["los"].as_f64().expect("a number");
        assert_eq!((low > 0.0, high < 0.0), (los > 0.975, los < 0.025), "{object}");
        assert!(object["visible_effect"].as_f64().is_some_and(|elo| elo > 5.0), "{object}");
    }
    let output = stats(&["--pentanomial", "0,0,2,0,0"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("is the smallest effect that this number of games shows"), "{text}");
}

#[test]
fn counts_beyond_what_can_be_counted_are_refused_and_a_zero_has_no_minus() {
    let most = u64::MAX.to_string();
    for args in [
        ["--pentanomial", &format!("{most},1,0,0,0")],
        ["--pentanomial", &format!("0,0,{most},0,0")],
        ["--wdl", &format!("{most},{most},1")],
        ["--wdl", "99999999999999999999,0,1"],
    ] {
        let output = stats(&args);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text.contains("than can be counted"), "{args:?}: {text}");
    }
    for counts in ["3,10,20,10,3", "1,70,400,70,1", "0,0,2,0,0", "7,0,0,0,7"] {
        let output = stats(&["--pentanomial", counts, "--elo0=-1", "--elo1", "1"]);
        let text = String::from_utf8_lossy(&output.stdout);
        let zero =
            |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-') == "-0.00";
        assert!(!text.split_whitespace().any(zero), "{text}");
    }
}

#[test]
fn the_calculator_explains_what_it_cannot_compute() {
    let output = stats(&["--wdl", "12,0,0"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("every game was won"), "{text}");
    let output = stats(&["--json", "--wdl", "12,0,0"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(object["elo"].is_null() && object["elo_undefined"].is_string(), "{object}");
    let asked = ["--pentanomial", "0,0,0,0,0", "--elo0", "0", "--elo1", "5"];
    let output = stats(&asked);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.matches("no game was played").count(), 4, "{text}");
    let output = stats(&[&["--json"], &asked[..]].concat());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for key in ["elo", "nelo", "los", "llr", "sequential", "remaining"] {
        assert_eq!(object.get(key), Some(&serde_json::Value::Null), "{key}: {object}");
    }
    assert_eq!(object["elo_undefined"], "no game was played");
}

#[test]
fn the_calculator_refuses_wrong_usage_with_status_2() {
    for args in [
        &["--pentanomial", "1,2,3"][..],
        &["--wdl", "1,2,x"],
        &["--wdl", "1,2,3", "--pentanomial", "1,2,3,4,5"],
        &["--wdl", "1,2,3", "--elo0", "0"],
        &["--wdl", "1,2,3", "--elo0", "5", "--elo1", "0"],
        &["--wdl", "1,2,3", "--elo0", "0", "--elo1", "5", "--alpha", "0.7"],
        &["--wdl", "1,2,3", "--elo0", "nan", "--elo1", "5"],
        &[],
    ] {
        let output = stats(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn counts_of_a_test_have_an_estimate_without_its_bias() {
    let asked = ["--pentanomial", "120,1180,2500,1410,190", "--elo0", "0", "--elo1", "5"];
    let output = stats(&asked);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\nSequential   11.41, 95% in [4.98, 17.82]"), "{text}");
    let output = stats(&[&["--json"], &asked[..]].concat());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for estimate in [&object["sequential"], &object["sequential"]["overshoot_corrected"]] {
        let low = estimate["ci95"][0].as_f64().expect("a number");
        assert!(low > 0.0 && estimate["median_unbiased"].as_f64() > Some(low), "{object}");
    }
    assert_eq!(object["remaining"], serde_json::json!({ "games": 0.0, "pass": 1.0 }));
}

/// The games of the made-up tournament as PGN, with moves and comments that do not count.
fn round_robin() -> String {
    let table = include_str!("../../data/round_robin.txt");
    let mut pgn = String::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        for (result, count) in ["1-0", "1/2-1/2", "0-1"].into_iter().zip(&words[2..]) {
            let game = format!(
                "[White \"{}\"]\n[Black \"{}\"]\n[Result \"{result}\"]\n\n\
                 1. e4 {{[White \"Nobody\"]}} e5 (1... c5) {result}\n\n",
                words[0], words[1]
            );
            pgn += &game.repeat(count.parse().expect("a count"));
        }
    }
    // One that is not finished, one without names, and one whose result stands behind the moves.
    pgn += "[White \"Eel\"]\n[Black \"Cod\"]\n[Result \"*\"]\n\n1. e4 *\n\n";
    pgn += "[White \"?\"]\n[Black \"Cod\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n";
    pgn + "[White \"Eel\"]\n[Black \"Late\"]\n\n1. e4 e5 0-1\n"
}

#[test]
fn players_of_a_pgn_are_rated() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, round_robin()).expect("written");
    let path = path.to_str().expect("UTF-8");
    let output = stats(&["--json", "--pgn", path]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&object["games"], &object["unfinished"]), (&801.into(), &2.into()));
    assert_eq!(object["players"][0]["name"], "Late");
    assert_eq!(object["players"][0]["elo"]["value"], serde_json::Value::Null);
    assert_eq!(object["players"][0]["elo_undefined"], "every game was won: no upper end");
    // As Ordo has them: see the tests of the ratings.
    for (at, name, elo) in [(1, "Anchovy", 101.98), (6, "Flounder", -145.74)] {
        let player = &object["players"][at];
        assert_eq!(player["name"], name);
        let value = player["elo"]["value"].as_f64().expect("rated");
        assert!((value - elo).abs() < 0.01, "{player}");
    }
    assert!((object["white"]["value"].as_f64().expect("both colours") - 53.05).abs() < 0.01);
    let output = stats(&["--pgn", path, "--min-games", "2"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Anchovy") && !text.contains("Late"), "{text}");
    assert!(text.contains("800 games") && text.contains("superiority"), "{text}");
}

#[test]
fn a_pgn_without_games_is_refused_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("empty.pgn");
    std::fs::write(&path, "[White \"a\"]\n[Result \"1-0\"]\n\n1-0\n").expect("written");
    for (args, message) in [
        (vec!["--pgn", path.to_str().expect("UTF-8")], "empty.pgn"),
        (vec!["--pgn", "no-such-file.pgn"], "no-such-file.pgn"),
        (vec!["--pgn", "x.pgn", "--elo0", "0", "--elo1", "5"], "--elo"),
        (vec!["--wdl", "1,2,3", "--min-games", "5"], "--min-games"),
    ] {
        let output = stats(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(message) && output.stdout.is_empty(), "{text}");
    }
}
