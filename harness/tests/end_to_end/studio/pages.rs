//! Every page in a browser: without errors, usable by everybody, and what is done on them.

use std::path::Path;

use serde_json::json;

use super::axe;
use super::browser::driver;
use super::kinds::{add_other_kinds, bench, leave_unfinished};
use super::server::Studio;
use crate::common::{self, json, shown};
use crate::needs;
use crate::webdriver::{END, HOME, RIGHT};

fn all_pages(ids: &[String]) -> Vec<String> {
    let mut pages: Vec<String> = ids.iter().map(|id| format!("/run/{id}/")).collect();
    pages.extend(
        [
            "/",
            "/games",
            "/start",
            "/compare",
            "/history",
            "/suite",
            "/boards",
            "/pgn",
            "/pgn/games?file=a.pgn",
            "/help",
            "/practice",
            "/workers",
            "/start?kind=match",
            "/start?kind=suite",
            "/start?kind=tune",
            "/start?kind=gate",
            "/start?kind=data",
        ]
        .map(str::to_owned),
    );
    pages.push(format!("/games?run={}&sort=-swing", ids[0]));
    pages.push(format!("/run/{}/game/1.1", ids[0]));
    pages.push(format!("/compare?run={}&run={}", ids[0], ids[1]));
    pages.push(format!("/compare?run={}&run={}", ids[2], ids[3]));
    pages.push(format!("/start?like={}", ids[1]));
    pages.push("/run/none/".to_owned());
    pages
}

#[test]
fn every_page_is_free_of_errors_and_usable_by_everybody() {
    let Some(driver) = driver() else { return };
    let axe = needs::axe();
    let (folder, ids) = bench();
    let mut others = add_other_kinds(folder.path());
    others.extend(leave_unfinished(folder.path()));
    let studio = Studio::start(folder.path());
    let files = folder.path().join("reports/pgn");
    std::fs::create_dir_all(&files).expect("a folder");
    std::fs::write(files.join("a.pgn"), "[White \"a\"]\n\n1. e4 *\n").expect("written");
    let mut pages = all_pages(&ids);
    let of_others = others.iter().filter(|id| !ids.contains(id));
    pages.extend(of_others.map(|id| format!("/run/{id}/")));
    for what in ["study", "game"] {
        let form = format!("do={what}&white=human&black=builtin&level=1&csrf={}", studio.csrf());
        let made = studio.post("/boards", &form);
        pages.push(made.header("location").expect("a board").to_owned());
    }
    for (dark, width) in [(false, 1280), (true, 500)] {
        let window = driver.window(dark);
        window.resize(width, 900);
        window.open(&studio.url("/", 0));
        for page in &pages {
            window.open(&format!("http://{}{page}", studio.host));
            // What is folded in must be as good.
            window.value("document.querySelectorAll('.board-right details, .run-file').forEach((part) => { part.open = true; })");
            let heads = window.value("return document.querySelectorAll('h1').length");
            assert_eq!(heads, json!(1), "{page}");
            // A page that is not there leads to those that are.
            let tabs = "return document.querySelectorAll('nav.bar a').length >= 7";
            assert_eq!(window.value(tabs), json!(true), "{page}");
            let wide = "return document.documentElement.scrollWidth - innerWidth";
            let wide = window.value(wide).as_f64().expect("a number");
            assert!(wide <= 0.0, "{page} is {wide} pixels wider than {width}");
            // What only a screen reader has is where its cell is: placed by the page, it would widen it.
            let outside = "return [...document.querySelectorAll('.scroll .visually-hidden')].filter((part) => !part.closest('.scroll').contains(part.offsetParent)).length";
            assert_eq!(window.value(outside), json!(0), "{page}");
            // The focus is never on something that is not seen.
            let unseen = "return [...document.querySelectorAll('main :is(a[href], button, input, select, textarea)')].filter((part) => {
                const { width, height } = part.getBoundingClientRect();
                return part.offsetParent && part.type !== 'hidden' && Math.min(width, height) < 2;
            }).map((part) => part.outerHTML)";
            assert_eq!(window.value(unseen), json!([]), "{page}");
            // Nor on something that a finger misses.
            let small = "return [...document.querySelectorAll('main :is(summary, thead th a, th .sort, tbody td > a, label:has(> [type=checkbox]))')].filter((part) => {
                const { width, height } = part.getBoundingClientRect();
                return part.checkVisibility() && Math.min(width, height) < 24;
            }).map((part) => part.outerHTML.slice(0, 200))";
            assert_eq!(window.value(small), json!([]), "{page}");
            // A limit is said in words; command lines alone have the form in which it is typed.
            let raw = "const page = document.querySelector('main').cloneNode(true);
                page.querySelectorAll('code, pre, textarea, script').forEach((part) => part.remove());
                return page.textContent.match(/\\b(tc|nodes|movetime|depth)=\\S+/)?.[0] ?? ''";
            assert_eq!(window.value(raw), json!(""), "{page}");
            // What stands between backticks in a terminal is code here.
            let marks = raw.replace("match(/\\b(tc|nodes|movetime|depth)=\\S+/)", "match(/`.*/)");
            assert_eq!(window.value(&marks), json!(""), "{page}");
            // Samples of curves beside their names are as high as a line.
            let samples = "return [...document.querySelectorAll('svg.series')].every((sample) => sample.getBoundingClientRect().height <= 20)";
            assert_eq!(window.value(samples), json!(true), "{page}");
            if let Some(axe) = &axe {
                let found = axe::violations(&window, axe);
                assert!(found.is_empty(), "{page}, dark {dark}:\n{}", found.join("\n"));
            }
            let errors = window.errors();
            let expected = |error: &String| page == "/run/none/" && error.contains("404");
            let errors: Vec<_> = errors.iter().filter(|error| !expected(error)).collect();
            assert!(errors.is_empty(), "{page}: {errors:?}");
        }
        window.close();
    }
}

#[test]
fn the_page_of_a_file_has_its_viewer() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let done = common::run(
        folder.path(),
        "match builtin builtin --limit builtin:nodes=600 --nodes 30 --games 12 --quiet",
    );
    assert_eq!(done.status.code(), Some(0), "{}", shown(&done));
    let id = json(&common::run(folder.path(), "runs --json"))[0]["run"].clone();
    let page = folder.path().join("reports/runs").join(id.as_str().expect("an id"));
    let page = page.join("report.html");
    let window = driver.window(false);
    window.open(&format!("file://{}", page.display()));
    window.until("document.querySelectorAll('.viewer').length > 1");
    let fen = "document.querySelector('.viewer-exports input').value";
    let before = window.value(&format!("return {fen}"));
    window.keys("body", END);
    window.until(&format!("{fen} !== {before}"));
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

#[test]
fn games_are_filtered_sorted_and_stepped_through_without_a_new_page() {
    let Some(driver) = driver() else { return };
    let (folder, ids) = bench();
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.open(&studio.url(&format!("/games?run={}", ids[1]), 0));
    window.value("window.same = true");
    let rows = "document.querySelectorAll('table.games tbody tr').length";
    let all = window.value(&format!("return {rows}"));
    window.value("const field = document.querySelector('#choose-outcome'); field.value = 'lost'; field.dispatchEvent(new Event('input', { bubbles: true }))");
    window.until("location.search.includes('outcome=lost')");
    window.until(&format!("{rows} < {all} || !document.querySelector('table.games')"));
    window.back();
    window.until(&format!("{rows} === {all}"));
    window.click("#sort-Plies");
    window.until("location.search.includes('sort=-plies')");
    window.until("document.querySelector('th[aria-sort=descending]')");
    assert_eq!(window.value("return window.same"), json!(true));
    // A game: keys, the swing, the address.
    window.open(&format!("http://{}/run/{}/game/1.1", studio.host, ids[1]));
    window.until("document.querySelectorAll('.viewer').length === 2");
    let fen = "document.querySelector('.viewer-exports input').value";
    let start = window.value(&format!("return {fen}"));
    for _ in 0..3 {
        window.keys("body", RIGHT);
    }
    window.until("location.hash.startsWith('#ply=3')");
    window.keys("body", HOME);
    window.until(&format!("{fen} === {start}"));
    window.keys("body", END);
    window.until(&format!("{fen} !== {start} && document.querySelector('[aria-live]')"));
    // What a link says is what it shows.
    let there = window.path();
    let last = window.value(&format!("return {fen}"));
    window.open(&format!("http://{}/", studio.host));
    window.open(&format!("http://{}{there}", studio.host));
    window.until(&format!("document.querySelector('.viewer') && {fen} === {last}"));
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

/// The clicks from a test to a suite of its lost positions.
const CLICKS: [&str; 7] = [
    "the run in the list",
    "Games",
    "the first engine: lost",
    "the game",
    "Make suite position",
    "Run as a suite",
    "Start",
];

#[test]
fn a_lost_game_becomes_a_suite_position_by_clicks_alone() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    // The new engine sees far less: it loses with its scores falling.
    let played = common::run(
        folder.path(),
        "sprt builtin builtin --limit new:nodes=40 --limit old:nodes=4000 --elo1 100 --quiet",
    );
    assert_eq!(played.status.code(), Some(1), "{}", shown(&played));
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.open(&studio.url("/", 0));
    for click in CLICKS {
        match click {
            "the run in the list" => window.click("table.runs tbody a"),
            "the first engine: lost" => {
                window.until("location.search.startsWith('?run=')");
                window.click("#choose-outcome option[value=lost]");
                window.until("location.search.includes('outcome=lost')");
            }
            "the game" => {
                window.until("document.querySelector('table.games')");
                window.click("table.games tbody a");
            }
            // The navigation has a link of this name, too: that to the games of all runs.
            "Games" => window.click(".actions a[href^='/games']"),
            text => window.click_text(text),
        }
    }
    window.until("location.pathname.startsWith('/run/')");
    window.until("document.body.textContent.includes('positions')");
    window.close();
    let file = folder.path().join("reports/studio/positions.epd");
    let text = std::fs::read_to_string(file).expect("a suite");
    assert!(text.contains(" am ") && text.contains("id \""), "{text}");
    common::until("the suite", || suites(folder.path()) == 1);
}

/// Finished runs of suites.
fn suites(folder: &Path) -> usize {
    let runs = json(&common::run(folder, "runs --json"));
    let finished =
        |run: &&serde_json::Value| run["command"] == "suite" && run["status"] == "finished";
    runs.as_array().expect("a list").iter().filter(finished).count()
}

#[test]
fn tables_of_results_are_sorted_by_a_click_and_by_keys() {
    let Some(driver) = driver() else { return };
    let (folder, ids) = bench();
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    // All positions of a suite, some solved and some missed.
    window.open(&studio.url(&format!("/run/{}/", ids[2]), 0));
    let column = "[...document.querySelectorAll('table[data-sorted] tbody tr')].map((row) => row.cells[5].textContent)";
    let head = "[...document.querySelectorAll('table[data-sorted] th')].find((head) => head.textContent === 'Nodes')";
    window.until(&format!("{column}.length >= 24 && {head}"));
    window.value(
        "document.querySelectorAll('#result details').forEach((part) => { part.open = true; })",
    );
    let numbers = format!("{column}.map((text) => Number(text.replaceAll(',', '')))");
    let falls = format!("{numbers}.every((value, at, all) => at === 0 || all[at - 1] >= value)");
    let rises = format!("{numbers}.every((value, at, all) => at === 0 || all[at - 1] <= value)");
    window.value(&format!("{head}.querySelector('button').click()"));
    window.until(&format!("{head}.getAttribute('aria-sort') === 'descending' && {falls}"));
    window.value(&format!("{head}.querySelector('button').focus()"));
    window.keys("th button:focus", "\u{e007}");
    window.until(&format!("{head}.getAttribute('aria-sort') === 'ascending' && {rises}"));
    // One column is the sorted one.
    assert_eq!(window.value("return document.querySelectorAll('th[aria-sort]').length"), json!(1));
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}
