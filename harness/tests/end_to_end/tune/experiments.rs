//! Experiments: options, engines, what other tools have, and what is refused.

use super::*;

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
        // Nothing was learned of what more games could gain either.
        for gain in ["Elo better", "left to gain"] {
            assert!(!flat(&text).contains(gain) && !stderr.contains(gain), "{text}{stderr}");
        }
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
