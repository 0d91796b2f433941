//! `harness stats`, as users and programs see it.

use std::process::Command;

fn stats(args: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_harness")).arg("stats").args(args).output().expect("ran")
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
    let over = serde_json::json!({ "games": 0.0, "pass": 1.0, "undecided": 0.0 });
    assert_eq!(object["remaining"], over);
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
    assert_eq!((&object["unnamed"], &object["without_moves"]), (&1.into(), &0.into()));
    assert_eq!(object["head_to_head"], serde_json::Value::Null);
    assert_eq!(object["players"][0]["name"], "Late");
    assert_eq!(object["players"][0]["elo"]["value"], serde_json::Value::Null);
    let reason = object["players"][0]["elo_undefined"].as_str().expect("a reason");
    assert!(
        reason.starts_with("every game was won: no upper end (95 % sure to be above -"),
        "{reason}"
    );
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
    assert!(text.contains("Elo: 0 is the average of the players"), "{text}");
    let left_out = "Left out: 1 without a result (`*`), 1 without names\n";
    assert!(text.contains(left_out), "{text}");
}

/// Games without moves: White, Black, the result and other tags.
fn games(all: &[(&str, &str, &str, &str)]) -> String {
    let game = |(white, black, result, tags): &(&str, &str, &str, &str)| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n{tags}[Result \"{result}\"]\n\n{result}\n\n"
        )
    };
    all.iter().map(game).collect()
}

/// `stats --pgn` of a text, as JSON and as text.
fn rated(pgn: &str) -> (serde_json::Value, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, pgn).expect("written");
    let path = path.to_str().expect("UTF-8");
    let [json, text] = [vec!["--json", "--pgn", path], vec!["--pgn", path]].map(|args| {
        let output = stats(&args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    });
    (serde_json::from_str(&json).expect("JSON"), text)
}

#[test]
fn where_colours_separate_the_results_no_number_runs_away() {
    let white = [("a", "b", "1-0", ""), ("b", "a", "1-0", "")];
    let cycle = [
        ("a", "b", "1-0", ""),
        ("b", "c", "1-0", ""),
        ("c", "a", "1-0", ""),
        ("b", "a", "0-1", ""),
    ];
    let one_colour = [("a", "b", "1-0", ""), ("a", "b", "0-1", ""), ("a", "b", "1/2-1/2", "")];
    // Only the group of linked players is separated: d won everything.
    let group = [cycle.as_slice(), &[("d", "a", "1-0", ""), ("b", "d", "0-1", "")]].concat();
    for (case, reason) in [
        (games(&white.repeat(5)), "advantage of White has no upper end"),
        (games(&cycle), "advantage of White has no upper end"),
        (games(&group), "advantage of White has no upper end"),
        (games(&cycle).replace("1-0", "x").replace("0-1", "1-0").replace('x', "0-1"), "of Black"),
        (games(&one_colour.repeat(3)), "colours go with the players"),
    ] {
        let (object, text) = rated(&case);
        assert!(text.contains(reason), "{text}");
        assert_eq!(object["white"]["value"], serde_json::Value::Null, "{object}");
        assert!(object["white_undefined"].as_str().is_some_and(|why| why.contains(reason)));
        let mut ratings = 0;
        for player in object["players"].as_array().expect("players") {
            let Some(value) = player["elo"]["value"].as_f64() else { continue };
            let error = player["elo"]["error95"].as_f64().expect("with the value");
            assert!(value.abs() < 500.0 && (100.0..1_500.0).contains(&error), "{player}");
            ratings += 1;
        }
        assert!(ratings >= 2, "{object}");
        assert!(!text.contains("e1") && !text.contains("99"), "{text}");
    }
}

#[test]
fn games_of_a_player_with_itself_are_left_out() {
    let pair = [("alpha", "beta", "1-0", ""), ("beta", "alpha", "1/2-1/2", "")];
    let itself = [("alpha", "alpha", "1-0", ""), ("beta", "beta", "0-1", "")];
    let (object, text) = rated(&games(&[&itself[..1], &pair, &itself[1..]].concat()));
    assert_eq!((&object["games"], &object["of_one_player"]), (&2.into(), &2.into()), "{object}");
    assert_eq!(object["head_to_head"]["wins"], 1, "{object}");
    assert!(text.contains("Left out: 2 of a player with itself"), "{text}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, games(&itself)).expect("written");
    let output = stats(&["--pgn", path.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("2 games of players"), "{error}");
}

#[test]
fn two_players_get_the_numbers_of_their_match() {
    let fen = "[FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\"]\n";
    let pgn = games(&[
        ("alpha", "beta", "1-0", "[Round \"1.1\"]\n"),
        ("alpha", "beta", "1/2-1/2", fen),
        ("beta", "alpha", "0-1", fen),
        ("beta", "alpha", "1-0", "[Round \"1.2\"]\n"),
        ("beta", "alpha", "0-1", fen),
        ("beta", "alpha", "*", fen),
    ]);
    let (object, text) = rated(&pgn);
    let duel = &object["head_to_head"];
    assert_eq!(duel["pentanomial"], serde_json::json!([0, 0, 1, 1, 0]), "{object}");
    assert_eq!((&duel["wins"], &duel["draws"], &duel["losses"]), (&3.into(), &1.into(), &1.into()));
    assert_eq!((&duel["unpaired"], &object["without_moves"]), (&1.into(), &5.into()));
    let counts = stats(&["--json", "--pentanomial", "0,0,1,1,0"]);
    let counts: serde_json::Value = serde_json::from_slice(&counts.stdout).expect("JSON");
    for key in ["elo", "nelo", "los", "score", "draw_ratio", "pairs_ratio"] {
        assert_eq!(duel[key], counts[key], "{key}");
    }
    for words in [
        "alpha against beta, seen from alpha",
        "[0, 0, 1, 1, 0]",
        "W 3 D 1 L 1",
        "1 of 5 games have no partner",
        "5 have no moves",
        "1 without a result (`*`)",
        "Plain nElo",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn the_plain_normalized_elo_stands_beside_the_regularised_one() {
    for (counts, reason) in [
        (["--pentanomial", "8,10,6,1,0"], Some("below 200 pairs the spread")),
        (["--wdl", "5,10,20"], Some("below 200 games the spread")),
        (["--pentanomial", "0,4,1000,5,0"], Some("nearly equal pairs")),
        (["--pentanomial", "34,54,63,64,75"], None),
    ] {
        let text = String::from_utf8(stats(&counts).stdout).expect("UTF-8");
        assert_eq!(text.contains("Plain nElo"), reason.is_some(), "{text}");
        assert!(reason.is_none_or(|reason| text.contains(reason)), "{text}");
        let object = stats(&[&["--json"], &counts[..]].concat()).stdout;
        let object: serde_json::Value = serde_json::from_slice(&object).expect("JSON");
        let [value, plain] = ["value", "plain"].map(|key| object["nelo"][key].as_f64());
        assert_eq!(value == plain, reason.is_none(), "{object}");
    }
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
