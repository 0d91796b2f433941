//! Pages while something runs: a match, a tuning run that was started on a page, and a server that is
//! killed meanwhile.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};

use super::browser::driver;
use super::server::Studio;
use crate::common::{MOCK, git, harness, has_games, json, until};

/// A process that ends with the value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Path, line: &str) -> Running {
    let mut command = harness(folder, line.split_whitespace());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    Running(child.expect("the harness starts"))
}

/// The id of the newest run in a folder.
fn newest(folder: &Path) -> String {
    let runs = json(&crate::common::run(folder, "runs --json"));
    let run = runs.as_array().and_then(|runs| runs.last()).expect("a run");
    run["run"].as_str().expect("an id").to_owned()
}

/// Games done, as the page of a run shows them.
const DONE: &str = "Number((document.querySelector('#progress progress') || {}).value)";

#[test]
fn a_match_of_a_terminal_is_live_and_a_killed_server_is_found_again() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let line = "match builtin builtin --nodes 3000 --games 4000 --jobs 2 --quiet";
    let _game = start(folder.path(), line);
    until("games", || has_games(folder.path(), 1));
    let id = newest(folder.path());
    let mut studio = Studio::start(folder.path());
    let window = driver.window(false);
    let other = driver.window(false);
    window.open(&studio.url(&format!("/run/{id}/"), 0));
    other.open(&studio.url(&format!("/run/{id}/"), 1));
    for page in [&window, &other] {
        page.value("window.same = true");
        page.until("document.querySelector('#connection.live')");
        page.until("document.querySelectorAll('.live-board').length >= 2");
        page.until("document.querySelectorAll('.live-board svg use').length > 8");
        page.value(&format!("window.first = {DONE}"));
        page.until(&format!("{DONE} > window.first"));
        // The verdict so far stands above the boards.
        page.until("document.querySelector('#progress .so-far')?.textContent.includes('Elo')");
    }
    // Who looks only is offered nothing to press.
    let buttons = "return document.querySelectorAll('#head button').length";
    assert!(window.value(buttons).as_u64() > Some(1));
    assert_eq!(other.value(buttons).as_u64(), Some(0));
    // A note of one is there for the other.
    window.click("#describe summary");
    window.fill("#run-note", "seen by both, #nets");
    window.click("#describe button");
    other.until("document.querySelector('#head').textContent.includes('seen by both')");
    other.until("document.querySelector('#head .note a').getAttribute('href') === '/?q=%23nets'");
    // The server is killed and comes back: the page catches up by itself.
    window.value("window.same = true");
    let port = studio.port().to_owned();
    studio.kill();
    window.until("document.querySelector('#connection.lost')");
    window.value(&format!("window.first = {DONE}"));
    let _again = Studio::at(folder.path(), &port);
    window.until("document.querySelector('#connection.live')");
    window.until(&format!("{DONE} > window.first"));
    // The end comes by itself, too.
    window.click("#do-finish");
    window.until("document.querySelector('.status.interrupted')");
    other.until("document.querySelector('.status.interrupted')");
    assert_eq!(other.value("return window.same"), true);
    window.close();
    other.close();
}

#[test]
fn a_match_that_is_asked_to_end_says_that_its_games_are_played_out() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let _game =
        start(folder.path(), "match builtin builtin --movetime 200 --games 4000 --jobs 1 --quiet");
    until("a run", || folder.path().join("reports/ledger.db").exists());
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.open(&studio.url(&format!("/run/{}/", newest(folder.path())), 0));
    window.until("document.querySelector('#connection.live')");
    let button = window.value("return document.querySelector('#do-finish')?.textContent");
    assert_eq!(button, "Stop after the pairs of games in progress");
    window.click("#do-finish");
    let said = "document.querySelector('#progress').textContent.includes('It ends after what is in progress')";
    window.until(said);
    assert!(
        window.value("return !/ left/.test(document.querySelector('#progress').textContent)")
            == true
    );
    // Another look at the page says the same.
    window.open(&studio.url(&format!("/run/{}/", newest(folder.path())), 0));
    window.until(said);
    window.close();
}

#[test]
fn a_tuning_run_of_the_form_is_live_stopped_and_goes_on() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let experiment = "engine: builtin\noptions: { Hash: 1 }\nlimit: nodes=400\ngames: 20000\n\
        batch: 4\nparameters:\n  rfp_margin: { start: 150 }\n  lmr_base:\n\
        validation: { games: 0 }\n";
    std::fs::write(folder.path().join("try.yaml"), experiment).expect("written");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.open(&studio.url("/start?kind=tune", 0));
    // What the command line refuses is said on the page.
    window.fill("#yaml", "command: tune run\narguments: [try.yaml]\ngames: many\n");
    window.click("#start");
    window.until("document.querySelector('#wrong')?.textContent.includes('many')");
    window.fill("#yaml", "command: tune run\narguments: [try.yaml]\nmethod: spsa\n");
    window.click("#check");
    window.until("document.body.textContent.includes('Everything that it names is there')");
    window.click("#start");
    window.until("location.pathname.startsWith('/run/')");
    window.until("document.querySelector('#connection.live')");
    window.until("document.querySelector('#result').textContent.includes('rfp_margin')");
    window.value(&format!("window.first = {DONE}"));
    window.until(&format!("{DONE} > window.first"));
    // A tuning sends no positions: there is no empty board.
    assert_eq!(window.value("return document.querySelectorAll('.live-board').length"), 0);
    window.click("#do-finish");
    window.until("document.querySelector('.status.interrupted')");
    window.click("#do-resume");
    window.until("document.querySelector('.status.running')");
    window.click("#do-finish");
    window.until("document.querySelector('.status.interrupted')");
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

#[test]
fn a_match_that_is_resumed_shows_at_once_what_was_played_before() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let line = "match builtin builtin --nodes 3000 --games 4000 --jobs 1 --quiet";
    let game = start(folder.path(), line);
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    until("a run", || {
        folder.path().join("reports/ledger.db").exists() && has_games(folder.path(), 0)
    });
    let id = newest(folder.path());
    // Its page is open before the first games are counted, as one who starts it has it.
    window.open(&studio.url(&format!("/run/{id}/"), 0));
    window.until("document.querySelector('#connection.live')");
    until("games", || has_games(folder.path(), 3));
    window.until("document.querySelector('.live-board svg use')");
    drop(game);
    window.until("document.querySelector('.status.interrupted')");
    // Boards on which nothing moves any more are not shown.
    window.until("document.getElementById('boards').hidden");
    let games = "Number([...document.querySelectorAll('#result dt')].find((dt) => dt.textContent === 'Games')?.nextElementSibling.firstChild.textContent)";
    window.until(&format!("{games} >= 2"));
    let before = window.value(&format!("return {games}"));
    window.click("#do-resume");
    window.until("document.querySelector('.status.running')");
    window.until("!document.getElementById('boards').hidden");
    window.until(&format!("{games} >= {before}"));
    window.value("window.least = 1e9; window.watch = setInterval(() => { window.least = Math.min(window.least, GAMES || 0); }, 50)".replace("GAMES", games).as_str());
    std::thread::sleep(std::time::Duration::from_secs(3));
    let least = window.value("return window.least");
    assert!(least.as_f64() >= before.as_f64(), "{least} after {before}");
    window.click("#do-finish");
    window.close();
}

/// A repository of an engine with two commits, and its gate with a long test.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    for (name, text) in [
        ("harness.yaml", "build: { binary: engine.sh, files: [.] }\n"),
        (".gitignore", "cache\nreports\n"),
        (
            "gate.yaml",
            "base: HEAD~1\nsuites: [{ suite: bk, nodes: 1 }]\n\
             sprt: { nodes: 1, elo0: -1, elo1: 0, max_games: 40000 }\n",
        ),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    for number in 0..3 {
        let program = format!("#!/bin/sh\n# {number}\nexec {MOCK} --seed {number}\n");
        let path = folder.path().join("engine.sh");
        std::fs::write(&path, program).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its own");
        git(folder.path(), &["add", "-A"]);
        git(folder.path(), &["commit", "-q", "-m", &format!("Change {number}")]);
    }
    folder
}

#[test]
fn a_gate_and_a_bisection_show_the_games_that_are_under_way() {
    let folder = repository();
    let studio = Studio::start(folder.path());
    for (line, part) in [
        ("gate gate.yaml --quiet", "sprt"),
        ("bisect HEAD~2 HEAD --nodes 1 --elo 5 --batch 2000 --no-probe --quiet", "match"),
    ] {
        let mut command = harness(folder.path(), line.split_whitespace());
        let command = command.env("TENCH_CACHE", folder.path().join("cache"));
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let running = Running(child.expect("the harness starts"));
        let kind = line.split(' ').next().expect("a command");
        let whole = || {
            let runs = json(&crate::common::run(folder.path(), "runs --json"));
            let run = runs.as_array()?.iter().find(|run| run["command"] == kind)?;
            Some(run["run"].as_str()?.to_owned())
        };
        until("the run", || whole().is_some());
        let page = || studio.get(&format!("/run/{}/", whole().expect("a run"))).body;
        until("games under way", || page().contains("Under way") && page().contains("So far: "));
        let page = page();
        let (_, under_way) = page.split_once("Under way").expect("it is there");
        let (under_way, _) = under_way.split_once("</section>").expect("it ends");
        assert!(under_way.contains(&format!("<strong>{part}</strong>")), "{under_way}");
        assert!(under_way.contains(" games"), "{under_way}");
        assert_eq!(under_way.contains("LLR"), part == "sprt", "{under_way}");
        // Programs of a gate are called as it was asked for them.
        assert_eq!(under_way.contains("HEAD vs HEAD~1"), part == "sprt", "{under_way}");
        assert_eq!(page.contains("1 of 2 checks"), part == "sprt", "{page}");
        assert!(!page.contains("not finished"), "{page}");
        drop(running);
        // How far it came stands in the list, too.
        let row =
            if kind == "gate" { "<td>1 check</td>" } else { "<td>0 steps, another one begun</td>" };
        until("the row", || studio.get("/").body.contains(row));
    }
}

#[test]
fn a_tuning_that_is_stopped_in_its_first_batch_says_what_it_has_played() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let experiment = "engine: builtin\nlimit: nodes=300\ngames: 4000\nbatch: 1000\n\
        parameters:\n  rfp_margin: { start: 150 }\nvalidation: { games: 0 }\n";
    std::fs::write(folder.path().join("try.yaml"), experiment).expect("written");
    let studio = Studio::start(folder.path());
    let tuning = start(folder.path(), "tune run try.yaml --quiet");
    until("games", || {
        folder.path().join("reports/ledger.db").exists() && has_games(folder.path(), 4)
    });
    let id = newest(folder.path());
    drop(tuning);
    let page = || studio.get(&format!("/run/{id}/")).body;
    until("the run is interrupted", || page().contains("status interrupted"));
    let page = page();
    assert!(page.contains("of which 0 count so far"), "{page}");
    assert!(page.contains("games played 0 count: the tuner takes whole batches"), "{page}");
    assert!(!page.contains("<p class=\"soft\">0 games"), "{page}");
}

#[test]
fn a_run_that_is_not_finished_has_no_verdict() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let line = "sprt builtin builtin --nodes 3000 --max-games 4000 --jobs 1 --quiet";
    let test = start(folder.path(), line);
    let studio = Studio::start(folder.path());
    until("games", || {
        folder.path().join("reports/ledger.db").exists() && has_games(folder.path(), 2)
    });
    let id = newest(folder.path());
    let page = || studio.get(&format!("/run/{id}/")).body;
    assert!(!page().contains("undecided"), "{}", page());
    drop(test);
    until("the run is interrupted", || page().contains("status interrupted"));
    let page = page();
    assert!(page.contains("the run is interrupted, not finished"), "{page}");
    assert!(!page.contains("inconclusive") && !page.contains("undecided"), "{page}");
}
