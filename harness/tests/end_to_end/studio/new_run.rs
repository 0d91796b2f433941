//! New runs in a browser: the form that writes the YAML, what Check finds, and what a failed start leaves.

use serde_json::json;

use super::boards::{text, with_window};
use super::browser::Window;
use super::server::Studio;
use crate::common::{self, MOCK, json, shown, write_program};

fn yaml_is(part: &str) -> String {
    format!("document.getElementById('yaml').value.includes({})", json!(part))
}

fn page_has(words: &str) -> String {
    format!("document.body.textContent.includes({})", json!(words))
}

/// Checks a text.
fn check(window: &Window, url: &str, yaml: &str) {
    window.open(url);
    window.fill("#yaml", yaml);
    window.click("#check");
    window.until("location.pathname === '/start' && document.readyState === 'complete'");
    window.until("document.querySelector('#wrong, #found')");
}

#[test]
fn a_run_whose_engines_have_limits_of_their_own_is_repeated_with_them() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let line = "match builtin builtin --limit builtin:nodes=60 --limit builtin#2:nodes=30 --games 2 --quiet";
    let done = common::run(folder.path(), line);
    assert_eq!(done.status.code(), Some(0), "{}", shown(&done));
    let studio = Studio::start(folder.path());
    let runs = json(&common::run(folder.path(), "runs --json"));
    let form = studio.get(&format!("/start?like={}", runs[0]["run"].as_str().expect("an id"))).body;
    assert!(form.contains("<option value=\"\" selected>Each engine its own</option>"), "{form}");
    assert!(form.contains("builtin#2:nodes=30"), "{form}");
}

#[test]
fn check_looks_up_engines_suites_files_and_options() {
    with_window(|window, studio| {
        let url = studio.url("/start", 0);
        for (yaml, wrong) in [
            (
                "command: match\narguments: [builtin, no-such-engine]\n",
                "there is no engine `no-such-engine`",
            ),
            (
                "command: suite\narguments: [no-such-suite, builtin]\n",
                "there is no suite `no-such-suite`",
            ),
            ("command: tune run\narguments: [missing.yaml]\n", "cannot read `missing.yaml`"),
            (
                "command: match\narguments: [builtin, builtin]\nopenings: no.pgn\n",
                "cannot read `no.pgn`",
            ),
            (
                "command: match\narguments: [builtin, builtin]\noption: [Hush=1]\n",
                "did you mean `Hash`",
            ),
            ("command: sprt\narguments: [builtin, ./nothing]\n", "no engine `./nothing`"),
            ("command: train\narguments: [/dev/stdin]\n", "`/dev/stdin` is a pipe or a device"),
            (
                "command: match\narguments: [builtin, builtin]\nopenings: /dev/zero\n",
                "`/dev/zero` is a pipe or a device",
            ),
        ] {
            check(window, &url, yaml);
            window.until(&format!("{}.includes({})", text("wrong"), json!(wrong)));
            // What was typed is still there.
            assert_eq!(window.value("return document.getElementById('yaml').value"), json!(yaml));
        }
        check(window, &url, "command: suite\narguments: [bk, builtin]\nnodes: 50\n");
        window.until(&page_has("Everything that it names is there: harness suite"));
        window.until(&format!("{}.includes('24 positions')", text("found")));
        window.until(&page_has("harness suite --help"));
    });
}

#[test]
fn a_failed_start_keeps_what_was_typed() {
    with_window(|window, studio| {
        window.open(&studio.url("/start", 0));
        // All that it names is there, and the run cannot be played all the same.
        let yaml = "command: match\narguments: [builtin, builtin]\ngames: 2\nnodes: 10\n\
                    live-pgn: /no/such/folder/live.pgn\n";
        window.fill("#yaml", yaml);
        window.click("#start");
        window.until("document.getElementById('wrong')");
        window.until(&page_has("It has ended with exit status"));
        assert_eq!(window.value("return document.getElementById('yaml').value"), json!(yaml));
    });
}

#[test]
fn the_form_writes_the_run_and_shows_its_command_line() {
    with_window(|window, studio| {
        window.open(&studio.url("/start?kind=sprt", 0));
        window.until(&format!("{}.includes('harness sprt')", text("command-line")));
        window.click_text("Non-regression");
        window.until(&yaml_is("elo0: -5\n"));
        window.until(&format!("{}.includes('--elo0=-5')", text("command-line")));
        // No flag is broken at its hyphens.
        let words = window.value("return [...document.querySelectorAll('#command-line .word')].map((word) => word.textContent)");
        assert!(
            words.as_array().is_some_and(|words| words.contains(&"--elo0=-5".into())),
            "{words}"
        );
        window.until(&format!("{}.includes('games')", text("plan")));
        window.fill("[data-argument='0']", "builtin");
        window.fill("[data-argument='1']", "builtin");
        window.until(&yaml_is("arguments: [builtin, builtin]"));
        // The options of the engine, with their ranges.
        window.value("document.getElementById('engine-options').open = true");
        window.until("document.querySelector('#options-host [data-option=Hash][min][max]')");
        window.value(
            "const field = document.querySelector('[data-option=Hash]'); field.value = 7;
             field.dispatchEvent(new Event('change'))",
        );
        window.until(&yaml_is("option: [builtin.Hash=7]"));
        // A file is chosen from a list.
        window.click("[data-flag=openings] + [data-choose]");
        window.until("document.querySelector('.file-list')");
        window.click("#check");
        window.until("document.querySelector('#wrong, #found')");
        window.until(&format!("{}.includes('an engine with')", text("found")));
        for (kind, field) in [
            ("match", "[data-flag=format]"),
            ("suite", "#suites option"),
            ("tune", "[data-flag=method]"),
            ("gate", "[data-flag=engine]"),
            ("data", "[data-flag=output]"),
        ] {
            window.open(&studio.url(&format!("/start?kind={kind}"), 0));
            window.until(&format!("document.querySelector('#run-form {field}')"));
        }
    });
}

/// Waits until the form has written its file; gives its text.
fn written(window: &Window, folder: &std::path::Path) -> String {
    window.click("#write-file");
    window.until(&format!("{}.startsWith('Written: ')", text("file-state")));
    let said = window.value(&format!("return {}", text("file-state")));
    let path = said.as_str().and_then(|said| said.strip_prefix("Written: ")).expect("a path");
    std::fs::read_to_string(folder.join(path)).expect("it is there")
}

#[test]
fn the_file_of_a_tuning_and_of_a_gate_is_made_of_fields() {
    with_window(|window, studio| {
        window.open(&studio.url("/start?kind=tune", 0));
        window.value("document.getElementById('run-file').open = true");
        window.click_text("Smoke test");
        // Nothing to tune is no experiment.
        window.click("#write-file");
        window.until(&format!("{}.includes('tick those to tune')", text("file-state")));
        window.click("#read-parameters");
        window.until("document.querySelectorAll('#parameters-host tbody tr').length > 20");
        window.value("document.querySelector('[data-tune=rfp_depth]').click()");
        let row = "document.querySelector('[data-tune=rfp_margin]').closest('tr')";
        window.value(&format!(
            "const field = {row}.querySelector('[data-key=max]'); field.value = '120';
             field.dispatchEvent(new Event('input', {{ bubbles: true }}))"
        ));
        let experiment = written(window, &studio.folder);
        for part in [
            "limit: \"nodes=1000\"",
            "games: 200",
            "\"rfp_margin\": { max: 120 }",
            "\"rfp_depth\":\n",
        ] {
            assert!(experiment.contains(part), "{part}\n{experiment}");
        }
        window.until(&format!("{}.includes('tune-1.yaml')", text("command-line")));
        window.click("#check");
        window.until(&page_has("Everything that it names is there"));
        // What the run would refuse is refused, and no file is written.
        window.open(&studio.url("/start?kind=gate", 0));
        window.value("document.getElementById('run-file').open = true");
        window.click_text("Smoke test");
        window.fill("[data-file=max-games]", "many");
        window.click("#write-file");
        window.until("document.querySelector('#file-state.wrong')");
        window.fill("[data-file=max-games]", "40");
        let gate = written(window, &studio.folder);
        assert!(gate.contains("sprt: { nodes: 1000, elo0: -50, elo1: 0, max_games: 40"), "{gate}");
        assert!(gate.contains("suite: \"bk\", nodes: 2000"), "{gate}");
        window.until(&format!("{}.includes('gate-1.yaml')", text("command-line")));
    });
}

#[test]
fn the_length_of_a_test_is_shown_for_each_form_of_bounds() {
    with_window(|window, studio| {
        window.open(&studio.url("/start?kind=sprt", 0));
        let plan = text("plan");
        window.until(&format!("{plan}.includes('gives up after 40,000 games')"));
        // Most games of a test are a part of it.
        window.fill("[data-flag=max-games]", "200");
        window.until(&format!("{plan}.includes('gives up after 200 games')"));
        window.until(&format!("{plan}.includes('Undecided')"));
        let games = "[...document.querySelectorAll('#plan tbody td:last-child')].map((cell) => Number(cell.textContent.replaceAll(',', '')))";
        window.until(&format!("{games}.length > 4 && Math.max(...{games}) <= 200"));
        window.fill("[data-flag=max-games]", "");
        window.until(&format!("{plan}.includes('gives up after 40,000 games')"));
        for form in ["falling", "triangular"] {
            window.value(&format!(
                "const field = document.querySelector('[data-flag=bounds]'); field.value = '{form}';
                 field.dispatchEvent(new Event('input', {{ bubbles: true }}))"
            ));
            window.until(&yaml_is(&format!("bounds: {form}")));
            window.until(&format!("{}.includes('--bounds={form}')", text("command-line")));
            window.until(&format!("{plan}.includes('for sure')"));
        }
        window.fill("[data-flag=stop-futile]", "2");
        window.until(&format!("{plan}.includes('does not lie between 0 and 1')"));
    });
}

#[test]
fn the_options_of_an_engine_are_there_as_soon_as_it_has_answered() {
    with_window(|window, studio| {
        let slow = studio.folder.join("slow");
        write_program(&slow, &format!("#!/bin/sh\nsleep 3\nexec {MOCK}\n"));
        window.open(&studio.url("/start?kind=match", 0));
        window.fill("[data-argument='0']", "./slow");
        window.fill("[data-argument='1']", "builtin");
        window.value("document.getElementById('engine-options').open = true");
        let asked = "document.querySelector('#options-host fieldset[aria-busy]')?.textContent";
        window.until("document.querySelector('#options-host [data-option=Hash]')");
        window.until(&format!("{asked}?.includes('is asked') || document.querySelectorAll('#options-host fieldset').length === 2"));
        window.until("!document.querySelector('#options-host [aria-busy]')");
        // Numbers stand in the YAML as they were typed.
        window.fill("#limit-value", "5000");
        window.until(&yaml_is("nodes: 5000\n"));
    });
}

/// The values of an attribute in a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let parts = page.split(&format!("{name}=\"")).skip(1).collect::<Vec<_>>();
    parts.into_iter().filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_field_of_a_form_is_a_flag_of_its_command() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let csrf = studio.csrf();
    for kind in ["match", "sprt", "suite", "tune", "gate", "data"] {
        let page = studio.get(&format!("/start?kind={kind}")).body;
        let command = attributes(&page, "data-command")[0].replace(' ', "+");
        let limits = page.split("id=\"limit-kind\"").nth(1).unwrap_or_default();
        let limits = attributes(limits.split("</select>").next().unwrap_or_default(), "value");
        let flags = [attributes(&page, "data-flag"), limits].concat();
        assert!(flags.len() >= 2 || kind == "gate", "{kind}: {flags:?}");
        for flag in flags {
            let yaml = format!("command%3A+{command}%0A{flag}%3A+1%0A");
            let line = studio.post("/start/line", &format!("csrf={csrf}&yaml={yaml}"));
            assert!(!line.body.contains("unexpected argument"), "{kind}, {flag}: {}", line.body);
        }
    }
    // What is no number, and bounds that are no test, are named in words.
    for (query, words) in
        [("elo0=abc&elo1=10", "H0 in nElo: `abc` is no number"), ("elo0=0&elo1=-1", "elo")]
    {
        let plan = studio.get(&format!("/start/plan?{query}"));
        assert!(plan.status == 422 && plan.body.contains(words), "{query}: {}", plan.body);
    }
    let yaml = "command%3A+sprt%0Aarguments%3A+%5Bbuiltin%2C+builtin%5D%0Anodes%3A+9%0Aelo0%3A+0%0Aelo1%3A+-1%0A";
    let checked = studio.post("/start", &format!("csrf={csrf}&do=check&yaml={yaml}")).body;
    assert!(checked.contains("--elo0 0 and --elo1 -1"), "{checked}");
}

#[test]
fn check_reads_a_file_as_its_command_does() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for (name, text) in [
        ("net.yaml", "data: [data.txt]\noutput: net\n"),
        (
            "try.yaml",
            "engine: builtin\nlimit: nodes=60\ngames: 24\nparameters:\n  rfp_margin: { start: 150 }\n",
        ),
        ("gate.yaml", "suites: [{ suite: bk, nodes: 1 }]\n"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let studio = Studio::start(folder.path());
    let post = |path: &str, yaml: &str| {
        let yaml = yaml.replace(' ', "+").replace('\n', "%0A");
        studio.post(path, &format!("csrf={}&do=check&yaml={yaml}", studio.csrf())).body
    };
    for (command, file, found) in [
        ("tune run", "try.yaml", Some("a tuning")),
        ("gate", "gate.yaml", Some("the checks of a gate")),
        ("train", "net.yaml", Some("a training")),
        ("tune run", "net.yaml", None),
        ("gate", "try.yaml", None),
        ("train", "gate.yaml", None),
        ("loop", "try.yaml", None),
    ] {
        let page = post("/start", &format!("command: {command}\narguments: [{file}]\n"));
        let has = |part: &str| page.contains(part);
        match found {
            Some(what) => {
                assert!(has(&format!("{file}: {what}")) && !has("id=\"wrong\""), "{page}")
            }
            None => assert!(has("id=\"wrong\"") && has(file), "{command} {file}: {page}"),
        }
    }
    // What is said for a terminal stays there.
    let line = post("/start/line", "command: match\narguments: [builtin]\ngames: many\n");
    assert!(line.contains("wrong") && line.contains("many"), "{line}");
    assert!(!line.contains("For more information"), "{line}");
}
