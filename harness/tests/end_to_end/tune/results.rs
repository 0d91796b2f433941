//! Pages, values and data of runs that have ended.

use super::*;

#[test]
fn a_run_that_ends_early_measures_its_gain_first_and_has_the_same_page_again() {
    let folder = folder_with(&format!("stop_below: 1000\n{EXPERIMENT}"));
    let (status, stdout, stderr) = output(folder.path(), "tune run try.yaml --quiet --json");
    assert_played(status, &stderr);
    let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert!(summary["games"].as_u64().is_some_and(|games| games < 120), "{summary}");
    assert!(summary["verdict"].is_string() && summary["candidate"].is_object(), "{summary}");
    let page = run_folder(folder.path()).expect("a run").join("report.html");
    let (status, _, stderr) = output(folder.path(), "report last --format html");
    assert_eq!(status, 0, "{stderr}");
    let again = std::fs::read_to_string(&page).expect("a page");
    assert!(again.contains("by as many games again") && !again.contains("another version"));
}

#[test]
fn the_page_shows_every_parameter_and_the_table_every_trial() {
    let folder = folder_with(&EXPERIMENT.replace("lmr_base:", "lmr_base:\n  lmr_pv:"));
    let (status, _, stderr) = output(folder.path(), "tune run try.yaml --quiet");
    assert_played(status, &stderr);
    let table = steps(folder.path());
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let head = ["trial", "games", "gain_elo", "rfp_margin", "lmr_base", "lmr_pv", "result"];
    assert_eq!(rows[0], head);
    // So short a run has trials of one pair.
    assert_eq!(rows.len(), 1 + 120, "{table}");
    for (trial, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[..2], [trial.to_string(), (2 * trial + 2).to_string()], "{table}");
        assert!(row[6].parse::<f64>().is_ok_and(|result| result.abs() <= 2.0), "{table}");
    }

    let path = run_folder(folder.path()).expect("a run").join("report.html");
    let page = std::fs::read_to_string(&path).expect("a page");
    let last = rows.last().expect("a row");
    for (name, value) in rows[0][3..6].iter().zip(&last[3..6]) {
        assert!(page.contains(&format!("<code>{name}</code>")), "{name}");
        let value: f64 = value.parse().expect("a number");
        assert!(value.abs() < 10.0 || page.contains(&format!("{value:.1}")), "{name} {value}");
    }
    // Two a parameter, its path and its partial dependence, three of two parameters each, and the
    // gain, which is drawn for wide and for narrow screens.
    let others = ["<svg class=\"bar\"", "<svg class=\"symbols\""];
    let others: usize = others.iter().map(|other| page.matches(other).count()).sum();
    assert_eq!(page.matches("<svg").count() - others, 11);
    assert!(page.contains("Chance to be better than the start"), "{page}");
    assert!(!page.contains("<script src") && !page.contains("NaN") && !page.contains(" src="));
    let (status, _, stderr) = output(folder.path(), "report last --format html");
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(std::fs::read_to_string(&path).expect("a page"), page);
}

#[test]
fn a_run_that_was_killed_has_a_page_and_values_of_what_was_played() {
    let folder = folder_with(&EXPERIMENT.replace("games: 240", "games: 100000"));
    let mut child = harness(folder.path(), "tune run try.yaml --quiet")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the harness starts");
    let lines = || {
        let table = run_folder(folder.path())?.join("steps.csv");
        Some(std::fs::read_to_string(table).ok()?.lines().count())
    };
    for _ in 0..600 {
        if lines().is_some_and(|lines| lines > 8) {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    let (status, page, stderr) = output(folder.path(), "report last --format html -o -");
    assert_eq!(status, 0, "{stderr}");
    assert!(page.contains("not finished"), "{page}");
    // The parameters' paths, and their dependence if that many trials were played.
    assert!([2, 5].contains(&page.matches("<svg").count()), "{page}");
    let (status, _, stderr) = output(folder.path(), "tune apply last --format yaml");
    assert_eq!(status, 2, "{stderr}");
    assert!(flat(&stderr).contains("too few games to tell"), "{stderr}");
    let (status, values, stderr) =
        output(folder.path(), "tune apply last --format yaml --untested");
    assert_eq!((status, values.lines().count()), (0, 2), "{stderr}");
    assert!(stderr.contains("not finished"), "{stderr}");
}

#[test]
fn training_data_of_a_run_is_what_the_experiment_asks_for() {
    let collect = "collect: { keep: winner_and_draws, min_ply: 12, max_score: 500 }\n";
    let folder = folder_with(&format!("{EXPERIMENT}{collect}"));
    let (status, stdout, stderr) = output(folder.path(), "tune run try.yaml --quiet");
    assert_played(status, &stderr);
    assert!(stdout.contains("Training data: "), "{stdout}");
    let data = run_folder(folder.path()).expect("a run").join("positions.csv");
    let validate = |filters: &str| {
        let line = format!("data validate {} {filters} --json", data.display());
        let (status, stdout, stderr) = output(folder.path(), &line);
        let output: serde_json::Value = serde_json::from_str(&stdout).expect(&stderr);
        (status, output)
    };
    let (status, output) = validate("--keep winner-and-draws --min-ply 12 --max-score 500");
    assert_eq!(status, 0, "{output}");
    assert!(output["records"].as_u64().is_some_and(|records| records > 100), "{output}");
    let (status, output) = validate("--keep winner --min-ply 30 --max-score 100");
    assert_eq!(status, 1);
    for reason in ["other_side", "early", "decided"] {
        assert!(output["refused"][reason].as_u64().is_some_and(|count| count > 0), "{output}");
    }
}

#[test]
fn only_values_that_are_better_are_offered_and_applied() {
    let folder = folder_with(&EXPERIMENT.replace("games: 240", "games: 16"));
    let line = "tune run try.yaml --method openbench";
    let (status, text, stderr) = output(folder.path(), line);
    assert_eq!(status, 3, "{stderr}");
    assert!(!text.contains("tune apply") && text.contains("Found"), "{text}");
    assert!(!text.contains("1199"), "{text}");
    let (_, json, _) = output(folder.path(), "report last --format json");
    let summary: serde_json::Value = serde_json::from_str(&json).expect("one JSON object");
    assert_eq!(summary["best"], summary["start"], "{summary}");
    let page = run_folder(folder.path()).expect("a run").join("report.html");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("start"), "{page}");
    for line in ["tune apply last --format uci", "tune apply last --table table.rs"] {
        let (status, said, stderr) = output(folder.path(), line);
        assert_eq!((status, said.as_str()), (2, ""), "{stderr}");
        assert!(flat(&stderr).contains("recommends no other values than the start"), "{stderr}");
    }
    let (status, uci, stderr) = output(folder.path(), "tune apply last --format uci --untested");
    assert_eq!(status, 0, "{stderr}");
    assert!(uci.starts_with("setoption name lmr_base value "), "{uci}");
    let table = "  lmr_base: 1, 0..=2;\n  rfp_margin: 2, 0..=9;\n";
    std::fs::write(folder.path().join("table.rs"), table).expect("written");
    let line = "tune apply last --table table.rs --untested";
    let (status, said, stderr) = output(folder.path(), line);
    assert_eq!((status, said.as_str()), (0, "2 of 2 values changed in table.rs\n"), "{stderr}");
}

/// A parameter that matters: the strength itself, which a shallow search shows as well.
#[test]
fn the_last_values_of_a_tuner_race_before_the_validation() {
    let experiment = "engine: builtin\noptions: { Hash: 1, UCI_LimitStrength: true }\nlimit: depth=4\n\
                      games: 200\nbatch: 10\nmax_moves: 60\nmethod: spsa\nparameters:\n  UCI_Elo: { \
                      start: 900, min: 800, max: 2200 }\n  rfp_margin: { min: 20, max: 160 }\nvalidation: { elo0: 0, elo1: 150, games: 1200, \
                      candidates: 3 }\n";
    let folder = folder_with(experiment);
    let (status, stdout, stderr) = output(folder.path(), "tune run try.yaml --json");
    assert_eq!(status, 0, "{stderr}{stdout}");
    let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    let race = &summary["validation"]["race"];
    assert_eq!(race["base"], "start", "{summary}");
    assert!(race["engines"].as_array().is_some_and(|engines| engines.len() >= 3), "{race}");
    let best = summary["best"]["UCI_Elo"].as_str().expect("a value");
    let engines = summary["validation"]["engines"].as_array().expect("engines");
    let leader = engines.iter().find(|engine| engine["name"] == race["leader"]).expect("it played");
    assert_eq!(leader["options"]["UCI_Elo"], best);
    let (status, applied, stderr) = output(
        folder.path(),
        "tune apply RUN --format uci"
            .replace("RUN", summary["run"].as_str().expect("a run"))
            .as_str(),
    );
    assert_eq!(status, 0, "{stderr}");
    assert!(applied.contains(&format!("UCI_Elo value {best}")), "{applied}");
}
