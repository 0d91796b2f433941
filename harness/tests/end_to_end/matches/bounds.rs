//! Bounds that fall, giving up, and tests whose rule changes while they are under way.

use std::process::Stdio;

use serde_json::Value;

use crate::matches::bench::{Bench, until};

/// Engines whose games end at once, in favour of the first.
fn strong_and_weak() -> Bench {
    Bench::new(&[("strong", "--score 900"), ("weak", "--score -900 --seed 2")])
}

/// Engines that are as strong as each other, and draw.
fn equals() -> Bench {
    Bench::new(&[("a", "--delay 1"), ("b", "--delay 1 --seed 2")])
}

/// Short games that are all drawn.
const DRAWN: &str = "--nodes 1 --max-moves 5";

fn object(text: &str) -> Value {
    serde_json::from_str(text).expect("one JSON object")
}

#[test]
fn a_plan_has_each_form_of_bounds_with_its_error_rates() {
    let bench = Bench::new(&[]);
    let line =
        "sprt --plan --elo1 60 --bounds falling --stop-futile --max-games 600 --draw-ratio 0.5";
    let plan = bench.json(line);
    let rules = plan["plans"][0]["rules"].as_array().expect("rules");
    assert_eq!(rules.len(), 6, "{plan}");
    for rule in rules {
        let number = |key: &str| rule["rates"][key].as_f64().expect("a number");
        assert!(number("alpha") <= 0.05, "{rule}");
        let is_futile = rule["futile"].is_number();
        assert!(is_futile || number("beta") <= 0.05, "{rule}");
        assert!(rule["max_games"].as_u64().is_some_and(|games| games <= 600), "{rule}");
        assert_eq!(rule["courses"].as_array().map(Vec::len), Some(5));
    }
    let text = bench.run(line).stdout;
    assert!(
        text.contains("triangular") && text.contains("+ futile") && text.contains("Errs +60"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let wide = bench.run("sprt --plan --elo1 400 --bounds falling");
    wide.assert_fails(2, &["falling bounds cannot be computed", "nElo apart"]);
    for level in ["0", "1", "x"] {
        let line = format!("sprt --plan --stop-futile={level}");
        bench.run(&line).assert_fails(2, &["conditional power"]);
    }
}

#[test]
fn a_test_with_falling_bounds_has_a_last_game_and_lines_that_meet() {
    let bench = equals();
    let rest = format!("--elo0=-70 --elo1 75 --bounds triangular {DRAWN} --json");
    let ended = bench.run(&format!("sprt a b {rest}"));
    let summary = object(&ended.stdout);
    let games = summary["games"].as_u64().expect("a number");
    assert!(games <= summary["games_asked"].as_u64().expect("the proven maximum"), "{summary}");
    assert_eq!(summary["verdict"] == "accepted", ended.status == 0, "{summary}");
    assert_eq!(summary["stopped"], "bounds", "{summary}");
    assert_eq!(summary["sprt"]["rule"]["shape"], "triangular");
    let page = bench.path().join("reports/runs").join(summary["run"].as_str().expect("a run"));
    let page = std::fs::read_to_string(page.join("report.html")).expect("a page");
    assert!(page.contains("triangular bounds (at most"), "the page says the rule");
    let curve = bench.run("report last --format csv --curves").stdout;
    let bound = |line: &str| -> f64 {
        let cells: Vec<&str> = line.split(',').collect();
        cells[cells.len() - 2].parse().expect("a number")
    };
    let lines: Vec<&str> = curve.lines().skip(1).collect();
    assert!(bound(lines[0]) > bound(lines[lines.len() - 1]), "the upper bound falls: {curve}");
    let won = strong_and_weak().json(
        "sprt strong weak --nodes 1 --resign-score 500 --resign-moves 1 --elo1 50 --bounds falling",
    );
    assert_eq!((&won["verdict"], &won["stopped"]), (&"accepted".into(), &"bounds".into()));
}

#[test]
fn a_test_without_a_verdict_takes_more_games_and_stays_one_run() {
    let bench = equals();
    let first = bench.run(&format!("sprt a b {DRAWN} --elo0=-5 --elo1 5 --max-games 8 --json"));
    assert_eq!(first.status, 3, "{}", first.stderr);
    let first = object(&first.stdout);
    assert_eq!((&first["stopped"], &first["games"]), (&"max_games".into(), &8.into()));
    bench.run("resume last").assert_fails(2, &["finished"]);
    bench.run("resume last --max-games 4").assert_fails(2, &["4 pairs are played, more than 2"]);
    let ended = bench.run("resume last --max-games 16 --json");
    assert_eq!(ended.status, 3, "{}", ended.stderr);
    let second = object(&ended.stdout);
    assert_eq!((&second["run"], &second["games"]), (&first["run"], &16.into()));
    bench.assert_whole(8);
    let folder = bench.path().join("reports/runs").join(first["run"].as_str().expect("a run"));
    let plan = std::fs::read_to_string(folder.join("run.yaml")).expect("a plan");
    assert!(plan.contains("at most 16 games"), "{plan}");
    // A match has no rule, a decided test keeps its verdict.
    bench.json(&format!("match a b {DRAWN} --games 2"));
    bench.run("resume last --max-games 4").assert_fails(2, &["is no SPRT"]);
}

#[test]
fn the_bounds_of_a_test_are_changed_for_its_rest_without_a_higher_error_rate() {
    let bench = equals();
    bench.run(&format!("sprt a b {DRAWN} --elo0=-50 --elo1 52 --max-games 20"));
    let ended = bench.run("resume last --bounds triangular --json");
    let says: Vec<&str> = ended.stderr.split_whitespace().collect();
    let says = says.join(" ");
    assert!(says.contains("after 10 pairs, bounds triangular, at most"), "{says}");
    let summary = object(&ended.stdout);
    assert_eq!(summary["sprt"]["rule"]["from"], 10, "{summary}");
    assert!(summary["games"].as_u64().expect("a number") > 20, "{summary}");
    assert_ne!(summary["verdict"], "inconclusive", "bounds that meet decide: {summary}");
    bench.run("resume last --max-games 1000").assert_fails(2, &["has its verdict"]);
}

#[test]
fn a_test_is_stopped_by_hand_only_where_it_is_futile() {
    let bench = Bench::new(&[("a", "--delay 3"), ("b", "--delay 3 --seed 2")]);
    let line = format!("sprt a b {DRAWN} --jobs 1 --elo0=-3 --elo1 5");
    let mut harness =
        bench.harness(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("no game", || bench.has_games() && bench.games().len() >= 6);
    let asked = bench.run("stop last --futile=0.001");
    assert_eq!(asked.status, 3, "{}", asked.stderr);
    assert!(asked.stderr.contains("not futile at 0.001"), "{}", asked.stderr);
    assert!(harness.try_wait().expect("our child").is_none(), "it goes on");
    let checked = bench.run("stop last --futile=0.999 --check");
    assert_eq!(checked.status, 0, "{}", checked.stderr);
    assert!(harness.try_wait().expect("our child").is_none(), "it was only asked");
    let stopped = bench.run("stop last --futile=0.999 --json");
    assert_eq!(stopped.status, 0, "{}", stopped.stderr);
    harness.wait().expect("it ended");
    let summary = object(&stopped.stdout);
    assert_eq!(
        (&summary["verdict"], &summary["stopped"]),
        (&"rejected".into(), &"futility".into()),
        "{summary}"
    );
    assert!(summary["sequential"]["any_stop"].is_array(), "{summary}");
    assert!(summary["games"].as_u64().expect("a number") >= 6, "no game is lost: {summary}");
    assert_eq!(summary["games"], bench.games().len(), "{summary}");
    bench.run("stop last --futile").assert_fails(2, &["is finished"]);
}

#[test]
fn finished_games_are_replayed_by_another_rule_from_the_ledger_and_from_a_pgn() {
    let bench = strong_and_weak();
    let rest = "--nodes 1 --resign-score 500 --resign-moves 1";
    let played = bench.json(&format!("sprt strong weak {rest} --elo1 50"));
    let replayed = bench.json("stats --replay last --bounds falling");
    let test = &replayed["tests"][0];
    assert_eq!(test["old"]["games"], played["games"], "{replayed}");
    assert_eq!(test["old"]["verdict"], "accepted");
    bench.json(&format!("match strong weak {rest} --games 60"));
    let hypotheses = "--elo0 0 --elo1 100 --bounds triangular";
    bench.run("stats --replay last --bounds falling").assert_fails(2, &["not played for a test"]);
    let from_ledger = bench.json(&format!("stats --replay last {hypotheses}"));
    let folder = bench.ledger().facts("last").expect("a run").folder;
    let pgn = bench.path().join(folder).join("games.pgn");
    let from_file = bench.json(&format!("stats --replay {} {hypotheses}", pgn.display()));
    for key in ["games", "ratio", "agree"] {
        assert_eq!(from_ledger[key], from_file[key], "{key}");
    }
    assert_eq!((&from_ledger["complete"], &from_ledger["agree"]), (&1.into(), &1.into()));
    let text = bench.run(&format!("stats --replay last last {hypotheses}")).stdout;
    assert!(text.contains("2 of 2 tests end within their pairs"), "{text}");
    assert!(text.contains("ratio 1."), "{text}");
    bench.run("stats --replay nothing").assert_fails(2, &["nothing"]);
}

#[test]
fn a_test_whose_games_ran_out_is_replayed_as_one_that_ended() {
    let bench = equals();
    let test = "sprt a b --elo0=-2 --elo1 2 --max-games 40 --quiet";
    bench.run(&format!("{test} {DRAWN}"));
    // By the same rule, by another one within its games, and by other hypotheses without a number of games.
    for (flags, is_open) in [
        ("", false),
        ("--bounds falling", false),
        ("--bounds falling --stop-futile", false),
        ("--elo0=-2 --elo1 2", true),
    ] {
        let line = format!("stats --replay last {flags}");
        let replayed = bench.json(line.trim_end());
        let test = &replayed["tests"][0];
        assert_eq!(test["old"]["games"], 40, "{flags}: {test}");
        for rule in ["old", "new"] {
            assert_eq!(test[rule]["open"], is_open, "{flags}: {test}");
        }
        assert_eq!(replayed["complete"], u64::from(!is_open), "{flags}");
    }
}

#[test]
fn many_games_are_replayed_as_consecutive_tests() {
    let bench = strong_and_weak();
    let rest = "--nodes 1 --resign-score 500 --resign-moves 1";
    bench.json(&format!("match strong weak {rest} --games 60"));
    let hypotheses = "--elo0 0 --elo1 100";
    let line = format!("stats --replay last last {hypotheses} --consecutive --bounds triangular");
    let replayed = bench.json(&line);
    let tests = replayed["tests"].as_array().expect("tests");
    // All pairs are won, so that all tests are the same, and the last one may lack pairs.
    let one = bench.json(&format!("stats --replay last {hypotheses} --bounds triangular"));
    let games = |test: &Value, rule: &str| test[rule]["games"].as_u64().expect("a number");
    let longer = games(&one["tests"][0], "old").max(games(&one["tests"][0], "new"));
    assert_eq!(tests.len() as u64, 120u64.div_ceil(longer), "{replayed}");
    assert_eq!(replayed["complete"], 120 / longer, "{replayed}");
    for (number, test) in tests.iter().enumerate() {
        let first = number as u64 * longer / 2;
        assert_eq!(test["from_pair"], first % 30 + 1, "{test}");
    }
    let totals = &replayed["totals"];
    for rule in [0, 1] {
        assert_eq!(totals[rule]["accepted"], replayed["complete"], "{totals}");
        assert_eq!(totals[rule]["median"], totals[rule]["most"], "{totals}");
    }
    let text = bench.run(&line).stdout;
    assert!(text.contains("Undecided") && text.contains("tests end within"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // Tests of different rules are no stream.
    bench.run(&format!("sprt strong weak {rest} --elo1 50 --quiet"));
    bench.run(&format!("sprt strong weak {rest} --elo1 60 --quiet"));
    let runs = bench.json("runs");
    let ids: Vec<&str> =
        runs.as_array().expect("runs").iter().filter_map(|run| run["run"].as_str()).collect();
    let both = format!("stats --replay {} {} --consecutive", ids[1], ids[2]);
    bench.run(&both).assert_fails(2, &["not played by the same rule"]);
}

#[test]
fn flags_of_a_test_without_a_test_are_refused() {
    let bench = Bench::new(&[]);
    let counts = "stats --pentanomial 10,60,120,75,15";
    for flags in
        ["--bounds falling", "--stop-futile", "--alpha 0.01", "--beta 0.1", "--model logistic"]
    {
        bench.run(&format!("{counts} {flags}")).assert_fails(2, &["elo0"]);
        bench.json(&format!("{counts} --elo0 0 --elo1 50 {flags}"));
    }
    bench
        .run(&format!("{counts} --consecutive"))
        .assert_fails(2, &["--consecutive", "cannot be used with"]);
}
