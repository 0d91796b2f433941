//! Work that has no plan, as data and trainings: it is a run of the ledger with its files, figures and exit
//! status, and its page lasts, whoever starts it.

use std::fmt::Write;
use std::path::Path;

use super::browser::driver;
use super::server::Studio;
use crate::common::{harness, json, run, shown};

/// Positions to train and to fit on.
fn write_positions(folder: &Path) {
    let book = include_str!("../../../../suites/openings.epd");
    let mut lines = String::new();
    let positions = book.lines().filter(|line| !line.starts_with('#')).take(1_500);
    for (number, line) in positions.enumerate() {
        let fen: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
        let result = ["1", "0.5", "0.5"][number % 3];
        writeln!(lines, "{} | {} | {result}", fen.join(" "), number % 100).expect("written");
    }
    for (name, text) in [
        ("data.txt", lines.as_str()),
        (
            "net.yaml",
            "data: [data.txt]\nnetwork: { hidden: 32 }\nepochs: 2\nbatch: 256\nvalidation: 0.3\noutput: net\n",
        ),
        (
            "wide.yaml",
            "data: [data.txt]\nnetwork: { hidden: 64 }\nepochs: 2\nbatch: 256\nvalidation: 0.3\noutput: wide\n",
        ),
        ("bad.yaml", "data: [missing.txt]\noutput: bad\n"),
        (
            "two.epd",
            "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id \"a\";\n6k1/5ppp/8/8/8/8/7P/R3K3 w - - bm Kd2; id \"b\";\n",
        ),
    ] {
        std::fs::write(folder.join(name), text).expect("written");
    }
}

#[test]
fn work_of_a_terminal_is_a_run_with_files_figures_and_exit_status() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let folder = folder.path();
    write_positions(folder);
    let cases: [(&str, i32, &str, &[&str]); 6] = [
        (
            "data generate --games 4 --nodes 100 -o own.games --quiet",
            0,
            "data",
            &["own.games", "4 games", "Won by White", " positions an hour"],
        ),
        (
            "data import data.txt -o copy.csv",
            0,
            "data-import",
            &["copy.csv", "Positions written", "1,500 positions"],
        ),
        (
            "openings generate --count 4 --nodes 50 -o own.epd --quiet",
            0,
            "openings-generate",
            &["own.epd", "4 openings", "Candidates looked at"],
        ),
        (
            "suite audit ./two.epd --nodes 300 --quiet",
            1,
            "suite-audit",
            &["1 unsound", "2 positions", "unsound in line 2", "Kd2", "Audit of "],
        ),
        (
            "train net.yaml --quiet",
            0,
            "train",
            &[
                "net.nnue",
                "Validation loss",
                "Loss over the epochs",
                "Weights and biases",
                " positions a CPU second",
                "Training of net",
                "network: { hidden: 32 }",
            ],
        ),
        (
            "train bad.yaml --quiet",
            2,
            "train",
            &["status failed", "missing.txt", "exit status 2", "names files, seen from the folder"],
        ),
    ];
    let studio = Studio::start(folder);
    let mut compared = "/compare?".to_owned();
    for (line, status, command, words) in cases {
        let done = run(folder, line);
        assert_eq!(done.status.code(), Some(status), "{line}\n{}", shown(&done));
        let runs = json(&run(folder, "runs --json"));
        let last = runs.as_array().and_then(|runs| runs.last()).expect("a run");
        assert_eq!(
            (&last["command"], &last["status"]),
            (&command.into(), &"finished".into()),
            "{line}"
        );
        let id = last["run"].as_str().expect("an id");
        write!(compared, "run={id}&").expect("a string");
        let page = studio.get(&format!("/run/{id}/"));
        assert_eq!(page.status, 200, "{line}");
        // A command line is broken between its words alone.
        let body = page.body.replace("<span class=\"word\">", "").replace("</span>", "");
        for word in words.iter().chain([&line]) {
            // Addresses of tags do not matter here, quotes do.
            assert!(body.contains(word), "{line}: {word}\n{body}");
        }
    }
    let listed = shown(&run(folder, "runs"));
    for done in ["4 games", "1,500 positions", "4 openings", "2 positions", "steps"] {
        assert!(listed.contains(done), "{done}\n{listed}");
    }
    // Beside each other they have the results that lists have, and the names of their commands.
    let compared = studio.get(&compared).body;
    let results = compared.split("Settings").next().expect("a part");
    for result in ["4 games", "2 positions, 1 unsound", "failed: "] {
        assert!(results.contains(result), "{result}\n{compared}");
    }
    assert!(compared.contains("openings generate, suite audit"), "{compared}");
    // The fifth of them has a curve.
    let losses = compared.split("Validation loss over the epochs").nth(1).expect("a chart");
    assert!(losses.to_lowercase().contains("#0f0f0f"), "{losses}");
    // Trainings differ in their configurations.
    let id = || {
        let runs = json(&run(folder, "runs --json"));
        let last = runs.as_array().and_then(|runs| runs.last()).expect("a run").clone();
        last["run"].as_str().expect("an id").to_owned()
    };
    let [first, second] = ["train net.yaml --quiet", "train wide.yaml --quiet"].map(|line| {
        assert_eq!(run(folder, line).status.code(), Some(0), "{line}");
        id()
    });
    let compared = studio.get(&format!("/compare?run={first}&run={second}")).body;
    for part in ["network · hidden", "<td>32</td><td>64</td>", "Validation loss over the epochs"] {
        assert!(compared.contains(part), "{part}\n{compared}");
    }
    // They do not come between a match and `last`.
    let played = run(folder, "match builtin builtin --nodes 60 --games 2 --quiet");
    assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
    assert_eq!(
        run(folder, "openings generate --count 2 --nodes 50 -o b.epd --quiet").status.code(),
        Some(0)
    );
    let report = run(folder, "report last --format json");
    assert!(json(&report)["games"].as_u64() == Some(2), "{}", shown(&report));
}

#[test]
fn work_that_a_page_starts_lasts_and_shows_every_epoch() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    write_positions(folder.path());
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    for (yaml, says) in [
        ("command: train\narguments: [net.yaml]\n", "Validation loss"),
        ("command: data generate\ngames: 4\nnodes: 100\noutput: own.games\n", "own.games"),
    ] {
        window.open(&studio.url("/start", 0));
        window.fill("#yaml", yaml);
        window.click("#start");
        window.until("location.pathname.startsWith('/run/')");
        window.until("document.querySelector('.status.finished')");
        window.until(&format!("document.querySelector('#result').textContent.includes('{says}')"));
        // It is there after a new load, and in the list.
        let page = window.path();
        window.open(&format!("http://{}{page}", studio.host));
        window.until(&format!("document.querySelector('#result').textContent.includes('{says}')"));
        window.open(&format!("http://{}/", studio.host));
        window.until(&format!("document.querySelector(\"table.runs a[href='{page}']\")"));
    }
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

#[test]
fn work_that_was_stopped_goes_on_by_a_button() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    write_positions(folder.path());
    let network = "data: [data.txt]\nnetwork: { hidden: 32 }\nepochs: 20000\nbatch: 256\nvalidation: 0.3\noutput: net\n";
    std::fs::write(folder.path().join("long.yaml"), network).expect("written");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    // As it would be typed in a terminal.
    for line in [
        "harness train long.yaml",
        "$ harness data generate --games 90000 --nodes 100 -o own.games",
    ] {
        window.open(&studio.url("/start", 0));
        let place = "const { x, y } = document.getElementById('start').getBoundingClientRect(); return `${x} ${y}`";
        let before = window.value(place);
        window.fill("#yaml", line);
        window.until("document.querySelector('#plan table') && !document.getElementById('left-aside').hidden");
        window.until("document.getElementById('command-line').textContent.includes('harness')");
        assert_eq!(window.value(place), before, "the button stays under the pointer");
        window.click("#start");
        window.until("location.pathname.startsWith('/run/')");
        let first = window.path();
        window.until("Number(document.querySelector('#progress progress')?.value) > 0");
        window.click("#do-finish");
        window.until("document.querySelector('.status.interrupted')");
        window.click("#do-resume");
        window.until(&format!(
            "location.pathname.startsWith('/run/') && location.pathname !== '{first}'"
        ));
        window.until("document.querySelector('.status.running')");
        window.until("Number(document.querySelector('#progress progress')?.value) > 0");
        window.until("document.querySelector('#head').textContent.includes(' --resume')");
        window.click("#do-finish");
        window.until("document.querySelector('.status.interrupted')");
        // The list says how far it came.
        window.open(&format!("http://{}/", studio.host));
        let row = "document.querySelector('table.runs tbody tr').textContent";
        let unit = if line.contains("train") { "steps" } else { "games" };
        window.until(&format!("/ of [\\d,]+ {unit}/.test({row})"));
    }
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

/// Value of a line of the card with which the page of a run begins.
fn about(page: &str, name: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("<dt>{name}</dt><dd>"))?;
    rest.split_once("</dd>").map(|(value, _)| value.to_owned())
}

#[test]
fn a_run_says_who_started_it() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let folder = folder.path();
    let started_by = |set: &[(&str, &str)]| {
        let line = "match builtin builtin --nodes 30 --games 2 --max-moves 3 --no-probe --quiet";
        let mut command = harness(folder, line.split(' '));
        for service in ["CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "JENKINS_URL"] {
            command.env_remove(service);
        }
        command.env_remove("TENCH_STARTED_BY").envs(set.iter().copied());
        let done = command.output().expect("the harness starts");
        assert_eq!(done.status.code(), Some(0), "{}", shown(&done));
        let runs = json(&run(folder, "runs --json"));
        let last = runs.as_array().and_then(|runs| runs.last()).expect("a run").clone();
        (last["run"].as_str().expect("an id").to_owned(), last["started_by"].clone())
    };
    let studio = Studio::start(folder);
    for (set, expected) in [
        (&[("USER", "ann")][..], "ann@"),
        (&[("GITHUB_ACTIONS", "true"), ("GITHUB_ACTOR", "bob")], "GitHub Actions, bob"),
        (&[("TENCH_STARTED_BY", "<b>the night</b>")], "<b>the night</b>"),
        (&[("TENCH_STARTED_BY", "")], ""),
    ] {
        let (id, starter) = started_by(set);
        let page = studio.get(&format!("/run/{id}/")).body;
        let files = folder.join("reports/runs").join(&id);
        let [yaml, report] = ["run.yaml", "report.html"]
            .map(|name| std::fs::read_to_string(files.join(name)).expect("written"));
        if expected.is_empty() {
            assert_eq!((about(&page, "Started by"), &starter), (None, &serde_json::Value::Null));
            assert!(!yaml.contains("started_by"), "{yaml}");
            continue;
        }
        let starter = starter.as_str().expect("a text");
        assert!(starter.starts_with(expected), "{starter}");
        let shown = starter.replace('<', "&lt;").replace('>', "&gt;");
        assert_eq!(about(&page, "Started by").as_deref(), Some(&*shown));
        assert!(yaml.contains("started_by:") && report.contains(&format!(" by {shown}")), "{yaml}");
    }
    // A page is named with the person behind it.
    let yaml =
        "command%3A+match%0Aarguments%3A+%5Bbuiltin%2C+builtin%5D%0Anodes%3A+30%0Agames%3A+2%0A";
    let form = format!("csrf={}&do=start&yaml={yaml}", studio.csrf());
    assert_eq!(studio.post("/start", &form).status, 303);
    let newest = || {
        let runs = json(&run(folder, "runs --json"));
        runs.as_array().and_then(|runs| runs.last()).expect("a run").clone()
    };
    crate::common::until("the run of a page", || {
        newest()["started_by"].as_str().is_some_and(|starter| starter.starts_with("studio, "))
    });
    crate::common::until("its end", || newest()["status"] == "finished");
}

#[test]
fn a_training_that_fails_names_no_file_of_another_one() {
    let folder = tempfile::tempdir().expect("temporary folder");
    std::fs::write(folder.path().join("bad.yaml"), "data: [missing.txt]\noutput: net\n")
        .expect("written");
    let network = std::fs::File::create(folder.path().join("net.nnue")).expect("created");
    let (now, hour) = (std::time::SystemTime::now(), std::time::Duration::from_secs(3600));
    network.set_modified(now - hour).expect("its time is set");
    let failed = run(folder.path(), "train bad.yaml --quiet");
    assert_eq!(failed.status.code(), Some(2), "{}", shown(&failed));
    let runs = json(&run(folder.path(), "runs --json"));
    let id = runs[0]["run"].as_str().expect("an id");
    let studio = Studio::start(folder.path());
    for written in [now - hour, now + hour] {
        network.set_modified(written).expect("its time is set");
        let page = studio.get(&format!("/run/{id}/")).body;
        assert!(page.contains("missing.txt") && !page.contains("net.nnue"), "{page}");
    }
}
