//! Races: which of several candidates is best, and is it better than the base.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::Value;

use crate::common::has_games;
use crate::matches::bench::{Bench, Ended, until};

/// `w1`, `w2` and `w3` resign at once, `s1` and `s2` never do, and `c` crashes.
fn bench(delay: u32) -> Bench {
    let flags = |seed: u32, score: i32| format!("--seed {seed} --score {score} --delay {delay}");
    let engines = [
        ("w1", flags(1, -3_000)),
        ("w2", flags(2, -3_000)),
        ("w3", flags(3, -3_000)),
        ("s1", flags(4, 3_000)),
        ("s2", flags(5, 3_000)),
        ("c", "--crash go".to_owned()),
    ];
    let engines: Vec<(&str, &str)> =
        engines.iter().map(|(name, flags)| (*name, flags.as_str())).collect();
    Bench::new(&engines)
}

const RULES: &str = "--nodes 1 --jobs 2 --batch 8 --resign-score 500 --resign-moves 1 \
                     --max-moves 3 --no-probe";

fn race(bench: &Bench, line: &str) -> (Ended, Value) {
    let ended = bench.run(&format!("race {line} --elo1 100 {RULES} --json"));
    let summary = serde_json::from_str(&ended.stdout).unwrap_or(Value::Null);
    (ended, summary)
}

fn names(rows: &Value) -> Vec<&str> {
    rows.as_array().expect("rows").iter().map(|row| row["name"].as_str().expect("named")).collect()
}

#[test]
fn the_best_candidate_is_found_and_the_exit_status_says_whether_it_is_better() {
    let bench = bench(0);
    // Candidates, base, exit status, verdict, the leader at the end, whether there is a final.
    for (candidates, base, status, verdict, leader, has_final) in [
        ("w1 s1", "w2", 0, "accepted", Some("s1"), true),
        ("w1 s1 w3", "w2", 0, "accepted", Some("s1"), true),
        ("c w1 s1 w3", "w2", 0, "accepted", Some("s1"), true),
        // One candidate is an SPRT.
        ("s1", "w1", 0, "accepted", Some("s1"), true),
        ("w1", "s1", 1, "rejected", Some("w1"), true),
        // Two equal ones.
        ("s1 s2", "w1", 0, "accepted", Some("s1"), true),
        // None is better; from six on the base runs.
        ("w1 w2", "s1", 1, "rejected", Some("w1"), true),
        ("w1 w2 w3 c w1 w2", "s1", 1, "rejected", None, false),
        // The base among the candidates.
        ("w1 s1", "s1", 1, "rejected", Some("s1#2"), false),
        ("s1", "s1", 1, "rejected", Some("s1#2"), false),
        // The same name twice.
        ("w1 w1 s1", "w1", 0, "accepted", Some("s1"), true),
        ("c", "c", 1, "rejected", Some("c#2"), false),
    ] {
        let line = format!("{candidates} --base {base}");
        let (ended, summary) = race(&bench, &line);
        assert_eq!(ended.status, status, "{line}: {}", ended.stderr);
        assert_eq!(summary["verdict"], verdict, "{line}");
        let of_race = &summary["race"];
        assert_eq!(of_race["leader"].as_str(), leader, "{line}: {of_race}");
        assert_eq!(
            of_race["final_games"].as_u64().is_some_and(|games| games > 0),
            has_final,
            "{line}"
        );
        assert_eq!(of_race["final_candidate"].is_string(), has_final, "{line}");
        let count = candidates.split(' ').count();
        assert_eq!(names(&of_race["runners"]).len(), count + 1, "{line}");
        let parts =
            ["heats_games", "final_games"].map(|part| of_race[part].as_u64().expect("a number"));
        assert_eq!(summary["games"], parts[0] + parts[1], "{line}");
        assert_eq!(parts[0] > 0, count > 1, "{line}");
        let counted =
            ["wins", "draws", "losses"].map(|kind| summary[kind].as_u64().expect("a number"));
        assert_eq!(
            counted.iter().sum::<u64>(),
            parts[1],
            "{line}: the result is that of the final"
        );
    }
    let (falling, summary) = race(&bench, "w1 s1 --base w2 --bounds falling");
    assert_eq!(falling.status, 0, "{}", falling.stderr);
    assert_eq!(summary["sprt"]["rule"]["shape"], "falling", "{summary}");
    bench.assert_no_engine_left();
}

#[test]
fn the_final_has_openings_of_its_own_and_rounds_of_a_heat_share_theirs() {
    let bench = bench(0);
    let (_, summary) = race(&bench, "w1 s1 w3 --base w2");
    let first = summary["race"]["heats_games"].as_u64().expect("a number") / 2;
    let games = bench.games();
    let opening = |pgn: &str| -> String {
        pgn.lines().find(|line| line.starts_with("[FEN")).unwrap_or_default().to_owned()
    };
    let of = |in_final: bool| -> BTreeSet<String> {
        games
            .iter()
            .filter(|game| (game.pair >= first) == in_final)
            .map(|game| opening(&game.pgn))
            .collect()
    };
    assert!(of(true).is_disjoint(&of(false)));
    assert_eq!(of(true).len() as u64, summary["race"]["final_games"].as_u64().unwrap() / 2);
    // Three runners have three pairings a round.
    let round: BTreeSet<String> =
        games.iter().filter(|game| game.pair < 3).map(|game| opening(&game.pgn)).collect();
    assert_eq!(round.len(), 1);
    assert_ne!(
        round,
        games.iter().filter(|game| game.pair == 3).map(|game| opening(&game.pgn)).collect()
    );
}

#[test]
fn a_killed_race_goes_on_with_the_same_games() {
    let line = format!("race w1 s1 w3 c --base w2 --elo1 20 {RULES}");
    let (whole, killed) = (bench(0), bench(3));
    let expected = whole.json(&line);
    let games = expected["games"].as_u64().expect("a number");
    assert!(games > 120, "{games}");
    for games in [9, 50, 90] {
        let resumes = games > 9;
        let words = if resumes { "resume last --no-probe" } else { line.as_str() };
        let mut harness = killed
            .harness(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the harness starts");
        until("games are kept", || has_games(killed.path(), games));
        harness.kill().expect("it runs");
        harness.wait().expect("it ends");
    }
    let resumed = killed.json("resume last --no-probe");
    for key in ["race", "games", "pentanomial", "verdict", "llr"] {
        assert_eq!(resumed[key], expected[key], "{key}");
    }
    let played = |bench: &Bench| {
        let games = bench.games().into_iter();
        games.map(|game| (game.pair, game.game, game.white, game.black)).collect::<BTreeSet<_>>()
    };
    assert_eq!(played(&killed), played(&whole));
    assert_eq!(killed.games().len(), whole.games().len());
    killed.assert_no_engine_left();
}

#[test]
fn a_race_is_told_while_it_runs_and_reported_in_every_form() {
    let bench = bench(0);
    let ended = bench.run(&format!("race w1 s1 w3 --base w2 --elo1 100 {RULES} --json-stream"));
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let lines: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    assert_eq!((of("runner_dropped"), of("final_started"), of("run_finished")), (2, 1, 1));
    let dropped = lines.iter().find(|line| line["event"] == "runner_dropped").expect("one");
    assert!(dropped["engine"].is_string() && dropped["left"] == 2, "{dropped}");
    assert!(ended.stderr.contains("is dropped, by ") && ended.stderr.contains("the final is `s1`"));
    let text = bench.run(&format!("race w1 s1 w3 --base w2 --elo1 100 {RULES}"));
    for part in
        ["ACCEPTED: s1 is the best of 3 candidates", "Left the heats", "for the final", "w2 (base)"]
    {
        assert!(text.stdout.contains(part), "{part}: {}", text.stdout);
    }
    assert!(text.stdout.lines().all(|line| line.chars().count() <= 100), "{}", text.stdout);
    for (format, part) in [
        ("html", "Evidence against each runner"),
        ("html", "plays the final against w2"),
        ("markdown", "## Race against w2"),
        ("json", "\"drop_at\""),
        ("pgn", "[White "),
    ] {
        let report = bench.run(&format!("report last --format {format} --output -"));
        assert!(report.stdout.contains(part), "{format}: {}", report.stderr);
    }
    let curves = bench.run("report last --format csv --curves --output -");
    assert!(curves.stdout.contains(",s1\n"), "{}{}", curves.stdout, curves.stderr);
    let runs = bench.run("runs").stdout;
    assert!(runs.contains("race") && runs.contains("finished"), "{runs}");
}

#[test]
fn games_that_do_not_suffice_are_undecided_and_the_race_can_be_shown_before_its_end() {
    let bench = bench(0);
    for games in ["5", "20", "30"] {
        let (ended, summary) = race(&bench, &format!("w1 s1 w3 --base w2 --max-games {games}"));
        assert!(ended.stderr.contains(&format!("--max-games {games} cannot decide")), "{games}");
        assert_eq!(
            (ended.status, summary["verdict"].as_str()),
            (3, Some("inconclusive")),
            "{games}"
        );
        assert!(
            summary["games"].as_u64() <= Some(games.parse::<u64>().unwrap().next_multiple_of(2))
        );
        assert!(summary["games"].as_u64() > Some(0), "{games}");
    }
    let (enough, _) = race(&bench, "w1 s1 w3 --base w2 --max-games 400");
    assert!(enough.status == 0 && !enough.stderr.contains("cannot decide"), "{}", enough.stderr);
}

#[test]
fn real_engines_race_by_their_limits_and_options() {
    let bench = Bench::new(&[]);
    let line = "race builtin builtin builtin --base builtin --nodes 60 --limit builtin#3:nodes=1500 \
                --elo1 150 --batch 16 --max-moves 60 --json";
    let one = bench.run(&format!("{line} --jobs 1"));
    let two = bench.run(&format!("{line} --jobs 3"));
    assert_eq!((one.status, two.status), (0, 0), "{}{}", one.stderr, two.stderr);
    let [one, two]: [Value; 2] =
        [one, two].map(|ended| serde_json::from_str(&ended.stdout).expect("JSON"));
    assert_eq!(one["race"], two["race"], "whatever --jobs says");
    assert_eq!(one["race"]["leader"], "builtin#3");
    let varied = bench.run(
        "race --base builtin --vary UCI_Elo=800,2200 --option UCI_LimitStrength=true --option \
         UCI_Elo=800 --depth 5 --elo1 150 --batch 16 --max-moves 60 --json",
    );
    assert_eq!(varied.status, 0, "{}", varied.stderr);
    let varied: Value = serde_json::from_str(&varied.stdout).expect("JSON");
    assert_eq!(varied["race"]["leader"], "builtin UCI_Elo=2200");
}

#[test]
fn what_is_no_race_is_refused_with_a_reason() {
    let bench = bench(0);
    for (line, parts) in [
        ("race", &["--base"][..]),
        ("race w1", &["--base"]),
        ("race --base w1", &["CANDIDATE"]),
        ("race w1 w2 --base nonsense", &["nonsense"]),
        ("race w1 w2 --base w3 --elo0 5 --elo1 5", &["elo0"]),
        ("race w1 w2 --base w3 --alpha 0", &["alpha"]),
        ("race --base w1 --vary Hash", &["OPTION=VALUE"]),
        ("race --base w1 --vary Hash=1,1", &["each value once"]),
        ("race w1 w2 --base w3 --shard 1/2", &["shards"]),
        ("race w1 --plan", &["--plan"]),
        // Fewer games than a round: of three, and of six candidates with the base.
        (
            "race w1 w2 w3 --base s1 --max-games 4",
            &["4 is less than a round", "6 games", "all 3 runners"],
        ),
        ("race w1 w2 w3 w1 w2 w3 --base s1 --max-games 40", &["42 games", "all 7 runners"]),
        ("race --plan --bounds falling", &["--plan"]),
    ] {
        bench.run(line).assert_fails(2, parts);
    }
}

#[test]
fn a_plan_compares_races_with_other_ways() {
    let bench = Bench::new(&[]);
    let ended = bench.run("race --plan --candidate-counts 2,5 --simulations 20 --elo1 60 --json");
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let plan: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let comparisons = plan["comparisons"].as_array().expect("scenarios");
    assert_eq!(comparisons.len(), 8);
    for comparison in comparisons {
        assert_eq!(comparison["costs"].as_array().map(Vec::len), Some(5));
        assert_eq!(comparison["costs"][0]["way"], "race");
    }
    let text = bench.run("race --plan --candidate-counts 3 --simulations 5 --elo1 60");
    assert!(text.stdout.contains("3 candidates, 2 at +60.0 Elo, the others at +0.0"));
    assert!(text.stdout.contains("an SPRT each, alpha / k"));
}
