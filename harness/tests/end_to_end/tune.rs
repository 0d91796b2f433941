//! Tuning runs: real games, real kills.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{self, run, texts};
use crate::needs::debian_engine;

const EXPERIMENT: &str = "\
engine: builtin
options: { Hash: 1 }
limit: nodes=60
games: 240
batch: 8
max_moves: 40
parameters:
  rfp_margin: { start: 150 }
  lmr_base:
validation: { games: 0 }
";

fn harness(folder: &Path, line: &str) -> Command {
    common::harness(folder, line.split_whitespace())
}

fn output(folder: &Path, line: &str) -> (i32, String, String) {
    texts(&run(folder, line))
}

/// A tuning run came to its end: its exit status is that of the verdict, which few games seldom make
/// good.
fn assert_played(status: i32, stderr: &str) {
    assert!([0, 1, 3].contains(&status), "{status}: {stderr}");
}

/// A message without the line breaks and margins of the terminal.
fn flat(text: &str) -> String {
    text.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn folder_with(experiment: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    std::fs::write(folder.path().join("try.yaml"), experiment).expect("written");
    folder
}

/// The folder of the only run in a folder.
fn run_folder(folder: &Path) -> Option<PathBuf> {
    let runs = std::fs::read_dir(folder.join("reports/runs")).ok()?;
    runs.flatten().next().map(|run| run.path())
}

/// The path of the recommendation, of the only run in a folder.
fn steps(folder: &Path) -> String {
    let run = run_folder(folder).expect("a run");
    std::fs::read_to_string(run.join("steps.csv")).expect("steps")
}

/// Whether the only run in a folder came to its end.
fn is_finished(folder: &Path) -> bool {
    let (_, stdout, stderr) = output(folder, "runs --json");
    let runs: serde_json::Value = serde_json::from_str(&stdout).expect(&stderr);
    runs[0]["status"] == "finished"
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_as_an_undisturbed_one() {
    let undisturbed = folder_with(EXPERIMENT);
    let line = "tune screened try.yaml --jobs 1 --json";
    let (status, stdout, stderr) = output(undisturbed.path(), line);
    assert_played(status, &stderr);
    let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!(summary["games"], 240);
    let left = summary["left"].as_f64().expect("what more games can gain");
    let gain = summary["gain_of_twice"].as_f64().expect("what as many games again would gain");
    assert!(0.0 <= gain && gain <= left, "{summary}");
    assert!(stderr.contains("240 games can show a difference of about "), "{stderr}");

    let killed = folder_with(EXPERIMENT);
    let mut command = "tune screened try.yaml --jobs 2 --quiet";
    let mut kills = 0;
    // Short lives first, longer ones later, so that it comes to an end on any machine.
    for life in (1..60).map(|attempt| Duration::from_millis(60 + 40 * attempt)) {
        let mut child = harness(killed.path(), command)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the harness starts");
        thread::sleep(life);
        if let Some(status) = child.try_wait().expect("waited") {
            // The kill before may have come after the last trial: nothing is left to go on with.
            let verdicts = [0, 1, 3].map(Some);
            assert!(verdicts.contains(&status.code()) || is_finished(killed.path()), "{status}");
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
        kills += 1;
        match run_folder(killed.path()) {
            Some(run) if run.join("run.yaml").exists() => command = "resume last --quiet",
            // Killed before the run began: there is nothing to go on with.
            Some(_) => std::fs::remove_dir_all(killed.path().join("reports")).expect("removed"),
            None => {}
        }
    }
    assert!(kills > 0, "too fast to be killed");
    assert_eq!(steps(killed.path()), steps(undisturbed.path()), "after {kills} kills");
}

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

/// Two values of each parameter, where the engine takes more: every one of them is an end.
const NARROW: &str = "\
engine: builtin
options: { Hash: 1 }
limit: nodes=60
games: 240
batch: 8
max_moves: 40
parameters:
  rfp_margin: { min: 60, start: 60, max: 61 }
  lmr_base: { min: 60, start: 61, max: 61, widen: false }
validation: { games: 0 }
";

#[test]
fn values_at_the_end_of_a_range_are_named_and_the_range_grows_where_it_may() {
    for (head, method) in [("", "spsa"), ("widen: true\n", "spsa"), ("widen: true\n", "auto")] {
        let folder = folder_with(&format!("{head}{NARROW}"));
        let (status, text, stderr) =
            output(folder.path(), &format!("tune {method} try.yaml --quiet"));
        assert_played(status, &stderr);
        let text = flat(&text);
        let (_, json, _) = output(folder.path(), "report last --format json");
        let summary: serde_json::Value = serde_json::from_str(&json).expect("one object");
        let [margin, base] = [0, 1].map(|index| &summary["parameters"][index]);
        assert_eq!((&base["min"], &base["max"]), (&60.0.into(), &61.0.into()), "{summary}");
        assert_eq!(base["at_bound"]["whose"], "experiment", "{summary}");
        assert!(text.contains("`widen: true`, lets the next run go there"), "{text}");
        let page = run_folder(folder.path()).expect("a run").join("report.html");
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains("stands at the end of its range"), "{page}");
        let (_, _, stderr) = output(folder.path(), "tune apply last --format uci --untested");
        assert!(flat(&stderr).contains("at the end of"), "{stderr}");
        if head.is_empty() {
            assert_eq!(margin["at_bound"]["whose"], "experiment", "{summary}");
            assert!(margin["planned"].is_null() && !text.contains("was widened"), "{text}");
        } else {
            assert_eq!(margin["planned"], serde_json::json!([60.0, 61.0]), "{summary}");
            assert!(text.contains("`rfp_margin`: its range 60 to 61 was widened to"), "{text}");
            let [min, max] = ["min", "max"].map(|key| margin[key].as_f64().expect("a number"));
            assert!(min >= 20.0 && max <= 160.0 && max - min > 1.0, "{summary}");
        }
    }
}

#[test]
fn a_run_that_widens_its_ranges_does_the_same_after_a_kill() {
    let undisturbed = folder_with(&format!("widen: true\n{NARROW}"));
    let (status, _, stderr) = output(undisturbed.path(), "tune run try.yaml --jobs 1 --quiet");
    assert_played(status, &stderr);
    let killed = folder_with(&format!("widen: true\n{NARROW}"));
    let mut command = "tune run try.yaml --jobs 1 --quiet";
    for life in (1..60).map(|attempt| Duration::from_millis(300 + 300 * attempt)) {
        let mut child = harness(killed.path(), command)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the harness starts");
        thread::sleep(life);
        if child.try_wait().expect("waited").is_some() {
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
        match run_folder(killed.path()) {
            Some(run) if run.join("run.yaml").exists() => command = "resume last --quiet",
            Some(_) => std::fs::remove_dir_all(killed.path().join("reports")).expect("removed"),
            None => {}
        }
    }
    assert_eq!(steps(killed.path()), steps(undisturbed.path()));
}

#[test]
fn the_output_layer_of_a_network_is_tuned_into_a_network_file() {
    for (method, parameters, count) in
        [("spsa", "network.output", 520), ("auto", "['network.output.bias.*', lmr_base]", 9)]
    {
        let experiment = format!(
            "engine: builtin\noptions: {{ Hash: 1 }}\nlimit: nodes=60\ngames: 24\nbatch: 4\n\
             max_moves: 30\nparameters: {parameters}\nvalidation: {{ games: 0 }}\n"
        );
        let folder = folder_with(&experiment);
        let (status, stdout, stderr) =
            output(folder.path(), &format!("tune {method} try.yaml --json"));
        assert_played(status, &stderr);
        assert!(stderr.lines().count() < 80, "{stderr}");
        let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one object");
        assert_eq!(summary["candidate"].as_object().map(serde_json::Map::len), Some(count));
        let kept = PathBuf::from(summary["network"].as_str().expect("a network"));
        let folder_of_run = run_folder(folder.path()).expect("a run");
        assert_eq!(kept.file_name(), Some("network.nnue".as_ref()));
        assert!(folder_of_run.join("report.html").exists());
        let (status, _, stderr) =
            output(folder.path(), "tune apply last --untested --network tuned.nnue");
        assert_eq!(status, 0, "{stderr}");
        let [kept, tuned] = [folder_of_run.join("network.nnue"), folder.path().join("tuned.nnue")]
            .map(|path| std::fs::read(path).expect("a file"));
        assert!(kept == tuned && kept.starts_with(b"TENCHNET"));
        let (network, note) = engine::eval::nnue::Network::from_bytes(&tuned).expect("a network");
        assert!(note.contains("output layer tuned by games"), "{note}");
        let before = engine::eval::embedded().network.weights();
        assert_eq!(network.weights().0.len(), before.0.len());
        let (status, _, stderr) = output(folder.path(), "tune apply last --untested");
        assert!(status == 2 && flat(&stderr).contains("--network FILE writes"), "{stderr}");
    }
}

#[test]
fn an_output_layer_that_is_not_there_is_an_error_before_the_first_game() {
    for (engine, parameters, expected) in [
        ("builtin\noptions: { EvalFile: classical }", "network.output", "with a network"),
        ("builtin", "network.output.9", "network.output.bias.0"),
        ("builtin", "{ network.output.bias.0: { max: 999999 } }", "is outside the engine's"),
        ("builtin\noptions: { EvalFile: none.nnue }", "network.output", "none.nnue"),
    ] {
        let folder = folder_with(&format!(
            "engine: {engine}\nlimit: nodes=60\ngames: 24\nparameters: {parameters}\n"
        ));
        let (status, _, stderr) = output(folder.path(), "tune run try.yaml");
        assert!(status == 2 && flat(&stderr).contains(expected), "{status}: {stderr}");
        assert!(run_folder(folder.path()).is_none(), "{stderr}");
    }
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
fn a_method_is_a_command_and_plays_what_the_experiment_would_with_it() {
    let brief = EXPERIMENT.replace("games: 240", "games: 60");
    let [one, other] =
        ["", "method: nelder-mead\n"].map(|head| folder_with(&format!("{head}{brief}")));
    for (folder, line) in [(&one, "tune nelder-mead try.yaml"), (&other, "tune run try.yaml")] {
        let (status, stdout, stderr) = output(folder.path(), &format!("{line} --quiet --json"));
        assert_played(status, &stderr);
        let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
        assert_eq!(summary["method"], "nelder-mead");
    }
    assert_eq!(steps(one.path()), steps(other.path()));
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

/// A parameter that matters: the strength itself.
#[test]
fn the_last_values_of_a_tuner_race_before_the_validation() {
    let experiment = "engine: builtin\noptions: { Hash: 1, UCI_LimitStrength: true }\nlimit: depth=8\n\
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

/// The mock engine declares its options and heeds none: the same game is played twice.
#[test]
fn an_option_without_effect_is_said_to_have_none() {
    let experiment = "engine: mine\nlimit: depth=1\ngames: 60\nmax_moves: 4\nvalidation: { games: 0 \
                      }\nparameters: [rfp_margin]\n";
    let folder = folder_with_mock(experiment, &["--search-parameters"]);
    for command in ["run", "screen"] {
        let line = format!("tune {command} try.yaml --no-probe");
        let (_, text, stderr) = output(folder.path(), &line);
        assert!(
            flat(&text).contains("no change of `rfp_margin` has changed a result"),
            "{text}{stderr}"
        );
        assert!(text.contains("depth=1") && !text.contains("NaN"), "{text}");
    }
}

/// The mock engine heeds one option at most.
#[test]
fn an_option_without_effect_among_others_is_named_before_the_first_game() {
    let warns = |flags: &[&str], experiment: &str| {
        let folder = folder_with_mock(experiment, flags);
        let (status, text, stderr) = output(folder.path(), "tune run try.yaml --games 2");
        assert_played(status, &stderr);
        let told = flat(&stderr);
        // The result says it again, and so does its page.
        let page = run_folder(folder.path()).expect("a run").join("report.html");
        let page = std::fs::read_to_string(page).expect("a page");
        for shown in [flat(&text), page] {
            let again = shown.contains("no search before the first game changed");
            // By the clock, a search by nodes is no proof.
            let expected = told.contains("to have no effect") && !told.contains("by the clock");
            assert_eq!(again, expected, "{shown}");
        }
        let at = told.find("to have no effect");
        assert!(at.is_none_or(|at| at < told.find("2/2").unwrap_or(told.len())), "{told}");
        let (_, without, stderr) = output(folder.path(), "tune run try.yaml --games 2 --no-probe");
        assert!(!stderr.contains("no effect"), "{without}{stderr}");
        told
    };
    let experiment = |engine: &str, limit: &str, parameters: &str| {
        format!(
            "engine: {engine}\nlimit: {limit}\ngames: 2\nmax_moves: 4\nvalidation: {{ games: 0 \
             }}\nparameters: [{parameters}]\n"
        )
    };
    let heeds = ["--search-parameters", "--heed", "lmr_base"];
    let remembers = ["--search-parameters", "--heed", "lmr_base", "--remember"];
    let moody = ["--search-parameters", "--moody", "--remember"];
    let both = "rfp_margin, lmr_base";
    for (flags, engine, limit, parameters, said) in [
        (&heeds[..], "mine", "nodes=100", both, "`rfp_margin` seems to have no effect: no change"),
        (&heeds, "mine", "nodes=100", both, "in 16 positions at nodes=100, with the least"),
        (&heeds, "mine", "depth=2", both, "no change of nodes, score or line in 16 positions at"),
        (&heeds, "mine", "movetime=20ms", both, "(what matters only by the clock does not show)"),
        (&remembers, "mine", "nodes=100", both, "`rfp_margin` seems to have no effect"),
        (&heeds[..1], "mine", "nodes=100", both, "`lmr_base`, `rfp_margin` seem to have no effect"),
        (&moody, "mine", "nodes=100", both, "was not tried before the first game: the same search"),
        (&heeds, "mine", "nodes=100", "lmr_base", ""),
        (&[], "builtin", "nodes=500", "rfp_margin, UCI_Elo", "`UCI_Elo` seems to have no effect"),
        (&[], "builtin", "nodes=500", "rfp_margin, null_base: { fixed: true }", ""),
    ] {
        let told = warns(flags, &experiment(engine, limit, parameters));
        let expected =
            if said.is_empty() { !told.contains("no effect") } else { told.contains(said) };
        assert!(expected, "{flags:?} {engine} {limit} {parameters}: {said}\n{told}");
    }
    if let Some(stockfish) = debian_engine("stockfish") {
        let told = warns(&[], &experiment(&stockfish, "nodes=2000", "Skill Level, UCI_Elo"));
        assert!(told.contains("`UCI_Elo` seems to have no effect"), "{told}");
        assert!(!told.contains("`Skill Level`"), "{told}");
    }
}

/// A folder with an experiment, whose harness.yaml has the mock engine with these flags as `mine`.
fn folder_with_mock(experiment: &str, flags: &[&str]) -> tempfile::TempDir {
    let folder = folder_with(experiment);
    let yaml = format!(
        "engines:\n  mine:\n    cmd: {}\n    args: [{}]\n",
        env!("CARGO_BIN_EXE_mock-engine"),
        flags.join(", ")
    );
    std::fs::write(folder.path().join("harness.yaml"), yaml).expect("written");
    folder
}

/// The plan of the only run in a folder.
fn plan(folder: &Path) -> serde_json::Value {
    let run = run_folder(folder).expect("a run");
    let text = std::fs::read_to_string(run.join("run.yaml")).expect("a plan");
    serde_yaml::from_str(&text).expect("YAML")
}

#[test]
fn an_engine_by_path_is_tuned_with_the_steps_of_the_linked_one() {
    let experiment = "engine: builtin\nlimit: nodes=50\ngames: 2\nmax_moves: 5\nvalidation: { \
                      games: 0 }\nparameters: [search]\n";
    let run = |experiment: &str, flags: &[&str]| {
        let folder = folder_with_mock(experiment, flags);
        let (status, _, stderr) = output(folder.path(), "tune run try.yaml");
        assert_played(status, &stderr);
        let plan = plan(folder.path());
        let space = plan.get("space").or_else(|| plan["plan"].get("space"));
        (space.expect("a space").clone(), stderr)
    };
    let (linked, said) = run(experiment, &[]);
    assert!(linked.as_array().is_some_and(|space| space.len() > 20), "{linked}");
    assert!(said.contains("the engine's list"), "{said}");
    let by_path = experiment.replace("builtin", "mine");
    let (program, _) = run(&by_path, &["--search-parameters"]);
    assert_eq!(program, linked);
    // What the experiment says comes first, and is said to.
    let own = by_path.replace("[search]", "[rfp_margin: { step: 3 }, lmr_base: [0, 100]]");
    let (space, said) = run(&own, &["--search-parameters"]);
    assert_eq!((space[0]["step"].as_f64(), space[1]["step"].as_f64()), (Some(3.0), Some(5.0)));
    assert!(said.contains("the experiment") && said.contains("range / 20"), "{said}");
}

#[test]
fn init_does_not_replace_an_edited_experiment_and_says_what_it_leaves_out() {
    let folder = folder_with_mock("edited", &["--search-parameters"]);
    let line = "tune init mine -o try.yaml";
    let (status, _, stderr) = output(folder.path(), line);
    assert_eq!(status, 2, "{stderr}");
    assert!(flat(&stderr).contains("try.yaml is there already"), "{stderr}");
    assert!(flat(&stderr).contains("--force"), "{stderr}");
    let text = || std::fs::read_to_string(folder.path().join("try.yaml")).expect("there");
    assert_eq!(text(), "edited");
    let (status, _, stderr) = output(folder.path(), &format!("{line} --force"));
    assert_eq!(status, 0, "{stderr}");
    let text = text();
    assert!(text.contains("  # \"Move Overhead\": {") && text.contains("# the clock"), "{text}");
    assert!(!text.contains("\n  \"Move Overhead\""), "{text}");
}

#[test]
fn init_writes_what_runs_with_a_limit_that_the_engine_respects() {
    for (flags, limit) in [
        (&["--search-parameters", "--infos", "5"][..], "limit: nodes=2000"),
        (&["--search-parameters", "--infos", "5", "--endless", "nodes"], "limit: movetime=50ms"),
    ] {
        let folder = folder_with_mock("", flags);
        let line = "tune init mine -p rfp_margin -p lmr -o new.yaml";
        let (status, _, stderr) = output(folder.path(), line);
        assert_eq!(status, 0, "{stderr}");
        let text = std::fs::read_to_string(folder.path().join("new.yaml")).expect("written");
        assert!(text.contains(limit), "{text}");
        assert!(text.contains("  rfp_margin: {") && text.contains("  lmr_base: {"), "{text}");
        assert!(!text.contains("razor"), "{text}");
        let line = "tune run new.yaml --games 2 --no-validation";
        let (status, _, stderr) = output(folder.path(), line);
        assert_played(status, &stderr);
    }
    // Nothing but options of play: the next command is printed, and leads to an experiment that runs.
    let folder = folder_with_mock("", &[]);
    let (status, _, stderr) = output(folder.path(), "tune init mine");
    assert_eq!(status, 2, "{stderr}");
    assert!(flat(&stderr).contains("-p \"Move Overhead\""), "{stderr}");
    let mut init = harness(folder.path(), "tune init mine -o new.yaml -p");
    assert!(init.arg("Move Overhead").status().expect("started").success());
    let (status, _, stderr) = output(folder.path(), "tune run new.yaml --games 2 --no-validation");
    assert_played(status, &stderr);
}

#[test]
fn what_another_tool_has_is_checked_against_the_engine_and_runs() {
    let folder = folder_with_mock("", &["--search-parameters"]);
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    let init = "tune init mine -o new.yaml --from chess-tuning-tools theirs.json";
    let theirs = |parameters: &str, options: &str| {
        format!(
            "# tuned in May\n{{\"engines\": [{{\"command\": \"x\", \"fixed_parameters\": \
             {{{options}}}}}], \"parameter_ranges\": {{{parameters}}}, \"engine1_npm\": 300, \
             \"opening_file\": \"book.epd\", \"adjudicate_resign\": true}}"
        )
    };
    let unknown = "\"rfp_margn\": \"Integer(0, 9)\", \"lmr_base\": \"Integer(0, 999)\", \
                   \"nothing\": \"Integer(0, 9)\"";
    write("theirs.json", &theirs(unknown, "\"Hsh\": 4"));
    let (status, _, stderr) = output(folder.path(), init);
    assert_eq!(status, 2, "{stderr}");
    for part in ["mean `rfp_margin`", "max 999 is outside", "`nothing`", "mean `Hash`"] {
        assert!(flat(&stderr).contains(part), "{part}: {stderr}");
    }
    assert!(!folder.path().join("new.yaml").exists());

    let taken = "\"rfp_margin\": \"Integer(20, 160)\", \"lmr_base\": \"Integer(0, 200)\"";
    write("theirs.json", &theirs(taken, "\"Hash\": 4"));
    write("book.epd", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n");
    let (status, _, stderr) = output(folder.path(), init);
    assert_eq!(status, 0, "{stderr}");
    let text = std::fs::read_to_string(folder.path().join("new.yaml")).expect("written");
    let default = engine::params::parameter("rfp_margin").expect("a parameter").default;
    for part in [
        "limit: nodes=300",
        "options: { Hash: \"4\" }",
        "book.epd",
        "resign: { score: 550, moves: 3, two_sided: false }",
        &format!("rfp_margin: {{ start: {default}, min: 20, max: 160, step: 8 }}"),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (status, _, stderr) = output(folder.path(), "tune run new.yaml --games 2 --no-validation");
    assert_played(status, &stderr);
    // Without its book the experiment runs with another, and says so.
    std::fs::remove_file(folder.path().join("book.epd")).expect("removed");
    let (_, _, stderr) = output(folder.path(), &format!("{init} --force"));
    let text = std::fs::read_to_string(folder.path().join("new.yaml")).expect(&stderr);
    assert!(text.contains("# openings: ") && text.contains("there is no such file"), "{text}");
}

#[test]
fn wrong_experiments_are_refused_with_place_and_hint() {
    for (from, to, says) in [
        ("rfp_margin", "rfp_margn", "try.yaml:8:3"),
        ("rfp_margin", "rfp_margn", "rfp_margin"),
        ("start: 150", "start: 1500", "start 1500 is outside the engine's 20 to 160"),
        ("start: 150", "max: 500", "max 500 is outside the engine's 20 to 160"),
        ("  lmr_base:", "  lmrr_*:\n  zzzzz:", "try.yaml:10:3"),
        ("  lmr_base:", "  lmrr_*:\n  zzzzz:", "did you mean `lmr`"),
        ("  lmr_base:", "  lmr_base: 40", "{ start: 75, min: 20, max: 160, step: 8 }"),
        ("max_moves: 40", "max_games: 40", "did you mean `games`"),
        ("nodes=60", "nodes=none", "nodes=none"),
        ("engine: builtin", "engine: nobody-has-this", "nobody-has-this"),
    ] {
        let folder = folder_with(&EXPERIMENT.replace(from, to));
        let (status, _, stderr) = output(folder.path(), "tune run try.yaml");
        assert_eq!(status, 2, "{stderr}");
        assert!(flat(&stderr).contains(says), "{says}: {stderr}");
    }
    let folder = folder_with(EXPERIMENT);
    let (status, _, stderr) = output(folder.path(), "tune run try.yaml --method nonsense");
    assert_eq!(status, 2);
    assert!(stderr.contains("fishtest"), "{stderr}");
    let (status, _, stderr) = output(folder.path(), "tune run none.yaml");
    assert_eq!(status, 2);
    assert!(stderr.contains("none.yaml"), "{stderr}");
}

#[test]
fn a_tuner_that_fails_on_a_landscape_keeps_the_rows_before_it() {
    let folder = tempfile::tempdir().expect("temporary folder");
    // It knows the first landscape built in, and no more parameters than two.
    let script = "read task\ncase \"$task\" in *name*name*name*) exit 3;; esac\n\
                  echo '{\"best\":[300,50]}'\n";
    std::fs::write(folder.path().join("two.sh"), script).expect("written");
    let words = ["tune", "bench", "--method", "none", "--external", "sh two.sh", "--seeds", "1"];
    let words = words.into_iter().chain(["--games", "100", "--quiet"]);
    let ended = common::harness(folder.path(), words).output().expect("it runs");
    let (status, stdout, stderr) = texts(&ended);
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("ended without a result"), "{stderr}");
    assert_eq!(stdout.lines().filter(|line| line.contains("two ")).count(), 1, "{stdout}");
}
